package ddrace

import "github.com/teeyard/teeyard/game/vec"

// respawnDelay is the wait of a player who dies twice, in ticks.
const respawnDelay = 3 * TickRate

// player is the state of a player that outlives the tee.
type player struct {
	inGame    bool
	spectator bool
	paused    bool  // its tee is out of the world
	looks     bool  // around, and its tee goes on with what it did last
	vanishes  bool  // its tee leaves the world when it rests
	looksTo   int32 // the last tick in which it must, 0 for none
	hasTee    bool  // until the end of the tick in which it dies
	alive     bool
	inWorld   bool // alive, and not out of the world
	spawning  bool // it wants a tee
	weakSpawn bool // and gets it after all others

	dieTick, prevDieTick int32
	team                 uint8
	rescue               rescue
	zone                 uint8 // tune zone of what the player sees
	view                 Vec   // what the player sees
	input                Input // the last one
	hasInput             bool
	flags                int32 // of the newest direct input
}

// Enter lets a player into the game. Unless it is a spectator, the player gets a tee in the next
// tick.
func (w *World) Enter(id int, spectator bool) {
	w.Leave(id)
	w.seat(id)
	w.players[id] = player{
		inGame: true, spectator: spectator, spawning: !spectator,
		dieTick: w.tick, prevDieTick: w.tick, team: w.startTeam(id),
	}
}

// startTeam returns the team of a player who enters.
func (w *World) startTeam(id int) uint8 {
	if w.settings.ForcedSolo() {
		return uint8(id % maxTeams)
	}
	return 0
}

// Leave removes a player.
func (w *World) Leave(id int) {
	if w.players[id].alive {
		w.die(id, WeaponGame)
	}
	if w.players[id].inGame && !w.settings.ForcedSolo() {
		w.SetTeam(id, 0)
	}
	w.players[id], w.players20[id] = player{}, player20{}
}

// Kill kills a player's tee at once. The next tee spawns in the next tick, if it can. If weak is
// set, it spawns after all others.
func (w *World) Kill(id int, weapon Weapon, weak bool) {
	p := &w.players[id]
	if !p.alive {
		return
	}
	w.die(id, weapon)
	p.hasTee = false
	p.spawning, p.weakSpawn = !p.spectator, weak
}

// Die kills a player's tee at once. The next tee spawns after the usual delay.
func (w *World) Die(id int, weapon Weapon) {
	if p := &w.players[id]; p.alive {
		w.die(id, weapon)
		p.hasTee, p.spawning = false, false
	}
}

// Pause takes a player's tee out of the world, or puts it back as the newest tee.
func (w *World) Pause(id int, paused bool) {
	p, t := &w.players[id], &w.tees[id]
	if p.paused == paused || !p.alive {
		return
	}
	p.paused = paused
	if !paused {
		t.Core.Vel = Vec{}
		if t.FreezeStart > 0 && w.settings.release20() {
			t.FreezeStart += w.tick - w.players20[id].pausedAt
		}
		w.addTee(int8(id))
		return
	}
	w.removeTee(int8(id))
	if w.settings.release20() {
		w.players20[id].pausedAt = w.tick
	}
	if t.Core.HookedPlayer != noTee {
		t.Core.resetHook()
		w.releaseHooksOn(int8(id))
	}
}

// LookAround sets whether a player looks around. Meanwhile inputs do not affect the player's tee,
// or one that spawns later. With vanish, the tee leaves the world in the first tick in which it
// rests, in its player's turn and so before players with higher ids spawn.
func (w *World) LookAround(id int, on, vanish bool) {
	w.players[id].looks, w.players[id].vanishes = on, vanish
}

// LookUntil makes a player look around until a tick. The tick may be past. In the next tick in
// which the tee lives, the player continues to play; see [EventPlaysOn].
func (w *World) LookUntil(id int, tick int32) { w.players[id].looksTo = tick }

// playOn ends the time for which a player had to look around.
func (w *World) playOn(id int) {
	p := &w.players[id]
	e := Event{Kind: EventPlaysOn, Tee: int8(id), Pos: w.tees[id].Pos}
	if p.paused {
		e.Value = 1
		w.Pause(id, false)
	}
	p.looks, p.vanishes, p.looksTo = false, false, 0
	w.addEvent(e)
}

