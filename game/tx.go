package game

import (
	"iter"

	"github.com/teeyard/teeyard/game/vec"
)

// Tx is the API of the world for modes and mods. It is valid only during the call that it is passed
// to; later use panics. A method called with the id of a player who is not connected has no effect
// and returns zero values.
type Tx struct{ w *World }

func (tx *Tx) player(id PlayerID) *player {
	if id < 0 || id >= MaxPlayers || !tx.w.players[id].connected {
		return nil
	}
	return &tx.w.players[id]
}

func (tx *Tx) character(id PlayerID) *character {
	if id < 0 || id >= MaxPlayers || !tx.w.isAlive(id) {
		return nil
	}
	return &tx.w.characters[id]
}

// Tick returns the current tick.
func (tx *Tx) Tick() int32 { return tx.w.tick }

// Rules returns the rules in force.
func (tx *Tx) Rules() Rules { return tx.w.rules }

// Rand returns a random number in 0..n-1 from the world's generator. It panics unless n is
// positive.
func (tx *Tx) Rand(n int) int { return tx.w.rand.Intn(n) }

// Players iterates over the connected players, including spectators, in ascending order.
func (tx *Tx) Players() iter.Seq[PlayerID] {
	return func(yield func(PlayerID) bool) {
		for i := range tx.w.players {
			if tx.w.players[i].connected && !yield(PlayerID(i)) {
				return
			}
		}
	}
}

// Connected reports whether a player is connected.
func (tx *Tx) Connected(id PlayerID) bool { return tx.player(id) != nil }

// Name returns a player's name.
func (tx *Tx) Name(id PlayerID) string {
	if p := tx.player(id); p != nil {
		return p.profile.Name
	}
	return ""
}

// IsBot reports whether a player is a bot of the server or an NPC of a mod.
func (tx *Tx) IsBot(id PlayerID) bool {
	p := tx.player(id)
	return p != nil && p.bot
}

// Team returns a player's team, or TeamSpectators if the player is not connected.
func (tx *Tx) Team(id PlayerID) Team {
	if p := tx.player(id); p != nil {
		return p.team
	}
	return TeamSpectators
}

// SetTeam moves a player to a team. It ignores player slots, balance and [JoinRule]. Clients show a
// chat line about it.
func (tx *Tx) SetTeam(id PlayerID, t Team) {
	if tx.player(id) != nil {
		tx.w.changeTeam(id, t, true)
	}
}

// SetTeamSilently is SetTeam without the chat line. It is for moving many players with one text.
func (tx *Tx) SetTeamSilently(id PlayerID, t Team) {
	if tx.player(id) != nil {
		tx.w.changeTeam(id, t, false)
	}
}

// TeamSize returns the number of connected players in a team.
func (tx *Tx) TeamSize(t Team) int32 {
	if t != TeamRed && t != TeamBlue {
		return 0
	}
	return tx.w.match.teamSize[t]
}

// Score returns a player's score.
func (tx *Tx) Score(id PlayerID) int32 {
	if p := tx.player(id); p != nil {
		return p.score
	}
	return 0
}

// AddScore adds n to a player's score.
func (tx *Tx) AddScore(id PlayerID, n int32) {
	if p := tx.player(id); p != nil {
		p.score += n
	}
}

// SetScore sets a player's score.
func (tx *Tx) SetScore(id PlayerID, n int32) {
	if p := tx.player(id); p != nil {
		p.score = n
	}
}

// TeamScore returns a team's score.
func (tx *Tx) TeamScore(t Team) int32 { return tx.w.match.teamScore[t&1] }

// AddTeamScore adds n to a team's score.
func (tx *Tx) AddTeamScore(t Team, n int32) { tx.w.match.teamScore[t&1] += n }

// MatchTicks returns the duration of the match in ticks, without pauses.
func (tx *Tx) MatchTicks() int32 { return tx.w.tick - tx.w.match.startTick }

// SuddenDeath reports whether the match is in sudden death.
func (tx *Tx) SuddenDeath() bool { return tx.w.match.suddenDeath }

// Warmup reports whether the match is in warmup.
func (tx *Tx) Warmup() bool {
	return tx.w.match.state == stateWarmupGame || tx.w.match.state == stateWarmupUser
}

