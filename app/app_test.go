package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/selfsigned"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/server"
)

func TestMain(m *testing.M) {
	testenv.AtOnce(12)
	testscript.Main(m, programs)
}

// programs are the programs that tests run, by name.
var programs = map[string]func(){
	"teeyard": func() { Main(Config{}) }, "teeworlds_srv": func() { Main(Config{}) }, "DDNet-Server": func() { Main(Config{}) },
	"modded": func() { Main(moddedConfig) }, "hearts": hearts, "stuck": stuck,
}

// teeyard returns a command that runs this program.
func teeyard(t testing.TB, args ...string) *exec.Cmd {
	self, err := os.Executable()
	testenv.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Args = append([]string{"teeyard"}, args...)
	return cmd
}

// TestScripts runs the program as a user does. The scripts are in testdata.
func TestScripts(t *testing.T) {
	t.Parallel()
	certificates := t.TempDir()
	selfsigned.Write(t, certificates, "localhost")
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("CERTIFICATES", certificates)
			return setUpScript(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"clients": waitForClients},
		Condition: func(name string) (bool, error) {
			switch name {
			case "ci":
				return testenv.InCI(), nil
			case "race":
				return testenv.Race && !testenv.Full(), nil
			case "quick": // neither in CI nor with its race detector
				return !testenv.InCI() && !testenv.Race, nil
			}
			return false, fmt.Errorf("unknown condition %s", name)
		},
	})
}

// waitForClients PORT COUNT waits until a server has that many clients in the game.
func waitForClients(ts *testscript.TestScript, _ bool, args []string) {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		r, err := query.AskHost(context.Background(), query.Config{Timeout: 5 * time.Second}, "tw-0.7+udp://127.0.0.1:"+args[0])
		if err == nil && strconv.Itoa(r.Info.NumClients) == args[1] {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%d clients, %v", r.Info.NumClients, err)
		}
	}
}

// goEnv returns the environment that the go command needs, and the folder of the module.
var goEnv = sync.OnceValues(func() ([]string, error) {
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOFLAGS").Output()
	lines := strings.Split(string(out), "\n")
	source, absErr := filepath.Abs("..")
	if err = errors.Join(err, absErr); err != nil {
		return nil, err
	}
	return []string{
		"GOCACHE=" + strings.TrimSpace(lines[0]),
		"GOMODCACHE=" + strings.TrimSpace(lines[1]),
		"GOFLAGS=" + strings.TrimSpace(lines[2]),
		"SOURCE=" + source,
	}, nil
})

// setUpGo lets scripts use the go command and sets SOURCE to the folder of the module.
func setUpGo(env *testscript.Env) error {
	vars, err := goEnv()
	env.Vars = append(env.Vars, vars...)
	return err
}

// writeFrozenMap writes a DDRace map, frozen.map, into a new folder.
func writeFrozenMap(folder string) error {
	l := twmap.NewGameLayer(20, 10)
	for x, tile := range []uint8{twmap.Spawn, 33, 9, 34} {
		l.Set(3+x, 8, tile, 0)
	}
	m := twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, l)}}
	file, err := m.Bytes()
	return errors.Join(err, os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "frozen.map"), file, 0o600))
}

// setUpScript gives every script free ports, the folder MAPS, a replay log of ten seconds, a
// capture of each protocol version, demos, and a DDRace map in the folder ddrace.
func setUpScript(env *testscript.Env) error {
	if err := freePorts(env); err != nil {
		return err
	}
	maps, err := filepath.Abs("../maps")
	if err != nil {
		return err
	}
	env.Setenv("MAPS", maps)
	if err := setUpGo(env); err != nil {
		return err
	}
	for name, from := range map[string]string{"join.pcap": "teeworlds-0.7.5-dm1.pcap", "ddnet.pcap": "ddnet-16.4-dm1-over-0.6.pcap"} {
		capture, err := os.ReadFile(filepath.Join("../internal/golden/testdata", from))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(env.WorkDir, name), capture, 0o600); err != nil {
			return err
		}
	}
	if err := copyDemos(env.WorkDir); err != nil {
		return err
	}
	if err := writeFrozenMap(filepath.Join(env.WorkDir, "ddrace", "maps")); err != nil {
		return err
	}
	match := filepath.Join(env.WorkDir, "match.twreplay")
	if err := writeReplay(match, server.Program()); err != nil {
		return err
	}
	whole, err := os.ReadFile(match)
	if err != nil {
		return err
	}
	middle := len(whole) / 2
	damaged := slices.Clone(whole)
	damaged[middle] ^= 0x55
	return errors.Join(
		os.WriteFile(filepath.Join(env.WorkDir, "cutoff.twreplay"), whole[:middle], 0o600),
		os.WriteFile(filepath.Join(env.WorkDir, "damaged.twreplay"), damaged, 0o600),
	)
}

// copyDemos copies recordings of real programs to a folder, one of them cut short.
func copyDemos(dir string) error {
	for name, from := range map[string]string{"server.demo": "teeworlds-server-0.7.5", "client.demo": "teeworlds-0.7.5", "ddnet.demo": "ddnet-16.4"} {
		b, err := os.ReadFile(filepath.Join("../format/demo/testdata", from+".demo"))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return err
		}
		if name == "client.demo" {
			if err := os.WriteFile(filepath.Join(dir, "short.demo"), b[:8000], 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}
