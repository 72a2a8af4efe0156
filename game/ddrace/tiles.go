package ddrace

import (
	"math"

	"github.com/teeyard/teeyard/game/vec"
)

// tickTiles applies the tiles on the tee's way in the last tick.
func (w *World) tickTiles(t *Tee) {
	w.exit.valid = false
	c := &t.Core
	if t.EndlessHook || t.Super && w.settings.EndlessSuperHook != 0 {
		c.HookTick = 0
	}
	t.justUnfrozen = false
	if t.Deep && !t.isImmune() {
		w.freeze(t, w.freezeDelay())
	}
	t.limitJumps()

	here := w.m.mapIndex(t.Pos)
	switch {
	case w.m.outside(t.Pos):
		w.die(int(t.id), WeaponWorld)
	case t.isImmune() || !w.onDeath(t.Pos):
	case w.settings.release20() && w.practises(t):
		w.freezeOnDeath(t)
	default:
		w.die(int(t.id), WeaponWorld)
	}
	if !w.players[t.id].alive {
		return
	}
	if here >= 0 && w.m.speedup != nil && w.m.speedup[here].Force > 0 {
		w.speedUp(t, here)
	}
	w.way = w.m.appendWay(w.way[:0], t.PrevPos, t.Pos)
	if len(w.way) == 0 {
		w.tile(t, here)
	}
	for _, i := range w.way {
		w.tile(t, i)
		if !w.players[t.id].alive {
			return
		}
	}
	if t.teleported {
		w.addEvent(Event{Kind: EventDeathEffect, Tee: t.id, Pos: t.Pos})
		c.Pos = t.teleportTo
		if !t.teleportBlue {
			c.Vel = Vec{}
		}
		w.addEvent(Event{Kind: EventDeathEffect, Tee: t.id, Pos: t.teleportTo})
		w.sound(t, t.teleportTo, SoundWeaponSpawn)
		t.teleported, t.teleportBlue = false, false
	}
}

// limitJumps decides whether the tee has another jump in the air. Tiles can overrule it.
func (t *Tee) limitJumps() {
	switch c := &t.Core; {
	case c.Jumps == -1, c.Jumps == 0, c.Jumps == 1 && c.Jumped > 0:
		c.Jumped |= jumpUsed
	case c.JumpedTotal < c.Jumps-1 && c.Jumped > 1:
		c.Jumped = jumpHeld
	}
	if (t.Super || t.AirJumps) && t.Core.Jumped > 1 {
		t.Core.Jumped = jumpHeld
	}
}

// corners are the points of a tee that touch death tiles and the lines of start and finish.
func corners(p Vec) [4]Vec {
	const d = teeSize / 3
	return [4]Vec{{X: p.X + d, Y: p.Y - d}, {X: p.X + d, Y: p.Y + d}, {X: p.X - d, Y: p.Y - d}, {X: p.X - d, Y: p.Y + d}}
}

// onDeath reports whether a tee at a place touches a tile that kills.
func (w *World) onDeath(at Vec) bool {
	for _, p := range corners(at) {
		if w.m.marks[w.m.pureIndex(p)]&markDeath != 0 {
			return true
		}
	}
	return false
}

// freezeOnDeath freezes a tee in practice on a tile that kills, as of DDNet 20.
func (w *World) freezeOnDeath(t *Tee) {
	w.freeze(t, w.freezeDelay())
	if p := &w.players[t.id]; w.tick-p.dieTick >= TickRate {
		p.dieTick = w.tick
		w.sound(t, t.Pos, SoundPlayerDie)
		w.addEvent(Event{Kind: EventDeathEffect, Tee: t.id, Pos: t.Pos})
	}
}

// tile applies a tile to a tee. The index is -1 if the tile has no effect.
func (w *World) tile(t *Tee, i int32) {
	c := &t.Core
	t.Restrictions = w.m.restrictions(t.Pos, 18, i, w.doorsFor(t))
	if i < 0 {
		t.lastRefill, t.lastPenalty, t.lastBonus = false, false, false
		return
	}
	g, f := w.m.tiles[i], w.m.frontAt(i)
	on := func(index uint8) bool { return g == index || f == index }

	w.timeCheckpoint(t, g)
	w.timeCheckpoint(t, f)
	if n := w.m.teleNumber(i, teleCheck); n != 0 {
		t.TeleCheckpoint = n
	}
	w.race(t, g, f)
	if !w.players[t.id].alive {
		return
	}
	switch {
	case on(TileFreeze) && !t.isImmune() && !t.Deep:
		w.freeze(t, w.freezeDelay())
	case on(TileUnfreeze) && !t.Deep:
		w.unfreeze(t)
	}
	if !t.isImmune() {
		switch {
		case on(TileDeep) && !t.Deep:
			t.Deep = true
		case on(tileUndeep) && t.Deep:
			t.Deep = false
		}
		switch {
		case on(TileLive):
			t.Live = true
		case on(tileUnlive):
			t.Live = false
		}
	}
	w.abilities(t, g, f)

	if on(tileWallJump) && c.Vel.Y > 0 && c.Colliding != 0 && c.LeftWall {
		c.LeftWall = false
		c.JumpedTotal = max(c.Jumps-2, 0)
		c.Jumped = jumpHeld
	}
	if on(tileRefill) && !t.lastRefill {
		c.JumpedTotal, c.Jumped = 0, 0
	}
	t.lastRefill = on(tileRefill)

	if c.Vel.Y > 0 && t.Restrictions&cannotDown != 0 {
		c.Jumped, c.JumpedTotal = 0, 0
	}
	c.Vel = t.Restrictions.clamp(c.Vel)
	w.switchTileOn(t, i)
	w.teleport(t, i)
}

