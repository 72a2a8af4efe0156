package bot_test

import (
	"math"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
)

// embedded returns the game layer of an embedded map.
func embedded(name string) game.Terrain {
	file, _ := maps.Find(name)
	g := testenv.Must(twmap.Parse(file.Data)).GameLayer()
	return game.Terrain{Width: g.Width, Height: g.Height, Tiles: g.Indices()}
}

func newNav(tr game.Terrain) *bot.NavGraph { return testenv.Must(bot.NewNavGraph(tr, nil)) }

// defaultMap returns the default map and its graph. The tests share both.
var defaultMap = sync.OnceValues(func() (game.Terrain, *bot.NavGraph) {
	tr := embedded("teeyard1")
	return tr, newNav(tr)
})

// newDefaultMatch returns a match on the default map.
func newDefaultMatch(t testing.TB, seed uint64, skill ...int) *match {
	t.Helper()
	tr, nav := defaultMap()
	return newMatch(t, tr, nav, seed, skill...)
}

// match is a world with bots and statistics about them.
type match struct {
	world  *game.World
	bots   []*bot.Bot
	cmds   []game.Command
	before []vec.Vec2 // positions of the tees at the ticks in since
	since  []int32

	t             testing.TB
	kills, deaths []int // by player; deaths counts deaths by others
	falls         int   // deaths by the world
	suicides      int
	pickups       int
	longest       int32 // longest time in ticks that a tee stayed in one place
	visited       map[[2]int]bool
	onEvent       func(e *game.Event) // if set, called with every event
}

// placeRadius is the distance in units within which a tee counts as staying in one place.
const placeRadius = 64

func newMatch(t testing.TB, tr game.Terrain, nav *bot.NavGraph, seed uint64, skill ...int) *match {
	t.Helper()
	return newModeMatch(t, dm.Mode{}, tr, nav, seed, skill...)
}

func newModeMatch(t testing.TB, mode game.Mode, tr game.Terrain, nav *bot.NavGraph, seed uint64, skill ...int) *match {
	t.Helper()
	rules := game.DefaultRules()
	rules.MaxClients, rules.PlayerSlots, rules.ScoreLimit = 64, 64, 0
	w := testenv.Must(game.New(game.Config{Terrain: tr, Mode: mode, Rules: rules, Seed: seed}))
	n := len(skill)
	m := &match{
		t: t, world: w, before: make([]vec.Vec2, n), since: make([]int32, n),
		kills: make([]int, n), deaths: make([]int, n), visited: map[[2]int]bool{},
	}
	for i, s := range skill {
		b := testenv.Must(bot.New(bot.Config{Nav: nav, Skill: s, Seed: seed*1000 + uint64(i)}))
		m.bots = append(m.bots, b)
		id := game.PlayerID(i)
		m.cmds = append(m.cmds,
			game.Command{Kind: game.CmdJoin, Player: id, AddrHash: uint64(i)},
			game.Command{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: "bot", Country: -1}},
			game.Command{Kind: game.CmdEnterGame, Player: id})
	}
	w.Step(m.cmds)
	return m
}

// endless is deathmatch in which the only weapon is a laser with endless ammunition.
type endless struct{ dm.Mode }

func (endless) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	p.GiveWeapon(game.WeaponLaser, -1)
	p.SelectWeapon(game.WeaponLaser)
	p.TakeWeapon(game.WeaponGun)
	p.TakeWeapon(game.WeaponHammer)
}

func TestBotsFireWeaponsWithEndlessAmmo(t *testing.T) {
	tr, nav := defaultMap()
	m := newModeMatch(t, endless{}, tr, nav, 1, 2, 2)
	shots := 0
	m.onEvent = func(e *game.Event) {
		if e.Kind == game.EvSound && e.Sound == game.SoundLaserFire {
			shots++
		}
	}
	m.run(1500)
	testenv.Check(t, shots >= 3, "%d shots in 30 seconds", shots)
}

