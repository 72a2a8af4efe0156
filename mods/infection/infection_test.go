package infection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/infection"
)

const (
	infected = game.TeamRed
	humans   = game.TeamBlue
	hammer   = game.WeaponHammer
)

var room = modtest.ParseMap(nil,
	"########################################",
	"#                                      #",
	"#                                      #",
	"#                                      #",
	"#                                      #",
	"#                                      #",
	"# R   S   S   S   S   S   S   S   S  B #",
	"########################################",
)

// hand is a mod that runs a function of the test.
type hand struct{ do func(ctx *game.Ctx) }

func (*hand) Start(*game.Setup) {}

func (h *hand) OnTick(ctx *game.Ctx) {
	if do := h.do; do != nil {
		h.do = nil
		do(ctx)
	}
}

// round is a world with Infection.
type round struct {
	*modtest.World
	hand *hand
}

// newRound returns a round with settings and n players.
func newRound(t *testing.T, n game.PlayerID, settings ...string) *round {
	t.Helper()
	variables := map[string]string{"inf_spawn_protection_time": "0", "inf_initial_infection_delay": "2"}
	for _, s := range settings {
		name, value, _ := strings.Cut(s, " ")
		variables[name] = value
	}
	h := &hand{}
	w := modtest.New(t, game.Config{Mode: infection.New(), Mods: []game.Mod{h}, Terrain: room, Variables: variables, Seed: 3})
	r := &round{w, h}
	for id := range n {
		r.Enter(id)
	}
	r.Run(60)
	return r
}

// now runs a function in the next tick.
func (r *round) now(do func(ctx *game.Ctx)) []game.Event {
	r.hand.do = do
	return r.Run(1)
}

// put moves tees to tiles of the floor, by column.
func (r *round) put(tiles map[game.PlayerID]float32) {
	r.now(func(ctx *game.Ctx) {
		for p := range ctx.Players() {
			if x, ok := tiles[p.ID()]; ok {
				p.SetPos(vec.Vec2{X: x * 32, Y: 6*32 + 17})
				p.SetVel(vec.Vec2{})
			}
		}
	})
	r.Run(3)
}

func (r *round) team(id game.PlayerID) game.Team {
	p, _ := r.Player(id)
	return p.Team
}

// in returns the players in a team.
func (r *round) in(team game.Team) (ids []game.PlayerID) {
	for id := range game.PlayerID(game.MaxPlayers) {
		if p, ok := r.Player(id); ok && p.Team == team {
			ids = append(ids, id)
		}
	}
	return ids
}

// choose makes a player choose a class.
func (r *round) choose(id game.PlayerID, class string) []game.Event {
	return r.Run(1, game.ChatCommand(id, "class", class))
}

// infect waits until the infection begins, and makes exactly these players infected.
func (r *round) infect(ids ...game.PlayerID) {
	r.T.Helper()
	r.RunUntil("infected", 200, func() bool { return len(r.in(infected)) > 0 })
	r.now(func(ctx *game.Ctx) {
		for p := range ctx.Players() {
			p.SetTeam(humans)
		}
		for _, id := range ids {
			ctx.Player(id).SetTeam(infected)
		}
		for p := range ctx.Players() {
			p.RespawnNow()
		}
	})
	r.RunUntil("alive", 100, func() bool {
		for id := range game.PlayerID(game.MaxPlayers) {
			if _, ok := r.Player(id); ok && !r.Alive(id) {
				return false
			}
		}
		return true
	})
}

func text(w *modtest.World, id game.PlayerID) string { return w.Game.ScreenText(id) }

