package ddrace_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/game"
	engine "github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
)

// TestPrediction predicts tees from one frame to the next, as clients do. With the inputs of all
// players the prediction is always right; without them it is not.
func TestPrediction(t *testing.T) {
	index := map[byte]uint8{'z': 9, 'u': 11, 'g': 200, 'j': 106, 'r': 32, 'w': 16, 'o': 21, 'p': 22, 'e': 17, '^': 60, 'l': 144, 'k': 145}
	terrain := modtest.ParseMap(index,
		"##############################",
		"#   S  zu     j      o     p #",
		"#   S         j      o     p #",
		"#  ###    ##    e    ###  w  #",
		"#      rr  z  ^^^       l   k#",
		"#   g     u      u  z   k   k#",
		"##############################")
	w := modtest.New(t, game.Config{Mode: ddrace.New(), Seed: 7, Terrain: terrain})
	w.Play(0)
	w.Play(1)
	prepared := testenv.Must(game.NewDDRacePredictionMap(&terrain))
	knows, guesses := game.NewDDRacePrediction(prepared), game.NewDDRacePrediction(prepared)
	copied := game.NewDDRacePrediction(prepared)
	r := rand.New(rand.NewPCG(1, 2))
	var inputs [2]game.Input
	wrong, guessed, compared, frozen, copies := 0, 0, 0, 0, 0
	killed := game.Nobody
	for tick := range 6000 {
		var cmds []game.Command
		for id := range inputs {
			in := &inputs[id]
			if r.IntN(15) == 0 {
				*in = game.Input{Direction: int32(r.IntN(3) - 1), Jump: r.IntN(2) == 0, Hook: r.IntN(2) == 0, WantedWeapon: int32(r.IntN(5)), Fire: in.Fire}
				in.Fire = (in.Fire + int32(r.IntN(2))) & 63
			}
			in.TargetX, in.TargetY = int32(r.IntN(401)-200), int32(r.IntN(401)-200)
			cmds = append(cmds, game.Command{Kind: game.CmdInput, Player: game.PlayerID(id), Input: *in})
			knows.SetInput(game.PlayerID(id), in)
		}
		if tick%250 == 200 {
			killed = game.PlayerID(tick / 250 % 2) // so that no tee stays frozen
			cmds = append(cmds, game.Command{Kind: game.CmdKill, Player: killed})
		}
		w.Game.Step(cmds)
		knows.Step()
		guesses.Step()
		if tick%2 == 1 {
			continue
		}
		v := w.Game.View(0)
		for i := range v.Characters {
			c := &v.Characters[i]
			core, ok := knows.Core(c.Player)
			if !ok || c.Player == killed {
				continue
			}
			compared++
			if c.FreezeEnd != 0 {
				frozen++
			}
			if core.Pos != c.Pos {
				wrong++
			}
			if core, _ := guesses.Core(c.Player); core.Pos != c.Pos {
				guessed++
			}
			if core, ok := copied.Core(c.Player); ok && core.Pos == c.Pos {
				copies++
			}
		}
		killed = game.Nobody
		knows.Show(&v, 0)
		guesses.Show(&v, game.Nobody)
		copied.CopyFrom(knows)
		for id := range inputs {
			copied.SetInput(game.PlayerID(id), &inputs[id])
		}
		copied.Step()
		copied.Step()
	}
	testenv.Check(t, compared > 5000 && frozen > 300, "%d compared, %d frozen", compared, frozen)
	testenv.Check(t, wrong == 0, "%d of %d are elsewhere", wrong, compared)
	testenv.Check(t, guessed > 400 && copies > 1000, "%d of %d guesses were wrong, %d of those of copies right", guessed, compared, copies)
}

