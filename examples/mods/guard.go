package mods

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// Guard adds an NPC that stands where the map has armor and shoots at players who come near.
type Guard struct{ post vec.Vec2 }

// NewGuard makes the mod.
func NewGuard() game.Mod { return &Guard{} }

// Start implements game.Mod.
func (m *Guard) Start(setup *game.Setup) {
	const armor = 197 // index of the tile
	for pos := range setup.Map().FindTiles(armor) {
		m.post = pos
		setup.AddNPC(game.NPC{Tag: 1})
		break
	}
}

// OnSpawn implements game.SpawnHook.
func (m *Guard) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	if _, ok := p.NPC(); ok {
		p.SetPos(m.post)
		p.SetAmmo(game.WeaponGun, -1)
	}
}

// OnTick implements game.TickHook.
func (m *Guard) OnTick(ctx *game.Ctx) {
	for p := range ctx.Players() {
		if _, ok := p.NPC(); !ok || !p.Alive() {
			continue
		}
		var in game.Input
		target, ok := ctx.NearestPlayer(p.Pos(), 500, game.MaskOne(p.ID()))
		if ok && !ctx.Map().WallBetween(p.Pos(), target.Pos()) {
			aim := target.Pos().Sub(p.Pos())
			in.TargetX, in.TargetY = int32(aim.X), int32(aim.Y)
			in.Fire = ctx.Tick() / 10 & 63 // the gun fires while the number is odd
		}
		p.SetInput(in)
	}
}
