package game_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/ctf"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/mode/lms"
	"github.com/teeyard/teeyard/game/mode/lts"
	"github.com/teeyard/teeyard/game/mode/race"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/testenv"
)

// notSaved are the fields that no state has, and why. Nothing else may be left out.
var notSaved = map[string]string{
	"mode":           "from the config",
	"mods":           "from the config; their state is saved by StateHook and StateSaver",
	"hooks":          "from mode and mods",
	"decisions":      "from mode and mods",
	"command":        "used within a step",
	"stepTick":       "used within a step",
	"hookStops":      "used within a step",
	"running":        "used within a step",
	"panics":         "told in the step",
	"finishes":       "told in the step",
	"startingPlay":   "used within a step",
	"terrain":        "from the config",
	"collision":      "from the terrain",
	"terrainSum":     "from the terrain",
	"tees.Physics":   "the tees that are alive, and the tuning since the step began",
	"tees.Reckoning": "the terrain",
	"tees.MovedFrom": "set in each step before it is used",
	"events":         "of the last step",
	"frame":          "made of the rest",
	"frameValid":     "whether the frame was made",
	"tx":             "the world",
	"hookCalls":      "used within a step",
	"hookDepth":      "used within a step",
	"hookInput":      "used within a step",
	"stateBuf":       "scratch",
	"visitor":        "scratch",
	"match.flags":    "from the mode",
	"minPlayers":     "from the mode",

	"entityKinds": "from mode and mods",
	"tuneZones":   "from mode and mods",
	"building":    "false after New",
	"drawn":       "made of the entities in each step",
	"drawing":     "used within a step",
	"declared":    "from mode and mods, but for what TestDeclaredIsSaved changes",
	"perPlayer":   "from the states of mode and mods",

	"traits":              "of the simulation",
	"sim.w":               "the world",
	"sim.world.Tick":      "of the world",
	"sim.world.Tuning":    "of the world",
	"sim.world.host":      "the world",
	"sim.world.tees":      "of the world",
	"sim.world.flags":     "of the world",
	"sim.world.ids":       "of the world",
	"sim.world.rand":      "of the world",
	"sim.world.collision": "from the terrain",
	"sim.world.spawns":    "from the terrain, and from what mode and mods do with it in New",

	"tees.All.LatestPrevInput": "LatestInput, between steps",
}

// notSavedOfCores is the same for each core.
var notSavedOfCores = map[string]string{
	"World": "one of the two of the world", "Death": "set in each step before it is used",
	"Tuning": "set in each step before it is used", "Exceptions": "set in each step before it is used",
	"Events": "set in each step before it is used", "aim": "a cache", "cacheIndex": "a cache",
}

// eachField calls visit for every field of a world that can differ between two worlds of the same
// config, and the path of its names. Of things of which there are many (players, shots) it
// visits the first.
func eachField(w *game.World, visit func(path string, v reflect.Value)) {
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		core := strings.LastIndex(path, "ore.") + len("ore.")
		if notSaved[path] != "" || strings.Contains(path, "ore.") && notSavedOfCores[path[core:]] != "" {
			return
		}
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."), v.Field(i))
			}
		case reflect.Array, reflect.Slice:
			n := v.Len()
			if n >= 10 && v.Type().Elem().Kind() != reflect.Int32 {
				n = 1
			}
			for i := range n {
				walk(path, v.Index(i))
			}
			if v.Kind() == reflect.Slice {
				visit(path, v)
			}
		case reflect.Interface:
			if path == "sim" { // vanilla; mods/ddrace tests the other one
				walk(path, v.Elem().Elem())
				return
			}
			visit(path, v)
		default:
			visit(path, v)
		}
	}
	walk("", reflect.ValueOf(w).Elem())
}

// change gives a field another value and returns a function that undoes the change, or nil for a
// kind of field that it cannot change.
func change(v reflect.Value) (undo func()) {
	v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	switch {
	case v.CanInt():
		v.SetInt(v.Int() ^ 1)
	case v.CanUint():
		v.SetUint(v.Uint() ^ 1)
	case v.CanFloat():
		v.SetFloat(v.Float() + 1)
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.Kind() == reflect.String:
		v.SetString(v.String() + "x")
	case v.Kind() == reflect.Slice && v.Len() > 0:
		v.SetLen(v.Len() - 1)
	default:
		return nil
	}
	return func() { v.Set(old) }
}

