//go:build peers

package transcript

import (
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

const (
	suddenDeath = "GameData State=2 Ends=false"
	roundOver   = "GameData State=4 Ends=true"
	gameOver    = "GameData State=8 Ends=true"
)

// startMinute begins a match of a minute.
func (sc *scenario) startMinute() {
	sc.t.Helper()
	sc.arriveAgain()
	sc.rcon("sv_timelimit 1", sc.bob().got("Sv_GameInfo"))
	sc.rcon("restart")
	sc.awaitRunning()
}

// timeIsUp waits for the end of the minute.
func (sc *scenario) timeIsUp(until string) {
	sc.t.Helper()
	sc.sleep(52 * time.Second)
	sc.step("the time is up", func() { sc.await(sc.alice().hasItem(until)) }, sc.alice().hasItem(until))
}

// timeInDeathmatch is a tour in which the time ends without a leader, and then one player leads.
func (sc *scenario) timeInDeathmatch(*peers.Server) {
	sc.startMinute()
	alice, bob, carol := sc.alice(), sc.bob(), sc.carol()
	sc.timeIsUp(suddenDeath)
	sc.kill("alice is not one of them", alice, alice.isAlive)
	sc.joins("join sudden death", joinConfig{name: "dave", host: 4, hasMap: true})
	sc.team("dave only watches", sc.player("dave"), msg7.TeamSpectators, bob.got("Sv_Team"))
	sc.sleep(1200 * time.Millisecond)
	sc.step("dave leaves, who has as many points", func() { sc.leave(sc.player("dave")) }, bob.got("Sv_ClientDrop"))
	sc.kill("bob is not, either", bob, carol.hasItem(gameOver))
}

// timeInTeams is timeInDeathmatch for tdm.
func (sc *scenario) timeInTeams(*peers.Server) {
	sc.startMinute()
	sc.timeIsUp(suddenDeath)
	sc.kill("bob decides it", sc.bob(), sc.alice().hasItem(gameOver))
}

// timeWithWinner is a tour of ctf in which the time ends while one team leads.
func (sc *scenario) timeWithWinner(*peers.Server) {
	sc.startMinute()
	alice := sc.alice()
	carries := func(id int32) func() bool {
		return func() bool {
			carriers, ok := alice.flagCarriers()
			return ok && carriers[game.TeamBlue] == id
		}
	}
	sc.walk("alice takes the blue flag", alice, 1, carries(0))
	sc.walk("alice captures it", alice, -1, carries(atStand))
	sc.timeIsUp(gameOver)
}

// timeInSurvival is a tour of lms in which a round's time ends while several players live.
func (sc *scenario) timeInSurvival(*peers.Server) {
	sc.startMinute()
	sc.timeIsUp(roundOver)
	sc.sleep(5 * time.Second)
	sc.awaitRunning()
}

// timeOfTeams is timeInSurvival for lts, where the end of the time ends the match.
func (sc *scenario) timeOfTeams(*peers.Server) {
	sc.startMinute()
	sc.timeIsUp(gameOver)
}
