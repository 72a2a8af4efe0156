package bridge7

import (
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/bridgetest"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// sentMessages keeps what a server side sends.
type sentMessages struct {
	bridgetest.ClientMessages
	queue [][]byte
}

func (s *sentMessages) Queue(payload []byte, _ bool) {
	s.queue = append(s.queue, append([]byte(nil), payload...))
}
func (s *sentMessages) FlushSoon() {}

// TestDDNetClientOver07 checks the messages between the server and a client of DDNet that speaks
// 0.7: its release, capabilities, the size of its view, and who aims.
func TestDDNetClientOver07(t *testing.T) {
	w := newWorld(t)
	p := NewProtocol()
	l := &sentMessages{}
	s := p.NewServerSide(l).(*serverSide)
	receive := func(b []byte) {
		t.Helper()
		if err := s.Receive(b, true); err != nil {
			t.Errorf("%x: %v", b, err)
		}
	}
	receive((&msg6.ClientVer{ConnectionID: msg6.UUID{7}, Version: 20010, Text: []byte("DDNet 20.1")}).Append(nil))
	receive((&msg7.Info{NetVersion: []byte(msg7.NetVersion), ClientVersion: 0x0705}).Append(nil))
	l.Expect(t, "login", call("Login", bridge.Login{VersionOK: true, NetVersion: msg7.NetVersion, ClientVersion: 0x0705,
		DDNet: &bridge.DDNetClient{ConnectionID: [16]byte{7}, Release: "DDNet 20.1"}}))
	s.SendMapChange(&bridge.Map{Name: "a"})
	s.SendMapChange(&bridge.Map{Name: "b"})
	want := (&msg6.Capabilities{Version: 5, Flags: 31}).Append(nil) // all but SyncWeaponInput
	if len(l.queue) != 3 || string(l.queue[0]) != string(want) {
		t.Errorf("sent %x, want %x and two maps", l.queue, want)
	}

	receive((&msg6.ClShowOthers{Show: msg6.ShowOthersOn}).Append(nil))
	l.Expect(t, "show others", call("Command", game.Command{Kind: game.CmdShowOthers, Player: game.Nobody, Target: game.Nobody, Value: 1}))
	receive((&msg6.ClShowDistance{X: 1356, Y: 1 << 30}).Append(nil))
	receive((&msg6.ClCameraInfo{Zoom: 1000}).Append(nil))
	receive((&msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("/timeout secret")}).Append(nil))
	l.Expect(t, "the size of the view and a secret", call("TimeoutCode", "secret"))
	v := game.View{Frame: w.Frame(), Viewer: 0, Range: game.DDRaceRange}
	if got := s.ddnet.viewOf(&v).Range; got.X != 1356 || got.Y != maxShowDistance {
		t.Errorf("sees %v", got)
	}

	b := packer.AppendInts(packer.AppendInt(nil, int32(msg7.IDInput)), []int32{5, 6, 4 * msg7.SizePlayerInput})
	in := msg7.PlayerInput{PlayerFlags: msg7.PlayerFlagAim | msg7.PlayerFlagChatting}
	var words [msg7.SizePlayerInput]int32
	in.PutInts(words[:])
	b = packer.AppendInt(packer.AppendInts(b, words[:]), 0)
	receive(b)
	l.Expect(t, "input", call("Input", bridge.InputMessage{AckTick: 5, IntendedTick: 6, Valid: true,
		Input: game.Input{Flags: game.PlayerFlagAim | game.PlayerFlagChatting}}))
}

// TestAimOver07 checks that only DDNet's clients get the flag of a player who aims. The original
// client rejects it.
func TestAimOver07(t *testing.T) {
	w := newWorld(t)
	frame := *w.Frame()
	frame.Players = append([]game.PlayerState(nil), frame.Players...)
	frame.Players[1].Flags = game.PlayerFlagAim
	for _, knows := range []bool{false, true} {
		e := snapshotEncoder{knowsAim: knows}
		var b snapshot.Builder
		var s snapshot.Snapshot
		e.beginRound(&frame)
		e.buildSnapshot(&b, &game.View{Frame: &frame}, new([game.MaxPlayers]int32), &clientids.Map{}, msg7.ClientVersion, nil)
		b.Finish(&s)
		var o msg7.PlayerInfo
		if err := o.ReadInts(s.Find(snapshot.MakeKey(msg7.TypePlayerInfo, 1))); err != nil {
			t.Fatal(err)
		}
		if got := o.PlayerFlags&msg7.PlayerFlagAim != 0; got != knows {
			t.Errorf("knows %v: %v", knows, o.PlayerFlags)
		}
	}
}

// TestHiddenClockOver07 checks that a player who hides the race clock gets none.
func TestHiddenClockOver07(t *testing.T) {
	w := newWorld(t)
	frame := *w.Frame()
	frame.Game.Flags |= game.GameFlagRace
	frame.Players = append([]game.PlayerState(nil), frame.Players...)
	for _, hide := range []bool{false, true} {
		frame.Players[0].HideClock, frame.Players[0].RaceStart, frame.Players[1].RaceStart = hide, 3, 4
		var e snapshotEncoder
		var b snapshot.Builder
		var s snapshot.Snapshot
		e.beginRound(&frame)
		e.buildSnapshot(&b, &game.View{Frame: &frame}, new([game.MaxPlayers]int32), &clientids.Map{}, msg7.ClientVersion, nil)
		b.Finish(&s)
		if got := s.Find(snapshot.MakeKey(msg7.TypePlayerInfoRace, 0)) == nil; got != hide {
			t.Errorf("hidden %v: %v", hide, got)
		}
	}
}
