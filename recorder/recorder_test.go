package recorder

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge6"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/ctf"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// newClient returns a ClientSide that reads a demo of the format.
func (f Format) newClient(h bridge.GameHandler) bridge.ClientSide {
	if f == Teeworlds {
		return bridge7.NewDemoClientSide(h)
	}
	return bridge6.NewDemoClientSide(h)
}

// newMatch returns a match with players who act at random.
func newMatch(t testing.TB, mapName string, mode game.Mode, players int, mods ...game.Mod) *bridgetest.Match {
	return bridgetest.NewMatch(t, &bridgetest.Version{
		NewProtocol: func() bridge.Protocol { return bridge7.NewProtocol() },
		NewClient: func(_ int, s bridge.Sender, h bridge.ServerMessageHandler) bridge.ClientSide {
			return bridge7.NewClientSide(s, h)
		},
		Effects:        func(*game.Frame, []game.Event) []game.Event { return nil },
		ReceivedEvents: func(int, *game.Event, game.Event) []game.Event { return nil },
		IsMessage:      func(*game.Event) bool { return false },
	}, mapName, mode, players, mods...)
}

// recording is a demo in progress, with copies of its records.
type recording struct {
	*Recorder
	file    memFile
	out     *demo.Writer
	record  Record
	records []takenRecord
}

// takenRecord is a copy of a Record.
type takenRecord struct {
	tick     int32
	keyframe bool
	snapshot *snapshot.Snapshot
	messages []string
}

func newRecording(t testing.TB, cfg Config) *recording {
	r := &recording{Recorder: New(cfg)}
	file := []byte("a map")
	m := &bridge.Map{Name: "yard", File: file, CRC: crc32.ChecksumIEEE(file), SHA256: sha256.Sum256(file)}
	r.out = testenv.Must(demo.NewWriter(&r.file, cfg.Header(m, time.Unix(0, 0)), m.File))
	return r
}

// step records a tick of the world.
func (r *recording) step(t testing.TB, w *game.World, events []game.Event) {
	t.Helper()
	r.Tick(w, events)
	for i := range events {
		r.Event(w, &events[i])
	}
	if !r.Due(w) {
		return
	}
	r.Take(w, &r.record)
	testenv.NoError(t, r.record.WriteTo(r.out))
	c := takenRecord{tick: r.record.Tick, keyframe: r.record.Keyframe, snapshot: new(snapshot.Snapshot)}
	c.snapshot.CopyFrom(&r.record.Snapshot)
	for m := range r.record.Messages() {
		c.messages = append(c.messages, string(m))
	}
	r.records = append(r.records, c)
}

// close ends the demo and returns a reader of it.
func (r *recording) close(t testing.TB) *demo.Reader {
	t.Helper()
	testenv.NoError(t, r.out.Close())
	return testenv.Must(demo.NewReader(bytes.NewReader(r.file.Bytes())))
}

// shown contains the view, the players and the game state that a client shows at a tick of a demo.
type shown struct {
	View    *game.View
	Players [game.MaxPlayers]game.PlayerInfo
	Info    game.GameState
	Tuning  game.Tuning
	Effects []game.Event
}

// show returns the state that a client shows. It leaves out data that clients receive only once:
// who joined silently, and when players can change their team again.
func show(c bridge.ClientSide) (s shown) {
	v := *c.View()
	f := *v.Frame
	f.Players, f.Characters, f.Projectiles = clone(f.Players), clone(f.Characters), clone(f.Projectiles)
	f.Lasers, f.Pickups, f.Flags = clone(f.Lasers), clone(f.Pickups), clone(f.Flags)
	v.Frame = &f
	s = shown{View: &v, Info: c.GameInfo(), Tuning: c.Tuning(), Effects: clone(c.Effects())}
	for id := range s.Players {
		if p, ok := c.Player(game.PlayerID(id)); ok {
			p.Silent, p.TeamChangeTick = false, 0
			s.Players[id] = p
		}
	}
	return s
}

// clone returns a copy of a list, nil if it is empty.
func clone[T any](list []T) []T { return append([]T(nil), list...) }

// tuner is a mod that gives player 1 a tuning of their own from tick 50 on.
type tuner struct{ tuning game.Tuning }

func (*tuner) Start(*game.Setup) {}

func (m *tuner) OnTick(ctx *game.Ctx) {
	if ctx.Tick() >= 50 {
		ctx.Player(1).SetTuning(&m.tuning)
	}
}

