package servertest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// healer is a mod with a chat command.
type healer struct{ amount int32 }

func (m *healer) Start(setup *game.Setup) {
	setup.IntVar(game.IntVar{Name: "heal_amount", Help: "Hearts of a heal", Value: &m.amount, Default: 1, Min: 1, Max: 10})
	setup.ChatCommand(game.CommandSpec{Name: "heal", Help: "Heals you", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		ctx.Player(c.Player).Heal(m.amount)
		c.Reply(ctx, strings.Repeat("heart ", int(m.amount)))
	}})
}

// TestMod tests a mod with a client, as the authors of mods do.
func TestMod(t *testing.T) {
	s := servertest.New(t, server.Config{Mods: []func() game.Mod{func() game.Mod { return new(healer) }}}, "sv_map testbox")
	alice := s.Join("alice")
	s.Console("heal_amount 3")
	s.Step(1)
	alice.Say("/heal")
	s.Step(10)
	if !alice.Heard("heart heart heart") {
		t.Errorf("alice heard %q; the log is\n%s", alice.Chat(), s.Log)
	}
}

// TestNetworks checks that players of both versions meet on an ideal network, on a bad one, and on
// sockets.
func TestNetworks(t *testing.T) {
	bad := servertest.Link{Loss: 0.05, Delay: 20 * time.Millisecond, Jitter: 20 * time.Millisecond}
	for name, s := range map[string]*servertest.Server{
		"ideal": servertest.New(t, server.Config{}, "sv_map testbox"), "bad": servertest.Over(t, bad, server.Config{}, "sv_map testbox"),
	} {
		alice, bob := s.Join("alice"), s.JoinAs(client.Config{Name: "bob", Version: client.Version06})
		raw := s.Enter(servertest.IP(1), "carol")
		s.Stall(100 * time.Millisecond)
		alice.Say("hello")
		servertest.WaitFor(bob, 5*time.Second, func(e event.Chat) bool { return e.From.Name == "alice" && e.Text == "hello" })
		s.Idle(10)
		if e, ok := servertest.LastEvent[event.Chat](alice); !ok || e.Text != "hello" ||
			s.State(raw) != server.ClientInGame || len(s.World().Frame().Players) != 3 {
			t.Errorf("%s: %v, carol %q, players %v", name, e, s.State(raw), s.World().Frame().Players)
		}
		if got := s.Console("status"); !strings.Contains(got, "name=\"carol\"") && !strings.Contains(got, "carol") {
			t.Errorf("%s: status says %q", name, got)
		}
	}
	s := servertest.Start(t, server.Config{}, "sv_map testbox")
	c, err := client.Dial(t.Context(), s.Addr().String(), client.Config{Name: "dave", Maps: client.NewMaps("-")})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := s.Console("status"); !strings.Contains(got, "dave") {
		t.Errorf("status says %q", got)
	}
	s.Stop()
}
