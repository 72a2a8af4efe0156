package server

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/transport"
)

// Two thousand clients a second that connect, join and leave at once: those who
// play notice nothing. The original crashes.
func TestConnectFlood(t *testing.T) {
	const (
		players = 16
		perSec  = 2000
		length  = 5 * time.Second
	)
	a := newArena(t, netsim.Link{Delay: 5 * time.Millisecond}, 11, "sv_inactivekick_time 0; sv_scorelimit 0")
	var ticks [players][]int32
	for i := range players {
		a.joinWith(i+1, client.SessionConfig{Name: "player"})
	}
	for _, p := range a.players {
		a.until(5*time.Second, "playing", func() bool { return p.State() == client.Playing })
		a.net.Every(20*time.Millisecond, func(int64) { p.wander() })
	}
	a.run(time.Second)

	own := packet.Token(77)
	admitted, refused := 0, 0
	var scratch packet.Scratch
	join := func(n int) {
		// Half of them come from loopback, where nothing is banned, half from
		// a few hundred addresses.
		peer := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, byte(n >> 8), byte(n)}), uint16(2000+n%50000))
		if n%2 == 0 {
			peer = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 77, byte(n >> 8 & 3), byte(n)}), uint16(2000+n%50000))
		}
		token := packet.NoToken
		a.net.Handle(peer, func(_ int64, _ transport.Peer, b []byte) {
			var p packet.Packet
			if p.Parse(b, &scratch) != nil || p.Flags&packet.FlagControl == 0 {
				return
			}
			switch p.ControlID() {
			case packet.ControlToken:
				token = p.ResponseToken
				a.net.Send(peer, a.addr, packet.AppendConnect(nil, token, own))
			case packet.ControlAccept:
				admitted++
				q := puppet{token: token}
				a.net.Send(peer, a.addr, q.packet(0, true, &msg7.Info{NetVersion: []byte(msg7.NetVersion)}, &msg7.Ready{}, &msg7.ClStartInfo{Name: []byte("flood")}, &msg7.EnterGame{}))
				a.net.Send(peer, a.addr, append(packet.AppendControl(nil, 0, token, packet.ControlClose), 0))
				a.net.Handle(peer, nil)
			case packet.ControlClose:
				refused++
				a.net.Handle(peer, nil)
			}
		})
		a.net.Send(peer, a.addr, packet.AppendTokenRequest(nil, own))
	}
	var before [players]client.Stats
	for i, p := range a.players {
		before[i] = p.Stats()
	}
	for i, p := range a.players {
		p.onMessage = nil
		p.onSnap = func(tick int32, _ *snapshot.Snapshot) { ticks[i] = append(ticks[i], tick) }
	}
	n := 0
	end := a.net.Now() + int64(length)
	for a.net.Now() < end {
		for range perSec / 1000 {
			join(n)
			n++
		}
		a.run(time.Millisecond)
	}
	for i, p := range a.players {
		s := p.Stats()
		if p.State() != client.Playing || s.CRCFailures+s.BadDelta+s.NoBase+s.BadMessage > 0 {
			t.Errorf("player %d: state %v, %+v", i, p.State(), s)
		}
		if got, want := s.Snapshots-before[i].Snapshots, int(length/time.Second)*25; got < want-1 {
			t.Errorf("player %d got %d of %d snapshots", i, got, want)
		}
		for j := 1; j < len(ticks[i]); j++ {
			if ticks[i][j] != ticks[i][j-1]+2 {
				t.Errorf("player %d: tick %d after %d", i, ticks[i][j], ticks[i][j-1])
			}
		}
		if late := s.InputsLate - before[i].InputsLate; late > 0 {
			t.Errorf("player %d: %d late inputs", i, late)
		}
	}
	a.run(11 * time.Second)
	t.Logf("%d connects in %v: %d admitted, %d refused, %d bans, drops %v", n, length, admitted, refused, len(a.srv.bans.list()), a.srv.Drops())
	if admitted < perSec*5/2 {
		t.Errorf("only %d admitted: the test tests nothing", admitted)
	}
	if c := a.srv.numClients(); c != players {
		t.Errorf("%d clients are left", c)
	}
	checkSeats(t, a.srv)
	if n := len(a.srv.bans.list()); n > 32768 || len(a.srv.stress.connects) > stressTracked {
		t.Errorf("%d bans, %d addresses tracked", n, len(a.srv.stress.connects))
	}
}

// A player who sends as much as fits a line can neither crowd out the others nor
// fill their buffers, whatever protection is off.
func TestRequestFlood(t *testing.T) {
	l := newLab(t, nil, "sv_spamprotection 0")
	quiet := l.play(local(1), "quiet")
	quiet.deaf = true // on a slow line: acknowledges after the flood
	p := l.play(local(2), "loud")
	floods := map[string]msg7.Message{
		"chat":     &msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte(strings.Repeat("spam ", 25))},
		"team":     &msg7.ClSetTeam{Team: msg7.TeamSpectators},
		"emoticon": &msg7.ClEmoticon{Emoticon: 1},
		"skin":     &msg7.ClSkinChange{},
		"kill":     &msg7.ClKill{},
		"ready":    &msg7.ClReadyChange{},
		"spectate": &msg7.ClSetSpectatorMode{Mode: 1, SpectatorID: 0},
		"vote":     &msg7.ClCallVote{Type: []byte("kick"), Value: []byte("0")},
		"command":  &msg7.ClCommand{Name: []byte("x")},
	}
	for name, m := range floods {
		before, _ := quiet.session().conn.Unacked()
		for range 2000 {
			p.vital(m)
		}
		if n := len(l.srv.pendingCommands); n > requestRate.burst {
			t.Errorf("%s: %d commands in a tick", name, n)
		}
		l.step(1)
		if after, _ := quiet.session().conn.Unacked(); after-before > 2*requestRate.burst {
			t.Errorf("%s: %d messages for somebody else in a tick", name, after-before)
		}
		if p.session() == nil || quiet.session() == nil {
			t.Fatalf("%s: sessions %v, %v: %q %q", name, p.session() != nil, quiet.session() != nil, p.reason, quiet.reason)
		}
		// A pause; the others' buffers empty.
		quiet.deaf = false
		for range 250 {
			p.alive()
			quiet.alive()
			l.step(1)
		}
		quiet.deaf = true
	}
	if l.srv.Drops()["flood"] == 0 {
		t.Error("nothing was counted")
	}
	// The rest of the world still reaches it.
	q := l.puppet(local(3)).connect().info().ready().profile("new")
	for range 3000 {
		p.vital(floods["chat"])
	}
	q.enter()
	l.step(1)
	if c := q.session(); c == nil || c.state != stateInGame {
		t.Error("nobody can join during a flood")
	}
}

