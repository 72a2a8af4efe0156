package server

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/script"
)

// scriptFiles are scripts by their names.
type scriptFiles map[string]string

func (f scriptFiles) find(name string) (func() game.Mod, error) {
	source, ok := f[name]
	if !ok {
		return nil, errors.New("there is no such file")
	}
	cfg := script.Config{Name: "mods/" + name + ".lua", Source: source}
	if _, err := script.New(cfg); err != nil {
		return nil, err
	}
	return func() game.Mod { return testenv.Must(script.New(cfg)) }, nil
}

func newScript(info replay.ModInfo) (game.Mod, error) {
	return script.New(script.Config{Name: "mods/" + info.Name + ".lua", Source: string(info.Source)})
}

// TestScriptIsReloaded changes the file of a script while a match runs: the match goes on with
// the new source and the old state, errors leave the old one, and the log verifies.
func TestScriptIsReloaded(t *testing.T) {
	files := scriptFiles{"count": "state.n = 0\nfunction on_tick() state.n = state.n + 1 if state.n % 50 == 0 then print('old', state.n) end end"}
	var log strings.Builder
	var s memoryReplays
	tn := newTestNetworkWith(t, netsim.Link{}, 1, Config{FindMod: files.find, Replays: &s, Log: slog.New(rawLog{&log})}, "sv_mods count; sv_replay 1")
	tn.play(2, time.Second)
	world := tn.srv.world
	for _, c := range []struct{ name, source, commands, want string }{
		{"runs", "", "", "[mods]: old 50\n"},
		{"new", "function on_tick() state.n = state.n + 1 if state.n % 50 == 0 then print('new', state.n) end end", "", "[mods]: new "},
		{"broken", "function on_tick() end end", "", "[mods]: count is not reloaded: mods/count.lua:1:24: "},
		{"by command", "function on_reload() print('again', state.n > 100) end", "sv_mods_watch 0; reload_mods", "[mods]: mods/count.lua: reloaded\n[mods]: again true\n"},
		{"runaway", "function on_tick()\nwhile true do end end", "reload_mods", "[mods]: switched off: mods/count.lua:2: too many steps"},
		{"unwatched", "function on_reload() print('unseen') end", "", ""},
	} {
		if c.source != "" {
			files["count"] = c.source
		}
		tn.srv.Execute(c.commands)
		tn.run(3 * time.Second)
		got := log.String()
		testenv.Check(t, strings.Contains(got, c.want), "%s: the log has\n%s", c.name, got)
		testenv.Check(t, !strings.Contains(got, "unseen"), "%s: a file is watched", c.name)
		testenv.Check(t, strings.Count(got, "not reloaded") < 2, "%s: the log has\n%s", c.name, got)
		log.Reset()
	}
	testenv.Check(t, tn.srv.world == world, "another world")
	tn.srv.Execute("reload")
	tn.run(time.Second)
	hashes := 0
	for _, name := range testenv.Must(s.Names()) {
		res, err := replay.Verify(s.reader(t, name), replay.VerifyConfig{Modes: BuiltinModes().New, NewMod: newScript})
		testenv.Check(t, err == nil, "%s: %+v, %v", name, res, err)
		hashes += res.HashesMatched
	}
	testenv.Check(t, hashes > 20, "%d hashes", hashes)
}