// abilities applies the tiles that give or take an ability.
func (w *World) abilities(t *Tee, g, f uint8) {
	// change sets a state that the tile give turns on and the tile take turns off. If both are
	// there, give counts.
	change := func(state *bool, give, take uint8, given, taken Message) bool {
		var to bool
		var m Message
		switch {
		case (g == give || f == give) && !*state:
			to, m = true, given
		case (g == take || f == take) && *state:
			to, m = false, taken
		default:
			return false
		}
		*state = to
		w.tell(t, m)
		return true
	}
	change(&t.EndlessHook, tileEndless, tileUnendless, MessageEndless, MessageUnendless)
	if g == tileUnhit || f == tileUnhit || g == tileHit || f == tileHit {
		any := t.UnhitHammer || t.UnhitShotgun || t.UnhitGrenade || t.UnhitLaser
		all := t.UnhitHammer && t.UnhitShotgun && t.UnhitGrenade && t.UnhitLaser
		state := any
		if g == tileUnhit || f == tileUnhit {
			state = all
		}
		if change(&state, tileUnhit, tileHit, MessageUnhit, MessageHit) {
			t.UnhitHammer, t.UnhitShotgun, t.UnhitGrenade, t.UnhitLaser = state, state, state, state
		}
	}
	change(&t.Core.NoCollision, tileUncollide, tileCollide, MessageUncollide, MessageCollide)
	change(&t.Core.NoHookHit, tileUnhooking, tileHooking, MessageUnhook, MessageHook)
	change(&t.AirJumps, tileAirjumps, tileUnairjumps, MessageAirJumps, MessageUnairJumps)
	change(&t.Jetpack, tileJetpack, tileUnjetpack, MessageJetpack, MessageUnjetpack)
	change(&t.Telegun, tileTelegun, tileUntelegun, MessageTelegun, MessageUntelegun)
	change(&t.Telegrenade, tileTelegrenade, tileUntelegrenade, MessageTelegrenade, MessageUntelegrenade)
	change(&t.Telelaser, tileTelelaser, tileUntelelaser, MessageTelelaser, MessageUntelelaser)
}

// timeCheckpoint notes the time of a checkpoint at the tee's first pass.
func (w *World) timeCheckpoint(t *Tee, index uint8) {
	if index < TileCheckpoint || index > lastCheckpoint || t.Race != RaceStarted {
		return
	}
	n, time := index-TileCheckpoint, w.tick-t.StartTick
	if t.Checkpoints[n] != 0 || time == 0 {
		return
	}
	t.LastCheckpoint = int8(n)
	t.Checkpoints[n] = time
	w.addEvent(Event{Kind: EventCheckpoint, Tee: t.id, Value: int32(n), Extra: time})
}

// race handles start, finish and solo parts.
func (w *World) race(t *Tee, g, f uint8) {
	start, finish := g == TileStart || f == TileStart, g == TileFinish || f == TileFinish
	for _, p := range corners(t.Pos) {
		i := w.m.pureIndex(p)
		g, f := w.m.tiles[i], w.m.frontAt(i)
		start = start || g == TileStart || f == TileStart
		finish = finish || g == TileFinish || f == TileFinish
	}
	before := t.Race
	if start && before != RaceCheat && !w.startRace(t) {
		return
	}
	switch team := w.team(int(t.id)); {
	case finish && before == RaceStarted:
		w.finishRace(t)
	case (g == tileUnlock || f == tileUnlock) && w.Locked(team):
		w.LockTeam(team, false)
		w.addEvent(Event{Kind: EventUnlock, Tee: t.id, Value: int32(team)})
	}
	switch solo := &t.Core.Solo; {
	case (g == tileSolo || f == tileSolo) && !*solo:
		*solo = true
		w.tell(t, MessageSolo)
	case (g == tileUnsolo || f == tileUnsolo) && *solo:
		*solo = false
		w.tell(t, MessageUnsolo)
	}
}