// TestTuningInDemos checks that the demo of a player contains their own tuning, and other demos the
// tuning of the world.
func TestTuningInDemos(t *testing.T) {
	own := physics.DefaultTuning()
	own[physics.Gravity] = 10
	for _, format := range []Format{Teeworlds, DDNet} {
		for player := game.Nobody; player < 2; player++ {
			m := newMatch(t, "testbox", dm.Mode{}, 2, &tuner{own})
			r := newRecording(t, Config{Format: format, OfPlayer: player >= 0, Player: player})
			m.OnStep = func(events []game.Event) { r.step(t, m.World, events) }
			for range 100 {
				m.Act(true)
				m.Step()
			}
			file, side := r.close(t), format.newClient(&bridgetest.ServerMessages{})
			changes, before := 0, side.Tuning()
			for c := new(demo.Chunk); file.Next(c) == nil; {
				switch c.Kind {
				case demo.KindSnapshot, demo.KindDelta:
					side.ReceiveSnapshot(c.Tick, c.Snapshot)
				case demo.KindMessage:
					testenv.NoError(t, side.Receive(c.Message, true))
				}
				if now := side.Tuning(); now != before {
					changes, before = changes+1, now
				}
			}
			if want := m.World.PlayerTuning(player); before != want || (player == 1) != (changes == 1) || (player == 1) != (want == own) {
				t.Errorf("%v, player %d: %d changes to %v, want %v", format, player, changes, before, want)
			}
		}
	}
}

// TestDemo records a match in both formats. The file contains the recorded data. A reader that
// begins at any keyframe sees the same as a reader of the whole file.
func TestDemo(t *testing.T) {
	for _, format := range []Format{Teeworlds, DDNet} {
		t.Run(format.String(), func(t *testing.T) {
			m := newMatch(t, "testbox", ctf.Mode{}, 8)
			r := newRecording(t, Config{Format: format})
			m.OnStep = func(events []game.Event) { r.step(t, m.World, events) }
			for tick := range 900 {
				m.Act(false)
				if tick == 300 {
					tuning := m.World.Tuning()
					tuning[0] = 1234
					m.Commands = append(m.Commands, game.Command{Kind: game.CmdTuneParams, Player: game.Nobody, Target: game.Nobody, Tuning: &tuning})
				}
				m.Step()
			}
			file := r.close(t)
			if h := file.Header(); h.MapName != "yard" || h.MapCRC != 0xaeae7577 || h.Type != "server" ||
				string(file.Map()) != "a map" || (h.MapSHA256 != [32]byte{}) != (format == DDNet) {
				t.Errorf("header %+v", h)
			}

			var first bridge.ClientSide // reads from the beginning
			readers := 0
			var late []bridge.ClientSide // begin at a keyframe
			messages, compared := 0, 0
			compare := func() {
				if first == nil {
					return
				}
				want := show(first)
				for i, c := range late {
					got := show(c)
					if !reflect.DeepEqual(want, got) {
						t.Fatalf("tick %d, reader %d (-first +late):\n%s", want.View.Tick, i, cmp.Diff(want, got))
					}
					compared++
				}
			}
			at := -1
			for c := new(demo.Chunk); ; {
				err := file.Next(c)
				if err == io.EOF {
					break
				}
				testenv.NoError(t, err)
				switch c.Kind {
				case demo.KindTick:
					compare()
					if at++; r.records[at].tick != c.Tick || r.records[at].keyframe != c.Keyframe {
						t.Fatalf("record %d: tick %d, keyframe %v instead of %d, %v", at, c.Tick, c.Keyframe, r.records[at].tick, r.records[at].keyframe)
					}
					if messages = 0; c.Keyframe {
						side := format.newClient(&bridgetest.ServerMessages{})
						if readers++; first == nil {
							first = side
						} else {
							late = append(late, side)
						}
					}
				case demo.KindSnapshot, demo.KindDelta:
					if c.Snapshot == nil || !c.Snapshot.Equal(r.records[at].snapshot) {
						t.Fatalf("tick %d: another snapshot", c.Tick)
					}
					for _, side := range append([]bridge.ClientSide{first}, late...) {
						side.ReceiveSnapshot(c.Tick, c.Snapshot)
					}
				case demo.KindMessage:
					if want := r.records[at].messages[messages]; strings.TrimRight(string(c.Message), "\x00") != strings.TrimRight(want, "\x00") {
						t.Fatalf("tick %d: message %x instead of %x", c.Tick, c.Message, want)
					}
					messages++
					for _, side := range append([]bridge.ClientSide{first}, late...) {
						testenv.NoError(t, side.Receive(bytes.Clone(c.Message), true))
					}
				}
			}
			if at != len(r.records)-1 || readers < 4 || compared < 100 {
				t.Errorf("%d of %d records, %d readers, %d comparisons", at+1, len(r.records), readers, compared)
			}
		})
	}
}