// think computes the commands of the next tick, and checks that a client could send them.
func (m *match) think() {
	m.cmds = m.cmds[:0]
	for i, b := range m.bots {
		v := m.world.View(game.PlayerID(i))
		in := b.NextInput(&v)
		if in.Direction < -1 || in.Direction > 1 || in.Fire < 0 || in.Fire > 63 || in.WantedWeapon < 0 || in.WantedWeapon > game.NumWeapons {
			m.t.Fatalf("input %+v", in)
		}
		m.cmds = append(m.cmds,
			game.Command{Kind: game.CmdDirectInput, Player: game.PlayerID(i), Input: in},
			game.Command{Kind: game.CmdInput, Player: game.PlayerID(i), Input: in})
	}
}

// run plays a number of ticks.
func (m *match) run(ticks int) {
	for range ticks {
		m.think()
		m.count(m.world.Step(m.cmds))
	}
}

func (m *match) count(events []game.Event) {
	for i := range events {
		if m.onEvent != nil {
			m.onEvent(&events[i])
		}
		switch e := &events[i]; e.Kind {
		case game.EvPickup:
			m.pickups++
		case game.EvKill:
			switch {
			case e.Weapon == game.WeaponWorld:
				m.falls++
			case e.Player == e.Target:
				m.suicides++
			case e.Player >= 0:
				m.kills[e.Player]++
				m.deaths[e.Target]++
			}
		}
	}
	f := m.world.Frame()
	present := [game.MaxPlayers]bool{}
	for i := range f.Characters {
		c := &f.Characters[i]
		present[c.Player] = true
		m.visited[[2]int{int(c.Pos.X) >> 7, int(c.Pos.Y) >> 7}] = true
		if vec.Distance(c.Pos, m.before[c.Player]) > placeRadius {
			m.before[c.Player], m.since[c.Player] = c.Pos, f.Tick
		}
		m.longest = max(m.longest, f.Tick-m.since[c.Player])
	}
	for i := range m.since {
		if !present[i] {
			m.since[i] = f.Tick
		}
	}
}

func sum(v []int) (n int) {
	for _, k := range v {
		n += k
	}
	return n
}

// explored counts the regions of 4 x 4 tiles in which tees can stand, and how many of them were
// visited.
func (m *match) explored(tr game.Terrain) (visited, all int) {
	found := map[[2]int]bool{}
	for y := 0; y+1 < tr.Height; y++ {
		for x := range tr.Width {
			above, below := tr.Tiles[y*tr.Width+x], tr.Tiles[(y+1)*tr.Width+x]
			if (above == 0 || above >= 192) && (below == 1 || below == 3) {
				found[[2]int{x / 4, y / 4}] = true
			}
		}
	}
	for region := range found {
		if m.visited[region] {
			visited++
		}
	}
	return visited, len(found)
}

func TestBotsPlay(t *testing.T) {
	tr, _ := defaultMap()
	m := newDefaultMatch(t, 7, 2, 2, 2, 2, 2, 2)
	m.run(120 * game.TickRate)
	seen, all := m.explored(tr)
	t.Logf("120 s, 6 bots: %d kills, %d falls, %d suicides, %d pickups, %d of %d regions visited, at most %d ticks in one place",
		sum(m.kills), m.falls, m.suicides, m.pickups, seen, all, m.longest)
	testenv.Check(t, sum(m.kills) >= 20, "%d kills are no fight", sum(m.kills))
	if m.falls+m.suicides > sum(m.kills)/8 {
		t.Errorf("%d fell and %d killed themselves beside %d kills", m.falls, m.suicides, sum(m.kills))
	}
	testenv.Check(t, m.pickups >= 100, "%d pickups", m.pickups)
	testenv.Check(t, seen*100 >= all*85, "visited %d of %d regions", seen, all)
	testenv.Check(t, m.longest <= 300, "somebody stayed in one place for %d ticks", m.longest)
	for i := range m.kills {
		testenv.Check(t, m.kills[i] != 0 && m.deaths[i] != 0, "bot %d: %d kills, %d deaths", i, m.kills[i], m.deaths[i])
	}
}

func TestSkillCounts(t *testing.T) {
	skipIfRace(t)
	seeds := uint64(1)
	if testenv.Full() {
		seeds = 3
	}
	for _, pair := range [][2]int{{3, 2}, {2, 1}} {
		better, worse := 0, 0
		for seed := range seeds {
			m := newDefaultMatch(t, 1+seed, pair[0], pair[1])
			m.run(120 * game.TickRate)
			better, worse = better+m.kills[0], worse+m.kills[1]
		}
		t.Logf("skill %d against %d: %d to %d", pair[0], pair[1], better, worse)
		if 3*better < 10*int(seeds) || better < 2*worse {
			t.Errorf("skill %d against %d: %d to %d", pair[0], pair[1], better, worse)
		}
	}
}

