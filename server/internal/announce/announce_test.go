package announce_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/announce"
	"github.com/teeyard/teeyard/server/internal/later"
)

// TestAnnouncements checks that the lines of a file are said in turn, or at random but not twice in
// a row, that the file is read again each time, and that nothing happens without a file or clients.
func TestAnnouncements(t *testing.T) {
	files := fstest.MapFS{"announcement.txt": {Data: []byte("# no\none\r\n\n  two\nthree \n")}}
	var lines []string
	inGame := false
	a := announce.New(announce.Config{
		Files: files, Background: later.Now,
		AnyInGame: func() bool { return inGame }, Say: func(line string) { lines = append(lines, line) },
	})
	c := testenv.Must(console.New(console.Config{}))
	testenv.NoError(t, a.Register(c))
	c.Start()
	now := conn.Time(time.Hour)
	said := func(line string, minutes int) []string {
		lines = nil
		c.Execute(line, console.Operator)
		for range minutes * 60 * 50 {
			now = now.Add(time.Second / 50)
			a.Tick(now)
		}
		return lines
	}
	got := said("sv_announcement_interval 1; sv_announcement_random 0", 3)
	testenv.Check(t, len(got) == 0, "said to nobody: %q", got)
	inGame = true
	got = said("", 5)
	testenv.Check(t, slices.Equal(got, []string{"one", "two", "three", "one", "two"}), "said %q", got)
	files["announcement.txt"] = &fstest.MapFile{Data: []byte("new")}
	got = said("", 2)
	testenv.Check(t, slices.Equal(got, []string{"new", "new"}), "said %q", got)
	files["other.txt"] = &fstest.MapFile{Data: []byte("a\nb\nc\n")}
	got = said("sv_announcement_filename other.txt; sv_announcement_random 1", 30)
	for i, line := range got {
		testenv.Check(t, i == 0 || line != got[i-1], "twice in a row: %q", got)
	}
	for _, line := range []string{"a", "b", "c"} {
		testenv.Check(t, slices.Contains(got, line), "%s is missing in %q", line, got)
	}
	got = said("sv_announcement_filename nothing.txt", 3)
	testenv.Check(t, len(got) == 0, "said %q", got)
}

// TestReading checks that the loop does not wait for a file, and does not read it twice at a time.
func TestReading(t *testing.T) {
	var reads []func()
	said := 0
	a := announce.New(announce.Config{
		Files: fstest.MapFS{"announcement.txt": {Data: []byte("hello")}}, Background: func(f func()) { reads = append(reads, f) },
		AnyInGame: func() bool { return true }, Say: func(string) { said++ },
	})
	c := testenv.Must(console.New(console.Config{}))
	testenv.NoError(t, a.Register(c))
	c.Execute("sv_announcement_interval 1", console.Operator)
	now := conn.Time(time.Hour)
	for range 10 {
		a.Tick(now)
		now = now.Add(time.Minute)
	}
	testenv.Check(t, len(reads) == 1 && said == 0, "%s", fmt.Sprint(len(reads), said))
	reads[0]()
	a.Tick(now)
	testenv.Check(t, said == 1, "said %d times", said)
}
