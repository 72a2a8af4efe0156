package bridge6

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// TestIDsOfAnotherSeat checks that a client knows its own id after it reclaims the seat that it had
// before a timeout.
func TestIDsOfAnotherSeat(t *testing.T) {
	w := newCrowd(t, 30)
	s, _ := newServerSide(t, NewProtocol(), w, 29, msg6.VersionNone)
	positions := bridgetest.Row(30)
	s.ids.Update(bridgetest.RowView(29, 1, positions, game.PlayerMask{}))
	s.SendClientInfo(w, 2, true, true)
	delete(positions, 29)
	s.ids.Update(bridgetest.RowView(2, 3, positions, game.PlayerMask{}))
	if id := s.ids.ID(2); id != s.ids.OwnID() || s.ids.Player(id) != 2 || s.ids.ID(29) != -1 {
		t.Errorf("player 2 has id %d, the client's own is %d; player 29 has id %d", id, s.ids.OwnID(), s.ids.ID(29))
	}
}

// TestLimitedClient checks the messages and snapshots of a client that knows 16 ids in a game with
// more players.
func TestLimitedClient(t *testing.T) {
	w := newCrowd(t, 40)
	p := NewProtocol()
	s, l := newServerSide(t, p, w, 30, msg6.VersionNone)
	v := &viewer{t: t, world: w}
	s.SendEvent(w, &game.Event{Kind: game.EvChat, Chat: game.ChatAll, Player: 20, Text: "x"})
	l.expectSent("before the first snapshot", serverLine("p20: x"))
	p.BeginSnapshots(w)
	items := v.items(s, 30)
	if n := items.countType(msg6.TypePlayerInfo); n != 15 {
		t.Errorf("%d players", n)
	}
	if n := items.countType(msg6.TypeClientInfo); n != 16 {
		t.Errorf("%d names", n)
	}
	for id, want := range map[int]string{15: " ", 0: "p30"} {
		if info := getItem[msg6.ClientInfo](items, msg6.TypeClientInfo, id); intsText(info.Name[:]) != want {
			t.Errorf("id %d has the name %q", id, intsText(info.Name[:]))
		}
	}
	if getItem[msg6.PlayerInfo](items, msg6.TypePlayerInfo, 0).Local != 1 {
		t.Error("the client is not local")
	}
	known, unknown := game.Nobody, game.Nobody
	for id := range game.PlayerID(40) {
		switch {
		case id == 30:
		case s.ids.ID(id) >= 0:
			known = id
		default:
			unknown = id
		}
	}
	id := s.ids.ID(known)
	name := fmt.Sprint("p", unknown)
	for _, tt := range []struct {
		ev   game.Event
		want []msg6.Message
	}{
		{game.Event{Kind: game.EvChat, Chat: game.ChatAll, Player: known, Text: "x"}, []msg6.Message{&msg6.SvChat{ClientID: id, Message: []byte("x")}}},
		{game.Event{Kind: game.EvChat, Chat: game.ChatTeam, Player: unknown, Text: "x"},
			[]msg6.Message{&msg6.SvChat{Mode: msg6.ChatTeam, ClientID: 15, Message: []byte(name + ": x")}}},
		{game.Event{Kind: game.EvChat, Chat: game.ChatWhisper, Player: unknown, Target: 30, Text: "x"}, []msg6.Message{serverLine("[← " + name + "] x")}},
		{game.Event{Kind: game.EvKill, Player: known, Target: 30}, []msg6.Message{&msg6.SvKillMsg{Killer: id, Victim: 0}}},
		{game.Event{Kind: game.EvKill, Player: unknown, Target: 30}, []msg6.Message{&msg6.SvKillMsg{Killer: 0, Victim: 0}}},
		{game.Event{Kind: game.EvKill, Player: known, Target: unknown}, nil},
		{game.Event{Kind: game.EvEmoticon, Player: known, Value: 2}, []msg6.Message{&msg6.SvEmoticon{ClientID: id, Emoticon: 2}}},
		{game.Event{Kind: game.EvEmoticon, Player: unknown, Value: 2}, nil},
		{game.Event{Kind: game.EvPlayerEntered, Player: unknown}, []msg6.Message{serverLine("'" + name + "' entered and joined the game")}},
	} {
		s.SendEvent(w, &tt.ev)
		l.expectSent(fmt.Sprint(tt.ev), tt.want...)
	}
	for _, tt := range []struct {
		m    msg6.Message
		want bridgetest.Call
	}{
		{&msg6.ClSetSpectatorMode{SpectatorID: id}, commandCall(game.Command{Kind: game.CmdSpectate, Spectate: game.SpectatePlayer, Target: known})},
		{&msg6.ClSetSpectatorMode{SpectatorID: 15}, commandCall(game.Command{Kind: game.CmdSpectate, Spectate: game.SpectatePlayer, Target: game.Nobody})},
		{&msg6.ClSetSpectatorMode{SpectatorID: 40}, commandCall(game.Command{Kind: game.CmdSpectate, Spectate: game.SpectatePlayer, Target: game.Nobody})},
		{&msg6.ClCallVote{Type: []byte("kick"), Value: []byte(fmt.Sprint(id))}, call("CallVote", event.VoteKick, fmt.Sprint(known), "", false)},
		{&msg6.ClCallVote{Type: []byte("kick"), Value: []byte("15")}, call("CallVote", event.VoteKick, "-1", "", false)},
	} {
		receive(t, s, tt.m)
		l.Expect(t, fmt.Sprint(tt.m), tt.want)
	}

	p.EndSnapshots()
	pos := w.View(30).Pos
	p.RecordTick(w, []game.Event{
		{Kind: game.EvDeath, Player: known, To: game.MaskAll, Pos: pos},
		{Kind: game.EvDeath, Player: unknown, To: game.MaskAll, Pos: pos},
	})
	p.BeginSnapshots(w)
	items = v.items(s, 30)
	if items.countType(msg6.TypeEventDeath) != 1 || getItem[msg6.EventDeath](items, msg6.TypeEventDeath, 0).ClientID != id {
		t.Errorf("%d deaths", items.countType(msg6.TypeEventDeath))
	}

	receive(t, s, &msg6.RconCmd{Command: []byte(msg6.CrashmePlx)}) // now the client counts as DDNet's
	items = v.items(s, 30)
	if items.countType(msg6.TypePlayerInfo) != 40 || getItem[msg6.PlayerInfo](items, msg6.TypePlayerInfo, 30).Local != 1 {
		t.Errorf("%d players", items.countType(msg6.TypePlayerInfo))
	}
}

