package server

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/transport"
)

// eye is a client that remembers what it saw, tick by tick.
type eye struct {
	*client.Session
	name  string
	saw   map[int32]game.View
	input game.Input
}

// copyView keeps a view that was borrowed.
func copyView(v *game.View) game.View {
	w, f := *v, *v.Frame
	f.Players, f.Characters = slices.Clone(f.Players), slices.Clone(f.Characters)
	f.Projectiles, f.Lasers = slices.Clone(f.Projectiles), slices.Clone(f.Lasers)
	f.Pickups, f.Flags = slices.Clone(f.Pickups), slices.Clone(f.Flags)
	w.Frame = &f
	return w
}

// eye adds a client; ip is the last byte of its address.
func (a *arena) eye(ip int, cfg client.SessionConfig) *eye {
	a.t.Helper()
	e := &eye{name: cfg.Name, saw: map[int32]game.View{}}
	peer := transport.UDPPeer(netip.AddrFrom4([4]byte{10, 0, 7, byte(ip)}), 50000)
	cfg.Send = func(b []byte) { a.net.Send(peer, a.addr, b) }
	cfg.Token = func() packet.Token { return packet.Token(a.rand.Uint32() &^ (1 << 31)) }
	cfg.OnSnapshot = func(tick int32, s *snapshot.Snapshot) {
		e.saw[tick] = copyView(e.ClientSide().ReceiveSnapshot(tick, s))
	}
	s, err := client.NewSession(cfg)
	if err != nil {
		a.t.Fatal(err)
	}
	e.Session = s
	a.net.Handle(peer, func(now int64, from transport.Peer, b []byte) {
		if from == a.addr {
			s.Feed(conn.Time(now), append([]byte(nil), b...))
		}
	})
	if err := s.Dial(a.now()); err != nil {
		a.t.Fatal(err)
	}
	a.net.Every(5*time.Millisecond, func(now int64) {
		if s.State() == client.Offline { // what proves an address may be lost
			s.Dial(conn.Time(now))
		}
		s.Step(conn.Time(now))
	})
	return e
}

// ask asks something of the game.
func (e *eye) ask(a *arena, c game.Command) {
	a.t.Helper()
	if err := e.Request(a.now(), func(g bridge.ClientSide) { g.SendCommand(&c) }); err != nil {
		a.t.Fatal(err)
	}
}

// id is the client's seat.
func (e *eye) id() game.PlayerID { return e.ClientSide().OwnID() }

// wander fights at random.
func (e *eye) wander(a *arena) {
	in := &e.input
	switch a.rand.IntN(6) {
	case 0:
		in.Direction = int32(a.rand.IntN(3) - 1)
	case 1:
		in.Jump, in.Hook = a.rand.IntN(2) == 0, a.rand.IntN(2) == 0
	case 2:
		in.TargetX, in.TargetY = int32(a.rand.IntN(400)-200), int32(a.rand.IntN(200)-100)
	case 3:
		in.Fire = (in.Fire + 1) & 63
	case 4:
		if a.rand.IntN(8) == 0 {
			in.WantedWeapon = int32(1 + a.rand.IntN(5))
		}
	}
	e.SetInput(*in)
}

// lost takes from what a viewer sees what the oldest of the protocols cannot carry, as
// the comment of package bridge6 lists it.
func lost(c game.CharacterState, known bool) game.CharacterState {
	c.TriggeredEvents = 0
	c.Weapon = max(c.Weapon, 0)
	if c.Ammo = min(max(c.Ammo, 0), 10); c.Weapon == game.WeaponNinja {
		c.Ammo = 0
	}
	if !known {
		c.Health, c.Armor, c.Ammo = 0, 0, 0
	}
	return c
}

func find[T any](all []T, is func(*T) bool) (none T, ok bool) {
	for i := range all {
		if is(&all[i]) {
			return all[i], true
		}
	}
	return none, false
}

