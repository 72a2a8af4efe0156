package app

import (
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/confined"
	"github.com/teeyard/teeyard/internal/demotest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/viewer"
)

// convertApart converts a file in a child process.
func convertApart(t *testing.T, p *program, file []byte, trusted bool) ([]byte, error) {
	t.Helper()
	in, out := testenv.Must(os.CreateTemp(t.TempDir(), "")), testenv.Must(os.CreateTemp(t.TempDir(), ""))
	defer in.Close()
	defer out.Close()
	testenv.Must(in.Write(file))
	err := (&jobs{program: p}).convert(t.Context(), viewer.Conversion{
		Recording: in, Demo: out, Trusted: trusted, Time: time.Minute, MaxSize: 64 << 20,
	})
	return testenv.Must(os.ReadFile(out.Name())), err
}

// TestConvertApart checks that the child process makes the same demos from all kinds of recordings,
// byte for byte, and returns the same errors. The same holds for a program with mods.
func TestConvertApart(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	if testenv.Race {
		t.Skip("the race detector takes more memory than such a process may have")
	}
	log := filepath.Join(t.TempDir(), "x.twreplay")
	testenv.NoError(t, writeReplay(log, "test"))
	demos := filepath.Join("..", "format", "demo", "testdata")
	ddnet := testenv.Must(os.ReadFile(filepath.Join(demos, "ddnet-16.4.demo")))
	changed := testenv.Must(newProgram(moddedConfig))
	changed.name = "modded"
	plain := testenv.Must(newProgram(Config{}))
	for _, c := range []struct {
		name    string
		p       *program
		file    []byte
		trusted bool
	}{
		{"a demo of DDNet", plain, ddnet, false},
		{"a demo of DDNet, of a program with mods", changed, ddnet, false},
		{"a damaged one", plain, append(bytes.Clone(ddnet[:len(ddnet)/2]), ddnet[len(ddnet)/2+7:]...), false},
		{"a demo of DDNet-Server", plain, testenv.Must(os.ReadFile(filepath.Join(demos, "ddnet-server-16.4.demo"))), false},
		{"all items change", plain, demotest.WorstDemo(demotest.AllChange, 1<<20), false},
		{"one item changes", plain, demotest.WorstDemo(demotest.OneChanges, 200<<10), false},
		{"a large map", plain, demotest.WorstDemo(demotest.LargeMap, 32<<20), false},
		{"a log of a stranger", plain, testenv.Must(os.ReadFile(log)), false},
		{"a log", plain, testenv.Must(os.ReadFile(log)), true},
		{"nothing", plain, nil, false},
		{"a text", plain, []byte("a text"), true},
	} {
		var want memoryFile
		wantErr := c.p.convertRecording(&want, bytes.NewReader(c.file), c.trusted)
		got, err := convertApart(t, c.p, c.file, c.trusted)
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Errorf("%s: %v, want %v", c.name, err, wantErr)
		}
		if err == nil && !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: another demo, of %d bytes instead of %d", c.name, len(got), want.Len())
		}
	}
}

// TestConvertApartFails checks that faults of the process are told apart from faults of the file.
func TestConvertApartFails(t *testing.T) {
	if testenv.Race {
		t.Skip("the race detector takes more memory than such a process may have")
	}
	p := testenv.Must(newProgram(Config{}))
	file := testenv.Must(os.ReadFile(filepath.Join("..", "format", "demo", "testdata", "ddnet-16.4.demo")))
	in := testenv.Must(os.CreateTemp(t.TempDir(), ""))
	defer in.Close()
	testenv.Must(in.Write(file))
	readOnly := testenv.Must(os.Open(in.Name()))
	defer readOnly.Close()
	out := testenv.Must(os.CreateTemp(t.TempDir(), ""))
	defer out.Close()
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	for name, c := range map[string]struct {
		ctx  context.Context
		c    viewer.Conversion
		want error
	}{
		"a disk that takes nothing": {t.Context(), viewer.Conversion{Demo: readOnly, Time: time.Minute, MaxSize: 64 << 20}, viewer.ErrStorage},
		"a demo that is too large":  {t.Context(), viewer.Conversion{Demo: out, Time: time.Minute, MaxSize: 100}, confined.ErrOutputSize},
		"no time":                   {t.Context(), viewer.Conversion{Demo: out, Time: 1, MaxSize: 64 << 20}, confined.ErrTime},
		"nobody who waits":          {ctx, viewer.Conversion{Demo: out, Time: time.Minute, MaxSize: 64 << 20}, context.Canceled},
	} {
		c.c.Recording = in
		if err := (&jobs{program: p}).convert(c.ctx, c.c); err == nil || err.Error() != c.want.Error() {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	t.Setenv("TEEYARD_CONFINED", "1") // as in a child process
	if err := (&jobs{program: p}).convert(t.Context(), viewer.Conversion{Recording: in, Demo: out, Time: time.Minute, MaxSize: 1}); !errors.Is(
		err,
		viewer.ErrUnavailable,
	) {
		t.Error("a process of a job starts another one:", err)
	}
}

// TestJobArguments checks that users cannot start a job from the command line, and that a program
// with the name of an original server still does jobs.
func TestJobArguments(t *testing.T) {
	t.Parallel()
	if testenv.Race {
		t.Skip("the race detector takes more memory than such a process may have")
	}
	cmd := teeyard(t, "--confined-job", jobConvertOwn, "1000000", "1s", "1000000")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "unknown flag") {
		t.Errorf("%s, %v", out, err)
	}
	p := testenv.Must(newProgram(Config{}))
	p.name = "DDNet-Server"
	file := testenv.Must(os.ReadFile(filepath.Join("..", "format", "demo", "testdata", "ddnet-16.4.demo")))
	if _, err := convertApart(t, p, file, false); err != nil {
		t.Error(err)
	}
}

// TestWatchConverts checks that the page of teeyard watch can convert files.
func TestWatchConverts(t *testing.T) {
	t.Parallel()
	p := testenv.Must(newProgram(Config{}))
	key := web.NewKey()
	h := key.Handler(web.NewHandler(p.watchRooms(demoBytes{bytes.NewReader(nil)})...))
	file := testenv.Must(os.ReadFile(filepath.Join("..", "format", "demo", "testdata", "ddnet-16.4.demo")))
	r := httptest.NewRequest("POST", "/convert", bytes.NewReader(file))
	r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
	key.Authorize(r)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if d, err := demo.NewReader(w.Body); w.Code != 200 || err != nil || d.Header().Protocol() != 7 {
		t.Errorf("%d %.100s: %v", w.Code, w.Body, err)
	}
}