func TestAloneBotExplores(t *testing.T) {
	skipIfRace(t)
	tr, _ := defaultMap()
	m := newDefaultMatch(t, 3, 1)
	m.run(90 * game.TickRate)
	if seen, all := m.explored(tr); seen*2 < all || m.falls > 1 {
		t.Errorf("visited %d of %d regions, fell %d times", seen, all, m.falls)
	}
}

func TestSameSeedSamePlay(t *testing.T) {
	testenv.Long(t)
	tr, _ := defaultMap()
	play := func(seed uint64) uint64 {
		m := newMatch(t, tr, newNav(tr), seed, 1, 2, 3)
		m.run(1500)
		return m.world.Hash()
	}
	a, b, c := play(1), play(1), play(2)
	testenv.Check(t, a == b, "two matches of one seed: %x and %x", a, b)
	testenv.Check(t, a != c, "another seed makes no difference")
}

// TestPlaysFair compares a bot with a second one of the same seed. The second one receives only the
// data that a client receives.
func TestPlaysFair(t *testing.T) { playsFair(t, dm.Mode{}, 3000) }

// ghosts is deathmatch in which each tee is hidden from all others for two of every four seconds.
type ghosts struct{ dm.Mode }

func (ghosts) OnTick(ctx *game.Ctx) {
	for p := range ctx.Players() {
		viewers := game.MaskAll
		if (ctx.Tick()/100+int32(p.ID()))%2 == 0 {
			viewers = game.PlayerMask{}
		}
		p.SetVisibleTo(viewers)
	}
}

func TestPlaysFairWithHiddenTees(t *testing.T) { playsFair(t, ghosts{}, 1000) }

func playsFair(t *testing.T, mode game.Mode, ticks int) {
	tr, nav := defaultMap()
	m := newModeMatch(t, mode, tr, nav, 5, 3, 3, 3, 3)
	twin := testenv.Must(bot.New(bot.Config{Nav: nav, Skill: 3, Seed: 5 * 1000}))
	hidden := 0
	for range ticks {
		v := m.world.View(0)
		f := *v.Frame
		f.Characters, f.Projectiles, f.Pickups = nil, nil, nil
		for _, c := range v.Characters {
			if c.Player != 0 {
				if !v.Sees(c.Pos) || !v.Shows(c.NotFor) {
					hidden++
					continue
				}
				c.Health, c.Armor, c.Ammo = 0, 0, 0
			}
			f.Characters = append(f.Characters, c)
		}
		for _, p := range v.Projectiles {
			if v.Sees(p.Pos) {
				f.Projectiles = append(f.Projectiles, p)
			}
		}
		for _, p := range v.Pickups {
			if v.Sees(vec.Vec2{X: float32(p.X), Y: float32(p.Y)}) {
				f.Pickups = append(f.Pickups, p)
			}
		}
		v.Frame = &f
		in := twin.NextInput(&v)
		m.think()
		if in != m.cmds[1].Input {
			t.Fatalf("tick %d: %+v with all to see, %+v with what is on the screen", m.world.Tick(), m.cmds[1].Input, in)
		}
		m.count(m.world.Step(m.cmds))
	}
	testenv.Check(t, hidden != 0, "nobody was ever out of sight")
}

// TestMissedTicks lets bots see and act only in every second tick, as a client may.
func TestMissedTicks(t *testing.T) {
	skipIfRace(t)
	m := newDefaultMatch(t, 9, 2, 2, 2, 2)
	for range 60 * game.TickRate / 2 {
		m.run(1)
		m.count(m.world.Step(nil))
	}
	t.Logf("every second tick: %d kills, %d falls, %d pickups", sum(m.kills), m.falls, m.pickups)
	if sum(m.kills) < 4 || m.pickups < 20 || m.longest > 400 {
		t.Errorf("%d kills, %d pickups, %d ticks in one place", sum(m.kills), m.pickups, m.longest)
	}
}

