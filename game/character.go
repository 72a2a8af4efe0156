package game

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/vec"
)

// spawnCharacter gives a player a new tee. It returns false if all ids are in use.
func (w *World) spawnCharacter(id PlayerID, pos vec.Vec2) bool {
	entityID, ok := w.entityIDs.Alloc()
	if ok {
		w.tees.Spawn(tee.ID(id), pos, entityID)
		w.callSpawn(id)
	}
	return ok
}

// removeCharacter removes a tee and frees its entity id.
func (w *World) removeCharacter(id PlayerID) { w.entityIDs.Free(w.tees.Remove(tee.ID(id))) }

// setWeapon makes a weapon of a tee the active one.
func (w *World) setWeapon(c *tee.Tee, weapon Weapon) {
	if c.SelectWeapon(tee.Weapon(weapon)) {
		w.sound(c.Pos, SoundWeaponSwitch, MaskAll)
	}
}

// tee returns the input as the simulation has it.
func (in *Input) tee() tee.Input {
	return tee.Input{
		Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY, Jump: in.Jump, Fire: in.Fire, Hook: in.Hook,
		Flags: uint8(in.Flags), WantedWeapon: in.WantedWeapon, NextWeapon: in.NextWeapon, PrevWeapon: in.PrevWeapon,
	}
}

// inputOfTee returns an input of the simulation.
func inputOfTee(in *tee.Input) Input {
	return Input{
		Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY, Jump: in.Jump, Fire: in.Fire, Hook: in.Hook,
		Flags: PlayerFlags(in.Flags), WantedWeapon: in.WantedWeapon, NextWeapon: in.NextWeapon, PrevWeapon: in.PrevWeapon,
	}
}
