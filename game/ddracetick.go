package game

import (
	"github.com/teeyard/teeyard/game/ddrace"

	"github.com/teeyard/teeyard/game/vec"
)

// DDRaceTick is one tick of a DDRace world as recordings need it: the state in which the simulation
// began the tick, after the commands, and the positions of the tees after the tick.
type DDRaceTick struct {
	Seed     [2]uint64       // of the simulation's random numbers
	Settings ddrace.Settings // at the start of the world

	Spectators PlayerMask           // players in the team of spectators
	Teams      [MaxPlayers]uint8    // the DDRace team of each player
	Practice   uint64               // teams in practice mode, bit n for team n
	Inputs     []ddrace.PlayerInput // ascending by player, also for tees that ignore input because their player is paused
	Alive      PlayerMask           // players with a living tee after the tick, paused ones included
	Pos        [MaxPlayers]vec.Vec2 // their positions
	Notes      []DDRaceNote         // from the mode
}

// DDRaceNote is a detail of a command that recordings store with the command. See [Tx.NoteDDRace].
type DDRaceNote struct {
	Kind    DDRaceNoteKind
	Players [2]PlayerID // NoteSwap: both players; NoteView: the first is the camera's player
	Pos     vec.Vec2    // NoteView: the camera's position
	Team    uint8       // all other kinds: the team
	SaveID  string      // NoteSaved and NoteLoaded
	Save    string      // NoteSaved and NoteLoaded: the team's state
	Command int         // index of the causing command in the last Step, -1 for none
}

// DDRaceNoteKind selects the meaning of a DDRaceNote.
type DDRaceNoteKind uint8

// The kinds of notes.
const (
	NoteSwap       DDRaceNoteKind = iota // two players swapped places
	NoteSaved                            // a team was saved
	NoteSaveFailed                       // saving failed; the team plays on
	NoteLoaded                           // a team continues from a save
	NoteLoadFailed                       // loading failed
	NoteView                             // a tee teleports to the position of its player's camera
	NoteRefused                          // a player's command was not allowed and had no effect
)

// NoteDDRace adds a note to recordings of a DDRace match, for something that they cannot derive
// from the world. It does not change the world.
func (tx *Tx) NoteDDRace(n DDRaceNote) {
	if d := tx.w.ddrace(); d != nil {
		d.note(n)
	}
}

func (d *ddraceHost) note(n DDRaceNote) {
	n.Command = d.w.command - 1
	d.record.Notes = append(d.record.Notes, n)
}

func (d *ddraceHost) refused(id PlayerID) {
	d.note(DDRaceNote{Kind: NoteRefused, Players: [2]PlayerID{id}})
}

// DDRaceTick returns the last tick of a DDRace world, and nil in other worlds. The result is valid
// until the next Step. In a restored world, Seed and Settings differ from the original match.
func (w *World) DDRaceTick() *DDRaceTick {
	if d := w.ddrace(); d != nil {
		return &d.record
	}
	return nil
}

// beginRecord stores the state at the beginning of a tick.
func (d *ddraceHost) beginRecord() {
	t := &d.record
	t.Spectators, t.Practice = PlayerMask{}, d.world.Practice()
	for id := range t.Teams {
		t.Teams[id] = d.world.Team(id)
		if p := &d.w.players[id]; p.inGame && p.team == TeamSpectators {
			t.Spectators.Add(PlayerID(id))
		}
	}
}

// endRecord stores the positions of the tees.
func (d *ddraceHost) endRecord() {
	t := &d.record
	t.Alive = PlayerMask{}
	for id := range t.Pos {
		if tee := d.world.AliveTee(id); tee != nil {
			t.Alive.Add(PlayerID(id))
			t.Pos[id] = tee.Core.Pos
		}
	}
}