// TestRound begins with humans. Some become infected, and the round ends when all are or when the
// time is over.
func TestRound(t *testing.T) {
	r := newRound(t, 4, "sv_timelimit_in_seconds 20", "inf_proba_boomer 0", "inf_proba_bat 0")
	testenv.Check(t, len(r.in(humans)) == 4 && strings.Contains(text(r.World, 0), "Infection in 1 s"), "%v, %q", r.in(humans), text(r.World, 0))
	r.RunUntil("infected", 100, func() bool { return len(r.in(infected)) > 0 })
	bad, good := r.in(infected), r.in(humans)
	testenv.Require(t, len(bad) == 2 && len(good) == 2, "%v are infected, not %v", bad, good)
	r.RunUntil("all live", 50, func() bool { return r.Alive(bad[0]) && r.Alive(bad[1]) })
	testenv.Check(t, r.TeamScore(humans) == 2 && r.TeamScore(infected) == 2, "%d to %d", r.TeamScore(humans), r.TeamScore(infected))

	// A hammer infects, and the infected player goes on in the same place.
	r.put(map[game.PlayerID]float32{bad[0]: 10, good[0]: 11.5, bad[1]: 2, good[1]: 35})
	at := r.Pos(good[0])
	events := r.Shoot(bad[0], good[0], hammer)
	testenv.Check(t, r.team(good[0]) == infected && r.Alive(good[0]) && vec.Distance(r.Pos(good[0]), at) < 100, "%+v", events)
	testenv.Check(t, r.Score(bad[0]) == 3 && modtest.Told(events, good[0], "infected you"), "%d points", r.Score(bad[0]))

	events = r.RunUntil("over", 20*game.TickRate, func() bool { return r.Frame().Game.State&game.StateGameOver != 0 })
	testenv.Check(t, text(r.World, 0) == "", "the text stays: %q", text(r.World, 0))
	testenv.Check(t, modtest.Told(events, 0, "1 human wins") && r.Score(good[1]) == 5 && r.TeamScore(humans) > r.TeamScore(infected), "%d points",
		r.Score(good[1]))

	// In the next round other players are infected first.
	r.RunUntil("the next round", 15*game.TickRate, func() bool { return r.Frame().Game.State == 0 })
	events = r.RunUntil("all human", 10, func() bool { return len(r.in(humans)) == 4 })
	for _, e := range events {
		testenv.Check(t, e.Kind != game.EvTeamChange || e.Flag, "players are told of each one who moves: %+v", e)
	}
	r.RunUntil("infected again", 200, func() bool { return len(r.in(infected)) > 0 })
	next := r.in(infected)
	testenv.Check(t, len(next) == 2 && next[0] == good[0] && next[1] == good[1], "%v, after %v", next, bad)

	// Falls and suicides infect too.
	r.RunUntil("all live", 50, func() bool { return r.Alive(bad[0]) && r.Alive(bad[1]) })
	for _, id := range bad {
		events = r.now(func(ctx *game.Ctx) { ctx.Player(id).Kill(game.WeaponWorld) })
		testenv.Check(t, r.Score(id) == -1, "%d points", r.Score(id))
		events = append(events, r.Run(5)...)
	}
	testenv.Check(t, modtest.Told(events, 0, "The infected win") && modtest.Count(events, game.EvMatchEnd) == 1, "%+v", events)
}

// TestNobodyDodges checks that players cannot avoid the infection by leaving, joining late or
// spectating.
func TestNobodyDodges(t *testing.T) {
	r := newRound(t, 3, "inf_teambalance_seconds 3")
	r.infect(0)
	r.Enter(3)
	testenv.Check(t, r.team(3) == infected, "who comes late is human")
	r.Run(1, game.Command{Kind: game.CmdSetTeam, Player: 2, Team: game.TeamSpectators})
	r.Run(4 * game.TickRate)
	r.Run(1, game.Command{Kind: game.CmdSetTeam, Player: 2, Team: humans})
	r.Run(10)
	testenv.Check(t, r.team(2) == infected, "who watched is human")
	for _, id := range []game.PlayerID{2, 3} {
		r.Run(1, game.Command{Kind: game.CmdLeave, Player: id})
	}
	events := r.Run(1, game.Command{Kind: game.CmdSetTeam, Player: 0, Team: game.TeamSpectators})
	testenv.Check(t, r.team(0) == infected && modtest.Told(events, 0, "You are infected"), "the last infected watches")
	r.Run(1, game.Command{Kind: game.CmdSetTeam, Player: 1, Team: infected})
	testenv.Check(t, r.team(1) == humans, "a human changed sides")

	r = newRound(t, 3, "inf_teambalance_seconds 3")
	r.infect(0)
	r.Run(1, game.Command{Kind: game.CmdLeave, Player: 0})
	r.Run(3)
	testenv.Check(t, len(r.in(infected)) == 1, "nobody takes the place of the only infected")
}

