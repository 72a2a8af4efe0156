package game

import (
	"errors"
	"reflect"

	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/physics"
)

// The state of a world is visited in one order for three purposes: [World.Hash] mixes it,
// [World.AppendState] writes it, and [Restore] reads it. A test walks through the types and
// names a field that is not visited.
//
// A new field is an extra, at the end of the part it belongs to, with a number of its own:
//
//	if v.extra(3, p.frozenUntil != 0) {
//		num(v, &p.frozenUntil)
//	}
//
// An extra is visited only while it has a value. So the hashes of matches that do not use it,
// which are in recorded logs, stay the same, and states from before it can be read.
// What could make the world panic or never end if it had any value, such as an index, is
// checked by [visitor.within].

// stateMagic is the start of a state. Its last byte is the version. Change it when the meaning of a
// state changes.
const stateMagic = "TEESAVE\x02"

// oldStateMagic is the start of a state of a world that had only fewPlayers.
const oldStateMagic = "TEESAVE\x01"

// ErrSavedState means that a saved state is damaged, comes from another version, or belongs to a
// world with another map, mode or set of mods.
var ErrSavedState = errors.New("game: unusable saved state")

// AppendState appends the state of the world after the last Step to dst. It includes the states of
// the mode and mods, but not the events. [Restore] makes a world from it.
func (w *World) AppendState(dst []byte) []byte {
	v := &w.visitor
	*v = visitor{op: saving, seats: MaxPlayers, buf: dst}
	v.origin(w)
	v.world(w)
	dst, v.buf = v.buf, nil
	return dst
}

// Restore creates a world from a state of [World.AppendState]. The new world continues like the
// saved one. The config must have the same terrain, and a mode and mods of the same types; its
// rules, tuning and seed have no effect. The error wraps ErrSavedState or is an error of New.
func Restore(cfg Config, state []byte) (*World, error) {
	w, err := New(cfg)
	if err != nil {
		return nil, err
	}
	v := visitor{op: restoring, seats: MaxPlayers, buf: state}
	v.origin(w)
	v.world(w)
	if v.err == nil && len(v.buf) > 0 {
		v.fail("%d extra bytes at the end", len(v.buf))
	}
	if v.err == nil {
		v.consistent(w)
	}
	if v.err != nil {
		return nil, v.err
	}
	for _, m := range w.mods {
		if _, ok := m.(Reloader); ok { // it may have been reloaded, and have other hooks
			w.hooksChanged()
			break
		}
	}
	w.stepTick = w.tick
	w.drawEntities()
	w.events = w.events[:0]
	w.frameValid = false
	return w, nil
}

// origin visits the properties that a state and its world must have in common.
func (v *visitor) origin(w *World) {
	if v.op == restoring {
		switch b := v.getBytes(uint64(len(stateMagic))); {
		case b == nil || string(b) == stateMagic:
		case string(b) == oldStateMagic:
			v.seats = fewPlayers
		default:
			v.fail("not a state of this version")
		}
	} else {
		v.buf = append(v.buf, stateMagic...)
	}
	t := &w.terrain
	if w.terrainSum == 0 {
		w.terrainSum = terrainSum(t)
	}
	v.same("the map's width", uint64(t.Width))
	v.same("the map's tiles", uint64(w.terrainSum))
	v.sameText("the mode", w.mode.Name())
	v.same("the number of mods", uint64(len(w.mods)))
	for _, m := range w.mods {
		v.sameText("a mod", reflect.TypeOf(m).String())
	}
}

func (v *visitor) same(what string, n uint64) {
	if v.op == saving {
		v.putUint(n)
	} else if got := v.getUint(); got != n {
		v.fail("%s: the state has %d, the world %d", what, got, n)
	}
}

func (v *visitor) sameText(what, s string) {
	got := s
	if v.text(&got, 1<<10); got != s {
		v.fail("%s: the state has %q, the world %q", what, got, s)
	}
}

