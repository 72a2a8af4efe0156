package game

import (
	"iter"

	"github.com/teeyard/teeyard/game/vec"
)

// Tx is the world as modes and mods see and change it. It is valid only within
// the call it was given to; using it later panics. Player ids that do not play
// are harmless everywhere: nothing is found and nothing changes.
type Tx struct{ w *World }

func (tx *Tx) player(id PlayerID) *player {
	if id < 0 || id >= MaxPlayers || !tx.w.players[id].connected {
		return nil
	}
	return &tx.w.players[id]
}

func (tx *Tx) char(id PlayerID) *character {
	if id < 0 || id >= MaxPlayers || !tx.w.isAlive(id) {
		return nil
	}
	return &tx.w.chars[id]
}

// Tick is the number of the present tick.
func (tx *Tx) Tick() int32 { return tx.w.tick }

// Rules are the operator's settings.
func (tx *Tx) Rules() Rules { return tx.w.rules }

// Rand is a random number 0..n-1 out of the world's state; n must be positive.
func (tx *Tx) Rand(n int) int { return tx.w.rand.intn(n) }

// Players are the seated players in ascending order, spectators too.
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

// Name is a player's name.
func (tx *Tx) Name(id PlayerID) string {
	if p := tx.player(id); p != nil {
		return p.profile.Name
	}
	return ""
}

// Team is a player's team; TeamSpectators for nobody.
func (tx *Tx) Team(id PlayerID) Team {
	if p := tx.player(id); p != nil {
		return p.team
	}
	return TeamSpectators
}

// SetTeam moves a player, regardless of slots and balance.
func (tx *Tx) SetTeam(id PlayerID, t Team) {
	if tx.player(id) != nil {
		tx.w.changeTeam(id, t, true)
	}
}

// TeamSize is the number of players connected in a team.
func (tx *Tx) TeamSize(t Team) int32 {
	if t != TeamRed && t != TeamBlue {
		return 0
	}
	return tx.w.match.teamSize[t]
}

// Score is a player's score.
func (tx *Tx) Score(id PlayerID) int32 {
	if p := tx.player(id); p != nil {
		return p.score
	}
	return 0
}

// AddScore changes a player's score.
func (tx *Tx) AddScore(id PlayerID, n int32) {
	if p := tx.player(id); p != nil {
		p.score += n
	}
}

// TeamScore is a team's score.
func (tx *Tx) TeamScore(t Team) int32 { return tx.w.match.teamScore[t&1] }

// AddTeamScore changes a team's score.
func (tx *Tx) AddTeamScore(t Team, n int32) { tx.w.match.teamScore[t&1] += n }

// MatchTicks is how long the match has been running, without pauses.
func (tx *Tx) MatchTicks() int32 { return tx.w.tick - tx.w.match.startTick }

// SuddenDeath reports whether the next point decides.
func (tx *Tx) SuddenDeath() bool { return tx.w.match.suddenDeath }

// Warmup reports whether the match has not begun.
func (tx *Tx) Warmup() bool {
	return tx.w.match.state == stateWarmupGame || tx.w.match.state == stateWarmupUser
}

// EntitiesMoving reports whether things move: not paused, not counting down, not at the
// end of a match, not about to be reset.
func (tx *Tx) EntitiesMoving() bool { return !tx.w.paused && !tx.w.resetRequested }

// EndMatch shows the scoreboard and starts the next match after 10 seconds.
func (tx *Tx) EndMatch() { tx.w.endMatch() }

// CheckWin asks the mode's WinRule at once, as happens every tick, and tells
// whether the match ended. For modes that score in OnTick.
func (tx *Tx) CheckWin() bool { return tx.w.checkWin() }

// InRound reports whether a player plays and is alive or will respawn.
func (tx *Tx) InRound(id PlayerID) bool {
	p := tx.player(id)
	return p != nil && p.team != TeamSpectators && (!p.respawnDisabled || tx.w.isAlive(id))
}

// DisableRespawn keeps a player from respawning until the next round, unless it
// has not begun. Modes with GameFlagSurvival call it at each spawn.
func (tx *Tx) DisableRespawn(id PlayerID) {
	if p := tx.player(id); p != nil {
		p.respawnDisabled = tx.w.startRespawnDisabled()
	}
}

// DelayRespawn keeps a player from respawning for at least so many ticks.
func (tx *Tx) DelayRespawn(id PlayerID, ticks int32) {
	if p := tx.player(id); p != nil {
		p.respawnTick = max(p.respawnTick, tx.w.tick+ticks)
	}
}