// TestClasses lets players choose classes.
func TestClasses(t *testing.T) {
	r := newRound(t, 3, "inf_enable_hero 0")
	lines, _ := r.Game.MenuLines(0)
	testenv.Check(t, len(lines) == 5 && strings.HasPrefix(lines[0], "Engineer: "), "the menu is %q", lines)
	for _, l := range lines {
		testenv.Check(t, len(l) < 64, "%q has %d bytes", l, len(l))
	}
	r.Run(1, game.ChooseLine(0, lines[0]))
	r.Run(10)
	testenv.Check(t, r.Tee(0).Weapon == game.WeaponLaser && strings.Contains(text(r.World, 0), "\nEngineer"), "%+v %q", r.Tee(0), text(r.World, 0))
	p, _ := r.Player(0)
	before := p.Profile.Skin
	r.choose(0, "hero")
	r.choose(0, "medic")
	testenv.Check(t, r.Tee(0).Weapon == game.WeaponShotgun, "%+v", r.Tee(0))
	p, _ = r.Player(0)
	testenv.Check(t, p.Profile.Skin != before, "no other skin")
	r.infect(1)
	lines, _ = r.Game.MenuLines(1)
	testenv.Check(t, len(lines) == 6 && strings.HasPrefix(lines[0], "Smoker: "), "the menu of an infected is %q", lines)
	testenv.Check(t, r.Tee(2).Armor == 0 || r.Tee(2).Armor == 10, "armor")
	events := r.Run(1, game.ChooseLine(1, lines[1]))
	testenv.Check(t, modtest.Told(events, 1, "next life"), "%+v", events)
	r.now(func(ctx *game.Ctx) { ctx.Player(1).Kill(game.WeaponWorld) })
	r.RunUntil("alive", 300, func() bool { return r.Alive(1) })
	testenv.Check(t, r.Tee(1).Jumps == 3 && r.Game.PlayerTuning(1) != r.Game.Tuning(), "no hunter: %+v", r.Tee(1))
	p, _ = r.Player(1)
	testenv.Check(t, p.Profile.Skin.PartNames[1] == "warpaint", "%+v", p.Profile.Skin)
}

// tool starts a round in which player 0 is a human of a class in column 10, and player 1 an
// infected of the class foe in column x.
func tool(t *testing.T, class, foe string, x float32, settings ...string) *round {
	t.Helper()
	r := newRound(t, 3, settings...)
	r.choose(0, class)
	r.infect(1)
	r.choose(1, foe)
	r.now(func(ctx *game.Ctx) { ctx.Player(1).Kill(game.WeaponWorld) })
	r.RunUntil("alive", 300, func() bool { return r.Alive(1) })
	r.put(map[game.PlayerID]float32{0: 10, 1: x, 2: 37})
	return r
}

func (r *round) use(weapon game.Weapon, ticks int) []game.Event {
	r.T.Helper()
	r.now(func(ctx *game.Ctx) { ctx.Player(0).SelectWeapon(weapon) })
	return r.Fire(0, ticks)
}

func (r *round) aim(x, y int32) { r.Hold(0, game.Input{TargetX: x, TargetY: y}) }

func TestEngineerBuildsWalls(t *testing.T) {
	r := tool(t, "engineer", "smoker", 20)
	r.use(hammer, 20)
	r.put(map[game.PlayerID]float32{0: 13})
	r.use(hammer, 20)
	testenv.Check(t, len(r.Frame().Lasers) == 2, "%+v", r.Frame().Lasers)
	r.put(map[game.PlayerID]float32{2: 12})
	testenv.Check(t, r.Alive(2), "a human dies")
	r.put(map[game.PlayerID]float32{2: 37, 1: 11})
	testenv.Check(t, !r.Alive(1) && r.Score(0) == 1, "an infected lives, %d points", r.Score(0))
	r.Run(32 * game.TickRate)
	testenv.Check(t, len(r.Frame().Lasers) == 0, "%+v", r.Frame().Lasers)
}

func TestSoldierExplodesBombs(t *testing.T) {
	r := tool(t, "soldier", "smoker", 16)
	r.aim(100, 0)
	r.use(hammer, 20)
	testenv.Check(t, len(r.Frame().Projectiles) == 3, "%+v", r.Frame().Projectiles)
	r.put(map[game.PlayerID]float32{0: 4, 1: 11})
	r.use(hammer, 20)
	testenv.Check(t, len(r.Frame().Projectiles) == 2 && !r.Alive(1) && r.Tee(0).Health == 10, "%+v", r.Frame().Characters)
	r.use(hammer, 20)
	r.use(hammer, 20)
	testenv.Check(t, len(r.Frame().Projectiles) == 0, "%+v", r.Frame().Projectiles)
}

