package server

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
)

// The attacks in this file work against the original server.

// A CONNECT that acknowledges what was never sent took a seat for ever.
func TestAttackConnectWithAck(t *testing.T) {
	l := newLab(t, nil)
	for i := range 200 {
		p := l.puppet(ip(i))
		b := packet.AppendConnect(nil, p.token, p.own)
		b[0] |= 1
		b[1] = byte(i)
		l.feed(p.peer, b)
		if p.accepted || p.closed {
			t.Fatalf("answered: accepted %v, closed %q", p.accepted, p.reason)
		}
	}
	if n := l.srv.numClients(); n != 0 {
		t.Errorf("%d seats are taken", n)
	}
	l.play(ip(1000), "player")
	checkSeats(t, l.srv)
}

// Map requests without acks overflowed the resend buffer, and the next message
// ended the process.
func TestAttackMapRequests(t *testing.T) {
	l := newLab(t, nil)
	l.srv.gameMap.setFile(bytes.Repeat([]byte("map!"), 1<<20))
	p := l.puppet(ip(1)).connect().info()
	p.deaf = true
	most := 0
	for i := range 5000 {
		p.vital(&msg7.RequestMapData{})
		if c := p.session(); c != nil {
			chunks, _ := c.conn.Unacked()
			most = max(most, chunks)
		}
		if i%20 == 0 {
			l.step(1)
		}
	}
	if most > mapWindow || most < mapWindowStart {
		t.Errorf("%d chunks on their way, want at most %d", most, mapWindow)
	}
	if l.sent > 8<<20 {
		t.Errorf("%d bytes sent to a client that acknowledges nothing", l.sent)
	}
	for range 11 * 50 {
		p.alive()
		l.step(1)
	}
	if !strings.EqualFold(p.reason, conn.ReasonNotAcked) || p.session() != nil {
		t.Errorf("closed %v with %q", p.closed, p.reason)
	}
	checkSeats(t, l.srv)
}

// A client that acknowledges nothing while there is much to tell it.
func TestAttackSilentPeer(t *testing.T) {
	l := newLab(t, nil)
	other := l.play(ip(1), "other")
	var drops []string
	other.onMessage = func(m msg7.Message) {
		if m, ok := m.(*msg7.SvClientDrop); ok {
			drops = append(drops, string(m.Reason))
		}
	}
	p := l.play(ip(2), "silent")
	p.deaf = true
	for i := range 600 {
		l.srv.Execute(fmt.Sprintf("say line %d", i))
		if i%100 == 99 {
			l.step(1)
			other.hold(msg7.PlayerInput{})
		}
	}
	l.step(2)
	if p.session() != nil || p.reason != conn.ReasonOutOfBuffer {
		t.Errorf("closed %v with %q", p.closed, p.reason)
	}
	if len(other.chat) != 600 || len(drops) != 1 || drops[0] != conn.ReasonOutOfBuffer {
		t.Errorf("the other heard %d lines, drops %q", len(other.chat), drops)
	}
	checkSeats(t, l.srv)

	// Slow enough for the buffer: the age of what is not acknowledged counts.
	q := l.play(ip(3), "slow")
	q.deaf = true
	for range 12 * 50 {
		q.alive()
		other.hold(msg7.PlayerInput{})
		if l.srv.clock.tick%50 == 0 {
			l.srv.Execute("say x")
		}
		l.step(1)
	}
	if q.session() != nil || q.reason != conn.ReasonNotAcked {
		t.Errorf("closed %v with %q", q.closed, q.reason)
	}
}

// The question for information with token -1 was answered from memory not
// written yet.
func TestAttackInfoToken(t *testing.T) {
	l := newLab(t, nil)
	for _, token := range []int32{-1, 0, 1, -1 << 31, 1<<31 - 1} {
		b := l.ask(ip(1), token)
		want := packer.AppendInt([]byte("\xff\xff\xff\xffinf3"), token)
		if len(b) < packet.ConnlessHeaderSize || !bytes.HasPrefix(b[packet.ConnlessHeaderSize:], want) {
			t.Errorf("token %d is answered with %q", token, b)
		}
	}
	p := l.puppet(ip(2))
	before := l.packets
	l.feed(p.peer, packet.AppendConnless(nil, p.token, p.own, []byte("\xff\xff\xff\xffgie3")))
	l.feed(p.peer, packet.AppendConnless(nil, p.token, p.own, []byte("\xff\xff\xff\xffgie3\x80\x80")))
	l.feed(p.peer, packet.AppendConnless(nil, p.token, p.own, []byte("\xff\xff\xff\xff")))
	l.feed(p.peer, packet.AppendConnless(nil, p.token, p.own, nil))
	if l.packets != before {
		t.Error("a question without token is answered")
	}
}

