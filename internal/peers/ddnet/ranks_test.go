//go:build peers

package ddnet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// oddNames are names of at most 15 bytes that look like SQL, a pattern or a chat command.
var oddNames = []string{
	"it's", "'; DROP TABLE", `"quoted" tee`, `a"b`, "50%", "%s%d%n", "under_score", `back\slash`, `\`, "[a-z]*", "?", "NULL", "12345", "-5", "P 7", "a  b",
	"äöüÄÖÜß", "ääääääää"[:14] + "x",
	"🦆🦆🦆", "e\u0301a\u0308", "é", "É", "-- x", "/rank", "p 7;p 8", "0x41",
}

// rankRows returns SQL that fills DDNet's tables: 40 players with up to six finishes on two
// servers, some with equal times; 25 teams; points; two maps.
func rankRows() string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	insert := func(format string, args ...any) { fmt.Fprintf(&b, "INSERT INTO record_"+format+";\n", args...) }
	b.WriteString("BEGIN;\n")
	for p := range 40 {
		for range r.IntN(6) {
			insert("race(Map, Name, Timestamp, Time, Server, cp1, cp3, GameID, DDNet7) "+
				"VALUES('Tutorial', 'p %d', datetime('now', '-%d seconds'), %d.%02d, '%s', 1.5, 2.25, 'g', 0)",
				p, 4000+r.IntN(100_000_000), 58+r.IntN(5), r.IntN(4)*2, []string{"UNK", "GER"}[r.IntN(2)])
		}
		if p%3 == 0 {
			insert("points(Name, Points) VALUES('p %d', %d)", p, r.IntN(12))
		}
	}
	for team := range 25 {
		for member := range 2 + r.IntN(3) {
			insert("teamrace(Map, Name, Timestamp, Time, ID, GameID, DDNet7) VALUES('Tutorial', 'p %d', datetime('now', '-1 hour'), %d.5, X'%032X', 'g', 0)",
				(team*3+member)%40, 4000+team/2, team*7919+1)
		}
	}
	for i, name := range oddNames {
		name = strings.ReplaceAll(name, "'", "''")
		insert("race(Map, Name, Timestamp, Time, Server, GameID, DDNet7) VALUES('Tutorial', '%s', datetime('now', '-2 days'), %d.25, 'UNK', 'g', 0)", name,
			100+i)
		insert("points(Name, Points) VALUES('%s', %d)", name, 100+i)
		for _, member := range []string{name, "p 1"} {
			insert("teamrace(Map, Name, Timestamp, Time, ID, GameID, DDNet7) VALUES('Tutorial', '%s', datetime('now', '-1 hour'), %d.5, X'%032X', 'g', 0)",
				member, 5000+i, 1_000_000+i)
		}
	}
	insert("maps(Map, Server, Mapper, Points, Stars, Timestamp) VALUES('Tutorial', 'Novice', 'deen', 1, 2, datetime('now', '-90061 seconds'))")
	insert("maps(Map, Server, Mapper, Points, Stars, Timestamp) VALUES('Tutor Two', 'Brutal', 'x', 9, 5, datetime('now', '-3000 days'))")
	b.WriteString("COMMIT;\n")
	return b.String()
}

// TestRanksAsDDNet asks DDNet-Server 16.4 about ranks, and our server with DDNet-Server's file
// imported. Both must answer with the same lines.
func TestRanksAsDDNet(t *testing.T) {
	t.Parallel()
	sqlite := peers.RequirePrograms(t, "sqlite3")[0]
	home := t.TempDir()
	settings := "sv_map Tutorial; sv_sqlite_file ranks.sqlite; sv_sql_queries_delay 0; sv_spamprotection 0"
	peers.StartDDNetIn(t, home, settings).Stop() // creates the tables
	var file string
	testenv.NoError(t, filepath.WalkDir(home, func(path string, _ os.DirEntry, err error) error {
		if filepath.Base(path) == "ranks.sqlite" {
			file = path
		}
		return err
	}))
	testenv.Require(t, file != "", "DDNet-Server made no file")
	fill := exec.Command(sqlite, file)
	fill.Stdin = strings.NewReader(rankRows())
	if out, err := fill.CombinedOutput(); err != nil {
		t.Fatalf("sqlite3: %v\n%s", err, out)
	}
	theirs := peers.StartDDNetIn(t, home, "sv_chat_penalty 50; sv_chat_threshold 10000; "+settings)

	folder := t.TempDir()
	tutorial := testenv.Must(os.ReadFile(filepath.Join(peers.DDNetMaps, "Tutorial.map")))
	peers.WriteFile(t, filepath.Join(folder, "maps", "Tutorial.map"), tutorial)
	for i, want := range []string{"; 201", "; 0"} { // the first import adds all ranks, the second none
		out, err := exec.Command(peers.Program(t), "ranks", "import", "--into", filepath.Join(folder, "ranks.journal"), file).CombinedOutput()
		testenv.Require(t, err == nil && strings.Contains(string(out), want), "import %d: %v\n%s", i, err, out)
	}
	ours := peers.StartTeeyardIn(t, folder, "sv_map Tutorial; sv_gametype race; sv_sql_queries_delay 0; sv_spamprotection 0")

	ask := func(s *peers.Server) (all []string) {
		c := peers.Dial(t, s, client.Config{Name: "p 2", Version: client.Version06, DDNetVersion: 16040})
		heard(c, 2*time.Second, 2*time.Second) // skip the greetings
		lines := []string{
			"/rank", "/rank p 7", "/rank nobody", "/top5", "/top5 3", "/top5 -1", "/top5 -4", "/top5 1000", "/points", "/points p 3", "/points p 1",
			"/top5points", "/top5points 4",
			"/teamrank", "/teamrank p 11", "/teamrank nobody", "/top5team", "/top5team 6", "/top5team -2", `/top5team "p 5"`, `/top5team "p 5" 2`,
			`/top5team "p 5" 90`, "/top5team a b",
			"/times", "/times 4", "/times -2", `/times "p 7"`, `/times "p 7" -1`, "/times me", "/times nobody", "/mapinfo", "/mapinfo tt",
			"/mapinfo tutor two", "/mapinfo zzz", "/mapinfo %two", "/mapinfo _utor", "/mapinfo TUTORIAL",
		}
		for _, name := range oddNames {
			quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
			lines = append(lines, "/rank "+name, "/teamrank "+quoted, "/times "+quoted)
		}
		for _, line := range lines {
			// The lines that follow are the answer.
			c.Say(line)
			all = append(all, "> "+line)
			all = append(all, heard(c, 10*time.Second, 150*time.Millisecond)...)
		}
		return all
	}
	answers := make(chan []string, 1)
	go func() { answers <- ask(theirs) }()
	got := ask(ours)
	want := <-answers
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-DDNet-Server, +ours):\n%s", diff)
	}
	t.Logf("%d lines", len(want))
}

// heard returns the server's chat lines. It waits up to limit for the first line, and then until
// the server has been silent for the given time.
func heard(c *client.Client, limit, silence time.Duration) (lines []string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	timer := time.AfterFunc(limit, cancel)
	defer timer.Stop()
	for e := range c.Events(ctx) {
		if chat, ok := e.(event.Chat); ok && chat.From.ID < 0 {
			lines = append(lines, chat.Text)
			timer.Reset(silence)
		}
	}
	return lines
}
