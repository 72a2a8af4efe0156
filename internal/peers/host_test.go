package peers_test

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	. "github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/server"
)

// host is our server, run as an embedder does, with a mod and a watcher that
// keep what they see.
type host struct {
	*recorder
	t    testing.TB
	srv  *server.Server
	addr string
}

// startHost serves a map until the test ends, with one more mod or nil. The map
// is a file of its own, or nil for one of the embedded ones.
func startHost(t testing.TB, mapName string, file []byte, mod game.Mod, commands ...string) *host {
	t.Helper()
	Need(t, "teeworlds")
	h := &host{t: t, recorder: &recorder{names: make(map[game.PlayerID]string)}}
	files := fstest.MapFS{}
	if file != nil {
		files["maps/"+mapName+".map"] = &fstest.MapFile{Data: file}
	}
	mods := []game.Mod{h.recorder}
	if mod != nil {
		mods = append(mods, mod)
	}
	var err error
	h.srv, err = server.New(server.Config{
		Commands: slices.Concat([]string{"bindaddr 127.0.0.1; sv_port 0; sv_register 0; sv_warmup 0; sv_map " + mapName}, commands),
		Files:    files, Mods: mods, Observers: []server.Observer{h}, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	h.addr = fmt.Sprintf("127.0.0.1:%d", h.srv.Addr().Port())
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.srv.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("server: %v", err)
		}
		if t.Failed() {
			t.Logf("the server saw:\n%s", h.story())
		}
	})
	return h
}

// recorder is a mod that writes down what happens. What mods are not told, as
// hooks and shots on their way, it sees by watching every tick.
type recorder struct {
	mu       sync.Mutex
	names    map[game.PlayerID]string
	happened []happening
	frame    game.Frame
	flags    [game.MaxPlayers]game.PlayerFlags
	// core counts the core events of each player, by the number of their bit.
	core [game.MaxPlayers][numCore]int
}

// The core events, as bits of CharacterState.Triggered.
const (
	coreJump       = 0
	coreHookGround = 3
	numCore        = 5
)

// happening is an event and when it was.
type happening struct {
	tick int32
	game.Event
}

// Start implements game.Mod.
func (r *recorder) Start(*game.Tx) {}

// OnEnter implements game.EnterHook.
func (r *recorder) OnEnter(ctx *game.Ctx, id game.PlayerID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names[id] = ctx.Name(id)
}

// OnLeave implements game.LeaveHook.
func (r *recorder) OnLeave(_ *game.Ctx, id game.PlayerID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.names, id)
}

// ObserveTick implements server.Observer.
func (r *recorder) ObserveTick(t *server.Tick) {
	w := t.World
	r.mu.Lock()
	defer r.mu.Unlock()
	f := w.Frame()
	for _, ev := range t.GameEvents {
		r.happened = append(r.happened, happening{w.Tick(), ev})
	}
	for _, c := range f.Characters {
		for bit := range numCore {
			r.core[c.Player][bit] += int(c.TriggeredEvents>>bit) & 1
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

// id finds a player by name, game.Nobody if he is not in the game.
func (r *recorder) id(name string) game.PlayerID {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, n := range r.names {
		if n == name {
			return id
		}
	}
	return game.Nobody
}

// character is a player's tee; false while he has none.
func (r *recorder) character(id game.PlayerID) (game.CharacterState, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.frame.Characters {
		if c.Player == id {
			return c, true
		}
	}
	return game.CharacterState{}, false
}

// player is what can be known of a player.
func (r *recorder) player(id game.PlayerID) (game.PlayerState, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.frame.Players {
		if p.ID == id {
			return p, true
		}
	}
	return game.PlayerState{}, false
}

// has tells whether a player has a flag, those included that others are not told.
func (r *recorder) has(id game.PlayerID, f game.PlayerFlags) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flags[id]&f != 0
}

// now is the number of happenings so far, for happenedSince.
func (r *recorder) now() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.happened)
}

