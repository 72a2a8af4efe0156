package server

import (
	"bytes"
	"fmt"
	"github.com/teeyard/teeyard/server/internal/access"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server/internal/gamemap"
	"github.com/teeyard/teeyard/transport"
)

// The attacks in this file work against the original server.

// TestConnectWithAckGetsNoSession checks that a CONNECT that acknowledges chunks that were never
// sent gets no session. The original kept such a session.
func TestConnectWithAckGetsNoSession(t *testing.T) {
	ts := newTestServer(t, nil)
	for i := range 200 {
		p := ts.dial(ip(i))
		b := packet.AppendConnect(nil, p.Token, p.OwnToken)
		b[0] |= 1
		b[1] = byte(i)
		ts.feed(p.Peer, b)
		if p.Accepted || p.Closed {
			t.Fatalf("answered: accepted %v, closed %q", p.Accepted, p.Reason)
		}
	}
	if n := ts.srv.numClients(); n != 0 {
		t.Errorf("%d seats are taken", n)
	}
	ts.join(ip(1000), "player")
	checkSeats(t, ts.srv)
}

// TestMapRequestsWithoutAcksAreBounded checks that requests for the map without acks do
// not fill the resend buffer. In the original the next message then ended the process.
func TestMapRequestsWithoutAcksAreBounded(t *testing.T) {
	ts := newTestServer(t, nil)
	setMapFile(ts.srv.maps.Played(), bytes.Repeat([]byte("map!"), 1<<20))
	p := ts.connect(ip(1)).Info()
	p.Deaf = true
	most := 0
	for i := range 5000 {
		p.RequestMap(0)
		if c := ts.session(p); c != nil {
			chunks, _ := c.conn.Unacked()
			most = max(most, chunks)
		}
		if i%20 == 0 {
			ts.step(1)
		}
	}
	if most > gamemap.MaxWindow || most < gamemap.MinWindow {
		t.Errorf("%d chunks on their way, want at most %d", most, gamemap.MaxWindow)
	}
	if ts.sentBytes > 8<<20 {
		t.Errorf("%d bytes sent to a client that acknowledges nothing", ts.sentBytes)
	}
	before := ts.sentBytes
	ts.idle(int(loadingPatience/tickDuration)+50, p)
	if p.Reason != "Too weak connection (not acked for 100 seconds)" || ts.session(p) != nil {
		t.Errorf("closed %v with %q", p.Closed, p.Reason)
	}
	if n := ts.sentBytes - before; n > 1<<20 {
		t.Errorf("%d bytes sent again to a client that may be loading", n)
	}
	checkSeats(t, ts.srv)
}

// TestClientWithoutAcksIsDropped checks that a client that acknowledges nothing is
// dropped when the resend buffer is full, or after ten seconds.
func TestClientWithoutAcksIsDropped(t *testing.T) {
	ts := newTestServer(t, nil, "sv_gametype mod")
	other := ts.join(ip(1), "other")
	p := ts.join(ip(2), "silent")
	p.Deaf = true
	for i := range 600 {
		ts.srv.Execute(fmt.Sprintf("tune gravity %d", i))
		if i%100 == 99 {
			ts.step(1)
			ts.input(other, msg7.PlayerInput{})
		}
	}
	ts.step(2)
	if ts.session(p) != nil || p.Reason != conn.ReasonOutOfBuffer {
		t.Errorf("closed %v with %q", p.Closed, p.Reason)
	}
	if want := []string{"+1 silent", "-1 " + conn.ReasonOutOfBuffer}; !slices.Equal(other.PlayerChanges, want) {
		t.Errorf("the other saw %q", other.PlayerChanges)
	}
	checkSeats(t, ts.srv)

	// Slow enough for the buffer: the age of unacknowledged chunks counts.
	q := ts.join(ip(3), "slow")
	q.Deaf = true
	for range 12 * 50 {
		q.KeepAlive()
		ts.input(other, msg7.PlayerInput{})
		if ts.srv.clock.tick%50 == 0 {
			ts.srv.Execute("say x")
		}
		ts.step(1)
	}
	if ts.session(q) != nil || q.Reason != conn.ReasonNotAcked {
		t.Errorf("closed %v with %q", q.Closed, q.Reason)
	}
}