// busyWorld returns a world that has one of everything.
func busyWorld(t *testing.T) *game.World {
	w := testenv.Must(game.New(game.Config{Mode: ctf.Mode{}, Terrain: flagMap(), Rules: bots.Rules(), Mods: []game.Mod{armed(), savedThings(), shownThings{}}}))
	w.Step(join(0, 1, 2, 3))
	w.Step([]game.Command{{Kind: game.CmdEyes, Player: 0, Emote: game.EmoteHappy, Value: 100}})
	w.Step(w.AppendNPCCommands(nil))
	b := bots.Bots{Rand: 3}
	for range 5000 {
		w.Step(b.Commands(4))
		if f := w.Frame(); w.Tick()%25 == 20 && w.Tick() > 200 && len(f.Characters) == 4 && len(f.Projectiles) > 0 && len(f.Lasers) > 0 {
			return w
		}
	}
	t.Fatal("the bots did not use everything")
	return nil
}

// TestEveryFieldIsSaved changes every field of a world, one after the other, and lists the fields
// that AppendState omits.
func TestEveryFieldIsSaved(t *testing.T) {
	w := busyWorld(t)
	forgotten := map[string]bool{}
	find := func() {
		before, hash := w.AppendState(nil), w.Hash()
		eachField(w, func(path string, v reflect.Value) {
			if known, tried := forgotten[path]; tried && !known {
				return
			}
			undo := change(v)
			if undo == nil {
				forgotten[path] = true
				return
			}
			defer undo()
			saved := !bytes.Equal(before, w.AppendState(nil))
			testenv.Check(t, saved || w.Hash() == hash, "%s is hashed, but not saved", path)
			forgotten[path] = !saved
		})
	}
	find()
	// Some fields count only while another one is set: now all are.
	eachField(w, func(_ string, v reflect.Value) {
		if v.IsZero() {
			change(v)
		}
	})
	find()
	for path, is := range forgotten {
		testenv.Check(t, !is, "World.%s is not saved: visit it in save.go, or say in notSaved why not", path)
	}
	testenv.Check(t, len(forgotten) > 150, "only %d fields were found", len(forgotten))
}

// savedMode is a mode for tests of saved states, with a map.
type savedMode struct {
	name    string
	mode    func() game.Mode
	terrain game.Terrain
}

func savedModes() []savedMode {
	return []savedMode{
		{"dm", func() game.Mode { return dm.Mode{} }, bots.Arena()},
		{"tdm", func() game.Mode { return tdm.Mode{} }, bots.Arena()},
		{"ctf", func() game.Mode { return ctf.Mode{} }, flagMap()},
		{"lms", func() game.Mode { return lms.Mode{} }, bots.Arena()},
		{"lts", func() game.Mode { return lts.Mode{} }, bots.Arena()},
		{"race", func() game.Mode { return &race.Mode{} }, bots.ParseMap(
			"####################", "# S > c  d < >  <  #", "#                  #", "####################")},
	}
}

// savedModesOnce returns the modes without drawing their maps again.
var savedModesOnce = sync.OnceValue(savedModes)

func (m *savedMode) config() game.Config {
	return game.Config{Mode: m.mode(), Terrain: m.terrain, Rules: bots.Rules(), Mods: []game.Mod{armed(), &notes{text: []byte("note")}, savedThings()}}
}

// sameFields fails the test if a field differs. Two arrays hold lists; it skips them, since entries
// behind a list's end may differ.
func sameFields(t *testing.T, a, b *game.World) {
	t.Helper()
	list := func(w *game.World) (fields []string) {
		eachField(w, func(path string, v reflect.Value) {
			if path != "tees.Order.IDs" && path != "tees.All.HitObjects" {
				fields = append(fields, fmt.Sprint(path, " ", v))
			}
		})
		return fields
	}
	if diff := cmp.Diff(list(a), list(b)); diff != "" {
		t.Errorf("a field differs (-was +restored):\n%s", diff)
	}
	if diff := cmp.Diff(a.Frame(), b.Frame(), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the frame differs (-was +restored):\n%s", diff)
	}
}