// SetSpectator sets whether a player is a spectator. The tee of a new spectator dies.
func (w *World) SetSpectator(id int, spectator bool) {
	p := &w.players[id]
	if p.spectator == spectator {
		return
	}
	if p.alive {
		if spectator && !w.settings.ForcedSolo() {
			w.SetTeam(id, 0) // so that its death means nothing for its team
		}
		w.Kill(id, WeaponGame, false)
	}
	p.spectator, p.spawning = spectator, !spectator
}

// IsSpectator reports whether a player is a spectator.
func (w *World) IsSpectator(id int) bool { return w.players[id].spectator }

// SetView sets the position that a player without a tee in the world sees.
func (w *World) SetView(id int, at Vec) { w.players[id].view = at }

// SentTuning returns the tuning to send to a player's client: the tuning of the zone that the
// player sees. Parameters for abilities that the tee lacks are 0, so that the client predicts that.
func (w *World) SentTuning(id int) Tuning {
	p := &w.players[id]
	s := *w.settings.tuningIn(p.zone)
	if !p.alive {
		return s
	}
	for i := range s {
		if w.tees[id].lacks(i) {
			s[i] = 0
		}
	}
	return s
}

// lacks reports whether the tee lacks the ability that a tuning parameter is for.
func (t *Tee) lacks(param int) bool {
	switch param {
	case GroundJumpImpulse:
		return t.Core.Jumps == 0 && !t.AirJumps
	case PlayerCollision:
		return t.Core.Solo || t.Core.NoCollision
	case PlayerHooking:
		return t.Core.Solo || t.Core.NoHookHit
	case JetpackStrength:
		return !t.Jetpack
	case HammerStrength:
		return t.UnhitHammer
	}
	return false
}

// addTee puts a tee into the world, as the newest.
func (w *World) addTee(id int8) {
	w.players[id].inWorld = true
	w.order.add(id)
	w.listIDs()
}

// removeTee takes a tee out of the world.
func (w *World) removeTee(id int8) {
	if w.players[id].inWorld {
		w.players[id].inWorld = false
		w.order.remove(id)
		w.listIDs()
	}
}

func (w *World) listIDs() {
	w.numIDs = 0
	w.exit.valid = false
	for id := range w.seats {
		if w.players[id].inWorld {
			w.ids[w.numIDs] = uint8(id)
			w.numIDs++
		}
	}
}

// die ends a tee.
func (w *World) die(id int, weapon Weapon) {
	p, t := &w.players[id], &w.tees[id]
	if !p.alive {
		return
	}
	if p.rescue.set && w.settings.release20() {
		w.players20[id].death = p.rescue
	}
	w.addEvent(Event{Kind: EventDeath, Tee: t.id, Pos: t.Pos, Value: int32(weapon)})
	w.sound(t, t.Pos, SoundPlayerDie)
	p.prevDieTick, p.dieTick = p.dieTick, w.tick
	p.alive, p.paused = false, false
	t.Core.Solo = false
	w.removeTee(t.id)
	w.addEvent(Event{Kind: EventDeathEffect, Tee: t.id, Pos: t.Pos})
	if w.rules != nil {
		w.rules.Died(w, id, weapon)
	} else {
		w.LeaveTeam(id, weapon)
	}
}

// directInput applies an input as it arrives, before its tick. It acts on weapons.
func (w *World) directInput(id int, in *Input) {
	p := &w.players[id]
	p.flags = in.Flags
	if !p.hasTee && !p.spectator && in.Fire&1 != 0 {
		p.spawning = true
	}
	if in.Flags&FlagChatting != 0 || !p.hasTee || p.paused || p.looks {
		return
	}
	t := &w.tees[id]
	t.latestPrevInput = t.latestInput
	t.latestInput = in.aimed()
	t.numInputs++
	if t.numInputs > 1 && !p.spectator {
		w.switchWeapon(t)
		w.fireWeapon(t)
	}
	t.latestPrevInput = t.latestInput
}

// predictedInput sets the input that moves the tee in this tick.
func (w *World) predictedInput(id int, in *Input) {
	p := &w.players[id]
	if p.flags&in.Flags&FlagChatting != 0 || !p.hasTee || p.paused || p.looks {
		return
	}
	w.tees[id].savedInput = in.aimed()
}

