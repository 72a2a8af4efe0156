package infection

import (
	"fmt"
	"math"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

const (
	teeRadius  float32 = 28
	wallLength float32 = 300
	bombRadius float32 = 60 // of the circle on which bombs turn
	bombReach  float32 = 90 // of the explosions around the middle
	bombPause          = 7  // ticks between two shots
	maxBombs           = 8
	mineSides          = 12
	teleport   float32 = 400
	healRadius float32 = 128
	healArmor          = 4
	dashSpeed  float32 = 25
	medicPush  float32 = 10 // of each pellet
	hammerBlow         = 20
	circle     float32 = 2 * math.Pi
	fullArmor          = 10
)

// The indexes of the data of walls and bombs.
const (
	left  = iota // ticks until a wall disappears; number of bombs left
	built        // 1 if a wall has its second end
	shown        // ticks for which a wall flickers
)

// OnFire turns weapons into tools.
func (m *Mode) OnFire(ctx *game.Ctx, id game.PlayerID, weapon game.Weapon, dir vec.Vec2) {
	k := m.state.Class[id]
	switch {
	case weapon == game.WeaponHammer && k == engineer:
		m.buildWall(ctx, id)
	case weapon == game.WeaponHammer && k == soldier:
		m.fireBomb(ctx, id, dir)
	case weapon == game.WeaponHammer && k == scientist:
		m.layMine(ctx, id, dir)
	case weapon == game.WeaponGrenade && k == scientist:
		teleportTee(ctx, id)
	case weapon == game.WeaponGrenade && k == medic:
		m.healAround(ctx, id)
	case weapon == game.WeaponHammer && k == ninja:
		m.dash(ctx, id, dir)
		return
	case weapon == game.WeaponHammer && k == boomer:
		ctx.Player(id).Kill(game.WeaponSelf)
	case weapon == game.WeaponHammer && k == slug:
		m.spit(ctx, id, dir)
		return
	default:
		return
	}
	ctx.Cancel()
}

// inFront returns a position in front of a tee, before a wall if there is one.
func inFront(ctx *game.Ctx, id game.PlayerID, dir vec.Vec2) vec.Vec2 {
	pos := ctx.Player(id).Pos()
	hit, _ := ctx.Map().Raycast(game.Ray{From: pos, To: pos.Add(dir.Mul(teeRadius * 0.75))})
	return hit.Pos
}

// own returns the oldest tool of a kind that a player owns, and how many there are.
func own(ctx *game.Ctx, kind game.KindID, id game.PlayerID) (oldest *game.Entity, n int32) {
	for e := range ctx.Entities(kind) {
		if e.Owner == id {
			if n++; oldest == nil {
				oldest = e
			}
		}
	}
	return oldest, n
}

// removeTools removes all tools of a player.
func (m *Mode) removeTools(ctx *game.Ctx, id game.PlayerID) {
	for _, kind := range [...]game.KindID{m.wall, m.bomb, m.mine} {
		for e := range ctx.Entities(kind) {
			if e.Owner == id {
				e.Remove()
			}
		}
	}
}

// tickTool removes a tool whose owner has left or is no longer human.
func (m *Mode) tickTool(ctx *game.Ctx, e *game.Entity) {
	if e.Owner == game.Nobody || ctx.Player(e.Owner).Team() != humans {
		e.Remove()
	}
}

// buildWall sets an end of the engineer's wall at the engineer's position.
func (m *Mode) buildWall(ctx *game.Ctx, id game.PlayerID) {
	e, _ := own(ctx, m.wall, id)
	pos := ctx.Player(id).Pos()
	switch {
	case e == nil || e.Data[built] == 1:
		if e != nil {
			e.Remove()
		}
		ctx.SpawnEntity(m.wall, game.Entity{Pos: pos, To: pos, Owner: id})
		return
	case vec.Distance(e.Pos, pos) <= 10:
		return
	}
	e.To = pos
	if d := vec.Distance(e.Pos, pos); d > wallLength {
		e.To = vec.Mix(e.Pos, pos, wallLength/d)
	}
	e.Data[built], e.Data[left] = 1, m.wallLife*game.TickRate
	ctx.Effects(game.MaskAll).Sound(pos, game.SoundLaserFire)
}

// tickWall kills infected tees that touch a wall, and shortens the time of the wall.
func (m *Mode) tickWall(ctx *game.Ctx, e *game.Entity) {
	if m.tickTool(ctx, e); e.Data[built] == 0 {
		return
	}
	e.Data[shown] = max(e.Data[shown]-1, 0)
	if e.Data[left]--; e.Data[left] <= 0 {
		e.Remove()
		return
	}
	for p := range ctx.Players() {
		if p.Team() != infected || !p.Alive() || m.state.Fresh[p.ID()] > 0 {
			continue
		}
		pos := p.Pos()
		if vec.Distance(pos, vec.ClosestOnSegment(e.Pos, e.To, pos)) < teeRadius {
			p.TakeDamage(game.Damage{Attacker: e.Owner, Weapon: game.WeaponLaser, Amount: 1000})
			e.Data[left] -= m.wallReduce * game.TickRate / 100
			e.Data[shown] = 10
		}
	}
}

// drawWall draws a wall. It flickers when it kills and in its last seconds. Only humans see a
// single end.
func (m *Mode) drawWall(ctx *game.Ctx, e *game.Entity, d *game.Drawing) {
	if e.Data[built] == 0 {
		d.Laser(0, e.Pos, e.Pos, ctx.TeamMask(infected).Not())
		return
	}
	if (e.Data[shown] == 0 && e.Data[left] > 5*game.TickRate) || ctx.Tick()/3%2 == 0 {
		d.Laser(0, e.Pos, e.To, game.MaskAll)
	}
	d.Laser(1, e.To, e.To, game.MaskAll)
}

// fireBomb creates the soldier's bombs, or lets one explode.
func (m *Mode) fireBomb(ctx *game.Ctx, id game.PlayerID, dir vec.Vec2) {
	e, _ := own(ctx, m.bomb, id)
	if e == nil {
		ctx.SpawnEntity(m.bomb, game.Entity{Pos: inFront(ctx, id, dir), Owner: id, Data: [8]int32{left: m.bombs}})
		ctx.Effects(game.MaskAll).Sound(ctx.Player(id).Pos(), game.SoundGrenadeFire)
		return
	}
	if ctx.Tick()-e.Born() < bombPause {
		return
	}
	pos := e.Pos
	if e.Data[left]--; e.Data[left] <= 0 {
		e.Remove()
	}
	explodeAround(ctx, pos, id, bombReach, 6)
}

// explodeAround makes a large explosion: one in the middle and six around it.
func explodeAround(ctx *game.Ctx, pos vec.Vec2, id game.PlayerID, reach float32, damage int32) {
	ctx.Effects(game.MaskAll).Sound(pos, game.SoundGrenadeExplode)
	ctx.Explode(pos, id, game.WeaponGrenade, damage)
	for i := range 6 {
		ctx.Explode(pos.Add(vec.Direction(circle*float32(i)/6).Mul(reach)), id, game.WeaponGrenade, damage)
	}
}

// drawBomb draws the remaining bombs on a turning circle.
func (m *Mode) drawBomb(ctx *game.Ctx, e *game.Entity, d *game.Drawing) {
	turn := float32(ctx.Tick()-e.Born()) / game.TickRate * (circle / 4)
	for i := range min(e.Data[left], maxBombs) {
		at := e.Pos.Add(vec.Direction(turn + circle*float32(i)/float32(m.bombs)).Mul(bombRadius))
		d.Projectile(int(i), game.WeaponGrenade, at, vec.Vec2{}, game.MaskAll)
	}
}

// layMine lays a scientist's mine at a distance from other mines. It replaces the oldest one if
// there are too many.
func (m *Mode) layMine(ctx *game.Ctx, id game.PlayerID, dir vec.Vec2) {
	pos := inFront(ctx, id, dir)
	var near *game.Entity
	for e := range ctx.Entities(m.mine) {
		if vec.Distance(e.Pos, pos) < 2*float32(m.mineRadius) {
			if near != nil || e.Owner != id {
				return
			}
			near = e
		}
	}
	if oldest, n := own(ctx, m.mine, id); near == nil && n >= m.mineLimit {
		near = oldest
	}
	if near != nil {
		near.Remove()
	}
	ctx.SpawnEntity(m.mine, game.Entity{Pos: pos, Owner: id})
	ctx.Effects(game.MaskAll).Sound(pos, game.SoundPickupArmor)
	ctx.Player(id).SetReloadTicks(game.TickRate / 2)
}

// tickMine lets a mine explode when an infected touches it.
func (m *Mode) tickMine(ctx *game.Ctx, e *game.Entity) {
	m.tickTool(ctx, e)
	for p := range ctx.Players() {
		if p.Team() == infected && p.Alive() && m.state.Fresh[p.ID()] == 0 && vec.Distance(p.Pos(), e.Pos) < teeRadius+float32(m.mineRadius) {
			e.Remove()
			explodeAround(ctx, e.Pos, e.Owner, bombReach, 8)
			return
		}
	}
}

// drawMine draws a mine as a circle.
func (m *Mode) drawMine(_ *game.Ctx, e *game.Entity, d *game.Drawing) {
	at := func(i int) vec.Vec2 {
		return e.Pos.Add(vec.Direction(circle * float32(i%mineSides) / mineSides).Mul(float32(m.mineRadius)))
	}
	for i := range mineSides {
		d.Laser(i, at(i), at(i+1), game.MaskAll)
	}
}

// teleportTee teleports a scientist to the crosshair, or to the wall before it.
func teleportTee(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	in, from := p.Input(), p.Pos()
	way := vec.Vec2{X: float32(in.TargetX), Y: float32(in.TargetY)}
	if l := way.Len(); l > teleport {
		way = way.Mul(teleport / l)
	}
	to := from
	if ctx.Map().MoveBox(&to, &way, vec.Vec2{X: teeRadius, Y: teeRadius}, 0) {
		return // not into a deadly tile
	}
	p.SetPos(to)
	p.SetAmmo(game.WeaponGrenade, max(p.Ammo(game.WeaponGrenade)-1, 0))
	ctx.Effects(game.MaskAll).Spawn(from)
	ctx.Effects(game.MaskAll).Spawn(to)
	ctx.Effects(game.MaskAll).Sound(to, game.SoundSpawn)
}

// healAround gives armor to the humans around a medic.
func (m *Mode) healAround(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	pos := p.Pos()
	p.SetAmmo(game.WeaponGrenade, max(p.Ammo(game.WeaponGrenade)-1, 0))
	ctx.Effects(game.MaskAll).Explosion(pos)
	ctx.Effects(game.MaskAll).Sound(pos, game.SoundGrenadeFire)
	for other := range ctx.PlayersNear(pos, healRadius) {
		if other.Team() == humans {
			other.GiveArmor(healArmor)
		}
	}
}

// healOne heals a human whom a medic hits with the hammer.
func (m *Mode) healOne(ctx *game.Ctx, id, other game.PlayerID) {
	p := ctx.Player(id)
	if m.state.Class[other] == hero || !ctx.Player(other).GiveArmor(healArmor) {
		return
	}
	ctx.Effects(game.MaskAll).Sound(ctx.Player(other).Pos(), game.SoundPickupArmor)
	if ctx.Player(other).Armor() == fullArmor {
		p.AddScore(healPoints)
		p.SetAmmo(game.WeaponGrenade, min(p.Ammo(game.WeaponGrenade)+1, 3))
	}
}

// cure turns an infected whom a medic hits with the laser into a human. It costs the medic most of
// their health.
func (m *Mode) cure(ctx *game.Ctx, id, other game.PlayerID) {
	p := ctx.Player(id)
	if rest := p.Health() + p.Armor() - m.revivalDamage; rest > 0 && ctx.TeamSize(infected) >= m.revivalMin && m.state.Cured[other] == 0 {
		p.SetHealth(rest)
		p.SetArmor(rest - 10)
		p.AddScore(revivePoints)
		ctx.Say(fmt.Sprintf("%s cured %s", p.Name(), ctx.Player(other).Name()))
		m.state.Cured[other] = 1
	}
}

// dash moves a ninja.
func (m *Mode) dash(ctx *game.Ctx, id game.PlayerID, dir vec.Vec2) {
	p := ctx.Player(id)
	if m.state.Dashes[id] >= m.dashes {
		return
	}
	m.state.Dashes[id]++
	p.SetVel(dir.Mul(dashSpeed))
	p.SetReloadTicks(game.TickRate / 2)
	ctx.Effects(game.MaskAll).Sound(p.Pos(), game.SoundNinjaFire)
}

// status returns the text about a player's class and tools.
func (m *Mode) status(ctx *game.Ctx, id game.PlayerID) string {
	k := m.state.Class[id]
	c := &classes[k]
	switch k {
	case none:
		return "Choose a class in the menu of votes, or with /class"
	case engineer:
		if e, _ := own(ctx, m.wall, id); e != nil && e.Data[built] == 1 {
			return fmt.Sprintf("%s: wall for %d s", c.title, e.Data[left]/game.TickRate+1)
		}
	case soldier:
		if e, _ := own(ctx, m.bomb, id); e != nil {
			return fmt.Sprintf("%s: %d bombs left", c.title, e.Data[left])
		}
	case scientist:
		if _, n := own(ctx, m.mine, id); n > 0 {
			return fmt.Sprintf("%s: %d of %d mines", c.title, n, m.mineLimit)
		}
	case ghost:
		if m.state.Seen[id] > 0 {
			return c.title + ": you are seen"
		}
	}
	return m.line(k)
}