// TestRestoredWorldsGoOn restores worlds of all modes at many moments, and runs them beside the
// original.
func TestRestoredWorldsGoOn(t *testing.T) {
	for _, m := range savedModes() {
		w := testenv.Must(game.New(m.config()))
		b := bots.Bots{Rand: 5}
		w.Step(join(0, 1, 2, 3, 4, 5, 6, 7))
		w.Step(w.AppendNPCCommands(nil))
		var other *game.World
		ticks := testenv.Amount(600, 1200)
		if testenv.Full() {
			ticks = 10000
		}
		for tick := range ticks {
			if tick%149 == 0 {
				state := w.AppendState(nil)
				cfg := game.Config{Mode: m.mode(), Terrain: m.terrain, Mods: []game.Mod{armed(), &notes{}, savedThings()}}
				other = testenv.Must(game.Restore(cfg, state))
				sameFields(t, w, other)
				testenv.Check(t, bytes.Equal(other.AppendState(nil), state), "%s: the state in tick %d is another one when saved again", m.name, tick)
			}
			cmds := b.Commands(8)
			if tick%500 == 99 {
				cmds = append(slices.Clone(cmds), game.Command{Kind: game.CmdLeave, Player: 3}, game.Command{Kind: game.CmdRestart, Value: 1})
				cmds = append(cmds, join(3)...)
			}
			evs, others := w.Step(cmds), other.Step(cmds)
			testenv.Require(t, w.Hash() == other.Hash(), "%s: the restored world went another way in tick %d", m.name, tick)
			if tick%50 == 0 && len(evs) > 0 {
				testenv.Check(t, reflect.DeepEqual(evs, others), "%s: other events in tick %d: %s", m.name, tick, cmp.Diff(evs, others))
			}
		}
	}
}

// TestForeignStates restores states in worlds that they are not of.
func TestForeignStates(t *testing.T) {
	modes := savedModes()
	w := testenv.Must(game.New(modes[0].config()))
	state := w.AppendState(nil)
	otherMap := modes[0].config()
	otherMap.Terrain.Tiles = slices.Clone(otherMap.Terrain.Tiles)
	otherMap.Terrain.Tiles[100] = 1
	otherLayer, otherSettings := modes[0].config(), modes[0].config()
	otherLayer.Terrain.Tele = make([]game.TeleTile, len(otherLayer.Terrain.Tiles))
	otherSettings.Terrain.Settings = []string{"tune gravity 0.3"}
	fewerMods, otherMods := modes[0].config(), modes[0].config()
	fewerMods.Mods = fewerMods.Mods[:1]
	otherMods.Mods = []game.Mod{otherMods.Mods[1], otherMods.Mods[0], otherMods.Mods[2]}
	newer := bytes.Clone(state)
	newer[len("TEESAVE")]++
	for name, c := range map[string]struct {
		cfg   game.Config
		state []byte
	}{
		"another mode": {modes[1].config(), state}, "another map": {otherMap, state},
		"another layer": {otherLayer, state}, "other settings": {otherSettings, state},
		"fewer mods": {fewerMods, state}, "other mods": {otherMods, state},
		"a newer version": {modes[0].config(), newer}, "nothing": {modes[0].config(), nil},
		"more": {modes[0].config(), append(bytes.Clone(state), 0)},
		"less": {modes[0].config(), state[:len(state)-1]},
	} {
		_, err := game.Restore(c.cfg, c.state)
		testenv.Check(t, errors.Is(err, game.ErrSavedState), "%s: %v", name, err)
	}
	_, err := game.Restore(modes[0].config(), state)
	testenv.NoError(t, err)
}

// TestStoredState restores a state of a match of four that an earlier version saved. It must go on
// to the same world. If the test fails, a new field is not an extra, or stateMagic has to change.
func TestStoredState(t *testing.T) {
	state := testenv.Must(os.ReadFile("testdata/saved.state"))
	w := testenv.Must(game.Restore(game.Config{Mode: ctf.Mode{}, Terrain: flagMap()}, state))
	b := bots.Bots{Rand: 6}
	for range 500 {
		w.Step(b.Commands(4))
	}
	testenv.Check(t, w.Tick() == 1501 && w.Hash() == 0x34ab5a5efb7240a1, "hash %#x in tick %d", w.Hash(), w.Tick())
}

// restoreBytes restores any bytes. If they are a state, it runs the world.
func restoreBytes(t *testing.T, mode uint8, state []byte) {
	modes := savedModesOnce()
	m := modes[int(mode)%len(modes)]
	w, err := game.Restore(m.config(), state)
	if err != nil {
		testenv.Check(t, errors.Is(err, game.ErrSavedState), "another error: %v", err)
		return
	}
	b := bots.Bots{Rand: 5}
	for range 20 {
		w.Step(b.Commands(4))
		w.Frame()
	}
	if _, err := game.Restore(m.config(), w.AppendState(nil)); err != nil {
		t.Logf("not restored again: %v", err)
	}
}