// world visits all that influences the future of a world.
func (v *visitor) world(w *World) {
	num(v, &w.tick)
	within(v, "tick", w.tick, 0, MaxTick)
	number64(v, &w.rand)
	v.rules(&w.rules)
	for i := range w.tuning {
		num(v, &w.tuning[i])
	}
	v.bools(&w.paused, &w.resetRequested, &w.teamsLocked)
	v.match(&w.match)
	v.players(w)
	v.entities(w)
	v.race(w)
	v.ownEntities(w)
	v.extension(w)
	v.jumps(w)
	if d := &w.declared; v.extra(40, len(d.variables)+len(d.timers) > 0) {
		v.declared(d)
	}
	v.npcs(w)
	w.storage.visit(v)
	if v.extra(43, w.people.used) {
		v.people(w)
	}
	v.modsOff(w)
	w.sim.visit(v)
	v.lateRules(&w.rules)
	v.lateVariables(&w.declared)
	v.end()
	for _, s := range w.hooks.state {
		v.plain(w, s.hook)
	}
	for _, s := range w.hooks.savers {
		v.saver(w, s.hook)
	}
}

// rules visits the rules of the table that are not late.
func (v *visitor) rules(r *Rules) {
	var last *int32 // a number without its pair
	var switches [maxSwitches]*bool
	n := 0
	for i := range ruleSettings {
		switch s := &ruleSettings[i]; {
		case s.Late:
		case s.Switch != nil:
			switches[n] = s.Switch(r)
			n++
		case last == nil:
			last = s.Number(r)
		default:
			pair(v, last, s.Number(r))
			last = nil
		}
	}
	num(v, last)
	v.bools(switches[:n]...)
	if v.op == restoring {
		limited := *r
		if limited.clamp(); limited != *r && v.err == nil {
			v.fail("rules are out of range")
		}
	}
}

// maxSwitches is an upper limit for the switches of the table.
const maxSwitches = 32

// firstLateRule is the number of the part with the first late rule. The next ones follow.
const firstLateRule = 47

// lateRules visits the late rules that differ from their default.
func (v *visitor) lateRules(r *Rules) {
	number := uint8(firstLateRule)
	for i := range ruleSettings {
		s := &ruleSettings[i]
		if !s.Late {
			continue
		}
		n := s.Value(r)
		if v.extra(number, n != s.Default) {
			num(v, &n)
			within(v, s.Name, n, s.Min, s.Max)
		} else if v.op == restoring {
			n = s.Default
		}
		s.Set(r, n)
		number++
	}
}

func (v *visitor) match(m *match) {
	pair(v, &m.state, &m.timer)
	within(v, "phase of the match", m.state, 0, stateEndRound)
	pair(v, &m.startTick, &m.matchesOnMap)
	pair(v, &m.roundsInMatch, &m.unbalancedTick)
	v.bools(&m.suddenDeath, &m.mapChangeRequested)
	pair(v, &m.teamScore[0], &m.teamScore[1])
	pair(v, &m.teamSize[0], &m.teamSize[1])
	pair(v, &m.sentInfo.matchCurrent, &m.sentInfo.matchNum)
	pair(v, &m.sentInfo.scoreLimit, &m.sentInfo.timeLimit)
}

// players visits the players and their characters.
func (v *visitor) players(w *World) {
	v.present(w)
	for i := range v.seats {
		if w.players[i].connected {
			v.hashed(i)
			v.player(&w.players[i])
		}
		if w.tees.All[i].Exists {
			v.hashed(i)
			v.character(&w.tees.All[i])
		}
		if v.op == hashing {
			core := w.tees.Physics.Cores[i] != nil
			v.bools(&core)
		}
	}
	order := w.tees.Order.IDs[:w.tees.Order.Count]
	if length(v, &order, MaxPlayers); v.op == restoring {
		w.tees.Order.Count = len(order)
	}
	for i := range w.tees.Order.Count {
		id := &w.tees.Order.IDs[i]
		num(v, id)
		within(v, "character", *id, 0, MaxPlayers-1)
	}
}

// hashed visits a number that is saved in another form.
func (v *visitor) hashed(n int) {
	if v.op == hashing {
		v.hash.i32(int32(n))
	}
}

