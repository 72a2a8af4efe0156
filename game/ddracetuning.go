package game

import (
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
)

// SetDDRaceSettings changes the simulation's settings in a DDRace world, and sends all players the
// new tuning.
func (tx *Tx) SetDDRaceSettings(s ddrace.Settings) {
	w, d := tx.w, tx.w.ddrace()
	if d == nil {
		return
	}
	s.Clamp()
	d.world.SetSettings(s)
	w.tuning = shownTuning(&s.Tuning)
	told := w.tuning
	w.addEvent(Event{Kind: EvTuneParams, To: MaskAll, Tuning: &told})
	w.toldTuning()
}

func (d *ddraceHost) playerTuning(id PlayerID) Tuning {
	if d.world == nil {
		return d.w.tuning
	}
	t := d.world.SentTuning(int(id))
	return shownTuning(&t)
}

func (d *ddraceHost) predictedTuning(_ PlayerID, t Tuning) Tuning { return t }

// tellTunings does nothing: the simulation decides when a client gets a tuning.
func (d *ddraceHost) tellTunings() {}

func (d *ddraceHost) setting(name string) (int32, bool) { return d.world.Settings().Value(name) }

// shownTuning returns the part of a tuning that all clients know.
func shownTuning(t *ddrace.Tuning) (s Tuning) {
	copy(s[:physics.PlayerCollision], t[:])
	s[physics.PlayerCollision], s[physics.PlayerHooking] = t[ddrace.PlayerCollision], t[ddrace.PlayerHooking]
	return s
}

// DDRaceTuning returns the tuning that the server sends to a player's client in DDRace worlds, and
// the number of its parameters. The number is 0 in other worlds. For the id -1 it returns the
// world's tuning.
func (w *World) DDRaceTuning(id PlayerID) (t ddrace.Tuning, params int) {
	d := w.ddrace()
	if d == nil {
		return t, 0
	}
	s := d.world.Settings()
	if id < 0 || id >= MaxPlayers {
		return s.Tuning, s.NumTuneParams()
	}
	return d.world.SentTuning(int(id)), s.NumTuneParams()
}

// tellTuning sends a player the tuning.
func (d *ddraceHost) tellTuning(id PlayerID) {
	t := d.w.PlayerTuning(id)
	d.w.addEvent(Event{Kind: EvPlayerTuning, To: MaskOne(id), Player: id, Tuning: &t, Flag: true})
}

// tune copies the world's tuning into the simulation.
func (d *ddraceHost) tune() {
	s, t := *d.world.Settings(), &d.w.tuning
	copy(s.Tuning[:physics.PlayerCollision], t[:])
	s.Tuning[ddrace.PlayerCollision], s.Tuning[ddrace.PlayerHooking] = t[physics.PlayerCollision], t[physics.PlayerHooking]
	d.world.SetSettings(s)
}
