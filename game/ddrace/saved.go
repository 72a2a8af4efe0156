package ddrace

import (
	"errors"
	"math"

	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// ErrSave means that a text is not the state of a team.
var ErrSave = errors.New("ddrace: not a saved team")

// SavedTeam is the state of a team, as DDNet-Server saves it.
type SavedTeam struct {
	State    int32 // of its race: 1 not started, 2 started, 3 started and cannot finish, 4 finished
	Locked   bool
	Practice bool
	Tees     []SavedTee // the newest first
	Switches []SavedSwitch
}

// SavedTee is the state of a tee, without the id of its player.
type SavedTee struct {
	Name    string // of the player, at most 15 bytes
	GameID  string // UUID of the world where it was saved
	Paused  int32  // 0, 1 for a free camera, 2 for a tee that is out of the world
	Started bool   // it touched the start with its team
	// Finished means that the tee touched the finish, NotEligible that its finish gives no rank.
	Finished, NotEligible bool
	// Time is the time of the race so far, in ticks with penalties, 0 if the race has not started.
	Time int32
	// Hooked is the index in the team of the tee that this tee's hook holds, -1 for none.
	Hooked int32

	freezeAge int32 // ticks since its freeze began
	tee       Tee
}

// SavedSwitch is the state of a switch for a team. The first switch of a list has the number 1.
type SavedSwitch struct {
	Active bool
	// Age is the number of ticks since the switch changed back, below 0 if it is yet to change, 0
	// if it does not change.
	Age  int32
	Kind int32 // the tile that set it
}

// Pos returns the saved position of the tee, in units.
func (s *SavedTee) Pos() Vec { return s.tee.Pos }

const (
	// maxSavedTime limits times of saves, in ticks: 23 days, less than 1<<31 ms.
	maxSavedTime = 100_000_000
	// anyTeam lets a hook hold a tee of another team.
	anyTeam = 255
	// maxOutside is how far outside of the map a tee can be, in tiles.
	maxOutside = 200
)

// saveTee returns the state of a player's tee. penalty is added to its time, in ticks.
func (w *World) saveTee(id int, penalty int32) (s SavedTee, ok bool) {
	if id < 0 || id >= MaxTees || !w.players[id].alive {
		return s, false
	}
	t := &w.tees[id]
	s = SavedTee{tee: *t, freezeAge: w.tick - t.FreezeStart, Hooked: t.Core.HookedPlayer}
	if t.StartTick != 0 {
		s.Time = min(max(w.tick-t.StartTick, 0), maxSavedTime-penalty) + penalty
	}
	return s, true
}

// BlocksSave reports whether a dragger pulls a tee of a team. DDNet 20 then refuses to save it.
func (w *World) BlocksSave(team uint8) bool {
	if !w.settings.release20() {
		return false
	}
	for i := range w.entities.beams {
		b := &w.entities.beams[i]
		if b.kind == beamDragger && !b.gone && w.AliveTee(int(b.target)) != nil && w.team(int(b.target)) == team {
			return true
		}
	}
	return false
}

// SaveTeam returns the state of a team and the player id of each tee. All tees of the team must be
// in the world. It adds penalty to their times, in ticks. The caller sets the fields that the world
// does not have: State, and Name, GameID, Paused, Started, Finished and NotEligible of each tee.
func (w *World) SaveTeam(team uint8, penalty int32) (s SavedTeam, ids []int, ok bool) {
	members := 0
	for i := range w.seats {
		if p := &w.players[i]; p.inGame && p.team == team {
			members++
		}
	}
	for t := range w.newest {
		if w.team(t.ID()) != team {
			continue
		}
		tee, _ := w.saveTee(t.ID(), penalty)
		s.Tees, ids = append(s.Tees, tee), append(ids, t.ID())
	}
	if team >= maxTeams || members != len(ids) || members == 0 {
		return SavedTeam{}, nil, false
	}
	for i := range s.Tees {
		hooked := s.Tees[i].Hooked
		s.Tees[i].Hooked = noTee
		for k, id := range ids {
			if int32(id) == hooked {
				s.Tees[i].Hooked = int32(k)
			}
		}
	}
	s.Locked, s.Practice = w.teams[team].locked, w.Practises(team)
	for n := 1; n <= w.switches.count; n++ {
		t := &w.switches.timers[int(team)*(w.switches.count+1)+n]
		saved := SavedSwitch{Active: w.switches.active[team].Has(uint8(n)), Kind: int32(t.kind)}
		if t.kind == 0 {
			saved.Kind = switchOpen // as at the beginning
		}
		if t.end != 0 {
			saved.Age = w.tick - t.end
		}
		s.Switches = append(s.Switches, saved)
	}
	return s, ids, true
}

// LoadTeam restores the saved tees of a team. ids are the players of s.Tees, all members of the
// team. A player without a tee gets one. If fresh is set, all players get new tees, and the first
// of them is the newest. The caller restores the race of the team and the pauses.
func (w *World) LoadTeam(team uint8, s *SavedTeam, ids []int, fresh bool) {
	if team >= maxTeams || len(ids) != len(s.Tees) {
		return
	}
	for i := len(ids) - 1; i >= 0; i-- {
		id := ids[i]
		if id < 0 || id >= MaxTees || !w.players[id].inGame || w.players[id].spectator {
			continue
		}
		if fresh || !w.players[id].alive {
			w.respawn(id, w.onMap(s.Tees[i].Pos()))
		}
		w.SetTeam(id, team)
		hooked := int32(noTee)
		if h := s.Tees[i].Hooked; h >= 0 && int(h) < len(ids) {
			hooked = int32(ids[h])
		}
		w.loadTee(id, &s.Tees[i], hooked, team)
		if w.settings.release20() {
			here := w.place(&w.tees[id])
			w.players[id].rescue, w.players20[id].own = here, here
		}
	}
	w.LockTeam(team, s.Locked)
	w.SetPractice(team, s.Practice)
	for i := range s.Switches[:min(len(s.Switches), w.switches.count)] {
		k := &s.Switches[i]
		w.switches.active[team].Set(uint8(i+1), k.Active)
		t := &w.switches.timers[int(team)*(w.switches.count+1)+i+1]
		to := switchTimer{end: t.end, lastUpdate: t.lastUpdate, kind: uint8(k.Kind)}
		if k.Age != 0 {
			to.end = w.tick - k.Age
		}
		w.switches.change(t, to)
	}
}

// SwapTees exchanges the places and all other saved state of the tees of two players in a team. It
// adds penalty to their times, in ticks. It reports whether both players have a tee.
func (w *World) SwapTees(a, b int, penalty int32) bool {
	first, ok := w.saveTee(a, penalty)
	second, ok2 := w.saveTee(b, penalty)
	if !ok || !ok2 {
		return false
	}
	team := w.team(a)
	w.loadTee(b, &first, first.Hooked, team)
	w.loadTee(a, &second, second.Hooked, team)
	if w.settings.release20() {
		swapPlaces(&w.players[a].rescue, &w.players[b].rescue)
		swapPlaces(&w.players20[a].own, &w.players20[b].own)
	}
	other := func(id int32) int32 {
		switch id {
		case int32(a):
			return int32(b)
		case int32(b):
			return int32(a)
		}
		return id
	}
	for i := range w.seats {
		if w.players[i].alive {
			w.tees[i].Core.HookedPlayer = other(w.tees[i].Core.HookedPlayer)
		}
	}
	for i := range w.entities.projectiles {
		p := &w.entities.projectiles[i]
		p.Owner = int8(other(int32(p.Owner)))
	}
	for i := range w.entities.beams {
		if l := &w.entities.beams[i]; l.kind == beamLaser {
			l.laser.Owner = int8(other(int32(l.laser.Owner)))
		}
	}
	return true
}

func swapPlaces(a, b *rescue) {
	if a.set && b.set {
		*a, *b = *b, *a
	}
}

// respawn gives a player a new tee at once, at a place.
func (w *World) respawn(id int, pos Vec) {
	if w.players[id].alive {
		w.die(id, WeaponGame)
	}
	w.spawn(id, pos)
}

// onMap returns the valid position of a tee that is closest to p.
func (w *World) onMap(p Vec) Vec {
	within := func(v, tiles float32) float32 {
		return min(max(v, -maxOutside*physics.TileSize), (tiles+maxOutside)*physics.TileSize)
	}
	return Vec{X: within(p.X, float32(w.m.width)), Y: within(p.Y, float32(w.m.height))}
}

// loadTee gives a player's tee a saved state. hooked is the player whose tee the hook holds, if
// that tee is in the team.
func (w *World) loadTee(id int, s *SavedTee, hooked int32, team uint8) {
	t, from := &w.tees[id], &s.tee
	k, c := &t.Core, &from.Core

	t.Weapons = from.Weapons
	for i := range t.loaded {
		t.loaded[i] = true
	}
	t.ActiveWeapon, t.LastWeapon, t.QueuedWeapon, t.ReloadTimer = from.ActiveWeapon, from.LastWeapon, from.QueuedWeapon, from.ReloadTimer
	t.AirJumps, t.Jetpack, t.NinjaJetpack, t.EndlessHook = from.AirJumps, from.Jetpack, from.NinjaJetpack, from.EndlessHook
	t.FreezeTime, t.FreezeStart, t.Deep, t.Live = from.FreezeTime, w.tick-s.freezeAge, from.Deep, from.Live
	t.UnhitHammer, t.UnhitShotgun, t.UnhitGrenade, t.UnhitLaser = from.UnhitHammer, from.UnhitShotgun, from.UnhitGrenade, from.UnhitLaser
	t.Telegun, t.Telegrenade, t.Telelaser = from.Telegun, from.Telegrenade, from.Telelaser
	t.Race, t.Zone, t.TeleCheckpoint, t.lastPenalty = from.Race, from.Zone, from.TeleCheckpoint, from.lastPenalty
	t.LastCheckpoint, t.Checkpoints = from.LastCheckpoint, from.Checkpoints
	if s.Time != 0 {
		t.StartTick = w.tick - s.Time
	}

	t.Pos, t.PrevPos = w.onMap(from.Pos), w.onMap(from.PrevPos)
	if !(vec.Distance(t.Pos, t.PrevPos) < maxMove) {
		t.PrevPos = t.Pos
	}
	k.Pos, k.Vel = w.onMap(c.Pos), c.Vel
	k.Jumped, k.JumpedTotal, k.Jumps = c.Jumped, c.JumpedTotal, c.Jumps
	k.NoHookHit, k.NoCollision, k.Solo = c.NoHookHit, c.NoCollision, c.Solo
	k.HookPos, k.HookDir, k.HookTeleBase = w.onMap(c.HookPos), c.HookDir, w.onMap(c.HookTeleBase)
	k.HookTick, k.HookState, k.NewHook = c.HookTick, c.HookState, c.NewHook
	if k.HookedPlayer = hooked; hooked != noTee && team != anyTeam && (w.team(int(hooked)) != team || !w.players[hooked].alive) {
		k.HookedPlayer, k.HookState = noTee, physics.HookFlying
	}
	if w.settings.release20() {
		w.loadTee20(t, s)
	}
	t.savedInput.Direction, t.savedInput.Jump = from.savedInput.Direction, from.savedInput.Jump
	t.savedInput.Fire, t.savedInput.Hook = from.savedInput.Fire, from.savedInput.Hook
	w.addEvent(Event{Kind: EventTuning, Tee: t.id})
}

// loadTee20 loads the state that only DDNet 20 restores.
func (w *World) loadTee20(t *Tee, s *SavedTee) {
	n, from := &t.Ninja, &s.tee.Ninja
	n.ActivationDir, n.CurrentMoveTime, n.OldVelAmount, n.ActivationTick = from.ActivationDir, from.CurrentMoveTime, from.OldVelAmount, 0
	if age := s.freezeAge + s.tee.FreezeStart - from.ActivationTick; from.ActivationTick != 0 && age != 0 {
		n.ActivationTick = w.tick - age
	}
	if k := &t.Core; k.HookState == physics.HookGrabbed && k.HookedPlayer == noTee && w.m.tiles[w.m.pureIndex(k.HookPos)] != TileSolid {
		k.HookState, k.HookPos = physics.HookRetracted, k.Pos // there is no wall any more
	}
}

// ticksOf converts seconds to ticks.
func ticksOf(seconds float32) int32 {
	return int32(math.Round(float64(seconds) * TickRate))
}
