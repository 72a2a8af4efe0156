package ddrace

import (
	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/game/vec"
)

// aimTelegun sets the destination to which a projectile takes an owner with a telegun.
func (w *World) aimTelegun(p *Projectile, owner, target *Tee, wall bool, hit, before, cur Vec) {
	if w.m.outside(hit) || !(p.Weapon == WeaponGrenade && owner.Telegrenade || p.Weapon == WeaponGun && owner.Telegun) {
		return
	}
	place := hit
	if target != nil {
		place = target.Pos
	}
	allowed, blue := w.m.telegunTile(w.m.pureIndex(place), p.Weapon)
	if !allowed && target == nil {
		return
	}
	to, ok := w.m.freeAround(place)
	if wall {
		to, ok = w.m.freeBefore(before, cur)
	}
	if ok {
		owner.teleported, owner.teleportTo, owner.teleportBlue = true, to, blue
	}
}

// telegunTile reports whether a tile is a destination for the owner of a weapon, and whether the
// owner keeps the velocity there.
func (m *Map) telegunTile(i int32, weapon Weapon) (allowed, blue bool) {
	f, s := m.frontAt(i), m.switchTile(i)
	allowed, blue = f == tileTelePoint || f == tileTeleBlue, f == tileTeleBlue
	if s.Type == tileTelePoint || s.Type == tileTeleBlue {
		if fitsWeapon(s, weapon) {
			return true, blue || s.Type == tileTeleBlue
		}
	}
	return allowed, blue
}

// fitsWeapon reports whether a switch tile that teleguns aim at is for a weapon.
func fitsWeapon(s terrain.SwitchTile, weapon Weapon) bool {
	switch s.Delay {
	case 1:
		return weapon == WeaponGun
	case 2:
		return weapon == WeaponGrenade
	case 3:
		return weapon == WeaponLaser
	}
	return true
}

// fits reports whether there is room for a tee.
func (m *Map) fits(p Vec) bool {
	const half = teeSize / 2
	return !m.walls.IsSolid(Vec{X: p.X - half, Y: p.Y - half}) && !m.walls.IsSolid(Vec{X: p.X + half, Y: p.Y - half}) &&
		!m.walls.IsSolid(Vec{X: p.X - half, Y: p.Y + half}) && !m.walls.IsSolid(Vec{X: p.X + half, Y: p.Y + half})
}

// freeAround returns the first place with room for a tee on a short way down past p.
func (m *Map) freeAround(p Vec) (to Vec, ok bool) {
	for up := 5; up >= -1; up-- {
		to = Vec{X: p.X, Y: p.Y - float32(up)}
		if m.fits(to) {
			return to, true
		}
	}
	return to, false
}

// freeBefore returns a place with room for a tee in the tile before a wall. The shot comes from
// from.
func (m *Map) freeBefore(p, from Vec) (to Vec, ok bool) {
	for range 16 {
		if !m.walls.IsSolid(p) {
			break
		}
		p = p.Sub(normalize(from.Sub(p)))
	}
	x, y := vec.Round(p.X), vec.Round(p.Y)
	inX, inY := x%tileSize, y%tileSize
	aside := Vec{X: beside(float32(x), float32(inX)), Y: beside(float32(y), float32(inY))}
	for _, to := range [...]Vec{{X: aside.X, Y: p.Y}, {X: p.X, Y: aside.Y}, aside} {
		if m.fits(to) {
			return to, true
		}
	}
	return to, false
}

// beside returns a coordinate near the middle of the tile that contains v, on the side of v. in is
// v's offset in the tile.
func beside(v, in float32) float32 {
	middle := v - in + tileSize/2
	if in < tileSize/2 {
		return middle - 2
	}
	return middle + 1
}
