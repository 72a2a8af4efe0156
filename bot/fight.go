package bot

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// glimpse is where somebody was seen.
type glimpse struct {
	pos, vel vec.Vec2 // units, units per tick
}

// remembered is for how many ticks a foe's movement is remembered; more than the
// slowest reaction.
const remembered = 32

// fighter is the part of a brain that fights.
type fighter struct {
	sides [game.MaxPlayers]game.Team

	foe      game.PlayerID // Nobody
	seen     [remembered]glimpse
	seenN    int32 // how many there are
	seenTick int32
	lost     int32 // ticks since he was seen
	clear    bool  // nothing stands between
	avoidFoe int32 // do not go after anybody before this tick
	scan     int32

	angle, swing float32 // of the aim, radians; its speed per tick
	miss         float32 // error at the moment, radians
	idle         float32 // where it looks when there is nothing to look at
	trigger      int32   // ticks until it may press again
	wish         game.Weapon
	wished       int32 // ticks for which wish was asked for in vain
	rethink      int32 // tick of the next choice of a weapon
	hookFoe      int32 // ticks to go on hooking the foe
	watched      int32 // tick of the last look at shots
	ignores      bool  // the shot at hand is not dodged
}

// lose forgets the foe.
func (f *fighter) lose() {
	f.foe, f.seenN, f.clear, f.hookFoe = game.Nobody, 0, false, 0
}

// foeSeen is the latest glimpse of the foe.
func (f *fighter) foeSeen() *glimpse { return &f.seen[(f.seenN+remembered-1)%remembered] }

// foeNow is where a brain believes the foe to be: it acts on what it saw a
// reaction time ago.
func (b *Brain) foeNow() (vec.Vec2, vec.Vec2, bool) {
	r := b.skill.reaction
	if b.foe == game.Nobody || b.seenN <= r {
		return vec.Vec2{}, vec.Vec2{}, false
	}
	g := &b.seen[(b.seenN-1-r)%remembered]
	// He probably went on the same way.
	at := g.pos.Add(g.vel.Mul(float32(r) * b.skill.lead))
	if _, before, wall := b.nav.col.IntersectLine(g.pos, at); wall != 0 {
		at = before
	}
	return at, g.vel, true
}

// foeDistance is to the latest glimpse.
func (b *Brain) foeDistance() float32 { return vec.Distance(b.foeSeen().pos, b.self.Pos) }

// hostile tells whether somebody is to be fought.
func (b *Brain) hostile(id game.PlayerID) bool {
	return id >= 0 && id < game.MaxPlayers && (!b.teams || b.sides[id] != b.team)
}

// sightline tells whether nothing stands between the own tee and p.
func (b *Brain) sightline(p vec.Vec2) bool {
	_, _, wall := b.nav.col.IntersectLine(b.self.Pos, p)
	return wall == 0
}

// lookAtFoes follows the foe, and looks for a better one now and then.
func (b *Brain) lookAtFoes(v *game.View) {
	at := -1
	for i := range v.Characters {
		if c := &v.Characters[i]; c.Player == b.foe && b.foe != game.Nobody && v.Sees(c.Pos) {
			at = i
		}
	}
	if at >= 0 && b.hostile(b.foe) {
		b.observe(v.Characters[at].Pos)
	} else if b.foe != game.Nobody {
		// Who vanished in plain sight is dead; others have gone somewhere.
		g := b.foeSeen()
		b.clear = false
		if b.lost++; b.lost > game.TickRate || b.lost > b.skill.reaction && v.Sees(g.pos.Add(g.vel.Mul(float32(b.lost)+20))) {
			b.lose()
		}
	}
	b.scan++
	if b.scan%6 != 0 && (b.foe != game.Nobody || b.scan%2 != 0) {
		return
	}
	// The nearest of those in sight; who is behind a wall counts as far away.
	best, nearest := -1, float32(1e9)
	var candidates [4]struct {
		index    int
		distance float32
	}
	n := 0
	for i := range v.Characters {
		c := &v.Characters[i]
		if c.Player == v.Viewer || !b.hostile(c.Player) || !v.Sees(c.Pos) {
			continue
		}
		d := vec.Distance(c.Pos, b.self.Pos)
		k := n
		for k > 0 && candidates[k-1].distance > d {
			if k < len(candidates) {
				candidates[k] = candidates[k-1]
			}
			k--
		}
		if k < len(candidates) {
			candidates[k].index, candidates[k].distance = i, d
			n = min(n+1, len(candidates))
		}
	}
	for _, k := range candidates[:n] {
		c := &v.Characters[k.index]
		d := k.distance
		if !b.sightline(c.Pos) {
			d = d*2 + 400
		}
		if c.Player == b.foe {
			d = d*0.7 - 50
		}
		if d < nearest {
			best, nearest = k.index, d
		}
	}
	if best >= 0 && v.Characters[best].Player != b.foe {
		b.lose()
		b.foe = v.Characters[best].Player
		b.observe(v.Characters[best].Pos)
	}
}

