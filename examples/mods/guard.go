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
func (m *Guard) Start(tx *game.Tx) {
	const armor = 197 // index of the tile
	for pos := range tx.FindTiles(armor) {
		m.post = pos
		tx.AddNPC(game.NPC{Tag: 1})
		break
	}
}

// OnSpawn implements game.SpawnHook.
func (m *Guard) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	if _, ok := ctx.NPC(id); ok {
		ctx.SetPos(id, m.post)
		ctx.SetAmmo(id, game.WeaponGun, -1)
	}
}

// OnTick implements game.TickHook.
func (m *Guard) OnTick(ctx *game.Ctx) {
	for id := range ctx.Players() {
		if _, ok := ctx.NPC(id); !ok || !ctx.Alive(id) {
			continue
		}
		var in game.Input
		at := ctx.NearestCharacter(ctx.Pos(id), 500, game.MaskOne(id))
		if at != game.Nobody && !ctx.WallBetween(ctx.Pos(id), ctx.Pos(at)) {
			aim := ctx.Pos(at).Sub(ctx.Pos(id))
			in.TargetX, in.TargetY = int32(aim.X), int32(aim.Y)
			in.Fire = ctx.Tick() / 10 & 63 // the gun fires while the number is odd
		}
		ctx.SetInput(id, in)
	}
}
