package game

import (
	"iter"

	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/vec"
)

// Tx is the API of the world for modes and mods. It is valid only during the call it
// is passed to; using it later panics. Calls with ids of players who are not connected
// have no effect and return zero values.
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

// Rules returns the operator's settings.
func (tx *Tx) Rules() Rules { return tx.w.rules }

// Rand returns a random number in 0..n-1 from the world's generator; n must be
// positive.
func (tx *Tx) Rand(n int) int { return tx.w.rand.Intn(n) }

// Players iterates over the connected players in ascending order, spectators included.
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

// IsBot reports whether a player is one that the server or a mod provides.
func (tx *Tx) IsBot(id PlayerID) bool {
	p := tx.player(id)
	return p != nil && p.bot
}

// Team returns a player's team, TeamSpectators for an unknown player.
func (tx *Tx) Team(id PlayerID) Team {
	if p := tx.player(id); p != nil {
		return p.team
	}
	return TeamSpectators
}

// SetTeam moves a player, ignoring slots, balance and the JoinRules. Clients show a line of chat.
func (tx *Tx) SetTeam(id PlayerID, t Team) {
	if tx.player(id) != nil {
		tx.w.changeTeam(id, t, true)
	}
}

// SetTeamSilently is SetTeam without the line of chat, for who moves many and says so once.
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

// MatchTicks returns how long the match has been running, without pauses.
func (tx *Tx) MatchTicks() int32 { return tx.w.tick - tx.w.match.startTick }

// SuddenDeath reports whether the match is in sudden death.
func (tx *Tx) SuddenDeath() bool { return tx.w.match.suddenDeath }

// Warmup reports whether the match is in warmup.
func (tx *Tx) Warmup() bool {
	return tx.w.match.state == stateWarmupGame || tx.w.match.state == stateWarmupUser
}

// StartWarmup starts a warmup of the given seconds, without end if negative. Zero starts a match.
func (tx *Tx) StartWarmup(seconds int32) { tx.w.userWarmup(min(max(seconds, timerInfinite), 1000)) }

// EntitiesMoving reports whether entities move: they do not in a pause or countdown,
// at the end of a match and before a reset.
func (tx *Tx) EntitiesMoving() bool { return !tx.w.paused && !tx.w.resetRequested }

// EndMatch shows the scoreboard and starts the next match after 10 seconds.
func (tx *Tx) EndMatch() { tx.w.endMatch() }

// CheckWin calls the mode's WinRule now, as happens every tick, and reports whether
// the match ended. It is for modes that score in OnTick.
func (tx *Tx) CheckWin() bool { return tx.w.checkWin() }

// InRound reports whether a player is alive or will respawn in this round.
func (tx *Tx) InRound(id PlayerID) bool {
	p := tx.player(id)
	return p != nil && p.team != TeamSpectators && (!p.respawnDisabled || tx.w.isAlive(id))
}

// DisableRespawn prevents a player from respawning until the next round, unless the
// round has not started. Modes with GameFlagSurvival call it at each spawn.
func (tx *Tx) DisableRespawn(id PlayerID) {
	if p := tx.player(id); p != nil {
		p.respawnDisabled = tx.w.startRespawnDisabled()
	}
}

// EnableRespawn lets a player whom DisableRespawn or the rules of survival modes keep out of the
// round have a character again, at once unless they are waiting to respawn.
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

// RespawnNow lets a player who died have another character without waiting, unless they are
// out of the round.
func (tx *Tx) RespawnNow(id PlayerID) {
	if p := tx.player(id); p != nil && !p.respawnDisabled && !tx.w.isAlive(id) {
		p.respawnTick = tx.w.tick
		tx.w.respawn(id)
		if d := tx.w.ddrace; d != nil {
			d.world.Respawn(int(id))
		}
	}
}

// Respawn gives a player another character at a spawn point, as [SpawnPicker] says, with what new ones
// have. That of before goes without a death: nobody scores and no [DeathHook] is called. It is there
// in the next tick in which somebody can spawn. For who is dead it is RespawnNow. In DDRace it is a death.
func (tx *Tx) Respawn(id PlayerID) {
	c := tx.character(id)
	if c == nil {
		tx.RespawnNow(id)
		return
	}
	w, p := tx.w, &tx.w.players[id]
	if w.ddrace != nil {
		w.killCharacter(id, WeaponGame)
		return
	}
	w.dropCarriedFlags(id)
	c.alive = false
	w.removeFromWorld(id)
	w.coreWorld.Cores[id] = nil
	p.respawnTick, p.spawning = w.tick, true
}

// DelayRespawn prevents a player from respawning for at least the given ticks.
func (tx *Tx) DelayRespawn(id PlayerID, ticks int32) {
	if p := tx.player(id); p != nil {
		p.respawnTick = max(p.respawnTick, tx.w.tick+ticks)
	}
}

// Alive reports whether a player has a living character.
func (tx *Tx) Alive(id PlayerID) bool { return tx.character(id) != nil }

