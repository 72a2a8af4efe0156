package game

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/vec"
)

// Effects shows effects, sounds and messages to a set of players. They change nothing in the world.
type Effects struct {
	tx *Tx
	to PlayerMask
}

// Effects returns the effects for a set of players, such as [MaskAll] or [MaskOne].
func (tx *Tx) Effects(to PlayerMask) Effects { return Effects{tx, to} }

// Sound plays a sound at pos.
func (e Effects) Sound(pos vec.Vec2, s Sound) {
	e.tx.effect(Event{Kind: EvSound, To: e.to, Sound: s, Pos: pos})
}

// Spawn shows the effect of a spawn.
func (e Effects) Spawn(pos vec.Vec2) {
	e.tx.effect(Event{Kind: EvSpawn, To: e.to, Player: Nobody, Pos: pos})
}

// HammerHit shows the effect of a hammer hit.
func (e Effects) HammerHit(pos vec.Vec2) {
	e.tx.effect(Event{Kind: EvHammerHit, To: e.to, Player: Nobody, Pos: pos})
}

// Explosion shows an explosion without damage.
func (e Effects) Explosion(pos vec.Vec2) {
	e.tx.effect(Event{Kind: EvExplosion, To: e.to, Player: Nobody, Pos: pos})
}

// Death shows the effect of a death in a player's colours.
func (e Effects) Death(pos vec.Vec2, id PlayerID) {
	if e.tx.player(id) != nil {
		e.tx.effect(Event{Kind: EvDeath, To: e.to, Player: id, Pos: pos})
	}
}

// Damage shows n stars, at most 10, for damage to a player from an angle in radians.
func (e Effects) Damage(pos vec.Vec2, id PlayerID, angle float32, n int32) {
	if e.tx.player(id) != nil && n > 0 {
		e.tx.effect(Event{Kind: EvDamage, To: e.to, Player: id, Target: Nobody, Pos: pos, Angle: vec.Trunc(float32(angle * 256)), Value: min(n, tee.MaxHealth)})
	}
}

// KillFeed shows a line about a kill, without a kill. The killer is -1 for the world, and the
// victim for a suicide.
func (e Effects) KillFeed(killer, victim PlayerID, weapon Weapon) {
	if e.tx.player(victim) != nil && (killer == Nobody || e.tx.player(killer) != nil) && weapon >= WeaponGame && weapon < NumWeapons {
		e.tx.effect(Event{Kind: EvKillFeed, To: e.to, Player: killer, Target: victim, Weapon: weapon})
	}
}

// GameMsg sends a game message; see [GameMsg] for the arguments.
func (e Effects) GameMsg(n GameMsg, value int32, id PlayerID, extra int32) {
	e.tx.effect(Event{Kind: EvGameMsg, To: e.to, GameMsg: n, Value: value, Player: id, Extra: extra})
}