// present saves and restores which players, characters and cores exist.
func (v *visitor) present(w *World) {
	if v.op == hashing {
		return
	}
	all := w.tees.Seats > fewPlayers
	if v.seats > fewPlayers {
		v.bools(&all)
	}
	var players, characters, cores PlayerMask
	if v.op == saving {
		for i := range w.tees.Seats {
			id := PlayerID(i)
			if w.players[i].connected {
				players.Add(id)
			}
			if w.tees.All[i].Exists {
				characters.Add(id)
			}
			if w.tees.Physics.Cores[i] != nil {
				cores.Add(id)
			}
		}
	}
	v.bits(&players)
	v.bits(&characters)
	v.bits(&cores)
	if v.op == saving {
		return
	}
	if !characters.Or(cores).Without(players).IsEmpty() || !cores.Without(characters).IsEmpty() {
		v.fail("a character has no player")
		return
	}
	if players.High != 0 && !all {
		v.fail("a player has a high id")
		return
	}
	if w.tees.Seats = fewPlayers; all {
		w.tees.Seats = MaxPlayers
	}
	for i := range w.tees.Seats {
		p, c := &w.players[i], &w.tees.All[i]
		p.connected = players.Has(PlayerID(i))
		if c.Exists = characters.Has(PlayerID(i)); c.Exists {
			c.Core.World = &w.tees.Physics
			c.ReckoningCore.World = &w.tees.Reckoning
		}
		if cores.Has(PlayerID(i)) {
			w.tees.Physics.Cores[i] = &c.Core
			w.tees.Physics.HighIDs = w.tees.Physics.HighIDs || i >= fewPlayers
		}
	}
}

func (v *visitor) player(p *player) {
	v.bools(&p.hasProfile, &p.inGame, &p.admin, &p.bot, &p.spawning, &p.ready, &p.respawnDisabled, &p.deadSpec, &p.specFireHeld)
	number64(v, &p.addrHash)
	v.profile(&p.profile)
	pair(v, &p.team, &p.score)
	within(v, "team", p.team, TeamSpectators, TeamBlue)
	v.vec(&p.viewPos, limitView)
	pair(v, &p.flags, &p.specMode)
	within(v, "camera", p.specMode, 0, SpectateFlagBlue)
	pair(v, &p.specID, &p.specFlag)
	within(v, "watched player", p.specID, Nobody, MaxPlayers-1)
	within(v, "watched flag", p.specFlag, TeamSpectators, TeamBlue)
	pair(v, &p.respawnTick, &p.dieTick)
	pair(v, &p.scoreStartTick, &p.lastActionTick)
	pair(v, &p.teamChangeTick, &p.inactivity)
	pair(v, &p.cursorX, &p.cursorY)
	pair(v, &p.lastChat, &p.lastSetTeam)
	pair(v, &p.lastSpectate, &p.lastInfo)
	pair(v, &p.lastEmote, &p.lastKill)
	num(v, &p.lastReady)
	eyes := p.lastEyes != 0
	if v.saved(&eyes); eyes {
		pair(v, &p.lastEyes, &p.eyesUntil)
		num(v, &p.eyes)
		within(v, "emote", p.eyes, 0, EmoteBlink)
	}
	if v.extra(10, p.lastCommand != 0) {
		num(v, &p.lastCommand)
	}
	if v.extra(11, p.sight != sight{}) {
		v.sight(&p.sight)
	}
	v.end()
}

// saved saves and restores a flag that follows from others, and so is not hashed.
func (v *visitor) saved(flag *bool) {
	if v.op != hashing {
		v.bools(flag)
	}
}

// extension visits the part of characters and players that only mods change.
func (v *visitor) extension(w *World) {
	if !v.extra(20, w.tees.Extended) {
		return
	}
	w.tees.Extended = true
	for i := range w.players {
		if w.players[i].connected {
			x := &w.playerExtras[i]
			v.tuning(&x.tuning)
			num(v, &x.skin.until)
			v.skin(&x.skin.skin)
		}
		if c := &w.tees.All[i]; c.Exists {
			v.states(&c.States)
		}
	}
}

// jumps visits how often characters can jump, if it is not as usual.
func (v *visitor) jumps(w *World) {
	unusual := false
	for i := range w.tees.All {
		unusual = unusual || w.tees.All[i].MoreJumps != 0
	}
	if !v.extra(21, unusual) {
		return
	}
	for i := range w.tees.All {
		if c := &w.tees.All[i]; c.Exists {
			pair(v, &c.MoreJumps, &c.AirJumps)
			within(v, "jumps", c.MoreJumps, 1-tee.UsualJumps, 255-tee.UsualJumps)
		}
	}
}

func (v *visitor) tuning(t *playerTuning) {
	v.bools(&t.own)
	for i := range t.told {
		pair(v, &t.told[i], &t.predicted[i])
		num(v, &t.current[i])
	}
}

