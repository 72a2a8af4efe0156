package game

import (
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/internal/tee"
)

// tee returns a living player's tee, or nil if the tee is out of the simulation.
func (d *ddraceHost) tee(id PlayerID) *ddrace.Tee { return d.world.Tee(int(id)) }

func (d *ddraceHost) kill(id PlayerID, weapon Weapon) { d.w.killCharacter(id, weapon) }

func (d *ddraceHost) respawn(id PlayerID) { d.w.killCharacter(id, WeaponGame) }

func (d *ddraceHost) respawnNow(id PlayerID) { d.world.Respawn(int(id)) }

func (d *ddraceHost) changed(id PlayerID, what characterChange) {
	c, t := &d.w.tees.All[id], d.tee(id)
	switch what {
	case changedPos:
		d.world.Teleport(int(id), c.Pos)
	case changedHooks:
		d.world.ReleaseHooks(int(id))
	case changedAirJump:
		d.world.RefillJumps(int(id))
	case changedWeapon:
		d.world.SelectWeapon(int(id), ddrace.Weapon(c.ActiveWeapon))
	case changedVel:
		if t != nil {
			t.Core.Vel = c.Core.Vel
		}
	case changedReloadTicks:
		if t != nil {
			t.ReloadTimer = c.ReloadTimer
		}
	}
}

func (d *ddraceHost) giveWeapon(id PlayerID, weapon Weapon, _ int32) bool {
	s := &d.w.tees.All[id].Weapons[weapon]
	had := s.Owned
	d.world.GiveWeapon(int(id), ddrace.Weapon(weapon), true)
	*s = tee.WeaponState{Owned: true, Ammo: -1}
	return !had
}

func (d *ddraceHost) takeWeapon(id PlayerID, weapon Weapon) {
	d.world.GiveWeapon(int(id), ddrace.Weapon(weapon), false)
}

// The methods below use the character while its tee is out of the simulation.

func (d *ddraceHost) jumps(id PlayerID) int32 {
	if t := d.tee(id); t != nil {
		return t.Core.Jumps
	}
	return d.w.tees.All[id].Jumps()
}

func (d *ddraceHost) setJumps(id PlayerID, n int32) {
	if t := d.tee(id); t != nil {
		t.Core.Jumps = n
		return
	}
	d.w.setJumps(id, n)
}

func (d *ddraceHost) reloadTicks(id PlayerID) int32 {
	if t := d.tee(id); t != nil {
		return t.ReloadTimer
	}
	return d.w.tees.All[id].ReloadTimer
}

func (d *ddraceHost) input(id PlayerID) Input {
	if t := d.tee(id); t != nil {
		return inputOf(t.SavedInput())
	}
	return inputOfTee(&d.w.tees.All[id].Input)
}

func (d *ddraceHost) flags(id PlayerID) CharacterFlags {
	if t := d.tee(id); t != nil {
		return flagsOf(t)
	}
	return CharacterFlags(d.w.tees.All[id].Flags)
}

func (d *ddraceHost) setFlags(id PlayerID, f CharacterFlags) {
	if t := d.tee(id); t != nil {
		setFlags(t, f)
		d.world.TellTuning(int(id))
		return
	}
	d.w.setFlags(id, f)
}

func (d *ddraceHost) freeze(id PlayerID, ticks int32) bool {
	t := d.tee(id)
	switch {
	case t == nil || t.Deep:
		return false
	case ticks == FreezeForever:
		t.Deep = true
		return true
	}
	return d.world.FreezeTicks(int(id), min(ticks, 1<<20))
}

func (d *ddraceHost) unfreeze(id PlayerID) bool {
	t := d.tee(id)
	if t == nil {
		return d.w.tees.All[id].Unfreeze(d.w.tick)
	}
	was := t.Deep || t.FreezeTime > 0
	t.Deep = false
	d.world.Unfreeze(int(id))
	return was
}

func (d *ddraceHost) frozen(id PlayerID) int32 {
	switch t := d.tee(id); {
	case t == nil:
		return d.w.tees.All[id].Frozen(d.w.tick)
	case t.Deep:
		return FreezeForever
	default:
		return t.FreezeTime
	}
}

// teeFlags are the flags that tees of the simulation have.
var teeFlags = [...]struct {
	flag CharacterFlags
	of   func(*ddrace.Tee) *bool
}{
	{CharacterFlagSolo, func(t *ddrace.Tee) *bool { return &t.Core.Solo }},
	{CharacterFlagNoCollision, func(t *ddrace.Tee) *bool { return &t.Core.NoCollision }},
	{CharacterFlagEndlessHook, func(t *ddrace.Tee) *bool { return &t.EndlessHook }},
	{CharacterFlagEndlessJump, func(t *ddrace.Tee) *bool { return &t.AirJumps }},
	{CharacterFlagNoHammerHit, func(t *ddrace.Tee) *bool { return &t.UnhitHammer }},
	{CharacterFlagNoShotgunHit, func(t *ddrace.Tee) *bool { return &t.UnhitShotgun }},
	{CharacterFlagNoGrenadeHit, func(t *ddrace.Tee) *bool { return &t.UnhitGrenade }},
	{CharacterFlagNoLaserHit, func(t *ddrace.Tee) *bool { return &t.UnhitLaser }},
	{CharacterFlagNoHook, func(t *ddrace.Tee) *bool { return &t.Core.NoHookHit }},
}

func flagsOf(t *ddrace.Tee) (f CharacterFlags) {
	for _, s := range &teeFlags {
		if *s.of(t) {
			f |= s.flag
		}
	}
	return f
}

func setFlags(t *ddrace.Tee, f CharacterFlags) {
	for _, s := range &teeFlags {
		*s.of(t) = f&s.flag != 0
	}
}

// inputOf returns an input of the simulation.
func inputOf(n ddrace.Input) Input {
	in := Input{
		Direction: n.Direction, TargetX: n.TargetX, TargetY: n.TargetY, Jump: n.Jump, Fire: n.Fire, Hook: n.Hook,
		WantedWeapon: n.WantedWeapon, NextWeapon: n.NextWeapon, PrevWeapon: n.PrevWeapon,
	}
	if n.Flags&ddrace.FlagChatting != 0 {
		in.Flags = PlayerFlagChatting
	}
	return in
}

// ddraceInput returns an input as the simulation has it.
func ddraceInput(in *Input) ddrace.Input {
	n := ddrace.Input{
		Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY, Jump: in.Jump, Fire: in.Fire, Hook: in.Hook,
		WantedWeapon: in.WantedWeapon, NextWeapon: in.NextWeapon, PrevWeapon: in.PrevWeapon,
	}
	if in.Flags&PlayerFlagChatting != 0 {
		n.Flags = ddrace.FlagChatting
	}
	return n
}
