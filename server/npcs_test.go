package server

import (
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testenv"
)

// garrison is a mod with an NPC that runs to and fro and one that a bot plays. It removes them
// after a while.
type garrison struct {
	state struct {
		Runner, Fighter game.PlayerID
		Ticks, Left     int32
	}
}

func (m *garrison) Start(setup *game.Setup) {
	m.state.Runner, m.state.Fighter = game.Nobody, game.Nobody
	setup.AddNPC(game.NPC{Profile: game.Profile{Name: "runner"}, Tag: 1})
	setup.AddNPC(game.NPC{Profile: game.Profile{Name: "fighter"}, Skill: 3, Tag: 2})
}

func (m *garrison) State() any { return &m.state }

func (m *garrison) OnEnter(ctx *game.Ctx, id game.PlayerID) {
	switch tag, _ := ctx.Player(id).NPC(); tag {
	case 1:
		m.state.Runner = id
	case 2:
		m.state.Fighter = id
	}
}

func (m *garrison) OnLeave(ctx *game.Ctx, id game.PlayerID) {
	if _, ok := ctx.Player(id).NPC(); ok {
		m.state.Left++
	}
}

func (m *garrison) OnTick(ctx *game.Ctx) {
	if m.state.Runner == game.Nobody {
		return
	}
	m.state.Ticks++
	ctx.Player(m.state.Runner).SetInput(game.Input{Direction: 1 - m.state.Ticks/50%2*2, TargetX: 1})
	if m.state.Ticks == 500 {
		ctx.Player(m.state.Runner).RemoveNPC()
		ctx.Player(m.state.Fighter).RemoveNPC()
		m.state.Runner = game.Nobody
	}
}

// TestNPCs plays beside the players that a mod has: they come with the first client, they
// play as the mod or a bot does, they go, and the match verifies.
func TestNPCs(t *testing.T) {
	testenv.OneGoroutine(t)
	var log memoryReplays
	var m *garrison
	mods := []func() game.Mod{func() game.Mod { m = &garrison{}; return m }}
	tn := newTestNetworkWith(t, netsim.Link{Delay: time.Millisecond}, 1, Config{Replays: &log, Mods: mods},
		"sv_replay 1; sv_bots 8; sv_player_slots 4; sv_player_ready_mode 1")
	tn.waitForNav()
	tn.run(time.Second)
	if n := tn.srv.world.NumConnected(); n != 0 {
		t.Fatalf("%d NPCs play for nobody", n)
	}
	alice := tn.join(1, "alice")
	tn.until(2*time.Second, "alice, two NPCs and a bot", func() bool {
		return tn.srv.bots.Count() == 3 && len(botNamesOf(alice)) == 3 && m.state.Runner != game.Nobody
	})
	alicesReady := game.Command{Kind: game.CmdReady, Player: game.PlayerID(alice.ID()), Target: game.Nobody}
	tn.srv.queueCommand(alicesReady)
	tn.run(40 * time.Millisecond)
	runner, _ := tn.srv.world.Player(m.state.Runner)
	testenv.Check(t, !runner.Ready, "the game goes on although alice is not ready")
	tn.run(1500 * time.Millisecond)
	runner, _ = tn.srv.world.Player(m.state.Runner)
	testenv.Check(t, runner.Ready, "the match waits for an NPC to be ready")
	tn.srv.queueCommand(alicesReady)
	// As after a restart, when the world is restored:
	before := tn.srv.bots
	tn.srv.bots = newBots(tn.srv)
	tn.srv.bots.Settings = before.Settings
	for id := range game.PlayerID(game.MaxPlayers) {
		if before.Has(id) && !tn.srv.world.NPCs().Has(id) {
			tn.srv.bots.Restore(id, tn.srv.now)
		}
	}
	tn.waitForNav()
	tn.run(100 * time.Millisecond)
	b := tn.srv.bots
	testenv.Check(t, b.Count() == 3 && b.IsAnnounced(m.state.Runner) && b.IsAnnounced(m.state.Fighter), "%d bots", b.Count())
	left, right, fought := float32(1e9), float32(0), 0
	for range 400 {
		tn.run(20 * time.Millisecond)
		for _, c := range tn.srv.world.Frame().Characters {
			switch c.Player {
			case m.state.Runner:
				left, right = min(left, c.Pos.X), max(right, c.Pos.X)
			case m.state.Fighter:
				if c.AttackTick > 0 {
					fought++
				}
			}
		}
	}
	testenv.Check(t, right-left > 64 && fought > 0, "the runner ran %v units, the fighter fought in %d ticks", right-left, fought)
	tn.until(5*time.Second, "the bot alone", func() bool { return tn.srv.bots.Count() == 1 && len(botNamesOf(alice)) == 1 })
	testenv.Check(t, m.state.Left == 2 && tn.srv.world.NPCs().IsEmpty(), "%d left", m.state.Left)
	tn.srv.record.Close(replay.EndShutdown)
	names, _ := log.Names()
	res, err := replay.Verify(log.reader(t, names[0]), replay.VerifyConfig{Modes: builtin.Modes().New, Mods: mods})
	testenv.Check(t, err == nil && res.HashesMatched > 1, "%+v: %v", res, err)
}