// Alive reports whether a player has a living character.
func (tx *Tx) Alive(id PlayerID) bool { return tx.char(id) != nil }

// Pos is where a living character is.
func (tx *Tx) Pos(id PlayerID) vec.Vec2 {
	if c := tx.char(id); c != nil {
		return c.pos
	}
	return vec.Vec2{}
}

// Vitals are the health and armour of a living character, 0..10.
func (tx *Tx) Vitals(id PlayerID) (health, armor int32) {
	if c := tx.char(id); c != nil {
		return c.health, c.armor
	}
	return 0, 0
}

// Heal gives health, up to 10. It reports whether there was room for any.
func (tx *Tx) Heal(id PlayerID, n int32) bool {
	c := tx.char(id)
	return c != nil && n > 0 && c.heal(min(n, maxHealth))
}

// GiveArmor gives armour, up to 10. It reports whether there was room for any.
func (tx *Tx) GiveArmor(id PlayerID, n int32) bool {
	c := tx.char(id)
	return c != nil && n > 0 && c.giveArmor(min(n, maxHealth))
}

// GiveWeapon gives a weapon with ammo rounds, at most 10, -1 endless. It is
// refused if he has it fully loaded. The ninja sword is taken in hand.
func (tx *Tx) GiveWeapon(id PlayerID, weapon Weapon, ammo int32) bool {
	c := tx.char(id)
	if c == nil || weapon < 0 || weapon >= NumWeapons {
		return false
	}
	if weapon == WeaponNinja {
		tx.w.giveNinja(id)
		return true
	}
	return c.giveWeapon(weapon, max(ammo, -1))
}

// TakeWeapon takes a weapon away. The one in hand is exchanged for another he
// owns; his last one stays.
func (tx *Tx) TakeWeapon(id PlayerID, weapon Weapon) {
	c := tx.char(id)
	if c == nil || weapon < 0 || weapon >= NumWeapons || !c.weapons[weapon].got {
		return
	}
	if weapon == c.activeWeapon {
		next := Weapon(-1)
		for i := range c.weapons {
			if Weapon(i) != weapon && c.weapons[i].got {
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

// Kill kills a character as if by his own hand.
func (tx *Tx) Kill(id PlayerID, weapon Weapon) {
	if tx.char(id) != nil {
		tx.w.die(id, id, weapon)
	}
}

// TakeDamage hits a character. It reports whether he felt it and survived.
func (tx *Tx) TakeDamage(d Damage) bool {
	if tx.char(d.Victim) == nil || d.Attacker != Nobody && tx.player(d.Attacker) == nil {
		return false
	}
	d.Amount = min(max(d.Amount, 0), 1000)
	return tx.w.damage(d)
}

// Explode makes a blast that does at most damage. From Nobody it is the
// world's.
func (tx *Tx) Explode(pos vec.Vec2, from PlayerID, weapon Weapon, damage int32) {
	if from == Nobody || tx.player(from) != nil {
		tx.w.explode(pos, from, weapon, damage)
	}
}

// Sound lets those in to hear a sound.
func (tx *Tx) Sound(pos vec.Vec2, s Sound, to PlayerMask) { tx.w.sound(pos, s, to) }

// Say writes a line of the server's into everybody's chat.
func (tx *Tx) Say(text string) {
	tx.w.addEvent(Event{Kind: EvChat, To: MaskAll, Player: Nobody, Target: Nobody, Chat: ChatAll, Text: text})
}

// SayTo writes a line of the server's into one player's chat.
func (tx *Tx) SayTo(id PlayerID, text string) {
	if tx.player(id) != nil {
		tx.w.addEvent(Event{Kind: EvChat, To: MaskOne(id), Player: Nobody, Target: Nobody, Chat: ChatAll, Text: text})
	}
}

// Broadcast shows everybody a text in the middle of the screen.
func (tx *Tx) Broadcast(text string) {
	tx.w.addEvent(Event{Kind: EvBroadcast, To: MaskAll, Text: text})
}

// SendGameMsg sends everybody a notice.
func (tx *Tx) SendGameMsg(n GameMsg, value int32, id PlayerID, extra int32) {
	tx.w.addEvent(Event{Kind: EvGameMsg, To: MaskAll, GameMsg: n, Value: value, Player: id, Extra: extra})
}
