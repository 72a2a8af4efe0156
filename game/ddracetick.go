package game

import (
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/vec"
)

// DDRaceTick is what recordings need to know of a tick of a world of DDRace: what the simulation began
// it with, after the commands, and where the tees were after it.
type DDRaceTick struct {
	Seed     [2]uint64       // of the random numbers
	Settings ddrace.Settings // that the world began with

	Spectators PlayerMask           // players who only watch
	Teams      [MaxPlayers]uint8    // of the players
	Practice   uint64               // teams that practise, as bits
	Inputs     []ddrace.PlayerInput // ascending by players, also of those who look around and whose tees do nothing
	Alive      PlayerMask           // who had a living tee after the tick, also one that is paused
	Pos        [MaxPlayers]vec.Vec2 // where
	Notes      []DDRaceNote         // of the mode
}

// DDRaceNote is something that a command led to and that recordings note beside it, see [Tx.NoteDDRace].
type DDRaceNote struct {
	Kind    DDRaceNoteKind
	Players [2]PlayerID // of NoteSwap: who changed places; of NoteView the first: whose camera it is
	Pos     vec.Vec2    // of NoteView: where it is
	Team    uint8       // of the others
	SaveID  string      // of NoteSaved and NoteLoaded
	Save    string      // of NoteSaved and NoteLoaded: the state of the team
	Command int         // what led to it, as an index of the commands that Step got, -1 for none of them
}

// DDRaceNoteKind is what a DDRaceNote tells.
type DDRaceNoteKind uint8

// The kinds of notes.
const (
	NoteSwap       DDRaceNoteKind = iota // two players changed places
	NoteSaved                            // a team is saved
	NoteSaveFailed                       // or is not, and goes on
	NoteLoaded                           // a team goes on with a save
	NoteLoadFailed                       // or does not
	NoteView                             // a tee comes to where a player looks who looks around
	NoteRefused                          // what a player asked for is not allowed now, and nothing was done
)

// NoteDDRace has recordings of the match tell of something that they would not know else, in worlds of DDRace. It
// changes nothing in the world.
func (tx *Tx) NoteDDRace(n DDRaceNote) { tx.w.noteDDRace(n) }

func (w *World) noteDDRace(n DDRaceNote) {
	if d := w.ddrace; d != nil {
		n.Command = w.command - 1
		d.tick.Notes = append(d.tick.Notes, n)
	}
}

// DDRaceTick returns that of the last tick, nil for worlds that are not of DDRace. It is valid until the
// next tick. In a world that was restored, Seed and Settings are not those of the match.
func (w *World) DDRaceTick() *DDRaceTick {
	if w.ddrace == nil {
		return nil
	}
	return &w.ddrace.tick
}

// beginRecord notes what a tick begins with.
func (d *ddraceHost) beginRecord(w *World) {
	t := &d.tick
	t.Spectators, t.Practice = 0, d.world.Practice()
	for id := range t.Teams {
		t.Teams[id] = d.world.Team(id)
		if p := &w.players[id]; p.inGame && p.team == TeamSpectators {
			t.Spectators |= MaskOne(PlayerID(id))
		}
	}
}

// endRecord notes where the tees are.
func (d *ddraceHost) endRecord() {
	t := &d.tick
	t.Alive = 0
	for id := range t.Pos {
		if tee := d.world.AliveTee(id); tee != nil {
			t.Alive |= MaskOne(PlayerID(id))
			t.Pos[id] = tee.Core.Pos
		}
	}
}