// TestPredictionFollowsTuning predicts a tee while the tuning of the world changes, and in a tune
// zone that the settings of the map do not describe. The prediction is right again once the client
// has received the tuning.
func TestPredictionFollowsTuning(t *testing.T) {
	terrain := modtest.ParseMap(tiles,
		"########################",
		"#  S                   #",
		"#                      #",
		"########################")
	terrain.Tune = make([]game.TuneTile, len(terrain.Tiles))
	for i := range terrain.Tune {
		if x := i % terrain.Width; x >= 10 && x < 18 {
			terrain.Tune[i] = game.TuneTile{Number: 3, Type: 68}
		}
	}
	c := new(chooser)
	w := modtest.New(t, game.Config{Mode: ddrace.New(), Mods: []game.Mod{c}, Seed: 7, Terrain: terrain})
	w.Play(0)
	prepared := testenv.Must(game.NewDDRacePredictionMap(&terrain))
	told, deaf := game.NewDDRacePrediction(prepared), game.NewDDRacePrediction(prepared)
	var inZone bool
	var wrong, wrongDeaf int
	for tick := range 1000 {
		in := game.Input{TargetX: 1, Direction: int32(1 - 2*(tick/60%2)), Jump: tick%40 < 3}
		if tick == 300 || tick == 600 { // outside the zone and inside it
			c.do = func(tx *game.Tx) {
				s := tx.DDRace().Settings()
				changed := *s
				changed.Tuning[engine.Gravity] = 20
				changed.Zones = slices.Repeat([]engine.Tuning{engine.DefaultTuning()}, engine.NumZones)
				changed.Zones[3][engine.Gravity] = int32(100 + tick)
				tx.DDRace().SetSettings(changed)
				tx.DDRace().TellTuning(0)
			}
		}
		w.Game.Step([]game.Command{{Kind: game.CmdInput, Player: 0, Input: in}})
		for _, p := range []*game.DDRacePrediction{told, deaf} {
			p.SetInput(0, &in)
			p.Step()
		}
		if tick%2 == 1 {
			continue
		}
		v := w.Game.View(0)
		testenv.Require(t, len(v.Characters) == 1, "there is no tee")
		shown := &v.Characters[0]
		if core, ok := told.Core(0); ok && core.Pos != shown.Pos {
			wrong++
		}
		if core, ok := deaf.Core(0); ok && core.Pos != shown.Pos {
			wrongDeaf++
		}
		zone := terrain.Tune[int(shown.Pos.Y)/32*terrain.Width+int(shown.Pos.X)/32].Number
		inZone = inZone || zone != 0
		told.Show(&v, 0)
		deaf.Show(&v, 0)
		tuning, params := w.Game.DDRaceTuning(0)
		told.Tell(&tuning, params, 0)
	}
	testenv.Check(t, inZone && wrong <= 5 && wrongDeaf > 50, "in the zone: %v, wrong %d times, without the messages %d times", inZone, wrong, wrongDeaf)
}

// TestPredictionFollowsRelease predicts a tee on a server with the physics of DDNet 20. The client
// learns that from the number of tuning parameters, not from the map.
func TestPredictionFollowsRelease(t *testing.T) {
	terrain := modtest.ParseMap(tiles,
		"########################",
		"#  S                   #",
		"#                      #",
		"########################")
	played := terrain
	played.Settings = []string{"sv_ddnet_physics 20", "tune ground_elasticity_x 0.9", "tune ground_elasticity_y 0.7"}
	w := modtest.New(t, game.Config{Mode: ddrace.New(), Seed: 7, Terrain: played})
	w.Play(0)
	prepared := testenv.Must(game.NewDDRacePredictionMap(&terrain))
	told, old := game.NewDDRacePrediction(prepared), game.NewDDRacePrediction(prepared)
	var wrong, wrongOld int
	for tick := range 600 {
		in := game.Input{TargetX: 1, Direction: int32(1 - 2*(tick/60%2)), Jump: tick%40 < 3}
		w.Game.Step([]game.Command{{Kind: game.CmdInput, Player: 0, Input: in}})
		v := w.Game.View(0)
		testenv.Require(t, len(v.Characters) == 1, "there is no tee")
		tuning, params := w.Game.DDRaceTuning(0)
		for p, wrong := range map[*game.DDRacePrediction]*int{told: &wrong, old: &wrongOld} {
			p.SetInput(0, &in)
			p.Step()
			if core, ok := p.Core(0); ok && core.Pos != v.Characters[0].Pos {
				*wrong++
			}
			p.Show(&v, 0)
			p.Tell(&tuning, map[*game.DDRacePrediction]int{told: params, old: engine.NumTuneParams16}[p], 0)
		}
	}
	testenv.Check(t, wrong <= 2 && wrongOld > 20, "wrong %d times, without the two parameters %d times", wrong, wrongOld)
}