// TestTargetsOutOfRange whispers to, and spectates, client ids out of range. The original used -1
// as an index, and all players heard whispers to -1.
func TestTargetsOutOfRange(t *testing.T) {
	for _, tournament := range []string{"0", "2"} {
		ts := newTestServer(t, nil, "sv_spamprotection 0; sv_tournament_mode "+tournament)
		ps := []*testclient.Client{ts.join(ip(1), "a"), ts.join(ip(2), "b"), ts.join(ip(3), "c")}
		ps[0].Send(&msg7.ClSetTeam{Team: msg7.TeamSpectators})
		ts.step(60)
		for _, id := range []int32{-1, -2, 0, 1, 5, 63, 64, 127, -1 << 31, 1<<31 - 1} {
			for mode := range int32(5) {
				ps[0].Send(&msg7.ClSetSpectatorMode{Mode: msg7.SpecMode(mode), SpectatorID: id})
				ts.step(60)
			}
			if id != 1 {
				ps[0].Send(&msg7.ClSay{Mode: msg7.ChatWhisper, Target: id, Message: []byte("psst")})
			}
			for _, p := range ps {
				ts.input(p, msg7.PlayerInput{Fire: int32(ts.srv.clock.tick & 63)})
			}
			ts.step(1)
		}
		for i, p := range ps {
			if i > 0 && len(p.Chat) > 0 {
				t.Errorf("tournament mode %s: %d overheard %q", tournament, i, p.Chat)
			}
			if ts.session(p) == nil {
				t.Errorf("tournament mode %s: %d is out: %q", tournament, i, p.Reason)
			}
		}
	}
}

// armed is a mod: all players have a laser.
type armed struct{}

func (armed) Start(*game.Setup) {}

func (armed) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	ctx.Player(id).GiveWeapon(game.WeaponLaser, 10)
}

// TestLaserOfPlayerWhoLeft checks that a laser can kill after its owner has left.
func TestLaserOfPlayerWhoLeft(t *testing.T) {
	testenv.OneGoroutine(t)
	ts := newTestServerWith(t, Config{Mods: []func() game.Mod{func() game.Mod { return armed{} }}}, "sv_map testbox; sv_gametype mod; sv_scorelimit 0")
	ts.srv.Execute("reload; tune laser_damage 50; tune laser_bounce_delay 60; tune laser_bounce_num 10")
	ts.step(2)
	r := rand.New(rand.NewPCG(8, 8))
	var ps [8]*testclient.Client
	orphans := 0
	n := 0
	for i := range 6000 {
		k := i % len(ps)
		p := ps[k]
		if p == nil || ts.session(p) == nil {
			n++
			p = ts.join(local(1000+n), "shooter")
			ps[k] = p
			p.OnMessage = on(func(m *msg7.SvKillMsg) {
				if m.Killer < 0 && m.Weapon == msg7.WeaponLaser {
					orphans++
				}
			})
		}
		ts.input(p, msg7.PlayerInput{
			TargetX: int32(r.IntN(800) - 400), TargetY: int32(r.IntN(800) - 400),
			Fire: int32(2*(i/len(ps))+1) & 63, WantedWeapon: int32(game.WeaponLaser) + 1,
		})
		if r.IntN(40) == 0 {
			p.Close("")
			delete(ts.clients, p.Peer)
		}
		ts.step(1)
	}
	if orphans == 0 {
		t.Error("no beam outlived its owner and killed; the test tests nothing")
	}
	t.Logf("%d kills by beams of players who had left, %d joins", orphans, n)
	checkSeats(t, ts.srv)
}

