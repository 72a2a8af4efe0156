package server_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// frailMod panics on a line of chat.
type frailMod struct{ speedMod }

func (*frailMod) OnChat(_ *game.Ctx, c *game.ChatMessage) {
	if c.Text == "boom" {
		panic("boom\nbang")
	}
}

// TestModsOffAfterResume: a mod that was switched off is still, in the match that the next server
// goes on with, and operators are told.
func TestModsOffAfterResume(t *testing.T) {
	var store memoryStore
	start := func() *testServer {
		return newTestServerWith(t, server.Config{Resume: &store, Mods: []func() game.Mod{func() game.Mod { return &frailMod{} }}},
			"sv_resume 1; sv_warmup 0; sv_scorelimit 0")
	}
	ts := start()
	alice := ts.Enter(ip(1), "alice")
	alice.Say("boom")
	ts.Idle(150, alice)
	testenv.Check(t, len(ts.Problems()) == 1, "problems %q", ts.Problems())
	next := start()
	next.Log.Reset()
	next.Execute("status")
	const want = "the mod *server_test.frailMod panicked before the match was resumed and is switched off"
	testenv.Check(t, strings.Contains(next.Log.String(), want), "status says\n%s", next.Log.String())
}

// TestModPanics lets a mod panic. No client is dropped, operators are told, the commands of the mod
// are gone, and the log verifies.
func TestModPanics(t *testing.T) {
	var s servertest.Folder
	newMod := func() game.Mod { return &frailMod{} }
	cfg := server.Config{Replays: &s, Mods: []func() game.Mod{newMod}}
	tn := newTestNetworkWith(t, servertest.Link{Delay: time.Millisecond}, 1, cfg, "sv_replay 1; sv_spamprotection 0")
	tn.play(2, 3*time.Second)
	p := tn.players[0]
	record := p.onMessage
	offered := offers(p)
	*offered = append(*offered, "double|")
	p.login("adminpw")
	say := func(text string) { p.command(game.Command{Kind: game.CmdSay, Chat: game.ChatAll, Text: text}) }
	say("boom")
	tn.Wait(time.Second)
	if got := p.rcon("status"); !strings.Contains(got, "the mod *server_test.frailMod panicked in OnChat in tick ") {
		t.Errorf("status: %s", got)
	}
	if got := p.rcon("speed_report"); !strings.Contains(got, "No such command") {
		t.Errorf("speed_report: %s", got)
	}
	if len(*offered) != 0 {
		t.Errorf("still offered: %q", *offered)
	}
	p.onMessage = record
	clear(p.chat)
	say("/double 4")
	say("boom")
	if got := p.chat[-1]; !slices.ContainsFunc(got, func(l string) bool { return strings.Contains(l, "No such command") }) || p.State() != client.Playing {
		t.Errorf("chat %q, state %v", p.chat, p.State())
	}
	problems := tn.Problems()
	if len(problems) != 1 || !strings.HasSuffix(problems[0], "and is switched off: boom bang") {
		t.Errorf("problems %q", problems)
	}
	tn.Shutdown(tn.Now(), "")
	if logs := verify(t, &s, 1, newMod); logs[0].HashesMatched < 10 {
		t.Errorf("%+v", logs[0])
	}
}
