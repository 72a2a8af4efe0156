package bridge7

import (
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// crowdClient is a client in a game with many players.
type crowdClient struct {
	t     *testing.T
	world *game.World
	proto *Protocol
	*bridgetest.Connection
	side *serverSide
	own  game.PlayerID
	b    snapshot.Builder
	s    snapshot.Snapshot
}

// newCrowd makes a game with n players named p0, p1, ..., and the client of one of them.
func newCrowd(t *testing.T, n int, own game.PlayerID) *crowdClient {
	w, _ := bridgetest.NewWorld(t, "testbox", dm.Mode{}, nil)
	var cmds []game.Command
	for i := range n {
		cmds = append(cmds, bridgetest.Join(game.PlayerID(i), game.Profile{Name: fmt.Sprint("p", i)})...)
	}
	p := NewProtocol()
	c := &crowdClient{t: t, world: w, proto: p, own: own}
	p.RecordTick(w, w.Step(cmds))
	p.BeginSnapshots(w)
	p.EndSnapshots()
	c.Connection = bridgetest.Connect(t, p, NewClientSide)
	c.side = c.Server.(*serverSide)
	for i := range game.PlayerID(n) {
		if i != own {
			c.Server.SendClientInfo(w, i, false, false)
		}
	}
	c.Server.SendClientInfo(w, own, true, true)
	return c
}

// step runs a number of ticks with commands in the first one, and sends a snapshot.
func (c *crowdClient) step(ticks int, cmds ...game.Command) *game.View {
	c.t.Helper()
	for range ticks {
		events := c.world.Step(cmds)
		cmds = nil
		c.proto.RecordTick(c.world, events)
		for i := range events {
			if events[i].To.Has(c.own) {
				c.Server.SendEvent(c.world, &events[i])
			}
		}
	}
	c.proto.BeginSnapshots(c.world)
	v := c.world.View(c.own)
	c.Server.BuildSnapshot(&c.b, &v, new([game.MaxPlayers]int32))
	c.proto.EndSnapshots()
	c.b.Finish(&c.s)
	return c.Client.ReceiveSnapshot(c.world.Tick(), &c.s)
}

// check compares the names in the client with the players behind its ids, and returns their number.
func (c *crowdClient) check(what string, v *game.View) (n int) {
	c.t.Helper()
	for id := range game.PlayerID(msg7.MaxClients) {
		want := ""
		if p, ok := c.world.Player(c.side.ids.Player(int32(id))); ok {
			want = p.Profile.Name
			n++
		}
		got, here := c.Client.Player(id)
		if here != (want != "") || here && got.Profile.Name != want {
			c.t.Errorf("%s: id %d is %q (in the game: %v), want %q", what, id, got.Profile.Name, here, want)
		}
	}
	if own := c.Client.OwnID(); own != game.PlayerID(c.side.ids.ID(c.own)) {
		c.t.Errorf("%s: the client's own id is %d, want %d", what, own, c.side.ids.ID(c.own))
	}
	for i := range v.Characters {
		if id := v.Characters[i].Player; c.side.ids.Player(int32(id)) == game.Nobody {
			c.t.Errorf("%s: the tee of nobody, with id %d", what, id)
		}
	}
	if len(v.Players) != n {
		c.t.Errorf("%s: %d players in the snapshot, %d known", what, len(v.Players), n)
	}
	return n
}

// TestCrowd checks the players that a client knows while 128 others come and go.
func TestCrowd(t *testing.T) {
	for _, own := range []game.PlayerID{5, 63, 100} {
		c := newCrowd(t, 128, own)
		v := c.step(1)
		testenv.Check(t, c.check("at the beginning", v) == 63, "own %d: not 63 players", own)
		sent := c.side.ids.ID(own)
		for round := range 6 {
			var cmds []game.Command
			for i := range game.PlayerID(8) {
				if p := (i*16 + game.PlayerID(round)) % 128; p != own {
					cmds = append(cmds, game.Command{Kind: game.CmdLeave, Player: p, Text: "bye"})
				}
			}
			c.check("players left", c.step(6, cmds...))
			cmds = nil
			for i := range game.PlayerID(8) {
				if p := (i*16 + game.PlayerID(round)) % 128; p != own {
					cmds = append(cmds, bridgetest.Join(p, game.Profile{Name: fmt.Sprint("q", p)})...)
				}
			}
			c.check("others came", c.step(6, cmds...))
		}
		testenv.Check(t, c.side.ids.ID(own) == sent, "own %d: the client's own id changed", own)
	}
}

// TestFewAfterCrowd checks that ids are no longer mapped when the players with high ids left.
func TestFewAfterCrowd(t *testing.T) {
	c := newCrowd(t, 70, 3)
	c.check("crowd", c.step(1))
	var cmds []game.Command
	for p := game.PlayerID(64); p < 70; p++ {
		cmds = append(cmds, game.Command{Kind: game.CmdLeave, Player: p})
	}
	v := c.step(6, cmds...)
	testenv.Check(t, c.check("few", v) == 64 && !c.side.ids.IsActive(), "not 64 players")
}

// TestUnknownPlayers checks the messages about players whom the client does not know.
func TestUnknownPlayers(t *testing.T) {
	c := newCrowd(t, 128, 100)
	c.step(1)
	unknown := game.Nobody
	for id := range game.PlayerID(128) {
		if c.side.ids.ID(id) < 0 {
			unknown = id
		}
	}
	known, name := c.side.ids.Player(5), fmt.Sprint("p", unknown)
	c.ServerMessages.Take()
	line := func(text string) bridgetest.Call {
		return call("Event", game.Event{Kind: game.EvChat, Chat: game.ChatAll, Player: game.Nobody, Target: game.Nobody, Text: text})
	}
	for _, tt := range []struct {
		ev   game.Event
		want []bridgetest.Call
	}{
		{game.Event{Kind: game.EvChat, Chat: game.ChatAll, Player: unknown, Target: game.Nobody, Text: "x"}, []bridgetest.Call{line(name + ": x")}},
		{game.Event{Kind: game.EvChat, Chat: game.ChatWhisper, Player: unknown, Target: 100, Text: "x"}, []bridgetest.Call{line("[← " + name + "] x")}},
		{game.Event{Kind: game.EvChat, Chat: game.ChatWhisper, Player: 100, Target: unknown, Text: "x"}, []bridgetest.Call{line("[→ " + name + "] x")}},
		{game.Event{Kind: game.EvChat, Chat: game.ChatWhisper, Player: known, Target: 100, Text: "x"},
			[]bridgetest.Call{call("Event", game.Event{Kind: game.EvChat, Chat: game.ChatWhisper, Player: 5, Target: 0, Text: "x"})}},
		{game.Event{Kind: game.EvKill, Player: unknown, Target: known},
			[]bridgetest.Call{call("Event", game.Event{Kind: game.EvKill, Player: 5, Target: 5})}},
		{game.Event{Kind: game.EvKill, Player: known, Target: unknown}, nil},
		{game.Event{Kind: game.EvKill, Player: -2, Target: 100},
			[]bridgetest.Call{call("Event", game.Event{Kind: game.EvKill, Player: -2, Target: 0})}},
		{game.Event{Kind: game.EvEmoticon, Player: unknown, Target: game.Nobody, Value: 1}, nil},
		{game.Event{Kind: game.EvPlayerLeft, Player: unknown, Target: game.Nobody, Text: "bye"},
			[]bridgetest.Call{line("'" + name + "' has left the game (bye)")}},
		{game.Event{Kind: game.EvPlayerEntered, Player: unknown, Target: game.Nobody, Flag: true}, nil},
		{game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgGamePaused, Player: unknown, Target: game.Nobody},
			[]bridgetest.Call{line("'" + name + "' initiated a pause")}},
	} {
		c.Server.SendEvent(c.world, &tt.ev)
		c.ServerMessages.Expect(t, fmt.Sprint(tt.ev), tt.want...)
	}
	c.Server.SendVoteStatus(70, 20, 30, 120)
	c.ServerMessages.Expect(t, "votes", call("VoteStatus", int32(64), int32(20), int32(30), int32(64)))
	c.Server.SendVote(&bridge.Vote{Kind: event.VoteKick, Caller: unknown, Target: known, Timeout: 20, Description: "x"})
	got := c.ServerMessages.Take()
	testenv.Require(t, len(got) == 1, "%v", got)
	v := got[0].Args[0].(bridge.Vote)
	testenv.Check(t, v.Caller == 63 && v.Target == 5, "%+v", v)
}