// StartWarmup starts a warmup of the given seconds, or without an end if negative. Zero starts a
// match.
func (tx *Tx) StartWarmup(seconds int32) { tx.w.userWarmup(min(max(seconds, timerInfinite), 1000)) }

// EntitiesMoving reports whether entities move. They stand still in a pause or countdown, at the
// end of a match, and before a reset of the map.
func (tx *Tx) EntitiesMoving() bool { return !tx.w.paused && !tx.w.resetRequested }

// EndMatch ends the match: the scoreboard appears, and the next match starts after 10 seconds.
func (tx *Tx) EndMatch() { tx.w.endMatch() }

// CheckWin calls the [WinRule] now and reports whether the match ended. The world does so every
// tick; call it to end the match at once after scoring in OnTick.
func (tx *Tx) CheckWin() bool { return tx.w.checkWin() }

// InRound reports whether a player is alive or will respawn in this round.
func (tx *Tx) InRound(id PlayerID) bool {
	p := tx.player(id)
	return p != nil && p.team != TeamSpectators && (!p.respawnDisabled || tx.w.isAlive(id))
}

// DisableRespawn prevents a player's respawn until the next round. It has no effect before the
// round has started. Modes with GameFlagSurvival call it at each spawn.
func (tx *Tx) DisableRespawn(id PlayerID) {
	if p := tx.player(id); p != nil {
		p.respawnDisabled = tx.w.startRespawnDisabled()
	}
}

// EnableRespawn lets a player respawn in this round after DisableRespawn. It also works if a
// survival mode keeps the player out of the round. The tee spawns at once, unless the player is
// waiting to respawn.
func (tx *Tx) EnableRespawn(id PlayerID) {
	p := tx.player(id)
	if p == nil || !p.respawnDisabled {
		return
	}
	p.respawnDisabled = false
	if p.inGame && (p.deadSpec || !tx.w.characters[id].exists) {
		tx.w.respawn(id)
	}
}

// RespawnNow makes a dead player respawn without waiting, unless the player is out of the round.
func (tx *Tx) RespawnNow(id PlayerID) {
	if p := tx.player(id); p != nil && !p.respawnDisabled && !tx.w.isAlive(id) {
		p.respawnTick = tx.w.tick
		tx.w.respawn(id)
		tx.w.sim.respawnNow(id)
	}
}

// Respawn replaces a player's tee by a new one at a spawn point; see [SpawnPicker]. The old tee
// disappears without a death: no score changes and no [DeathHook] runs. The new tee spawns in the
// next tick in which tees can spawn. For a dead player, Respawn is the same as RespawnNow. In
// DDRace the old tee dies.
func (tx *Tx) Respawn(id PlayerID) {
	if tx.character(id) == nil {
		tx.RespawnNow(id)
		return
	}
	tx.w.sim.respawn(id)
}

// DelayRespawn prevents a player's respawn for at least the given ticks.
func (tx *Tx) DelayRespawn(id PlayerID, ticks int32) {
	if p := tx.player(id); p != nil {
		p.respawnTick = max(p.respawnTick, tx.w.tick+ticks)
	}
}

// Alive reports whether a player has a living tee.
func (tx *Tx) Alive(id PlayerID) bool { return tx.character(id) != nil }

// Pos returns the position of a living tee, in units (1/32 tile).
func (tx *Tx) Pos(id PlayerID) vec.Vec2 {
	if c := tx.character(id); c != nil {
		return c.pos
	}
	return vec.Vec2{}
}

// Vitals returns the health and armour of a living tee, 0..10.
func (tx *Tx) Vitals(id PlayerID) (health, armor int32) {
	if c := tx.character(id); c != nil {
		return c.health, c.armor
	}
	return 0, 0
}

// Heal adds health, up to 10. It reports whether the tee had less than 10.
func (tx *Tx) Heal(id PlayerID, n int32) bool {
	c := tx.character(id)
	return c != nil && n > 0 && c.heal(min(n, maxHealth))
}

