package ddrace

// Visitor visits the fields of a world in a fixed order, to hash, save or restore them.
type Visitor interface {
	// Restores reports whether the visitor sets the fields. Otherwise it only reads them.
	Restores() bool
	// Tees returns the number of tees to visit: 64 for a state from before a world had more, or
	// while players with higher ids have no influence. Otherwise it is MaxTees.
	Tees() int

	// The methods with the names of types visit a field.

	Int32(*int32)   // a number
	Int32s([]int32) // numbers
	Int8(*int8)     // a number
	Uint8(*uint8)   // a number
	Uint64(*uint64) // bits
	Bool(*bool)     // a flag
	Float(*float32) // neither NaN nor infinite
	Vec(*Vec)       // a place or velocity
	// Length visits the length n of a list, at most limit, and returns the length to use.
	Length(n, limit int) int
	// Within makes restoring fail unless lo <= n <= hi.
	Within(what string, n, lo, hi int32)
}

// Visit visits all state that influences the future of the world, except Config, the map, and the
// messages of tune zones. Restore only into a new world of the same map.
func (w *World) Visit(v Visitor) {
	v.Int32(&w.tick)
	v.Uint64(&w.rand.state)
	v.Uint64(&w.rand.increment)
	v.Uint64(&w.practice)
	visitUint16(v, &w.nextID)
	if w.nextID < w.firstID() {
		w.nextID = w.firstID()
	}
	if v.Tees() > fewTees {
		all := w.seats > fewTees
		v.Bool(&all)
		if w.seats = fewTees; all {
			w.seats = MaxTees
		}
	}
	w.settings.visit(v)
	w.switches.begin(&w.settings.Open)
	for i := range v.Tees() {
		visitPlayer(v, &w.players[i])
		if w.tees[i].id = int8(i); w.players[i].hasTee {
			visitTee(v, &w.tees[i])
		}
		if w.settings.release20() {
			v.Bool(&w.tees[i].Invincible)
			w.players20[i].visit(v)
		}
	}
	w.order.visit(v)
	for i := range w.teams {
		v.Bool(&w.teams[i].used)
		v.Bool(&w.teams[i].locked)
		if w.settings.release20() {
			v.Bool(&w.teams[i].asZero)
		}
	}
	w.switches.visit(v)
	w.entities.visit(v)
	w.restored(v)
}

// restored checks restored values and computes the fields that depend on them.
func (w *World) restored(v Visitor) {
	w.listIDs()
	v.Within("tees in the world", int32(w.numIDs), int32(w.order.count), int32(w.order.count))
	for _, id := range w.order.ids[:w.order.count] {
		if p := &w.players[id]; !p.inWorld || !p.alive || !p.hasTee {
			v.Within("tee in the world", int32(id), -1, -1)
		}
	}
	if !v.Restores() {
		return
	}
	w.switches.timed = 0
	for i := range w.switches.timers {
		if t := &w.switches.timers[i]; t.runs() {
			w.switches.timed++
		}
	}
	w.cacheTuning()
}

func (s *Settings) visit(v Visitor) {
	v.Int32s(s.Tuning[:NumTuneParams16])
	if n := v.Length(len(s.Zones), NumZones); n == 0 {
		s.Zones = nil
	} else if len(s.Zones) != NumZones {
		s.Zones = make([]Tuning, NumZones)
	}
	for i := range s.Zones {
		v.Int32s(s.Zones[i][:NumTuneParams16])
	}
	for i := range s.Open {
		visitUint32(v, &s.Open[i])
	}
	for i := range variables {
		x := &variables[i]
		field := x.Field(s)
		if x.Late() {
			continue
		}
		v.Int32(field)
		v.Within(x.Name, *field, x.Min, x.Max)
	}
	if s.release20() {
		v.Int32(&s.NoWeakHook)
		v.Within("sv_no_weak_hook", s.NoWeakHook, 0, 1)
		v.Int32s(s.Tuning[NumTuneParams16:])
		for i := range s.Zones {
			v.Int32s(s.Zones[i][NumTuneParams16:])
		}
	}
	v.Bool(&s.DoubleExplosion)
	v.Int32(&s.Rescue)
	v.Int32(&s.EndlessSuperHook)
}

func visitUint32(v Visitor, p *uint32) {
	n := int32(*p)
	v.Int32(&n)
	*p = uint32(n)
}

func visitUint16(v Visitor, p *uint16) {
	n := int32(*p)
	v.Int32(&n)
	*p = uint16(n)
}

func visitBools(v Visitor, list ...*bool) {
	for _, p := range list {
		v.Bool(p)
	}
}

func visitInts(v Visitor, list ...*int32) {
	for _, p := range list {
		v.Int32(p)
	}
}

func visitVecs(v Visitor, list ...*Vec) {
	for _, p := range list {
		v.Vec(p)
	}
}

