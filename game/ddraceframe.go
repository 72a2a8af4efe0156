package game

import (
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/vec"
)

// TeamSuper is the DDRace team whose tees collide with the tees of all teams. In team 0 each player
// races alone; in the teams from 1 to 63 players race together.
const TeamSuper = 64

// DDRaceRange is the default [View.Range] in DDRace, in units, for clients that do not report the
// size of their view.
var DDRaceRange = vec.Vec2{X: 1200, Y: 800}

// DDRaceMap is the [View.Range] of a player who sees the whole map.
var DDRaceMap = vec.Vec2{X: 1e6, Y: 1e6}

// PauseKind says how a player left the own tee to look around.
type PauseKind uint8

// The kinds of pauses.
const (
	NotPaused     PauseKind = iota
	PauseInPlace            // the tee stays and goes on (DDNet: /pause)
	PauseVanished           // the tee is out of the world (DDNet: /spec)
)

// SpecTee is where the tee of a player in PauseVanished will be again.
type SpecTee struct {
	Player PlayerID
	X, Y   int32
	NotFor PlayerMask // who does not see it
}

// SwitchState is the state of the switches of a DDRace map for one team.
type SwitchState struct {
	Team    int32     // 0..63
	Highest int32     // switches from 1 to this number exist, at most 255
	Active  [8]uint32 // bit n%32 of element n/32: switch n is active
	// Timers are of the switches that change back next, the first ones first; Number is 0 for none.
	Timers [4]SwitchTimer
}

// SwitchTimer is a switch that changes back at a tick.
type SwitchTimer struct{ Number, EndTick int32 }

// IsActive reports whether a switch is active. Those that do not exist are.
func (s *SwitchState) IsActive(number uint8) bool {
	return int32(number) > s.Highest || s.Active[number/32]>>(number%32)&1 != 0
}

// MapEntityKind is what an entity of a DDRace map is, as far as clients of DDNet are told.
type MapEntityKind uint8

// The kinds of entities of maps.
const (
	NoMapEntity MapEntityKind = iota
	MapProjectile
	MapDoor
	MapDraggerWeak
	MapDraggerNormal
	MapDraggerStrong
	MapTurretExplosive
	MapTurretBoth
	MapTurretFreeze
	MapTurretUnfreeze
	MapLight
	MapPickup
)

// MapEntity says of which entity of a DDRace map something is. Doors, draggers, turrets and bullets
// are always told, lights and pickups if they have a switch.
type MapEntity struct {
	Kind   MapEntityKind
	Layer  ddrace.Layer
	Switch uint8 // number of its switch, 0 for none
}

// LaserKind is what a laser does.
type LaserKind uint8

// The kinds of lasers.
const (
	LaserRifle   LaserKind = iota // shot by a tee, like the next
	LaserShotgun                  // of DDRace, which pulls
	LaserBeam                     // of an entity of a map; it has no owner
)

// ProjectileFlags is a set of properties of projectiles of DDRace.
type ProjectileFlags uint8

// The projectile flags.
const (
	ProjectileBouncesX ProjectileFlags = 1 << iota
	ProjectileBouncesY
	ProjectileExplosive
	ProjectileFreezes
)

// Switches returns the state of the switches that the viewer sees: those of the own team, or of
// the team of the player whom they watch. For TeamSuper all are off; nil if the map has none.
func (v *View) Switches() *SwitchState {
	if v.Frame == nil || v.Game.Flags&GameFlagDDRace == 0 {
		return nil
	}
	watched, team := v.Viewer, int32(0)
	for i := range v.Players {
		if p := &v.Players[i]; p.ID == v.Viewer && p.Spectating && p.SpectatorID >= 0 {
			watched = p.SpectatorID
		}
	}
	for i := range v.Players {
		if p := &v.Players[i]; p.ID == watched {
			team = p.RaceTeam
		}
	}
	if team == TeamSuper {
		return &superSwitches
	}
	for i := range v.Frame.Switches {
		if s := &v.Frame.Switches[i]; s.Team == team {
			return s
		}
	}
	return nil
}

// superSwitches are those of TeamSuper.
var superSwitches = SwitchState{Team: TeamSuper, Highest: 255}

// SeesLine reports whether a line is close enough to be sent in DDRace: it is for hooks and their
// tees.
func (v *View) SeesLine(a, b vec.Vec2) bool {
	if v.ShowAll {
		return true
	}
	near := a
	if d := b.Sub(a); d != (vec.Vec2{}) {
		t := (float32((v.Pos.X-a.X)*d.X) + float32((v.Pos.Y-a.Y)*d.Y)) / (float32(d.X*d.X) + float32(d.Y*d.Y))
		t = min(max(t, 0), 1)
		near = vec.Vec2{X: a.X + float32(d.X*t), Y: a.Y + float32(d.Y*t)}
	}
	return isWithin(v.Pos, near, max(v.Range.X, v.Range.Y), max(v.Range.X, v.Range.Y))
}

func isWithin(a, b vec.Vec2, x, y float32) bool {
	dx, dy := a.X-b.X, a.Y-b.Y
	return dx <= x && dx >= -x && dy <= y && dy >= -y
}