// TestSixtyFourIDs checks the messages and snapshots of DDNet's clients that know 64 ids, beside
// one that knows all 128.
func TestSixtyFourIDs(t *testing.T) {
	w := newCrowd(t, 128)
	p := NewProtocol()
	s, l := newServerSide(t, p, w, 100, 16040)
	all, _ := newServerSide(t, p, w, 100, msg6.VersionMax128)
	v := &viewer{t: t, world: w}
	s.SendEvent(w, &game.Event{Kind: game.EvChat, Chat: game.ChatAll, Player: 90, Text: "x"})
	l.expectSent("before the first snapshot", serverLine("p90: x"))
	p.BeginSnapshots(w)
	items := v.items(s, 100)
	if players, names := items.countType(msg6.TypePlayerInfo), items.countType(msg6.TypeClientInfo); players != 63 || names != 64 {
		t.Errorf("%d players, %d names", players, names)
	}
	for id, want := range map[int]string{63: " ", 0: "p100"} {
		if info := getItem[msg6.ClientInfo](items, msg6.TypeClientInfo, id); intsText(info.Name[:]) != want {
			t.Errorf("id %d has the name %q", id, intsText(info.Name[:]))
		}
	}
	if getItem[msg6.PlayerInfo](items, msg6.TypePlayerInfo, 0).Local != 1 {
		t.Error("the client is not local")
	}
	items = v.items(all, 100)
	if n := items.countType(msg6.TypePlayerInfo); n != 128 || getItem[msg6.PlayerInfo](items, msg6.TypePlayerInfo, 100).Local != 1 {
		t.Errorf("%d players", n)
	}
	known, unknown := s.ids.Player(5), game.Nobody
	for id := range game.PlayerID(128) {
		if s.ids.ID(id) < 0 {
			unknown = id
		}
	}
	name := fmt.Sprint("p", unknown)
	for _, tt := range []struct {
		ev   game.Event
		want []msg6.Message
	}{
		{game.Event{Kind: game.EvChat, Chat: game.ChatTeam, Player: unknown, Text: "x"},
			[]msg6.Message{&msg6.SvChat{Mode: msg6.ChatTeam, ClientID: 63, Message: []byte(name + ": x")}}},
		{game.Event{Kind: game.EvChat, Chat: game.ChatWhisper, Player: unknown, Target: 100, Text: "x"},
			[]msg6.Message{&msg6.SvChat{Mode: msg6.ChatWhisperReceived, ClientID: 63, Message: []byte(name + ": x")}}},
		{game.Event{Kind: game.EvKill, Player: unknown, Target: known}, []msg6.Message{&msg6.SvKillMsg{Killer: 5, Victim: 5}}},
		{game.Event{Kind: game.EvKill, Player: known, Target: 100}, []msg6.Message{&msg6.SvKillMsg{Killer: 5, Victim: 0}}},
		{game.Event{Kind: game.EvKill, Player: known, Target: unknown}, nil},
	} {
		s.SendEvent(w, &tt.ev)
		l.expectSent(fmt.Sprint(tt.ev), tt.want...)
	}
	s.SendVoteStatus(70, 20, 30, 120)
	l.expectSent("votes", &msg6.SvVoteStatus{Yes: 64, No: 20, Pass: 30, Total: 64})
	for _, tt := range []struct {
		id   int32
		want game.PlayerID
	}{{5, known}, {0, 100}, {63, game.Nobody}, {64, game.Nobody}, {127, game.Nobody}} {
		receive(t, s, &msg6.ClSetSpectatorMode{SpectatorID: tt.id})
		l.Expect(t, fmt.Sprint(tt.id), commandCall(game.Command{Kind: game.CmdSpectate, Spectate: game.SpectatePlayer, Target: tt.want}))
	}
	for _, tt := range []struct{ value, want string }{
		{"5", fmt.Sprint(known)}, {"63", "-1"}, {"100", "-1"}, {"-2", "-1"}, {"99999999999", "-1"},
	} {
		receive(t, s, &msg6.ClCallVote{Type: []byte("kick"), Value: []byte(tt.value)})
		l.Expect(t, tt.value, call("CallVote", event.VoteKick, tt.want, "", false))
	}
}

