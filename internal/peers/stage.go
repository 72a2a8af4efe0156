package peers

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// Stage is a mod that spawns players at fixed places, by their names, with a fixed weapon that is
// always loaded. It prevents tees from being pushed away or dying.
type Stage map[string]Place

// Place is the place of a player on a Stage, in tiles.
type Place struct {
	X, Y   float32
	Weapon game.Weapon
}

// Start implements game.Mod.
func (Stage) Start(*game.Setup) {}

// PickSpawn implements game.SpawnPicker.
func (s Stage) PickSpawn(ctx *game.Ctx, id game.PlayerID) (vec.Vec2, bool) {
	p, ok := s[ctx.Player(id).Name()]
	return vec.Vec2{X: p.X * 32, Y: p.Y * 32}, ok
}

// OnTick implements game.TickHook.
func (s Stage) OnTick(ctx *game.Ctx) {
	for p := range ctx.Players() {
		p.GiveWeapon(s[p.Name()].Weapon, 10)
	}
}

// OnDamage implements game.DamageHook.
func (Stage) OnDamage(ctx *game.Ctx, d *game.Damage) {
	d.Force = vec.Vec2{}
	if ctx.Player(d.Victim).Health() <= d.Amount {
		d.Amount = 0
	}
}

// NewSkin returns a skin of part names, from body to eyes, with one colour for all parts.
func NewSkin(color int32, parts ...string) game.Skin {
	var s game.Skin
	for i, p := range parts {
		s.PartNames[i] = p
		s.UseCustomColors[i] = i != 5
		s.PartColors[i] = color
		if i == 1 {
			s.PartColors[i] = -1<<24 | (color + 40) // lighter and opaque
		}
	}
	return s
}
