package infection

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

const (
	heroHit             = 12 // damage of an infected's hammer to a hero
	infectAll           = 1000
	seenTicks           = 3 * game.TickRate
	sightRadius float32 = 9 * 32 // within which humans see a ghost

	boomInner  float32 = 60 // radius of full damage
	boomOuter  float32 = 80.5
	boomDamage float32 = 14
	boomForce  float32 = 25

	slimeReach  float32 = 64 // radius of a slug's slime
	slimeRadius float32 = 84
	slimeDots           = 4
	venomTicks          = 75 // between two damages by slime
)

// OnDamage decides the effect of hits.
func (m *Mode) OnDamage(ctx *game.Ctx, d *game.Damage) {
	v, a := d.Victim, d.Attacker
	if a < 0 {
		return
	}
	if m.state.Fresh[v] > 0 || a == v || !m.state.Started {
		ctx.Cancel()
		return
	}
	switch from, to := ctx.Player(a).Team(), ctx.Player(v).Team(); {
	case from == to:
		ctx.Cancel()
		m.hitOwn(ctx, d)
	case from == infected:
		m.state.Seen[a] = seenTicks
		m.hitHuman(ctx, d)
	default:
		m.state.Seen[v] = seenTicks
		m.hitInfected(ctx, d)
	}
}

// hitOwn handles a hit by the own side: hammers heal or help.
func (m *Mode) hitOwn(ctx *game.Ctx, d *game.Damage) {
	victim := ctx.Player(d.Victim)
	switch {
	case d.Weapon != game.WeaponHammer:
		d.Force = vec.Vec2{}
	case victim.Team() == infected:
		if victim.Heal(4) {
			ctx.Player(d.Attacker).Heal(1)
		}
	case m.state.Class[d.Attacker] == medic:
		m.healOne(ctx, d.Attacker, d.Victim)
	}
}

// hitHuman handles a hit by an infected: a hammer infects.
func (m *Mode) hitHuman(ctx *game.Ctx, d *game.Damage) {
	switch {
	case d.Weapon != game.WeaponHammer:
	case m.state.Class[d.Attacker] == bat:
		d.Amount = m.batDamage
		ctx.Player(d.Attacker).Heal(m.batSteal)
	case m.state.Class[d.Victim] == hero:
		d.Amount = heroHit
	default:
		d.Amount = infectAll
	}
}

// hitInfected handles a hit by a human.
func (m *Mode) hitInfected(ctx *game.Ctx, d *game.Damage) {
	switch k := m.state.Class[d.Attacker]; {
	case d.Weapon == game.WeaponHammer:
		d.Amount = hammerBlow
	case k == medic && d.Weapon == game.WeaponShotgun:
		d.Force = d.Source.Normalize().Mul(-medicPush)
	case k == medic && d.Weapon == game.WeaponLaser:
		ctx.Cancel()
		m.cure(ctx, d.Attacker, d.Victim)
	case k == ninja && d.Weapon == game.WeaponGrenade:
		d.Amount = 1
		ctx.Player(d.Victim).Freeze(m.flashed * game.TickRate)
	}
}

// tickTee runs one tick of a living tee.
func (m *Mode) tickTee(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	s := &m.state
	s.Fresh[id] = max(s.Fresh[id]-1, 0)
	s.Seen[id] = max(s.Seen[id]-1, 0)
	m.reload(ctx, id)
	m.tickSlimed(ctx, id)
	if !p.Alive() {
		return
	}
	switch k := s.Class[id]; {
	case k == ninja && p.Grounded():
		s.Dashes[id] = 0
	case k == ghost:
		m.haunt(ctx, id)
	}
	if p.Team() == infected {
		m.drain(ctx, id)
	}
}

// reload gives weapons new rounds over time.
func (m *Mode) reload(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	for _, kit := range classes[m.state.Class[id]].kits {
		ticks := &m.state.Regen[id][kit.weapon]
		n := p.Ammo(kit.weapon)
		if kit.regen == 0 || n >= kit.rounds {
			*ticks = 0
		} else if *ticks++; *ticks >= kit.regen {
			*ticks = 0
			p.SetAmmo(kit.weapon, n+1)
		}
	}
}

// drain damages the human whom an infected hooks.
func (m *Mode) drain(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	victim, ticks := p.Hooked(), &m.state.Drained[id]
	if victim == game.Nobody || ctx.Player(victim).Team() != humans {
		*ticks = 0
		return
	}
	each, damage := int32(game.TickRate), int32(1)
	if m.state.Class[id] == smoker {
		each, damage = game.TickRate/2, m.smokerDamage
	}
	if *ticks++; *ticks < each || damage == 0 {
		return
	}
	*ticks = 0
	ctx.Player(victim).TakeDamage(game.Damage{Attacker: id, Weapon: game.WeaponNinja, Amount: damage})
	if m.state.Class[id] == smoker {
		p.Heal(damage)
	}
}