// tickPlayers ends the tick for all players: those without tees get new ones.
func (w *World) tickPlayers() {
	for id := range w.seats {
		p := &w.players[id]
		if !p.inGame {
			continue
		}
		if !p.hasTee && max(p.dieTick, p.prevDieTick+respawnDelay)+2 <= w.tick {
			p.spawning = true
		}
		if p.alive && p.looksTo != 0 && p.looksTo < w.tick {
			w.playOn(id)
		}
		switch {
		case p.hasTee && p.inWorld:
			p.view = w.tees[id].Pos
			if p.vanishes && w.Rests(id) {
				w.Pause(id, true)
				w.addEvent(Event{Kind: EventDeathEffect, Tee: int8(id), Pos: p.view})
			}
		case p.hasTee && !p.alive:
			p.hasTee = false
		case !p.hasTee && p.spawning && !p.weakSpawn:
			w.trySpawn(id)
		}
		if zone := w.m.tuneZone(w.m.mapIndex(p.view)); zone != p.zone {
			p.zone = zone
			w.addEvent(Event{Kind: EventTuning, Tee: int8(id)})
		}
	}
	for id := range w.seats {
		if p := &w.players[id]; p.inGame && !p.hasTee && p.spawning && p.weakSpawn {
			w.trySpawn(id)
		}
	}
}

// trySpawn gives a player a tee if there is a place for it.
func (w *World) trySpawn(id int) {
	p := &w.players[id]
	if p.spectator {
		return
	}
	if pos, ok := w.spawnPos(id); ok {
		w.spawn(id, pos)
	}
}

// spawn gives a player a new tee at a place.
func (w *World) spawn(id int, pos Vec) {
	p := &w.players[id]
	p.spawning, p.weakSpawn, p.paused = false, false, false
	p.hasTee, p.alive = true, true
	p.rescue = rescue{}
	p.view = pos
	in := p.input
	in.TargetX, in.TargetY = 0, -1
	unhit := w.settings.Hit == 0
	t := &w.tees[id]
	*t = Tee{
		id:  int8(id),
		Pos: pos, PrevPos: pos,
		Core:        Core{Pos: pos, HookedPlayer: noTee, Jumps: 2, Solo: w.settings.ForcedSolo()},
		EndlessHook: w.settings.EndlessDrag != 0,
		UnhitHammer: unhit, UnhitShotgun: unhit, UnhitGrenade: unhit, UnhitLaser: unhit,
		Zone:           w.m.tuneZone(w.m.mapIndex(pos)),
		LastCheckpoint: -1, SpawnTick: w.tick, EmoteStop: -1,
		input: in, savedInput: in, latestInput: in, latestPrevInput: in,
		ActiveWeapon: WeaponGun, LastWeapon: WeaponHammer, QueuedWeapon: -1,
	}
	t.Weapons[WeaponHammer], t.Weapons[WeaponGun] = true, true
	t.loaded = t.Weapons
	w.addTee(int8(id))
	if w.rules != nil {
		w.rules.Spawned(w, id)
	} else {
		w.JoinAtSpawn(id)
	}
	if w.settings.release20() {
		if w.players20[id].own.set = w.isRescuePlace(t); w.players20[id].own.set {
			w.players20[id].own = w.place(t)
		}
	}
	w.addEvent(Event{Kind: EventSpawn, Tee: t.id, Pos: pos})
	w.addEvent(Event{Kind: EventSpawnEffect, Tee: t.id, Pos: pos})
	w.sound(t, pos, SoundPlayerSpawn)
	w.addEvent(Event{Kind: EventZone, Tee: t.id, Value: int32(t.Zone), Extra: -1})
	w.addEvent(Event{Kind: EventTuning, Tee: t.id})
}

// spawnOffsets are the positions to try around an occupied spawn point.
var spawnOffsets = [5]Vec{{}, {X: -32}, {Y: -32}, {X: 32}, {Y: 32}}

