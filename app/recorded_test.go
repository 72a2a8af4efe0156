package app

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/examples/mods"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

var updateRecorded = flag.Bool("record", false, "go test ./app -run TestRecordedMatches -record")

// moddedConfig is a program with the mods of the examples.
var moddedConfig = Config{Mods: []Mod{
	{"bounty", mods.NewBounty}, {"classes", mods.NewClasses}, {"guard", mods.NewGuard}, {"lottery", mods.NewLottery},
}}

// recordedMatches are the matches in testdata/replays, with their configuration and the protocols
// of their bots.
var recordedMatches = []struct {
	name, config string
	protocols    []string
	edit         string // a script that changes while the match runs
}{
	{"ctf", "sv_gametype ctf; sv_map teeyard1; sv_bots 2", []string{"0.7", "0.6"}, ""},
	{"fng", "sv_gametype fng; sv_map teeyard1", []string{"0.7", "0.6"}, ""},
	{"hill", "sv_gametype hill; sv_map teeyard1", []string{"0.7", "0.6"}, "hill.lua"},
	{"numbers", "sv_mods numbers; sv_map testbox; sv_storage storage.journal", []string{"0.6", "0.7"}, "numbers.lua"},
	{"examples", "sv_mods bounty,classes,guard,lottery; lottery_seconds 2; sv_map testbox", []string{"0.7", "0.6"}, ""},
}

const recordedDir = "testdata/replays"

// TestRecordedMatches runs matches that an earlier build recorded. At the end of every block it
// also continues from the saved state.
func TestRecordedMatches(t *testing.T) {
	testenv.OneGoroutine(t)
	t.Parallel()
	p := testenv.Must(newProgram(moddedConfig))
	for i, c := range recordedMatches {
		if i%testenv.Amount(3, 1) != 0 && !*updateRecorded {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(recordedDir, c.name+".twreplay")
			if *updateRecorded {
				recordMatch(t, path, c.config, c.protocols, c.edit)
			}
			restoreBlocks(t, testenv.Must(os.ReadFile(path)), p.verifyConfig())
		})
	}
	// These are never recorded anew. Logs of scripts keep the costs with which they were recorded,
	// and the one of 0.1.0 has none of DDRace's later settings.
	for _, name := range []string{"costs1/hill", "costs1/numbers", "0.1.0/ddrace"} {
		t.Run(name, func(t *testing.T) {
			restoreBlocks(t, testenv.Must(os.ReadFile(filepath.Join(recordedDir, name+".twreplay"))), p.verifyConfig())
		})
	}
}

// restoreBlocks runs a match in two worlds. After every block it restores one world from the
// other's state. The hashes of both worlds must match the log.
func restoreBlocks(t *testing.T, log []byte, cfg replay.VerifyConfig) {
	t.Helper()
	r := testenv.Must(replay.NewReader(bytes.NewReader(log)))
	h := *r.Header()
	w := testenv.Must(h.NewWorld(cfg))
	restored := testenv.Must(h.NewWorld(cfg))
	var tick replay.Tick
	var err error
	blocks, kinds := 0, map[game.CommandKind]int{}
	for err = r.Next(&tick); err == nil; err = r.Next(&tick) {
		for i := range tick.Commands {
			kinds[tick.Commands[i].Kind]++
		}
		w.Step(tick.Commands)
		restored.Step(tick.Commands)
		if !tick.HasHash {
			continue
		}
		testenv.Require(t, w.Hash() == tick.Hash, "tick %d differs; if it is meant to, record the matches anew: %s", tick.Tick, flag.Lookup("record").Usage)
		testenv.Require(t, restored.Hash() == tick.Hash, "tick %d differs, %d ticks after the state was restored", tick.Tick, w.Tick()-h.StateTick)
		blocks++
		h.State, h.StateTick = w.AppendState(nil), w.Tick()
		restored = testenv.Must(h.NewWorld(cfg))
	}
	testenv.Check(t, r.End() == replay.EndShutdown && blocks > 20 && kinds[game.CmdJoin] > 1, "%v, %d blocks, commands %v", err, blocks, kinds)
	if info := r.Header().Mods; len(info) > 0 && info[0].Name == "numbers" {
		testenv.Check(t, kinds[game.CmdReload] == 1 && kinds[game.CmdStored] > 1, "the log lacks a reload or answers of the storage: %v", kinds)
	}
}

// recordMatch records bots for half a minute.
func recordMatch(t *testing.T, path, config string, protocols []string, edit string) {
	t.Helper()
	dir := t.TempDir()
	for _, scripts := range []string{"../examples/lua", filepath.Join(recordedDir, "mods")} {
		testenv.NoError(t, os.CopyFS(filepath.Join(dir, "mods"), os.DirFS(scripts)))
	}
	port := strconv.Itoa(testenv.Must(peers.FreePort()))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, testenv.Must(os.Executable()))
		cmd.Args = append([]string{name}, args...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		testenv.NoError(t, cmd.Start())
		return cmd
	}
	server := run("modded", "serve", "--dir", dir, "bindaddr 127.0.0.1; sv_http 0; sv_max_clients 16; sv_max_clients_per_ip 16; sv_port "+port, config)
	var bots []*exec.Cmd
	for i, protocol := range protocols {
		bots = append(
			bots,
			run(
				"teeyard",
				"bots",
				"127.0.0.1:"+port,
				"--protocol",
				protocol,
				"--count",
				"2",
				"--duration",
				strconv.Itoa(18-2*i),
				"--name",
				"bot"+protocol+"_",
				"--cache",
				"-",
			),
		)
	}
	if edit != "" {
		time.Sleep(8 * time.Second)
		script := filepath.Join(dir, "mods", edit)
		testenv.NoError(t, os.WriteFile(script, append(testenv.Must(os.ReadFile(script)), "\n-- changed\n"...), 0o600))
	}
	for _, b := range bots {
		testenv.NoError(t, b.Wait())
	}
	testenv.NoError(t, server.Process.Signal(os.Interrupt))
	testenv.NoError(t, server.Wait())
	logs := testenv.Must(filepath.Glob(filepath.Join(dir, "replays", "*.twreplay")))
	testenv.Require(t, len(logs) == 1, "%d logs", len(logs))
	log := testenv.Must(os.ReadFile(logs[0]))
	testenv.Check(t, len(log) < 100<<10, "%d bytes are much for a file in testdata", len(log))
	testenv.NoError(t, os.WriteFile(path, log, 0o644))
}

// TestArm64RunsTheSame runs recordings from amd64 in an arm64 program. They contain modes and mods
// in Go, and scripts with floats, formats and sorting.
func TestArm64RunsTheSame(t *testing.T) {
	t.Parallel()
	qemu := peers.RequirePrograms(t, "qemu-aarch64-static")[0]
	program := filepath.Join(t.TempDir(), "rerun")
	build := exec.Command("go", "build", "-o", program, "./testdata/rerun")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	testenv.Require(t, err == nil, "%v\n%s", err, out)
	logs := append(testenv.Must(filepath.Glob(filepath.Join(recordedDir, "*.twreplay"))), "../game/replay/testdata/format1.twreplay")
	logs = append(logs, testenv.Must(filepath.Glob(filepath.Join(recordedDir, "costs1", "*.twreplay")))...)
	out, err = exec.Command(qemu, append([]string{program}, logs...)...).CombinedOutput()
	ok := strings.Count(string(out), " ok on arm64 ")
	testenv.Check(t, err == nil && ok == len(logs) && ok > len(recordedMatches), "%v, %d of %d agree\n%s", err, ok, len(logs), out)
}
