package game_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode"
)

// duo is a plain team mode, for what the world does about teams.
type duo struct{}

func (duo) Name() string                               { return "DUO" }
func (duo) Flags() game.GameFlags                      { return game.GameFlagTeams }
func (duo) Start(*game.Tx)                             {}
func (duo) OnDeath(ctx *game.Ctx, d *game.Death)       { mode.ScoreDeath(ctx, d, true) }
func (duo) CheckWin(*game.Ctx) (none game.MatchResult) { return }

func setTeam(id game.PlayerID, team game.Team) game.Command {
	return game.Command{Kind: game.CmdSetTeam, Player: id, Team: team}
}

func (w *world) team(id game.PlayerID) game.Team {
	p, _ := w.Player(id)
	return p.Team
}

func TestNewcomersFillTheSmallerTeam(t *testing.T) {
	w := newWorld(t, game.Config{Mode: duo{}})
	w.Step(join(0, 1, 2, 3, 4))
	for id, want := range []game.Team{0, 1, 0, 1, 0} {
		if got := w.team(game.PlayerID(id)); got != want {
			t.Errorf("player %d in team %d", id, got)
		}
	}
	if w.NumPlaying() != 5 || w.NumConnected() != 5 || w.NumSpectators() != 0 {
		t.Errorf("counts %d, %d, %d", w.NumPlaying(), w.NumConnected(), w.NumSpectators())
	}
}

func TestTeamChange(t *testing.T) {
	w := newWorld(t, game.Config{Mode: duo{}})
	w.enter(0, 1, 2)
	evs := w.do(setTeam(2, game.TeamBlue))
	teams, kills := of(evs, game.EvTeamChange), of(evs, game.EvKill)
	if len(teams) != 1 || teams[0].Player != 2 || teams[0].Team != game.TeamBlue || teams[0].Flag || teams[0].Tick != w.Tick()-1+150 {
		t.Errorf("teams %+v at tick %d", teams, w.Tick())
	}
	if len(kills) != 1 || kills[0].Weapon != game.WeaponGame || w.score(2) != 0 {
		t.Errorf("kills %+v, score %d", kills, w.score(2))
	}
	w.steps(148)
	w.do(setTeam(2, game.TeamRed))
	if w.team(2) != game.TeamBlue {
		t.Error("changed again after 149 ticks")
	}
	w.do(setTeam(2, game.TeamRed))
	if w.team(2) != game.TeamRed {
		t.Error("could not change again after 150 ticks")
	}
}

func TestTeamsStayEven(t *testing.T) {
	w := newWorld(t, game.Config{Mode: duo{}})
	w.enter(0, 1, 2, 3)
	w.do(setTeam(0, game.TeamBlue)) // 1 to 3
	if w.team(0) != game.TeamRed {
		t.Error("made the teams uneven")
	}
	w.steps(150)
	w.do(setTeam(0, game.TeamSpectators))
	w.steps(150)
	w.do(setTeam(0, game.TeamBlue)) // 1 to 3 again
	if w.team(0) != game.TeamSpectators {
		t.Error("joined the bigger team")
	}
	r := w.Rules()
	r.TeamBalanceTime = 0
	w.steps(150)
	w.do(game.Command{Kind: game.CmdSetRules, Rules: &r})
	w.do(setTeam(0, game.TeamBlue))
	if w.team(0) != game.TeamBlue {
		t.Error("not allowed although balancing is off")
	}
}

func TestLockedTeams(t *testing.T) {
	w := newWorld(t, game.Config{Mode: duo{}})
	w.enter(0, 1, 2)
	if evs := w.do(game.Command{Kind: game.CmdLockTeams}); len(of(evs, game.EvServerSettings)) != 1 || !w.TeamsLocked() {
		t.Error("not locked")
	}
	w.do(setTeam(2, game.TeamBlue))
	if w.team(2) != game.TeamRed {
		t.Error("changed team")
	}
	w.do(setTeam(2, game.TeamSpectators))
	if w.team(2) != game.TeamSpectators {
		t.Error("could not become a spectator")
	}
}

