package game

import (
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// proximityRadius is how near things must come to touch a tee, besides their own
// size, in world units. It is the whole width of the tee.
const proximityRadius float32 = 28

// Health and armour go to maxHealth.
const maxHealth = 10

type weaponState struct {
	got            bool
	ammo           int32 // -1 endless
	ammoRegenStart int32 // tick the next round began to load, -1 not loading
}

// character is a tee in the world. It lives in the slot of its player.
type character struct {
	exists   bool // the player has one, though it may be dead already
	alive    bool
	inWorld  bool // it takes part in the world
	entityID uint16

	pos  vec.Vec2 // where others meet it; follows core.Pos once per tick
	core physics.Core

	// Dead reckoning: send is what clients were told at reckonTick, ghost is
	// what they make of it.
	reckonTick      int32
	sendCore        physics.Core
	reckoningCore   physics.Core
	triggeredEvents int32 // core events of this step

	health, armor int32

	weapons         [NumWeapons]weaponState
	activeWeapon    Weapon
	lastWeapon      Weapon
	queuedWeapon    int32 // weapon to switch to, -1 none
	reloadTimer     int32 // ticks before the next shot
	attackTick      int32 // tick of the last shot
	lastNoAmmoSound int32 // tick of the last empty click that was heard
	hitObjects      [10]PlayerID
	numObjectsHit   int
	ninja           ninjaState
	emote           Emote
	emoteStop       int32 // -1 never

	lastAction      int32 // tick of the last change of input, for the blinking
	input           Input // movement
	latestInput     Input // as it arrived
	latestPrevInput Input
	numInputs       int32 // movement inputs since the spawn
}

type ninjaState struct {
	activationDir   vec.Vec2
	activationTick  int32 // tick it was picked up
	currentMoveTime int32 // ticks of the dash left, counts below zero
	oldVelAmount    int32 // before the dash, whole units per tick
}

// isAlive reports whether a player has a isAlive character.
func (w *World) isAlive(id PlayerID) bool {
	return id >= 0 && w.chars[id].exists && w.chars[id].alive
}

func (w *World) spawnCharacter(id PlayerID, pos vec.Vec2) bool {
	eid, ok := w.ids.alloc()
	if !ok {
		return false
	}
	c := &w.chars[id]
	*c = character{
		exists: true, alive: true, inWorld: true, entityID: eid,
		pos: pos, activeWeapon: WeaponGun, lastWeapon: WeaponHammer, queuedWeapon: -1,
		emoteStop: -1, lastAction: -1, lastNoAmmoSound: -1,
	}
	c.core.Reset(&w.phys, pos)
	c.reckoningCore.World = &w.reckoningWorld
	w.phys.Cores[id] = &c.core
	w.charOrder.push(id)
	c.heal(maxHealth)
	c.giveWeapon(WeaponHammer, -1)
	c.giveWeapon(WeaponGun, 10)
	w.callSpawn(id)
	return true
}

// removeCharacter frees the slot of a dead or dying character.
func (w *World) removeCharacter(id PlayerID) {
	c := &w.chars[id]
	w.removeFromWorld(id)
	w.ids.free(c.entityID)
	*c = character{}
}

func (w *World) removeFromWorld(id PlayerID) {
	if c := &w.chars[id]; c.inWorld {
		c.inWorld = false
		w.charOrder.remove(id)
	}
}

func (w *World) tickCharacter(id PlayerID) {
	c := &w.chars[id]
	in := c.coreInput()
	c.core.Tick(&in, true)
	if w.outside(c.pos) {
		w.die(id, id, WeaponWorld)
	}
	w.handleWeapons(id)
}

// coreInput is what the physics need of the movement input.
func (c *character) coreInput() physics.Input {
	return physics.Input{
		Direction: c.input.Direction, TargetX: c.input.TargetX, TargetY: c.input.TargetY,
		Jump: c.input.Jump, Hook: c.input.Hook,
	}
}

// tickDeferredCharacter moves a tee, after all have decided where to go.
func (w *World) tickDeferredCharacter(id PlayerID) {
	c := &w.chars[id]
	c.reckoningCore.Tick(nil, false)
	c.reckoningCore.Move()
	c.reckoningCore.Quantize()

	c.core.Move()
	c.core.Quantize()
	c.pos = c.core.Pos
	c.triggeredEvents |= int32(c.core.Events)

	if c.core.Death {
		w.die(id, id, WeaponWorld)
		if !c.exists {
			return // a mod revived or removed him
		}
	}
	if c.reckonTick+3*TickRate < w.tick || !equalOnWire(&c.reckoningCore, &c.core) {
		c.reckonTick = w.tick
		c.sendCore, c.reckoningCore = c.core, c.core
		c.reckoningCore.World = &w.reckoningWorld
	}
}

// equalOnWire reports whether two quantised cores would be sent as equal.
func equalOnWire(a, b *physics.Core) bool {
	return a.Pos == b.Pos && a.Vel == b.Vel && a.HookPos == b.HookPos && a.HookDir == b.HookDir &&
		a.HookState == b.HookState && a.HookTick == b.HookTick && a.HookedPlayer == b.HookedPlayer &&
		a.Jumped == b.Jumped && a.Direction == b.Direction && a.Angle == b.Angle
}

func (c *character) tickPaused() {
	c.attackTick++
	c.ninja.activationTick++
	c.reckonTick++
	if c.lastAction != -1 {
		c.lastAction++
	}
	if c.weapons[c.activeWeapon].ammoRegenStart > -1 {
		c.weapons[c.activeWeapon].ammoRegenStart++
	}
	if c.emoteStop > -1 {
		c.emoteStop++
	}
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
	if s.got && s.ammo >= limit {
		return false
	}
	s.got = true
	s.ammo = min(limit, ammo)
	return true
}

func (c *character) setEmote(e Emote, until int32) { c.emote, c.emoteStop = e, until }

// shownEmote is what others see: a passing emote, or now and then a blink.
func (c *character) shownEmote(tick int32) Emote {
	e := c.emote
	if c.emoteStop < tick {
		e = EmoteNormal
	}
	if e == EmoteNormal && 250-(tick-c.lastAction)%250 < 5 {
		e = EmoteBlink
	}
	return e
}

// withNonZeroTarget is the input as the character uses it: nobody may withNonZeroTarget at his own centre.
func withNonZeroTarget(in Input) Input {
	if in.TargetX == 0 && in.TargetY == 0 {
		in.TargetY = -1
	}
	return in
}

// setInput is the movement input of a tick.
func (c *character) setInput(in *Input, tick int32) {
	if c.input != *in {
		c.lastAction = tick
	}
	c.input = withNonZeroTarget(*in)
	c.numInputs++
}

// resetInput lets go of everything held, when its player begins to chat.
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

// characterDirectInput is an input on arrival: it switches weapons and fires at once.
func (w *World) characterDirectInput(id PlayerID, in *Input) {
	c := &w.chars[id]
	c.latestPrevInput = c.latestInput
	c.latestInput = withNonZeroTarget(*in)
	if c.numInputs > 2 && w.players[id].team != TeamSpectators {
		w.switchWeapon(id)
		w.fireWeapon(id)
	}
	c.latestPrevInput = c.latestInput
}
