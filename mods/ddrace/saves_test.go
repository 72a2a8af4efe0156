package ddrace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
)

// keeper is a party whose requests to the ranks it answers from a map of saves.
type keeper struct {
	*party
	kept  map[string]game.RankSaveState
	ops   []game.RankOp
	fails string
	seen  int // number of events read
}

// answers answers requests to the ranks until none is left.
func (k *keeper) answers() {
	k.t.Helper()
	for k.answer() {
	}
}

// answer answers the open requests to the ranks. It returns false if there are none.
func (k *keeper) answer() bool {
	k.t.Helper()
	var cmds []game.Command
	for _, e := range k.events[k.seen:] {
		if e.Kind != game.EvStore || e.Store.Rank == nil {
			continue
		}
		r := e.Store.Rank
		a := r.Answer()
		a.Err = k.fails
		save, there := k.kept[r.Code]
		switch {
		case k.fails != "":
		case r.Op == game.RankSave && !there:
			k.kept[r.Code] = game.RankSaveState{ID: fmt.Sprint("id ", len(k.ops)), Text: r.Text, Who: r.Names}
			a.Found, a.Save = true, &game.RankSaveState{}
		case r.Op == game.RankSaved && there:
			a.Found, a.Save = true, &save
		case r.Op == game.RankLoad && there && save.ID == r.SaveID:
			a.Found, a.Save = true, &save
			delete(k.kept, r.Code)
		}
		if r.Op == game.RankSave || r.Op == game.RankSaved || r.Op == game.RankLoad {
			k.ops = append(k.ops, r.Op)
		}
		cmds = append(cmds, (&game.StoreAnswer{ID: e.Store.ID, Op: game.StoreRank, Space: game.RankSpace, Err: k.fails, Rank: &a}).Command())
	}
	k.seen = len(k.events)
	if len(cmds) == 0 {
		return false
	}
	k.run(10, cmds...)
	return true
}

// older makes all saves older by some seconds.
func (k *keeper) older(seconds int64) {
	for code, s := range k.kept {
		s.Age += seconds
		k.kept[code] = s
	}
}

// savers is a keeper with two racing players in team 5 and one player beside them.
func savers(t *testing.T) *keeper {
	k := &keeper{party: newParty(t, 3), kept: map[string]game.RankSaveState{}}
	k.answers()
	k.types(0, "team 5")
	k.types(1, "team 5")
	k.walk(1, 60, 0)
	k.walk(1, 80, 1)
	k.run(20)
	k.ops = nil
	clear(k.told)
	return k
}

// places returns the positions of tees.
func (k *keeper) places(ids ...game.PlayerID) (list []vec.Vec2) {
	for _, id := range ids {
		if k.Alive(id) {
			list = append(list, k.Pos(id))
		}
	}
	return list
}

