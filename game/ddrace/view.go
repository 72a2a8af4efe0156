package ddrace

// Line is an object that players see as a laser: a beam of a tee or an entity, a door, or a resting
// entity drawn as a point.
type Line struct {
	ID uint16 // unique among lines, projectiles and pickups
	// Kind is the kind of the map entity that is drawn or fires, 0 for the beam of a tee.
	Kind EntityKind
	// Shot means that an entity fires the line: the beam of a dragger, or plasma.
	Shot      bool
	Weapon    Weapon // of a tee's beam
	Owner     int8   // its tee, or the target of a shot; -1 for none
	Pos, From Vec
	StartTick int32 // when a beam of a tee got to Pos, plasma was fired, a beam of a dragger began or a light turned
	Layer     Layer
	Number    uint8 // of its switch
	// Beams are the tees that a dragger pulls. A player who sees a beam to one of them
	// does not see the dragger.
	Beams TeeSet
}

// faded is the maximum age of the beams of entities, in ticks. Clients draw older ones thinner, and
// then not at all.
const faded = 4

// AppendLines appends all lines.
func (w *World) AppendLines(dst []Line) []Line {
	e := &w.entities
	var lights, draggers, turrets, doors int
	for i := range w.m.Entities {
		m := &w.m.Entities[i]
		l := Line{ID: uint16(i + 1), Kind: m.Kind, Owner: noOwner, Layer: m.Layer, Number: m.Number}
		switch {
		case m.Kind == EntityDoor:
			l.Pos, l.From = m.Pos, w.doorEnds[doors]
			doors++
		case m.Kind >= EntityLight && m.Kind <= entityLightEnd:
			l.Pos, l.From = e.lights[lights].Pos, e.lights[lights].To
			l.StartTick = max(w.tick-w.tick%stepTicks, w.tick-faded) // of the last step
			lights++
		case m.Kind >= EntityDragger && m.Kind <= entityDraggerEnd:
			d := &e.draggers[draggers]
			draggers++
			l.Pos, l.From, l.Beams = d.Pos, d.Pos, d.beams
		case m.Kind >= EntityTurretExplosive && m.Kind <= EntityTurretUnfreeze:
			l.Pos, l.From = e.turrets[turrets].Pos, e.turrets[turrets].Pos
			turrets++
		default:
			continue
		}
		dst = append(dst, l)
	}
	for i := range e.beams {
		if b := &e.beams[i]; !b.gone {
			dst = w.appendBeam(dst, b)
		}
	}
	return dst
}

func (w *World) appendBeam(dst []Line, b *beam) []Line {
	l := Line{ID: b.id, Owner: b.target, Shot: true}
	switch b.kind {
	case beamLaser:
		if w.owner(b.laser.Owner) == nil {
			return dst // nobody sees it
		}
		l.Shot = false
		l.Owner, l.Weapon = b.laser.Owner, b.laser.Weapon
		l.Pos, l.From, l.StartTick = b.laser.Pos, b.laser.From, b.laser.Eval
	case beamDragger:
		t, d := w.owner(b.target), &w.entities.draggers[b.of]
		if t == nil {
			return dst
		}
		l.Kind = EntityDragger
		l.Pos, l.From, l.StartTick = d.Pos, t.Pos, max(b.laser.Eval, w.tick-faded)
		l.Layer, l.Number = d.Layer, d.Number
	case beamPlasma:
		l.Kind = EntityTurretFreeze
		l.Pos, l.From, l.StartTick = b.plasma.Pos, b.plasma.Pos, b.plasma.Start
	}
	return append(dst, l)
}

// Projectiles returns the projectiles.
func (w *World) Projectiles() []Projectile { return w.entities.projectiles }

// ProjectilePos returns the current position of a projectile.
func (w *World) ProjectilePos(p *Projectile) Vec { return w.projectileAt(p, w.tick) }

// AppendPickups appends all pickups, with their ids.
func (w *World) AppendPickups(dst []Pickup) []Pickup {
	n := 0
	for i := range w.m.Entities {
		if w.m.Entities[i].Kind.isPickup() {
			dst = append(dst, w.entities.pickups[n])
			dst[len(dst)-1].ID = uint16(i + 1)
			n++
		}
	}
	return dst
}

func (k EntityKind) isPickup() bool {
	return k >= EntityArmor && k <= EntityLaser || k >= EntityNoShotgun && k <= EntityNoLaser
}

// prepareView computes the ends of doors and gives the bullets of entities their ids.
func (w *World) prepareView() {
	bullet := 0
	for i := range w.m.Entities {
		switch e := &w.m.Entities[i]; e.Kind {
		case EntityDoor:
			end, _ := w.m.endOfLight(e.Pos, e.Pos.Add(directionOf(e.Turn).Mul(float32(e.Length))), false, new(int))
			w.doorEnds = append(w.doorEnds, end)
		case EntityBulletExplosive, EntityBullet:
			w.entities.projectiles[bullet].ID = uint16(i + 1)
			bullet++
		}
	}
	w.nextID = w.firstID()
}

// firstID is the first id of shots. The ids below it belong to the map's entities.
func (w *World) firstID() uint16 { return uint16(len(w.m.Entities) + 1) }

// giveIDs gives ids to new shots. The ids start again after some ten thousand shots, when the first
// ones no longer exist.
func (w *World) giveIDs() {
	next := func() uint16 {
		id := w.nextID
		if w.nextID++; w.nextID < w.firstID() {
			w.nextID = w.firstID()
		}
		return id
	}
	for i := range w.entities.projectiles {
		if p := &w.entities.projectiles[i]; p.ID == 0 {
			p.ID = next()
		}
	}
	for i := range w.entities.beams {
		if b := &w.entities.beams[i]; b.id == 0 {
			b.id = next()
		}
	}
}

// Switch is the state of a switch for a team.
type Switch struct {
	Active     bool
	EndTick    int32 // tick in which the switch changes back, 0 for never
	LastUpdate int32
}

// Switches returns the highest switch number.
func (w *World) Switches() int { return w.switches.count }

// Switch returns the state of a switch, 1 to Switches, for a team below TeamSuper.
func (w *World) Switch(team, number uint8) Switch {
	s := &w.switches
	if team >= maxTeams || number == 0 || int(number) > s.count {
		return Switch{Active: true}
	}
	t := &s.timers[int(team)*(s.count+1)+int(number)]
	return Switch{Active: s.active[team].Has(number), EndTick: t.end, LastUpdate: t.lastUpdate}
}

// ActiveSwitches returns the switches that are active for a team below TeamSuper.
func (w *World) ActiveSwitches(team uint8) SwitchSet { return w.switches.active[team] }
