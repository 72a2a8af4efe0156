// Package engine is the client of the page that plays, without a socket and a clock. The page calls
// it with datagrams, inputs and the time, and reads the results from memory: see [Shared].
//
// The engine speaks whatever protocol the server does, and gives the page snapshots and messages of
// 0.7, so that the modules of the viewer can draw them. The package has no code for browsers, and
// its tests run everywhere. The command in web/play/wasm exports it.
package engine

import (
	"encoding/binary"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Engine is a client in a page. It is not safe for concurrent use.
type Engine struct {
	Shared Shared
	// Token is client.Config.Token, for tests with recorded datagrams.
	Token func() packet.Token

	client *client.Client
	maps   *client.Maps
	now    conn.Time
	shown  [2]int32 // the tick of the snapshot and the predicted tick of Own
	past   [pastTicks]struct{ tick, x, y int32 }
}

// pastTicks is the number of predicted ticks that are compared with snapshots.
const pastTicks = 64

// New returns an Engine.
func New() *Engine {
	e := &Engine{maps: client.NewMaps("-")}
	e.Shared.State[StateSelf] = -1
	return e
}

// begin starts a call at a time in ms. The clock never goes back.
func (e *Engine) begin(ms float64) conn.Time {
	clear(e.Shared.Used[:])
	e.now = max(e.now, conn.Time(time.Second)+conn.Time(ms*float64(time.Millisecond)))
	return e.now
}

// end updates the numbers of Shared.State after a call.
func (e *Engine) end() {
	if e.client == nil {
		return
	}
	s, stats := &e.Shared.State, e.client.Stats()
	s[StateConnection], s[StateSelf] = float64(e.client.State()), float64(e.client.Self())
	s[StateSnapshots] = float64(stats.Snapshots)
	s[StateDatagrams], s[StateBytes] = float64(stats.Datagrams), float64(stats.Bytes)
	s[StateLatency], s[StateUnacked] = float64(e.client.Latency())/float64(time.Millisecond), float64(e.client.Unacked())
	s[StateInputTick] = float64(e.client.InputTick())
}

// AddMap adds a map, so that the client does not wait for it.
func (e *Engine) AddMap(name string, file []byte) error { return e.maps.Add(name, file) }

// UseMap gives the client the file of the map that it waits for, after the event map_announced.
func (e *Engine) UseMap(ms float64, file []byte) error {
	e.begin(ms)
	defer e.end()
	if e.client == nil {
		return client.ErrClosed
	}
	return e.client.UseMap(file)
}

// Map returns the file of the server's map, which the server may have sent, or nil before it is
// loaded.
func (e *Engine) Map() []byte {
	if e.client == nil || e.client.Map() == nil {
		return nil
	}
	return e.client.Map().File
}

// Connect leaves the server and connects again, as the player that the parameters describe; see
// params.config.
func (e *Engine) Connect(ms float64, player []byte) error {
	now := e.begin(ms)
	defer e.end()
	if e.client != nil {
		e.client.Close()
	}
	p := parseParams(player)
	cfg := p.config()
	cfg.Maps, cfg.FetchMaps, cfg.Send, cfg.Token, cfg.Demo = e.maps, true, e.send, e.Token, demo{e}
	cfg.OnEvent = func(_ *client.Client, ev event.Event) { e.event(ev) }
	cfg.OnSnapshot = func(_ *client.Client, v *game.View, _ []game.Event) { e.compare(v) }
	c, err := client.New(cfg)
	if err != nil {
		return err
	}
	e.client = c
	clear(e.past[:])
	return c.Connect(now)
}

// Feed processes a datagram from the server.
func (e *Engine) Feed(ms float64, datagram []byte) {
	now := e.begin(ms)
	if e.client != nil {
		e.client.Feed(now, datagram)
	}
	e.end()
}

// Frame sends the input of Shared.Input if it is due, and predicts the own tee for a picture. Call
// it for each picture, and at least 50 times a second.
func (e *Engine) Frame(ms float64) {
	now := e.begin(ms)
	defer e.end()
	if e.client == nil {
		return
	}
	in := &e.Shared.Input
	e.client.SetInput(game.Input{
		Direction: min(max(in[InDirection], -1), 1), TargetX: in[InTargetX], TargetY: in[InTargetY],
		Jump: in[InJump] != 0, Fire: in[InFire] & 63, Hook: in[InHook] != 0, Flags: game.PlayerFlags(in[InFlags]),
		WantedWeapon: in[InWantedWeapon], NextWeapon: in[InNextWeapon] & 63, PrevWeapon: in[InPrevWeapon] & 63,
	})
	e.client.Step(now)
	s := &e.Shared.State
	s[StateShown], s[StatePredicted] = e.client.Clock()
	if e.client.State() == client.Playing {
		e.predict(int32(s[StatePredicted]))
	}
}

// predict computes Shared.Own for a tick and the next one, unless it has them.
func (e *Engine) predict(tick int32) {
	newest := int32(0)
	e.client.WithView(func(v *game.View) { newest = v.Tick })
	if e.shown == [2]int32{newest, tick} {
		return
	}
	e.shown = [2]int32{newest, tick}
	e.Shared.State[StateAlive] = 0
	for i := range int32(2) {
		e.client.WithViewPredictedFor(tick+i, func(v *game.View) {
			if c := own(v); c != nil {
				e.Shared.State[StateAlive] = 1
				e.Shared.Own[i] = [24]int32{
					OwnX: c.X, OwnY: c.Y, OwnVelX: c.VelX, OwnVelY: c.VelY, OwnAngle: c.Angle, OwnDirection: c.Direction,
					OwnJumped: c.Jumped, OwnHookState: c.HookState, OwnHookX: c.HookX, OwnHookY: c.HookY, OwnHookedPlayer: c.HookedPlayer,
					OwnTick: v.Tick,
				}
				p := &e.past[uint32(v.Tick)%pastTicks]
				p.tick, p.x, p.y = v.Tick, c.X, c.Y
			}
		})
	}
}

// compare counts whether the prediction for the tick of a snapshot was right.
func (e *Engine) compare(v *game.View) {
	c := own(v)
	if c == nil {
		return
	}
	p := &e.past[uint32(v.Tick)%pastTicks]
	if p.tick != v.Tick {
		return
	}
	e.Shared.State[StatePredictions]++
	if float32(p.x) != c.Pos.X || float32(p.y) != c.Pos.Y {
		e.Shared.State[StateCorrections]++
	}
}

// own returns the own tee of a view, or nil.
func own(v *game.View) *game.CharacterState {
	for i := range v.Characters {
		if c := &v.Characters[i]; c.Player == v.Viewer {
			return c
		}
	}
	return nil
}

// send is client.Config.Send.
func (e *Engine) send(b []byte) { e.add(e.Shared.Out[:], UsedOut, b) }

// event adds an event to Shared.Events.
func (e *Engine) event(ev event.Event) {
	if o := appendEvent(ev); o != nil {
		e.add(e.Shared.Events[:], UsedEvents, *o.close())
	}
}

// add appends a record to a buffer.
func (e *Engine) add(to []byte, used int, b []byte) {
	n := int(e.Shared.Used[used])
	if len(b) > 0xffff || n+2+len(b) > len(to) {
		e.Shared.State[StateLost]++
		return
	}
	binary.LittleEndian.PutUint16(to[n:], uint16(len(b)))
	copy(to[n+2:], b)
	e.Shared.Used[used] += int32(2 + len(b))
}

// demo is the client.Demo of an Engine.
type demo struct{ *Engine }

// Message implements client.Demo.
func (d demo) Message(payload []byte) { d.add(d.Shared.Messages[:], UsedMessages, payload) }

// Snapshot implements client.Demo.
func (d demo) Snapshot(tick int32, s *snapshot.Snapshot) {
	at, n := int(d.Shared.Used[UsedSnapshots]), s.Len()
	ints := 0
	for i := range n {
		_, item := s.Item(i)
		ints += len(item)
	}
	end := at + 3 + 2*n + 1 + ints
	if end > maxInts {
		d.Shared.State[StateLost]++
		return
	}
	out := d.Shared.Snapshots[at:end]
	out[0], out[1], out[2] = tick, int32(n), int32(ints)
	keys, offsets, values := out[3:3+n], out[3+n:4+2*n], out[4+2*n:]
	ints = 0
	for i := range n {
		key, item := s.Item(i)
		keys[i], offsets[i] = int32(key), int32(ints)
		ints += copy(values[ints:], item)
	}
	offsets[n] = int32(ints)
	d.Shared.Used[UsedSnapshots] = int32(end)
}