// both compares what two clients saw in a tick with each other, of all that the world
// had in the sight of both.
func both(t *testing.T, world *game.Frame, viewA, viewB, a, b *game.View, told game.PlayerFlags, seen map[string]int) {
	t.Helper()
	sees := func(x, y int32) bool {
		p := vec.Vec2{X: float32(x), Y: float32(y)}
		return viewA.Sees(p) && viewB.Sees(p)
	}
	same := func(what string, x, y any, okX, okY bool) {
		t.Helper()
		seen[what]++
		if d := cmp.Diff(x, y); !okX || !okY || d != "" {
			t.Errorf("tick %d, %s: seen %v and %v\n%s", world.Tick, what, okX, okY, d)
		}
	}
	for i := range world.Characters {
		w := &world.Characters[i]
		if !viewA.Sees(w.Pos) || !viewB.Sees(w.Pos) {
			continue
		}
		is := func(c *game.CharacterState) bool { return c.Player == w.Player }
		x, okX := find(a.Characters, is)
		y, okY := find(b.Characters, is)
		known := viewA.VitalsOf == w.Player && viewB.VitalsOf == w.Player
		same("tee", lost(x, known), lost(y, known), okX, okY)
		if known {
			same("health", [3]int32{lost(*w, true).Health, lost(*w, true).Armor, lost(*w, true).Ammo}, [3]int32{y.Health, y.Armor, y.Ammo}, okX, okY)
		}
	}
	for i := range world.Projectiles {
		w := &world.Projectiles[i]
		if viewA.Sees(w.Pos) && viewB.Sees(w.Pos) {
			is := func(p *game.ProjectileState) bool { return p.ID == w.ID }
			x, okX := find(a.Projectiles, is)
			y, okY := find(b.Projectiles, is)
			same("shot", x, y, okX, okY)
		}
	}
	for i := range world.Lasers {
		w := &world.Lasers[i]
		if viewA.Sees(w.Pos) && viewB.Sees(w.Pos) {
			is := func(l *game.LaserState) bool { return l.ID == w.ID }
			x, okX := find(a.Lasers, is)
			y, okY := find(b.Lasers, is)
			same("beam", x, y, okX, okY)
		}
	}
	for i := range world.Pickups {
		w := &world.Pickups[i]
		if sees(w.X, w.Y) {
			is := func(p *game.PickupState) bool { return p.ID == w.ID }
			x, okX := find(a.Pickups, is)
			y, okY := find(b.Pickups, is)
			same("pickup", x, y, okX, okY)
		}
	}
	for i := range world.Players {
		w := &world.Players[i]
		is := func(p *game.PlayerState) bool { return p.ID == w.ID }
		x, okX := find(a.Players, is)
		y, okY := find(b.Players, is)
		who := func(p *game.PlayerState) [4]int32 {
			return [4]int32{int32(p.Team), p.Score, p.Latency, int32(p.Flags & told)}
		}
		same("player", who(&x), who(&y), okX, okY)
		if w.Score != 0 {
			seen["score"]++
		}
	}
	if len(a.Players) != len(b.Players) || len(a.Players) != len(world.Players) {
		t.Errorf("tick %d: %d and %d players of %d", world.Tick, len(a.Players), len(b.Players), len(world.Players))
	}
	const state = game.StateSuddenDeath | game.StateGameOver
	where := func(g *game.GameState) [6]int32 {
		return [6]int32{g.StartTick, int32(g.State & state), g.ScoreLimit, g.TimeLimit, g.MatchNum, g.MatchCurrent}
	}
	same("match", where(&a.Game), where(&b.Game), true, true)
}