// startRace starts the tee's race, and reports whether the tee is still alive.
func (w *World) startRace(t *Tee) bool {
	if w.rules == nil {
		w.StartRace(int(t.id))
	} else if !w.rules.Started(w, int(t.id)) {
		w.die(int(t.id), WeaponWorld)
		return false
	}
	if w.settings.ResetPickups != 0 {
		t.losePickups()
	}
	t.Checkpoints, t.LastCheckpoint = [NumCheckpoints]int32{}, -1
	return true
}

// StartRace starts the race of a tee.
func (w *World) StartRace(id int) {
	t := &w.tees[id]
	t.Race, t.StartTick = RaceStarted, w.tick
	w.addEvent(Event{Kind: EventStart, Tee: t.id})
}

func (w *World) finishRace(t *Tee) {
	if w.rules != nil {
		w.rules.Finished(w, int(t.id))
		return
	}
	w.FinishRace(int(t.id))
}

// FinishRace ends the race of a tee.
func (w *World) FinishRace(id int) {
	t := &w.tees[id]
	if time := w.tick - t.StartTick; time > 0 {
		t.Race = RaceFinished
		w.addEvent(Event{Kind: EventFinish, Tee: t.id, Value: time})
	}
}

// switchTileOn applies a tile of the switch layer to a tee.
func (w *World) switchTileOn(t *Tee, i int32) {
	tile, team := w.m.switchTile(i), w.team(int(t.id))
	super := team == TeamSuper
	works := !super && !t.Invincible && w.switchActive(tile.Number, team)
	delay := int32(tile.Delay)
	switch tile.Type {
	case switchOpen, SwitchClose:
		w.switches.set(team, tile.Number, tile.Type, 0, w.tick)
	case switchTimedOpen, SwitchTimedClose:
		w.switches.set(team, tile.Number, tile.Type, w.tick+1+delay*TickRate, w.tick)
	case TileFreeze:
		if works {
			w.freeze(t, delay)
		}
	case TileDeep, tileUndeep:
		if works {
			t.Deep = tile.Type == TileDeep
		}
	case TileLive, tileUnlive:
		if works {
			t.Live = tile.Type == TileLive
		}
	case tileHit, tileUnhit:
		w.setHit(t, Weapon(delay), tile.Type == tileUnhit)
	case switchJumps:
		if delay == 255 {
			delay = -1
		}
		if delay != t.Core.Jumps {
			t.Core.Jumps = delay
			w.message(t, MessageJumps, delay)
			w.addEvent(Event{Kind: EventTuning, Tee: t.id})
		}
	case switchAddTime:
		if !t.lastPenalty {
			t.lastPenalty = true
			w.setStart(t, t.StartTick-(delay*60+int32(tile.Number))*TickRate)
		}
	case switchSubTime:
		if !t.lastBonus {
			t.lastBonus = true
			w.setStart(t, min(t.StartTick+(delay*60+int32(tile.Number))*TickRate, w.tick))
		}
	}
	t.lastPenalty = t.lastPenalty && tile.Type == switchAddTime
	t.lastBonus = t.lastBonus && tile.Type == switchSubTime
}

// setHit sets whether a weapon affects others.
func (w *World) setHit(t *Tee, weapon Weapon, off bool) {
	var state *bool
	var on Message
	switch weapon {
	case WeaponHammer:
		state, on = &t.UnhitHammer, MessageHitHammer
	case WeaponShotgun:
		state, on = &t.UnhitShotgun, MessageHitShotgun
	case WeaponGrenade:
		state, on = &t.UnhitGrenade, MessageHitGrenade
	case WeaponLaser:
		state, on = &t.UnhitLaser, MessageHitLaser
	}
	if state == nil || *state == off {
		return
	}
	*state = off
	if off {
		on++ // the message that takes it follows that which gives it
	}
	w.message(t, on, 0)
	if weapon == WeaponHammer {
		w.addEvent(Event{Kind: EventTuning, Tee: t.id})
	}
}

// setStart changes the start tick of the race of a tee and its team, to at most maxSavedTime ago.
// Without this limit, many tiles that add time would overflow an int32.
func (w *World) setStart(t *Tee, tick int32) {
	tick = max(tick, w.tick-maxSavedTime)
	t.StartTick = tick
	team := w.team(int(t.id))
	if !w.RacesTogether(team) {
		return
	}
	for id := range w.seats {
		if p := &w.players[id]; p.alive && p.team == team {
			w.tees[id].StartTick = tick
		}
	}
}

