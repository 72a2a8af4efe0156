package app

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/script"
)

// TestScriptsAreFound finds the mods of sv_mods in the folder mods, and the mods of replay logs in
// the logs.
func TestScriptsAreFound(t *testing.T) {
	files := fstest.MapFS{
		"mods/good.lua":  {Data: []byte("function on_tick() end")},
		"mods/wrong.lua": {Data: []byte("\nfunction on_tik() end")},
		"mods/large.lua": {Data: make([]byte, script.MaxSource+1)},
		"secret.lua":     {Data: []byte("function on_tick() end")},
	}
	f := modFinder{files: files}
	for _, c := range []struct{ name, err string }{
		{"good", ""},
		{"wrong", "mods/wrong.lua:2: unknown hook on_tik; did you mean on_tick?"},
		{"large", "mods/large.lua: 65537 bytes, the limit is 65536"},
		{"none", "neither this program nor the file mods/none.lua has a mod with this name"},
		{"../secret", "the name of a mod may contain only letters, digits, _ and -"},
	} {
		found, err := f.findMod(c.name)
		if c.err != "" {
			testenv.Check(t, err != nil && strings.Contains(err.Error(), c.err), "%s: %v, want %s", c.name, err, c.err)
			continue
		}
		testenv.Check(t, err == nil && found() != found(), "%s: %v", c.name, err)
		info := replay.ModInfo{Name: c.name, Source: found().(replay.Sourcer).Source()}
		m, err := testenv.Must(newProgram(Config{})).newMod(info)
		testenv.Check(t, err == nil && m.(*script.Mod).Name() == "mods/good.lua", "%v", err)
	}
	files["mods/good.lua"] = &fstest.MapFile{Data: []byte("function on_spawn() end")}
	found := testenv.Must(f.findMod("good"))
	testenv.Check(t, strings.Contains(string(found().(replay.Sourcer).Source()), "on_spawn"), "the file is not read again")
}