// haunt hides a ghost from distant humans.
func (m *Mode) haunt(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	pos, others := p.Pos(), ctx.TeamMask(infected).Or(ctx.TeamMask(game.TeamSpectators))
	if near, ok := ctx.NearestPlayer(pos, sightRadius, others); ok && !ctx.Map().WallBetween(pos, near.Pos()) || p.Frozen() != 0 {
		m.state.Seen[id] = seenTicks
	}
	if m.state.Seen[id] > 0 {
		others = game.MaskAll
	}
	p.SetVisibleTo(others)
}

// explode is the explosion of a dying boomer.
func (m *Mode) explode(ctx *game.Ctx, id game.PlayerID, pos vec.Vec2) {
	ctx.Effects(game.MaskAll).Explosion(pos)
	ctx.Effects(game.MaskAll).Sound(pos, game.SoundGrenadeExplode)
	for other := range ctx.PlayersNear(pos, boomOuter-teeRadius) {
		if other.ID() == id || !other.Alive() {
			continue
		}
		diff := other.Pos().Sub(pos)
		share := 1 - vec.Clamp((diff.Len()-boomInner)/(boomOuter-boomInner), 0, 1)
		amount := 1 + vec.Trunc(float32((boomDamage-1)*share))
		if other.Team() == infected {
			other.Heal(4 + amount)
			continue
		}
		dir := vec.Vec2{Y: -1}
		if diff != (vec.Vec2{}) {
			dir = diff.Normalize()
		}
		other.TakeDamage(game.Damage{Attacker: id, Weapon: game.WeaponGrenade, Amount: amount, Force: dir.Mul(boomForce * share),
			Source: diff.Neg()})
	}
}

// spit puts slime on the wall at which a slug aims.
func (m *Mode) spit(ctx *game.Ctx, id game.PlayerID, dir vec.Vec2) {
	pos := ctx.Player(id).Pos()
	hit, _ := ctx.Map().Raycast(game.Ray{From: pos, To: pos.Add(dir.Mul(slimeReach))})
	if !hit.Wall {
		return
	}
	for e := range ctx.Entities(m.slime) {
		if d := vec.Distance(e.Pos, hit.Pos); d < slimeRadius/2 {
			e.Data[left], e.Owner = m.slimeLife*game.TickRate, id
			return
		}
	}
	ctx.SpawnEntity(m.slime, game.Entity{Pos: hit.Pos, Owner: id, Data: [8]int32{left: m.slimeLife * game.TickRate}})
	ctx.Effects(game.MaskAll).Sound(hit.Pos, game.SoundHookAttachGround)
}

func (m *Mode) tickSlime(_ *game.Ctx, e *game.Entity) {
	if e.Data[left]--; e.Data[left] <= 0 {
		e.Remove()
	}
}

// drawSlime draws slime as a crawling light.
func drawSlime(ctx *game.Ctx, e *game.Entity, d *game.Drawing) {
	turn := float32(ctx.Tick()-e.Born()) / game.TickRate
	for i := range slimeDots {
		at := e.Pos.Add(vec.Direction(turn + circle*float32(i)/slimeDots).Mul(slimeRadius / 4))
		d.Projectile(i, game.WeaponHammer, at, vec.Vec2{}, game.MaskAll)
	}
}

// tickSlimed lets slime poison a human or heal an infected.
func (m *Mode) tickSlimed(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	s, pos := &m.state, p.Pos()
	for e := range ctx.Entities(m.slime) {
		if vec.Distance(e.Pos, pos) > slimeRadius || ctx.Map().WallBetween(e.Pos, pos) {
			continue
		}
		if p.Team() == humans && s.Poison[id] == 0 {
			s.Poison[id], s.Venom[id], s.Slug[id] = m.slimeDamage, venomTicks, 1+int32(e.Owner)
		} else if p.Team() == infected && m.slimeHeal > 0 && p.Health()+p.Armor() < m.slimeMax {
			if s.Healed[id]++; s.Healed[id] >= game.TickRate/m.slimeHeal {
				s.Healed[id] = 0
				if !p.Heal(1) {
					p.GiveArmor(1)
				}
			}
		}
		break
	}
	if s.Poison[id] == 0 {
		return
	}
	if s.Venom[id]--; s.Venom[id] > 0 {
		return
	}
	s.Poison[id]--
	s.Venom[id] = venomTicks
	from := game.PlayerID(s.Slug[id]) - 1
	if !ctx.Player(from).Connected() || ctx.Player(from).Team() != infected {
		from = game.Nobody
	}
	p.TakeDamage(game.Damage{Attacker: from, Weapon: game.WeaponGun, Amount: 1})
}
