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

// PauseKind is the state of a DDRace player's own tee while the player's camera moves freely.
type PauseKind uint8

// The kinds of pauses.
const (
	NotPaused     PauseKind = iota
	PauseInPlace            // the tee stays in the world (DDNet: /pause)
	PauseVanished           // the tee is out of the world (DDNet: /spec)
)

// SpecTee is the position at which the tee of a player in PauseVanished will reappear.
type SpecTee struct {
	Player PlayerID
	X, Y   int32
	NotFor PlayerMask // players who do not see it
}

// SwitchState is the state of a DDRace map's switches for one team.
type SwitchState struct {
	Team    int32     // 0..63
	Highest int32     // switches 1 to this number exist, at most 255
	Active  [8]uint32 // bit n%32 of element n/32 is set if switch n is active
	// Timers are the next switches that will change back, earliest first. Number is 0 in unused
	// elements.
	Timers [4]SwitchTimer
}

// SwitchTimer is a switch that changes back at EndTick.
type SwitchTimer struct{ Number, EndTick int32 }

// IsActive reports whether a switch is active. A switch that does not exist counts as active.
func (s *SwitchState) IsActive(number uint8) bool {
	return int32(number) > s.Highest || s.Active[number/32]>>(number%32)&1 != 0
}

// MapEntityKind is the kind of a map object of DDRace, in the terms of DDNet's clients.
type MapEntityKind uint8

// The kinds of map objects.
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

// MapEntity identifies the map object that something belongs to, in DDRace. It is always set for
// doors, draggers, turrets and bullets. For lights and pickups it is set if they have a switch.
type MapEntity struct {
	Kind   MapEntityKind
	Layer  ddrace.Layer
	Switch uint8 // number of the object's switch, 0 for none
}

// LaserKind is a kind of laser beam.
type LaserKind uint8

// The kinds of lasers.
const (
	LaserRifle   LaserKind = iota // the laser rifle of a tee
	LaserShotgun                  // the shotgun of a tee in DDRace, which pulls
	LaserBeam                     // a beam of a map object, without an owner
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

// Switches returns the switches of the viewer's team, or of the followed player's team. In
// TeamSuper all switches are off. The result is nil if the map has no switches.
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
			team = p.DDRaceTeam
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

// superSwitches are the switches of TeamSuper.
var superSwitches = SwitchState{Team: TeamSuper, Highest: 255}

// SeesLine reports whether a line is close enough to be sent in DDRace. Use it for hooks, and for
// the tees at their ends.
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
