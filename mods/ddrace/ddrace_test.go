package ddrace_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
)

var tiles = map[byte]uint8{'s': 33, 'f': 34, 'c': 35, 'z': 9, 'u': 11, 'g': 200, 't': 26, 'd': 2}

func play(t *testing.T, rows ...string) *modtest.World {
	t.Helper()
	return modtest.New(t, game.Config{Mode: ddrace.New(), Terrain: modtest.ParseMap(tiles, rows...), Seed: 7})
}

// TestRace runs a race with a checkpoint, and kills the tee on the way back.
func TestRace(t *testing.T) {
	w := play(t,
		"####################",
		"#d  S  s   c    f  #",
		"####################")
	w.Play(0)
	var finish, passed []game.Event
	died := 0
	run := func(direction int32, ticks int) {
		for range ticks {
			for _, e := range w.Game.Step([]game.Command{{Kind: game.CmdInput, Player: 0, Input: game.Input{Direction: direction, TargetX: 1}}}) {
				switch e.Kind {
				case game.EvRaceFinish:
					finish = append(finish, e)
				case game.EvCheckpoint:
					passed = append(passed, e)
				case game.EvKill:
					died++
				}
			}
		}
	}
	run(1, 120)
	testenv.Require(t, len(finish) == 1 && finish[0].Record == game.RecordOfAll && finish[0].Value > 300, "finishes: %+v", finish)
	first := finish[0].Value
	run(-1, 130)
	testenv.Require(t, died > 0, "%d deaths", died)
	run(1, 250)
	testenv.Require(t, len(finish) == 2 && len(passed) == 1, "finishes: %+v, checkpoints: %+v", finish, passed)
	testenv.Check(t, finish[1].Extra == finish[1].Value-first, "the second race was %d ms slower, not %d", finish[1].Extra, finish[1].Value-first)
	score := w.Frame().Players[0].Score
	testenv.Check(t, score == min(first, finish[1].Value), "the score is %d", score)
}

// TestFrame checks the frame that players get of the simulation, and that a restored world goes on.
func TestFrame(t *testing.T) {
	w := play(t,
		"####################",
		"#S           zzz   #",
		"#    g       zzz   #",
		"####################")
	w.Play(0)
	var picked bool
	for range 60 {
		for _, e := range w.Game.Step([]game.Command{{Kind: game.CmdInput, Player: 0, Input: game.Input{Direction: 1, TargetX: 1}}}) {
			picked = picked || e.Kind == game.EvPickup && e.Weapon == game.WeaponGrenade
		}
	}
	f := w.Frame()
	testenv.Require(t, len(f.Characters) == 1 && len(f.Pickups) == 1 && f.Extended, "%d tees, %d pickups", len(f.Characters), len(f.Pickups))
	c := f.Characters[0]
	testenv.Check(t, picked && c.FreezeEnd > f.Tick && c.Flags&game.CharacterFlagInFreeze != 0, "picked %v, %+v", picked, c)
	state := w.Game.AppendState(nil)
	cfg := game.Config{Mode: ddrace.New(), Terrain: modtest.ParseMap(tiles,
		"####################",
		"#S           zzz   #",
		"#    g       zzz   #",
		"####################")}
	other := testenv.Must(game.Restore(cfg, state))
	testenv.Check(t, other.Hash() == w.Game.Hash(), "the restored world has another hash")
	for range 200 {
		w.Game.Step(nil)
		other.Step(nil)
	}
	testenv.Check(t, other.Hash() == w.Game.Hash() && bytes.Equal(other.AppendState(nil), w.Game.AppendState(nil)), "the restored world goes on differently")
}

// TestTuning checks that clients receive the tuning of zones and of tees with disabled abilities.
func TestTuning(t *testing.T) {
	terrain := modtest.ParseMap(tiles,
		"##############",
		"#S           #",
		"##############")
	terrain.Settings = []string{"tune gravity 0.4", "tune_zone 3 gravity 0.25", "tune_zone_enter 3 Light\\nhere"}
	terrain.Tune = make([]game.TuneTile, len(terrain.Tiles))
	terrain.Front = make([]uint8, len(terrain.Tiles))
	for x := 5; x < 13; x++ {
		terrain.Tune[14+x] = game.TuneTile{Number: 3, Type: 68}
		terrain.Front[14+x] = 21 // solo
	}
	w := modtest.New(t, game.Config{Mode: ddrace.New(), Terrain: terrain})
	w.Play(0)
	told := w.Game.PlayerTuning(0)
	testenv.Check(t, told[physics.Gravity] == 40 && told[physics.PlayerCollision] == 100 && told[physics.GunSpeed] == 140000, "at first: %v", told)
	var lines []string
	for range 40 {
		for _, e := range w.Game.Step([]game.Command{{Kind: game.CmdInput, Player: 0, Input: game.Input{Direction: 1, TargetX: 1}}}) {
			switch e.Kind {
			case game.EvPlayerTuning:
				told = *e.Tuning
			case game.EvChat:
				lines = append(lines, e.Text)
			}
		}
	}
	testenv.Check(t, told[physics.Gravity] == 25 && told[physics.PlayerCollision] == 0 && told[physics.PlayerHooking] == 0, "in the zone: %v", told)
	testenv.Check(t, slices.Contains(lines, "Light") && slices.Contains(lines, "here") && slices.Contains(lines, "You are now in a solo part"), "told %q",
		lines)
}

