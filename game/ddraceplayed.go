package game

import "github.com/teeyard/teeyard/game/ddrace"

// DDRacePlayedRule is for modes that show a simulation from elsewhere, such as a recording. Each
// tick of the world shows one tick of that simulation. Inputs and deaths in the world do not change
// the simulation.
type DDRacePlayedRule interface {
	DDRaceRule
	// PlayedDDRace returns the simulation after a tick and the events of that tick. Both must stay
	// unchanged until the next Step of the world.
	PlayedDDRace() (*ddrace.World, []ddrace.Event)
}

// beginPlayed lets the commands of the next tick change the world's own simulation. Players do not
// see that one.
func (d *ddraceHost) beginPlayed() {
	d.world = d.own
}

// tickPlayed shows a tick of the simulation that runs elsewhere.
func (d *ddraceHost) tickPlayed() {
	w := d.w
	world, events := d.played.PlayedDDRace()
	d.world = world
	for i := range w.players {
		p := &w.players[i]
		if p.inGame && world.IsSpectator(i) != (p.team == TeamSpectators) {
			if w.tees.All[i].Exists {
				w.removeCharacter(PlayerID(i))
			}
			if p.team = TeamRed; world.IsSpectator(i) {
				p.team = TeamSpectators
			}
			w.addEvent(Event{Kind: EvTeamChange, To: MaskAll, Player: PlayerID(i), Team: p.team, Flag: true})
		}
	}
	for i := range events {
		if e := &events[i]; e.Tee < 0 || w.players[e.Tee].inGame {
			d.event(e)
		}
	}
	d.mirrorTees()
}