// Many long names did not fit the answer, and it was not sent at all.
func TestAttackLongNames(t *testing.T) {
	l := newLab(t, nil, "sv_name "+strings.Repeat("n", 120), "sv_hostname "+strings.Repeat("h", 120))
	for i := range 64 {
		p := l.puppet(ip(i)).connect().info().ready()
		p.vital(&msg7.ClStartInfo{Name: []byte("fifteen bytes.."), Clan: []byte("eleven bytes"), Country: -1 << 31})
		p.enter()
	}
	l.step(2)
	b := l.ask(ip(100), -1<<31)
	if b == nil || len(b) > packet.MaxDatagram {
		t.Fatalf("the answer has %d bytes", len(b))
	}
	var u packer.Unpacker
	u.Reset(b[packet.ConnlessHeaderSize+8:])
	u.Int()
	for range 5 {
		u.String(packer.SanitizeCC)
	}
	for range 6 {
		u.Int()
	}
	n := 0
	for ; u.Len() > 0 && u.Err() == nil; n++ {
		if name := u.String(packer.SanitizeCC); !strings.HasPrefix("fifteen bytes..", string(name)) || len(name) == 0 {
			t.Fatalf("entry %d is called %q", n, name)
		}
		u.String(packer.SanitizeCC)
		u.Int()
		u.Int()
		u.Int()
	}
	if n != 64 || u.Err() != nil {
		t.Errorf("%d entries, %v", n, u.Err())
	}
}

// Targets of -1 were used as an index, and whispers to -1 were heard by all.
func TestAttackTargets(t *testing.T) {
	for _, tournament := range []string{"0", "2"} {
		l := newLab(t, nil, "sv_spamprotection 0; sv_tournament_mode "+tournament)
		ps := []*puppet{l.play(ip(1), "a"), l.play(ip(2), "b"), l.play(ip(3), "c")}
		ps[0].vital(&msg7.ClSetTeam{Team: msg7.TeamSpectators})
		l.step(60)
		for _, id := range []int32{-1, -2, 0, 1, 5, 63, 64, 127, -1 << 31, 1<<31 - 1} {
			for mode := range int32(5) {
				ps[0].vital(&msg7.ClSetSpectatorMode{Mode: msg7.SpecMode(mode), SpectatorID: id})
				l.step(60)
			}
			if id != 1 {
				ps[0].vital(&msg7.ClSay{Mode: msg7.ChatWhisper, Target: id, Message: []byte("psst")})
			}
			for _, p := range ps {
				p.hold(msg7.PlayerInput{Fire: int32(l.srv.clock.tick & 63)})
			}
			l.step(1)
		}
		for i, p := range ps {
			if i > 0 && len(p.chat) > 0 {
				t.Errorf("tournament mode %s: %d overheard %q", tournament, i, p.chat)
			}
			if p.session() == nil {
				t.Errorf("tournament mode %s: %d is out: %q", tournament, i, p.reason)
			}
		}
	}
}

// armed is a mod: everybody has a laser.
type armed struct{}

func (armed) Start(*game.Tx) {}

func (armed) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	ctx.GiveWeapon(id, game.WeaponLaser, 10)
}