// spawnPos returns the spawn position for a player's tee: far from tees of the same team, and free
// if possible.
func (w *World) spawnPos(id int) (best Vec, found bool) {
	if w.settings.release20() {
		return w.spawnPos20(id)
	}
	var bestDanger float32
	for _, points := range &w.m.Spawns {
		for _, point := range points {
			pos, ok := w.freeSpawnPos(point)
			if !ok {
				continue
			}
			if danger := w.spawnDanger(pos, id); !found || danger < bestDanger {
				best, bestDanger, found = pos, danger, true
			}
		}
		if !found && len(points) > 0 { // none is free
			best, found = points[0], true
		}
		if found {
			break // the other kinds are for maps without this one
		}
	}
	return best, found
}

// foundSpawn caches a result of spawnPos for a tee, until the tees in the world, their positions or
// teams change. A tee can fly through many teleporters in a tick, and each would search again.
type foundSpawn struct {
	valid, found, solo, noCollision bool
	pos                             Vec
}

// spawnExit is spawnPos for a tee on a teleporter.
func (w *World) spawnExit(t *Tee) (Vec, bool) {
	e, c := &w.exit, &t.Core
	if !e.valid || e.solo != c.Solo || e.noCollision != c.NoCollision {
		*e = foundSpawn{valid: true, solo: c.Solo, noCollision: c.NoCollision}
		e.pos, e.found = w.spawnPos(int(t.id))
	}
	return e.pos, e.found
}

// freeSpawnPos returns a free position at a spawn point. Walls count only if a tee is near.
func (w *World) freeSpawnPos(point Vec) (Vec, bool) {
	if w.tuning.world[PlayerCollision] == 0 {
		return point, true
	}
search:
	for _, off := range spawnOffsets {
		pos := point.Add(off)
		for t := range w.newest {
			if vec.Distance(t.Pos, point) < 64+teeSize && (w.m.walls.IsSolid(pos) || vec.Distance(t.Pos, pos) <= teeSize) {
				continue search
			}
		}
		return pos, true
	}
	return Vec{}, false
}

// spawnPos20 is spawnPos as of DDNet 20. It uses spawn points of all kinds, and only tees that can
// collide with the new one count.
func (w *World) spawnPos20(id int) (best Vec, found bool) {
	alone := w.tuning.world[PlayerCollision] == 0
	anywhere := alone
	if t := w.Tee(id); t != nil && t.Core.NoCollision {
		anywhere = true
	}
	var bestDanger float32
	for _, points := range &w.m.Spawns {
		if alone && found {
			break
		}
		for _, point := range points {
			pos, ok := point, true
			if !anywhere {
				pos, ok = w.freeSpawnPos20(point, id)
			}
			if !ok {
				continue
			}
			if danger := w.spawnDanger(pos, id); !found || danger < bestDanger {
				best, bestDanger, found = pos, danger, true
			}
		}
		if !found && len(points) > 0 { // none is free
			best, bestDanger, found = points[0], w.spawnDanger(points[0], id), true
		}
	}
	return best, found
}

// freeSpawnPos20 is freeSpawnPos as of DDNet 20.
func (w *World) freeSpawnPos20(point Vec, id int) (Vec, bool) {
search:
	for _, off := range spawnOffsets {
		pos := point.Add(off)
		for t := range w.newest {
			if vec.Distance(t.Pos, point) < 64+teeSize && (w.m.walls.IsSolid(pos) ||
				!t.Core.NoCollision && w.canCollide(int(t.id), id) && vec.Distance(t.Pos, pos) <= teeSize) {
				continue search
			}
		}
		return pos, true
	}
	return Vec{}, false
}

// spawnDanger is higher the closer other tees of the player's team are. As of DDNet 20, the tees
// that can collide with the player's tee count instead.
func (w *World) spawnDanger(pos Vec, id int) float32 {
	var sum float32
	for t := range w.newest {
		counts := w.team(int(t.id)) == w.team(id)
		if w.settings.release20() {
			counts = w.canCollide(int(t.id), id)
		}
		if !counts {
			continue
		}
		if d := vec.Distance(pos, t.Pos); d != 0 {
			sum += 1 / d
		} else {
			sum += 1000000000
		}
	}
	return sum
}

// Rests reports whether a player's tee stands still on the ground.
func (w *World) Rests(id int) bool {
	t := w.Tee(id)
	return t != nil && t.Pos == t.PrevPos && w.stands(t)
}