// TestRanges plays a random game with many players. Clients that know 16 or 64 ids and clients that
// know all ids must get only values in range. The session and the viewer check messages and items.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, rapid.SampledFrom([]int{64, 128}).Draw(rt, "most")).Draw(rt, "players")
		w := newCrowd(t, n)
		p := NewProtocol()
		own := game.PlayerID(rapid.IntRange(0, n-1).Draw(rt, "own"))
		limited, l := newServerSide(t, p, w, own, msg6.VersionNone)
		ddnet, l64 := newServerSide(t, p, w, own, 16040)
		all, _ := newServerSide(t, p, w, own, msg6.VersionMax128)
		v := &viewer{t: t, world: w}
		id := rapid.Custom(func(t *rapid.T) game.PlayerID { return game.PlayerID(rapid.IntRange(-1, n-1).Draw(t, "id")) })
		for range 6 {
			var cmds []game.Command
			for range rapid.IntRange(0, 20).Draw(rt, "commands") {
				player := game.PlayerID(rapid.IntRange(0, n-1).Draw(rt, "player"))
				in := game.Input{Direction: rapid.Int32Range(-1, 1).Draw(rt, "dir"), Hook: true, Jump: true,
					Fire: 1, TargetX: rapid.Int32Range(-99, 99).Draw(rt, "aim")}
				c := rapid.SampledFrom([]game.Command{
					{Kind: game.CmdInput, Input: in}, {Kind: game.CmdDirectInput, Input: in},
					{Kind: game.CmdSetTeam, Team: game.TeamSpectators}, {Kind: game.CmdForceTeam, Team: game.TeamSpectators},
					{Kind: game.CmdSpectate, Spectate: game.SpectatePlayer, Target: id.Draw(rt, "target")},
					{Kind: game.CmdKill}, {Kind: game.CmdLeave, Text: "x"},
					{Kind: game.CmdSay, Chat: game.ChatAll, Text: "x"}, {Kind: game.CmdSay, Chat: game.ChatWhisper, Target: own, Text: "x"},
					{Kind: game.CmdEmoticon, Value: 3},
					{Kind: game.CmdPlayerFlags, Value: int32(game.PlayerFlagAdmin)},
				}).Draw(rt, "command")
				if c.Player = player; c.Kind != game.CmdLeave || player != own {
					cmds = append(cmds, c)
				}
			}
			for range rapid.IntRange(1, 12).Draw(rt, "ticks") {
				events := w.Step(cmds)
				cmds = nil
				p.RecordTick(w, events)
				for i := range events {
					if events[i].To.Has(own) {
						limited.SendEvent(w, &events[i])
						ddnet.SendEvent(w, &events[i])
						all.SendEvent(w, &events[i])
					}
				}
			}
			for limit, sent := range map[int32][]msg6.Message{msg6.MaxClientsVanilla: l.takeSent(), msg6.MaxClients: l64.takeSent()} {
				for _, m := range sent {
					var ids []int32
					switch m := m.(type) {
					case *msg6.SvChat:
						ids = append(ids, m.ClientID)
						if m.Mode > msg6.ChatTeam && limit == msg6.MaxClientsVanilla {
							rt.Fatal("a client that is not DDNet's gets DDNet's whisper")
						}
					case *msg6.SvKillMsg:
						ids = append(ids, m.Killer, m.Victim)
					case *msg6.SvEmoticon:
						ids = append(ids, m.ClientID)
					}
					for _, id := range ids {
						if id >= limit {
							rt.Fatalf("%T has id %d", m, id)
						}
					}
				}
			}
			p.BeginSnapshots(w)
			v.items(limited, own)
			v.items(ddnet, own)
			if items := v.items(all, own); items.countType(msg6.TypePlayerInfo) != len(w.Frame().Players) {
				rt.Fatalf("%d players of %d", items.countType(msg6.TypePlayerInfo), len(w.Frame().Players))
			}
			p.EndSnapshots()
		}
		if t.Failed() {
			rt.Fatal("see above")
		}
	})
}
