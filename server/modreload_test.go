package server_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/script"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
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

// findMode is find for game types.
func (f scriptFiles) findMode(name string) (func() game.Mode, error) {
	source, ok := f[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	if _, err := newScriptMode(replay.ModInfo{Name: name, Source: []byte(source)}); err != nil {
		return nil, err
	}
	return func() game.Mode {
		return testenv.Must(newScriptMode(replay.ModInfo{Name: name, Source: []byte(source)}))
	}, nil
}

func newScriptMode(info replay.ModInfo) (game.Mode, error) {
	return script.NewMode(script.Config{Name: "mods/" + info.Name + ".lua", Source: string(info.Source), Costs: info.Costs})
}

func newScript(info replay.ModInfo) (game.Mod, error) {
	return script.New(script.Config{Name: "mods/" + info.Name + ".lua", Source: string(info.Source), Costs: info.Costs})
}

// TestScriptIsReloaded changes the file of a script while a match runs: the match goes on with
// the new source and the old state, errors leave the old one, and the log verifies.
func TestScriptIsReloaded(t *testing.T) {
	files := scriptFiles{"count": "state.n = 0\nfunction on_tick() state.n = state.n + 1 if state.n % 50 == 0 then print('old', state.n) end end"}
	var s servertest.Folder
	tn := newTestNetworkWith(t, servertest.Link{}, 1, server.Config{FindMod: files.find, Replays: &s}, "sv_mods count; sv_replay 1")
	tn.play(2, time.Second)
	world := tn.World()
	const emptied = "--emptied"
	for _, c := range []struct{ name, source, commands, want string }{
		{"runs", "", "", "[mod]: old 50\n"},
		{"new", "function on_tick() state.n = state.n + 1 if state.n % 50 == 0 then print('new', state.n) end end", "", "[mod]: new "},
		{"broken", "function on_tick() end end", "", "[mod]: count is not reloaded: mods/count.lua:1:24: "},
		{"emptied", emptied, "", "[mod]: count is not reloaded: the file is empty\n"},
		{
			"declares", "local v = variable{name = 'later', default = 3} chat_command{name = 'new', run = function() end} " +
				"function on_reload() print('is', v.value) end", "",
			"[mod]: mods/count.lua: reloaded; from the next map on: later, /new\n[mod]: is 3\n",
		},
		{"by command", "function on_reload() print('again', state.n > 100) end", "sv_mods_watch 0; reload_mods",
			"[mod]: mods/count.lua: reloaded\n[mod]: again true\n"},
		{"runaway", "function on_tick()\nwhile true do end end", "reload_mods", "[mod]: switched off: mods/count.lua:2: too many steps"},
		{"unwatched", "function on_reload() print('unseen') end", "", ""},
	} {
		if c.source != "" {
			files["count"] = strings.TrimPrefix(c.source, emptied)
		}
		tn.Execute(c.commands)
		tn.Wait(3 * time.Second)
		got := tn.Log.String()
		testenv.Check(t, strings.Contains(got, c.want), "%s: the log has\n%s", c.name, got)
		testenv.Check(t, !strings.Contains(got, "unseen"), "%s: a file is watched", c.name)
		testenv.Check(t, strings.Count(got, "not reloaded") < 2, "%s: the log has\n%s", c.name, got)
		tn.Log.Reset()
	}
	testenv.Check(t, tn.World() == world, "another world")
	tn.Execute("reload")
	tn.Wait(time.Second)
	hashes := 0
	for _, name := range testenv.Must(s.Names()) {
		res, err := replay.Verify(reader(&s, name), replay.VerifyConfig{Modes: builtin.Modes().New, NewMod: newScript})
		isWritten := errors.Is(err, replay.ErrTruncated) // the server still does
		testenv.Check(t, err == nil || isWritten, "%s: %+v, %v", name, res, err)
		hashes += res.HashesMatched
	}
	testenv.Check(t, hashes > 20, "%d hashes", hashes)
}

// TestScriptIsGameType plays a script as a game type, with another as a mod: it is found when a map
// is read, reloaded, logged and resumed.
func TestScriptIsGameType(t *testing.T) {
	files := scriptFiles{
		"catch":  "mode{name = 'CATCH', like = 'tdm'}\nstate.n = 0\nfunction on_tick() state.n = state.n + 1 end",
		"broken": "mode{name = 'BROKEN', like = 'tdm'}\nfunction on_tik() end",
		"mod":    "function on_tick() end",
	}
	var store memoryStore
	start := func(replays *servertest.Folder, settings string) *testNetwork {
		return newTestNetworkWith(t, servertest.Link{}, 1, server.Config{
			FindMode: files.findMode, FindMod: files.find, Replays: replays, Resume: &store,
		}, "sv_mods mod; sv_replay 1; sv_resume 1; "+settings)
	}
	var first, second servertest.Folder
	tn := start(&first, "sv_gametype catch")
	tn.play(2, 3*time.Second)
	w := tn.World()
	testenv.Check(t, w.ModeName() == "CATCH" && w.GameFlags() == game.GameFlagTeams, "%s, flags %d", w.ModeName(), w.GameFlags())
	files["catch"] += "\nfunction on_reload() print('new', state.n > 50) end"
	tn.Wait(2 * time.Second)
	testenv.Check(t, strings.Contains(tn.Log.String(), "[mod]: new true\n") && tn.World() == w, "not reloaded: %s", tn.Log)

	// The server is gone, and the next one goes on with the match and the new source.
	next := start(&second, "sv_gametype catch")
	testenv.Check(t, next.World().Tick() > 0 && next.World().ModeName() == "CATCH", "the match is not resumed: %s", next.Log)
	next.play(1, 3*time.Second)

	// What cannot be played is said when it is set, and is dm later. A map that was read before has
	// the new game type nevertheless.
	next.Log.Reset()
	for _, c := range []struct{ gameType, told, plays string }{
		{"broken", "sv_gametype 'broken': the next map will play dm: mods/broken.lua:2: unknown hook on_tik", "DM"},
		{"mod", "sv_gametype 'mod' takes effect with the next map", "MOD"}, // the original's
		{"none", "sv_gametype 'none' does not exist: the next map will play dm", "DM"},
		{"catch", "sv_gametype takes effect with the next map", "CATCH"},
	} {
		next.Log.Reset()
		next.Execute("sv_gametype " + c.gameType)
		told := next.Log.String()
		testenv.Check(t, strings.Contains(told, c.told) || c.plays == "MOD", "%s: %s", c.gameType, told)
		next.Execute("reload")
		next.Wait(time.Second)
		testenv.Check(t, next.World().ModeName() == c.plays, "%s: %s is played", c.gameType, next.World().ModeName())
	}
	next.Restart()
	next.Execute("sv_gametype tdm")
	next.Wait(time.Second)
	testenv.Check(t, next.World().ModeName() == "TDM", "after a restart %s is played", next.World().ModeName())
	next.Shutdown(next.Now(), "")
	tn.Shutdown(tn.Now(), "")
	for logs, hashes := range map[*servertest.Folder]int{&first: 10, &second: 4} {
		for _, name := range testenv.Must(logs.Names()) {
			res, err := replay.Verify(reader(logs, name), replay.VerifyConfig{Modes: builtin.Modes().New, NewMode: newScriptMode, NewMod: newScript})
			testenv.Check(t, err == nil, "%s: %+v, %v", name, res, err)
			hashes -= res.HashesMatched
		}
		testenv.Check(t, hashes <= 0, "%d hashes are missing", hashes)
	}
}