func FuzzRestore(f *testing.F) {
	for i, m := range savedModes() {
		w := testenv.Must(game.New(m.config()))
		w.Step(join(0, 1, 2))
		b := bots.Bots{Rand: 5}
		for range 300 {
			w.Step(b.Commands(3))
		}
		f.Add(uint8(i), w.AppendState(nil))
	}
	f.Add(uint8(0), extendedState())
	f.Fuzz(restoreBytes)
}

// extendedState returns a state of the first of the savedModes, with characters that mods have
// changed.
func extendedState() []byte {
	m := savedModes()[0]
	cfg := m.config()
	tuning := physics.DefaultTuning()
	cfg.Mods[0].(*script).tick = func(ctx *game.Ctx) {
		p := ctx.Player(2)
		ctx.Player(0).SetTuning(&tuning)
		ctx.Player(1).SetSkin(game.Skin{PartNames: [game.NumSkinParts]string{"kitty"}}, 1000)
		ctx.Player(1).SetFlags(game.CharacterFlagSolo | game.CharacterFlagEndlessHook)
		p.Freeze(1000)
		p.MaskInput(game.ControlHook)
		p.SetVisibleTo(game.MaskOne(1))
	}
	w := testenv.Must(game.New(cfg))
	w.Step(join(0, 1, 2))
	b := bots.Bots{Rand: 5}
	for range 300 {
		w.Step(b.Commands(3))
	}
	return w.AppendState(nil)
}

// TestDamagedExtendedStates is TestDamagedStates for the end of an extendedState.
func TestDamagedExtendedStates(t *testing.T) {
	state := extendedState()
	r := bots.Rand(1)
	for i := len(state) - 500; i < len(state); i += testenv.Amount(3, 1) {
		bad := bytes.Clone(state)
		bad[i] = byte(r.Next())
		restoreBytes(t, 0, bad)
	}
}

// TestDamagedStates restores states with a wrong byte.
func TestDamagedStates(t *testing.T) {
	m := savedModes()[2]
	w := testenv.Must(game.New(m.config()))
	w.Step(join(0, 1, 2))
	b := bots.Bots{Rand: 5}
	for range 300 {
		w.Step(b.Commands(3))
	}
	state := w.AppendState(nil)
	r := bots.Rand(1)
	for i := 0; i < len(state); i += testenv.Amount(5, 1) {
		bad := bytes.Clone(state)
		bad[i] = byte(r.Next())
		restoreBytes(t, 2, bad)
		restoreBytes(t, 2, state[:i])
	}
}

// fullMatch returns a match of 16 that has been going on for 20 seconds.
func fullMatch() *game.World {
	w := testenv.Must(game.New(game.Config{Mode: dm.Mode{}, Terrain: bots.Arena(), Rules: bots.Rules(), Mods: []game.Mod{armed()}}))
	b := bots.Bots{Rand: 5}
	for id := range game.PlayerID(16) {
		cmds := bots.Join(id)
		p := cmds[1].Profile
		p.Name, p.Clan = "a player of "+fmt.Sprint(id), "their clan"
		p.Skin.PartNames = [game.NumSkinParts]string{"standard", "saddo", "", "standard", "standard", "standard"}
		p.Skin.UseCustomColors = [game.NumSkinParts]bool{true, true, true, true, true}
		p.Skin.PartColors = [game.NumSkinParts]int32{1798004, -1494416, 1798004, 1799582, 1869630}
		cmds[0].AddrHash = uint64(id+1) * 0x9e3779b97f4a7c15
		w.Step(cmds)
	}
	for range 1000 {
		w.Step(b.Commands(16))
	}
	return w
}

// TestSavingIsCheap limits the cost of a save, because a server saves every few seconds.
func TestSavingIsCheap(t *testing.T) {
	w := fullMatch()
	buf := w.AppendState(nil)
	testenv.Check(t, len(buf) < 7<<10, "%d bytes for 16 players", len(buf))
	testenv.RequireExactAllocs(t)
	n := testing.AllocsPerRun(100, func() { buf = w.AppendState(buf[:0]); w.Hash() })
	testenv.Check(t, n == 0, "%v allocations", n)
}

func BenchmarkAppendState(b *testing.B) {
	w := fullMatch()
	var buf []byte
	for b.Loop() {
		buf = w.AppendState(buf[:0])
	}
	b.ReportMetric(float64(len(buf)), "bytes")
}