// TestPredictionAllocates checks that a running prediction does not allocate.
func TestPredictionAllocates(t *testing.T) {
	terrain := modtest.ParseMap(tiles, "####", "#SS#", "####")
	w := modtest.New(t, game.Config{Mode: ddrace.New(), Terrain: terrain})
	w.Play(0, 1)
	prepared := testenv.Must(game.NewDDRacePredictionMap(&terrain))
	p, q := game.NewDDRacePrediction(prepared), game.NewDDRacePrediction(prepared)
	v := w.Game.View(0)
	in := game.Input{Direction: 1, TargetX: 1}
	n := testing.AllocsPerRun(100, func() {
		p.Show(&v, 0)
		q.CopyFrom(p)
		q.SetInput(0, &in)
		q.Step()
	})
	testenv.Check(t, n == 0, "%v allocations", n)
}

// TestPredictionOfNonsense predicts from invalid frames, which must not fail.
func TestPredictionOfNonsense(t *testing.T) {
	terrain := modtest.ParseMap(tiles, "##########", "# S z u g#", "# t s f d#", "##########")
	p := game.NewDDRacePrediction(testenv.Must(game.NewDDRacePredictionMap(&terrain)))
	r := rand.New(rand.NewPCG(3, 4))
	any32 := func() int32 {
		n := int32(r.Uint32()) >> r.IntN(32)
		if r.IntN(2) == 0 {
			n = int32(r.IntN(320))
		}
		return n
	}
	stepped := 0
	for range 1000 {
		f := &game.Frame{Tick: any32(), Game: game.GameState{Flags: game.GameFlagDDRace | game.GameFlags(r.IntN(2)<<5)}}
		v := game.View{Frame: f}
		for id := range game.PlayerID(64) {
			if r.IntN(4) > 0 {
				continue
			}
			f.Players = append(f.Players, game.PlayerState{ID: id, DDRaceTeam: int32(r.IntN(65))})
			f.Characters = append(f.Characters, game.CharacterState{
				Player: id, X: any32(), Y: any32(), VelX: any32(), VelY: any32(), Direction: any32(), Jumped: any32(), HookedPlayer: any32(),
				HookState: any32(), HookTick: any32(), HookX: any32(), HookY: any32(), HookDX: any32(), HookDY: any32(), Weapon: game.Weapon(any32()),
				AttackTick: any32(), Flags: game.CharacterFlags(r.Uint32()), FreezeStart: any32(), FreezeEnd: any32(), Jumps: any32(), AirJumps: any32(),
				TickOrder: any32(), NinjaStart: any32(), TargetX: any32(), TargetY: any32(), TeleCheckpoint: any32(),
			})
		}
		p.Show(&v, 0)
		for range 3 {
			in := game.Input{Direction: any32(), TargetX: any32(), TargetY: any32(), Fire: any32(), Hook: true, WantedWeapon: any32(), NextWeapon: any32(),
				PrevWeapon: any32()}
			p.SetInput(0, &in)
			p.Step()
			stepped++
		}
	}
	testenv.Check(t, stepped == 3000, "%d steps", stepped)
}
