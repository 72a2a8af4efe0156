package ddrace_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
)

// party is a world in which a test makes players walk and chat, and reads their messages.
type party struct {
	*modtest.World
	t      *testing.T
	config game.Config
	inputs map[game.PlayerID]game.Input
	told   map[game.PlayerID][]string
	events []game.Event
}

// newParty returns a party on a map with a start, a finish, a deadly tile and a tile that unlocks
// teams. Enough ticks have passed that players may change team.
func newParty(t *testing.T, players int, settings ...string) *party {
	return newPartyOn(t, players, func(*game.Terrain) {}, settings...)
}

// newPartyOn is newParty with a changed map.
func newPartyOn(t *testing.T, players int, edit func(*game.Terrain), settings ...string) *party {
	terrain := modtest.ParseMap(map[byte]uint8{'s': 33, 'f': 34, 'd': 2, 'u': 76, 'c': 35},
		"####################################",
		"#                                  #",
		"#du    S       s         c       ff#",
		"####################################")
	terrain.Settings = append(settings, "tune player_collision 0")
	edit(&terrain)
	cfg := game.Config{Mode: ddrace.New(), Terrain: terrain, Seed: 3}
	p := &party{
		World:  modtest.New(t, cfg),
		t:      t,
		config: cfg,
		inputs: map[game.PlayerID]game.Input{},
		told:   map[game.PlayerID][]string{},
	}
	for id := range game.PlayerID(players) {
		p.Play(id)
	}
	p.run(160)
	clear(p.told)
	p.events = nil
	return p
}

// run runs commands and then ticks.
func (p *party) run(ticks int, cmds ...game.Command) {
	for range ticks {
		for id := range game.PlayerID(game.MaxPlayers) {
			if in, ok := p.inputs[id]; ok {
				cmds = append(cmds, game.Command{Kind: game.CmdInput, Player: id, Input: in})
			}
		}
		for _, e := range p.Game.Step(cmds) {
			if e.Kind == game.EvChat && e.Player == game.Nobody {
				for id := range game.PlayerID(game.MaxPlayers) {
					if e.To.Has(id) {
						p.told[id] = append(p.told[id], e.Text)
					}
				}
			}
			p.events = append(p.events, e)
		}
		cmds = nil
	}
}

// types makes a player send a chat command, and runs a second.
func (p *party) types(id game.PlayerID, line string) {
	words := strings.Split(line, " ")
	p.run(50, game.ChatCommand(id, words[0], words[1:]...))
}

// walk makes players walk for some ticks.
func (p *party) walk(direction int32, ticks int, ids ...game.PlayerID) {
	for _, id := range ids {
		p.inputs[id] = game.Input{Direction: direction, TargetX: 1}
	}
	p.run(ticks)
	for _, id := range ids {
		p.inputs[id] = game.Input{TargetX: 1}
	}
}

// heard checks the messages that a player has got since the last call.
func (p *party) heard(id game.PlayerID, want ...string) {
	p.t.Helper()
	if !slices.Equal(p.told[id], want) {
		p.t.Errorf("player %d was told\n\t%s\nwant\n\t%s", id, strings.Join(p.told[id], "\n\t"), strings.Join(want, "\n\t"))
	}
	p.told[id] = nil
}

// team checks the teams of players.
func (p *party) team(want ...int32) {
	p.t.Helper()
	var got []int32
	for _, info := range p.Frame().Players {
		got = append(got, int32(info.DDRaceTeam))
	}
	testenv.Check(p.t, slices.Equal(got, want), "teams %v, want %v", got, want)
}

// take returns and removes the events of a kind.
func (p *party) take(kind game.EventKind) (list []game.Event) {
	for _, e := range p.events {
		if e.Kind == kind {
			list = append(list, e)
		}
	}
	return list
}

// TestTeamIsToldBeforeChat checks that clients receive the team of a player before the chat line
// about it, as from DDNet-Server.
func TestTeamIsToldBeforeChat(t *testing.T) {
	p := newParty(t, 2)
	p.types(0, "team 7")
	order := func(kind game.EventKind) int {
		return slices.IndexFunc(p.events, func(e game.Event) bool { return e.Kind == kind })
	}
	testenv.Check(t, order(game.EvDDRaceTeam) >= 0 && order(game.EvDDRaceTeam) < order(game.EvChat) && len(p.take(game.EvDDRaceTeam)) == 1, "%+v", p.events)
}

