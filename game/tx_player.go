package game

import (
	"iter"

	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/vec"
)

// Player is a player of the world. It is a small value; [Tx.Player] makes it from an id. A Player
// is valid as long as its Tx, so keep ids in a state, not Players. If no player with the id is
// connected, methods have no effect and return zero values.
//
// Player embeds [Tee] and has all methods of it.
type Player struct{ Tee }

// Player returns the player with an id. The result is usable even if no such player is connected.
func (tx *Tx) Player(id PlayerID) Player { return Player{Tee{tx, id}} }

// Players iterates over the connected players, including spectators, in ascending order of ids.
func (tx *Tx) Players() iter.Seq[Player] {
	return func(yield func(Player) bool) {
		for i := range tx.w.players {
			if tx.w.players[i].connected && !yield(tx.Player(PlayerID(i))) {
				return
			}
		}
	}
}

// PlayerNamed returns the connected player with a name, and false without one.
func (tx *Tx) PlayerNamed(name string) (Player, bool) {
	for p := range tx.Players() {
		if p.Name() == name {
			return p, true
		}
	}
	return tx.Player(Nobody), false
}

// ID returns the player's id.
func (p Player) ID() PlayerID { return p.id }

// Connected reports whether the player is connected.
func (p Player) Connected() bool { return p.player() != nil }

// Name returns the player's name.
func (p Player) Name() string {
	if pl := p.player(); pl != nil {
		return pl.profile.Name
	}
	return ""
}

// IsBot reports whether the player is a bot of the server or an NPC of a mod.
func (p Player) IsBot() bool {
	pl := p.player()
	return pl != nil && pl.bot
}

// Team returns the player's team, or TeamSpectators if the player is not connected.
func (p Player) Team() Team {
	if pl := p.player(); pl != nil {
		return pl.team
	}
	return TeamSpectators
}

// SetTeam moves the player to a team. It ignores player slots, balance and [JoinRule]. Clients show
// a chat line about it.
func (p Player) SetTeam(t Team) {
	if p.player() != nil {
		p.tx.w.changeTeam(p.id, t, true)
	}
}

// SetTeamSilently is SetTeam without the chat line. It is for moving many players with one text.
func (p Player) SetTeamSilently(t Team) {
	if p.player() != nil {
		p.tx.w.changeTeam(p.id, t, false)
	}
}

// Score returns the player's score.
func (p Player) Score() int32 {
	if pl := p.player(); pl != nil {
		return pl.score
	}
	return 0
}

// AddScore adds n to the player's score.
func (p Player) AddScore(n int32) {
	if pl := p.player(); pl != nil {
		pl.score += n
	}
}

// SetScore sets the player's score.
func (p Player) SetScore(n int32) {
	if pl := p.player(); pl != nil {
		pl.score = n
	}
}

// InRound reports whether the player is alive or will respawn in this round.
func (p Player) InRound() bool {
	pl := p.player()
	return pl != nil && pl.team != TeamSpectators && (!pl.respawnDisabled || p.tx.w.isAlive(p.id))
}

// DisableRespawn prevents the player's respawn until the next round. It has no effect before the
// round has started. Modes with GameFlagSurvival call it at each spawn.
func (p Player) DisableRespawn() {
	if pl := p.player(); pl != nil {
		pl.respawnDisabled = p.tx.w.startRespawnDisabled()
	}
}

// EnableRespawn lets the player respawn in this round after DisableRespawn. It also works if a
// survival mode keeps the player out of the round. The tee spawns at once, unless the player is
// waiting to respawn.
func (p Player) EnableRespawn() {
	pl := p.player()
	if pl == nil || !pl.respawnDisabled {
		return
	}
	pl.respawnDisabled = false
	if pl.inGame && (pl.deadSpec || !p.tx.w.tees.All[p.id].Exists) {
		p.tx.w.respawn(p.id)
	}
}

// RespawnNow makes a dead player respawn without waiting, unless the player is out of the round.
func (p Player) RespawnNow() {
	if pl := p.player(); pl != nil && !pl.respawnDisabled && !p.tx.w.isAlive(p.id) {
		pl.respawnTick = p.tx.w.tick
		p.tx.w.respawn(p.id)
		p.tx.w.sim.respawnNow(p.id)
	}
}

// Respawn replaces the tee by a new one at a spawn point; see [SpawnPicker]. The old tee disappears
// without a death: no score changes and no [DeathHook] runs. The new tee spawns in the next tick in
// which tees can spawn. For a dead player, Respawn is the same as RespawnNow. In DDRace the old tee
// dies.
func (p Player) Respawn() {
	if p.character() == nil {
		p.RespawnNow()
		return
	}
	p.tx.w.sim.respawn(p.id)
}

// DelayRespawn prevents the player's respawn for at least the given ticks.
func (p Player) DelayRespawn(ticks int32) {
	if pl := p.player(); pl != nil {
		pl.respawnTick = max(pl.respawnTick, p.tx.w.tick+ticks)
	}
}

// Say sends a chat line of the server to the player.
func (p Player) Say(text string) {
	if p.player() != nil {
		p.tx.w.sim.beforeChat()
		p.tx.effect(Event{Kind: EvChat, To: MaskOne(p.id), Player: Nobody, Target: Nobody, Chat: ChatAll, Text: text})
	}
}

// Motd shows a text of several lines to the player, like the message of the day.
func (p Player) Motd(text string) {
	if p.player() != nil {
		p.tx.effect(Event{Kind: EvMotd, To: MaskOne(p.id), Player: Nobody, Target: Nobody, Text: text})
	}
}

// Broadcast shows a text in the middle of the player's screen for about ten seconds.
func (p Player) Broadcast(text string) {
	if p.player() != nil {
		p.tx.effect(Event{Kind: EvBroadcast, To: MaskOne(p.id), Text: text})
	}
}

// NearestPlayer returns the player with the living tee closest to pos among those that touch a
// circle around pos, and false without one. Tees in except are ignored.
func (tx *Tx) NearestPlayer(pos vec.Vec2, radius float32, except PlayerMask) (Player, bool) {
	best, nearest := Nobody, radius+tee.ProximityRadius
	for _, i := range tx.w.tees.InOrder() {
		id := PlayerID(i)
		if c := &tx.w.tees.All[id]; c.Alive && !except.Has(id) {
			if d := vec.Distance(c.Pos, pos); d < nearest {
				best, nearest = id, d
			}
		}
	}
	return tx.Player(best), best != Nobody
}

// PlayersNear iterates over the players whose living tees touch a circle around pos when the
// iteration begins, latest spawn first. For a distance between centers, compare positions.
func (tx *Tx) PlayersNear(pos vec.Vec2, radius float32) iter.Seq[Player] {
	return func(yield func(Player) bool) {
		var found [MaxPlayers]tee.ID
		near := tx.w.tees.Near(pos, radius, &found)
		living := near[:0]
		for _, id := range near {
			if tx.w.tees.All[id].Alive {
				living = append(living, id)
			}
		}
		for _, id := range living {
			if !yield(tx.Player(PlayerID(id))) {
				return
			}
		}
	}
}