// TestSaveAndLoad saves a team. Loading fails too early and with the wrong players, and then
// succeeds.
func TestSaveAndLoad(t *testing.T) {
	k := savers(t)
	k.types(2, "save c")
	k.heard(2, "You have to be in a team (from 1-63)")
	before, start := k.places(0, 1), k.Frame().Players[0].RaceStart
	testenv.Require(t, len(before) == 2 && start != 0, "places %v, start %d", before, start)
	saved := k.Now()
	k.run(1, game.ChatCommand(0, "save", "c"))
	testenv.Check(t, len(k.places(0, 1)) == 0, "they are still there")
	k.run(200)
	k.team(5, 5, 0) // in the team until the save is stored
	k.answers()
	k.team(0, 0, 0)
	k.heard(0, "Team successfully saved by player 0. Use '/load c' to continue")
	k.heard(1, "Team successfully saved by player 0. Use '/load c' to continue")

	k.types(0, "team 9")
	k.run(100)
	k.types(0, "load c")
	k.answers()
	k.heard(0, "player 0 joined team 9", "You have to wait 30 seconds until you can load this savegame")
	for _, seconds := range []int64{30, -31} { // a negative age is unknown
		k.older(seconds)
		k.types(0, "load c")
		k.answers()
		k.heard(0, "'player 1' has to be in this team")
	}
	k.types(0, "load other")
	k.answers()
	k.heard(0, "No such savegame for this map")
	k.types(1, "team 9")
	k.types(2, "team 9")
	k.types(1, "load c")
	k.answers()
	testenv.Check(t, strings.HasPrefix(k.told[1][len(k.told[1])-1], "Too many players in this team, should be 2"), "told %q", k.told[1])
	k.run(200)
	k.types(2, "team 0")
	clear(k.told)
	k.types(1, "load c")
	loaded := k.Now()
	k.answers()
	k.heard(1, "Loading successfully done")
	after := k.places(0, 1)
	testenv.Require(t, len(after) == 2, "%d tees", len(after))
	for i := range after {
		testenv.Check(t, after[i] == before[i], "player %d is at %v, not %v", i, after[i], before[i])
	}
	now := k.Frame().Players[0].RaceStart
	raced := func(at, start int32) int32 { return at - start }
	more := raced(loaded, now) - raced(saved, start)
	testenv.Check(t, more <= 3000 && more > 3000-25, // minus the ticks since the load
		"raced for %d ticks before and %d after", raced(saved, start), raced(loaded, now))
	k.types(0, "load c")
	k.heard(0, "Loading successfully done", "Team can't be loaded while racing")
	testenv.Check(t, len(k.kept) == 0, "the save is still there")

	k.walk(1, 200, 0)
	k.walk(1, 200, 1)
	finished := k.take(game.EvRaceFinish)
	testenv.Check(t, len(finished) == 2 && finished[0].Value > 60_000, "%+v", finished)
}

// TestTakenCode saves with a code that is in use, and while the ranks fail.
func TestTakenCode(t *testing.T) {
	k := savers(t)
	k.kept["c"] = game.RankSaveState{Text: "of others"}
	places := k.places(0, 1)
	k.types(1, "save c")
	k.fails = "the database does not answer"
	k.answers()
	k.heard(0, "Your team could not be saved: the database does not answer")
	k.team(5, 5, 0)
	testenv.Check(t, len(k.places(0, 1)) == 2 && k.places(0)[0] == places[0], "they are at %v, not %v", k.places(0, 1), places)
	k.fails = ""
	k.run(60)
	k.types(1, "save c")
	k.answers()
	testenv.Check(t, len(k.kept) == 2 && k.kept["c"].Text == "of others", "%v", k.kept)
	testenv.Check(t, len(k.told[0]) == 1 &&
		strings.HasPrefix(k.told[0][0], "Team successfully saved by player 1. Use '/load ") &&
		!strings.Contains(k.told[0][0], "/load c'"), "told %q", k.told[0])
	testenv.Check(t, len(k.ops) == 3, "asked %v", k.ops)
	k.team(0, 0, 0)
}

// TestLoadWithoutTeam lets a team leave while it loads a save: the save is stored again. A failed
// load tells the reason.
func TestLoadWithoutTeam(t *testing.T) {
	k := savers(t)
	k.types(0, "save c")
	k.answers()
	k.older(60)
	for _, id := range []game.PlayerID{0, 1} {
		k.run(100)
		k.types(id, "team 9")
	}
	k.types(0, "load c")
	k.answer() // the request for the save of the code
	k.fails = "the database does not answer"
	clear(k.told)
	k.answers()
	k.heard(0, "Unable to load savegame: the database does not answer")
	k.fails = ""
	k.run(60)
	k.types(0, "load c")
	k.answer()
	k.run(10, game.Command{Kind: game.CmdLeave, Player: 0, Target: game.Nobody}, game.Command{Kind: game.CmdLeave, Player: 1, Target: game.Nobody})
	k.answers()
	last := k.ops[len(k.ops)-2:]
	testenv.Check(t, last[0] == game.RankLoad && last[1] == game.RankSave && len(k.kept) == 1 && len(k.kept["c"].Who) == 2, "asked %v, kept %v", k.ops, k.kept)
}