func TestJoinTeam(t *testing.T) {
	p := newParty(t, 4)
	p.types(0, "team")
	p.types(0, "team 7")
	p.types(0, "team")
	p.heard(0, "You are in team 0", "player 0 joined team 7", "You are in team 7")
	p.types(0, "team 3")
	p.heard(0, "You can't change teams that fast!")
	p.run(100)
	p.types(0, "team 7")
	p.heard(0, "You are in this team already")
	p.types(1, "team -1") // the first empty team
	p.heard(1, "player 0 joined team 7", "player 1 joined team 1")
	p.team(7, 1, 0, 0)
	p.types(0, "lock")
	p.heard(0, "player 1 joined team 1", "'player 0' locked your team. After the race starts, killing will kill everyone in your team.")
	p.types(2, "team 7")
	p.heard(2, "player 0 joined team 7", "player 1 joined team 1", "This team is locked using /lock. Only members of the team can unlock it using /lock.")
	p.types(2, "invite x")
	p.types(2, "lock")
	p.heard(2, "Can't invite players to this team", "This team can't be locked")
	p.run(1, game.ChatCommand(0, "invite", "nobody"))
	p.run(50, game.ChatCommand(0, "invite", "player 2"))
	p.run(50, game.ChatCommand(0, "invite", "player 2"))
	p.heard(0, "Player not found", "'player 0' invited 'player 2' to your team.", "Player already invited")
	p.heard(2, "'player 0' invited you to team 7.")
	p.types(2, "team 7")
	p.types(2, "unlock")
	p.heard(2, "player 2 joined team 7", "'player 2' unlocked your team.")
	p.team(7, 1, 7, 0)
	p.heard(0, "player 2 joined team 7", "'player 2' unlocked your team.")
	p.walk(1, 50, 3) // starts alone
	p.types(3, "team 7")
	p.heard(3, "player 0 joined team 7", "player 1 joined team 1", "player 2 joined team 7", "You have started racing already")
	p.walk(1, 50, 0)
	p.types(1, "team 7")
	p.heard(1, "player 2 joined team 7", "This team started already")
	p.run(2, game.ConsoleCommand(game.Nobody, "set_team_ddr", "3", "9"))
	p.team(7, 1, 7, 9)
	p.run(2, game.Command{Kind: game.CmdSetTeam, Player: 1, Team: game.TeamSpectators})
	p.types(1, "team 2")
	p.heard(1, "You can't change teams while you are dead/a spectator.")
}

// TestTeamRace lets a team of two finish, and then a team in which one member is missing.
func TestTeamRace(t *testing.T) {
	p := newParty(t, 3)
	p.types(0, "team 5")
	p.types(1, "team 5")
	p.types(2, "team 6")
	p.walk(1, 50, 2)
	p.run(100)
	clear(p.told)
	p.types(2, "team 5")
	p.heard(2, "You have started racing already")
	p.walk(1, 200, 0)
	testenv.Check(t, len(p.take(game.EvRaceFinish)) == 0, "one of two finished")
	p.walk(1, 200, 1)
	finished := p.take(game.EvRaceFinish)
	testenv.Require(t, len(finished) == 2 && finished[0].Value == finished[1].Value && finished[0].Value > 4000, "finishes: %+v", finished)
	p.heard(0, "player 0 joined team 0", "player 1 joined team 0")
	p.team(0, 0, 6)
	ranks := p.take(game.EvStore)
	testenv.Require(t, len(ranks) == 3 && ranks[2].Store.Rank.Team && slices.Equal(ranks[2].Store.Rank.Names, []string{"player 0", "player 1"}),
		"kept: %d", len(ranks))
	r := ranks[2].Store.Rank
	testenv.Check(t, r.Time == finished[0].Value && r.End-r.Begin == r.Time/20, "the team's finish: %+v", r)
}

// TestLockedTeamDies lets one member of a locked team die, and another kill itself.
func TestLockedTeamDies(t *testing.T) {
	p := newParty(t, 4)
	for _, line := range []string{"0team 5", "1team 5", "2team 5", "0lock"} {
		p.types(game.PlayerID(line[0]-'0'), line[1:])
	}
	clear(p.told)
	p.run(1, game.Command{Kind: game.CmdKill, Player: 1})
	p.run(20)
	p.heard(0)
	p.team(5, 5, 5, 0)
	p.run(200)
	p.walk(1, 50, 0)
	p.events = nil
	p.run(1, game.Command{Kind: game.CmdKill, Player: 1})
	p.run(10)
	for id := range game.PlayerID(3) {
		p.heard(id, "Everyone in your locked team was killed because 'player 1' killed.")
	}
	testenv.Check(t, len(p.take(game.EvKill)) == 3 && len(p.take(game.EvSpawn)) == 3, "%d deaths, %d spawns", len(p.take(game.EvKill)),
		len(p.take(game.EvSpawn)))
	p.heard(3)
	p.team(5, 5, 5, 0)
	p.run(200)
	p.walk(1, 50, 2)
	p.walk(-1, 150, 2) // over the tile that unlocks, to the deadly tile
	p.heard(2, "Your team was unlocked by an unlock team tile")
	testenv.Check(t, p.Frame().Players[2].DDRaceTeam == 0, "who died stays in the team")
}

