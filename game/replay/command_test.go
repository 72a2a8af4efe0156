package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/game"

	"github.com/teeyard/teeyard/internal/testenv"
)

// fill sets all fields of v to different values, to detect a field that is missing in
// the format.
func fill(v reflect.Value, r *rand.Rand) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), r)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), r)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), r)
	case reflect.String:
		v.SetString(fmt.Sprint("text ", r.Uint32()))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int16: // a PlayerID
		for v.IsZero() {
			v.SetInt(int64(int8(r.Uint32())))
		}
	case reflect.Int8, reflect.Int32, reflect.Int, reflect.Int64:
		for v.IsZero() {
			v.SetInt(int64(r.Uint64()) >> (64 - v.Type().Bits()))
		}
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		for v.IsZero() {
			v.SetUint(r.Uint64() >> (64 - v.Type().Bits()))
		}
	default:
		panic("a field of kind " + v.Kind().String() + ": teach it to the format and to this test")
	}
}

func roundTrip(t testing.TB, ticks [][]game.Command) [][]game.Command {
	var e tickEncoder
	var d tickDecoder
	var b []byte
	for _, cmds := range ticks {
		b = e.appendTick(b, cmds)
	}
	s := fieldReader{b: b}
	var got [][]game.Command
	for range ticks {
		cmds, err := d.decodeTick(&s)
		testenv.NoError(t, err)
		got = append(got, append([]game.Command(nil), cmds...))
	}
	testenv.Require(t, len(s.b) == 0, "%d bytes left", len(s.b))
	return got
}

func TestAllFieldsTravel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for kind := game.CmdJoin; kind <= game.CmdStopHook; kind++ {
		if kind == game.CmdInput || kind == game.CmdDirectInput {
			continue
		}
		var c game.Command
		fill(reflect.ValueOf(&c).Elem(), r)
		c.Kind = kind
		want := [][]game.Command{{c}, {{Kind: kind}}}
		if diff := cmp.Diff(want, roundTrip(t, want)); diff != "" {
			t.Errorf("kind %d (-want +got):\n%s", kind, diff)
		}
	}
	var in game.Input
	fill(reflect.ValueOf(&in).Elem(), r)
	want := [][]game.Command{
		{{Kind: game.CmdDirectInput, Player: 3, Target: game.Nobody, Input: in}, {Kind: game.CmdInput, Player: 4, Target: game.Nobody, Input: in}},
		{{Kind: game.CmdDirectInput, Player: 3, Target: game.Nobody}, {Kind: game.CmdInput, Player: 3, Target: game.Nobody, Input: in}},
		{{Kind: game.CmdDirectInput, Player: -5, Input: in}, {Kind: game.CmdInput, Player: -128, Input: in}},
		{{Kind: game.CmdDirectInput, Player: 64, Target: game.Nobody, Input: in}, {Kind: game.CmdInput, Player: 127, Target: game.Nobody, Input: in}},
	}
	if diff := cmp.Diff(want, roundTrip(t, want)); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
}