// observe notes where the foe is now.
func (b *Brain) observe(p vec.Vec2) {
	g := glimpse{pos: p}
	if b.seenN > 0 {
		last := b.foeSeen()
		dt := float32(max(b.tick-b.seenTick, 1))
		v := p.Sub(last.pos).Mul(1 / dt)
		if v.Len() < 60 { // faster is a new life elsewhere
			g.vel = last.vel.Add(v.Sub(last.vel).Mul(0.5))
		}
	}
	b.seen[b.seenN%remembered] = g
	if b.seenN++; b.seenN >= 4*remembered {
		b.seenN -= 2 * remembered
	}
	b.seenTick, b.lost = b.tick, 0
	b.clear = b.sightline(p)
}

// lookAtShots finds the shot that is the most dangerous.
func (b *Brain) lookAtShots(v *game.View) {
	h := &b.around.threat
	if h.radius > 0 {
		h.pos = h.pos.Add(h.vel)
	}
	if b.tick-b.watched < 3 && b.tick >= b.watched {
		return
	}
	b.watched = b.tick
	had := h.radius > 0
	h.radius = 0
	if b.skill.dodge == 0 {
		return
	}
	soonest := float32(25)
	for i := range v.Projectiles {
		p := &v.Projectiles[i]
		d := b.self.Pos.Sub(p.Pos)
		if d.Dot(d) > 500*500 || !v.Sees(p.Pos) {
			continue
		}
		speed, curve, radius := b.ballistics(p.Weapon)
		dir := vec.Vec2{X: float32(p.VelX) / 100, Y: float32(p.VelY) / 100}
		flown := float32(b.tick-p.StartTick) / game.TickRate * speed
		vel := vec.Vec2{X: dir.X, Y: dir.Y + 2*curve/10000*flown}.Mul(speed / game.TickRate)
		l := vel.Len()
		if l < 1 {
			continue
		}
		when := d.Dot(vel) / (l * l)
		if when < 0 || when > soonest {
			continue
		}
		if pass := d.Sub(vel.Mul(when)); pass.Dot(pass) > radius*radius*2 {
			continue
		}
		soonest = when
		*h = threat{pos: p.Pos, vel: vel, radius: radius}
	}
	if h.radius == 0 {
		return
	}
	if !had {
		b.ignores = !b.rand.percent(b.skill.dodge)
	}
	if b.ignores {
		h.radius = 0
		return
	}
	if !had {
		b.checked = 100 // look at the plan again
	}
}

// ballistics are a weapon's speed (units/s), curvature, and how near its shots
// are dangerous.
func (b *Brain) ballistics(w game.Weapon) (speed, curve, radius float32) {
	t := &b.nav.tuning
	switch w {
	case game.WeaponShotgun:
		return t.ShotgunSpeed(), t.ShotgunCurvature(), 40
	case game.WeaponGrenade:
		return t.GrenadeSpeed(), t.GrenadeCurvature(), 100
	}
	return t.GunSpeed(), t.GunCurvature(), 40
}

// fighting tells whether the tee moves as the fight wants it rather than to its
// goal.
func (b *Brain) fighting() bool {
	if b.foe == game.Nobody || !b.clear || b.seenN <= b.skill.reaction {
		return false
	}
	if b.goal.kind == goalSpot {
		return false
	}
	return b.foeDistance() < 450
}