// A beam that killed after its owner had left was scored for nobody.
func TestAttackLaserOfTheGone(t *testing.T) {
	l := newLab(t, nil, "sv_map testbox; sv_gametype mod; sv_scorelimit 0")
	l.srv.cfg.Mods = []game.Mod{armed{}}
	l.srv.Execute("reload; tune laser_damage 50; tune laser_bounce_delay 60; tune laser_bounce_num 10")
	l.step(2)
	r := rand.New(rand.NewPCG(8, 8))
	var ps [8]*puppet
	orphans := 0
	n := 0
	for i := range 6000 {
		k := i % len(ps)
		p := ps[k]
		if p == nil || p.session() == nil {
			n++
			p = l.play(local(1000+n), "shooter")
			ps[k] = p
			p.onMessage = func(m msg7.Message) {
				if m, ok := m.(*msg7.SvKillMsg); ok && m.Killer < 0 && m.Weapon == msg7.WeaponLaser {
					orphans++
				}
			}
		}
		p.hold(msg7.PlayerInput{
			TargetX: int32(r.IntN(800) - 400), TargetY: int32(r.IntN(800) - 400),
			Fire: int32(2*(i/len(ps))+1) & 63, WantedWeapon: int32(game.WeaponLaser) + 1,
		})
		if r.IntN(40) == 0 {
			l.feed(p.peer, append(packet.AppendControl(nil, p.ack, p.token, packet.ControlClose), 0))
			delete(l.puppets, p.peer)
		}
		l.step(1)
	}
	if orphans == 0 {
		t.Error("no beam outlived its owner and killed; the test tests nothing")
	}
	t.Logf("%d kills by beams of players who had left, %d joins", orphans, n)
	checkSeats(t, l.srv)
}

// The ack of packets with a wrong token counted, so that whoever can forge an
// address could stall a connection.
func TestAttackForgedAcks(t *testing.T) {
	l := newLab(t, nil)
	p := l.play(ip(1), "victim")
	p.deaf = true
	l.srv.Execute("say one")
	l.step(1)
	before, _ := p.session().conn.Unacked()
	if before == 0 {
		t.Fatal("nothing waits for an ack")
	}
	sent := l.sent
	for ack := range packet.SeqSpace {
		for _, flags := range []packet.Flags{0, packet.FlagResend, packet.FlagControl, packet.FlagControl | packet.FlagResend} {
			b := packet.AppendHeader(nil, flags, ack, 0, p.token^1)
			l.feed(p.peer, append(b, byte(packet.ControlClose)))
		}
	}
	if after, _ := p.session().conn.Unacked(); after != before || l.sent != sent {
		t.Errorf("%d of %d chunks wait, %d bytes sent", after, before, l.sent-sent)
	}
	p.deaf, p.chat = false, nil
	for range 100 { // resends come after a second
		p.alive()
		l.step(1)
	}
	if n, _ := p.session().conn.Unacked(); n != 0 || len(p.chat) != 1 {
		t.Errorf("%d chunks still wait, heard %q", n, p.chat)
	}
}

// A small packet that asks for a resend was answered with the whole buffer, as
// often as it came.
func TestAttackResendRequests(t *testing.T) {
	l := newLab(t, nil)
	l.srv.gameMap.setFile(bytes.Repeat([]byte("map!"), 1<<20))
	p := l.puppet(ip(1)).connect().info()
	p.deaf = true
	p.vital(&msg7.RequestMapData{})
	l.step(1)
	window := l.sent
	if window < mapWindowStart*mapPiece/2 {
		t.Fatalf("only %d bytes on their way", window)
	}
	l.sent = 0
	const requests = 10_000
	for range requests { // within one tick
		l.feed(p.peer, packet.AppendPacket(nil, packet.FlagResend, p.ack, 0, p.token, nil))
	}
	l.step(1)
	if l.sent > 2*window {
		t.Errorf("%d requests in a tick are answered with %d bytes, the buffer has %d", requests, l.sent, window)
	}
}

// Control packets without payload were read from the packet before; such with
// chunks were both.
func TestAttackMalformedControl(t *testing.T) {
	l := newLab(t, nil)
	p := l.play(ip(1), "victim")
	q := l.play(ip(2), "attacker")
	say := packet.AppendChunk(nil, packet.ChunkVital, (q.seq+1)&packet.SeqMask, (&msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("boo")}).Append(nil))
	for _, b := range [][]byte{
		packet.AppendHeader(nil, packet.FlagControl, q.ack, 0, q.token),
		packet.AppendHeader(nil, packet.FlagControl|packet.FlagCompressed, q.ack, 0, q.token),
		append(packet.AppendHeader(nil, packet.FlagControl, q.ack, 1, q.token), say...),
		append(packet.AppendHeader(nil, packet.FlagControl, q.ack, 255, q.token), 4, 0),
		append(packet.AppendHeader(nil, packet.FlagControl, q.ack, 0, q.token), 3),
		append(packet.AppendHeader(nil, packet.FlagControl, q.ack, 0, q.token), 255),
		append(packet.AppendHeader(nil, 0, q.ack, 1, q.token), 0xff, 0xff, 0xff),
		append(packet.AppendHeader(nil, 0, q.ack, 255, q.token), say[:len(say)-1]...),
		packet.AppendHeader(nil, 0, q.ack, 255, q.token)[:6],
	} {
		// What is left in the buffers from before is a CLOSE of somebody else.
		l.feed(ip(3), append(packet.AppendControl(nil, 0, 1, packet.ControlClose), "bye\x00"...))
		l.feed(q.peer, b)
		l.step(1)
		if p.session() == nil || q.session() == nil || len(p.chat) > 0 {
			t.Fatalf("%x: sessions %v and %v, heard %q", b, p.session() != nil, q.session() != nil, p.chat)
		}
	}
}