// TestForgedAcksDoNotCount checks that the acks of packets with a wrong token do not
// count. In the original, anyone who could forge an address could stall a connection.
func TestForgedAcksDoNotCount(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(ip(1), "victim")
	p.Deaf = true
	ts.srv.Execute("say one")
	ts.step(1)
	before, _ := ts.session(p).conn.Unacked()
	if before == 0 {
		t.Fatal("nothing waits for an ack")
	}
	sent := ts.sentBytes
	for ack := range packet.SeqSpace {
		for _, flags := range []packet.Flags{0, packet.FlagResend, packet.FlagControl, packet.FlagControl | packet.FlagResend} {
			b := packet.AppendHeader(nil, flags, ack, 0, p.Token^1)
			ts.feed(p.Peer, append(b, byte(packet.ControlClose)))
		}
	}
	if after, _ := ts.session(p).conn.Unacked(); after != before || ts.sentBytes != sent {
		t.Errorf("%d of %d chunks wait, %d bytes sent", after, before, ts.sentBytes-sent)
	}
	p.Deaf, p.Chat = false, nil
	ts.idle(100, p) // resends come after a second
	if n, _ := ts.session(p).conn.Unacked(); n != 0 || len(p.Chat) != 1 {
		t.Errorf("%d chunks still wait, heard %q", n, p.Chat)
	}
}

// TestResendRequestsAreLimited checks that a small packet that asks for a resend is not
// answered with the whole buffer as often as it comes.
func TestResendRequestsAreLimited(t *testing.T) {
	ts := newTestServer(t, nil)
	setMapFile(ts.srv.maps.Played(), bytes.Repeat([]byte("map!"), 1<<20))
	p := ts.connect(ip(1)).Info()
	p.Deaf = true
	p.RequestMap(0)
	ts.step(1)
	window := ts.sentBytes
	if window < gamemap.MinWindow*mapChunkSize07/2 {
		t.Fatalf("only %d bytes on their way", window)
	}
	ts.sentBytes = 0
	const requests = 10_000
	for range requests { // within one tick
		ts.feed(p.Peer, packet.AppendPacket(nil, packet.FlagResend, p.Ack, 0, p.Token, nil))
	}
	ts.step(1)
	if ts.sentBytes > 2*window {
		t.Errorf("%d requests in a tick are answered with %d bytes, the buffer has %d", requests, ts.sentBytes, window)
	}
}

// TestMalformedPacketsAreIgnored sends control messages without content, or with chunks.
// The original read the content from the packet before.
func TestMalformedPacketsAreIgnored(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(ip(1), "victim")
	q := ts.join(ip(2), "attacker")
	say := packet.AppendChunk(nil, packet.ChunkVital, (q.Seq+1)&packet.SeqMask,
		(&msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("boo")}).Append(nil))
	for _, b := range [][]byte{
		packet.AppendHeader(nil, packet.FlagControl, q.Ack, 0, q.Token),
		packet.AppendHeader(nil, packet.FlagControl|packet.FlagCompressed, q.Ack, 0, q.Token),
		append(packet.AppendHeader(nil, packet.FlagControl, q.Ack, 1, q.Token), say...),
		append(packet.AppendHeader(nil, packet.FlagControl, q.Ack, 255, q.Token), 4, 0),
		append(packet.AppendHeader(nil, packet.FlagControl, q.Ack, 0, q.Token), 3),
		append(packet.AppendHeader(nil, packet.FlagControl, q.Ack, 0, q.Token), 255),
		append(packet.AppendHeader(nil, 0, q.Ack, 1, q.Token), 0xff, 0xff, 0xff),
		append(packet.AppendHeader(nil, 0, q.Ack, 255, q.Token), say[:len(say)-1]...),
		packet.AppendHeader(nil, 0, q.Ack, 255, q.Token)[:6],
	} {
		// The buffers still hold a CLOSE of another client.
		ts.feed(ip(3), append(packet.AppendControl(nil, 0, 1, packet.ControlClose), "bye\x00"...))
		ts.feed(q.Peer, b)
		ts.step(1)
		if ts.session(p) == nil || ts.session(q) == nil || len(p.Chat) > 0 {
			t.Fatalf("%x: sessions %v and %v, heard %q", b, ts.session(p) != nil, ts.session(q) != nil, p.Chat)
		}
	}
}

