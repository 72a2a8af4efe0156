package server

import (
	"github.com/teeyard/teeyard/server/internal/access"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/transport"
)

// TestPlayersDoNotNoticeConnectFlood lets 2,000 clients a second connect, join and leave
// at once. The original crashes.
func TestPlayersDoNotNoticeConnectFlood(t *testing.T) {
	testenv.Long(t)
	testenv.OneGoroutine(t)
	const (
		players = 16
		perSec  = 2000
		length  = 5 * time.Second
	)
	tn := newTestNetwork(t, netsim.Link{Delay: 5 * time.Millisecond}, 11, "sv_inactivekick_time 0; sv_scorelimit 0")
	var ticks [players][]int32
	for i := range players {
		tn.join(i+1, "player").moveRandomly()
	}
	tn.run(time.Second)

	admitted, refused := 0, 0
	join := func(n int) {
		// Half of them come from loopback, where nothing is banned, half from
		// a few hundred addresses.
		peer := transport.UDPPeer(netip.AddrFrom4([4]byte{127, 0, byte(n >> 8), byte(n)}), uint16(2000+n%50000))
		if n%2 == 0 {
			peer = transport.UDPPeer(netip.AddrFrom4([4]byte{10, 77, byte(n >> 8 & 3), byte(n)}), uint16(2000+n%50000))
		}
		c := testclient.New(testclient.Config{Send: func(b []byte) { tn.net.Send(peer, tn.addr, b) }})
		tn.net.Handle(peer, func(_ int64, _ transport.Peer, b []byte) {
			c.Receive(b)
			switch {
			case c.Closed:
				refused++
				tn.net.Handle(peer, nil)
			case c.Accepted:
				admitted++
				c.Join("flood").Close("")
				tn.net.Handle(peer, nil)
			default:
				c.Connect()
			}
		})
		c.Dial()
	}
	var before [players]client.Stats
	for i, p := range tn.players {
		before[i] = p.Stats()
		p.onSnapshot = func(tick int32, _ *snapshot.Snapshot) { ticks[i] = append(ticks[i], tick) }
	}
	n := 0
	end := tn.net.Now() + int64(length)
	for tn.net.Now() < end {
		for range perSec / 1000 {
			join(n)
			n++
		}
		tn.run(time.Millisecond)
	}
	for i, p := range tn.players {
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
	tn.run(11 * time.Second)
	t.Logf("%d connects in %v: %d admitted, %d refused, %d bans, drops %v", n, length, admitted, refused, len(tn.srv.Bans()), tn.srv.Drops())
	if admitted < perSec*5/2 {
		t.Errorf("only %d admitted: the test tests nothing", admitted)
	}
	if c := tn.srv.numClients(); c != players {
		t.Errorf("%d clients are left", c)
	}
	checkSeats(t, tn.srv)
	if n := len(tn.srv.Bans()); n > 32768 {
		t.Errorf("%d bans", n)
	}
}

// TestConnectAndCloseFlood connects and closes 1,500 times a second, each time from another IPv6
// /64, and counts the remains: bans, lines in the log, memory. The players get every snapshot.
func TestConnectAndCloseFlood(t *testing.T) {
	testenv.Long(t)
	for name, test := range map[string]struct {
		peer     func(n int) transport.Peer
		length   time.Duration
		admitted int // at most
		bans     int // at most
	}{
		"one /48": {inSite, 24 * time.Second, 128 + 250, 128 + 250},
		"many /48": {func(n int) transport.Peer {
			return transport.UDPPeer(netip.AddrFrom16([16]byte{0x20, 0x01, 4: byte(n >> 8), 5: byte(n), 15: 1}), 5000)
		}, 8 * time.Second, 12000, 8192},
	} {
		t.Run(name, func(t *testing.T) {
			ts := newTestServer(t, nil, "sv_inactivekick_time 0; sv_scorelimit 0; console_output_level 2")
			var players [8]*testclient.Client
			for i := range players {
				players[i] = ts.join(ip(i+1), "player")
			}
			ts.play(50, players[0], msg7.PlayerInput{})
			for _, p := range players {
				p.Snapshots = 0
			}
			ts.log.Reset()
			heap, n, admitted := heapInUse(), 0, 0
			ticks := int(test.length / tickDuration)
			for range ticks {
				for range 30 {
					c := ts.connect(test.peer(n))
					n++
					if c.Accepted {
						admitted++
						c.Close("")
					}
					delete(ts.clients, c.Peer)
					ts.srv.Advance(ts.now)
				}
				for _, p := range players {
					ts.input(p, msg7.PlayerInput{TargetX: 1})
				}
				ts.step(1)
			}
			grown, lines, bans := int(heapInUse()-heap), strings.Count(ts.log.String(), "\n"), ts.srv.Bans()
			t.Logf("%d connects, %d admitted, %d bans, %d lines in the log, %d bytes, drops %v", n, admitted, len(bans), lines, grown, ts.srv.Drops())
			for i, p := range players {
				if p.Closed || p.Snapshots != ticks/2 {
					t.Errorf("player %d got %d of %d snapshots, closed %v", i, p.Snapshots, ticks/2, p.Closed)
				}
			}
			if admitted == 0 || admitted > test.admitted || len(bans) == 0 || len(bans) > test.bans || !bans[0].Temporary || !bans[len(bans)-1].Temporary {
				t.Errorf("%d admitted, %d bans", admitted, len(bans))
			}
			if lines > 100 {
				t.Errorf("%d lines in the log", lines)
			}
			if grown > 6<<20 {
				t.Errorf("%d bytes more in use", grown)
			}
		})
	}
}

// TestRequestFloodIsLimited checks that a player who sends as much as a line carries can
// neither crowd out the others nor fill their buffers, with the spam protection off.
func TestRequestFloodIsLimited(t *testing.T) {
	ts := newTestServer(t, nil, "sv_spamprotection 0")
	quiet := ts.join(local(1), "quiet")
	quiet.Deaf = true // on a slow line: acknowledges after the flood
	p := ts.join(local(2), "loud")
	floods := map[string]msg7.Message{
		"commands": &msg7.ClCommand{Name: []byte("help")},
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
		before, _ := ts.session(quiet).conn.Unacked()
		for range 2000 {
			p.Send(m)
		}
		if n := len(ts.srv.pendingCommands); n > int(requestRate.Burst) {
			t.Errorf("%s: %d commands in a tick", name, n)
		}
		ts.step(1)
		if after, _ := ts.session(quiet).conn.Unacked(); after-before > 2*int(requestRate.Burst) {
			t.Errorf("%s: %d messages for somebody else in a tick", name, after-before)
		}
		if ts.session(p) == nil || ts.session(quiet) == nil {
			t.Fatalf("%s: sessions %v, %v: %q %q", name, ts.session(p) != nil, ts.session(quiet) != nil, p.Reason, quiet.Reason)
		}
		// A pause; the others' buffers empty.
		quiet.Deaf = false
		ts.idle(250, p, quiet)
		quiet.Deaf = true
	}
	if ts.srv.Drops()["flood"] == 0 {
		t.Error("nothing was counted")
	}
	// The rest of the world still reaches it.
	q := ts.connect(local(3)).Info().Ready().StartInfo("new")
	for range 3000 {
		p.Send(floods["chat"])
	}
	q.EnterGame()
	ts.step(1)
	if c := ts.session(q); c == nil || c.state != stateInGame {
		t.Error("nobody can join during a flood")
	}
}

// TestInputFloodIsLimited checks that thousands of inputs in a tick cost no more than a
// hundred.
func TestInputFloodIsLimited(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(local(1), "player")
	sent := ts.sentBytes
	tick := ts.srv.clock.tick
	var in []testclient.Message
	for i := range 40 {
		m := &msg7.Input{AckTick: p.SnapTick, IntendedTick: tick + int32(i)}
		m.SetPlayer(&msg7.PlayerInput{TargetX: 1, Fire: int32(i)})
		in = append(in, m)
	}
	for range 250 {
		p.SendUnreliable(in...)
	}
	if n := len(ts.srv.pendingCommands); n > int(inputRate.Burst) {
		t.Errorf("%d commands in a tick", n)
	}
	ts.step(1)
	if ts.sentBytes-sent > 5000 {
		t.Errorf("%d bytes in answer", ts.sentBytes-sent)
	}
	ts.play(100, p, msg7.PlayerInput{TargetX: 1, Direction: 1}) // and play goes on
	if c := ts.session(p); c == nil || c.snapshots.rate != rateFull {
		t.Error("out of the game after a flood")
	}
	if ts.srv.world.Frame().Characters[0].Direction != 1 {
		t.Error("inputs do not count after a flood")
	}
}

// TestPingsAreAnsweredTogether checks that many pings of one datagram are answered in
// one.
func TestPingsAreAnsweredTogether(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(local(1), "player")
	var pings []testclient.Message
	for range 200 {
		pings = append(pings, &msg7.Ping{})
	}
	packets, sent := ts.sentPackets, ts.sentBytes
	p.SendUnreliable(pings...)
	if n := ts.sentPackets - packets; n == 0 || n > 2 {
		t.Errorf("%d datagrams for one", n)
	}
	if n := ts.sentBytes - sent; n > 700 {
		t.Errorf("%d bytes in answer", n)
	}
	if p.Received[msg7.IDPingReply] != 200 {
		t.Errorf("%d of 200 pings answered", p.Received[msg7.IDPingReply])
	}
}

// TestRconOutputIsLimited checks that output does not cost operators their connection, even if
// other clients cause it.
func TestRconOutputIsLimited(t *testing.T) {
	ts := newTestServer(t, nil, "console_output_level 2; sv_spamprotection 0")
	p := ts.join(local(1), "admin")
	p.Login("adminpw")
	ts.idle(300, p)
	p.Deaf = true // for a moment
	for range 1000 {
		p.Rcon("tunes; status; bans")
	}
	for i := range 50 {
		ts.join(local(100+i), "noise").Close("")
	}
	if c := ts.session(p); c == nil {
		t.Fatalf("dropped: %q", p.Reason)
	}
	if n, _ := ts.session(p).conn.Unacked(); n > maxRconPending+4*50 {
		t.Errorf("%d chunks wait", n)
	}
	p.Deaf = false
	ts.idle(200, p)
	if l := p.RconLines; len(l) < 2 || !strings.Contains(l[len(l)-2], "lines were not shown") || !strings.Contains(l[len(l)-1], "of your lines did not run") {
		t.Errorf("the last lines are %q", l[max(0, len(l)-2):])
	}
	p.Rcon("echo fine")
	p.KeepAlive()
	ts.step(2)
	if last := p.RconLines[len(p.RconLines)-1]; !strings.Contains(last, "fine") {
		t.Errorf("the last line is %q", last)
	}
	if d := ts.srv.Drops(); d["flood"] == 0 || d["rcon_lines"] == 0 {
		t.Errorf("drops %v", d)
	}
}

// TestMeaninglessChunksAreCheap floods the server with empty vital chunks and with ones
// far ahead in the sequence.
func TestMeaninglessChunksAreCheap(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(local(1), "player")
	q := ts.join(local(2), "other")
	empty := make([]byte, 0, packet.MaxPayload)
	n := 0
	for len(empty)+4 < packet.MaxPayload && n < packet.MaxChunks {
		p.Seq = (p.Seq + 1) & packet.SeqMask
		empty = packet.AppendChunk(empty, packet.ChunkVital, p.Seq, nil)
		n++
	}
	sent := ts.sentBytes
	for range 1000 {
		ts.srv.Feed(ts.now, p.Peer, packet.AppendPacket(nil, 0, p.Ack, n, p.Token, append([]byte(nil), empty...)))
	}
	ts.step(1)
	if ts.sentBytes-sent > 5000 || len(ts.srv.pendingCommands) > 0 {
		t.Errorf("%d bytes in answer", ts.sentBytes-sent)
	}
	// Sequence numbers far ahead ask for a resend once per flush.
	q.Resends = 0
	for range 1000 {
		q.Seq = (q.Seq + 300) & packet.SeqMask
		q.Send(&msg7.ClKill{})
	}
	ts.step(1)
	if q.Resends > 2 {
		t.Errorf("%d requests to resend", q.Resends)
	}
}

// TestJoinFloodFillsNeitherLogNorChat has clients from many IPv6 /48 join, chat and leave 700 times
// a second. The log and the other players are told of few of them. An honest player who joins
// meanwhile is announced when the time as a newcomer is over.
func TestJoinFloodFillsNeitherLogNorChat(t *testing.T) {
	testenv.Long(t)
	testenv.OneGoroutine(t)
	ts := newTestServer(t, nil, "sv_inactivekick_time 0; sv_scorelimit 0; console_output_level 2; sv_rcon_mod_password modpw")
	news := map[string]int{} // what players of 0.7 are told
	old, modern := ts.joinAs(client06DDNet, ip(1), "old"), ts.join(ip(2), "modern")
	modern.OnMessage = func(m testclient.Message) {
		switch m := m.(type) {
		case *msg7.SvClientInfo:
			if !m.Silent {
				news["entered"]++
			}
		case *msg7.SvClientDrop:
			if !m.Silent {
				news["left"]++
			}
		}
	}
	modern.Login("adminpw")
	ts.idle(200, old, modern)
	clear(news)
	old.Chat, modern.Chat, modern.RconLines = nil, nil, nil
	ts.log.Reset()
	const perTick = 14
	seconds := testenv.Amount(3, 8)
	n, joined := 0, 0
	flood := func(ticks int, also ...*testclient.Client) {
		for range ticks {
			var flooders [perTick]*testclient.Client
			for i := range flooders {
				peer := transport.UDPPeer(netip.AddrFrom16([16]byte{0x20, 0x01, 4: byte(n >> 8), 5: byte(n), 15: 1}), 5000)
				flooders[i] = ts.connect(peer).Join("flooder")
				n++
			}
			ts.idle(2, append(also, old, modern)...)
			for _, c := range flooders {
				if s := ts.session(c); s != nil && s.state == stateInGame {
					joined++
				}
				c.Say("buy").Close("")
				delete(ts.clients, c.Peer)
			}
		}
	}
	flood(seconds * 25)
	ts.idle(2, old, modern)
	most := int(access.JoinNewsRate.Burst) + (seconds+1)*int(access.JoinNewsRate.PerSecond)
	lines := strings.Count(ts.log.String(), "\n")
	t.Logf("%d joined, %v, %d lines of chat in 0.7, %d in 0.6, %d in the log (%d bytes), %d for the operator",
		joined, news, len(modern.Chat), len(old.Chat), lines, ts.log.Len(), len(modern.RconLines))
	if joined != seconds*25*perTick {
		t.Errorf("only %d joined: the test tests nothing", joined)
	}
	if news["entered"] > most || news["left"] > most || len(modern.Chat) > most || len(old.Chat) > 3*most {
		t.Errorf("at most %d are to be told of", most)
	}
	if lines > 10*most || len(modern.RconLines) > 10*most {
		t.Error("the log and the console are full of them")
	}
	if n := strings.Count(ts.log.String(), "has entered the game"); n == 0 || news["left"] != n || news["entered"] != n {
		t.Errorf("the log has %d who entered, the players were told of %v", n, news)
	}

	honest := ts.connect(ip(3)).Join("honest")
	flood(6*25, honest)
	ts.idle(int(newcomerTime/tickDuration), old, modern, honest)
	modern.Chat, news["left"] = nil, 0
	honest.Say("hello")
	ts.idle(2, old, modern, honest)
	if len(modern.Chat) != 1 || modern.Chat[0] != "hello" {
		t.Errorf("what is said later: %q", modern.Chat)
	}
	ts.log.Reset()
	honest.Close("")
	ts.idle(2, old, modern)
	if news["left"] != 1 || !strings.Contains(ts.log.String(), "client dropped") || !strings.Contains(ts.log.String(), "leave player") {
		t.Errorf("nobody is told that a player leaves: %v, %s", news, ts.log.String())
	}
}

// TestAttackFromOwnNetwork lets attackers with all addresses of a network connect as often as
// they can, for as long as the test runs, while honest players of the same network join: they
// play within four seconds. The attackers' own addresses are banned, and no network.
func TestAttackFromOwnNetwork(t *testing.T) {
	testenv.Long(t)
	testenv.OneGoroutine(t)
	ipv4 := func(n int) transport.Peer {
		return transport.UDPPeer(netip.AddrFrom4([4]byte{198, 51, 100, byte(n)}), uint16(2000+n>>8))
	}
	for name, test := range map[string]struct {
		peer    func(n int) transport.Peer
		stay    time.Duration // how long an attacker stays when it is let in
		retries int           // how often an attacker asks on when it is not
	}{
		"IPv4, leave at once": {peer: ipv4},
		"IPv4, stay, ask on":  {ipv4, 1100 * time.Millisecond, 3},
		"IPv6, leave at once": {peer: inSite},
		"IPv6, stay":          {inSite, 1100 * time.Millisecond, 0},
	} {
		if (test.retries > 0) == (test.stay == 0) && !testenv.InCI() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			tn := newTestNetwork(t, netsim.Link{Delay: 20 * time.Millisecond}, 5, "sv_inactivekick_time 0")
			after := func(span time.Duration, f func()) {
				tn.net.At(tn.net.Now()+int64(span), func(int64) { f() })
			}
			n, admitted := 0, 0
			attack := func() {
				if n++; n%256 < 3 { // those are the honest ones
					return
				}
				peer := test.peer(n)
				c := testclient.New(testclient.Config{Send: func(b []byte) { tn.net.Send(peer, tn.addr, b) }})
				tries := 0
				tn.net.Handle(peer, func(_ int64, _ transport.Peer, b []byte) {
					switch c.Receive(b); {
					case c.Closed:
						tn.net.Handle(peer, nil)
					case c.Accepted:
						admitted++
						tn.net.Handle(peer, nil)
						after(test.stay, func() { c.Close("") })
					case tries == 0:
						for ; tries <= test.retries; tries++ {
							after(time.Duration(tries)*500*time.Millisecond, func() {
								if !c.Accepted && !c.Closed {
									c.Connect()
								}
							})
						}
					}
				})
				c.Dial()
			}
			tn.net.Every(2*time.Millisecond, func(int64) { attack() })
			tn.run(20 * time.Second)
			if admitted < 64 {
				t.Fatalf("%d attackers got in: the test tests nothing", admitted)
			}
			for i, kind := range []client.SessionConfig{player07, player06DDNet, player06, player07} {
				begun := tn.now()
				p := tn.dialFrom(test.peer([]int{256, 257, 258, 512}[i]), named(kind, "honest"))
				tn.until(4*time.Second, "an honest client plays", func() bool { return allPlay([]*player{p}) })
				t.Logf("%d played after %v", i, tn.now().Sub(begun))
				tn.run(time.Second)
			}
			bans := tn.srv.Bans()
			t.Logf("%d attacks, %d got in, %d bans, drops %v", n, admitted, len(bans), tn.srv.Drops())
			for _, b := range bans {
				if !b.Net.IsSingleIP() && b.Net.Bits() != 64 {
					t.Errorf("all of %v is banned", b.Net)
				}
			}
			if test.stay == 0 && len(bans) == 0 {
				t.Error("no attacker is banned")
			}
			checkSeats(t, tn.srv)
		})
	}
}