// TestSpectateInTeam lets a member of a locked racing team spectate: the others go on and finish.
func TestSpectateInTeam(t *testing.T) {
	p := newParty(t, 2)
	p.types(0, "team 5")
	p.types(1, "team 5")
	p.types(0, "lock")
	p.walk(1, 150, 0)
	clear(p.told)
	p.run(2, game.Command{Kind: game.CmdSetTeam, Player: 1, Team: game.TeamSpectators})
	p.team(5, 0)
	p.heard(0)
	testenv.Check(t, len(p.take(game.EvRaceFinish)) == 1, "finishes: %+v", p.take(game.EvRaceFinish))
	testenv.Check(t, len(p.take(game.EvKill)) == 1, "deaths: %+v", p.take(game.EvKill))
}

// TestUnfinishableTeam lets a member leave a team before passing the start.
func TestUnfinishableTeam(t *testing.T) {
	p := newParty(t, 3)
	p.types(0, "team 5")
	p.types(1, "team 5")
	p.types(2, "team 5")
	p.walk(1, 50, 0)
	clear(p.told)
	p.run(1, game.Command{Kind: game.CmdKill, Player: 1})
	left := []string{
		"This team cannot finish anymore because 'player 1' left the team before hitting the start",
		"Enter /practice mode or restart to avoid the entire team being killed in 60 seconds",
	}
	p.run(2998)
	for id := range game.PlayerID(3) {
		p.heard(id, left...)
	}
	p.team(5, 0, 5)
	p.run(3)
	p.heard(2, "Your team was killed because it couldn't finish anymore and hasn't entered /practice mode")
	p.team(0, 0, 0)
}

// TestReminder lets a team wait for a member who has not started.
func TestReminder(t *testing.T) {
	p := newParty(t, 2, "sv_pauseable 1")
	p.types(0, "team 5")
	p.types(1, "team 5")
	p.walk(1, 50, 0)
	p.run(1600)
	p.heard(1, "player 0 joined team 5", "player 1 joined team 5", "Team 5 started with 2 players: player 0, player 1",
		"Your team has 1 player that has not started yet, they need to touch the start before this team can finish: player 1")
}

// TestPractice checks that the finish of a team in practice does not count.
func TestPractice(t *testing.T) {
	p := newParty(t, 3)
	p.types(2, "practice")
	p.heard(2, "Join a team to enable practice mode, which means you can use /r, but can't earn a rank.")
	p.types(0, "team 5")
	p.types(1, "team 5")
	clear(p.told)
	p.types(0, "practice")
	voted := "' voted to enable /practice mode for your team, which means you can use /r, but you can't earn a rank. Type /practice to vote "
	p.heard(1, "'player 0"+voted+"(1/2 required votes)")
	p.types(0, "practice 0")
	p.types(0, "practice")
	p.types(1, "practice")
	p.types(1, "practice")
	p.heard(1, strings.Replace("'player 0"+voted+"(0/2 required votes)", "enable", "disable", 1), "'player 0"+voted+"(1/2 required votes)",
		"'player 1"+voted+"(2/2 required votes)", "Practice mode enabled for your team, happy practicing!", "Team is already in practice mode")
	clear(p.told)
	p.walk(1, 200, 0, 1)
	told := p.told[0]
	testenv.Check(t, len(told) == 1 && strings.HasPrefix(told[0], "Your team would've finished in: 0 minute(s)  1."), "told %q", told)
	testenv.Check(t, len(p.take(game.EvRaceFinish)) == 0, "a rank in practice")
	p.team(5, 5, 0)
}

