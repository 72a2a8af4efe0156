//go:build peers

package clients

import (
	"fmt"
	"image"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// testServer is our server inside this process, with a recorder of all events.
type testServer struct {
	*eventRecorder
	t    testing.TB
	addr string
}

// startTestServer serves a map until the test ends, with an additional mod or nil. The file is a
// map file, or nil for an embedded map.
func startTestServer(t testing.TB, mapName string, file []byte, mod game.Mod, commands ...string) *testServer {
	t.Helper()
	return startServerOf(t, nil, mapName, file, mod, commands...)
}

// startServerOf is startTestServer with the modes that sv_gametype chooses from.
func startServerOf(t testing.TB, modes mode.List, mapName string, file []byte, mod game.Mod, commands ...string) *testServer {
	t.Helper()
	peers.RequirePrograms(t, "teeworlds", "DDNet")
	s := &testServer{t: t, eventRecorder: &eventRecorder{names: make(map[game.PlayerID]string)}}
	files := fstest.MapFS{}
	if file != nil {
		files["maps/"+mapName+".map"] = &fstest.MapFile{Data: file}
	}
	mods := []func() game.Mod{func() game.Mod { return s.eventRecorder }}
	if mod != nil {
		mods = append(mods, func() game.Mod { return mod })
	}
	srv := servertest.Start(t, server.Config{Files: files, Modes: modes, Mods: mods, Observers: []server.Observer{s.eventRecorder}, Seed: 1},
		append([]string{"sv_warmup 0; sv_inactivekick_time 0; sv_scorelimit 0; sv_map " + mapName}, commands...)...)
	s.addr = srv.Addr().String()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the last events and the last frame:\n%s", s.lastEvents())
		}
	})
	return s
}

// eventRecorder is a mod that records all events and the newest frame. It reads the world after
// every tick for things without a hook, such as hooks and projectiles.
type eventRecorder struct {
	mu         sync.Mutex
	names      map[game.PlayerID]string
	events     []recordedEvent
	frame      game.Frame
	flags      [game.MaxPlayers]game.PlayerFlags
	coreEvents [game.MaxPlayers][numCoreEvents]int // by player and bit of CharacterState.TriggeredEvents
}

// The bits of CharacterState.TriggeredEvents.
const (
	coreEventJump       = 0
	coreEventHookGround = 3
	numCoreEvents       = 5
)

type recordedEvent struct {
	tick int32
	game.Event
}

// Start implements game.Mod.
func (r *eventRecorder) Start(*game.Setup) {}

// OnEnter implements game.EnterHook.
func (r *eventRecorder) OnEnter(ctx *game.Ctx, id game.PlayerID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names[id] = ctx.Player(id).Name()
}

// OnLeave implements game.LeaveHook.
func (r *eventRecorder) OnLeave(_ *game.Ctx, id game.PlayerID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.names, id)
}

// ObserveTick implements server.Observer.
func (r *eventRecorder) ObserveTick(t *server.Tick) {
	w := t.World
	r.mu.Lock()
	defer r.mu.Unlock()
	f := w.Frame()
	for _, ev := range t.GameEvents {
		r.events = append(r.events, recordedEvent{w.Tick(), ev})
	}
	for _, c := range f.Characters {
		for bit := range numCoreEvents {
			r.coreEvents[c.Player][bit] += int(c.TriggeredEvents>>bit) & 1
		}
	}
	for id := range r.flags {
		info, _ := w.Player(game.PlayerID(id))
		r.flags[id] = info.Flags
	}
	r.frame.Tick, r.frame.Game = f.Tick, f.Game
	r.frame.Players = append(r.frame.Players[:0], f.Players...)
	r.frame.Characters = append(r.frame.Characters[:0], f.Characters...)
	r.frame.Projectiles = append(r.frame.Projectiles[:0], f.Projectiles...)
	r.frame.Lasers = append(r.frame.Lasers[:0], f.Lasers...)
	r.frame.Pickups = append(r.frame.Pickups[:0], f.Pickups...)
}

