package instagib_test

import (
	"slices"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/instagib"
)

var arena = modtest.ParseMap(nil,
	"##############################",
	"#                            #",
	"#                            #",
	"#                            #",
	"#                            #",
	"#    R1      l        2B     #",
	"##############################",
)

// modes are all instagib modes, with their weapons.
var modes = []struct {
	name   string
	weapon game.Weapon
	make   func(game.Weapon) game.Mode
}{
	{"iDM", game.WeaponLaser, instagib.NewDM}, {"iTDM", game.WeaponLaser, instagib.NewTDM}, {"iCTF", game.WeaponLaser, instagib.NewCTF},
	{"gDM", game.WeaponGrenade, instagib.NewDM}, {"gTDM", game.WeaponGrenade, instagib.NewTDM}, {"gCTF", game.WeaponGrenade, instagib.NewCTF},
}

func TestOneHitKills(t *testing.T) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			w := modtest.New(t, game.Config{Mode: m.make(m.weapon), Terrain: arena, Seed: 7})
			testenv.Check(t, w.Game.ModeName() == m.name && !w.Game.Rules().PureTuning, "%s", w.Game.ModeName())
			w.Play(0, 1)
			c := w.Tee(0)
			testenv.Check(t, c.Weapon == m.weapon && c.Ammo == 10, "weapon %d, ammo %d", c.Weapon, c.Ammo)
			testenv.Check(t, len(w.Frame().Pickups) == 0, "there are pickups")
			for i, other := range []game.Weapon{game.WeaponHammer, game.WeaponGun, game.WeaponShotgun} {
				w.Hold(0, game.Input{TargetX: -100, WantedWeapon: int32(other) + 1})
				w.Run(5)
				testenv.Check(t, w.Tee(0).Weapon == m.weapon, "%d: another weapon was there", i)
			}
			// Many shots: the ammo must not run out.
			for range 12 {
				w.Hold(0, game.Input{TargetX: -100, TargetY: -300})
				w.Fire(0, 45)
			}
			testenv.Check(t, w.Alive(1) && w.Tee(0).Health == 10, "a shot at a wall hurts")
			w.Hold(1, game.Input{Direction: -1})
			w.RunUntil("near", 200, func() bool { return w.Pos(1).X < w.Pos(0).X+200 })
			w.Hold(1, game.Input{})
			w.Run(20)
			events := w.Shoot(0, 1, m.weapon)
			testenv.Check(t, modtest.Count(events, game.EvKill) == 1 && w.Score(0) == 1 && !w.Alive(1), "score %d, %d kills", w.Score(0),
				modtest.Count(events, game.EvKill))
			if w.Game.GameFlags() == game.GameFlagTeams {
				testenv.Check(t, w.TeamScore(game.TeamRed)+w.TeamScore(game.TeamBlue) == 1, "the team has no point")
			}
			modtest.Match{Mode: func() game.Mode { return m.make(m.weapon) }, Ticks: 500}.VerifyReplay(t)
		})
	}
}

func TestBotsPlay(t *testing.T) {
	for _, m := range modes {
		w := modtest.New(t, game.Config{Mode: m.make(m.weapon), Terrain: arena, Seed: 7})
		w.Bots(4)
		n := modtest.Count(w.Run(600), game.EvKill)
		t.Logf("%s: %d kills", m.name, n)
		testenv.Check(t, n >= 3, "%s: %d kills in 12 seconds", m.name, n)
	}
}

// TestMatchesEndAtTheLimit lets bots play for ten minutes.
func TestMatchesEndAtTheLimit(t *testing.T) {
	rules := modtest.Rules()
	rules.ScoreLimit = 15
	for _, mode := range []game.Mode{instagib.NewDM(game.WeaponLaser), instagib.NewTDM(game.WeaponGrenade)} {
		w := modtest.New(t, game.Config{Mode: mode, Terrain: arena, Rules: rules, Seed: 7})
		w.Bots(4)
		n := w.RunMatches(10*60*game.TickRate, func([]game.Event) {
			var scores []int32
			for id := range game.PlayerID(4) {
				scores = append(scores, w.Score(id))
			}
			if w.Game.GameFlags()&game.GameFlagTeams != 0 {
				scores = []int32{w.TeamScore(game.TeamRed), w.TeamScore(game.TeamBlue)}
			}
			slices.Sort(scores)
			if best := scores[len(scores)-1]; best < rules.ScoreLimit || best == scores[len(scores)-2] {
				t.Errorf("%s: a match ends with %d", mode.Name(), scores)
			}
		})
		testenv.Check(t, n >= 5, "%s: %d matches", mode.Name(), n)
	}
}

func TestGrenadesPushTheirOwner(t *testing.T) {
	w := modtest.New(t, game.Config{Mode: instagib.NewDM(game.WeaponGrenade), Terrain: arena, Seed: 7})
	w.Play(0, 1)
	w.Hold(0, game.Input{TargetY: 100})
	w.Fire(0, 10)
	testenv.Check(t, w.Alive(0) && w.Tee(0).Health == 10 && w.Pos(0).Y < 5*32-10, "health %d, at %v", w.Tee(0).Health, w.Pos(0))
}

func TestGrenadesMustHitWell(t *testing.T) {
	near := modtest.ParseMap(nil,
		"################",
		"#              #",
		"#              #",
		"#    S  S      #",
		"################",
	)
	for needed, dies := range map[string]bool{"1": true, "4": false} {
		w := modtest.New(t, game.Config{Mode: instagib.NewDM(game.WeaponGrenade), Terrain: near,
			Variables: map[string]string{"sv_damage_needed_for_kill": needed}, Seed: 7})
		w.Play(0, 1)
		before := w.Pos(1)
		w.Hold(0, game.Input{TargetX: 20, TargetY: 100}) // into the floor, some 95 units from the other tee
		w.Fire(0, 8)
		if dies {
			testenv.Check(t, !w.Alive(1), "needed %s: alive at %v, shot from %v", needed, before, w.Pos(0))
		} else {
			testenv.Check(t, w.Alive(1) && w.Tee(1).Health == 10 && w.Pos(1) != before, "needed %s: not only pushed: alive %v, from %v", needed,
				w.Alive(1), before)
		}
	}
}

func TestTeamMatesAreOnlyPushed(t *testing.T) {
	for _, damage := range []bool{false, true} {
		rules := modtest.Rules()
		rules.TeamDamage, rules.TeamBalanceTime = damage, 0
		w := modtest.New(t, game.Config{Mode: instagib.NewTDM(game.WeaponLaser), Terrain: arena, Rules: rules, Seed: 7})
		w.Play(0, 1)
		w.Enter(2)
		w.RunUntil("three tees", 100, func() bool { return w.Alive(2) })
		w.Run(30)
		mate := game.PlayerID(0)
		for _, p := range w.Frame().Players {
			if p.ID < 2 && p.Team == w.Frame().Players[2].Team {
				mate = p.ID
			}
		}
		w.Shoot(2, mate, game.WeaponLaser)
		testenv.Check(t, w.Alive(mate) == !damage, "team damage %v, alive %v", damage, w.Alive(mate))
	}
}
