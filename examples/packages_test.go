package examples

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/script"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/record"
)

// TestPackagePages compares the Go code in docs/packages and README.md with the programs that it is
// from, which other tests build and run. Code of no program must be a whole program, which go vet
// compiles. README.md also has a mod in Lua, which plays a match.
func TestPackagePages(t *testing.T) {
	testenv.Long(t)
	pages := append(testenv.Must(filepath.Glob("../docs/packages/*.md")), "../README.md")
	unindented := func(code string) string {
		return regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(strings.TrimSpace(code), "")
	}
	blocks := 0
	for _, page := range pages {
		text := strings.ReplaceAll(string(testenv.Must(os.ReadFile(page))), "\r\n", "\n")
		for _, m := range codeBlock.FindAllStringSubmatch(text, -1) {
			file, language, code := m[1], m[2], m[3]
			blocks++
			switch {
			case language == "lua":
				playScript(t, page, code)
			case file != "":
				source := string(testenv.Must(os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))))
				if !strings.Contains(unindented(source), unindented(code)) {
					t.Errorf("%s: this code is not in %s:\n%s", page, file, code)
				}
			case strings.Contains(code, "package main\n"):
				program := filepath.Join(t.TempDir(), "main.go")
				testenv.NoError(t, os.WriteFile(program, []byte(code), 0o600))
				if out, err := exec.Command("go", "vet", program).CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", page, err, out)
				}
			default:
				t.Errorf("%s: this code is neither a program nor marked with the file that it is from:\n%s", page, code)
			}
		}
	}
	testenv.Check(t, len(pages) == 5 && blocks >= 10, "%d pages with %d examples", len(pages), blocks)
}

func TestMapname(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(program(t, "mapname"), serve(t, server.Config{})).CombinedOutput()
	testenv.Check(t, err == nil && strings.TrimSpace(string(out)) == "testbox", "printed %q, %v", out, err)
}

func TestKillfeed(t *testing.T) {
	t.Parallel()
	port := testenv.Must(peers.FreePort())
	host := fmt.Sprintf("127.0.0.1:%d", port)
	out := start(t, "killfeed", "bindaddr 127.0.0.1", fmt.Sprintf("sv_port %d", port), "sv_map testbox; sv_register 0")
	waitForServer(t, host)
	c := join(t, host, client.Config{Name: "alice"})
	testenv.Eventually(t, "alice joined", func() bool { return strings.Contains(out.String(), "alice joined, 1 players\n") })
	c.Close()
	testenv.Eventually(t, "alice left", func() bool { return strings.Contains(out.String(), "alice left\n") })
}

// folder is a record.Folder on the disk.
type folder string

func (d folder) Create(name string) (io.WriteCloser, error) {
	return os.OpenFile(filepath.Join(string(d), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (d folder) Names() ([]string, error) { return fs.Glob(os.DirFS(string(d)), "*") }

func (d folder) Remove(name string) error { return os.Remove(filepath.Join(string(d), name)) }

// TestKillcount counts in the log of a match with a Lua mod and without kills, and in a damaged
// copy of it.
func TestKillcount(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := join(t, serve(t, server.Config{
		Replays: folder(dir), Commands: []string{"sv_mods ticks"},
		FindMod: func(name string) (func() game.Mod, error) {
			return func() game.Mod {
				source := "state.ticks = 0\nfunction on_tick() state.ticks = state.ticks + 1 end"
				return testenv.Must(script.New(script.Config{Name: "mods/" + name + ".lua", Source: source}))
			}, nil
		},
	}), client.Config{Name: "alice", RconPassword: "adminpw"})
	wait(t, c, "remote console", func(e event.RconAuth) bool { return e.On })
	c.Rcon("sv_replay 0") // ends the log
	var log string
	testenv.Eventually(t, "a whole log", func() bool {
		files, _ := filepath.Glob(filepath.Join(dir, "*"+record.ReplaySuffix))
		if len(files) != 1 {
			return false
		}
		log = files[0]
		out, err := exec.Command(program(t, "killcount"), log).CombinedOutput()
		return err == nil && strings.HasPrefix(string(out), "testbox: ") && strings.HasSuffix(string(out), " hashes are equal\n")
	})
	b := testenv.Must(os.ReadFile(log))
	r := testenv.Must(replay.NewReader(bytes.NewReader(b)))
	testenv.Check(t, len(r.Header().Mods) == 1 && len(r.Header().Mods[0].Source) > 0, "the log has no source of a Lua mod")
	b[len(b)/2] ^= 1
	testenv.NoError(t, os.WriteFile(log, b, 0o600))
	cmd := exec.Command(program(t, "killcount"), log)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	testenv.Check(t, err != nil && len(out) == 0 && strings.Contains(stderr.String(), "replay: "), "printed %q and %q, %v", out, &stderr, err)
}