func TestAutoBalance(t *testing.T) {
	w := newWorld(t, game.Config{Mode: duo{}})
	w.enter(0, 1, 2, 3)
	w.do(game.Command{Kind: game.CmdLeave, Player: 1}, game.Command{Kind: game.CmdLeave, Player: 3})
	noticed := w.Tick()
	var evs []game.Event
	for w.team(0) == game.TeamRed && w.team(2) == game.TeamRed && w.Tick()-noticed < 4000 {
		evs = w.do()
	}
	if got := w.Tick() - noticed; got != 3001 {
		t.Errorf("balanced after %d ticks, want 3001", got)
	}
	var victim, all int
	for _, e := range of(evs, game.EvGameMsg) {
		switch e.GameMsg {
		case game.GameMsgTeamBalanceVictim:
			victim++
			if e.Value != int32(game.TeamBlue) {
				t.Errorf("victim told %+v", e)
			}
		case game.GameMsgTeamBalance:
			all++
		}
	}
	if victim != 1 || all != 1 {
		t.Errorf("%d and %d notices", victim, all)
	}
}

func TestForcedTeamChanges(t *testing.T) {
	w := newWorld(t, game.Config{Mode: duo{}})
	w.enter(0, 1, 2, 3)
	w.do(game.Command{Kind: game.CmdForceTeam, Player: 0, Team: game.TeamSpectators, Value: 2})
	if p, _ := w.Player(0); p.Team != game.TeamSpectators || p.TeamChangeTick != w.Tick()-1+2*60*50 {
		t.Errorf("player %+v", p)
	}
	evs := w.do(game.Command{Kind: game.CmdForceTeam, Player: game.Nobody, Team: game.TeamBlue})
	for id := range game.PlayerID(4) {
		if w.team(id) != game.TeamBlue {
			t.Errorf("player %d in team %d", id, w.team(id))
		}
	}
	for _, e := range of(evs, game.EvTeamChange) {
		if !e.Flag {
			t.Errorf("not silent: %+v", e)
		}
	}
	w.do(game.Command{Kind: game.CmdShuffleTeams})
	red := 0
	for id := range game.PlayerID(4) {
		if w.team(id) == game.TeamRed {
			red++
		}
	}
	if red != 2 {
		t.Errorf("%d of 4 red after shuffling", red)
	}
	before := [4]game.Team{w.team(0), w.team(1), w.team(2), w.team(3)}
	w.do(game.Command{Kind: game.CmdSwapTeams})
	for id, was := range before {
		if w.team(game.PlayerID(id)) != was^1 {
			t.Errorf("player %d not swapped", id)
		}
	}
}

func TestFriendlyFire(t *testing.T) {
	for _, harm := range []bool{false, true} {
		w := newWorld(t, game.Config{Mode: duo{}, Terrain: duel(3), Rules: rules(func(r *game.Rules) {
			r.TeamDamage, r.TeamBalanceTime = harm, 0
		})})
		w.enter(0, 1)
		w.do(setTeam(1, game.TeamRed))
		w.steps(200)
		x := int32(w.char(1).Pos.X - w.char(0).Pos.X)
		w.take(0, game.WeaponGun, x, 0)
		if got := len(of(w.shoot(0, x, 0, 20), game.EvDamage)) > 0; got != harm {
			t.Errorf("team damage %v: hurt %v", harm, got)
		}
	}
}

func TestShotsOutliveTheirOwner(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: duel(20), Mods: []game.Mod{&script{spawn: func(ctx *game.Ctx, id game.PlayerID) {
		ctx.TakeDamage(game.Damage{Victim: id, Attacker: game.Nobody, Weapon: game.WeaponWorld, Amount: 9})
	}}}})
	w.enter(0, 1, 2)
	x := int32(w.char(1).Pos.X - w.char(0).Pos.X)
	w.take(0, game.WeaponGun, x, -40)
	w.shoot(0, x, -40, 2)
	var kills []game.Event
	for _, e := range append(w.do(game.Command{Kind: game.CmdLeave, Player: 0}), w.steps(60)...) {
		if e.Kind == game.EvKill && e.Weapon == game.WeaponGun {
			kills = append(kills, e)
		}
	}
	if len(kills) != 1 || kills[0].Player != -2 || kills[0].Target != 1 {
		t.Errorf("kills %+v", kills)
	}
}