// playerID returns the id of the player with a name, or game.Nobody.
func (r *eventRecorder) playerID(name string) game.PlayerID {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, n := range r.names {
		if n == name {
			return id
		}
	}
	return game.Nobody
}

// character returns a player's tee. It returns false while the player has none.
func (r *eventRecorder) character(id game.PlayerID) (game.CharacterState, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.frame.Characters {
		if c.Player == id {
			return c, true
		}
	}
	return game.CharacterState{}, false
}

func (r *eventRecorder) alive(id game.PlayerID) bool {
	_, ok := r.character(id)
	return ok
}

// playerState returns a player's score and team, or the zero value if there is no such player.
func (r *eventRecorder) playerState(id game.PlayerID) game.PlayerState {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.frame.Players {
		if p.ID == id {
			return p
		}
	}
	return game.PlayerState{}
}

// hasFlag reports whether a player has a flag set, including flags that other players cannot see.
func (r *eventRecorder) hasFlag(id game.PlayerID, f game.PlayerFlags) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flags[id]&f != 0
}

// projectiles returns the number of a weapon's projectiles in the world.
func (r *eventRecorder) projectiles(w game.Weapon) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, p := range r.frame.Projectiles {
		if p.Weapon == w {
			n++
		}
	}
	return n
}

// numEvents returns the number of events so far, to pass to eventsSince.
func (r *eventRecorder) numEvents() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events)
}

// eventsSince returns the matching events after the first n events.
func (r *eventRecorder) eventsSince(n int, match func(game.Event) bool) []game.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []game.Event
	for _, e := range r.events[n:] {
		if match(e.Event) {
			found = append(found, e.Event)
		}
	}
	return found
}

// seen returns a condition: a matching event has happened since this call.
func (r *eventRecorder) seen(match func(game.Event) bool) func() bool {
	n := r.numEvents()
	return func() bool { return len(r.eventsSince(n, match)) > 0 }
}

func (r *eventRecorder) lastEvents() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	for _, e := range r.events[max(0, len(r.events)-60):] {
		fmt.Fprintf(&b, "%+v\n", e)
	}
	fmt.Fprintf(&b, "%+v\n", r.frame)
	return b.String()
}

// realPlayer is a graphical client that plays on a testServer.
type realPlayer struct {
	*peers.Client
	server *testServer
	id     game.PlayerID
	name   string
}

// join starts the 0.7.5 client on a new display and waits until it plays.
func (s *testServer) join(name string, settings ...string) *realPlayer {
	s.t.Helper()
	return s.awaitPlayer(peers.NewDisplay(s.t).StartTeeworlds(s.addr, name, settings...), name)
}

// joinDDNet starts the DDNet client on a new display and waits until it plays.
func (s *testServer) joinDDNet(name string, settings ...string) *realPlayer {
	s.t.Helper()
	return s.awaitPlayer(peers.NewDisplay(s.t).StartDDNet(s.addr, name, settings...), name)
}

// awaitPlayer waits until a client plays.
func (s *testServer) awaitPlayer(c *peers.Client, name string) *realPlayer {
	s.t.Helper()
	p := &realPlayer{Client: c, server: s, name: name}
	gaveUp := 0
	peers.Eventually(s.t, 90*time.Second, name+" is in the game", func() bool {
		if !c.Running() {
			s.t.Fatalf("the client ended:\n%s", c.Output())
		}
		gaveUp = c.RetryConnect(gaveUp)
		p.id = s.playerID(name)
		return p.id != game.Nobody && s.alive(p.id)
	})
	return p
}

// tee returns the state of the player's tee, or the zero value while the tee is dead.
func (p *realPlayer) tee() game.CharacterState {
	c, _ := p.server.character(p.id)
	return c
}

// fail ends the test with a screenshot.
func (p *realPlayer) fail(format string, args ...any) {
	p.server.t.Helper()
	p.Screenshot("failed")
	p.server.t.Fatalf(p.name+" "+format, args...)
}

