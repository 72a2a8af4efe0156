package game

import "github.com/teeyard/teeyard/game/physics"

// CharacterFlags is a set of states of a tee that mods can change. The values are DDNet's, whose
// clients show and predict them.
type CharacterFlags uint32

// The character flags. A tee without flags behaves as in Teeworlds 0.7.5.
const (
	// CharacterFlagSolo: the tee and other tees do not affect each other. They do not collide or
	// hook each other, and shots and hammers pass through.
	CharacterFlagSolo CharacterFlags = 1 << 0
	// CharacterFlagNoCollision: the tee and other tees pass through each other.
	CharacterFlagNoCollision CharacterFlags = 1 << 2
	// CharacterFlagEndlessHook: the hook holds another tee without a time limit.
	CharacterFlagEndlessHook CharacterFlags = 1 << 3
	// CharacterFlagEndlessJump: the tee can jump in the air without limit.
	CharacterFlagEndlessJump CharacterFlags = 1 << 4
	// CharacterFlagNoHammerHit and the three flags below: the tee does not hit others with that
	// weapon. CharacterFlagNoGrenadeHit also applies to the gun and the ninja, as in DDNet.
	CharacterFlagNoHammerHit  CharacterFlags = 1 << 6
	CharacterFlagNoShotgunHit CharacterFlags = 1 << 7
	CharacterFlagNoGrenadeHit CharacterFlags = 1 << 8
	CharacterFlagNoLaserHit   CharacterFlags = 1 << 9
	// CharacterFlagNoHook: the tee's hook does not hold other tees.
	CharacterFlagNoHook CharacterFlags = 1 << 10
	// CharacterFlagInvincible: hits push the tee but do no damage.
	CharacterFlagInvincible CharacterFlags = 1 << 25

	// settableFlags are those above.
	settableFlags = CharacterFlagSolo | CharacterFlagNoCollision | CharacterFlagEndlessHook | CharacterFlagEndlessJump |
		CharacterFlagNoHammerHit | CharacterFlagNoShotgunHit | CharacterFlagNoGrenadeHit | CharacterFlagNoLaserHit |
		CharacterFlagNoHook | CharacterFlagInvincible

	// CharacterFlagCannotMove means that steering and jumps are masked. The world sets it for
	// clients; mods cannot set it.
	CharacterFlagCannotMove CharacterFlags = 1 << 20
	// CharacterFlagHasWeapon, shifted left by the number of a weapon, means that the tee has that
	// weapon. The world sets it for clients; mods cannot set it.
	CharacterFlagHasWeapon CharacterFlags = 1 << 14

	// The world sets the flags below for clients in DDRace; mods cannot set them.
	// CharacterFlagJetpack: firing the gun pushes the tee back.
	CharacterFlagJetpack CharacterFlags = 1 << 1
	// CharacterFlagSuper: the tee is in TeamSuper.
	CharacterFlagSuper CharacterFlags = 1 << 5
	// CharacterFlagTelegun and the two flags below: the tee teleports to the point that its shot of
	// the gun, grenade launcher or laser hits.
	CharacterFlagTelegun        CharacterFlags = 1 << 11
	CharacterFlagTelegunGrenade CharacterFlags = 1 << 12
	CharacterFlagTelegunLaser   CharacterFlags = 1 << 13
	// CharacterFlagInFreeze: the tee is on a freeze tile.
	CharacterFlagInFreeze CharacterFlags = 1 << 21
	// CharacterFlagPractice: the tee's team is in practice mode.
	CharacterFlagPractice CharacterFlags = 1 << 22
)

// FreezeForever is the duration of a freeze without an end: only [Tee.Unfreeze] ends it. DDNet
// calls such a tee deep frozen.
const FreezeForever int32 = -1

// characterStates is the part of a character that only mods change. It has an effect only if
// World.extended is set.
type characterStates struct {
	flags       CharacterFlags
	freezeStart int32 // tick at which the freeze began
	freezeEnd   int32 // tick from which the tee is free again; 0 not frozen, or FreezeForever
	masked      Controls
	notFor      PlayerMask // who does not see it
	moreJumps   int32      // than the usual two, from one on the ground
	airJumps    int32      // since it was on the ground; counted if moreJumps is not 0
}

// extend lets states of characters, tunings and skins of players take effect from now on. A
// world whose mods use none of them pays nothing for them.
func (w *World) extend() {
	if !w.extended {
		w.extended = true
		w.toldTuning()
	}
}

// Flags returns the flags of the tee.
func (t Tee) Flags() CharacterFlags {
	if t.character() != nil {
		return t.tx.w.sim.flags(t.id)
	}
	return 0
}

// SetFlags replaces the flags of the tee, until the tee dies or the next call.
func (t Tee) SetFlags(f CharacterFlags) {
	if t.character() != nil {
		t.tx.w.sim.setFlags(t.id, f)
	}
}

// setFlags replaces the flags of a character.
func (w *World) setFlags(id PlayerID, f CharacterFlags) {
	if c := &w.characters[id]; c.flags != f&settableFlags {
		c.flags = f & settableFlags
		w.extend()
	}
}

// AddFlags adds flags to the tee's flags.
func (t Tee) AddFlags(f CharacterFlags) { t.SetFlags(t.Flags() | f) }

// RemoveFlags removes flags from the tee's flags.
func (t Tee) RemoveFlags(f CharacterFlags) { t.SetFlags(t.Flags() &^ f) }