// TestRconGuessesAreLimited checks that passwords cannot be tried without end by
// connecting again.
func TestRconGuessesAreLimited(t *testing.T) {
	testenv.OneGoroutine(t)
	for _, c := range []struct {
		commands string
		most     int // passwords compared, in 10 minutes from one address
		reason   string
	}{
		{"sv_rcon_max_tries 3; sv_rcon_bantime 5", 9, "banned"},
		{"sv_rcon_max_tries 3; sv_rcon_bantime 0", 2*600 + 40, "Too many remote console authentication tries"},
	} {
		ts := newTestServer(t, nil, "sv_max_clients_per_ip 4; "+c.commands)
		tried, reasons := 0, map[string]int{}
		for range 10 * 60 * 10 {
			p := ts.connect(ip(1))
			for i := range 3 {
				p.Login(fmt.Sprint("guess", i))
			}
			ts.step(5)
			for _, line := range p.RconLines {
				if strings.HasPrefix(line, "Wrong password") {
					tried++
				}
			}
			if p.Closed {
				reasons[strings.SplitN(p.Reason, " for", 2)[0]]++
			}
			if c := ts.session(p); c != nil {
				c.drop("next")
				ts.step(1)
			}
		}
		// What a closing connection was told last does not arrive.
		attempts := tried + len(reasons)
		if attempts > c.most {
			t.Errorf("%s: %d passwords could be tried, reasons %v", c.commands, attempts, reasons)
		}
		found := false
		for r := range reasons {
			found = found || strings.Contains(r, c.reason)
		}
		if !found {
			t.Errorf("%s: reasons are %v", c.commands, reasons)
		}
	}

	// Without a limit, and on loopback, the pace still has one.
	ts := newTestServer(t, nil)
	p := ts.connect(local(1)).Info()
	for range 1000 {
		p.Login("guess")
	}
	ts.step(1)
	if n := len(p.RconLines); n != int(authRate.Burst)+1 || p.RconLines[n-1] != "Too many passwords at once, wait a moment." {
		t.Errorf("%d passwords tried at once: %q", n, p.RconLines)
	}
	if ts.session(p) == nil {
		t.Errorf("dropped: %q", p.Reason)
	}
}

// TestRconGuessesOfOneNetwork checks that a /64 may guess no more rcon passwords than an
// IPv4 address, that a ban for that does not throw out those who only share the address,
// and that they cannot guess on.
func TestRconGuessesOfOneNetwork(t *testing.T) {
	testenv.OneGoroutine(t)
	sameAddr := func(i int) transport.Peer { return withPort(ip(1), 6000+i) }
	for name, peer := range map[string]func(int) transport.Peer{"IPv4": sameAddr, "IPv6": ipv6} {
		ts := newTestServer(t, nil, "sv_rcon_max_tries 3; sv_rcon_bantime 1")
		friends := []*testclient.Client{ts.join(peer(1000), "friend"), ts.joinAs(client06DDNet, peer(1001), "other")}
		compared := 0
		for second := range 50 {
			var guessers []*testclient.Client
			for i := range 8 {
				p := ts.connect(peer(second*8 + i))
				for range 3 {
					p.Login("guess")
				}
				guessers = append(guessers, p)
			}
			ts.idle(50, friends...)
			for _, p := range guessers {
				compared += len(p.RconLines)
			}
			friends[0].Login("adminpw")
		}
		if list := ts.srv.Bans(); len(list) != 1 || !list[0].Temporary {
			t.Errorf("%s: the bans are %+v", name, list)
		}
		if compared != 3 {
			t.Errorf("%s: %d passwords were compared, want 3", name, compared)
		}
		for _, f := range friends {
			c := ts.session(f)
			if c == nil || c.state != stateInGame || c.rcon.authed {
				t.Fatalf("%s: who plays from the same address is out: %q", name, f.Reason)
			}
		}
		if l := friends[0].RconLines; len(l) == 0 || l[0] != access.TooManyTries {
			t.Errorf("%s: a right password during the ban: %q", name, l)
		}
		ts.idle(11*50, friends...)
		if p := ts.connect(peer(9)).Login("adminpw"); !p.Accepted || !ts.session(p).rcon.authed {
			t.Errorf("%s: cannot log in after the ban: %q", name, p.Reason)
		}
	}
}

