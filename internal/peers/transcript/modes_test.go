//go:build peers

package transcript

import (
	"strings"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// modeSettings are both servers' settings for all modes but dm. The remote console has its usual
// level, and the external console shows all lines.
const modeSettings = "sv_map yard; sv_rcon_password adminpw; sv_motd \"\"; sv_warmup 0; sv_countdown 0; " +
	"sv_max_clients 12; sv_player_slots 8; sv_vote_kick_bantime 0; sv_respawn_delay_tdm 1; add_vote next change_map"

// flagYard has everything that the modes need, and no player has to jump.
const flagYard = `
########################
#......................#
#......................#
#......................#
#x.R.1..h..SS..a..2.B.x#
########################`

// ctfYard has its spikes on one side only. They are so far from the flag that a player who takes it
// stops in time, even if the machine is busy for half a second.
const ctfYard = `
##############################
#............................#
#............................#
#............................#
#..R.1..h..SS..a..2.B.......x#
##############################`

// survivalYard is flagYard without spikes. In modes with one life, players spawn anywhere, also on
// top of each other. When the lower tee goes away, the upper one would slide into spikes.
var survivalYard = strings.ReplaceAll(flagYard, "x", ".")

// arriveInTeams makes alice, the operator, join, and then bob and carol.
func (sc *scenario) arriveInTeams() {
	sc.t.Helper()
	sc.joins("join", joinConfig{name: "alice", host: 1, hasMap: true})
	alice := sc.alice()
	sc.step("rcon password", func() { alice.send(&msg7.RconAuth{Password: []byte("adminpw")}) },
		alice.got("RCON_CMD_ADD vote"), alice.got("MAPLIST_ENTRY_ADD"))
	sc.joins("second join", joinConfig{name: "bob", host: 2, hasMap: true})
	sc.joins("third join", joinConfig{name: "carol", host: 3, hasMap: true})
	sc.awaitRunning()
	sc.rcon("status", alice.got("RCON_LINE"))
}

// arriveAgain is arriveInTeams for a tour of a part of dm. The transcript of the first tour already
// contains the lines with which every tour begins.
func (sc *scenario) arriveAgain() {
	sc.t.Helper()
	sc.arriveInTeams()
	sc.transcript = nil
}

// atStand stands for a flag at its stand, in place of its carrier.
const atStand = -2

const running = "GameData State=0 Ends=false"

// awaitRunning waits until the match runs.
func (sc *scenario) awaitRunning() {
	sc.t.Helper()
	conditions := []func() bool{sc.alice().hasItem(running)}
	for _, p := range sc.players {
		conditions = append(conditions, p.isAlive)
	}
	sc.step("the match runs", func() {}, conditions...)
}

// walk makes a player walk in a direction until all conditions are true.
func (sc *scenario) walk(step string, p *player, direction int32, until ...func() bool) {
	sc.t.Helper()
	sc.step(step, func() {
		p.changeInput(func(in *game.Input) { in.Direction, in.TargetX, in.TargetY = direction, 100*direction, 0 })
		sc.await(func() bool {
			for _, ok := range until {
				if !ok() {
					return false
				}
			}
			return true
		})
		p.changeInput(func(in *game.Input) { in.Direction = 0 })
	}, until...)
}

// kill makes a player kill itself.
func (sc *scenario) kill(step string, p *player, until ...func() bool) {
	sc.t.Helper()
	sc.step(step, func() { p.send(&msg7.ClKill{}) }, append(until, sc.alice().got("Sv_KillMsg"))...)
}

// leaveAndEnd ends a tour: a player chats and leaves at once, and then the server ends.
func (sc *scenario) leaveAndEnd(s *peers.Server) {
	sc.t.Helper()
	alice, bob := sc.alice(), sc.bob()
	sc.step("bob says goodbye and leaves", func() {
		bob.chat(msg7.ChatAll, nil, "goodbye")
		sc.leave(bob)
	}, alice.got("Sv_ClientDrop"))
	sc.step("econ status", func() { sc.econ.send("status") }, sc.econ.got("id=2"))
	sc.step("econ kicks carol", func() { sc.econ.send("kick 2 good night") }, alice.got("Sv_ClientDrop"), sc.econ.got("leave player"))
	sc.step("econ shutdown", func() { sc.econ.send("shutdown") }, func() bool { return alice.State() == client.Offline }, sc.econ.got("Closing console"))
	peers.Eventually(sc.t, 10*time.Second, "the server ended", func() bool { return !s.Running() })
}

// teams is the part about chat, changes and balance of teams.
func (sc *scenario) teams() {
	alice, bob, carol := sc.alice(), sc.bob(), sc.carol()
	sc.say("team chat", alice, msg7.ChatTeam, nil, "we", carol.got("Sv_Chat"))
	sc.say("team chat of one", bob, msg7.ChatTeam, nil, "alone", bob.got("Sv_Chat"))
	sc.team("the team with more", bob, msg7.TeamRed)
	sc.team("carol changes", carol, msg7.TeamBlue, bob.got("Sv_Team"), carol.isAlive)
	sc.rcon("swap_teams", alice.got("Sv_Team"), alice.isAlive, bob.isAlive, carol.isAlive)
	sc.rcon("set_team 0 0", alice.got("Sv_Team"), alice.isAlive)
	sc.rcon("force_teambalance", alice.got("Sv_GameMsg"), alice.isAlive, bob.isAlive, carol.isAlive)
	sc.rcon("set_team 0 0")
	sc.rcon("set_team 1 1")
	sc.rcon("set_team 2 0", alice.isAlive, bob.isAlive, carol.isAlive)
	sc.rcon("lock_teams", bob.got("Sv_ServerSettings"))
	sc.rcon("lock_teams", bob.got("Sv_ServerSettings"))
	sc.rcon("set_team 2 -1", bob.got("Sv_Team"))
	sc.say("spectator chat", carol, msg7.ChatTeam, nil, "nobody hears", carol.got("Sv_Chat"))
	sc.rcon("sv_strict_spectate_mode 1")
	sc.step("carol follows alice", func() { carol.send(&msg7.ClSetSpectatorMode{Mode: 1, SpectatorID: 0}) }, carol.hasItem("SpectatorInfo Mode=1 ID=0"))
	sc.rcon("sv_strict_spectate_mode 0")
	sc.rcon("sv_tournament_mode 2")
	sc.say("spectator chat in a tournament", carol, msg7.ChatAll, nil, "between us", carol.got("Sv_Chat"))
	sc.rcon("sv_tournament_mode 0")
	sc.rcon("set_team 2 0", bob.got("Sv_Team"), carol.isAlive)
}

// matches is the part about warmup, countdown, pauses, readiness and the end of a match.
func (sc *scenario) matches() {
	alice, bob, carol := sc.alice(), sc.bob(), sc.carol()
	sc.rcon("sv_countdown 1")
	sc.rcon("restart", alice.hasItem("GameData State=48 Ends=true"))
	sc.awaitRunning()
	sc.rcon("sv_countdown 0")
	sc.rcon("restart 2", alice.hasItem("GameData State=1 Ends=true"))
	sc.awaitRunning()
	sc.rcon("pause 1", alice.hasItem("GameData State=16 Ends=true"))
	sc.awaitRunning()
	sc.rcon("sv_player_ready_mode 1")
	sc.rcon("restart -1", alice.hasItem("GameData State=1 Ends=false"))
	sc.step("all are ready", func() {
		alice.send(&msg7.ClReadyChange{})
		bob.send(&msg7.ClReadyChange{})
		carol.send(&msg7.ClReadyChange{})
	}, alice.hasItem(running), alice.isAlive, bob.isAlive, carol.isAlive)
	sc.rcon("sv_player_ready_mode 0")
}

// shoot makes a player shoot with the laser to the right until a condition is true.
func (sc *scenario) shoot(step string, p *player, until func() bool) {
	sc.t.Helper()
	sc.step(step, func() {
		p.changeInput(func(in *game.Input) { in.WantedWeapon, in.TargetX, in.TargetY = int32(game.WeaponLaser)+1, 100, 0 })
		sc.sleep(300 * time.Millisecond)
		for n := 0; n < 8 && !until(); n++ {
			p.changeInput(func(in *game.Input) { in.Fire++ })
			sc.sleep(100 * time.Millisecond)
			p.changeInput(func(in *game.Input) { in.Fire++ })
			sc.sleep(900 * time.Millisecond)
		}
	}, until)
}

// playTeams is the tour of tdm.
func (sc *scenario) playTeams(s *peers.Server) {
	sc.arriveInTeams()
	alice, bob, carol := sc.alice(), sc.bob(), sc.carol()
	sc.teams()
	sc.matches()
	sc.kill("bob kills himself", bob, bob.isAlive)
	sc.walk("carol walks into the spikes", carol, -1, alice.got("Sv_KillMsg"))
	sc.step("carol is back", func() {}, carol.isAlive)
	sc.rcon("sv_scorelimit 1", alice.got("Sv_GameInfo"))
	sc.rcon("change_map yard", alice.hasItem("GameData State=8 Ends=true"))
	sc.sleep(9 * time.Second)
	sc.awaitRunning()
	sc.leaveAndEnd(s)
}

// playFlags is the tour of ctf.
func (sc *scenario) playFlags(s *peers.Server) {
	sc.arriveInTeams()
	alice, bob := sc.alice(), sc.bob()
	carrier := func(team game.Team, id int32) func() bool {
		return func() bool {
			carriers, ok := alice.flagCarriers()
			return ok && carriers[team] == id
		}
	}
	sc.matches()
	sc.walk("alice takes the blue flag", alice, 1, carrier(game.TeamBlue, 0))
	sc.kill("alice dies with it", alice, carrier(game.TeamBlue, -1), alice.isAlive)
	sc.walk("bob brings it back", bob, -1, carrier(game.TeamBlue, atStand))
	sc.walk("alice takes it again", alice, 1, carrier(game.TeamBlue, 0))
	sc.walk("alice captures it", alice, -1, carrier(game.TeamBlue, atStand))
	sc.walk("bob takes the red flag", bob, -1, carrier(game.TeamRed, 1))
	sc.walk("bob falls into the spikes with it", bob, 1, carrier(game.TeamRed, atStand))
	sc.rcon("sv_scorelimit 100", alice.hasItem("GameData State=8 Ends=true"))
	sc.sleep(9 * time.Second)
	sc.awaitRunning()
	sc.leaveAndEnd(s)
}

// playLastMan is the tour of lms.
func (sc *scenario) playLastMan(s *peers.Server) {
	sc.arriveInTeams()
	alice, bob, carol := sc.alice(), sc.bob(), sc.carol()
	sc.matches()
	sc.kill("bob is out", bob)
	sc.say("the dead talk", bob, msg7.ChatAll, nil, "boo", alice.got("Sv_Chat"))
	sc.say("the dead talk to each other", bob, msg7.ChatTeam, nil, "boo", bob.got("Sv_Chat"))
	sc.kill("carol is out", carol, alice.hasItem("GameData State=4 Ends=true"))
	sc.sleep(5 * time.Second)
	sc.awaitRunning()
	sc.rcon("sv_scorelimit 1", alice.got("Sv_GameInfo"))
	sc.leaveAndEnd(s)
}

// playLastTeam is the tour of lts.
func (sc *scenario) playLastTeam(s *peers.Server) {
	sc.arriveInTeams()
	alice, bob, carol := sc.alice(), sc.bob(), sc.carol()
	sc.matches()
	sc.kill("carol is out", carol)
	sc.say("the dead talk to their team", carol, msg7.ChatTeam, nil, "boo", alice.got("Sv_Chat"))
	sc.step("carol follows bob", func() { carol.send(&msg7.ClSetSpectatorMode{Mode: 1, SpectatorID: 1}) })
	sc.shoot("alice shoots bob", alice, bob.got("Sv_KillMsg"))
	sc.sleep(5 * time.Second)
	sc.awaitRunning()
	sc.rcon("swap_teams", alice.got("Sv_Team"))
	sc.leaveAndEnd(s)
}
