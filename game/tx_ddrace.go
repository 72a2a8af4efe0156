package game

import "github.com/teeyard/teeyard/game/ddrace"

// tee returns a player's tee in the simulation, nil in worlds that are not of DDRace.
func (tx *Tx) tee(id PlayerID) *ddrace.Tee {
	if d := tx.w.ddrace; d != nil && tx.character(id) != nil {
		return d.world.Tee(int(id))
	}
	return nil
}

// SetDDRaceSettings changes the simulation's settings in a DDRace world, and sends all players the
// new tuning.
func (tx *Tx) SetDDRaceSettings(s ddrace.Settings) {
	w := tx.w
	if w.ddrace == nil {
		return
	}
	s.Clamp()
	w.ddrace.world.SetSettings(s)
	w.tuning = shownTuning(&s.Tuning)
	told := w.tuning
	w.addEvent(Event{Kind: EvTuneParams, To: MaskAll, Tuning: &told})
	w.toldTuning()
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

// freezeTee is Freeze for a tee of the simulation.
func (tx *Tx) freezeTee(id PlayerID, ticks int32) bool {
	t := tx.tee(id)
	switch {
	case t == nil || t.Deep:
		return false
	case ticks == FreezeForever:
		t.Deep = true
		return true
	}
	return tx.w.ddrace.world.FreezeTicks(int(id), min(ticks, 1<<20))
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