// Thousands of inputs in a tick cost no more than a hundred.
func TestInputFlood(t *testing.T) {
	l := newLab(t, nil)
	p := l.play(local(1), "player")
	sent := l.sent
	tick := l.srv.clock.tick
	var in []msg7.Message
	for i := range 40 {
		m := &msg7.Input{AckTick: p.snapTick, IntendedTick: tick + int32(i)}
		m.SetPlayer(&msg7.PlayerInput{TargetX: 1, Fire: int32(i)})
		in = append(in, m)
	}
	for range 250 {
		p.loose(in...)
	}
	if n := len(l.srv.pendingCommands); n > inputRate.burst {
		t.Errorf("%d commands in a tick", n)
	}
	l.step(1)
	if l.sent-sent > 5000 {
		t.Errorf("%d bytes in answer", l.sent-sent)
	}
	for range 100 { // and play goes on
		p.hold(msg7.PlayerInput{TargetX: 1, Direction: 1})
		l.step(1)
	}
	if c := p.session(); c == nil || c.snaps.rate != rateFull {
		t.Error("out of the game after a flood")
	}
	if l.srv.world.Frame().Characters[0].Direction != 1 {
		t.Error("inputs do not count after a flood")
	}
}

// Questions that are answered at once are answered together.
func TestPingFlood(t *testing.T) {
	l := newLab(t, nil)
	p := l.play(local(1), "player")
	var pings []msg7.Message
	for range 200 {
		pings = append(pings, &msg7.Ping{})
	}
	packets, sent := l.packets, l.sent
	p.loose(pings...)
	if n := l.packets - packets; n == 0 || n > 2 {
		t.Errorf("%d datagrams for one", n)
	}
	if n := l.sent - sent; n > 700 {
		t.Errorf("%d bytes in answer", n)
	}
	if p.ids[msg7.IDPingReply] != 200 {
		t.Errorf("%d of 200 pings answered", p.ids[msg7.IDPingReply])
	}
}

// Output does not cost an operator the connection, nor does what others make the
// server print.
func TestRconFlood(t *testing.T) {
	l := newLab(t, nil, "console_output_level 2; sv_spamprotection 0")
	p := l.play(local(1), "admin")
	p.vital(&msg7.RconAuth{Password: []byte("adminpw")})
	for range 300 {
		p.alive()
		l.step(1)
	}
	p.deaf = true // for a moment
	for range 1000 {
		p.vital(&msg7.RconCmd{Command: []byte("tunes; status; bans")})
	}
	for i := range 50 {
		l.play(local(100+i), "noise").leave()
	}
	if c := p.session(); c == nil {
		t.Fatalf("dropped: %q", p.reason)
	}
	if n, _ := p.session().conn.Unacked(); n > maxRconPending+4*50 {
		t.Errorf("%d chunks wait", n)
	}
	p.deaf = false
	for range 200 {
		p.alive()
		l.step(1)
	}
	if last := p.lines[len(p.lines)-1]; !strings.Contains(last, "lines were left out") {
		t.Errorf("the last line is %q", last)
	}
	p.vital(&msg7.RconCmd{Command: []byte("echo fine")})
	p.alive()
	l.step(2)
	if last := p.lines[len(p.lines)-1]; !strings.Contains(last, "fine") {
		t.Errorf("the last line is %q", last)
	}
	if d := l.srv.Drops(); d["flood"] == 0 || d["rcon_lines"] == 0 {
		t.Errorf("drops %v", d)
	}
}

// A flood of vital chunks that mean nothing.
func TestChunkFlood(t *testing.T) {
	l := newLab(t, nil)
	p := l.play(local(1), "player")
	q := l.play(local(2), "other")
	empty := make([]byte, 0, packet.MaxPayload)
	n := 0
	for len(empty)+4 < packet.MaxPayload && n < packet.MaxChunks {
		p.seq = (p.seq + 1) & packet.SeqMask
		empty = packet.AppendChunk(empty, packet.ChunkVital, p.seq, nil)
		n++
	}
	sent := l.sent
	for range 1000 {
		l.srv.Feed(l.now, p.peer, packet.AppendPacket(nil, 0, p.ack, n, p.token, append([]byte(nil), empty...)))
	}
	l.step(1)
	if l.sent-sent > 5000 || len(l.srv.pendingCommands) > 0 {
		t.Errorf("%d bytes in answer", l.sent-sent)
	}
	// Sequence numbers far ahead ask for a resend once per flush.
	q.resends = 0
	for range 1000 {
		q.seq = (q.seq + 300) & packet.SeqMask
		q.vital(&msg7.ClKill{})
	}
	l.step(1)
	if q.resends > 2 {
		t.Errorf("%d requests to resend", q.resends)
	}
}