// TestIDsFromClients checks requests with the client's ids, some of which stand for nobody.
func TestIDsFromClients(t *testing.T) {
	c := newCrowd(t, 128, 100)
	c.step(1)
	for _, tt := range []struct {
		id   int32
		want game.PlayerID
	}{{5, c.side.ids.Player(5)}, {0, 100}, {63, game.Nobody}} {
		for _, m := range []msg7.Message{
			&msg7.ClSay{Mode: msg7.ChatWhisper, Target: tt.id, Message: []byte("x")},
			&msg7.ClSetSpectatorMode{Mode: 1, SpectatorID: tt.id},
			&msg7.ClCallVote{Type: []byte("kick"), Value: []byte(fmt.Sprint(tt.id))},
		} {
			testenv.NoError(t, c.Server.Receive(m.Append(nil), true))
			calls := c.ClientMessages.Take()
			testenv.Require(t, len(calls) == 1, "%T: %v", m, calls)
			switch a := calls[0].Args; calls[0].Method {
			case "Command":
				testenv.Check(t, a[0].(game.Command).Target == tt.want, "%T: id %d: %v", m, tt.id, a)
			case "CallVote":
				testenv.Check(t, a[1] == fmt.Sprint(tt.want), "%T: id %d: %v", m, tt.id, a)
			default:
				t.Errorf("%T: %v", m, calls)
			}
		}
	}
}

// TestDemoOfCrowd checks that a demo of 128 players has 63 of them, with and without a viewer.
func TestDemoOfCrowd(t *testing.T) {
	c := newCrowd(t, 128, 100)
	for _, viewer := range []game.PlayerID{game.Nobody, 100} {
		side := c.proto.NewDemoSide(discard{})
		c.proto.BeginSnapshots(c.world)
		v := game.View{Frame: c.world.Frame(), Viewer: viewer, VitalsOf: viewer, ShowAll: true}
		side.BuildSnapshot(&c.b, &v, new([game.MaxPlayers]int32))
		c.proto.EndSnapshots()
		c.b.Finish(&c.s)
		n := 0
		for i := range c.s.Len() {
			k, _ := c.s.Item(i)
			switch k.Type() {
			case msg7.TypeDeClientInfo:
				n++
				fallthrough
			case msg7.TypePlayerInfo, msg7.TypeCharacter:
				testenv.Check(t, k.ID() < 63, "viewer %d: item %d/%d", viewer, k.Type(), k.ID())
			}
		}
		testenv.Check(t, n == 63 || viewer == game.Nobody && n == 62, "viewer %d: %d players", viewer, n)
	}
}

// discard is a Sender to nowhere.
type discard struct{}

func (discard) Queue([]byte, bool) {}
func (discard) FlushSoon()         {}
