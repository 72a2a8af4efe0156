package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// loudMod has commands, a menu and a vote that do as much as they can for one who uses them.
type loudMod struct {
	menu  game.Menu
	vote  game.Vote
	calls struct{ Commands, Choices, Votes int32 }
}

func (m *loudMod) State() any { return &m.calls }

func (m *loudMod) Start(setup *game.Setup) {
	setup.ChatCommand(game.CommandSpec{Name: "shout", Params: "?i[times] ?f[loud] ?r[text]", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		m.calls.Commands++
		ctx.Say(fmt.Sprint(c.Int(0), c.Float(1), c.Arg(2)))
		ctx.StartVote(m.vote, c.Player, c.Arg(2))
		m.show(ctx, c.Player)
	}})
	m.menu = setup.Menu(func(ctx *game.Ctx, id game.PlayerID, line int) {
		m.calls.Choices++
		m.show(ctx, id)
	})
	m.vote = setup.Vote(func(*game.Ctx, bool) { m.calls.Votes++ })
}

// show shows a full menu that is another one every time, and has a line "x".
func (m *loudMod) show(ctx *game.Ctx, id game.PlayerID) {
	lines := []string{"x"}
	for i := range 63 {
		lines = append(lines, fmt.Sprintf("%062d", ctx.Tick()+int32(i)))
	}
	ctx.Player(id).ShowMenu(m.menu, lines...)
}

func (m *loudMod) OnEnter(ctx *game.Ctx, id game.PlayerID) { m.show(ctx, id) }

// TestFloodOfModCommands has 16 players use the commands, menu and votes of a mod a thousand times
// a second each, with invalid arguments. The server counts them, and the mod gets only the calls
// within the spam protection. Another player gets every snapshot, and no more lines than one player
// can chat.
func TestFloodOfModCommands(t *testing.T) {
	m := &loudMod{}
	ts := newTestServerWith(t, Config{Mods: []func() game.Mod{func() game.Mod { return m }}}, "sv_player_slots 64; sv_max_clients_per_ip 64")
	quiet := ts.join(local(100), "quiet")
	const loud, ticks, each = 16, 100, 20
	var players []*testclient.Client
	for i := range loud {
		players = append(players, ts.join(local(i+1), fmt.Sprint("loud ", i)))
	}
	long := strings.Repeat("9", 120)
	floods := []msg7.Message{
		&msg7.ClCommand{Name: []byte("shout"), Arguments: []byte(long)},
		&msg7.ClCommand{Name: []byte("shout"), Arguments: []byte(`-1 1e999 "` + long)},
		&msg7.ClCommand{Name: []byte("shout"), Arguments: []byte(`"" "" ""`)},
		&msg7.ClCommand{Name: []byte("shout"), Arguments: []byte("1 2 \xff\xfe\x01" + strings.Repeat(" \"\\", 40))},
		&msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("/shout 0x10 nan " + long)},
		&msg7.ClCallVote{Type: []byte("option"), Value: []byte("x"), Reason: []byte(long)},
		&msg7.ClCallVote{Type: []byte("option"), Value: []byte(long)},
		&msg7.ClVote{Vote: 1},
	}
	m.calls.Commands, m.calls.Choices = 0, 0
	dropped, chat, snapshots := ts.srv.Drops()["flood"], len(quiet.Chat), quiet.SnapTick
	most, n := 0, 0
	for range ticks {
		for _, p := range players {
			for range each {
				p.Send(floods[n%len(floods)])
				n++
			}
		}
		most = max(most, len(ts.srv.pendingCommands))
		ts.idle(1, append(players, quiet)...)
	}
	if used := m.calls.Commands + m.calls.Choices; used < loud || used > loud*(4*ticks/game.TickRate+2) {
		t.Errorf("%d commands and %d choices reached the mod", m.calls.Commands, m.calls.Choices)
	}
	if got := ts.srv.Drops()["flood"] - dropped; got < uint64(n)*8/10 {
		t.Errorf("%d of %d messages were dropped", got, n)
	}
	if most > loud*(int(requestRate.Burst)+2) {
		t.Errorf("%d commands in a tick", most)
	}
	if lines := len(quiet.Chat) - chat; lines > loud*(4*ticks/game.TickRate+2) {
		t.Errorf("another player got %d lines", lines)
	}
	if c := ts.session(quiet); c == nil || quiet.SnapTick-snapshots < ticks-4 {
		t.Errorf("another player has the snapshot of tick %d after %d", quiet.SnapTick-snapshots, ticks)
	}
	for _, p := range players {
		if ts.session(p) == nil {
			t.Errorf("dropped: %s", p.Reason)
		}
	}
}

// textMod says as much in every tick as a script may.
type textMod struct{ silent bool }

func (*textMod) Start(*game.Setup) {}

func (m *textMod) OnTick(ctx *game.Ctx) {
	if m.silent {
		return
	}
	for i := range 75 {
		ctx.Say(fmt.Sprint("line ", i, strings.Repeat(" spam", 20)))
		ctx.Broadcast(strings.Repeat("spam ", 200))
		for p := range ctx.Players() {
			p.Motd(strings.Repeat("spam ", 200))
			ctx.Effects(game.MaskAll).KillFeed(p.ID(), p.ID(), game.WeaponNinja)
		}
	}
}

// TestFloodOfTexts lets a mod say 300 things in every tick for a second. The server drops no client
// for it, and the clients hear each other again as soon as the mod is silent.
func TestFloodOfTexts(t *testing.T) {
	m := &textMod{silent: true}
	ts := newTestServerWith(t, Config{Mods: []func() game.Mod{func() game.Mod { return m }}})
	a, b := ts.join(local(1), "a"), ts.join(local(2), "b")
	b.Deaf = true // acknowledges late
	m.silent = false
	ts.idle(game.TickRate, a, b)
	m.silent, b.Deaf = true, false
	ts.idle(5*game.TickRate, a, b)
	if ts.session(a) == nil || ts.session(b) == nil {
		t.Fatalf("dropped: %q, %q", a.Reason, b.Reason)
	}
	if ts.srv.Drops()["texts"] == 0 || len(a.Chat) < game.TickRate {
		t.Errorf("%d lines, drops %v", len(a.Chat), ts.srv.Drops())
	}
	a.Send(&msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("hello")})
	ts.idle(5, a, b)
	for _, c := range []*testclient.Client{a, b} {
		if n := len(c.Chat); n == 0 || !strings.HasSuffix(c.Chat[n-1], "hello") {
			t.Errorf("%d lines, %q", n, c.Chat[max(n-1, 0):])
		}
	}
}