// since finds an event among those after a mark.
func (r *recorder) since(mark int, is func(game.Event) bool) (game.Event, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range r.happened[mark:] {
		if is(h.Event) {
			return h.Event, true
		}
	}
	return game.Event{}, false
}

// count counts the events after a mark.
func (r *recorder) count(mark int, is func(game.Event) bool) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, h := range r.happened[mark:] {
		if is(h.Event) {
			n++
		}
	}
	return n
}

// story tells the last happenings.
func (r *recorder) story() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	for _, h := range r.happened[max(0, len(r.happened)-60):] {
		fmt.Fprintf(&b, "tick %d kind %d player %d target %d weapon %d pickup %d sound %d value %d %v %q\n",
			h.tick, h.Kind, h.Player, h.Target, h.Weapon, h.Pickup, h.Sound, h.Value, h.Pos, h.Text)
	}
	fmt.Fprintf(&b, "last: %+v\n", r.frame)
	return b.String()
}

// seat is a real client in a host's game.
type seat struct {
	*Client
	h    *host
	id   game.PlayerID
	name string
}

// join starts a client and waits until it plays and draws.
func (h *host) join(d *Display, name string, settings ...string) *seat {
	h.t.Helper()
	return h.joinAt(h.t.TempDir(), d, name, settings...)
}

// joinAt is join with a home folder.
func (h *host) joinAt(home string, d *Display, name string, settings ...string) *seat {
	h.t.Helper()
	return h.await(d.StartTeeworldsAt(home, h.addr, name, settings...), name)
}

// await waits until a client plays and draws.
func (h *host) await(c *Client, name string) *seat {
	h.t.Helper()
	s := &seat{Client: c, h: h, name: name}
	Eventually(h.t, 90*time.Second, name+" is in the game", func() bool {
		if !c.Running() {
			h.t.Fatalf("the client ended:\n%s", c.Output())
		}
		s.id = h.id(name)
		_, alive := h.character(s.id)
		return s.id != game.Nobody && alive
	})
	return s
}

// char is the seat's tee; the zero value while it is dead.
func (s *seat) char() game.CharacterState {
	c, _ := s.h.character(s.id)
	return c
}

// try does something until the server has seen what should come of it: a real
// client now and then misses a key.
func (s *seat) try(what string, act func(), seen func() bool) {
	s.h.t.Helper()
	const tries, patience = 6, 2 * time.Second
	for range tries {
		act()
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if seen() {
				return
			}
		}
	}
	s.Shot("failed")
	s.h.t.Fatalf("%s tried %d times, and the server has not seen: %s", s.name, tries, what)
}

// holding is try with a key or button ("mouse1") that is held until the server
// has seen what should come of it.
func (s *seat) holding(key, what string, seen func() bool) {
	s.h.t.Helper()
	down, up, arg := "keydown", "keyup", key
	if button, ok := strings.CutPrefix(key, "mouse"); ok {
		down, up, arg = "mousedown", "mouseup", button
	}
	const tries, patience = 6, 3 * time.Second
	for range tries {
		s.Do(down, arg)
		ok := false
		for end := time.Now().Add(patience); !ok && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			ok = seen()
		}
		s.Do(up, arg)
		if ok {
			return
		}
	}
	s.Shot("failed")
	s.h.t.Fatalf("%s held %s %d times, and the server has not seen: %s", s.name, key, tries, what)
}

// event is a condition for try: such an event happened from now on.
func (s *seat) event(is func(game.Event) bool) func() bool {
	mark := s.h.now()
	return func() bool {
		_, ok := s.h.since(mark, is)
		return ok
	}
}

// core is a condition for try: such a core event happened from now on.
func (s *seat) core(bit int) func() bool {
	count := func() int {
		s.h.mu.Lock()
		defer s.h.mu.Unlock()
		return s.h.recorder.core[s.id][bit]
	}
	before := count()
	return func() bool { return count() > before }
}