// TestPrivate checks that demos contain no private data.
func TestPrivate(t *testing.T) {
	for _, format := range []Format{Teeworlds, DDNet} {
		for _, ofPlayer := range []bool{false, true} {
			t.Run(fmt.Sprint(format, ofPlayer), func(t *testing.T) {
				w, _ := bridgetest.NewWorld(t, "testbox", dm.Mode{}, func(r *game.Rules) { r.SpamProtection = false })
				r := newRecording(t, Config{Format: format, OfPlayer: ofPlayer, Player: 1, Interval: 1})
				step := func(commands ...game.Command) { r.step(t, w, w.Step(commands)) }
				say := func(mode game.ChatMode, text string) game.Command {
					return game.Command{Kind: game.CmdSay, Player: 0, Target: 1, Chat: mode, Text: text}
				}
				step(append(bridgetest.Join(0, game.Profile{Name: "anna"}), bridgetest.Join(1, game.Profile{Name: "bert"})...)...)
				for range 100 {
					step()
				}
				step(say(game.ChatAll, "to all"), say(game.ChatTeam, "to team"), say(game.ChatWhisper, "to bert"), say(game.ChatAll, "/nonsense"))
				// To all, as in a full game in which all players are in one team.
				r.Event(w, &game.Event{Kind: game.EvChat, Player: 0, Target: game.Nobody, Chat: game.ChatTeam, To: game.MaskAll, Text: "to team"})
				step()
				reader := r.close(t)
				side := format.newClient(&bridgetest.ServerMessages{})
				texts, seen, healthy := "", 0, [2]bool{}
				for c := new(demo.Chunk); ; {
					err := reader.Next(c)
					if errors.Is(err, io.EOF) {
						break
					}
					testenv.NoError(t, err)
					switch c.Kind {
					case demo.KindMessage:
						texts += string(c.Message) + "\n"
					case demo.KindSnapshot, demo.KindDelta:
						for _, ch := range side.ReceiveSnapshot(c.Tick, c.Snapshot).Characters {
							seen++
							healthy[ch.Player] = healthy[ch.Player] || ch.Health|ch.Armor|ch.Ammo != 0
						}
					}
				}
				if !strings.Contains(texts, "to all") || strings.Contains(texts, "to team") ||
					strings.Contains(texts, "to bert") || strings.Contains(texts, "nonsense") {
					t.Errorf("messages: %q", texts)
				}
				if want := [2]bool{false, ofPlayer}; seen < 3 || healthy != want {
					t.Errorf("%d characters, with health: %v, want %v", seen, healthy, want)
				}
			})
		}
	}
}

// TestPrivateSounds checks that a free view contains only sounds for all players.
func TestPrivateSounds(t *testing.T) {
	w, _ := bridgetest.NewWorld(t, "testbox", dm.Mode{}, nil)
	sound := func(s game.Sound, to game.PlayerMask) game.Event {
		return game.Event{Kind: game.EvSound, Player: game.Nobody, Target: game.Nobody, Sound: s, To: to}
	}
	for _, format := range []Format{Teeworlds, DDNet} {
		r := New(Config{Format: format})
		r.Tick(w, []game.Event{
			sound(game.SoundHit, game.MaskOne(0)), sound(game.SoundHammerFire, game.MaskAll), sound(game.SoundJump, game.MaskAll.Without(game.MaskOne(3))),
		})
		var rec Record
		r.Take(w, &rec)
		side := format.newClient(&bridgetest.ServerMessages{})
		side.ReceiveSnapshot(rec.Tick, &rec.Snapshot)
		var heard []game.Sound
		for _, e := range side.Effects() {
			heard = append(heard, e.Sound)
		}
		if want := []game.Sound{game.SoundHammerFire, game.SoundJump}; !slices.Equal(heard, want) {
			t.Errorf("%v: heard %v, want %v", format, heard, want)
		}
	}
}

// TestPlayerLeaves checks that a player's demo has records only while the player is in the game.
func TestPlayerLeaves(t *testing.T) {
	w, _ := bridgetest.NewWorld(t, "testbox", dm.Mode{}, nil)
	r := newRecording(t, Config{OfPlayer: true, Player: 3})
	step := func(commands ...game.Command) int {
		before := len(r.records)
		r.step(t, w, w.Step(commands))
		return len(r.records) - before
	}
	chat := game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: "before"}
	if n := step(chat); n != 0 {
		t.Errorf("%d records before they came", n)
	}
	if n := step(bridgetest.Join(3, game.Profile{Name: "anna"})...); n != 1 || len(r.records[0].messages) == 0 ||
		strings.Contains(r.records[0].messages[0], "before") {
		t.Errorf("%d records: %+v", n, r.records)
	}
	step(game.Command{Kind: game.CmdLeave, Player: 3, Target: game.Nobody, Text: "bye"})
	if n := step() + step() + step(); n != 0 {
		t.Errorf("%d records after they left", n)
	}
}