func TestScientistLaysMinesAndTeleports(t *testing.T) {
	r := tool(t, "scientist", "smoker", 25)
	for _, x := range []float32{10, 14, 18} {
		r.put(map[game.PlayerID]float32{0: x})
		r.use(hammer, 40)
	}
	testenv.Check(t, len(r.Frame().Lasers) == 2*12, "%d lasers", len(r.Frame().Lasers))
	r.aim(-320, 0)
	r.use(game.WeaponGrenade, 5)
	testenv.Check(t, r.Pos(0).X < 12*32 && r.Tee(0).Ammo == 2, "at %v with %d rounds", r.Pos(0), r.Tee(0).Ammo)
	r.put(map[game.PlayerID]float32{1: 17})
	testenv.Check(t, !r.Alive(1) && len(r.Frame().Lasers) == 12, "%d lasers", len(r.Frame().Lasers))
}

func TestMedicHealsAndCures(t *testing.T) {
	r := tool(t, "medic", "smoker", 15, "inf_revival_min_infected 1")
	r.put(map[game.PlayerID]float32{2: 11.3})
	r.aim(100, 0)
	r.now(func(ctx *game.Ctx) { ctx.Player(2).SetArmor(7); ctx.Player(0).SetAmmo(game.WeaponGrenade, 1) })
	r.use(hammer, 30)
	testenv.Check(t, r.Tee(2).Armor == 10 && r.Score(0) == 1, "armor %d, %d points", r.Tee(2).Armor, r.Score(0))
	r.now(func(ctx *game.Ctx) { ctx.Player(2).SetArmor(0) })
	r.use(game.WeaponGrenade, 30)
	testenv.Check(t, r.Tee(2).Armor == 4 && r.Tee(0).Armor == 4 && r.Tee(0).Ammo == 1, "armor %d", r.Tee(2).Armor)
	r.put(map[game.PlayerID]float32{2: 37})
	x := r.Pos(1).X
	r.use(game.WeaponShotgun, 40)
	testenv.Check(t, r.Pos(1).X > x+30, "pushed by %v", r.Pos(1).X-x)
	r.now(func(ctx *game.Ctx) { ctx.Player(2).SetTeam(infected) }) // the round needs an infected player who is not cured
	r.put(map[game.PlayerID]float32{1: 15})
	r.use(game.WeaponLaser, 60)
	testenv.Check(t, r.team(1) == infected, "cured for less than it costs")
	r.now(func(ctx *game.Ctx) { ctx.Player(0).SetArmor(10); ctx.Player(0).SetAmmo(game.WeaponLaser, 1) })
	r.use(game.WeaponLaser, 30)
	testenv.Check(t, r.team(1) == humans && r.Alive(1) && r.Tee(0).Health == 3 && r.Tee(0).Armor == 0, "team %d, %+v", r.team(1), r.Tee(0))
}

func TestHeroStandsAHit(t *testing.T) {
	r := tool(t, "hero", "smoker", 11.3)
	r.Shoot(1, 0, hammer)
	testenv.Check(t, r.team(0) == humans && r.Tee(0).Health+r.Tee(0).Armor == 8, "%+v", r.Tee(0))
	r.put(map[game.PlayerID]float32{0: 10, 1: 11.3})
	r.Shoot(1, 0, hammer)
	testenv.Check(t, r.team(0) == infected, "a hero stands two hits")
}

func TestNinjaDashesAndFreezes(t *testing.T) {
	r := tool(t, "ninja", "smoker", 16)
	r.aim(-100, -100)
	from := r.Pos(0)
	r.use(hammer, 10)
	testenv.Check(t, vec.Distance(from, r.Pos(0)) > 150, "dashes for %v", vec.Distance(from, r.Pos(0)))
	r.Run(80)
	r.put(map[game.PlayerID]float32{0: 10, 1: 13})
	r.aim(100, 0)
	r.use(game.WeaponGrenade, 20)
	testenv.Check(t, r.Tee(1).FreezeEnd > r.Now()+100 && r.Tee(1).Health == 9, "%+v", r.Tee(1))
}

func TestSmokerDrains(t *testing.T) {
	r := tool(t, "engineer", "smoker", 14)
	r.now(func(ctx *game.Ctx) { ctx.Player(1).SetHealth(1) })
	r.Hold(1, game.Input{TargetX: -100, Hook: true})
	r.Run(60)
	testenv.Check(t, r.Tee(0).Health <= 8 && r.Tee(1).Health >= 3, "health %d and %d", r.Tee(0).Health, r.Tee(1).Health)
}

