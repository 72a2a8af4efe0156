package replay

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/testenv"
)

func modes(name string) (game.Mode, bool) {
	if name != "dm" {
		return nil, false
	}
	return dm.Mode{}, true
}

// header returns the header of a match of bots.
func header(mods ...game.Mod) *Header {
	h := &Header{
		Program: "test", StartTime: 1795231813000, Map: "arena", MapSHA256: [32]byte{1, 2, 3},
		Terrain: bots.Arena(), Rules: bots.Rules(), Tuning: game.Tuning{}, Seed: 7,
	}
	w, _ := game.New(game.Config{Terrain: h.Terrain, Mode: dm.Mode{}, Rules: h.Rules})
	h.Tuning = w.Tuning()
	h.SetMode("dm", dm.Mode{}, mods)
	return h
}

// aimingBots is bots that turn their cursors all the time, as people do, and whose inputs
// arrive some ticks early.
type aimingBots struct {
	bots  bots.Bots
	rand  bots.Rand
	angle [game.MaxPlayers]float64
	turn  [game.MaxPlayers]float64
	late  [][]game.Command
	cmds  []game.Command
}

const ahead = 2 // ticks

func (a *aimingBots) play(n int) []game.Command {
	cmds := a.bots.Commands(n)
	if a.late == nil {
		a.late = make([][]game.Command, ahead)
	}
	late := a.late[0]
	copy(a.late, a.late[1:])
	inputs := late[:0:cap(late)]
	a.cmds = a.cmds[:0]
	late = append([]game.Command(nil), late...)
	for i := range n {
		c := &cmds[i]
		if a.rand.Next()%20 == 0 {
			a.turn[i] = float64(int64(a.rand.Next()%2000)-1000) / 10000
		}
		if a.rand.Next()%50 == 0 {
			a.turn[i] = 0
		}
		a.angle[i] += a.turn[i]
		c.Input.TargetX = int32(300 * math.Cos(a.angle[i]))
		c.Input.TargetY = int32(300 * math.Sin(a.angle[i]))
		a.cmds = append(a.cmds, *c)
		in := *c
		in.Kind = game.CmdInput
		inputs = append(inputs, in)
	}
	a.late[ahead-1] = inputs
	return append(a.cmds, late...)
}

// record plays a match of bots and returns its log.
func record(t testing.TB, players, ticks int) []byte {
	t.Helper()
	h := header()
	h.IdleTicks = 123
	w := testenv.Must(h.NewWorld(VerifyConfig{Modes: modes}))
	var out bytes.Buffer
	wr := testenv.Must(NewWriter(&out, h))
	a := &aimingBots{}
	for i := range ticks {
		var cmds []game.Command
		if i < players {
			cmds = bots.Join(game.PlayerID(i))
		} else {
			cmds = a.play(players)
		}
		if i == ticks/2 {
			r := h.Rules
			r.ScoreLimit = 5
			tuning := h.Tuning
			tuning[3]++
			cmds = append(cmds,
				game.Command{Kind: game.CmdSetRules, Player: game.Nobody, Rules: &r},
				game.Command{Kind: game.CmdTuneParams, Player: game.Nobody, Tuning: &tuning},
				game.Command{Kind: game.CmdSay, Player: 0, Chat: game.ChatAll, Text: "half time"},
				game.Command{Kind: game.CmdLeave, Player: 1, Text: "bye"})
		}
		testenv.NoError(t, wr.RecordTick(cmds))
		w.Step(cmds)
		testenv.NoError(t, wr.AfterStep(w))
	}
	testenv.NoError(t, wr.Close(w, EndMapChange))
	return out.Bytes()
}

func verify(log []byte) (Result, error) {
	r, err := NewReader(bytes.NewReader(log))
	if err != nil {
		return Result{}, err
	}
	return Verify(r, VerifyConfig{Modes: modes})
}

func TestVerify(t *testing.T) {
	const ticks = 5030
	log := record(t, 16, ticks)
	res, err := verify(log)
	testenv.NoError(t, err)
	want := Result{Ticks: 123 + ticks, HashesMatched: 202, LastGoodTick: 123 + ticks, End: EndMapChange}
	testenv.Check(t, res == want && res.End.String() == "map change", "%+v, want %+v", res, want)
	minutes := float64(ticks) / (60 * game.TickRate)
	t.Logf("%d bytes for %.1f minutes of 16 players: %.0f KB per minute", len(log), minutes, float64(len(log))/1024/minutes)

	r := testenv.Must(NewReader(bytes.NewReader(log)))
	wantHeader := header()
	wantHeader.IdleTicks = 123
	if diff := cmp.Diff(wantHeader, r.Header()); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
}