func visitWeapon(v Visitor, p *Weapon, lowest Weapon) {
	v.Int32((*int32)(p))
	v.Within("weapon", int32(*p), int32(lowest), int32(NumWeapons-1))
}

// visitID visits the id of a player, or -1.
func visitID(v Visitor, p *int8) {
	v.Int8(p)
	v.Within("player", int32(*p), -1, int32(v.Tees()-1))
}

func visitPlayer(v Visitor, p *player) {
	visitBools(v, &p.inGame, &p.spectator, &p.paused, &p.hasTee, &p.alive, &p.inWorld, &p.spawning, &p.weakSpawn, &p.hasInput, &p.looks, &p.vanishes)
	visitInts(v, &p.dieTick, &p.prevDieTick, &p.flags, &p.looksTo)
	v.Uint8(&p.team)
	v.Within("team", int32(p.team), 0, TeamSuper)
	v.Uint8(&p.zone)
	v.Vec(&p.view)
	p.rescue.visit(v)
	p.input.visit(v)
}

func (r *rescue) visit(v Visitor) {
	if v.Bool(&r.set); r.set {
		v.Int32(&r.freezeAge)
		visitTee(v, &r.tee)
	}
}

func (p *player20) visit(v Visitor) {
	v.Int32(&p.pausedAt)
	v.Bool(&p.manual)
	p.own.visit(v)
	p.tele.visit(v)
	p.death.visit(v)
}

func (in *Input) visit(v Visitor) {
	visitInts(v, &in.Direction, &in.TargetX, &in.TargetY, &in.Fire, &in.Flags, &in.WantedWeapon, &in.NextWeapon, &in.PrevWeapon)
	visitBools(v, &in.Jump, &in.Hook)
}

func visitTee(v Visitor, t *Tee) {
	t.Core.visit(v)
	visitVecs(v, &t.Pos, &t.PrevPos, &t.teleportTo, &t.Ninja.ActivationDir)
	v.Uint8((*uint8)(&t.Restrictions))
	v.Uint8(&t.Zone)
	visitBools(v, &t.justUnfrozen, &t.Deep, &t.Live, &t.InFreeze, &t.Super, &t.EndlessHook, &t.AirJumps, &t.Jetpack,
		&t.NinjaJetpack, &t.UnhitHammer, &t.UnhitShotgun, &t.UnhitGrenade, &t.UnhitLaser, &t.Telegun, &t.Telegrenade,
		&t.Telelaser, &t.FreezeHammer, &t.lastRefill, &t.lastPenalty, &t.lastBonus, &t.teleported, &t.teleportBlue)
	visitInts(v, &t.FreezeTime, &t.FreezeStart, &t.Armor, &t.StartTick, &t.SpawnTick, &t.EmoteStop, &t.numInputs,
		&t.ReloadTimer, &t.AttackTick, &t.painSoundTimer, &t.Ninja.ActivationTick, &t.Ninja.CurrentMoveTime, &t.Ninja.OldVelAmount)
	v.Uint8(&t.TeleCheckpoint)
	v.Uint8(&t.teamBeforeSuper)
	v.Within("team", int32(t.teamBeforeSuper), 0, TeamSuper)
	v.Uint8((*uint8)(&t.Race))
	v.Within("race", int32(t.Race), 0, int32(RaceFinished))
	v.Int32s(t.Checkpoints[:])
	v.Int8(&t.LastCheckpoint)
	v.Within("checkpoint", int32(t.LastCheckpoint), -1, NumCheckpoints-1)
	t.input.visit(v)
	t.savedInput.visit(v)
	t.latestInput.visit(v)
	t.latestPrevInput.visit(v)
	for i := range t.Weapons {
		v.Bool(&t.Weapons[i])
		v.Bool(&t.loaded[i])
	}
	visitWeapon(v, &t.ActiveWeapon, 0)
	visitWeapon(v, &t.LastWeapon, 0)
	visitWeapon(v, &t.QueuedWeapon, -1)
	for i := range v.Tees() {
		v.Int8(&t.Ninja.hit[i])
	}
	v.Int8(&t.Ninja.numHit)
	v.Within("tees hit by a ninja", int32(t.Ninja.numHit), 0, int32(len(t.Ninja.hit)))
}

func (c *Core) visit(v Visitor) {
	visitVecs(v, &c.Pos, &c.Vel, &c.HookPos, &c.HookDir, &c.HookTeleBase)
	visitInts(v, &c.HookTick, &c.HookState, &c.HookedPlayer, &c.Jumped, &c.JumpedTotal, &c.Jumps, &c.Direction, &c.Angle, &c.Colliding)
	v.Within("hook", c.HookState, -1, 5)
	v.Within("hooked player", c.HookedPlayer, -1, int32(v.Tees()-1))
	visitUint32(v, &c.Events)
	visitBools(v, &c.NewHook, &c.LeftWall, &c.Solo, &c.NoCollision, &c.NoHookHit)
	v.Uint8((*uint8)(&c.restrictions))
}