func TestHeaderFieldsTravel(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var h Header
	var p Encoder
	rv := reflect.ValueOf(&h).Elem()
	for i := range rv.NumField() {
		switch rv.Type().Field(i).Name {
		case "Terrain":
			h.Terrain = layered()
		case "Mods":
			h.Mods = []ModInfo{{Type: "a"}, {Name: "b", Type: "c", Source: []byte("print()")}}
		case "Variables":
			h.Variables = []Variable{{Name: "a", Value: "1"}, {Name: "b"}}
		case "ModeSource":
			h.ModeSource = []byte("mode{}")
		case "Costs":
			h.Costs = 3
		case "IdleTicks":
			h.IdleTicks = 99
		case "State":
			h.State = []byte("a state")
		case "StateTick":
			h.StateTick = 1234
		default:
			fill(rv.Field(i), r)
		}
	}
	b, err := p.AppendHeader(nil, &h)
	testenv.NoError(t, err)
	rd, err := NewReader(bytes.NewReader(b))
	testenv.NoError(t, err)
	if diff := cmp.Diff(&h, rd.Header()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, edit := range map[string]func(*Header){
		"terrain": func(h *Header) { h.Terrain.Width = 4 },
		"idle":    func(h *Header) { h.IdleTicks = MaxIdleTicks + 1 },
		"text":    func(h *Header) { h.Map = string(make([]byte, maxText+1)) },
		"mods":    func(h *Header) { h.Mods = make([]ModInfo, maxMods+1) },
		"sources": func(h *Header) { h.Mods = []ModInfo{{Source: make([]byte, maxSources+1)}} },
		"source":  func(h *Header) { h.ModeSource = make([]byte, maxSources+1) },
		"state":   func(h *Header) { h.State = make([]byte, maxState+1) },
		"tick":    func(h *Header) { h.StateTick = -1 },
		"layer":   func(h *Header) { h.Terrain.Tune = h.Terrain.Tune[1:] },
	} {
		bad := h
		edit(&bad)
		if _, err := p.AppendHeader(nil, &bad); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestInputsTravel mixes direct and predicted inputs as on a network: late, lost,
// reordered, repeated.
func TestInputsTravel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.Int32Range(-3, 3)
		wild := rapid.Int32()
		number := rapid.Custom(func(t *rapid.T) int32 {
			if rapid.IntRange(0, 9).Draw(t, "wild") == 0 {
				return wild.Draw(t, "number")
			}
			return small.Draw(t, "number")
		})
		input := rapid.Custom(func(t *rapid.T) game.Input {
			return game.Input{
				Direction: small.Draw(t, "dir"), TargetX: number.Draw(t, "x"), TargetY: number.Draw(t, "y"),
				Jump: rapid.Bool().Draw(t, "jump"), Hook: rapid.Bool().Draw(t, "hook"), Fire: number.Draw(t, "fire"),
				Flags: game.PlayerFlags(rapid.Byte().Draw(t, "flags")), WantedWeapon: small.Draw(t, "wanted"),
				NextWeapon: number.Draw(t, "next"), PrevWeapon: number.Draw(t, "prev"),
			}
		})
		command := rapid.Custom(func(t *rapid.T) game.Command {
			c := game.Command{
				Kind:   rapid.SampledFrom([]game.CommandKind{game.CmdInput, game.CmdDirectInput}).Draw(t, "kind"),
				Player: game.PlayerID(rapid.SampledFrom([]int8{0, 1, 2, 63, 64, 127}).Draw(t, "player")),
				Target: game.Nobody, Input: input.Draw(t, "input"),
			}
			return c
		})
		ticks := rapid.SliceOfN(rapid.SliceOfN(command, 0, 12), 1, 12).Draw(t, "ticks")
		// Make some predicted inputs equal to earlier direct ones.
		var arrived []game.Input
		for _, cmds := range ticks {
			for i := range cmds {
				switch c := &cmds[i]; {
				case c.Kind == game.CmdDirectInput:
					arrived = append(arrived, c.Input)
				case len(arrived) > 0 && rapid.Bool().Draw(t, "known"):
					c.Input = arrived[rapid.IntRange(0, len(arrived)-1).Draw(t, "which")]
				}
			}
		}
		var e tickEncoder
		var d tickDecoder
		for i, cmds := range ticks {
			s := fieldReader{b: e.appendTick(nil, cmds)}
			got, err := d.decodeTick(&s)
			testenv.Require(t, err == nil && len(s.b) == 0, "tick %d: %v, %d bytes left", i, err, len(s.b))
			if diff := cmp.Diff(cmds, append([]game.Command{}, got...)); diff != "" {
				t.Fatalf("tick %d (-want +got):\n%s", i, diff)
			}
		}
	})
}