// TestHostileInputs sends inputs of any size, for any tick and with any ack.
func TestHostileInputs(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(ip(1), "player")
	tick := ts.srv.clock.tick
	full := msg7.Input{AckTick: -1, IntendedTick: tick + 10, Size: 40}
	for i := range full.Words {
		full.Words[i] = 1
	}
	p.SendUnreliable(&full)
	for _, size := range []int32{-1, -4, -1 << 31, 0, 1, 3, 39, 40, 41, 511, 512, 515, 516, 1 << 20, 1<<31 - 1} {
		b := packer.AppendInt(nil, int32(msg7.IDInput))
		for _, v := range []int32{-1, tick + 11, size} {
			b = packer.AppendInt(b, v)
		}
		for range 3 { // fewer words than promised
			b = packer.AppendInt(b, 1)
		}
		ts.srv.Feed(ts.now, p.Peer, packet.AppendPacket(nil, 0, p.Ack, 1, p.Token, packet.AppendChunk(nil, 0, 0, b)))
		c := ts.session(p)
		last := c.inputs.inputs[(c.inputs.next+maxInputs-1)%maxInputs]
		if c.inputs.ticks[(c.inputs.next+maxInputs-1)%maxInputs] == tick+11 && (last.Jump || last.Hook || last.Fire != 0 || last.WantedWeapon != 0) {
			t.Errorf("size %d: words of the input before are left: %+v", size, last)
		}
	}
	// Ticks far away in both directions.
	for _, at := range []int32{-1 << 31, -1, 0, 1, 1<<31 - 1} {
		for _, ack := range []int32{-1 << 31, -1, 0, 1<<31 - 1} {
			m := msg7.Input{AckTick: ack, IntendedTick: at, PingCorrection: at}
			m.SetPlayer(&msg7.PlayerInput{})
			p.SendUnreliable(&m)
			ts.step(1)
		}
	}
	// Acks of chunks that were never sent must not hide the true ones.
	snaps := p.SnapTick
	ts.play(400, p, msg7.PlayerInput{TargetX: 1})
	c := ts.session(p)
	if c == nil || c.snapshots.rate != rateFull || p.SnapTick < snaps+390 {
		t.Errorf("after hostile acks: session %v, rate %v", c != nil, c.snapshots.rate)
	}
}

