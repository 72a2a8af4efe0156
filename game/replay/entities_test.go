package replay

import (
	"bytes"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// mines is a mod whose players lay a mine where they spawn. The mine hits players who come later.
type mines struct{ kind game.KindID }

func (m *mines) Start(setup *game.Setup) {
	m.kind = setup.AddEntityKind(game.EntityKind{Tick: func(ctx *game.Ctx, e *game.Entity) {
		e.Data[0]++
		if _, near := ctx.NearestPlayer(e.Pos, 10, game.MaskOne(e.Owner)); near && e.Data[0] > 50 {
			ctx.Explode(e.Pos, e.Owner, game.WeaponGrenade, 4)
			ctx.SpawnPickup(game.PickupShotgun, e.Pos, game.Once)
			e.Remove()
		}
	}})
}

func (m *mines) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	ctx.SpawnEntity(m.kind, game.Entity{Pos: ctx.Player(id).Pos().Add(vec.Vec2{X: float32(ctx.Rand(50))}), Owner: id})
}

func TestMatchWithEntitiesVerifies(t *testing.T) {
	h := header(&mines{})
	made := 0
	cfg := VerifyConfig{Modes: modes, Mods: []func() game.Mod{func() game.Mod { return &mines{} }}}
	w := testenv.Must(h.NewWorld(cfg))
	var out bytes.Buffer
	wr := testenv.Must(NewWriter(&out, h))
	b := bots.Bots{Rand: 4}
	for i := range 2000 {
		cmds := b.Commands(8)
		if i < 8 {
			cmds = bots.Join(game.PlayerID(i))
		}
		testenv.NoError(t, wr.RecordTick(cmds))
		for _, e := range w.Step(cmds) {
			if e.Kind == game.EvExplosion {
				made++
			}
		}
		testenv.NoError(t, wr.AfterStep(w))
	}
	testenv.NoError(t, wr.Close(w, EndMapChange))
	res, err := Verify(testenv.Must(NewReader(bytes.NewReader(out.Bytes()))), cfg)
	testenv.NoError(t, err)
	testenv.Check(t, made > 0 && res.HashesMatched > 3, "%d mines, %d hashes", made, res.HashesMatched)
}