// shows takes screenshots until one is as it should be: what the client draws
// is a little behind the server.
func (s *seat) shows(name, what string, ok func(*image.NRGBA) bool) {
	s.h.t.Helper()
	for end := time.Now().Add(10 * time.Second); ; {
		img := s.Shot(name)
		if ok(img) {
			return
		}
		if time.Now().After(end) {
			s.h.t.Fatalf("%s's screen never shows %s; it shows %s", s.name, what, describe(img))
		}
	}
}

// describe tells of a screenshot what these tests look at.
func describe(img *image.NRGBA) string {
	all := image.Rectangle{}
	return fmt.Sprintf("hearts %.2f, sky %.2f, rock %.2f, black %.2f", Share(img, Hearts, Red),
		Share(img, all, is(skyColor)), Share(img, all, is(rockColor)), Share(img, all, Black))
}

// playing tells whether a screenshot shows the game on a drawn map with the HUD
// of a healthy tee.
func playing(img *image.NRGBA) bool {
	all := image.Rectangle{}
	return Share(img, Hearts, Red) > 0.2 && Share(img, all, is(skyColor)) > 0.1 &&
		Share(img, all, is(rockColor)) > 0.1 && Share(img, all, Black) < 0.3
}

// aim turns the tee to look in a direction, by moving the mouse until the
// server sees it. The client keeps the cursor within 400 units of the tee, so
// that pushing in one direction ends there.
func (s *seat) aim(dx, dy float64) {
	s.h.t.Helper()
	want := angle(dx, dy)
	for range 12 {
		s.Move(int(dx*320), int(dy*320))
		for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if c, ok := s.h.character(s.id); ok && near(float64(c.Angle)/256, want, 0.12) {
				return
			}
		}
	}
	s.Shot("failed")
	s.h.t.Fatalf("%s looks at %.2f, not at %.2f", s.name, float64(s.char().Angle)/256, want)
}

// legend is that of the maps drawn in these tests.
var legend = map[byte]uint8{
	'.': twmap.Air, '#': twmap.Solid, 'x': twmap.Death, 'S': twmap.Spawn,
	's': twmap.PickupShotgun, 'g': twmap.PickupGrenade, 'h': twmap.PickupHealth, 'a': twmap.PickupArmor,
}

// The colours of maps drawn in these tests, to be found on screenshots.
var (
	skyColor  = twmap.Color{R: 120, G: 180, B: 240, A: 255}
	rockColor = twmap.Color{R: 140, G: 90, B: 50, A: 255}
)

// drawMap makes a map file of text: plain colours, no images.
func drawMap(t testing.TB, rows ...string) []byte {
	t.Helper()
	layer, err := twmap.ParseTiles(strings.Join(rows, "\n"), legend)
	if err != nil {
		t.Fatal(err)
	}
	var quads []twmap.Quad
	for y := range layer.Height {
		for x := range layer.Width {
			switch layer.At(x, y).Index {
			case twmap.Solid:
				quads = append(quads, twmap.NewQuad(float64(x), float64(y), 1, 1).Shaded(rockColor, rockColor))
			case twmap.Death:
				quads = append(quads, twmap.NewQuad(float64(x), float64(y), 1, 1).Shaded(twmap.Color{A: 255}, twmap.Color{R: 200, A: 255}))
			}
		}
	}
	sky := twmap.NewQuad(-100, -100, 200, 200).Shaded(skyColor, skyColor)
	m := &twmap.Map{Groups: []twmap.Group{
		twmap.NewGroup("Sky", 0, 0, twmap.NewQuadLayer("Sky", twmap.None, sky)),
		twmap.NewGroup("Game", 100, 100, twmap.NewQuadLayer("Rock", twmap.None, quads...), layer),
	}}
	file, err := m.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// is tells whether a pixel has a colour.
func is(c twmap.Color) func(r, g, b uint8) bool {
	near := func(a uint8, b int32) bool { return int32(a)-b < 6 && b-int32(a) < 6 }
	return func(r, g, b uint8) bool { return near(r, c.R) && near(g, c.G) && near(b, c.B) }
}
