package game

import "github.com/teeyard/teeyard/game/physics"

// playerExtras is the part of a player that only mods change. It is apart from the others,
// which are visited in every tick.
type playerExtras struct {
	tuning playerTuning
	skin   skinOverride
}

// playerTuning is the tuning of one player's tee, and the tuning sent to their client.
type playerTuning struct {
	own     bool
	current Tuning // if own
	// told is the tuning last sent to the client. predicted is the one for clients that do not know
	// the states of tees. A client that enters has the tuning of the world.
	told, predicted Tuning
}

// The parameters from firstWeaponParam to endOfWeaponParams belong to projectiles and lasers. They
// are the same for all players, because every client moves all projectiles with its own tuning.
const firstWeaponParam, endOfWeaponParams = physics.GunCurvature, physics.PlayerCollision

// Tuning returns the tuning of the world.
func (tx *Tx) Tuning() Tuning { return tx.w.tuning }

// Tuning returns the tuning of the player's tee.
func (p Player) Tuning() Tuning { return p.tx.w.PlayerTuning(p.id) }

// SetTuning gives the player an own tuning, from the next tick until the player leaves. With nil,
// the tee gets the world's tuning again. Weapon parameters always stay the world's. The client is
// sent the tuning at the end of the tick if it changed, so a mod can call this in every tick. For
// zones of the map, use [Setup.TuneZone].
//
// An own tuning has an effect only if the tuning may differ from the standard one: by [PurityRule],
// or by the operator's choice of the game type. In the game types of 0.7.5, clients leave a server
// whose tuning differs.
func (p Player) SetTuning(t *Tuning) {
	if p.player() == nil {
		return
	}
	pl := &p.tx.w.playerExtras[p.id].tuning
	if t == nil {
		pl.own = false
		return
	}
	own := *t
	copy(own[firstWeaponParam:endOfWeaponParams], p.tx.w.tuning[firstWeaponParam:endOfWeaponParams])
	pl.own, pl.current = true, own
	p.tx.w.extend()
}

// PlayerTuning returns the tuning of a connected player's tee, or the world's tuning for others.
func (w *World) PlayerTuning(id PlayerID) Tuning {
	if id < 0 || id >= MaxPlayers || w.rules.PureTuning {
		return w.tuning
	}
	return w.sim.playerTuning(id)
}

// PredictedTuning returns the PlayerTuning for clients that do not know freeze, masked input and
// the character flags. It differs so that these clients predict such states as well as they can.
// With [Rules.PureTuning] it is the standard tuning.
func (w *World) PredictedTuning(id PlayerID) Tuning {
	t := w.PlayerTuning(id)
	if !w.tees.Extended || w.rules.PureTuning || id < 0 || id >= MaxPlayers || !w.isAlive(id) {
		return t
	}
	return w.sim.predictedTuning(id, t)
}

// toldTuning records that all clients have the tuning of the world.
func (w *World) toldTuning() {
	for i := range w.players {
		if w.players[i].inGame {
			x := &w.playerExtras[i].tuning
			x.told, x.predicted = w.tuning, w.tuning
		}
	}
}