// tryUntil repeats an action until the server has seen its effect: on a busy machine graphical
// clients miss a key press now and then.
func (p *realPlayer) tryUntil(what string, action func(), condition func() bool) {
	p.server.t.Helper()
	for range 6 {
		action()
		if peers.Within(2*time.Second, condition) {
			return
		}
	}
	p.fail("tried to %s, and the server has not seen it", what)
}

// holdUntil holds a key or button ("mouse1") until the server has seen the effect.
func (p *realPlayer) holdUntil(key, what string, condition func() bool) {
	p.server.t.Helper()
	device, name := "key", key
	if button, ok := strings.CutPrefix(key, "mouse"); ok {
		device, name = "mouse", button
	}
	for range 6 {
		p.Xdotool(device+"down", name)
		ok := peers.Within(3*time.Second, condition)
		p.Xdotool(device+"up", name)
		if ok {
			return
		}
	}
	p.fail("held %s to %s, and the server has not seen it", key, what)
}

// seenCoreEvent returns a function. The function reports whether the player's tee has triggered a
// core event since the call of seenCoreEvent.
func (p *realPlayer) seenCoreEvent(bit int) func() bool {
	count := func() int {
		p.server.mu.Lock()
		defer p.server.mu.Unlock()
		return p.server.coreEvents[p.id][bit]
	}
	before := count()
	return func() bool { return count() > before }
}

// seenOf returns a condition: since this call, the player had an event of the given kind for which
// match returns true. A nil match accepts all.
func (p *realPlayer) seenOf(kind game.EventKind, match func(game.Event) bool) func() bool {
	return p.server.seen(func(ev game.Event) bool {
		return ev.Kind == kind && ev.Player == p.id && (match == nil || match(ev))
	})
}

// aim moves the mouse until the server sees the tee look in a direction. The client keeps the
// cursor within 400 units of the tee, so a long movement always ends in that direction.
func (p *realPlayer) aim(dx, dy float64) {
	p.server.t.Helper()
	want := math.Atan2(dy, dx)
	for range 12 {
		p.MoveMouse(int(dx*320), int(dy*320))
		if peers.Within(300*time.Millisecond, func() bool {
			c, alive := p.server.character(p.id)
			return alive && math.Abs(math.Remainder(float64(c.Angle)/256-want, 2*math.Pi)) <= 0.12
		}) {
			return
		}
	}
	p.fail("looks at %.2f, not at %.2f", float64(p.tee().Angle)/256, want)
}

// awaitScreen takes screenshots until one matches: the client draws a little later than the server
// sends.
func (p *realPlayer) awaitScreen(name, what string, match func(*image.NRGBA) bool) {
	p.server.t.Helper()
	var img *image.NRGBA
	if !peers.Within(10*time.Second, func() bool { img = p.Screenshot(name); return match(img) }) {
		all := image.Rectangle{}
		p.server.t.Fatalf("the screen of %s never shows %s; hearts %.2f, sky %.2f, rock %.2f, black %.2f", p.name, what,
			peers.PixelShare(img, peers.HealthBar, peers.IsHeart), peers.PixelShare(img, all, peers.IsColor(peers.SkyColor)),
			peers.PixelShare(img, all, peers.IsColor(peers.RockColor)), peers.PixelShare(img, all, peers.IsBlack))
	}
}

// showsHUD reports whether a screenshot shows the health of a tee.
func showsHUD(img *image.NRGBA) bool {
	return peers.PixelShare(img, peers.HealthBar, peers.IsHeart) > 0.1
}

// showsGame reports whether a screenshot shows a healthy tee on a map made by drawMap.
func showsGame(img *image.NRGBA) bool {
	all := image.Rectangle{}
	return peers.PixelShare(img, peers.HealthBar, peers.IsHeart) > 0.2 && peers.PixelShare(img, all, peers.IsColor(peers.SkyColor)) > 0.1 &&
		peers.PixelShare(img, all, peers.IsColor(peers.RockColor)) > 0.1 && peers.PixelShare(img, all, peers.IsBlack) < 0.3
}