// distances are how far from the foe a weapon is best used, in units.
var distances = [game.NumWeapons]float32{
	game.WeaponHammer: 30, game.WeaponGun: 220, game.WeaponShotgun: 130,
	game.WeaponGrenade: 260, game.WeaponLaser: 330, game.WeaponNinja: 60,
}

// standing tells how bad it is to fight from p.
func (b *Brain) standing(p vec.Vec2) float32 {
	g := b.foeSeen()
	d := vec.Distance(p, g.pos) - distances[b.weapon]
	if d < 0 {
		d = -d
	}
	bad := d * 0.15
	if _, _, wall := b.nav.col.IntersectLine(p, g.pos); wall != 0 {
		bad += 40
	}
	if vec.Distance(p, b.self.Pos) < 40 {
		bad += 15 // who stands still is hit
	}
	return bad + float32(b.rand.n(24))
}

// fight aims, takes the right weapon in hand and fires.
func (b *Brain) fight(passed int32) {
	b.chooseWeapon()
	want, certain := b.wantedAim()
	b.turnTo(want, passed)
	b.trigger -= passed
	if b.hookFoe > 0 {
		b.hookFoe -= passed
	}
	if b.input.Fire&1 != 0 {
		b.press(false)
		return
	}
	if !certain || b.trigger > 0 {
		return
	}
	b.shoot(want)
}

// wantedAim is the angle to aim at; certain tells whether a shot would be aimed
// at the foe.
func (b *Brain) wantedAim() (angle float32, certain bool) {
	b.miss += -b.miss*0.05 + b.rand.spread()*b.skill.errorAngle*0.75
	if b.planned && b.plan.hook != never && b.planAt <= b.plan.hook {
		return vec.Vec2{X: float32(b.plan.hookX), Y: float32(b.plan.hookY)}.Angle(), false
	}
	p, v, ok := b.foeNow()
	if !ok || !b.clear && b.lost == 0 && b.foeDistance() > 600 {
		return b.lookAround(), false
	}
	return b.lead(p, v).Angle() + b.miss, b.clear
}

// lookAround is where people look who see nobody: ahead.
func (b *Brain) lookAround() float32 {
	if b.asideFor > 0 {
		b.asideFor--
		return b.aside.Angle()
	}
	if b.rand.n(60) == 0 {
		b.idle = 0.5 * b.rand.spread()
	}
	ahead := vec.Vec2{X: b.self.Vel.X * 12, Y: b.self.Vel.Y * 4}
	if ahead.Len() < 30 {
		ahead = vec.Vec2{X: 1}
		if vec.Cos(b.angle) < 0 {
			ahead.X = -1
		}
	}
	return ahead.Angle() + b.idle
}

// lead is the direction to aim in so that a shot meets a foe at p who moves by v
// per tick.
func (b *Brain) lead(p, v vec.Vec2) vec.Vec2 {
	from := b.self.Pos
	switch b.weapon {
	case game.WeaponHammer, game.WeaponLaser, game.WeaponNinja:
		return p.Add(v.Mul(b.skill.lead)).Sub(from)
	}
	speed, curve, _ := b.ballistics(b.weapon)
	aim := p
	for range 3 {
		t := vec.Distance(from, aim) / speed // s
		at := p.Add(v.Mul(t * game.TickRate * b.skill.lead))
		if t > 0.05 {
			if _, before, wall := b.nav.col.IntersectLine(p, at); wall != 0 {
				at = before
			}
		}
		drop := curve / 10000 * (speed * t) * (speed * t)
		aim = vec.Vec2{X: at.X, Y: at.Y - drop}
	}
	return aim.Sub(from)
}

// turnTo moves the aim as a hand moves a mouse: it speeds up and slows down.
func (b *Brain) turnTo(want float32, passed int32) {
	for range min(max(passed, 1), 4) {
		diff := wrap(want - b.angle)
		goal := vec.Clamp(diff*0.45, -b.skill.turn, b.skill.turn)
		b.swing += vec.Clamp(goal-b.swing, -b.skill.turn*0.5, b.skill.turn*0.5)
		b.angle = wrap(b.angle + b.swing)
	}
	reach := float32(160)
	if b.foe != game.Nobody {
		reach = vec.Clamp(b.foeDistance(), 60, 380)
	}
	d := vec.Direction(b.angle).Mul(reach)
	b.input.TargetX, b.input.TargetY = vec.Round(d.X), vec.Round(d.Y)
}

