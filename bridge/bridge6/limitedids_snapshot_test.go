package bridge6

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// TestFew: a client that knows 16 ids among more players than that.
func TestFew(t *testing.T) {
	w := newCrowd(t, 40)
	v := NewProtocol()
	h, l := newServerSide(t, v, w, 30, msg6.VersionNone)
	b := &builder{t: t, v: v, w: w}
	h.SendEvent(w, &game.Event{Kind: game.EvChat, Chat: game.ChatAll, Player: 20, Text: "x"})
	l.expectSent("before the first snapshot", serverLine("p20: x"))
	v.BeginSnapshots(w)
	p := b.picture(h, 30)
	if n := p.count(msg6.TypePlayerInfo); n != 15 {
		t.Errorf("%d players", n)
	}
	if n := p.count(msg6.TypeClientInfo); n != 16 {
		t.Errorf("%d names", n)
	}
	if info := get[msg6.ClientInfo](p, msg6.TypeClientInfo, proxyID); text(info.Name[:]) != " " {
		t.Errorf("the proxyID is called %q", text(info.Name[:]))
	}
	if info := get[msg6.ClientInfo](p, msg6.TypeClientInfo, 0); text(info.Name[:]) != "p30" {
		t.Errorf("he himself is called %q", text(info.Name[:]))
	}
	if get[msg6.PlayerInfo](p, msg6.TypePlayerInfo, 0).Local != 1 {
		t.Error("he is not himself")
	}
	var there, absent game.PlayerID = game.Nobody, game.Nobody
	for id := range game.PlayerID(40) {
		switch {
		case id == 30:
		case h.ids.id(id) >= 0:
			there = id
		default:
			absent = id
		}
	}
	as := h.ids.id(there)
	name := fmt.Sprint("p", absent)
	for _, c := range []struct {
		ev   game.Event
		want []msg6.Message
	}{
		{game.Event{Kind: game.EvChat, Chat: game.ChatAll, Player: there, Text: "x"}, []msg6.Message{&msg6.SvChat{ClientID: as, Message: []byte("x")}}},
		{game.Event{Kind: game.EvChat, Chat: game.ChatTeam, Player: absent, Text: "x"}, []msg6.Message{&msg6.SvChat{Mode: msg6.ChatTeam, ClientID: 15, Message: []byte(name + ": x")}}},
		{game.Event{Kind: game.EvChat, Chat: game.ChatWhisper, Player: absent, Target: 30, Text: "x"}, []msg6.Message{serverLine("[← " + name + "] x")}},
		{game.Event{Kind: game.EvKill, Player: there, Target: 30}, []msg6.Message{&msg6.SvKillMsg{Killer: as, Victim: 0}}},
		{game.Event{Kind: game.EvKill, Player: absent, Target: 30}, []msg6.Message{&msg6.SvKillMsg{Killer: 0, Victim: 0}}},
		{game.Event{Kind: game.EvKill, Player: there, Target: absent}, nil},
		{game.Event{Kind: game.EvEmoticon, Player: there, Value: 2}, []msg6.Message{&msg6.SvEmoticon{ClientID: as, Emoticon: 2}}},
		{game.Event{Kind: game.EvEmoticon, Player: absent, Value: 2}, nil},
		{game.Event{Kind: game.EvPlayerEntered, Player: absent}, []msg6.Message{serverLine("'" + name + "' entered and joined the game")}},
	} {
		h.SendEvent(w, &c.ev)
		l.expectSent("event", c.want...)
	}
	for _, c := range []struct {
		m    msg6.Message
		want bridgetest.Call
	}{
		{&msg6.ClSetSpectatorMode{SpectatorID: as}, commandCall(game.Command{Kind: game.CmdSpectate, Spectate: game.SpectatePlayer, Target: there})},
		{&msg6.ClSetSpectatorMode{SpectatorID: 15}, commandCall(game.Command{Kind: game.CmdSpectate, Spectate: game.SpectatePlayer, Target: game.Nobody})},
		{&msg6.ClSetSpectatorMode{SpectatorID: 40}, commandCall(game.Command{Kind: game.CmdSpectate, Spectate: game.SpectatePlayer, Target: game.Nobody})},
		{&msg6.ClCallVote{Type: []byte("kick"), Value: []byte(fmt.Sprint(as))}, call("CallVote", bridge.VoteKick, fmt.Sprint(there), "", false)},
		{&msg6.ClCallVote{Type: []byte("kick"), Value: []byte("15")}, call("CallVote", bridge.VoteKick, "-1", "", false)},
	} {
		if err := h.Receive(c.m.Append(nil), true); err != nil {
			t.Error(err)
		}
		l.expectReceived("request", c.want)
	}

	// A death that he cannot know of, and one that he can.
	v.EndSnapshots()
	here := w.View(30).Pos
	v.RecordTick(w, []game.Event{
		{Kind: game.EvDeath, Player: there, To: game.MaskAll, Pos: here},
		{Kind: game.EvDeath, Player: absent, To: game.MaskAll, Pos: here},
	})
	v.BeginSnapshots(w)
	p = b.picture(h, 30)
	if p.count(msg6.TypeEventDeath) != 1 || get[msg6.EventDeath](p, msg6.TypeEventDeath, 0).ClientID != as {
		t.Errorf("%d deaths", p.count(msg6.TypeEventDeath))
	}

	// It turns out to be DDNet's.
	if err := h.Receive((&msg6.RconCmd{Command: []byte(msg6.CrashmePlx)}).Append(nil), true); err != nil {
		t.Error(err)
	}
	p = b.picture(h, 30)
	if p.count(msg6.TypePlayerInfo) != 40 || get[msg6.PlayerInfo](p, msg6.TypePlayerInfo, 30).Local != 1 {
		t.Errorf("%d players", p.count(msg6.TypePlayerInfo))
	}
}

