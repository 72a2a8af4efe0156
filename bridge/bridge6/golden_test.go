package bridge6

import (
	"bytes"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/packet"
)

// capturedChunk is one message of a captured session.
type capturedChunk struct {
	toServer, vital bool
	b               []byte
}

// readSession returns the messages of a captured session between DDNet's client and DDNet-Server.
func readSession(tb testing.TB) []capturedChunk {
	tb.Helper()
	var out []capturedChunk
	var scratch packet.Scratch
	for i, d := range golden.Datagrams(tb, golden.Join6) {
		var p packet.Packet6
		if err := p.Parse(d.B, &scratch); err != nil {
			tb.Fatalf("datagram %d: %v", i, err)
		}
		if p.Flags&(packet.FlagControl|packet.FlagConnless) != 0 {
			continue
		}
		it := p.Chunks()
		var c packet.Chunk
		for it.Next(&c) {
			out = append(out, capturedChunk{d.ToServer, c.Flags&packet.ChunkVital != 0, bytes.Clone(c.Data)})
		}
		if err := it.Err(); err != nil {
			tb.Fatalf("datagram %d: %v", i, err)
		}
	}
	return out
}

// TestJoin replays the join of a captured DDNet client. The client must get the same messages in
// the same order as from DDNet-Server, apart from those for DDRace.
func TestJoin(t *testing.T) {
	chunks := readSession(t)
	var want []msg6.ID
	var d msg6.Decoder
	for _, c := range chunks {
		if c.toServer {
			continue
		}
		m, err := d.Decode(bytes.Clone(c.b))
		if err != nil {
			t.Fatal(err)
		}
		switch m.ID() {
		case msg6.IDRconType, msg6.IDMapDetails, msg6.IDSvTeamsState, msg6.IDSvRecord, msg6.IDSnapSingle, msg6.IDSnap, msg6.IDSnapEmpty, msg6.IDInputTiming:
			continue
		}
		want = append(want, m.ID())
		if chat, ok := m.(*msg6.SvChat); ok {
			if string(chat.Message) != "'capture' entered and joined the game" {
				t.Fatalf("the first line is %q", chat.Message)
			}
			break // the rest are chat lines and vote options of that server
		}
	}

	w := newWorld(t, dm.Mode{})
	v := NewProtocol()
	l := &testSession{t: t}
	srv := v.NewServerSide(l)
	srv.Reset()
	var inputs, commands, codes int
	do := func(cmds ...game.Command) []game.Event {
		for i := range cmds {
			cmds[i].Player = 0
		}
		ev := w.Step(cmds)
		v.RecordTick(w, ev)
		return ev
	}
	l.OnCall = func(c bridgetest.Call) { // does what the server does
		switch c.Method {
		case "Login":
			if a := c.Args[0].(bridge.Login); !a.VersionOK || a.Password != "" || a.ClientVersion != 16040 {
				t.Errorf("%+v", a)
			}
			srv.SendMapChange(&bridge.Map{Name: "box"})
		case "Ready":
			do(game.Command{Kind: game.CmdJoin})
			srv.SendMotd("hello")
			srv.SendSettings(w)
			srv.SendConReady()
		case "Profile":
			a := c.Args[0].(game.Profile)
			if a.Name != "capture" || a.Skin != standardSkins[0].skin {
				t.Errorf("%+v", a)
			}
			do(game.Command{Kind: game.CmdProfile, Profile: &a})
			srv.SendVoteOptionsCleared()
			srv.SendTuning(w, game.Nobody)
			srv.SendReadyToEnter()
		case "EnterGame":
			for _, ev := range do(game.Command{Kind: game.CmdEnterGame}) {
				if ev.Kind == game.EvPlayerEntered {
					srv.SendServerInfo(&bridge.ServerInfo{})
					srv.SendGameInfo(w)
					srv.SendClientInfo(w, 0, true, false)
				}
			}
		case "Input":
			inputs++
			if a := c.Args[0].(bridge.InputMessage); !a.Valid {
				t.Errorf("%+v", a)
			}
		case "Command":
			commands++
		case "TimeoutCode":
			codes++
		default:
			t.Errorf("unexpected %+v", c)
		}
	}
	for i, c := range chunks {
		if c.toServer {
			if err := srv.Receive(c.b, c.vital); err != nil {
				t.Errorf("chunk %d, %x: %v", i, c.b, err)
			}
		}
	}
	var got []msg6.ID
	pongs := 0
	for _, m := range l.takeSent() {
		if m.ID() == msg6.IDPongEx {
			pongs++
			continue
		}
		got = append(got, m.ID())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if inputs < 100 || pongs == 0 || l.flushes != pongs {
		t.Errorf("%d inputs, %d pongs", inputs, pongs)
	}
	if !slices.Contains(got, msg6.IDSvChat) || commands == 0 || codes != 1 {
		t.Errorf("%d commands, %d timeout codes, %v", commands, codes, got)
	}
}

// TestCapabilities checks that a client in DDRace gets the capabilities that DDNet-Server 16.4 sent
// in a captured session.
func TestCapabilities(t *testing.T) {
	var want []byte
	var d msg6.Decoder
	for _, c := range readSession(t) {
		if m, err := d.Decode(bytes.Clone(c.b)); err == nil && m.ID() == msg6.IDCapabilities {
			want = c.b
		}
	}
	w := newWorld(t, ddrace.New(), "alice")
	p := NewProtocol()
	p.RecordTick(w, nil)
	l := &testSession{t: t}
	srv := p.NewServerSide(l).(*serverSide)
	srv.setDDNetVersion(16040)
	srv.SendMapChange(&bridge.Map{Name: "a"})
	if got := l.takeSent()[0].Append(nil); len(want) == 0 || !bytes.Equal(got, want) {
		t.Errorf("sent %x, want %x", got, want)
	}
}
