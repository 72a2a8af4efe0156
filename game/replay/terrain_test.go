package replay

import (
	"bytes"
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

// layered returns a terrain with all layers.
func layered() game.Terrain {
	return game.Terrain{
		Width: 3, Height: 2,
		Tiles:      []uint8{1, 2, 3, 4, 5, 6},
		Flags:      []game.TileFlags{0, game.TileFlipX, 0, 0, game.TileFlipY | game.TileRotate, 0},
		Front:      []uint8{9, 8, 7, 0, 0, 6},
		FrontFlags: []game.TileFlags{0, 0, 0, 0, 0, 0},
		Tele:       []game.TeleTile{5: {Number: 1, Type: 26}},
		Speedup:    []game.SpeedupTile{{Force: 255, MaxSpeed: 2, Type: 28, Angle: -300}, 5: {Angle: 359}},
		Switch:     []game.SwitchTile{2: {Number: 1, Type: 22, Flags: game.TileRotate, Delay: 7}, 5: {}},
		Tune:       []game.TuneTile{{Number: 3, Type: 68}, {}, {}, {}, {}, {Number: 255, Type: 68}},
		Settings:   []string{"tune gravity 0.3", "", "sv_x 1"},
	}
}

// TestFormat1 reads and runs a log of the first version of the format.
func TestFormat1(t *testing.T) {
	log := testenv.Must(os.ReadFile("testdata/format1.twreplay"))
	res, err := verify(log)
	testenv.Check(t, err == nil && res.Ticks == 423 && res.HashesMatched == 12 && res.End == EndMapChange, "%+v, %v", res, err)
	var out bytes.Buffer
	last, err := Cut(&out, bytes.NewReader(log), 200)
	testenv.Check(t, err == nil && out.Bytes()[len(magic)-1] == 2, "cut: %v, format %d", err, out.Bytes()[len(magic)-1])
	res, err = verify(out.Bytes())
	testenv.Check(t, err == nil && res.Ticks == last, "its beginning in the newest format: %+v, %v", res, err)
}

// settingsMod counts the settings and layers that the world knows.
type settingsMod struct{ terrain game.Terrain }

func (m *settingsMod) Start(tx *game.Tx) { m.terrain = tx.Terrain() }
func (*settingsMod) Source() []byte      { return []byte("a script") }

// TestModsGetTheTerrainOfTheLog makes the mods of a log by their names.
func TestModsGetTheTerrainOfTheLog(t *testing.T) {
	h := header(nopMod{}, &settingsMod{})
	h.Terrain, h.Mods[1].Name = layered(), "settings"
	r := testenv.Must(NewReader(bytes.NewReader(testenv.Must(new(Encoder).AppendHeader(nil, h)))))
	var made ModInfo
	m := &settingsMod{}
	cfg := VerifyConfig{
		Modes: modes, Mods: []func() game.Mod{newNopMod},
		NewMod: func(info ModInfo) (game.Mod, error) {
			made = info
			return m, nil
		},
	}
	_, err := r.Header().NewWorld(cfg)
	testenv.NoError(t, err)
	testenv.Check(t, made.Name == "settings" && string(made.Source) == "a script", "made %+v", made)
	if diff := cmp.Diff(layered(), m.terrain); diff != "" {
		t.Errorf("the mod's terrain (-want +got):\n%s", diff)
	}
	broken := errors.New("line 7")
	cfg.NewMod = func(ModInfo) (game.Mod, error) { return nil, broken }
	_, err = r.Header().NewWorld(cfg)
	testenv.Check(t, errors.Is(err, ErrModeUnavailable) && errors.Is(err, broken), "%v", err)
}

// TestEmptyLayersTakeFewBytes checks that layers grow a log by what is in them.
func TestEmptyLayersTakeFewBytes(t *testing.T) {
	const n = 1000 * 1000
	terrain := game.Terrain{Width: 1000, Height: 1000, Tiles: make([]uint8, n), Front: make([]uint8, n), Switch: make([]game.SwitchTile, n)}
	terrain.Switch[n/2].Number = 1
	size := len(appendTerrain(nil, &terrain))
	testenv.Check(t, size < n+30, "%d bytes more than tiles", size-n)
}

// FuzzHeader reads any input as the header of a log: what can be read is written again equally,
// and takes memory in proportion.
func FuzzHeader(f *testing.F) {
	h := header(nopMod{}, &settingsMod{})
	f.Add(h.append(nil), byte(1))
	h.Terrain = layered()
	f.Add(h.append(nil), byte(1))
	f.Add(h.append(nil), byte(0))
	h.ModeSource = []byte("mode{}")
	f.Add(h.append(nil), byte(2))
	f.Fuzz(func(t *testing.T, b []byte, version byte) {
		var h Header
		var err error
		n := testenv.Allocated(func() { err = h.parse(b, 1+version%3) })
		testenv.Require(t, n <= uint64(1<<20+64*len(b)), "%d bytes allocated for an input of %d", n, len(b))
		if err != nil {
			testenv.Require(t, errors.Is(err, ErrCorrupt), "%v", err)
			return
		}
		var again Header
		testenv.NoError(t, again.parse(h.append(nil), h.version()))
		if diff := cmp.Diff(h, again); diff != "" {
			t.Fatalf("written again (-want +got):\n%s", diff)
		}
	})
}
