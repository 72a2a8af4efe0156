package dm_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"

	"github.com/teeyard/teeyard/internal/testenv"
)

// lethalHits is a mod in which every hit kills.
type lethalHits struct{}

func (lethalHits) Start(*game.Setup)                    {}
func (lethalHits) OnDamage(_ *game.Ctx, d *game.Damage) { d.Amount = 20 }

// shoot lets player 0 shoot at player 1 once.
func shoot(w *game.World, fire *int32) (kills, ends int) {
	for range 2 {
		*fire = (*fire + 1) & 63
		for range 10 {
			in := game.Input{TargetX: 100, Fire: *fire}
			for _, e := range w.Step([]game.Command{
				{Kind: game.CmdDirectInput, Player: 0, Input: in},
				{Kind: game.CmdInput, Player: 0, Input: in},
				{Kind: game.CmdDirectInput, Player: 1, Input: game.Input{Fire: *fire}},
			}) {
				switch e.Kind {
				case game.EvKill:
					kills++
				case game.EvMatchEnd:
					ends++
				}
			}
		}
	}
	return kills, ends
}

func TestDeathmatch(t *testing.T) {
	r := game.DefaultRules()
	r.ScoreLimit = 3
	w, err := game.New(game.Config{
		Terrain: bots.ParseMap(
			"#########",
			"#S     S#",
			"#########",
		),
		Mode: dm.Mode{}, Mods: []game.Mod{lethalHits{}}, Rules: r,
	})
	if err != nil {
		t.Fatal(err)
	}
	testenv.Check(t, w.ModeName() == "DM" && w.GameFlags() == 0, "mode %q, flags %b", w.ModeName(), w.GameFlags())
	w.Step(append(bots.Join(0), bots.Join(1)...))
	for range 50 {
		w.Step(nil)
	}
	fire, kills, ends := int32(0), 0, 0
	for range 30 {
		k, e := shoot(w, &fire)
		kills += k
		ends += e
		if p, _ := w.Player(0); ends == 0 && int(p.Score) != kills {
			t.Fatalf("score %d after %d kills", p.Score, kills)
		}
		if ends > 0 {
			break
		}
	}
	testenv.Check(t, kills == 3 && ends == 1, "%d kills, %d ends; the limit is 3", kills, ends)
}

func TestSuicideCostsAPoint(t *testing.T) {
	w, err := game.New(game.Config{Terrain: bots.Arena(), Mode: dm.Mode{}, Rules: bots.Rules()})
	if err != nil {
		t.Fatal(err)
	}
	w.Step(bots.Join(0))
	w.Step([]game.Command{{Kind: game.CmdKill, Player: 0}})
	if p, _ := w.Player(0); p.Score != -1 || p.Alive {
		t.Errorf("player %+v", p)
	}
}