// Pos returns the position of a living character.
func (tx *Tx) Pos(id PlayerID) vec.Vec2 {
	if c := tx.character(id); c != nil {
		return c.pos
	}
	return vec.Vec2{}
}

// Vitals returns the health and armour of a living character, 0..10.
func (tx *Tx) Vitals(id PlayerID) (health, armor int32) {
	if c := tx.character(id); c != nil {
		return c.health, c.armor
	}
	return 0, 0
}

// Heal adds health, up to 10. It reports whether there was less than 10.
func (tx *Tx) Heal(id PlayerID, n int32) bool {
	c := tx.character(id)
	return c != nil && n > 0 && c.heal(min(n, maxHealth))
}

// GiveArmor adds armour, up to 10. It reports whether there was less than 10.
func (tx *Tx) GiveArmor(id PlayerID, n int32) bool {
	c := tx.character(id)
	return c != nil && n > 0 && c.giveArmor(min(n, maxHealth))
}

// GiveWeapon gives a weapon with ammo rounds, at most 10, or -1 for endless ones, which clients
// show as 10. It reports false if the character has the weapon fully loaded or endless. The ninja becomes the
// active weapon. In DDRace rounds have no end, and the race of who gets a weapon ends.
func (tx *Tx) GiveWeapon(id PlayerID, weapon Weapon, ammo int32) bool {
	c := tx.character(id)
	if c == nil || weapon < 0 || weapon >= NumWeapons {
		return false
	}
	if d := tx.w.ddrace; d != nil {
		had := c.weapons[weapon].owned
		d.world.GiveWeapon(int(id), ddrace.Weapon(weapon), true)
		c.weapons[weapon] = weaponState{owned: true, ammo: -1}
		return !had
	}
	if weapon == WeaponNinja {
		tx.w.giveNinja(id)
		return true
	}
	return c.giveWeapon(weapon, max(ammo, -1))
}

// TakeWeapon removes a weapon. If it is active, another one becomes active; the last
// weapon cannot be removed.
func (tx *Tx) TakeWeapon(id PlayerID, weapon Weapon) {
	c := tx.character(id)
	if c == nil || weapon < 0 || weapon >= NumWeapons || !c.weapons[weapon].owned {
		return
	}
	if d := tx.w.ddrace; d != nil {
		d.world.GiveWeapon(int(id), ddrace.Weapon(weapon), false)
	}
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

// Kill kills a character; it counts as a suicide.
func (tx *Tx) Kill(id PlayerID, weapon Weapon) {
	switch {
	case tx.character(id) == nil:
	case tx.w.ddrace != nil:
		tx.w.killCharacter(id, weapon)
	default:
		tx.w.die(id, id, weapon)
	}
}

// TakeDamage hits a character. It reports whether the hit counted and the victim
// survived.
func (tx *Tx) TakeDamage(d Damage) bool {
	if tx.w.ddrace != nil || tx.character(d.Victim) == nil || d.Attacker != Nobody && tx.player(d.Attacker) == nil {
		return false
	}
	d.Amount = min(max(d.Amount, 0), 1000)
	return tx.w.damage(d)
}

// Explode creates an explosion with the given maximum damage. From Nobody it belongs
// to the world.
func (tx *Tx) Explode(pos vec.Vec2, from PlayerID, weapon Weapon, damage int32) {
	if tx.w.ddrace == nil && (from == Nobody || tx.player(from) != nil) && len(tx.w.events) < maxModEvents {
		tx.w.explode(pos, from, weapon, damage)
	}
}

// Sound plays a sound for the players in to.
func (tx *Tx) Sound(pos vec.Vec2, s Sound, to PlayerMask) {
	tx.effect(Event{Kind: EvSound, To: to, Sound: s, Pos: pos})
}

// Say sends a chat line of the server to all.
func (tx *Tx) Say(text string) {
	tx.w.beforeChat()
	tx.effect(Event{Kind: EvChat, To: MaskAll, Player: Nobody, Target: Nobody, Chat: ChatAll, Text: text})
}

// SayTo sends a chat line of the server to one player.
func (tx *Tx) SayTo(id PlayerID, text string) {
	if tx.player(id) != nil {
		tx.w.beforeChat()
		tx.effect(Event{Kind: EvChat, To: MaskOne(id), Player: Nobody, Target: Nobody, Chat: ChatAll, Text: text})
	}
}

// Broadcast shows a text in the middle of everyone's screen, for about ten seconds.
func (tx *Tx) Broadcast(text string) {
	tx.effect(Event{Kind: EvBroadcast, To: MaskAll, Text: text})
}

// SendGameMsg sends a game message to all.
func (tx *Tx) SendGameMsg(n GameMsg, value int32, id PlayerID, extra int32) {
	tx.effect(Event{Kind: EvGameMsg, To: MaskAll, GameMsg: n, Value: value, Player: id, Extra: extra})
}