// TestDifferenceIsFound changes one command of a log.
func TestDifferenceIsFound(t *testing.T) {
	log := record(t, 4, 1000)
	r := testenv.Must(NewReader(bytes.NewReader(log)))
	var out bytes.Buffer
	h := *r.Header()
	wr := testenv.Must(NewWriter(&out, &h))
	w, _ := h.NewWorld(VerifyConfig{Modes: modes})
	var tick Tick
	for r.Next(&tick) == nil {
		w.Step(tick.Commands) // the original match, for the hashes
		if tick.Tick == 700 {
			i := slices.IndexFunc(tick.Commands, func(c game.Command) bool { return c.Kind == game.CmdInput })
			tick.Commands[i].Input.Direction = 1 - max(tick.Commands[i].Input.Direction, 0)
		}
		testenv.NoError(t, errors.Join(wr.RecordTick(tick.Commands), wr.AfterStep(w)))
	}
	testenv.NoError(t, wr.Close(w, EndMapChange))
	res, err := verify(out.Bytes())
	if !errors.Is(err, ErrMismatch) || res.LastGoodTick != 698 || res.FirstBadTick != 723 {
		t.Errorf("%+v, %v: want a difference between 698 and 723", res, err)
	}
}

func TestTruncation(t *testing.T) {
	log := record(t, 4, 200)
	whole, err := verify(log)
	testenv.NoError(t, err)
	step := 37
	if testenv.Full() {
		step = 1
	}
	good := int32(0)
	for n := 0; n < len(log); n += step {
		res, err := verify(log[:n])
		switch {
		case err != nil && !errors.Is(err, ErrTruncated):
			t.Fatalf("%d of %d bytes: %v", n, len(log), err)
		case res.LastGoodTick < good || res.LastGoodTick > whole.LastGoodTick:
			t.Fatalf("%d of %d bytes: good to %d, with fewer to %d", n, len(log), res.LastGoodTick, good)
		case res.FirstBadTick != 0:
			t.Fatalf("%d of %d bytes: %+v", n, len(log), res)
		}
		good = res.LastGoodTick
	}
	testenv.Check(t, good >= whole.LastGoodTick-BlockTicks, "the last truncation verifies to %d of %d", good, whole.LastGoodTick)
}

// TestDamage flips bits all over a log. The reader must detect each of them, and the ticks before
// it must be valid.
func TestDamage(t *testing.T) {
	log := record(t, 4, 300)
	step := 101
	if testenv.Full() {
		step = 11
	}
	for i := 0; i < len(log); i += step {
		bad := bytes.Clone(log)
		bad[i] ^= 1 << (i % 8)
		res, err := verify(bad)
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrTruncated) && !errors.Is(err, ErrFormat) {
			t.Fatalf("bit %d of byte %d: %+v, %v", i%8, i, res, err)
		}
		r, err := NewReader(bytes.NewReader(bad))
		if err != nil {
			continue
		}
		var tick Tick
		for r.Next(&tick) == nil {
		}
		testenv.Require(t, r.ValidBytes() <= int64(i), "byte %d is damaged, but %d bytes are said to be good", i, r.ValidBytes())
	}
}