// speedUp lets a speedup push a tee.
func (w *World) speedUp(t *Tee, i int32) {
	tile := w.m.speedup[i]
	a := float32(float32(tile.Angle) * (pi / 180))
	dir := Vec{X: vec.Cos(a), Y: vec.Sin(a)}
	force, limit := float32(tile.Force), int32(tile.MaxSpeed)
	v := t.Core.Vel
	if w.settings.release20() && tile.Type != oldSpeedup {
		if tile.Type == newSpeedup {
			t.Core.Vel = t.Restrictions.clamp(v.Add(dir.Mul(w.newSpeed(t, dir, force, limit))))
		}
		return
	}
	switch {
	case tile.Force == 255 && limit > 0:
		t.Core.Vel = dir.Mul(float32(limit / 5))
		return
	case limit == 0:
		v = v.Add(dir.Mul(force))
	default:
		limit = max(limit, 5)
		delta := mathAngle(dir) - mathAngle(v)
		speed := float32(math.Sqrt(float64(float64(v.X)*float64(v.X)) + float64(float64(v.Y)*float64(v.Y))))
		left := float32(limit)/5 - float32(vec.Cos(delta)*speed)
		switch whole := vec.Trunc(left); {
		case max(whole, -whole) <= int32(tile.Force):
			v = v.Add(dir.Mul(left))
		case left > 0.0000001:
			v = v.Add(dir.Mul(force))
		default:
			v = v.Add(dir.Mul(-force))
		}
	}
	t.Core.Vel = t.Restrictions.clamp(v)
}

// newSpeed returns the speed that a speedup of the new kind adds to a tee in its direction, up to a
// limit (1/5 unit/tick). A limit of 0 means the speed from which the velocity ramp slows the tee
// down.
func (w *World) newSpeed(t *Tee, dir Vec, force float32, limit int32) float32 {
	const scale = 5
	if limit == 0 {
		p := w.params(t.Zone)
		ramp := float32(float64(p[VelrampRange]) / (50 * vec.Log(max(p[VelrampCurvature], 1.01))))
		limit = vec.Trunc(float32(max(ramp, p[VelrampStart]/50) * scale))
	}
	fastest, speed := float32(limit)/scale, dir.Dot(t.Core.Vel)
	if float32(speed+force) > fastest {
		return fastest - speed
	}
	return force
}

// mathAngle returns the counterclockwise angle of v, from 0 to 2 pi. Vertical vectors give the
// original's results.
func mathAngle(v Vec) float32 {
	atan := func(t float32) float32 { return vec.Atan2(t, 1) }
	var a float32
	switch {
	case v.X > 0.0000001:
		a = -atan(v.Y / v.X)
	case v.X < 0.0000001:
		a = atan(v.Y/v.X) + pi
	case v.Y > 0.0000001:
		a = pi / 2
	default:
		a = -pi / 2
	}
	if a < 0 {
		a += 2 * pi
	}
	return a
}

// teleport moves a tee on a teleporter. The first kind that applies decides.
func (w *World) teleport(t *Tee, i int32) {
	if w.m.tele == nil || w.m.tele[i].Number == 0 {
		return
	}
	s := &w.settings
	n, kind := w.m.tele[i].Number, w.m.tele[i].Type
	old := s.OldTeleportHook != 0 || s.OldTeleportWeapons != 0
	evil := kind == TeleInEvil || kind == TeleCheckInEvil
	var to Vec
	switch kind {
	case TeleIn, TeleInEvil:
		outs := w.m.outs.count(n)
		if outs == 0 || kind == TeleIn && old || t.isImmune() {
			return
		}
		to = w.m.exit(&w.m.outs, n, w.rand.choose(outs))
	case TeleCheckIn, TeleCheckInEvil:
		if t.isImmune() {
			return
		}
		var ok bool
		if to, ok = w.checkpointExit(t); !ok {
			return
		}
	default:
		return
	}
	c := &t.Core
	c.Pos = to
	if kind == TeleInEvil && old {
		return
	}
	if evil {
		c.Vel = Vec{}
	}
	if s.TeleportHoldHook == 0 {
		c.resetHook()
		if evil {
			w.releaseHooksOn(t.id)
		}
	}
	if s.TeleportLoseWeapons != 0 && (kind == TeleIn || kind == TeleInEvil) {
		t.losePickups()
	}
}

// checkpointExit returns an exit of the last checkpoint that has any, or else a spawn point.
func (w *World) checkpointExit(t *Tee) (Vec, bool) {
	for n := t.TeleCheckpoint; n > 0; n-- {
		if outs := w.m.checkOuts.count(n); outs > 0 {
			return w.m.exit(&w.m.checkOuts, n, w.rand.choose(outs)), true
		}
	}
	return w.spawnExit(t)
}
