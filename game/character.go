package game

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// proximityRadius is the distance within which a tee touches other things, plus their own radius,
// in units. It is the whole width of a tee.
const proximityRadius float32 = 28

// maxHealth is the maximum of health and of armour.
const maxHealth = 10

type weaponState struct {
	owned          bool
	ammo           int32 // -1 infinite
	ammoRegenStart int32 // tick at which reloading of the next round started, -1 not reloading
}

// character is a tee in the world. It is stored at the index of its player.
type character struct {
	exists   bool // the player has a character, alive or dead
	alive    bool
	inWorld  bool // takes part in collisions and hits
	entityID uint16

	pos  vec.Vec2 // position for hits by others; set to core.Pos once per tick
	core physics.Core

	// Dead reckoning: sendCore is the state sent to clients at reckonTick. Clients compute
	// reckoningCore from it.
	reckonTick      int32
	sendCore        physics.Core
	reckoningCore   physics.Core
	triggeredEvents int32 // core events of this tick

	health, armor int32

	weapons         [NumWeapons]weaponState
	activeWeapon    Weapon
	lastWeapon      Weapon
	queuedWeapon    int32 // weapon to switch to, -1 for none
	reloadTimer     int32 // ticks before the next shot
	attackTick      int32 // tick of the last shot
	lastNoAmmoSound int32 // tick of the last no-ammo sound
	hitObjects      [10]PlayerID
	numObjectsHit   int
	ninja           ninjaState
	emote           Emote
	emoteStop       int32 // -1 for never

	lastActionTick  int32 // tick of the last change of input, which blinking depends on
	input           Input // predicted input
	latestInput     Input // direct input
	latestPrevInput Input
	numInputs       int32 // number of predicted inputs since the spawn

	characterStates
}

type ninjaState struct {
	activationDir   vec.Vec2
	activationTick  int32 // tick of the pickup
	currentMoveTime int32 // ticks of the dash left; continues below zero
	oldVelAmount    int32 // speed before the dash, whole units per tick
}

// isAlive reports whether the player has a living character.
func (w *World) isAlive(id PlayerID) bool {
	return id >= 0 && w.characters[id].exists && w.characters[id].alive
}

func (w *World) spawnCharacter(id PlayerID, pos vec.Vec2) bool {
	eid, ok := w.entityIDs.alloc()
	if !ok {
		return false
	}
	c := &w.characters[id]
	*c = character{
		exists: true, alive: true, inWorld: true, entityID: eid,
		pos: pos, activeWeapon: WeaponGun, lastWeapon: WeaponHammer, queuedWeapon: -1,
		emoteStop: -1, lastActionTick: -1, lastNoAmmoSound: -1,
	}
	c.core.Reset(&w.coreWorld, pos)
	c.reckoningCore.World = &w.reckoningWorld
	w.coreWorld.Cores[id] = &c.core
	w.charOrder.push(id)
	c.heal(maxHealth)
	c.giveWeapon(WeaponHammer, -1)
	c.giveWeapon(WeaponGun, 10)
	w.callSpawn(id)
	return true
}

// removeCharacter removes a character and frees its entity id.
func (w *World) removeCharacter(id PlayerID) {
	c := &w.characters[id]
	w.removeFromWorld(id)
	w.entityIDs.free(c.entityID)
	*c = character{}
}

func (w *World) removeFromWorld(id PlayerID) {
	if c := &w.characters[id]; c.inWorld {
		c.inWorld = false
		w.charOrder.remove(id)
	}
}

func (c *character) tickPaused() {
	c.attackTick++
	c.ninja.activationTick++
	c.reckonTick++
	if c.lastActionTick != -1 {
		c.lastActionTick++
	}
	if c.weapons[c.activeWeapon].ammoRegenStart > -1 {
		c.weapons[c.activeWeapon].ammoRegenStart++
	}
	if c.emoteStop > -1 {
		c.emoteStop++
	}
	c.characterStates.pause()
}

func (c *character) heal(n int32) bool {
	if c.health >= maxHealth {
		return false
	}
	c.health = min(max(c.health+n, 0), maxHealth)
	return true
}

func (c *character) giveArmor(n int32) bool {
	if c.armor >= maxHealth {
		return false
	}
	c.armor = min(max(c.armor+n, 0), maxHealth)
	return true
}

func (c *character) giveWeapon(weapon Weapon, ammo int32) bool {
	s, limit := &c.weapons[weapon], weapons[weapon].maxAmmo
	if s.owned && (s.ammo >= limit || s.ammo < 0) {
		return false
	}
	s.owned = true
	s.ammo = min(limit, ammo)
	return true
}

func (c *character) setEmote(e Emote, until int32) { c.emote, c.emoteStop = e, until }

// shownEmote returns the emote that others see: a temporary one, that which the player
// chose, or a blink from time to time.
func (w *World) shownEmote(id PlayerID) Emote {
	c, p, tick := &w.characters[id], &w.players[id], w.tick
	e := c.emote
	if c.emoteStop < tick {
		e = EmoteNormal
	}
	if e == EmoteNormal && p.eyesUntil > tick {
		e = p.eyes
	}
	e, lastAction := w.sim.eyes(id, e)
	if e == EmoteNormal && c.isFrozen(tick) {
		if c.freezeEnd == FreezeForever {
			return EmotePain
		}
		return EmoteBlink
	}
	if e == EmoteNormal && 250-(tick-lastAction)%250 < 5 {
		e = EmoteBlink
	}
	return e
}

// withNonZeroTarget replaces a target of (0, 0), which has no angle.
func withNonZeroTarget(in Input) Input {
	if in.TargetX == 0 && in.TargetY == 0 {
		in.TargetY = -1
	}
	return in
}

// setInput sets the predicted input of a tick.
func (c *character) setInput(in *Input, tick int32) {
	if c.input != *in {
		c.lastActionTick = tick
	}
	c.input = withNonZeroTarget(*in)
	c.numInputs++
}

// resetInput releases all buttons, for a player who starts to chat.
func (c *character) resetInput() {
	c.input.Direction = 0
	c.input.Hook = false
	if c.input.Fire&1 != 0 {
		c.input.Fire++
	}
	c.input.Fire &= inputMask
	c.input.Jump = false
	c.latestInput = c.input
	c.latestPrevInput = c.input
}