// TestSaving restores a world while a team is being saved. It must go on like the original world.
func TestSaving(t *testing.T) {
	k := savers(t)
	k.types(0, "save c")
	cfg := k.config
	cfg.Mode = ddrace.New()
	other := testenv.Must(game.Restore(cfg, k.Game.AppendState(nil)))
	testenv.Check(t, other.Hash() == k.Game.Hash(), "another hash")
	r := k.events[len(k.events)-1]
	for _, e := range k.events {
		if e.Kind == game.EvStore {
			r = e
		}
	}
	a := r.Store.Rank.Answer()
	a.Found = true
	cmd := (&game.StoreAnswer{ID: r.Store.ID, Op: game.StoreRank, Space: game.RankSpace, Rank: &a}).Command()
	for range 300 {
		k.Game.Step([]game.Command{cmd})
		other.Step([]game.Command{cmd})
	}
	k.team(0, 0, 0)
	testenv.Check(t, other.Hash() == k.Game.Hash(), "the restored world goes on differently")
}

// TestSwap lets two players of a team swap their tees.
func TestSwap(t *testing.T) {
	k := savers(t)
	before := k.places(0, 1)
	k.types(2, "swap player 0")
	k.run(1, game.ChatCommand(2, "swap", "player 0"))
	k.run(1, game.ChatCommand(0, "swap", "nobody"))
	k.run(1, game.ChatCommand(0, "swap", "player 0"))
	k.run(1, game.ChatCommand(0, "swap", "player 1"))
	k.run(1, game.ChatCommand(0, "swap", "player 1"))
	k.heard(2, "Player not found", "Player is on a different team")
	k.heard(0, "Player not found", "Can't swap with yourself", "You have requested to swap with player 1.", "You have already requested to swap with player 1.")
	k.run(1, game.ChatCommand(1, "swap", "player 0"))
	k.heard(1, "player 0 has requested to swap with you. To complete the swap process please wait 30 seconds and then type /swap player 0.",
		"You have to wait 30 seconds until you can swap.")
	k.run(30 * game.TickRate)
	start := k.Frame().Players[0].RaceStart
	k.run(2, game.ChatCommand(1, "swap", "player 0"))
	k.heard(1, "player 1 has swapped with player 0.")
	after := k.places(1, 0)
	testenv.Require(t, len(after) == 2 && after[0] == before[0] && after[1] == before[1], "they are at %v, not %v", after, before)
	now := k.Frame().Players[0].RaceStart
	testenv.Check(t, start-now == 3000, "the start went from %d to %d", start, now)

	k.run(1, game.ChatCommand(0, "swap", "player 1"))
	k.run(211 * game.TickRate)
	k.told[1] = nil
	k.run(2, game.ChatCommand(1, "swap", "player 0"))
	k.heard(1, "Your swap request timed out 31 seconds ago. Use /swap again to re-initiate it.")
}

// TestCancelSwap withdraws a request to swap, with the rules of DDNet 20 only.
func TestCancelSwap(t *testing.T) {
	k := savers(t)
	k.run(1, game.ChatCommand(0, "cancelswap"))
	k.heard(0, "cancelswap needs sv_ddnet_physics 20")
	k.set("sv_ddnet_physics", "20")
	k.told[0], k.told[1] = nil, nil
	k.run(1, game.ChatCommand(0, "cancelswap"))
	k.run(1, game.ChatCommand(0, "swap", "player 1"))
	k.told[1] = nil
	k.run(1, game.ChatCommand(0, "cancelswap"))
	k.run(1, game.ChatCommand(0, "cancelswap"))
	k.heard(0, "You do not have a pending swap request.", "You have requested to swap with player 1.",
		"You have canceled swap with player 1.", "You do not have a pending swap request.")
	k.heard(1, "player 0 has canceled swap with you.")
}

// TestJoinPlayer joins the team of a player with the rules of DDNet 20.
func TestJoinPlayer(t *testing.T) {
	p := newParty(t, 3, "sv_ddnet_physics 20")
	p.run(200)
	p.run(200, game.ChatCommand(0, "team", "7"))
	p.run(1, game.ChatCommand(1, "join", "nobody"))
	p.run(200, game.ChatCommand(1, "join", "player 0"))
	p.run(1, game.ChatCommand(1, "join", "player 0"))
	p.heard(1, "'player 0' joined team 7", "Player not found", "'player 1' joined team 7", "You are in this team already")
	if team := p.Frame().Players[1].DDRaceTeam; team != 7 {
		t.Errorf("team %d", team)
	}
}