// TestTeamSettings checks sv_team and the limits of team sizes.
func TestTeamSettings(t *testing.T) {
	p := newParty(t, 2, "sv_team 2")
	p.types(0, "team 0")
	p.run(150)
	p.walk(1, 50, 0)
	p.heard(0, "You must join a team and play with somebody or else you can't play", "You are in this team already",
		"You have to be in a team with other tees to start", "Please join a team before you start")
	testenv.Check(t, len(p.take(game.EvKill)) == 1, "who may not start lives on")
	for _, mode := range []string{"sv_team 0", "sv_team 3"} {
		p = newParty(t, 2, mode)
		for _, line := range []string{"team 1", "lock", "invite x"} {
			p.types(0, line)
			p.heard(0, "Teams are disabled")
		}
	}
	p.team(0, 1)
	p.walk(1, 200, 0, 1)
	testenv.Check(t, len(p.take(game.EvRaceFinish)) == 2, "finishes of those who are alone: %+v", p.take(game.EvRaceFinish))
	p = newParty(t, 2, "sv_max_team_size 1", "sv_min_team_size 3")
	p.types(0, "team 4")
	p.types(1, "team 4")
	p.walk(1, 50, 0)
	p.heard(1, "player 0 joined team 4", "This team already has the maximum allowed size of 1 players")
	p.heard(0, "player 0 joined team 4", "Your team has fewer than 3 players, so your team rank won't count")
}

// TestTeamChat checks which players receive a team's chat.
func TestTeamChat(t *testing.T) {
	p := newParty(t, 4)
	p.types(0, "team 5")
	p.types(1, "team 5")
	p.run(1, game.Command{Kind: game.CmdSetTeam, Player: 3, Team: game.TeamSpectators})
	p.events = nil
	for id := range game.PlayerID(4) {
		p.run(1, game.Command{Kind: game.CmdSay, Player: id, Chat: game.ChatTeam, Text: "hello"})
	}
	var to []game.PlayerMask
	for _, e := range p.take(game.EvChat) {
		if e.Player >= 0 {
			to = append(to, e.To)
		}
	}
	testenv.Check(t, slices.Equal(to, []game.PlayerMask{{Low: 3}, {Low: 3}, {Low: 4}, {Low: 8}}), "read by %v", to)
}

// TestBestTimes checks that best times come from the ranks and that finishes are compared with
// them.
func TestBestTimes(t *testing.T) {
	p := newParty(t, 2)
	best := game.RankAnswer{ID: 2, Op: game.RankBest, By: 0, Asker: "player 0", Name: "player 0", Own: &game.RankRow{Time: 1500},
		Checkpoints: []int32{700}, Rows: []game.RankRow{{Time: 500}}}
	a := game.StoreAnswer{ID: 2, Op: game.StoreRank, Space: game.RankSpace, Rank: &best}
	p.run(1, a.Command())
	testenv.Check(t, p.Score(0) == 1500 && p.Score(1) == game.NoRaceTime && p.Frame().Game.Race.BestTime == 500, "%d %d %d", p.Score(0), p.Score(1),
		p.Frame().Game.Race.BestTime)
	records := p.take(game.EvRaceRecords)
	testenv.Check(t, len(records) == 1 && records[0].To == game.MaskAll, "records: %+v", records)
	p.walk(1, 150, 0, 1)
	var finished []game.Event
	for _, e := range p.take(game.EvRaceFinish) {
		e.To = game.PlayerMask{}
		finished = append(finished, e)
	}
	testenv.Require(t, len(finished) == 2, "%d finishes", len(finished))
	time := finished[1].Value // events of the newest tee come first
	testenv.Check(t, finished[1].Extra == time-1500 && time < 1500 && finished[1].Record == game.RecordPersonal && finished[0].Extra == 0, "%+v", finished)
	passed := p.take(game.EvCheckpoint)
	testenv.Check(t, len(passed) == 1 && passed[0].Value == passed[0].Extra-700, "checkpoints: %+v", passed)
	p.run(1, game.Command{Kind: game.CmdKill, Player: 1})
	p.run(2)
	p.walk(1, 150, 1)
	p.heard(0)
	p.heard(1, "You finished with your best time.")
	kept := p.take(game.EvStore)
	testenv.Require(t, len(kept) == 3, "%d finishes are kept", len(kept))
	r := kept[2].Store.Rank
	testenv.Check(t, r.Op == game.RankFinish && r.By == 1 &&
		slices.Equal(r.Names, []string{"player 1"}) && r.Time == time && r.Checkpoints[0] > 0 && r.End-r.Begin == time/20, "%+v", r)
}

