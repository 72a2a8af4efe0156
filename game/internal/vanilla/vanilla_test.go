package vanilla_test

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/internal/vanilla"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/splitmix"
	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// match is a Host without modes and mods. Its players are all connected.
type match struct {
	vanilla.World
	tees   tee.Tees
	flags  [2]tee.Flag
	ids    tee.IDs
	rand   splitmix.Rand
	rules  vanilla.Rules
	team   [tee.Max]vanilla.Team
	refuse bool // hits
	hits   []vanilla.Damage
	dead   []tee.ID
	taken  []vanilla.PickupKind
	back   []vanilla.Team // flags that returned
}

func (m *match) Rules() vanilla.Rules { return m.rules }

func (m *match) Player(id tee.ID) vanilla.Player {
	return vanilla.Player{Connected: true, Team: m.team[id]}
}

func (m *match) Hit(d vanilla.Damage) (vanilla.Damage, bool)      { return d, !m.refuse }
func (m *match) Hurt(d vanilla.Damage)                            { m.hits = append(m.hits, d) }
func (m *match) Fire(tee.ID, tee.Weapon, vec.Vec2) bool           { return true }
func (m *match) FlagReturned(t vanilla.Team)                      { m.back = append(m.back, t) }
func (m *match) Sound(vec.Vec2, vanilla.Sound)                    {}
func (m *match) Explosion(vec.Vec2)                               {}
func (m *match) HammerHit(vec.Vec2)                               {}
func (m *match) Taken(_ tee.ID, k vanilla.PickupKind, _ vec.Vec2) { m.taken = append(m.taken, k) }

func (m *match) Take(tee.ID, vanilla.PickupKind, vanilla.Handle) bool { return true }

func (m *match) Die(victim, _ tee.ID, _ tee.Weapon) {
	m.dead = append(m.dead, victim)
	m.tees.Die(victim)
}

// newMatch returns a match on a map of 40 x 10 tiles with a floor and a shield at (24, 8), and two
// tees on the floor at (10, 8) and (16, 8).
func newMatch(t *testing.T) *match {
	const width, height = 40, 10
	tiles := make([]uint8, width*height)
	for x := range width {
		tiles[(height-1)*width+x] = 1
	}
	tiles[8*width+24] = 197
	m := &match{}
	c := testenv.Must(physics.NewCollision(width, height, tiles))
	m.tees.Init(c, physics.DefaultTuning())
	m.World = vanilla.New(vanilla.Config{Host: m, Tees: &m.tees, Flags: &m.flags, IDs: &m.ids, Rand: &m.rand})
	m.Tuning = physics.DefaultTuning()
	none := func(uint8, vec.Vec2) bool { return false }
	if err := m.Populate(&terrain.Terrain{Width: width, Height: height, Tiles: tiles}, none); err != nil {
		t.Fatal(err)
	}
	for i, x := range []float32{10, 16} {
		entity, _ := m.ids.Alloc()
		m.tees.Spawn(tee.ID(i), vec.Vec2{X: x*32 + 16, Y: 8*32 + 17}, entity)
	}
	return m
}

// steps runs ticks.
func (m *match) steps(n int) {
	for range n {
		m.Tick++
		m.World.Step()
		m.SweepShots()
	}
}

func TestShotHitsTee(t *testing.T) {
	for name, test := range map[string]struct {
		set  func(m *match)
		hits int
	}{
		"hit":         {func(*match) {}, 1},
		"refused":     {func(m *match) { m.refuse = true }, 0},
		"teammate":    {func(m *match) { m.rules.Teams = true }, 0},
		"team damage": {func(m *match) { m.rules.Teams, m.rules.TeamDamage = true, true }, 1},
		"opponent":    {func(m *match) { m.rules.Teams, m.team[1] = true, vanilla.TeamBlue }, 1},
		"solo":        {func(m *match) { m.tees.Extended = m.tees.All[1].SetFlags(tee.Solo) }, 0},
	} {
		m := newMatch(t)
		test.set(m)
		m.World.Fire(m.NewProjectile(tee.WeaponGun, 0, m.tees.All[0].Pos, vec.Vec2{X: 1}))
		m.steps(20)
		testenv.Check(t, len(m.hits) == test.hits, "%s: hits %+v", name, m.hits)
		testenv.Check(t, m.tees.All[1].Health == int32(10-test.hits), "%s: health %d", name, m.tees.All[1].Health)
	}
}