// turnTicks is how long it takes to aim in a direction.
func (b *Brain) turnTicks(d vec.Vec2) int32 {
	diff := wrap(d.Angle() - b.angle)
	if diff < 0 {
		diff = -diff
	}
	return 5 + vec.Trunc(diff/(b.skill.turn*0.8))
}

// aimedAtHook tells whether the aim is where the plan's hook has to go.
func (b *Brain) aimedAtHook() bool {
	d := wrap(vec.Vec2{X: float32(b.plan.hookX), Y: float32(b.plan.hookY)}.Angle() - b.angle)
	return d < 0.1 && d > -0.1
}

// wrap brings an angle into -pi..pi.
func wrap(a float32) float32 {
	for a > pi {
		a -= 2 * pi
	}
	for a < -pi {
		a += 2 * pi
	}
	return a
}

// shoot presses the trigger if the aim is good enough, and hooks who is near.
func (b *Brain) shoot(want float32) {
	d := b.foeDistance()
	off := wrap(want - b.angle)
	if off < 0 {
		off = -off
	}
	slack := vec.Clamp(22/(d+1), 0.02, 0.6)
	if off > slack+0.02 {
		return
	}
	if d < 320 && d > 70 && b.hookFoe <= 0 && !b.input.Hook && b.rand.n(1000) < b.skill.hook*4 {
		b.hookFoe = int32(15 + b.rand.n(40))
	}
	switch b.weapon {
	case game.WeaponHammer:
		if d > 70 {
			return
		}
	case game.WeaponShotgun:
		if d > 480 {
			return
		}
	case game.WeaponNinja:
		if d > 400 {
			return
		}
	case game.WeaponGrenade:
		if d < 90 {
			return
		}
		ahead := b.self.Pos.Add(vec.Direction(b.angle).Mul(100))
		if _, _, wall := b.nav.col.IntersectLine(b.self.Pos, ahead); wall != 0 {
			return
		}
	}
	if b.ammo[b.weapon] == 0 {
		return
	}
	b.press(true)
	b.trigger = b.skill.click + int32(b.rand.n(4))
}

// chooseWeapon asks for the weapon that suits the distance.
func (b *Brain) chooseWeapon() {
	b.input.WantedWeapon = 0
	if b.weapon == game.WeaponNinja {
		return
	}
	if b.tick >= b.rethink || b.tick < b.rethink-100 {
		b.rethink = b.tick + 15 + int32(b.rand.n(20))
		b.wish = b.bestWeapon()
	}
	if b.wish == b.weapon {
		b.wished = 0
		return
	}
	if b.wished++; b.wished > game.TickRate {
		b.have[b.wish], b.wished, b.rethink = false, 0, 0
		return
	}
	b.input.WantedWeapon = int32(b.wish) + 1
}

// bestWeapon is the best of those it believes to have.
func (b *Brain) bestWeapon() game.Weapon {
	d := float32(300)
	if b.foe != game.Nobody {
		d = b.foeDistance()
	}
	worth := [game.NumWeapons]float32{game.WeaponGun: 3, game.WeaponLaser: 7}
	if d < 75 {
		worth[game.WeaponHammer] = 9
	}
	if d < 350 {
		worth[game.WeaponShotgun] = 8
	}
	if d > 110 && d < 550 {
		worth[game.WeaponGrenade] = 7.5
	}
	if d > 790 {
		worth[game.WeaponLaser] = 0
	}
	best, most := game.WeaponHammer, float32(-1)
	careless := !b.rand.percent(b.skill.choose)
	for w := game.WeaponHammer; w < game.WeaponNinja; w++ {
		if !b.have[w] || b.ammo[w] == 0 && w != game.WeaponGun {
			continue
		}
		v := worth[w]
		if b.ammo[w] == 0 {
			v = 1 // the gun loads only in the hand
		}
		if careless {
			v = float32(b.rand.n(8))
		}
		if v > most {
			best, most = w, v
		}
	}
	return best
}

const pi = 3.14159265