func TestBoomerExplodes(t *testing.T) {
	r := tool(t, "engineer", "boomer", 11)
	r.put(map[game.PlayerID]float32{2: 30})
	events := r.Shoot(1, 0, hammer)
	testenv.Check(t, r.team(0) == infected && !r.Alive(1) && r.team(2) == humans && modtest.Count(events, game.EvExplosion) == 1, "team %d", r.team(0))
}

func TestGhostIsUnseen(t *testing.T) {
	r := tool(t, "engineer", "ghost", 30)
	r.put(map[game.PlayerID]float32{0: 3, 2: 2})
	seen := func(by game.PlayerID) bool {
		v := r.Game.View(by)
		for _, c := range v.Characters {
			if c.Player == 1 {
				return v.Shows(c.NotFor)
			}
		}
		return false
	}
	testenv.Check(t, seen(0), "a ghost that was just near is not seen")
	r.Run(4 * game.TickRate)
	testenv.Check(t, !seen(0) && seen(1), "a ghost is seen from afar")
	r.put(map[game.PlayerID]float32{0: 25})
	testenv.Check(t, seen(0), "a ghost that is near is not seen")
}

func TestSlugSpitsSlime(t *testing.T) {
	r := tool(t, "engineer", "slug", 20)
	r.Hold(1, game.Input{TargetY: 100})
	r.Fire(1, 20)
	testenv.Check(t, len(r.Frame().Projectiles) == 4, "%+v", r.Frame().Projectiles)
	r.now(func(ctx *game.Ctx) { ctx.Player(1).SetHealth(1) })
	r.Run(60)
	testenv.Check(t, r.Tee(1).Health >= 3, "health %d", r.Tee(1).Health)
	r.put(map[game.PlayerID]float32{0: 21})
	r.put(map[game.PlayerID]float32{0: 5})
	r.Run(300)
	testenv.Check(t, r.Tee(0).Health == 7, "health %d", r.Tee(0).Health)
	r.Run(300)
	testenv.Check(t, len(r.Frame().Projectiles) == 0, "%+v", r.Frame().Projectiles)
}

func TestBatBites(t *testing.T) {
	r := tool(t, "engineer", "bat", 11.3)
	r.now(func(ctx *game.Ctx) { ctx.Player(1).SetHealth(5) })
	r.Shoot(1, 0, hammer)
	testenv.Check(t, r.Tee(0).Health == 7 && r.Tee(1).Health == 7, "health %d and %d", r.Tee(0).Health, r.Tee(1).Health)
}

func TestReplay(t *testing.T) {
	fast := func(w *game.World, dst []game.Command) []game.Command {
		if w.Tick() == 1 {
			dst = append(dst, game.SetVariable("inf_initial_infection_delay", "1"), game.SetVariable("sv_timelimit_in_seconds", "15"))
		}
		return dst
	}
	modtest.Match{Mode: infection.New, Ticks: 3000, Players: 10, Commands: fast}.VerifyReplay(t)
}

// TestBotsPlay lets bots play for ten minutes. Every round must end by the rules, and each side
// must win some.
func TestBotsPlay(t *testing.T) {
	const limit, bots = 16, 6
	w := modtest.New(t, game.Config{Mode: infection.New(), Terrain: room, Seed: 1, Variables: map[string]string{"sv_timelimit_in_seconds": fmt.Sprint(limit)}})
	var won [2]int
	w.Bots(bots)
	n := w.RunMatches(10*60*game.TickRate, func(events []game.Event) {
		g := w.Frame().Game
		long := w.Now() - g.StartTick
		switch {
		case modtest.Told(events, 0, "The infected win the round") && g.TeamScore[humans] == 0 && g.TeamScore[infected] == bots:
			won[infected]++
		case modtest.Told(events, 0, " the round") && g.TeamScore[humans] > 0 && long >= limit*game.TickRate:
			won[humans]++
		default:
			t.Errorf("tick %d: a round is over after %d ticks, with %d humans: %+v", w.Now(), long, g.TeamScore[humans], events)
		}
	})
	testenv.Check(t, won[infected] > 0 && won[humans] > 0 && n >= 20, "%d rounds, won by %v", n, won)
}