func (v *visitor) states(s *tee.States) {
	pair(v, &s.FreezeStart, &s.FreezeEnd)
	pair(v, &s.Flags, &s.Masked)
	v.mask((*PlayerMask)(&s.NotFor))
}

func (v *visitor) profile(p *Profile) {
	v.text(&p.Name, MaxNameLen)
	v.text(&p.Clan, MaxClanLen)
	num(v, &p.Country)
	v.skin(&p.Skin)
}

func (v *visitor) skin(s *Skin) {
	for i := range s.PartNames {
		v.text(&s.PartNames[i], MaxSkinPartLen)
		v.bools(&s.UseCustomColors[i])
		num(v, &s.PartColors[i])
	}
}

func (v *visitor) character(c *tee.Tee) {
	v.bools(&c.Alive, &c.InWorld)
	num(v, &c.EntityID)
	v.vec(&c.Pos, limitPos)
	v.core(&c.Core)
	v.core(&c.SendCore)
	v.core(&c.ReckoningCore)
	pair(v, &c.ReckonTick, &c.QueuedWeapon)
	within(v, "queued weapon", c.QueuedWeapon, -1, NumWeapons-1)
	pair(v, &c.Health, &c.Armor)
	for i := range c.Weapons {
		s := &c.Weapons[i]
		v.bools(&s.Owned)
		pair(v, &s.Ammo, &s.AmmoRegenStart)
	}
	pair(v, &c.ActiveWeapon, &c.LastWeapon)
	within(v, "weapon", c.ActiveWeapon, 0, NumWeapons-1)
	within(v, "weapon", c.LastWeapon, 0, NumWeapons-1)
	pair(v, &c.ReloadTimer, &c.AttackTick)
	pair(v, &c.LastNoAmmoSound, &c.NumObjectsHit)
	within(v, "victims of the ninja", c.NumObjectsHit, 0, len(c.HitObjects))
	if v.err != nil {
		return
	}
	for i := range c.HitObjects[:c.NumObjectsHit] {
		num(v, &c.HitObjects[i])
		within(v, "victim of the ninja", c.HitObjects[i], 0, MaxPlayers-1)
	}
	v.vec(&c.Ninja.ActivationDir, limitUnit)
	pair(v, &c.Ninja.ActivationTick, &c.Ninja.MoveTime)
	pair(v, &c.Ninja.OldSpeed, &c.Emote)
	within(v, "speed of the ninja", c.Ninja.OldSpeed, -1<<24, 1<<24)
	within(v, "emote", Emote(c.Emote), 0, EmoteBlink)
	pair(v, &c.EmoteStop, &c.LastActionTick)
	v.controls(&c.Input)
	v.controls(&c.LatestInput)
	num(v, &c.NumInputs)
	switch v.op {
	case saving, restoring:
		value(v, &c.TriggeredEvents) // which clients are shown, and no more
		c.LatestPrevInput = c.LatestInput
	}
	v.end()
}

func (v *visitor) core(c *physics.Core) {
	v.vec(&c.Pos, limitPos)
	v.vec(&c.Vel, limitPos)
	v.vec(&c.HookPos, limitPos)
	v.vec(&c.HookDir, limitUnit)
	pair(v, &c.HookTick, &c.HookState)
	within(v, "state of a hook", c.HookState, physics.HookRetracted, physics.HookGrabbed)
	pair(v, &c.HookedPlayer, &c.Jumped)
	within(v, "hooked player", c.HookedPlayer, int32(Nobody), MaxPlayers-1)
	pair(v, &c.Direction, &c.Angle)
}

// controls visits an input of a tee.
func (v *visitor) controls(in *tee.Input) {
	i := inputOfTee(in)
	if v.input(&i); v.op == restoring {
		*in = i.tee()
	}
}

func (v *visitor) input(in *Input) {
	pair(v, &in.Direction, &in.Fire)
	pair(v, &in.TargetX, &in.TargetY)
	pair(v, &in.WantedWeapon, &in.Flags)
	pair(v, &in.NextWeapon, &in.PrevWeapon)
	v.bools(&in.Jump, &in.Hook)
	if v.op == restoring && !in.valid() {
		v.fail("an input is invalid")
	}
}