// Passwords could be tried without end by connecting again.
func TestAttackRconPasswords(t *testing.T) {
	for _, c := range []struct {
		commands string
		most     int // passwords compared, in 10 minutes from one address
		reason   string
	}{
		{"sv_rcon_max_tries 3; sv_rcon_bantime 5", 9, "banned"},
		{"sv_rcon_max_tries 3; sv_rcon_bantime 0", 2*600 + 40, "Too many remote console authentication tries"},
	} {
		l := newLab(t, nil, c.commands)
		tried, reasons := 0, map[string]int{}
		for range 10 * 60 * 10 {
			p := l.puppet(ip(1)).connect()
			for i := range 3 {
				p.vital(&msg7.RconAuth{Password: []byte(fmt.Sprint("guess", i))})
			}
			l.step(5)
			for _, line := range p.lines {
				if strings.HasPrefix(line, "Wrong password") {
					tried++
				}
			}
			if p.closed {
				reasons[strings.SplitN(p.reason, " for", 2)[0]]++
			}
			if c := p.session(); c != nil {
				c.drop("next")
				l.step(1)
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
	l := newLab(t, nil)
	p := l.puppet(local(1)).connect().info()
	for range 1000 {
		p.vital(&msg7.RconAuth{Password: []byte("guess")})
	}
	l.step(1)
	if n := len(p.lines); n > authRate.burst {
		t.Errorf("%d passwords tried at once", n)
	}
	if p.session() == nil {
		t.Errorf("dropped: %q", p.reason)
	}
}

// Input messages of any size.
func TestAttackInputSizes(t *testing.T) {
	l := newLab(t, nil)
	p := l.play(ip(1), "player")
	tick := l.srv.clock.tick
	full := msg7.Input{AckTick: -1, IntendedTick: tick + 10, Size: 40}
	for i := range full.Words {
		full.Words[i] = 1
	}
	p.loose(&full)
	for _, size := range []int32{-1, -4, -1 << 31, 0, 1, 3, 39, 40, 41, 511, 512, 515, 516, 1 << 20, 1<<31 - 1} {
		b := packer.AppendInt(nil, int32(msg7.IDInput))
		for _, v := range []int32{-1, tick + 11, size} {
			b = packer.AppendInt(b, v)
		}
		for range 3 { // fewer words than promised
			b = packer.AppendInt(b, 1)
		}
		l.srv.Feed(l.now, p.peer, packet.AppendPacket(nil, 0, p.ack, 1, p.token, packet.AppendChunk(nil, 0, 0, b)))
		c := p.session()
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
			p.loose(&m)
			l.step(1)
		}
	}
	// Acks of what was never sent must not hide the true ones.
	snaps := p.snapTick
	for range 400 {
		p.hold(msg7.PlayerInput{TargetX: 1})
		l.step(1)
	}
	c := p.session()
	if c == nil || c.snaps.rate != rateFull || p.snapTick < snaps+390 {
		t.Errorf("after hostile acks: session %v, rate %v", c != nil, c.snaps.rate)
	}
}

// Map and file names could leave their folders.
func TestAttackPaths(t *testing.T) {
	files := fstest.MapFS{
		"secret.map":      {Data: []byte("x")},
		"maps/folder.map": {Mode: 0o755 | 1<<31},
		"a.cfg":           {Data: []byte("sv_motd inside")},
	}
	l := newLab(t, files, "sv_map teeyard1")
	l.log.Reset()
	for _, name := range []string{"../secret", "..", "/etc/passwd", `..\secret`, "C:secret", "a/../../secret", "./teeyard1", "folder", strings.Repeat("x/", 60), "maps//x", ""} {
		l.log.Reset()
		l.srv.Execute(fmt.Sprintf("sv_map %q", name))
		l.step(2)
		if l.srv.gameMap.Name != "teeyard1" || l.srv.settings.Map != "teeyard1" || !strings.Contains(l.log.String(), "failed to load map") {
			t.Errorf("sv_map %q: playing %q, log %s", name, l.srv.gameMap.Name, l.log.String())
		}
		l.log.Reset()
		l.srv.Execute(fmt.Sprintf("change_map %q", name))
		l.step(2)
		if name != "" && !strings.Contains(l.log.String(), "change_map:") {
			t.Errorf("change_map %q says %s", name, l.log.String())
		}
	}
	for _, name := range []string{"../a.cfg", "/a.cfg", `..\a.cfg`, "x/../../a.cfg"} {
		l.srv.Execute("sv_motd none")
		l.srv.Execute(fmt.Sprintf("exec %q", name))
		if l.srv.settings.Motd != "none" {
			t.Errorf("exec %q was executed", name)
		}
	}
	l.srv.Execute("exec a.cfg")
	if l.srv.settings.Motd != "inside" {
		t.Error("exec a.cfg was not executed")
	}
}

// Names and chat could begin new lines in the log, or talk to the terminal that
// shows it.
func TestAttackLog(t *testing.T) {
	l := newLab(t, nil, "sv_spamprotection 0; console_output_level 2")
	admin := l.play(ip(9), "admin")
	admin.vital(&msg7.RconAuth{Password: []byte("adminpw")})
	l.log.Reset()
	bad := []string{"\x1b[2J", "\nadmin: x", "\r", "\x7f", "\u009b31m", "\x9b31m", "\u2028x", "\u202ex", "\u200ex", "\u200fx", "\u061cx", "\u2069x", "\u0085", "a\xffb", "'"}
	for i, s := range bad {
		p := l.puppet(local(1000 + i)).connect()
		p.vital(&msg7.RconAuth{Password: []byte(s)})
		p.info().ready().profile("n" + s).enter()
		l.step(1)
		p.vital(&msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("chat" + s + "end")})
		p.vital(&msg7.ClSay{Mode: msg7.ChatTeam, Target: -1, Message: []byte("team" + s + "end")})
		admin.vital(&msg7.RconCmd{Command: []byte("echo x" + s)})
		admin.vital(&msg7.RconCmd{Command: []byte("say x" + s)})
		admin.vital(&msg7.RconCmd{Command: []byte("nocommand" + s)})
		l.step(60)
		p.vital(&msg7.ClKill{})
		l.feed(p.peer, append(packet.AppendControl(nil, p.ack, p.token, packet.ControlClose), s+"\x00"...))
		admin.alive()
		l.step(2)
		q := l.puppet(local(2000 + i)).connect()
		q.vital(&msg7.Info{NetVersion: []byte("0.7 " + s)})
		l.step(1)
	}
	text := l.log.String()
	if !strings.Contains(text, "chat") || !strings.Contains(text, "end") || !strings.Contains(text, "team") {
		t.Fatalf("the log has no chat:\n%s", text)
	}
	check := func(where, s string) {
		for _, r := range s {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0xfffd || unicode.Is(unicode.Bidi_Control, r) {
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
	for _, line := range admin.lines {
		check("rcon", line)
	}
}

// The whole list of attacks has to leave the counters, not the log, with it.
func TestRefusedIsCounted(t *testing.T) {
	l := newLab(t, nil)
	p := l.play(ip(1), "player")
	l.log.Reset()
	for range 100 {
		l.feed(ip(2), []byte("\xff\xff\xff\xffgetinfo"))
		l.feed(ip(2), packet.AppendConnect(nil, 1, 2))
		p.vital(&msg7.MapChange{})
		p.loose(&msg7.ClKill{})
	}
	d := l.srv.Drops()
	for _, name := range []string{"unknown_protocol", "unexpected", "not_vital"} {
		if d[name] < 100 {
			t.Errorf("%s: %d of 100 counted: %v", name, d[name], d)
		}
	}
	if l.log.Len() > 0 {
		t.Errorf("logged: %s", l.log.String())
	}
}