func TestInputFires(t *testing.T) {
	m := newMatch(t)
	for range 3 {
		m.tees.All[0].SetInput(&tee.Input{TargetX: 100}, m.Tick)
	}
	m.Input(0, &tee.Input{TargetX: 100, Fire: 1}, false)
	testenv.Check(t, len(m.Projectiles) == 0, "fires although it may not act")
	m.Input(0, &tee.Input{TargetX: 100, Fire: 3}, true)
	testenv.Check(t, len(m.Projectiles) == 1 && m.Projectiles[0].Owner == 0 && m.tees.All[0].Weapons[tee.WeaponGun].Ammo == 9, "shots %+v", m.Projectiles)
	m.DisownProjectiles(0)
	testenv.Check(t, m.Projectiles[0].Owner == vanilla.OwnerFromTeam(vanilla.TeamRed), "owner %d", m.Projectiles[0].Owner)
	m.steps(20)
	testenv.Check(t, len(m.hits) == 1 && m.hits[0].Attacker < tee.Nobody, "hits %+v", m.hits)
	testenv.Check(t, m.ids.Used() == 3, "%d ids are in use", m.ids.Used())
}

func TestTeeTakesPickupAndDies(t *testing.T) {
	m := newMatch(t)
	m.tees.All[1].SetInput(&tee.Input{Direction: 1, TargetX: 1}, m.Tick)
	m.steps(60)
	testenv.Check(t, slices.Equal(m.taken, []vanilla.PickupKind{vanilla.PickupArmor}) && m.tees.All[1].Armor == 1, "took %v", m.taken)
	m.Damage(vanilla.Damage{Victim: 1, Attacker: 0, Weapon: tee.WeaponGrenade, Amount: 12})
	testenv.Check(t, slices.Equal(m.dead, []tee.ID{1}) && !m.tees.Alive(1) && m.tees.All[0].Emote == tee.EmoteHappy, "dead %v", m.dead)
}

func TestDroppedFlagReturns(t *testing.T) {
	m := newMatch(t)
	m.flags[1] = tee.Flag{Exists: true, Carrier: tee.Nobody, Pos: vec.Vec2{X: 100, Y: 200}, Stand: vec.Vec2{X: 50, Y: 200}}
	m.steps(30 * tee.TickRate)
	testenv.Check(t, len(m.back) == 0 && m.flags[1].Pos.Y > 250, "flag %+v", m.flags[1])
	m.steps(1)
	testenv.Check(t, slices.Equal(m.back, []vanilla.Team{vanilla.TeamBlue}) && m.flags[1].AtStand, "flag %+v", m.flags[1])
}

// TestPredictionIsTheSimulation predicts a tee that runs and jumps.
func TestPredictionIsTheSimulation(t *testing.T) {
	m := newMatch(t)
	p := vanilla.NewPrediction(m.tees.Physics.Collision)
	p.Begin(m.Tick, &m.Tuning, false)
	for id := range tee.ID(2) {
		c := &m.tees.All[id]
		s := c.Core.State()
		testenv.Check(t, p.Add(id, c.Pos, &s, 0), "tee %d was left out", id)
	}
	p.SetOwn(0, vanilla.OwnState{CanMove: true})
	for i := range 50 {
		in := tee.Input{Direction: 1, TargetX: 10, TargetY: -5, Jump: i%20 == 5}
		m.tees.All[0].SetInput(&in, m.Tick)
		p.SetInput(0, in)
		m.steps(1)
		p.Step()
		for id := range tee.ID(2) {
			if want, got := m.tees.All[id].Core.State(), p.Core(id).State(); want != got {
				t.Fatalf("tee %d in tick %d: %+v, predicted %+v", id, m.Tick, want, got)
			}
		}
	}
}
