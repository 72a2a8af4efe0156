package engine

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/servertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// TestProgramEqual replays recorded matches in the compiled program: each call gives the same bytes
// as in Go. It also shows that memory.js has the layout of Shared.
func TestProgramEqual(t *testing.T) {
	testenv.OtherBuild(t)
	program := filepath.Join(t.TempDir(), "play.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-o", program, "../wasm")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	out, err := cmd.CombinedOutput()
	testenv.Require(t, err == nil, "%v\n%s", err, out)
	matches := map[string][]call{}
	for _, v := range versions {
		matches[v.name] = recordMatch(t, v.version, v.ddnet, v.settings)
	}
	matches["DDRace"] = recordMatch(t, "0.6", "16040", "sv_map yardrun; sv_gametype ddrace")
	mux := http.NewServeMux()
	for path, dir := range map[string]string{"/play/": "../static", "/viewer/": "../../viewer/static", "/test/": "testdata"} {
		mux.Handle(path, http.StripPrefix(path, http.FileServer(http.Dir(dir))))
	}
	mux.HandleFunc("/program.wasm", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, program) })
	mux.HandleFunc("/matches.json", func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(matches) })
	mux.HandleFunc("/empty", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<!doctype html><link rel="icon" href="data:,">`)
	})
	p := browsertest.Open(t, mux, "/empty")
	for name, calls := range matches {
		got := browsertest.Eval[struct {
			Sums   []uint32
			Memory int
		}](p, `fetch('/matches.json').then((r) => r.json()).then(async (m) => (await import('/test/replay.js')).replay(m[`+quoted(name)+`]))`)
		testenv.Require(t, len(got.Sums) == len(calls), "%s: %d of %d calls", name, len(got.Sums), len(calls))
		for i, c := range calls {
			testenv.Require(t, got.Sums[i] == c.Sum, "%s: call %d of %d (%s at %v ms) has another result in the program", name, i, len(calls), c.Name, c.MS)
		}
		t.Logf("%s: %d calls are equal; the program has %d bytes of memory", name, len(calls), got.Memory)
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// recordMatch plays for some seconds and returns the calls.
func recordMatch(t *testing.T, version, ddnet, settings string) []call {
	cfg := config()
	cfg.Seed = 7
	s := servertest.Over(t, servertest.Link{Delay: 20 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.01}, cfg, settings)
	s.Join("other")
	p := newPage(t, s)
	p.record = true
	p.join("browser", version, ddnet)
	for i := range 60 {
		p.input[InDirection], p.input[InJump], p.input[InHook] = int32(i%3)-1, int32(i/2%2), int32(i/3%2)
		p.input[InTargetX], p.input[InTargetY], p.input[InFire] = int32(i*37%400)-200, int32(i*53%400)-200, int32(i&63)
		if i%10 == 0 {
			p.act("say", "line")
		}
		s.Wait(150 * time.Millisecond)
	}
	p.checkDDRace(settings)
	return p.calls
}