func TestBlocksMissingOrRepeated(t *testing.T) {
	log := record(t, 2, 400)
	var at []int64
	r := testenv.Must(NewReader(bytes.NewReader(log)))
	var tick Tick
	at = append(at, r.ValidBytes())
	for r.Next(&tick) == nil {
		if g := r.ValidBytes(); g != at[len(at)-1] {
			at = append(at, g)
		}
	}
	a, b := at[2], at[3]
	for name, bad := range map[string][]byte{
		"missing":  slices.Concat(log[:a], log[b:]),
		"repeated": slices.Concat(log[:b], log[a:b], log[b:]),
		"appended": slices.Concat(log, log[a:b]),
		"junk":     slices.Concat(log, []byte("x")),
	} {
		if _, err := verify(bad); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCut(t *testing.T) {
	log := record(t, 4, 1000)
	for _, to := range []int32{0, 1, 148, 149, 600, 5000} {
		var out bytes.Buffer
		last, err := Cut(&out, bytes.NewReader(log), to)
		testenv.NoError(t, err)
		want := min(123+(max(to, 123)-123+BlockTicks-1)/BlockTicks*BlockTicks, 1123)
		testenv.Check(t, last == want, "cut to %d: last tick %d, want %d", to, last, want)
		res, err := verify(out.Bytes())
		testenv.Check(t, err == nil && res.Ticks == last, "cut to %d: %+v, %v", to, res, err)
		testenv.Check(t, res.End == map[bool]EndReason{true: EndMapChange, false: EndCut}[to == 5000], "cut to %d: end %v", to, res.End)
	}
	// Damage after the cut does not matter; damage before it is reported.
	var out bytes.Buffer
	if _, err := Cut(&out, bytes.NewReader(log[:len(log)/2]), 300); err != nil {
		t.Errorf("cut before the broken end: %v", err)
	}
	out.Reset()
	last, err := Cut(&out, bytes.NewReader(log[:len(log)/2]), 1100)
	testenv.Check(t, errors.Is(err, ErrTruncated), "cut behind the broken end: %v", err)
	if res, err := verify(out.Bytes()); err != nil || res.Ticks != last {
		t.Errorf("what was saved: %+v, %v", res, err)
	}
}

// nopMod is a mod without hooks. Its value and pointer types count as different.
type nopMod struct{}

func newNopMod() game.Mod { return nopMod{} }

func (nopMod) Start(*game.Setup) {}

func TestRulesMustBeThere(t *testing.T) {
	h := header(nopMod{})
	for name, c := range map[string]struct {
		cfg VerifyConfig
		ok  bool
	}{
		"the same":     {VerifyConfig{Modes: modes, Mods: []func() game.Mod{newNopMod}}, true},
		"another mod":  {VerifyConfig{Modes: modes, Mods: []func() game.Mod{func() game.Mod { return &nopMod{} }}}, false},
		"no mods":      {VerifyConfig{Modes: modes}, false},
		"no modes":     {VerifyConfig{Mods: []func() game.Mod{newNopMod}}, false},
		"another mode": {VerifyConfig{Modes: func(string) (game.Mode, bool) { return otherMode{}, true }, Mods: []func() game.Mod{newNopMod}}, false},
	} {
		if _, err := h.NewWorld(c.cfg); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrModeUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type otherMode struct{ dm.Mode }

// panicMode is a mode that panics.
type panicMode struct {
	dm.Mode
	at int32
}

func (b *panicMode) OnTick(ctx *game.Ctx) {
	if ctx.Tick() == b.at {
		panic("bomb")
	}
}

// TestCrash records a match in which the world panics, and checks that the log
// contains that tick.
func TestCrash(t *testing.T) {
	h := header()
	h.ModeType = TypeName(&panicMode{})
	modes := func(string) (game.Mode, bool) { return &panicMode{at: 77}, true }
	var out bytes.Buffer
	var rec Recorder
	var pack Encoder
	log := testenv.Must(pack.AppendHeader(nil, h))
	out.Write(log)
	rec.Begin(0)
	w := testenv.Must(h.NewWorld(VerifyConfig{Modes: modes}))
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the world did not panic")
			}
			out.Write(pack.AppendTicks(nil, rec.TakeBlockUnhashed(nil)))
			out.Write(pack.AppendEnd(nil, EndCrash, nil))
		}()
		for {
			testenv.NoError(t, rec.RecordTick(nil))
			w.Step(nil)
			if rec.BlockReady() {
				out.Write(pack.AppendTicks(nil, rec.TakeBlock(w.Hash(), nil)))
			}
		}
	}()
	r := testenv.Must(NewReader(&out))
	res, err := Verify(r, VerifyConfig{Modes: modes})
	testenv.Check(t, errors.Is(err, ErrPanic) && res.Ticks == 76 && res.LastGoodTick == 75, "%+v, %v", res, err)
}

// TestNoLog reads input that is not a log.
func TestNoLog(t *testing.T) {
	log := record(t, 1, 10)
	newer := bytes.Clone(log)
	newer[len(magic)-1] = magic[len(magic)-1] + 1
	for name, c := range map[string]struct {
		b    []byte
		want error
	}{
		"empty":     {nil, ErrTruncated},
		"other":     {[]byte("TWDEMO and so on"), ErrFormat},
		"newer":     {newer, ErrFormat},
		"only that": {[]byte(magic), ErrTruncated},
	} {
		if _, err := NewReader(bytes.NewReader(c.b)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	broken := errors.New("disk on fire")
	if _, err := NewReader(io.MultiReader(bytes.NewReader(log[:40]), failing{broken})); !errors.Is(err, broken) {
		t.Errorf("a reader's own error became %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
