package teeverify_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/internal/teeverify"
	"github.com/teeyard/teeyard/internal/testenv"
)

// room returns a room with a few walls.
func room() terrain.Terrain {
	t := terrain.Terrain{Width: 40, Height: 20, Tiles: make([]uint8, 800), Settings: []string{"tune gravity 0.4"}}
	r := rand.New(rand.NewPCG(1, 1))
	for i := range t.Tiles {
		x, y := i%40, i/40
		if x == 0 || y == 0 || x == 39 || y == 19 || r.IntN(12) == 0 {
			t.Tiles[i] = 1
		} else if r.IntN(40) == 0 {
			t.Tiles[i] = 192
		}
	}
	return t
}

// recording records three players in our own simulation. In the ticks of repeats a player sends its
// last input again before the next one, and the recording lacks the first of the two.
func recording(t testing.TB, ticks int32, repeats ...teeverify.Repeat) []byte {
	t.Helper()
	tr := room()
	m := testenv.Must(ddrace.NewMap(&tr, ddrace.DefaultSettings()))
	world := ddrace.New(ddrace.Config{Map: m, Seed: [2]uint64{3, 4}})
	var out bytes.Buffer
	w := testenv.Must(teehistorian.NewWriter(&out, teehistorian.Header{MapName: "room", PRNG: "pcg-xsh-rr:0000000000000003:0000000000000004"}))
	write := func(rec teehistorian.Record) {
		t.Helper()
		rec.Tick = world.Tick()
		testenv.NoError(t, w.Write(&rec))
	}
	const players = 3
	for id := range int32(players) {
		write(teehistorian.Record{Kind: teehistorian.Join, Client: id})
		write(teehistorian.Record{Kind: teehistorian.Extra, ID: teehistorian.ExtraReady, Data: []byte{byte(id)}})
		world.Enter(int(id), false)
	}
	r := rand.New(rand.NewPCG(5, 6))
	var last [players]ddrace.Input
	var there [players]bool
	for world.Tick() < ticks {
		var inputs []ddrace.PlayerInput
		for id := range players {
			in := last[id]
			in.TargetX++
			if r.IntN(6) == 0 {
				in.Direction, in.Jump, in.Hook, in.TargetY = int32(r.IntN(3)-1), r.IntN(2) == 0, r.IntN(3) == 0, int32(r.IntN(400)-200)
				in.Fire = (in.Fire + 1) & 63
			}
			if slices.Contains(repeats, teeverify.Repeat{Tick: world.Tick() + 1, Client: id}) {
				inputs = append(inputs, ddrace.PlayerInput{Player: id, Input: last[id]})
				in.Direction = 1 - last[id].Direction*last[id].Direction // a direction that differs from the last one
			}
			inputs = append(inputs, ddrace.PlayerInput{Player: id, Input: in})
			last[id] = in
			kind := teehistorian.InputDiff
			if world.Tick() == 0 {
				kind = teehistorian.InputNew
			}
			write(teehistorian.Record{Kind: kind, Client: int32(id), Input: toRecorded(&in)})
		}
		if world.Tick() == 150 {
			write(teehistorian.Record{Kind: teehistorian.Message, Client: 1, Data: []byte{44}}) // msg6.IDClKill
			world.Kill(1, ddrace.WeaponSelf, false)
		}
		world.Step(inputs)
		for id := range players {
			tee := world.Tee(id)
			rec := teehistorian.Record{Kind: teehistorian.Moved, Client: int32(id)}
			switch {
			case tee == nil && !there[id]:
				continue
			case tee == nil:
				rec.Kind = teehistorian.Old
			case !there[id]:
				rec.Kind = teehistorian.New
			}
			if there[id] = tee != nil; tee != nil {
				rec.Pos = teehistorian.Point{X: int32(tee.Core.Pos.X), Y: int32(tee.Core.Pos.Y)}
			}
			write(rec)
		}
	}
	write(teehistorian.Record{Kind: teehistorian.Finish})
	testenv.NoError(t, w.Flush())
	return out.Bytes()
}

func toRecorded(in *ddrace.Input) teehistorian.Input {
	bit := func(b bool) int32 {
		if b {
			return 1
		}
		return 0
	}
	return teehistorian.Input{in.Direction, in.TargetX, in.TargetY, bit(in.Jump), in.Fire, bit(in.Hook), in.Flags, in.WantedWeapon, in.NextWeapon,
		in.PrevWeapon}
}

func verify(t *testing.T, file []byte, noSearch bool) *teeverify.Result {
	t.Helper()
	return testenv.Must(teeverify.Verify(teeverify.Config{File: bytes.NewReader(file), Terrain: room(), NoSearch: noSearch}))
}

func TestEqual(t *testing.T) {
	const ticks = 400
	res := verify(t, recording(t, ticks), false)
	if res.Difference != nil || res.Ticks != ticks || res.TeeTicks < 2*ticks || res.End != nil || len(res.Repeated) > 0 || res.Header.MapName != "room" {
		t.Errorf("%+v", res)
	}
}