// TestRename checks that a race goes on after a rename, with the best time of the new name, and
// that the finish counts for the new name.
func TestRename(t *testing.T) {
	p := newParty(t, 1)
	best := game.RankAnswer{ID: 2, Op: game.RankBest, By: 0, Asker: "player 0", Name: "player 0", Own: &game.RankRow{Time: 1500}}
	a := game.StoreAnswer{ID: 2, Op: game.StoreRank, Space: game.RankSpace, Rank: &best}
	p.run(300, a.Command())
	testenv.Check(t, p.Score(0) == 1500, "the score is %d", p.Score(0))
	p.walk(1, 15, 0)
	p.take(game.EvStore)
	p.run(1, game.Command{Kind: game.CmdProfile, Player: 0, Profile: &game.Profile{Name: "Berta"}})
	testenv.Check(t, p.Score(0) == game.NoRaceTime, "the score is %d under the new name", p.Score(0))
	p.walk(1, 150, 0)
	asked := p.take(game.EvStore)
	testenv.Require(t, len(asked) == 2, "the ranks were asked %d times", len(asked))
	r, f := asked[0].Store.Rank, asked[1].Store.Rank
	testenv.Check(t, r.Op == game.RankBest && r.By == 0 && r.Name == "Berta", "it asks %+v", r)
	testenv.Check(t, f.Op == game.RankFinish && slices.Equal(f.Names, []string{"Berta"}), "it keeps %+v", f)
}

// TestHiddenScores checks that sv_save_worse_scores 0 hides worse times from other players and the
// ranks.
func TestHiddenScores(t *testing.T) {
	p := newParty(t, 1, "sv_save_worse_scores 0")
	for range 2 {
		p.walk(1, 120, 0)
		p.run(1, game.Command{Kind: game.CmdKill, Player: 0})
		p.run(160)
	}
	finished := p.take(game.EvRaceFinish)
	testenv.Check(t, len(finished) == 2 && finished[0].To == game.MaskOne(0) && len(p.take(game.EvStore)) == 1,
		"finishes: %+v, kept %d", finished, len(p.take(game.EvStore)))
}

// finishes returns the finishes that were sent to the ranks.
func (p *party) finishes() (list []*game.RankRequest) {
	for _, e := range p.take(game.EvStore) {
		if r := e.Store.Rank; r != nil && r.Op == game.RankFinish {
			list = append(list, r)
		}
	}
	return list
}

// TestBeginOfAFinish checks that a finish contains the tick in which the race began, even if tiles
// have changed its time.
func TestBeginOfAFinish(t *testing.T) {
	for tile, took := range map[uint8]int32{0: 0, 79: -1000, 95: 380} { // no tile, one that adds a second, and one that subtracts the time so far
		p := newPartyOn(t, 1, func(terrain *game.Terrain) {
			terrain.Switch = make([]game.SwitchTile, len(terrain.Tiles))
			terrain.Switch[2*36+22] = game.SwitchTile{Number: 1, Type: tile}
		})
		p.walk(1, 150, 0)
		list := p.finishes()
		testenv.Require(t, len(list) == 1, "tile %d: %d finishes", tile, len(list))
		r := list[0]
		testenv.Check(t, (r.End-r.Begin)*20 == r.Time+took, "tile %d: a time of %d ms from tick %d to %d", tile, r.Time, r.Begin, r.End)
	}
}

// TestFinishesOfBots checks that finishes of bots, and of teams with bots, make no ranks and no
// best times unless the operator allows it.
func TestFinishesOfBots(t *testing.T) {
	for _, want := range []struct {
		setting string
		names   []string
	}{{"0", []string{"player 1"}}, {"1", []string{"player 0", "player 0", "player 1"}}} {
		p := newParty(t, 2)
		p.run(1, game.SetVariable("sv_rank_bots", want.setting),
			game.Command{Kind: game.CmdPlayerFlags, Player: 0, Target: game.Nobody, Value: int32(game.PlayerFlagBot)})
		p.walk(1, 150, 0)
		best := p.Frame().Game.Race.BestTime
		testenv.Check(t, (best != 0) == (want.setting == "1"), "sv_rank_bots %s: the bot's time is the best time: %d", want.setting, best)
		p.run(2, game.Command{Kind: game.CmdKill, Player: 0})
		p.run(150)
		p.types(0, "team 5")
		p.types(1, "team 5")
		p.walk(1, 150, 0, 1)
		var names []string
		teams := 0
		for _, r := range p.finishes() {
			if r.Team {
				teams++
				continue
			}
			names = append(names, r.Names[0])
		}
		slices.Sort(names)
		testenv.Check(t, slices.Equal(names, want.names) && (teams == 1) == (want.setting == "1"), "sv_rank_bots %s: finishes of %v, %d of teams",
			want.setting, names, teams)
	}
}