// Freeze freezes the tee for some ticks, or for FreezeForever: it cannot move, hook or fire. Freeze
// reports whether the tee is now frozen for longer than before. As in DDNet, a freeze that began
// less than a second ago is only replaced by one that lasts over a second longer. So Freeze can be
// called in every tick.
//
// DDNet's clients show and predict a freeze. Other clients show a blinking tee with a ninja. If the
// tuning may differ from the standard one (see [PurityRule]), those clients get a tuning with which
// they predict a tee that stands still.
func (t Tee) Freeze(ticks int32) bool {
	c := t.character()
	if c == nil || c.freezeEnd == FreezeForever || ticks <= 0 && ticks != FreezeForever {
		return false
	}
	return t.tx.w.sim.freeze(t.id, ticks)
}

// Unfreeze ends the freeze of the tee. It reports whether the tee was frozen.
func (t Tee) Unfreeze() bool {
	return t.character() != nil && t.tx.w.sim.unfreeze(t.id)
}

// unfreeze ends a freeze and reports whether there was one.
func (s *characterStates) unfreeze(tick int32) bool {
	if !s.isFrozen(tick) {
		return false
	}
	s.freezeStart, s.freezeEnd = 0, 0
	return true
}

// Frozen returns the remaining ticks of the tee's freeze, 0 without one, or FreezeForever.
func (t Tee) Frozen() int32 {
	if t.character() == nil {
		return 0
	}
	return t.tx.w.sim.frozen(t.id)
}

// frozen returns the remaining ticks of a freeze, or FreezeForever.
func (s *characterStates) frozen(tick int32) int32 {
	switch {
	case !s.isFrozen(tick):
		return 0
	case s.freezeEnd == FreezeForever:
		return FreezeForever
	}
	return s.freezeEnd - tick
}

// jumps returns the number of jumps before a character must land.
func (s *characterStates) jumps() int32 { return usualJumps + s.moreJumps }

// SetVisibleTo sets which players see the tee, until the tee dies or the next call. The tee's own
// player always sees it. A new tee is visible to all. Recordings of the whole map show the tee if
// at most one player does not see it. All players see and hear its shots and hits.
func (t Tee) SetVisibleTo(viewers PlayerMask) {
	if c := t.character(); c != nil && c.notFor != ^(viewers|MaskOne(t.id)) {
		c.notFor = ^(viewers | MaskOne(t.id))
		t.tx.w.extend()
	}
}

// VisibleTo returns the players who see the tee.
func (t Tee) VisibleTo() PlayerMask {
	if c := t.character(); c != nil {
		return ^c.notFor
	}
	return 0
}

func (s *characterStates) isFrozen(tick int32) bool {
	return s.freezeEnd == FreezeForever || s.freezeEnd > tick
}

// disabled returns the controls that do nothing in a tick.
func (s *characterStates) disabled(tick int32) Controls {
	if s.isFrozen(tick) {
		return s.masked | ControlAll&^ControlSelect
	}
	return s.masked
}

// exceptions returns the flags that the physics apply.
func (f CharacterFlags) exceptions() (e physics.Exceptions) {
	if f&CharacterFlagSolo != 0 {
		e |= physics.Solo
	}
	if f&CharacterFlagNoCollision != 0 {
		e |= physics.NoCollision
	}
	if f&CharacterFlagNoHook != 0 {
		e |= physics.NoHookHit
	}
	return e
}

func (f CharacterFlags) endTick(core *physics.Core, jumps int32, inAir *int32) {
	if f&CharacterFlagEndlessHook != 0 {
		core.HookTick = 0
	}
	if jumps != usualJumps {
		if core.Events&physics.EventAirJump != 0 {
			*inAir++
		} else if core.Events&physics.EventGroundJump != 0 || core.Grounded() {
			*inAir = 0
		}
		core.LimitJumps(jumps, *inAir)
	}
	if f&CharacterFlagEndlessJump != 0 {
		core.RefillJump()
	}
}

// addStates adds what only mods change to the state of a character.
func (w *World) addStates(s *CharacterState, c *character) {
	s.Flags = c.flags
	disabled := c.disabled(w.tick)
	if disabled&ControlMove != 0 {
		s.Direction = 0
	}
	if c.masked&(ControlMove|ControlJump) == ControlMove|ControlJump {
		s.Flags |= CharacterFlagCannotMove
	}
	for i := range c.weapons {
		if c.weapons[i].owned {
			s.Flags |= CharacterFlagHasWeapon << i
		}
	}
	if c.isFrozen(w.tick) {
		s.FreezeStart, s.FreezeEnd = c.freezeStart, c.freezeEnd
	}
	if s.Jumps, s.AirJumps = usualJumps+c.moreJumps, c.airJumps; c.moreJumps == 0 && c.core.AirJumped() {
		s.AirJumps = 1
	}
	if s.Weapon == WeaponNinja {
		s.NinjaStart = c.ninja.activationTick
	}
	s.NotFor, s.Secret = c.notFor, !(^c.notFor).IsPublic()
}

func (s *characterStates) pause() {
	if s.freezeEnd > 0 {
		s.freezeStart++
		s.freezeEnd++
	}
}

// addTickOrder adds the order in which the characters of a frame move.
func (w *World) addTickOrder(f *Frame) {
	var order [MaxPlayers]int32
	for i, id := range w.charOrder.ids[:w.charOrder.count] {
		order[id] = int32(i)
	}
	for i := range f.Characters {
		f.Characters[i].TickOrder = order[f.Characters[i].Player]
	}
}
