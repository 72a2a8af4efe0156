package game

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/vec"
)

// Tx is the API of the world for modes and mods. It is valid only during the call that it is passed
// to; later use panics. The values that its methods return, such as a [Player], are valid as long.
//
// Data such as a [Damage] and arguments identify players by a PlayerID; [Tx.Player] returns the
// player.
type Tx struct{ w *World }

func (tx *Tx) player(id PlayerID) *player {
	if id < 0 || id >= MaxPlayers || !tx.w.players[id].connected {
		return nil
	}
	return &tx.w.players[id]
}

func (tx *Tx) character(id PlayerID) *tee.Tee {
	if id < 0 || id >= MaxPlayers || !tx.w.isAlive(id) {
		return nil
	}
	return &tx.w.tees.All[id]
}

// Tick returns the current tick.
func (tx *Tx) Tick() int32 { return tx.w.tick }

// Rules returns the rules in force.
func (tx *Tx) Rules() Rules { return tx.w.rules }

// Rand returns a random number in 0..n-1 from the world's generator. It panics unless n is
// positive.
func (tx *Tx) Rand(n int) int { return tx.w.rand.Intn(n) }

// TeamSize returns the number of connected players in a team.
func (tx *Tx) TeamSize(t Team) int32 {
	if t != TeamRed && t != TeamBlue {
		return 0
	}
	return tx.w.match.teamSize[t]
}

// Explode creates an explosion with the given maximum damage. With from set to -1, no player causes
// it.
func (tx *Tx) Explode(pos vec.Vec2, from PlayerID, weapon Weapon, damage int32) {
	if (from == Nobody || tx.player(from) != nil) && len(tx.w.events) < maxModEvents {
		tx.w.sim.explode(pos, from, weapon, damage)
	}
}

// Say sends a chat line of the server to all players.
func (tx *Tx) Say(text string) {
	tx.w.sim.beforeChat()
	tx.effect(Event{Kind: EvChat, To: MaskAll, Player: Nobody, Target: Nobody, Chat: ChatAll, Text: text})
}

// Broadcast shows a text in the middle of every player's screen for about ten seconds.
func (tx *Tx) Broadcast(text string) {
	tx.effect(Event{Kind: EvBroadcast, To: MaskAll, Text: text})
}