// course is a map with tiles of many kinds.
var course = modtest.ParseMap(tiles,
	"##############################",
	"#        z      g            #",
	"#   ##   z   #####   uuu     #",
	"#        z           uuu   ###",
	"#S S  s     c    t        f  #",
	"#S S  s     c         #   f  #",
	"#########  #######dd##########",
	"##############################",
)

func TestReplay(t *testing.T) {
	modtest.Match{Mode: ddrace.New, Terrain: course, Ticks: testenv.Amount[int32](1000, 3000)}.VerifyReplay(t)
}

// TestStepAllocatesNothing checks that a tick with moving players does not allocate.
func TestStepAllocatesNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	w := modtest.New(t, game.Config{Mode: ddrace.New(), Terrain: course, Seed: 3})
	w.Play(0, 1, 2, 3, 4, 5, 6, 7)
	cmds := make([]game.Command, 8)
	step := func() {
		for i := range cmds {
			n := w.Now() + int32(i)*37
			cmds[i] = game.Command{Kind: game.CmdInput, Player: game.PlayerID(i), Input: game.Input{
				Direction: n/40%3 - 1, Jump: n/15%2 == 0, Hook: n/60%2 == 0, Fire: n / 10 & 63, TargetX: n%200 - 100, TargetY: -30, WantedWeapon: n / 50 % 6,
			}}
		}
		w.Game.Step(cmds)
		w.Frame()
	}
	for range 2000 {
		step()
	}
	n := testing.AllocsPerRun(1000, step)
	testenv.Check(t, n == 0, "%v allocations per tick", n)
}

// teamMod moves player 0 to a team.
type teamMod struct{ team uint8 }

func (*teamMod) Start(*game.Setup) {}

func (m *teamMod) OnTick(ctx *game.Ctx) {
	if ctx.DDRace().Team(0) != m.team {
		ctx.DDRace().SetTeam(0, m.team)
	}
}

// TestTeamsAreTold checks that all clients receive the team of a player once, and that the message
// of a tune zone is sent to a player who enters it.
func TestTeamsAreTold(t *testing.T) {
	mod := &teamMod{}
	terrain := modtest.ParseMap(tiles,
		"####################",
		"#S                 #",
		"####################")
	terrain.Tune = make([]game.TuneTile, len(terrain.Tiles))
	for x := 8; x < 19; x++ {
		terrain.Tune[20+x] = game.TuneTile{Number: 3, Type: 68}
	}
	terrain.Settings = []string{"tune_zone 3 gravity 0.2"}
	w := modtest.New(t, game.Config{Mode: ddrace.New(), Mods: []game.Mod{mod}, Terrain: terrain, Seed: 7})
	w.Play(0, 1)
	var teams []int32
	var gravity []int32
	for tick := range 120 {
		mod.team = uint8(tick / 40 * 3)
		for _, e := range w.Game.Step([]game.Command{{Kind: game.CmdInput, Player: 0, Input: game.Input{Direction: 1, TargetX: 1}}}) {
			switch {
			case e.Kind == game.EvDDRaceTeam && e.Player == 0 && e.To == game.MaskAll:
				teams = append(teams, e.Value)
			case e.Kind == game.EvPlayerTuning && e.Player == 0:
				gravity = append(gravity, e.Tuning[physics.Gravity])
			}
		}
	}
	testenv.Check(t, slices.Equal(teams, []int32{3, 6}), "told the teams %v", teams)
	testenv.Check(t, w.Frame().Players[0].DDRaceTeam == 6, "the team is %d", w.Frame().Players[0].DDRaceTeam)
	testenv.Check(t, len(gravity) > 0 && gravity[len(gravity)-1] == 20, "told the gravities %v", gravity)
}