func (o *order) visit(v Visitor) {
	o.count = v.Length(o.count, MaxTees)
	for i := range o.count {
		v.Int8(&o.ids[i])
		v.Within("player", int32(o.ids[i]), 0, int32(v.Tees()-1))
		if o.ids[i] < 0 { // it failed
			o.ids[i] = 0
		}
	}
}

// visit visits the switches of the teams in which a switch changed.
func (s *switches) visit(v Visitor) {
	for team := range s.active {
		var timers []switchTimer
		if s.count > 0 {
			timers = s.timers[team*(s.count+1):][:s.count+1]
		}
		changed := s.active[team] != s.preset
		for i := range timers {
			changed = changed || timers[i] != switchTimer{}
		}
		if v.Bool(&changed); !changed {
			continue
		}
		for i := range s.active[team] {
			visitUint32(v, &s.active[team][i])
		}
		for i := range timers {
			t := &timers[i]
			visitInts(v, &t.end, &t.lastUpdate)
			v.Uint8(&t.kind)
		}
	}
}

// resize returns the list with n elements.
func resize[T any](list []T, n int) []T {
	if n == len(list) {
		return list
	}
	return make([]T, n)
}

func (e *entities) visit(v Visitor) {
	e.projectiles = resize(e.projectiles, v.Length(len(e.projectiles), maxEntities+maxShots))
	for i := range e.projectiles {
		e.projectiles[i].visit(v)
	}
	e.beams = resize(e.beams, v.Length(len(e.beams), maxShots+MaxTees*len(e.draggers)))
	e.shots = 0
	for i := range e.beams {
		b := &e.beams[i]
		v.Uint8((*uint8)(&b.kind))
		v.Within("beam", int32(b.kind), 0, int32(beamPlasma))
		v.Bool(&b.gone)
		visitUint16(v, &b.id)
		visitID(v, &b.target)
		v.Int32(&b.of)
		if b.kind == beamDragger {
			v.Within("dragger", b.of, 0, int32(len(e.draggers)-1))
			v.Within("dragged tee", int32(b.target), 0, MaxTees-1)
		}
		if b.kind != beamDragger {
			e.shots++
		}
		b.laser.visit(v)
		b.plasma.visit(v)
	}
	for i := range e.lights {
		l := &e.lights[i]
		l.carried.visit(v)
		v.Vec(&l.To)
		v.Float(&l.rotation)
		v.Float(&l.angular)
		visitInts(v, &l.speed, &l.length, &l.full, &l.rest)
	}
	for i := range e.draggers {
		d := &e.draggers[i]
		d.carried.visit(v)
		for k := range d.targets {
			visitID(v, &d.targets[k])
		}
		if v.Uint64(&d.beams.low); v.Tees() > fewTees {
			v.Uint64(&d.beams.high)
		}
	}
	for i := range e.turrets {
		t := &e.turrets[i]
		t.carried.visit(v)
		for k := range t.firedAtTeam {
			visitInts(v, &t.firedAtTeam[k], &t.firedAtSolo[k])
		}
		for k := fewTees; k < v.Tees(); k++ {
			v.Int32(&t.firedAtSolo[k])
		}
	}
	for i := range e.pickups {
		e.pickups[i].carried.visit(v)
	}
}

// visit visits the changing fields of a map entity.
func (c *carried) visit(v Visitor) {
	v.Vec(&c.Pos)
	v.Vec(&c.Vel)
}

func (p *Projectile) visit(v Visitor) {
	visitUint16(v, &p.ID)
	visitWeapon(v, &p.Weapon, 0)
	visitID(v, &p.Owner)
	visitVecs(v, &p.Pos, &p.Dir)
	visitInts(v, &p.Start, &p.life)
	v.Uint8(&p.zone)
	visitBools(v, &p.Explosive, &p.Freezing, &p.practice, &p.gone)
	v.Uint8(&p.Bounces)
	v.Uint8((*uint8)(&p.Layer))
	v.Uint8(&p.Number)
}

func (l *laser) visit(v Visitor) {
	visitWeapon(v, &l.Weapon, 0)
	visitID(v, &l.Owner)
	visitVecs(v, &l.From, &l.Pos, &l.dir, &l.prev, &l.telePos)
	visitInts(v, &l.Eval, &l.bounces)
	v.Float(&l.energy)
	v.Uint8(&l.zone)
	visitBools(v, &l.wasTele, &l.zero, &l.noTelegun, &l.blue, &l.practice)
}

func (p *plasma) visit(v Visitor) {
	visitVecs(v, &p.Pos, &p.vel)
	visitInts(v, &p.Start, &p.life)
	visitBools(v, &p.Explosive, &p.Freezing)
}