// TestAimsLikeAHand checks that the speed of aiming is limited.
func TestAimsLikeAHand(t *testing.T) {
	skipIfRace(t)
	m := newDefaultMatch(t, 11, 1, 2, 3)
	last := [3]vec.Vec2{}
	most := [3]float64{}
	for range 2000 {
		m.run(1)
		for i := range last {
			in := m.cmds[2*i].Input
			d := vec.Vec2{X: float32(in.TargetX), Y: float32(in.TargetY)}
			testenv.Require(t, d.Len() >= 20, "cursor at %v", d)
			if last[i] != (vec.Vec2{}) {
				off := math.Remainder(float64(d.Angle()-last[i].Angle()), 2*math.Pi)
				most[i] = max(most[i], math.Abs(off))
			}
			last[i] = d
		}
	}
	t.Logf("fastest turn per tick: %.2f rad", most)
	for i, limit := range [3]float64{0.13, 0.21, 0.36} {
		testenv.Check(t, most[i] <= limit, "skill %d turned by %.2f rad in a tick", i+1, most[i])
	}
}

// skipIfRace skips long matches under the race detector, since bots start no goroutines.
func skipIfRace(t *testing.T) {
	t.Helper()
	if testenv.Race {
		t.Skip("too slow with the race detector, and nothing is concurrent")
	}
}

// TestShareNav lets bots on several goroutines share a graph.
func TestShareNav(t *testing.T) {
	tr := embedded("testbox")
	nav := newNav(tr)
	hashes := make(chan uint64)
	for range 3 {
		go func() {
			m := newMatch(t, tr, nav, 4, 2, 3)
			m.run(300)
			hashes <- m.world.Hash()
		}()
	}
	a, b, c := <-hashes, <-hashes, <-hashes
	testenv.Check(t, a == b && b == c, "equal matches differ: %x %x %x", a, b, c)
}

func TestNextInputAllocatesNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	m := newDefaultMatch(t, 1, 1, 2, 3, 2)
	m.run(200)
	if n := testing.AllocsPerRun(500, func() {
		m.think()
		m.world.Step(m.cmds)
	}); n > 0 {
		t.Errorf("%v allocations per tick", n)
	}
}

// BenchmarkNextInput measures one tick of n bots on the default map.
func BenchmarkNextInput(b *testing.B) {
	for _, n := range []int{16, 64} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			m := newDefaultMatch(b, 1, slices.Repeat([]int{2}, n)...)
			m.run(500)
			b.ReportAllocs()
			for b.Loop() {
				m.think()
				b.StopTimer()
				m.world.Step(m.cmds)
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/bot")
		})
	}
}

func BenchmarkNav(b *testing.B) {
	tr, _ := defaultMap()
	b.ReportAllocs()
	for b.Loop() {
		newNav(tr)
	}
}

// hammerer is deathmatch in which player 1 has only the hammer.
type hammerer struct{ dm.Mode }

func (hammerer) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	if id == 1 {
		p.SelectWeapon(game.WeaponHammer)
		p.TakeWeapon(game.WeaponGun)
	}
}

// OnEntity leaves out the pickups.
func (hammerer) OnEntity(ctx *game.Ctx, tile uint8, _ vec.Vec2) {
	if tile > 194 {
		ctx.Cancel()
	}
}

func TestBotsKeepAwayFromHammers(t *testing.T) {
	tr, nav := defaultMap()
	m := newModeMatch(t, hammerer{}, tr, nav, 1, 3, 3)
	near, hammers := 0, 0
	for range 2000 {
		m.run(1)
		if c := m.world.Frame().Characters; len(c) == 2 {
			if vec.Distance(c[0].Pos, c[1].Pos) < 75 {
				near++
			}
			if c[0].Player == 0 && c[0].Weapon == game.WeaponHammer || c[1].Player == 0 && c[1].Weapon == game.WeaponHammer {
				hammers++
			}
		}
	}
	t.Logf("near for %d ticks, with a hammer for %d", near, hammers)
	testenv.Check(t, near > 0 && hammers == 0, "with a gun and a hammer, the bot has the hammer in its hands for %d ticks against another hammer", hammers)
}
