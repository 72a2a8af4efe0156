package server

import (
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// everyHook is a mod with every hook. It counts the calls for each player and changes nothing.
type everyHook struct {
	state struct {
		Calls  game.PerPlayer[int32]
		Others int32
	}
}

func (*everyHook) Start(*game.Setup) {}

func (m *everyHook) State() any { return &m.state }

func (m *everyHook) count(id game.PlayerID) {
	if id >= 0 {
		m.state.Calls[id]++
	} else {
		m.state.Others++
	}
}

func (m *everyHook) OnDamage(_ *game.Ctx, d *game.Damage)                            { m.count(d.Victim) }
func (m *everyHook) OnDamageTaken(_ *game.Ctx, d *game.Damage)                       { m.count(d.Attacker) }
func (m *everyHook) OnDeath(_ *game.Ctx, d *game.Death)                              { m.count(d.Killer) }
func (m *everyHook) OnSelfKill(_ *game.Ctx, id game.PlayerID)                        { m.count(id) }
func (m *everyHook) OnEmoticon(_ *game.Ctx, id game.PlayerID, _ int32)               { m.count(id) }
func (m *everyHook) OnSpawn(_ *game.Ctx, id game.PlayerID)                           { m.count(id) }
func (m *everyHook) OnPickup(_ *game.Ctx, id game.PlayerID, _ game.PickupKind)       { m.count(id) }
func (m *everyHook) OnChat(_ *game.Ctx, c *game.ChatMessage)                         { m.count(c.From) }
func (m *everyHook) OnInput(_ *game.Ctx, id game.PlayerID, _ *game.Input)            { m.count(id) }
func (m *everyHook) OnFire(_ *game.Ctx, id game.PlayerID, _ game.Weapon, _ vec.Vec2) { m.count(id) }
func (m *everyHook) OnEnter(_ *game.Ctx, id game.PlayerID)                           { m.count(id) }
func (m *everyHook) OnRename(_ *game.Ctx, id game.PlayerID)                          { m.count(id) }
func (m *everyHook) OnLeave(_ *game.Ctx, id game.PlayerID)                           { m.count(id) }
func (m *everyHook) OnTeam(_ *game.Ctx, id game.PlayerID, _ game.Team)               { m.count(id) }
func (m *everyHook) OnTick(*game.Ctx)                                                { m.count(game.Nobody) }
func (m *everyHook) OnEntity(*game.Ctx, uint8, vec.Vec2)                             { m.count(game.Nobody) }
func (m *everyHook) OnTile(_ *game.Ctx, id game.PlayerID, _ uint8)                   { m.count(id) }
func (m *everyHook) OnRoundStart(*game.Ctx)                                          { m.count(game.Nobody) }
func (m *everyHook) OnFlagReturn(*game.Ctx, game.Team)                               { m.count(game.Nobody) }
func (m *everyHook) OnFinish(_ *game.Ctx, f *game.RaceFinish)                        { m.count(f.Player) }
func (m *everyHook) OnStored(*game.Ctx, *game.StoreAnswer)                           { m.count(game.Nobody) }
func (m *everyHook) JoinTeam(_ *game.Ctx, r *game.TeamRequest)                       { m.count(r.Player) }
func (m *everyHook) PickSpawn(_ *game.Ctx, id game.PlayerID) (pos vec.Vec2, ok bool) {
	m.count(id)
	return pos, false
}
func (m *everyHook) CanStartMatch(_ *game.Ctx, enough bool) bool { return enough }
func (m *everyHook) CanBeMoved(*game.Ctx, game.PlayerID) bool    { return true }

// everyHooks returns a configuration with so many of these mods.
func everyHooks(n int) (cfg Config) {
	for range n {
		cfg.Mods = append(cfg.Mods, func() game.Mod { return &everyHook{} })
	}
	return cfg
}

// BenchmarkMods is Tick with 64 players and one or five mods that have every hook: a server for
// each, in turns, the same inputs. Ratios are to none.
func BenchmarkMods(b *testing.B) {
	const clients = 64
	counts := [...]int{0, 1, 5}
	var servers [len(counts)]*benchServer
	var spent [len(counts)][]float64
	for i, n := range counts {
		servers[i] = newBenchServerWith(b, everyHooks(n), clients, clients, only(player07), "sv_map testbox")
	}
	for b.Loop() {
		for i, bs := range servers {
			spent[i] = append(spent[i], float64((bs.tick()+bs.tick()).Nanoseconds())/2)
		}
	}
	b.ReportMetric(0, "ns/op")
	none := percentile(spent[0], 50)
	b.ReportMetric(none, "none-ns/tick")
	for i, n := range counts[1:] {
		b.ReportMetric(percentile(spent[i+1], 50)/none, fmt.Sprintf("%d-ratio", n))
	}
}

// TestModsAllocateNothing runs ticks of 64 players with five mods that have every hook.
func TestModsAllocateNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	var mods []*everyHook
	var cfg Config
	for range 5 {
		cfg.Mods = append(cfg.Mods, func() game.Mod {
			mods = append(mods, &everyHook{})
			return mods[len(mods)-1]
		})
	}
	bs := newBenchServerWith(t, cfg, 64, 64, only(player07), "sv_map testbox")
	w := bs.srv.world
	var cmds []game.Command
	for id := range game.PlayerID(64) {
		cmds = append(cmds, game.Command{Kind: game.CmdDirectInput, Player: id}, game.Command{Kind: game.CmdInput, Player: id})
	}
	fire := int32(0)
	n := testing.AllocsPerRun(200, func() {
		fire++
		for i := range cmds {
			cmds[i].Input = game.Input{TargetX: 100, Fire: fire, Direction: fire/50%3 - 1}
		}
		w.Step(cmds)
		w.Hash()
	})
	calls := 0
	for _, m := range mods {
		calls += int(m.state.Calls[0])
	}
	testenv.Check(t, n == 0 && calls > 5*2*200, "%v allocations in a tick, %d calls", n, calls)
}