// GiveArmor adds armour, up to 10. It reports whether the tee had less than 10.
func (tx *Tx) GiveArmor(id PlayerID, n int32) bool {
	c := tx.character(id)
	return c != nil && n > 0 && c.giveArmor(min(n, maxHealth))
}

// GiveWeapon gives a weapon with ammo rounds: at most 10, or -1 for unlimited ones. Clients show
// unlimited rounds as 10. A ninja becomes the active weapon. GiveWeapon returns false if the tee
// already has the weapon with full or unlimited ammo. In DDRace rounds are always unlimited, and
// the race of a tee that gets a weapon this way no longer counts.
func (tx *Tx) GiveWeapon(id PlayerID, weapon Weapon, ammo int32) bool {
	if tx.character(id) == nil || weapon < 0 || weapon >= NumWeapons {
		return false
	}
	return tx.w.sim.giveWeapon(id, weapon, ammo)
}

// TakeWeapon removes a weapon. If it was active, another weapon becomes active. The last weapon
// cannot be removed.
func (tx *Tx) TakeWeapon(id PlayerID, weapon Weapon) {
	c := tx.character(id)
	if c == nil || weapon < 0 || weapon >= NumWeapons || !c.weapons[weapon].owned {
		return
	}
	tx.w.sim.takeWeapon(id, weapon)
	if weapon == c.activeWeapon {
		next := Weapon(-1)
		for i := range c.weapons {
			if Weapon(i) != weapon && c.weapons[i].owned {
				next = Weapon(i)
			}
		}
		if next < 0 {
			return
		}
		tx.w.setWeapon(c, next)
	}
	c.weapons[weapon] = weaponState{}
	if c.queuedWeapon == int32(weapon) {
		c.queuedWeapon = -1
	}
	if c.lastWeapon == weapon {
		c.lastWeapon = c.activeWeapon
	}
}

// Kill kills a tee. The death counts as a suicide; clients show weapon as its cause.
func (tx *Tx) Kill(id PlayerID, weapon Weapon) {
	if tx.character(id) != nil {
		tx.w.sim.kill(id, weapon)
	}
}

// TakeDamage hits a tee. It reports whether the hit counted and the victim survived.
func (tx *Tx) TakeDamage(d Damage) bool {
	if tx.character(d.Victim) == nil || d.Attacker != Nobody && tx.player(d.Attacker) == nil {
		return false
	}
	d.Amount = min(max(d.Amount, 0), 1000)
	return tx.w.sim.damage(d)
}

// Explode creates an explosion with the given maximum damage. With from set to Nobody, no player
// causes it.
func (tx *Tx) Explode(pos vec.Vec2, from PlayerID, weapon Weapon, damage int32) {
	if (from == Nobody || tx.player(from) != nil) && len(tx.w.events) < maxModEvents {
		tx.w.sim.explode(pos, from, weapon, damage)
	}
}

// Sound plays a sound at pos for the players in to.
func (tx *Tx) Sound(pos vec.Vec2, s Sound, to PlayerMask) {
	tx.effect(Event{Kind: EvSound, To: to, Sound: s, Pos: pos})
}

// Say sends a chat line of the server to all players.
func (tx *Tx) Say(text string) {
	tx.w.sim.beforeChat()
	tx.effect(Event{Kind: EvChat, To: MaskAll, Player: Nobody, Target: Nobody, Chat: ChatAll, Text: text})
}

// SayTo sends a chat line of the server to one player.
func (tx *Tx) SayTo(id PlayerID, text string) {
	if tx.player(id) != nil {
		tx.w.sim.beforeChat()
		tx.effect(Event{Kind: EvChat, To: MaskOne(id), Player: Nobody, Target: Nobody, Chat: ChatAll, Text: text})
	}
}

// Broadcast shows a text in the middle of every player's screen for about ten seconds.
func (tx *Tx) Broadcast(text string) {
	tx.effect(Event{Kind: EvBroadcast, To: MaskAll, Text: text})
}

// SendGameMsg sends a game message to all players; see [GameMsg] for the arguments.
func (tx *Tx) SendGameMsg(n GameMsg, value int32, id PlayerID, extra int32) {
	tx.effect(Event{Kind: EvGameMsg, To: MaskAll, GameMsg: n, Value: value, Player: id, Extra: extra})
}
