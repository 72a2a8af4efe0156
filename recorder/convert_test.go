package recorder

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/testenv"
)

// told is the content of a demo: its views, and its public events.
type told struct {
	shown  []shown
	events []game.Event
}

func readDemo(t *testing.T, file []byte) (all told) {
	t.Helper()
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	h := &bridgetest.ServerMessages{}
	h.OnCall = func(call bridgetest.Call) {
		if call.Method != "Event" {
			return
		}
		if ev, ok := call.Args[0].(game.Event); ok {
			switch ev.Kind {
			case game.EvChat, game.EvKill, game.EvEmoticon, game.EvGameMsg:
				all.events = append(all.events, ev)
			}
		}
	}
	c := newDemoReader(r.Header(), h)
	var repeats demo.Repeats
	for chunk := new(demo.Chunk); ; {
		err := r.Next(chunk)
		if err == io.EOF {
			return all
		}
		testenv.NoError(t, err)
		switch {
		case chunk.Kind == demo.KindMessage && !repeats.Has(r.Header(), chunk):
			c.Receive(chunk.Message, true)
		case chunk.Snapshot != nil:
			c.ReceiveSnapshot(chunk.Tick, chunk.Snapshot)
			all.shown = append(all.shown, show(c))
		}
	}
}

// TestConvert converts demos recorded by DDNet and its server, and compares the content of both
// versions.
func TestConvert(t *testing.T) {
	for _, name := range []string{"ddnet-16.4.demo", "ddnet-server-16.4.demo"} {
		t.Run(name, func(t *testing.T) {
			file := testenv.Must(os.ReadFile(filepath.Join("..", "format", "demo", "testdata", name)))
			var out memFile
			testenv.NoError(t, Convert(&out, testenv.Must(demo.NewReader(bytes.NewReader(file)))))
			if h := testenv.Must(demo.NewReader(bytes.NewReader(out.Bytes()))).Header(); h.Protocol() != 7 ||
				h.Version != demo.VersionTeeworlds || h.Length == 0 {
				t.Errorf("header %+v", h)
			}
			from, to := readDemo(t, file), readDemo(t, out.Bytes())
			if len(from.shown) != len(to.shown) || len(from.shown) < 100 {
				t.Fatalf("%d snapshots became %d", len(from.shown), len(to.shown))
			}
			tees := 0
			for i := range from.shown {
				compareShown(t, &from.shown[i], &to.shown[i])
				tees += len(to.shown[i].View.Characters)
				if t.Failed() {
					t.Fatalf("snapshot %d", i)
				}
			}
			kinds := func(events []game.Event) (n [64]int) {
				for _, ev := range events {
					n[ev.Kind]++
				}
				return n
			}
			if kinds(from.events) != kinds(to.events) || len(to.events) < 4 {
				t.Errorf("events\n%+v\nbecame\n%+v", from.events, to.events)
			}
			t.Logf("%d snapshots, %d tees, %d events", len(to.shown), tees, len(to.events))
		})
	}
}

// compareShown compares the fields that do not differ between the versions.
func compareShown(t *testing.T, a, b *shown) {
	t.Helper()
	same := slices.EqualFunc(a.View.Characters, b.View.Characters, func(x, y game.CharacterState) bool {
		return x.Player == y.Player && x.Tick == y.Tick && x.X == y.X && x.Y == y.Y && x.VelX == y.VelX && x.VelY == y.VelY && sameAngle(x.Angle, y.Angle) &&
			x.HookState == y.HookState && x.HookX == y.HookX && x.HookY == y.HookY && x.HookedPlayer == y.HookedPlayer && x.AttackTick == y.AttackTick &&
			x.Weapon == y.Weapon && x.Emote == y.Emote && x.Direction == y.Direction &&
			(x.Player != a.View.VitalsOf || x.Health == y.Health && x.Armor == y.Armor)
	})
	if !same {
		t.Errorf("characters\n%+v\nbecame\n%+v", a.View.Characters, b.View.Characters)
	}
	for id := range a.Players {
		p, q := &a.Players[id], &b.Players[id]
		if p.InGame != q.InGame || p.Profile.Name != q.Profile.Name || p.Profile.Clan != q.Profile.Clan ||
			p.Profile.Country != q.Profile.Country || p.InGame && p.Team != q.Team {
			t.Errorf("player %+v\nbecame %+v", p, q)
		}
	}
	if len(a.View.Projectiles) != len(b.View.Projectiles) || len(a.View.Lasers) != len(b.View.Lasers) ||
		len(a.View.Pickups) != len(b.View.Pickups) || len(a.View.Flags) != len(b.View.Flags) {
		t.Errorf("%d projectiles, %d lasers, %d pickups, %d flags became %d, %d, %d, %d", len(a.View.Projectiles),
			len(a.View.Lasers), len(a.View.Pickups), len(a.View.Flags),
			len(b.View.Projectiles), len(b.View.Lasers), len(b.View.Pickups), len(b.View.Flags))
	}
	if len(a.Effects) != len(b.Effects) {
		t.Errorf("effects\n%+v\nbecame\n%+v", a.Effects, b.Effects)
	}
	if g, h := a.View.Game, b.View.Game; g.TeamScore != h.TeamScore || g.State != h.State || g.StartTick != h.StartTick || g.FlagCarrier != h.FlagCarrier {
		t.Errorf("game %+v became %+v", g, h)
	}
}

// sameAngle reports whether two angles, in radians * 256, have the same direction. DDNet's angles
// wrap at the top, the others at the left.
func sameAngle(a, b int32) bool {
	const turn = 2 * 804
	return (a-b)%turn == 0
}

// memFile is a file in memory that supports rewriting its header.
type memFile struct{ bytes.Buffer }

// WriteAt implements io.WriterAt.
func (f *memFile) WriteAt(b []byte, at int64) (int, error) { return copy(f.Bytes()[at:], b), nil }

// FuzzConvert converts arbitrary files. The result is a readable demo or an error.
func FuzzConvert(f *testing.F) {
	for _, name := range []string{"ddnet-16.4.demo", "teeworlds-0.7.5.demo"} {
		b, err := os.ReadFile(filepath.Join("..", "format", "demo", "testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 6000)])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := demo.NewReader(bytes.NewReader(b))
		if err != nil {
			return
		}
		var out memFile
		if err := Convert(&out, r); errors.Is(err, ErrNothing) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		snapshots := 0
		again := testenv.Must(demo.NewReader(bytes.NewReader(out.Bytes())))
		for c := new(demo.Chunk); ; {
			if err := again.Next(c); err == io.EOF {
				if snapshots == 0 {
					t.Error("nothing is shown")
				}
				return
			} else if err != nil {
				t.Fatal(err)
			}
			if c.Snapshot != nil {
				snapshots++
			}
		}
	})
}