// TestSameWorld: clients of the versions see the same world in the same tick: who
// plays, and those who look over his shoulder. Nothing is compared but what both were
// sent, and what the protocols cannot carry is left out; see lost.
func TestSameWorld(t *testing.T) {
	link := netsim.Link{Loss: 0.03, Delay: 15 * time.Millisecond, Jitter: 20 * time.Millisecond}
	truth := map[int32]map[game.PlayerID]game.View{}
	a := newArenaWith(t, link, 3, func(c *Config) {
		c.Watch = func(w *game.World, _ []game.Event) {
			if w.Tick()%2 == 0 {
				views := map[game.PlayerID]game.View{}
				kept := *w.Frame()
				for _, p := range kept.Players {
					v := w.View(p.ID)
					if len(views) == 0 {
						c := copyView(&v)
						kept = *c.Frame
					}
					v.Frame = &kept
					views[p.ID] = v
				}
				truth[w.Tick()] = views
			}
		}
	}, "sv_map testbox; sv_scorelimit 3; sv_inactivekick_time 0; sv_warmup 0")
	versions := []client.SessionConfig{
		{Name: "young", Version: client.Version07},
		{Name: "ddnet", Version: client.Version06, DDNetVersion: 16040},
		{Name: "many", Version: client.Version06},
		{Name: "vanilla", Version: client.Version06, DDNetVersion: -1, LegacyHandshake: true},
	}
	var players, watchers []*eye
	for i, cfg := range versions {
		players = append(players, a.eye(1+i, cfg))
	}
	m, err := twmap.Parse(a.srv.gameMap.mostCompatible().File)
	if err != nil {
		t.Fatal(err)
	}
	collision, err := physics.NewCollision(m.GameLayer().Width, m.GameLayer().Height, m.GameLayer().Indices())
	if err != nil {
		t.Fatal(err)
	}
	in := func(all []*eye) func() bool {
		return func() bool {
			for _, e := range all {
				if e.State() != client.Playing || e.id() < 0 {
					return false
				}
			}
			return true
		}
	}
	a.until(2*time.Minute, "players", in(players))
	for i, cfg := range versions {
		for j := range players[:2] { // one of each family is looked at
			cfg.Name = fmt.Sprintf("%s at %d", versions[i].Name, j)
			watchers = append(watchers, a.eye(20+4*i+j, cfg))
		}
	}
	a.until(2*time.Minute, "watchers", in(watchers))
	all := slices.Concat(players, watchers)
	for _, e := range all {
		e.ClientSide().SetMap(collision)
	}
	for _, e := range watchers {
		e.ask(a, game.Command{Kind: game.CmdSetTeam, Team: game.TeamSpectators})
	}
	a.run(4 * time.Second)
	for i, e := range watchers {
		e.ask(a, game.Command{Kind: game.CmdSpectate, Spectate: game.SpectatePlayer, Target: players[i%2].id()})
	}
	for _, e := range players {
		a.net.Every(20*time.Millisecond, func(int64) { e.wander(a) })
	}
	a.srv.Execute("sv_rcon_password secret")
	players[0].Request(a.now(), func(g bridge.ClientSide) { g.SendRconAuth("", "secret") })
	a.run(time.Second)
	clear(truth)
	a.run(20 * time.Second)

	seen := map[string]int{}
	for i, j := range players[:2] {
		group := []*eye{j}
		for k, e := range watchers {
			if k%2 == i {
				group = append(group, e)
			}
		}
		for x, left := range group {
			for _, right := range group[x+1:] {
				n, told := 0, game.PlayerFlagAdmin
				if strings.Contains(left.name+right.name, "vanilla") {
					told = 0 // that somebody is an operator only DDNet's clients know
				}
				for tick, views := range truth {
					v, ok := left.saw[tick]
					w, ok2 := right.saw[tick]
					if !ok || !ok2 {
						continue
					}
					n++
					tv, tw := views[left.id()], views[right.id()]
					both(t, tv.Frame, &tv, &tw, &v, &w, told, seen)
					if t.Failed() {
						t.Fatalf("%s and %s", left.name, right.name)
					}
				}
				if n < 200 {
					t.Errorf("%s and %s saw %d ticks together", left.name, right.name, n)
				}
			}
		}
	}
	for _, what := range []string{"tee", "health", "shot", "pickup", "player", "score", "match"} {
		if seen[what] == 0 {
			t.Errorf("nobody saw any %s", what)
		}
	}
	t.Log(seen)
	for _, e := range all[1:] {
		for _, p := range players {
			x, okX := all[0].ClientSide().Player(p.id())
			y, okY := e.ClientSide().Player(p.id())
			if !okX || !okY || x.Profile.Name != y.Profile.Name || x.Profile.Clan != y.Profile.Clan || x.Profile.Country != y.Profile.Country || x.Team != y.Team {
				t.Errorf("%s takes %d for %+v, %s for %+v", all[0].name, p.id(), x, e.name, y)
			}
		}
		if st := e.Stats(); st.CRCFailures+st.BadDelta+st.BadMessage+st.UnknownMessages != 0 {
			t.Errorf("%s: %+v", e.name, st)
		}
	}
}