// TestFileNamesStayInTheirFolders checks that names of maps and files lead nowhere else.
func TestFileNamesStayInTheirFolders(t *testing.T) {
	files := fstest.MapFS{
		"secret.map":      {Data: []byte("x")},
		"maps/folder.map": {Mode: 0o755 | 1<<31},
		"a.cfg":           {Data: []byte("sv_motd inside")},
	}
	ts := newTestServer(t, files, "sv_map teeyard1")
	ts.log.Reset()
	for _, name := range []string{"../secret", "..", "/etc/passwd", `..\secret`, "C:secret", "a/../../secret",
		"./teeyard1", "folder", strings.Repeat("x/", 60), "maps//x", ""} {
		ts.log.Reset()
		ts.srv.Execute(fmt.Sprintf("sv_map %q", name))
		ts.step(2)
		if ts.srv.maps.Played().Name != "teeyard1" || ts.srv.maps.Settings.Map != "teeyard1" || !strings.Contains(ts.log.String(), "failed to load map") {
			t.Errorf("sv_map %q: playing %q, log %s", name, ts.srv.maps.Played().Name, ts.log.String())
		}
		ts.log.Reset()
		ts.srv.Execute(fmt.Sprintf("change_map %q", name))
		ts.step(2)
		if name != "" && !strings.Contains(ts.log.String(), "change_map:") {
			t.Errorf("change_map %q says %s", name, ts.log.String())
		}
	}
	for _, name := range []string{"../a.cfg", "/a.cfg", `..\a.cfg`, "x/../../a.cfg"} {
		ts.srv.Execute("sv_motd none")
		ts.srv.Execute(fmt.Sprintf("exec %q", name))
		if ts.srv.settings.Motd != "none" {
			t.Errorf("exec %q was executed", name)
		}
	}
	ts.srv.Execute("exec a.cfg")
	if ts.srv.settings.Motd != "inside" {
		t.Error("exec a.cfg was not executed")
	}
}

// TestClientsCannotForgeLogLines checks that names and chat neither begin new lines in
// the log nor control a terminal that shows it.
func TestClientsCannotForgeLogLines(t *testing.T) {
	ts := newTestServer(t, nil, "sv_spamprotection 0; console_output_level 2")
	admin := ts.join(ip(9), "admin")
	admin.Login("adminpw")
	ts.log.Reset()
	bad := []string{"\x1b[2J", "\nadmin: x", "\r", "\x7f", "\u009b31m", "\x9b31m", "\u2028x", "\u202ex", "\u0085", "a\xffb", "'"}
	for i, s := range bad {
		p := ts.connect(local(1000 + i))
		p.Login(s)
		p.Join("n" + s)
		ts.step(1)
		p.Say("chat" + s + "end")
		p.Send(&msg7.ClSay{Mode: msg7.ChatTeam, Target: -1, Message: []byte("team" + s + "end")})
		admin.Rcon("echo x" + s)
		admin.Rcon("say x" + s)
		admin.Rcon("nocommand" + s)
		ts.step(60)
		p.Send(&msg7.ClKill{})
		ts.feed(p.Peer, append(packet.AppendControl(nil, p.Ack, p.Token, packet.ControlClose), s+"\x00"...))
		admin.KeepAlive()
		ts.step(2)
		q := ts.connect(local(2000 + i))
		q.Send(&msg7.Info{NetVersion: []byte("0.7 " + s)})
		ts.step(1)
	}
	text := ts.log.String()
	if !strings.Contains(text, "chat") || !strings.Contains(text, "end") || !strings.Contains(text, "team") {
		t.Fatalf("the log has no chat:\n%s", text)
	}
	check := func(where, s string) {
		for _, r := range s {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x202e || r == 0xfffd {
				t.Errorf("%s: %q", where, s)
				return
			}
		}
	}
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		check("log", line)
		if !strings.HasPrefix(line, "[") {
			t.Errorf("line of its own: %q", line)
		}
	}
	for _, line := range admin.RconLines {
		check("rcon", line)
	}
}

// TestDropsAreCountedNotLogged checks that refused datagrams cannot fill the log.
func TestDropsAreCountedNotLogged(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(ip(1), "player")
	ts.log.Reset()
	for range 100 {
		ts.feed(ip(2), []byte("\xff\xff\xff\xffgetinfo"))
		ts.feed(ip(2), packet.AppendConnect(nil, 1, 2))
		p.Send(&msg7.MapChange{})
		p.SendUnreliable(&msg7.ClKill{})
	}
	d := ts.srv.Drops()
	for _, name := range []string{"unknown_protocol", "unexpected", "not_vital"} {
		if d[name] < 100 {
			t.Errorf("%s: %d of 100 counted: %v", name, d[name], d)
		}
	}
	if ts.log.Len() > 0 {
		t.Errorf("logged: %s", ts.log.String())
	}
}
