package game_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// tool is a mod with a hammer that is none.
type tool struct {
	script
	fired []vec.Vec2
	kill  bool
}

func (m *tool) OnFire(ctx *game.Ctx, id game.PlayerID, weapon game.Weapon, dir vec.Vec2) {
	p := ctx.Player(id)
	m.fired = append(m.fired, dir)
	switch {
	case m.kill:
		p.Kill(game.WeaponSelf)
	case weapon == game.WeaponHammer:
		p.SetReloadTicks(40)
		ctx.Cancel()
	case weapon == game.WeaponShotgun:
		ctx.Cancel()
	}
}

func TestModsDecideWhatWeaponsDo(t *testing.T) {
	m := &tool{script: *armed()}
	w := newWorld(t, game.Config{Terrain: twoTeesMap(1), Mods: []game.Mod{m}})
	w.enter(0, 1)
	w.selectWeapon(0, game.WeaponHammer, 100, 0)
	evs := w.shoot(0, 100, 0, 30)
	testenv.Check(t, len(m.fired) == 1 && m.fired[0] == vec.Vec2{X: 1}, "fired %v", m.fired)
	testenv.Check(t, sounds(evs, game.SoundHammerFire) == 0 && len(eventsOf(evs, game.EvDamage)) == 0 && w.char(0).AttackTick > 0, "hammered: %+v", evs)
	w.shoot(0, 100, 0, 2)
	testenv.Check(t, len(m.fired) == 1, "fires while it reloads")
	w.steps(60)
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SelectWeapon(game.WeaponShotgun) })
	evs = w.shoot(0, 100, 0, 3)
	testenv.Check(t, sounds(evs, game.SoundShotgunFire) == 0 && w.char(0).Ammo == 10, "%d rounds: %+v", w.char(0).Ammo, evs)
	w.steps(60)
	w.inTick(func(ctx *game.Ctx) { ctx.Player(0).SelectWeapon(game.WeaponGrenade) })
	evs = w.shoot(0, 100, -100, 3)
	testenv.Check(t, sounds(evs, game.SoundGrenadeFire) == 1 && w.char(0).Ammo == 9, "%d rounds: %+v", w.char(0).Ammo, evs)
	w.steps(60)
	m.kill = true
	evs = w.shoot(0, 100, -100, 3)
	testenv.Check(t, sounds(evs, game.SoundGrenadeFire) == 0 && len(eventsOf(evs, game.EvKill)) == 1, "a dead tee fires: %+v", evs)
}

// uneven is team deathmatch with teams of any sizes.
type uneven struct{ tdm.Mode }

func (uneven) UnevenTeams() bool { return true }
func (uneven) MinPlayers() int32 { return 2 }

func TestTeamsMayBeUneven(t *testing.T) {
	w := newWorld(t, game.Config{Mode: uneven{}, Rules: rules(func(r *game.Rules) { r.TeamBalanceTime, r.MatchSwap = 1, true })})
	w.enter(0, 1, 2, 3)
	w.inTick(func(ctx *game.Ctx) {
		for player := range ctx.Players() {
			player.SetTeam(game.TeamBlue)
		}
	})
	w.do(game.Command{Kind: game.CmdRestart, Player: game.Nobody})
	w.wantState(0)
	evs := w.steps(65 * game.TickRate)
	w.do(game.Command{Kind: game.CmdSetTeam, Player: 0, Team: game.TeamRed})
	w.steps(4 * game.TickRate)
	w.do(game.Command{Kind: game.CmdSetTeam, Player: 0, Team: game.TeamBlue})
	w.inTick(func(ctx *game.Ctx) { ctx.Match().End() })
	evs = append(evs, w.steps(12*game.TickRate)...)
	for id := range game.PlayerID(4) {
		p, _ := w.Player(id)
		testenv.Check(t, p.Team == game.TeamBlue, "player %d is in team %d", id, p.Team)
	}
	testenv.Check(t, len(eventsOf(evs, game.EvTeamSizes)) == 0 && len(eventsOf(evs, game.EvRoundStart)) == 1, "%+v", evs)
}

// TestModsSetHowOftenTeesJump counts jumps, with the button pressed every eight ticks.
func TestModsSetHowOftenTeesJump(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0)
	for _, jumps := range []int32{1, 2, 3, 5} {
		w.inTick(func(ctx *game.Ctx) {
			p := ctx.Player(0)
			p.SetJumps(jumps)
			testenv.Check(t, p.Jumps() == jumps && ctx.Player(9).Jumps() == 0, "can jump %d times, not %d", p.Jumps(), jumps)
		})
		for range 2 { // the second time after it was on the ground
			w.hold(0, game.Input{TargetX: 1}, 100)
			n, counted := int32(0), int32(0)
			for i := range 45 {
				w.hold(0, game.Input{TargetX: 1, Jump: i%8 < 4}, 1)
				if uint32(w.char(0).TriggeredEvents)&(physics.EventGroundJump|physics.EventAirJump) != 0 {
					n++
				}
				counted = max(counted, w.char(0).AirJumps)
			}
			testenv.Check(t, n == jumps, "jumps %d times of %d", n, jumps)
			if jumps > 1 && w.Frame().Extended {
				testenv.Check(t, counted == jumps-1 && w.char(0).Jumps == jumps, "%d of %d are shown, %d of them in the air", w.char(0).Jumps, jumps, counted)
			}
		}
	}
}