// TestRanges plays about in a crowd: whatever comes of it, clients that know few ids
// and those that know all get what is in range (which the line and the builder check),
// at every tick and with all kinds of events.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 64).Draw(rt, "players")
		w := newCrowd(t, n)
		v := NewProtocol()
		own := game.PlayerID(rapid.IntRange(0, n-1).Draw(rt, "own"))
		few, fl := newServerSide(t, v, w, own, msg6.VersionNone)
		all, _ := newServerSide(t, v, w, own, 16040)
		b := &builder{t: t, v: v, w: w}
		id := rapid.Custom(func(t *rapid.T) game.PlayerID { return game.PlayerID(rapid.IntRange(-1, 63).Draw(t, "id")) })
		for range 6 {
			var cmds []game.Command
			for range rapid.IntRange(0, 20).Draw(rt, "commands") {
				p := game.PlayerID(rapid.IntRange(0, 63).Draw(rt, "player"))
				in := game.Input{Direction: rapid.Int32Range(-1, 1).Draw(rt, "dir"), Hook: true, Jump: true, Fire: 1, TargetX: rapid.Int32Range(-99, 99).Draw(rt, "aim")}
				cmds = append(cmds, rapid.SampledFrom([]game.Command{
					{Kind: game.CmdInput, Player: p, Input: in}, {Kind: game.CmdDirectInput, Player: p, Input: in},
					{Kind: game.CmdSetTeam, Player: p, Team: game.TeamSpectators}, {Kind: game.CmdForceTeam, Player: p, Team: game.TeamSpectators},
					{Kind: game.CmdSpectate, Player: p, Spectate: game.SpectatePlayer, Target: id.Draw(rt, "target")},
					{Kind: game.CmdKill, Player: p}, {Kind: game.CmdLeave, Player: max(p, 1), Text: "x"},
					{Kind: game.CmdSay, Player: p, Chat: game.ChatAll, Text: "x"}, {Kind: game.CmdSay, Player: p, Chat: game.ChatWhisper, Target: own, Text: "x"}, {Kind: game.CmdEmoticon, Player: p, Value: 3},
					{Kind: game.CmdPlayerFlags, Player: p, Value: int32(game.PlayerFlagAdmin)},
				}).Draw(rt, "command"))
			}
			if own != 0 { // he himself stays
				for i := range cmds {
					if cmds[i].Kind == game.CmdLeave && cmds[i].Player == own {
						cmds[i].Player = 0
					}
				}
			} else {
				for i := range cmds {
					if cmds[i].Kind == game.CmdLeave && cmds[i].Player == 0 {
						cmds[i].Player = 1
					}
				}
			}
			for range rapid.IntRange(1, 12).Draw(rt, "ticks") {
				events := w.Step(cmds)
				cmds = nil
				v.RecordTick(w, events)
				for i := range events {
					if events[i].To.Has(own) {
						few.SendEvent(w, &events[i])
						all.SendEvent(w, &events[i])
					}
				}
			}
			for _, m := range fl.takeSent() {
				who := []int32{}
				switch m := m.(type) {
				case *msg6.SvChat:
					who = append(who, m.ClientID)
					if m.Mode > msg6.ChatTeam {
						rt.Fatalf("a whisper as only DDNet knows it")
					}
				case *msg6.SvKillMsg:
					who = append(who, m.Killer, m.Victim)
				case *msg6.SvEmoticon:
					who = append(who, m.ClientID)
				}
				for _, id := range who {
					if id >= msg6.MaxClientsVanilla {
						rt.Fatalf("%T names %d", m, id)
					}
				}
			}
			v.BeginSnapshots(w)
			b.picture(few, own)
			if p := b.picture(all, own); p.count(msg6.TypePlayerInfo) != len(w.Frame().Players) {
				rt.Fatalf("%d players of %d", p.count(msg6.TypePlayerInfo), len(w.Frame().Players))
			}
			v.EndSnapshots()
		}
		if t.Failed() {
			rt.Fatal("see above")
		}
	})
}
