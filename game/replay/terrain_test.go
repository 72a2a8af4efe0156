package replay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/terrain"
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

func (m *settingsMod) Start(setup *game.Setup) { m.terrain = setup.Map().Terrain() }
func (*settingsMod) Source() []byte            { return []byte("a script") }

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

// TestEmptyLayersTakeFewBytes checks that empty tiles of layers cost almost no bytes in a log.
func TestEmptyLayersTakeFewBytes(t *testing.T) {
	const n = 1000 * 1000
	terrain := game.Terrain{Width: 1000, Height: 1000, Tiles: make([]uint8, n), Front: make([]uint8, n), Switch: make([]game.SwitchTile, n)}
	terrain.Switch[n/2].Number = 1
	size := len(appendTerrain(nil, &terrain))
	testenv.Check(t, size < n+30, "%d bytes more than tiles", size-n)
}

// TestLargeTerrain records a map near the limits of a terrain. Reading it must take memory for the
// actual size, not for the limits of a log.
func TestLargeTerrain(t *testing.T) {
	testenv.RequireExactAllocs(t)
	const width, n = 2600, 2600 * 2600
	h := header()
	h.Terrain = game.Terrain{
		Width: width, Height: n / width, Tiles: make([]uint8, n),
		Tele:   slices.Repeat([]game.TeleTile{{Number: 1, Type: 26}}, n),
		Switch: slices.Repeat([]game.SwitchTile{{Number: 1, Type: 22, Delay: 7}}, n),
	}
	log, err := new(Encoder).AppendHeader(nil, h)
	testenv.NoError(t, err)
	var r *Reader
	allocated := testenv.Allocated(func() { r, err = NewReader(bytes.NewReader(log)) })
	testenv.NoError(t, err)
	testenv.Check(t, allocated < 256<<20, "%d bytes allocated", allocated)
	got, want := &r.Header().Terrain, &h.Terrain
	testenv.Check(t, got.Width == width && slices.Equal(got.Tiles, want.Tiles) && slices.Equal(got.Tele, want.Tele) && slices.Equal(got.Switch, want.Switch),
		"read another terrain")
}

// TestLongestHeader checks that the longest header that can be recorded is within the limit of the
// reader, for a small terrain with layers that take most bytes.
func TestLongestHeader(t *testing.T) {
	const n = 1 << 16
	h := header()
	h.Terrain = game.Terrain{
		Width: n, Height: 1, Tiles: make([]uint8, n),
		Flags: make([]game.TileFlags, n), Front: make([]uint8, n), FrontFlags: make([]game.TileFlags, n),
		Tele: make([]game.TeleTile, n), Speedup: make([]game.SpeedupTile, n), Switch: make([]game.SwitchTile, n), Tune: make([]game.TuneTile, n),
		Settings: make([]string, terrain.MaxSettings),
	}
	for i := 1; i < n; i += 2 {
		h.Terrain.Flags[i], h.Terrain.Front[i], h.Terrain.FrontFlags[i] = 1, 1, 1
		h.Terrain.Tele[i].Type, h.Terrain.Speedup[i].Type, h.Terrain.Switch[i].Type, h.Terrain.Tune[i].Type = 1, 1, 1, 1
	}
	for i := range h.Terrain.Settings {
		h.Terrain.Settings[i] = strings.Repeat("x", terrain.MaxSettingsBytes/terrain.MaxSettings)
	}
	text := strings.Repeat("x", maxText)
	h.Program, h.Map, h.GameType, h.ModeName, h.ModeType = text, text, text, text, text
	h.ModeSource = make([]byte, maxSources-maxMods)
	for range maxMods {
		h.Mods = append(h.Mods, ModInfo{Name: text, Type: text, Source: []byte{1}})
	}
	for range game.MaxVariables {
		h.Variables = append(h.Variables, Variable{Name: text, Value: text})
	}
	// All numbers have their maximum length.
	h.StartTime, h.IdleTicks = math.MinInt64, MaxIdleTicks
	for _, s := range game.RuleSettings() {
		s.Set(&h.Rules, math.MinInt32)
	}
	for i := range h.Tuning {
		h.Tuning[i] = math.MinInt32
	}
	testenv.NoError(t, h.validate())
	const layers = n * (3*1 + 2 + 6 + 4 + 2) // in memory
	limit := maxHeader - (terrain.MaxTiles - n) - (terrain.MaxLayerBytes-layers)*3/2
	got := len(h.append(nil))
	testenv.Check(t, got <= limit, "%d bytes, %d more than the limit", got, got-limit)
	_, err := NewReader(bytes.NewReader(testenv.Must(new(Encoder).AppendHeader(nil, h))))
	testenv.NoError(t, err)
}

// TestClaimedLength checks that the head of a block costs no memory.
func TestClaimedLength(t *testing.T) {
	log := append([]byte(magic), blockHeader)
	log = binary.LittleEndian.AppendUint32(log, maxHeader-1)
	log = binary.LittleEndian.AppendUint32(log, maxHeader)
	log = append(log, make([]byte, 1000)...)
	var err error
	n := testenv.Allocated(func() { _, err = NewReader(bytes.NewReader(log)) })
	testenv.Check(t, errors.Is(err, ErrTruncated) && n < 1<<20, "%v, %d bytes allocated", err, n)
}

// FuzzHeader reads any input as the header of a log. A header that can be read must be written
// again equally, and take memory in proportion.
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