// TestRepeatedInputs checks that Verify finds inputs that the recording lacks.
func TestRepeatedInputs(t *testing.T) {
	missing := []teeverify.Repeat{{Tick: 91, Client: 2}, {Tick: 230, Client: 0}, {Tick: 231, Client: 2}, {Tick: 700, Client: 0}, {Tick: 700, Client: 2},
		{Tick: 1000, Client: 1}}
	file := recording(t, 1200, missing...)
	if res := verify(t, file, true); res.Difference == nil || res.Difference.Tick < 91 || res.Difference.Tick > 95 {
		t.Fatalf("the input makes no difference: %v", res.Difference)
	}
	res := verify(t, file, false)
	if res.Difference != nil || !slices.Equal(res.Repeated, missing) {
		t.Errorf("%v; found %v, not %v", res.Difference, res.Repeated, missing)
	}
}

// TestDifference checks that Verify reports different positions, and does not explain them with
// inputs.
func TestDifference(t *testing.T) {
	file := recording(t, 200)
	r := testenv.Must(teehistorian.NewReader(bytes.NewReader(file)))
	var out bytes.Buffer
	w := testenv.Must(teehistorian.NewWriter(&out, *r.Header()))
	for rec := (teehistorian.Record{}); r.Next(&rec) == nil; {
		if rec.Tick >= 120 && rec.Client == 1 && (rec.Kind == teehistorian.Moved || rec.Kind == teehistorian.New) {
			rec.Pos.X++
		}
		testenv.NoError(t, w.Write(&rec))
	}
	testenv.NoError(t, w.Flush())
	res := verify(t, out.Bytes(), false)
	d := res.Difference
	if d == nil || d.Tick != 120 || d.Client != 1 || d.Recorded.X != d.Computed.X+1 || !strings.HasPrefix(d.String(), "tick 120: the tee of client 1 is at ") {
		t.Errorf("%v", d)
	}
	// The complete part of a file that is cut off counts.
	cut := verify(t, file[:len(file)-200], false)
	if cut.Difference != nil || cut.TeeTicks < 300 {
		t.Errorf("%+v", cut)
	}
}

// TestCutOff cuts a recording at every byte of a few ticks. The rest must have no difference, and
// Verify must report a cut in the header.
func TestCutOff(t *testing.T) {
	file := recording(t, 30)
	begin := bytes.IndexByte(file, 0) + 1
	for n := 0; n < len(file); n += testenv.Amount(3, 1) {
		cfg := teeverify.Config{File: bytes.NewReader(file[:n]), Terrain: room(), NoSearch: true}
		res, err := teeverify.Verify(cfg)
		switch {
		case n == 0:
		case n < begin:
			if !errors.Is(err, teehistorian.ErrCutOff) || !strings.Contains(err.Error(), "header") {
				t.Fatalf("%d bytes of the header: %v", n, err)
			}
		case err != nil || res.Difference != nil:
			t.Fatalf("%d of %d bytes: %v, %v", n, len(file), err, res.Difference)
		}
	}
	whole := verify(t, file, true)
	// After a crash within the last tick, all earlier ticks count.
	cut := verify(t, file[:len(file)-1], true)
	testenv.Check(t, cut.Ticks >= whole.Ticks-2 && cut.TeeTicks >= whole.TeeTicks-6, "of %d ticks %d count, of %d places %d", whole.Ticks, cut.Ticks,
		whole.TeeTicks, cut.TeeTicks)
}

// TestNamedCommands checks that Verify names unknown commands.
func TestNamedCommands(t *testing.T) {
	var out bytes.Buffer
	w := testenv.Must(teehistorian.NewWriter(&out, teehistorian.Header{MapName: "room", PRNG: "pcg-xsh-rr:0000000000000003:0000000000000004"}))
	for _, rec := range []teehistorian.Record{
		{Kind: teehistorian.Command, Name: "swap", Flags: 128}, // a request; the record ExtraSwap is the swap itself
		{Kind: teehistorian.Extra, ID: teehistorian.ExtraSwap, Data: []byte{0, 1}},
		{Kind: teehistorian.Command, Client: -1, Name: "warp", Flags: 4}, // sent by the external console
		{Kind: teehistorian.Command, Client: -1, Name: "exec"},           // run by the server itself
		{Kind: teehistorian.Extra, ID: teehistorian.ExtraLoaded, Data: append([]byte{1}, make([]byte, 17)...)},
	} {
		testenv.NoError(t, w.Write(&rec))
	}
	testenv.NoError(t, w.Flush())
	got := verify(t, out.Bytes(), false).Unknown
	testenv.Check(t, slices.Equal(got, []string{"warp", "load"}), "named are %q", got)

	out.Reset()
	w = testenv.Must(teehistorian.NewWriter(&out, teehistorian.Header{Config: map[string]string{
		"sv_team0mode": "1", "sv_of_a_fork": "2", "sv_no_weak_hook": "1", "sv_rescue": "1", "sv_port": "8303", "bindaddr": "127.0.0.1"}}))
	testenv.NoError(t, w.Write(&teehistorian.Record{Kind: teehistorian.Finish}))
	testenv.NoError(t, w.Flush())
	got = verify(t, out.Bytes(), false).Unknown
	testenv.Check(t, slices.Equal(got, []string{"sv_of_a_fork"}), "named are %q", got)
}
