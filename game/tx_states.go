package game

import "github.com/teeyard/teeyard/game/internal/tee"

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
	// CharacterFlagLocked: the tee's team is locked. From sv_ddnet_physics 20 on.
	CharacterFlagLocked CharacterFlags = 1 << 23
	// CharacterFlagAsZero: the members of the tee's team race alone, as in team 0.
	CharacterFlagAsZero CharacterFlags = 1 << 24
)

// FreezeForever is the duration of a freeze without an end: only [Tee.Unfreeze] ends it. DDNet
// calls such a tee deep frozen.
const FreezeForever int32 = -1

// extend lets states of characters, tunings and skins of players take effect from now on. A
// world whose mods use none of them pays nothing for them.
func (w *World) extend() {
	if !w.tees.Extended {
		w.tees.Extended = true
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

// setFlags replaces the flags of a tee.
func (w *World) setFlags(id PlayerID, f CharacterFlags) {
	if w.tees.All[id].SetFlags(tee.Flags(f)) {
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
	if c == nil || c.FreezeEnd == FreezeForever || ticks <= 0 && ticks != FreezeForever {
		return false
	}
	return t.tx.w.sim.freeze(t.id, ticks)
}

// Unfreeze ends the freeze of the tee. It reports whether the tee was frozen.
func (t Tee) Unfreeze() bool {
	return t.character() != nil && t.tx.w.sim.unfreeze(t.id)
}

// Frozen returns the remaining ticks of the tee's freeze, 0 without one, or FreezeForever.
func (t Tee) Frozen() int32 {
	if t.character() == nil {
		return 0
	}
	return t.tx.w.sim.frozen(t.id)
}

// SetVisibleTo sets which players see the tee, until the tee dies or the next call. The tee's own
// player always sees it. A new tee is visible to all. Recordings of the whole map show the tee if
// at most one player does not see it. All players see and hear its shots and hits.
func (t Tee) SetVisibleTo(viewers PlayerMask) {
	notFor := tee.Set(viewers.Or(MaskOne(t.id)).Not())
	if c := t.character(); c != nil && c.NotFor != notFor {
		c.NotFor = notFor
		t.tx.w.extend()
	}
}

// VisibleTo returns the players who see the tee.
func (t Tee) VisibleTo() PlayerMask {
	if c := t.character(); c != nil {
		return PlayerMask(c.NotFor).Not()
	}
	return PlayerMask{}
}

// addStates adds the states that only mods change to the state of a character.
func (w *World) addStates(s *CharacterState, c *tee.Tee) {
	const move = tee.ControlMove | tee.ControlJump
	s.Flags = CharacterFlags(c.Flags)
	if c.Disabled(w.tick)&tee.ControlMove != 0 {
		s.Direction = 0
	}
	if c.Masked&move == move {
		s.Flags |= CharacterFlagCannotMove
	}
	for i := range c.Weapons {
		if c.Weapons[i].Owned {
			s.Flags |= CharacterFlagHasWeapon << i
		}
	}
	if c.IsFrozen(w.tick) {
		s.FreezeStart, s.FreezeEnd = c.FreezeStart, c.FreezeEnd
	}
	if s.Jumps, s.AirJumps = c.Jumps(), c.AirJumps; c.MoreJumps == 0 && c.Core.AirJumped() {
		s.AirJumps = 1
	}
	if s.Weapon == WeaponNinja {
		s.NinjaStart = c.Ninja.ActivationTick
	}
	s.NotFor = PlayerMask(c.NotFor)
	s.Secret = !s.NotFor.Not().IsPublic()
}

// addTickOrder adds the order in which the characters of a frame move.
func (w *World) addTickOrder(f *Frame) {
	var order [MaxPlayers]int32
	for i, id := range w.tees.InOrder() {
		order[id] = int32(i)
	}
	for i := range f.Characters {
		f.Characters[i].TickOrder = order[f.Characters[i].Player]
	}
}