// TestPriorities checks which items remain in a snapshot without room for all.
func TestPriorities(t *testing.T) {
	const pickups = 1500
	terrain := game.Terrain{Width: 100, Height: 30, Tiles: make([]uint8, 3000)}
	for i := range terrain.Tiles {
		switch x, y := i%100, i/100; {
		case x == 0 || x == 99 || y == 0 || y == 29:
			terrain.Tiles[i] = 1
		case y == 28:
			terrain.Tiles[i] = 193 // spawn point
		case y >= 2 && i < 200+pickups+60:
			terrain.Tiles[i] = 197 // armor
		}
	}
	const players = 64
	rules := game.DefaultRules()
	rules.MaxClients, rules.PlayerSlots = players, players
	w := testenv.Must(game.New(game.Config{Terrain: terrain, Mode: dm.Mode{}, Rules: rules}))
	var commands []game.Command
	for id := range game.PlayerID(players) {
		commands = append(commands, bridgetest.Join(id, game.Profile{Name: fmt.Sprint(id)})...)
	}
	w.Step(commands)
	for range 50 {
		w.Step(nil)
	}
	if n := len(w.Frame().Pickups); n < snapshot.MaxItems {
		t.Fatalf("only %d pickups", n)
	}
	for _, format := range []Format{Teeworlds, DDNet} {
		r := New(Config{Format: format})
		var rec Record
		r.Tick(w, []game.Event{{Kind: game.EvExplosion, To: game.MaskAll}})
		r.Take(w, &rec)
		side := format.newClient(&bridgetest.ServerMessages{})
		v := side.ReceiveSnapshot(rec.Tick, &rec.Snapshot)
		named := 0
		for id := range game.PlayerID(players) {
			if p, ok := side.Player(id); ok && p.Profile.Name == fmt.Sprint(id) {
				named++
			}
		}
		alive := len(w.Frame().Characters)
		if len(v.Players) != players || named != players || len(v.Characters) != alive || alive < 30 {
			t.Errorf("%v: %d players, %d with names, %d of %d tees", format, len(v.Players), named, len(v.Characters), alive)
		}
		if rec.Snapshot.Len() != snapshot.MaxItems || len(v.Pickups) < snapshot.MaxItems-4*players || len(side.Effects()) != 0 {
			t.Errorf("%v: %d items, %d pickups, %d effects", format, rec.Snapshot.Len(), len(v.Pickups), len(side.Effects()))
		}
	}
}

// TestAllocs checks that a tick of a demo allocates nothing.
func TestAllocs(t *testing.T) {
	m := newMatch(t, "teeyard1", dm.Mode{}, 64)
	var events []game.Event
	m.OnStep = func(e []game.Event) { events = e }
	for tick := 0; tick < 100 || len(events) < 5; tick++ {
		m.Act(true)
		m.Step()
	}
	for _, format := range []Format{Teeworlds, DDNet} {
		r := New(Config{Format: format})
		var rec Record
		records := 0
		tick := func() {
			r.Tick(m.World, events)
			for i := range events {
				r.Event(m.World, &events[i])
			}
			r.next = 0
			if r.Due(m.World) {
				r.Take(m.World, &rec)
				records++
			}
		}
		tick()
		tick() // after the buffers have grown
		if n := testing.AllocsPerRun(50, tick); n != 0 || records < 50 {
			t.Errorf("%v: %v allocations a tick, %d records", format, n, records)
		}
	}
}

func BenchmarkRecorder(b *testing.B) {
	for _, format := range []Format{Teeworlds, DDNet} {
		b.Run(format.String(), func(b *testing.B) {
			m := newMatch(b, "testbox", dm.Mode{}, 64)
			r := New(Config{Format: format})
			var rec Record
			var events []game.Event
			m.OnStep = func(e []game.Event) { events = e }
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				m.Act(true)
				m.Step()
				m.World.Frame()
				b.StartTimer()
				r.Tick(m.World, events)
				for i := range events {
					r.Event(m.World, &events[i])
				}
				if r.Due(m.World) {
					r.Take(m.World, &rec)
				}
			}
		})
	}
}
