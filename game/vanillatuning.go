package game

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/physics"
)

func (v *vanillaHost) tune() { v.world.Tuning = v.w.tuning }

func (v *vanillaHost) setting(string) (int32, bool) { return 0, false }

func (v *vanillaHost) playerTuning(id PlayerID) Tuning {
	w := v.w
	if !w.playerExtras[id].tuning.own {
		if t, ok := w.zoneTuning(id); ok {
			return t
		}
		return w.tuning
	}
	t := w.playerExtras[id].tuning.current
	copy(t[firstWeaponParam:endOfWeaponParams], w.tuning[firstWeaponParam:endOfWeaponParams])
	return t
}

func (v *vanillaHost) predictedTuning(id PlayerID, t Tuning) Tuning {
	c := &v.w.tees.All[id]
	if c.Flags&(tee.Solo|tee.NoCollision) != 0 {
		t[physics.PlayerCollision] = 0
	}
	if c.Flags&(tee.Solo|tee.NoHook) != 0 {
		t[physics.PlayerHooking] = 0
	}
	disabled := c.Disabled(v.w.tick + 1)
	if disabled&tee.ControlMove != 0 {
		t[physics.GroundControlAccel], t[physics.AirControlAccel] = 0, 0
	}
	if disabled&tee.ControlJump != 0 {
		t[physics.GroundJumpImpulse], t[physics.AirJumpImpulse] = 0, 0
	}
	if disabled&tee.ControlHook != 0 {
		t[physics.HookLength], t[physics.PlayerHooking] = 0, 0
	}
	return t
}

// tellTunings emits an event for every player whose tuning differs from the one last sent.
func (v *vanillaHost) tellTunings() {
	w := v.w
	for i := range w.players {
		id, p := PlayerID(i), &w.playerExtras[i].tuning
		if !w.players[i].inGame {
			continue
		}
		t, predicted := w.PlayerTuning(id), w.PredictedTuning(id)
		if t == p.told && predicted == p.predicted {
			continue
		}
		told := t
		w.addEvent(Event{Kind: EvPlayerTuning, To: MaskOne(id), Player: id, Tuning: &told, Flag: t != p.told})
		p.told, p.predicted = t, predicted
	}
}