// TestWildTick checks the limits of a tick when writing and reading.
func TestWildTick(t *testing.T) {
	var r Recorder
	r.Begin(0)
	if err := r.RecordTick(make([]game.Command, maxCommands+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too many commands: %v", err)
	}
	r.Begin(0)
	long := []game.Command{{Kind: game.CmdSay, Text: string(make([]byte, maxBlock))}}
	if err := r.RecordTick(long); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too many bytes: %v", err)
	}
	if err := r.RecordTick(nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("the log went on with a hole: %v", err)
	}
	var d tickDecoder
	s := fieldReader{b: bytes.Repeat([]byte{1, 0}, maxCommands+1)}
	if _, err := d.decodeTick(&s); !errors.Is(err, ErrCorrupt) {
		t.Errorf("read too many commands: %v", err)
	}
}

// FuzzReader reads any input as a file, or as the content of a block with a valid
// checksum.
func FuzzReader(f *testing.F) {
	log := record(f, 2, 120)
	f.Add(log, false)
	f.Add(log[:len(log)/2], false)
	r := testenv.Must(NewReader(bytes.NewReader(log)))
	for {
		kind, payload, err := r.blocks.next()
		if err != nil {
			break
		}
		if kind == blockTicks {
			f.Add(bytes.Clone(payload[:len(payload)-trailerSize]), true)
		}
	}
	f.Add(new(Encoder).AppendEnd(testenv.Must(new(Encoder).AppendHeader(nil, header())), EndShutdown, &MatchResult{
		TeamScores: [2]int32{300, -1}, Players: []PlayerResult{{"anna", "clan", game.TeamBlue, 12, false}, {"bert", "", game.TeamSpectators, -3, false}},
	}), false)
	f.Fuzz(func(t *testing.T, b []byte, inside bool) {
		if inside {
			if len(b) > maxBlock-trailerSize {
				return
			}
			h := header()
			var p Encoder
			rec := Recorder{buf: b[:len(b):len(b)], ticks: BlockTicks, next: BlockTicks}
			log := testenv.Must(p.AppendHeader(nil, h))
			b = p.AppendTicks(log, rec.TakeBlock(0, nil))
		}
		r, err := NewReader(bytes.NewReader(b))
		if err != nil {
			return
		}
		var tick Tick
		last := r.Header().IdleTicks
		for {
			err := r.Next(&tick)
			if err == io.EOF || errors.Is(err, ErrCorrupt) || errors.Is(err, ErrTruncated) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if last++; tick.Tick != last {
				t.Fatalf("tick %d after %d", tick.Tick, last-1)
			}
		}
		testenv.Require(t, r.ValidBytes() <= int64(len(b)), "%d of %d bytes good", r.ValidBytes(), len(b))
	})
}

// TestSizeOfInputs checks that an input costs bytes only for the fields that changed.
func TestSizeOfInputs(t *testing.T) {
	old := game.Input{TargetX: 5, TargetY: 6, Fire: 3}
	for name, c := range map[string]struct {
		change func(in *game.Input)
		bytes  int
	}{
		"nothing":    {func(*game.Input) {}, 1},
		"next shot":  {func(in *game.Input) { in.Fire++ }, 1},
		"other shot": {func(in *game.Input) { in.Fire += 2 }, 3},
		"direction":  {func(in *game.Input) { in.Direction = 1 }, 2},
		"jump":       {func(in *game.Input) { in.Jump = true }, 1},
		"hook":       {func(in *game.Input) { in.Hook = true }, 1},
		"aim":        {func(in *game.Input) { in.TargetX++; in.TargetY-- }, 3},
		"flags":      {func(in *game.Input) { in.Flags = 1 }, 3},
		"wanted":     {func(in *game.Input) { in.WantedWeapon = 1 }, 3},
		"next":       {func(in *game.Input) { in.NextWeapon = 1 }, 3},
		"previous":   {func(in *game.Input) { in.PrevWeapon = 1 }, 3},
	} {
		in := old
		c.change(&in)
		if b := appendInputDiff(nil, &old, &in); len(b) != c.bytes {
			t.Errorf("%s: %d bytes, want %d", name, len(b), c.bytes)
		}
	}
}
