package server

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

func TestPasswordAndVersion(t *testing.T) {
	a := newArena(t, netsim.Link{Delay: time.Millisecond}, 7, "password sesame")
	p := a.join(1, "stranger")
	a.until(3*time.Second, "refused", func() bool { return p.Err() != nil })
	if !strings.Contains(p.Err().Error(), "Wrong password") {
		t.Errorf("refused with %v", p.Err())
	}
	a.run(time.Second)
	if n := a.srv.numClients(); n != 0 {
		t.Errorf("%d clients are left", n)
	}
}

func TestMapDownload(t *testing.T) {
	const rtt = 50 * time.Millisecond
	a := newArena(t, netsim.Link{Delay: rtt / 2}, 7)
	// A big map: the file is what counts here, not what is in it.
	file := append([]byte(nil), a.srv.gameMap.File...)
	file = append(file, bytes.Repeat([]byte("teeyard!"), 1<<20/8)...)
	a.srv.gameMap.setFile(file)

	var got []byte
	start := a.net.Now()
	var took time.Duration
	p := a.joinWith(1, client.SessionConfig{Name: "loader", OnMap: func(name string, f []byte) {
		got, took = f, time.Duration(a.net.Now()-start)
	}})
	a.until(30*time.Second, "playing", func() bool { return p.State() == client.Playing })
	if sha256.Sum256(got) != sha256.Sum256(file) {
		t.Fatalf("got %d bytes, want %d", len(got), len(file))
	}
	// The original sends 8 chunks of 1384 bytes per round trip.
	original := time.Duration(len(file)/(8*mapChunkSize07)) * rtt
	t.Logf("%d bytes in %v at %v round trip; the original's pace is %v", len(file), took, rtt, original)
	if took > original/5 {
		t.Errorf("the download took %v, the original's pace is %v", took, original)
	}
}

func TestServerInfo(t *testing.T) {
	a := newArena(t, netsim.Link{Delay: time.Millisecond}, 7, "sv_name the yard; sv_player_slots 16; sv_max_clients 20; password x")
	browser := transport.MustParsePeer("10.9.9.9:4000")
	var answers [][]byte
	a.net.Handle(browser, func(_ int64, _ transport.Peer, b []byte) { answers = append(answers, bytes.Clone(b)) })
	send := func(b []byte) []byte {
		t.Helper()
		answers = nil
		a.net.Send(browser, a.addr, b)
		a.run(50 * time.Millisecond)
		if len(answers) == 0 {
			return nil
		}
		return answers[0]
	}
	const infoTag = "\xff\xff\xff\xffinf3"
	ask := append([]byte("\xff\xff\xff\xffgie3"), packer.AppendInt(nil, 4711)...)
	if got := send(packet.AppendConnless(nil, 1, 2, ask)); got != nil {
		t.Fatalf("a request without a valid token is answered: %x", got)
	}
	reply := send(packet.AppendTokenRequest(nil, 0x01020304))
	var p packet.Packet
	var scratch packet.Scratch
	if err := p.Parse(reply, &scratch); err != nil || p.Token != 0x01020304 || len(reply) != 12 {
		t.Fatalf("token reply %x: %v", reply, err)
	}
	info := send(packet.AppendConnless(nil, p.ResponseToken, 0x01020304, ask))
	if err := p.Parse(info, &scratch); err != nil || p.Token != 0x01020304 || !bytes.HasPrefix(p.Payload, []byte(infoTag)) {
		t.Fatalf("info %x: %v", info, err)
	}
	var u packer.Unpacker
	u.Reset(p.Payload[len(infoTag):])
	if token := u.Int(); token != 4711 {
		t.Errorf("token %d", token)
	}
	var r msg7.InfoRecord
	if err := r.Unpack(&u); err != nil {
		t.Fatal(err)
	}
	if string(r.Name) != "the yard" || string(r.GameType) != "DM" || r.MaxClients != 20 || r.PlayerSlots != 16 || r.Flags&1 == 0 || string(r.Map) != "teeyard1" {
		t.Errorf("record %+v", r)
	}
}

func TestTeamsChatAndWhispers(t *testing.T) {
	a := newArena(t, netsim.Link{Delay: time.Millisecond}, 7)
	x, y, z := a.operator(1, "x"), a.operator(2, "y"), a.operator(3, "z")
	a.run(4 * time.Second)
	z.Send(a.now(), &msg7.ClSetTeam{Team: msg7.TeamSpectators})
	a.run(time.Second)
	if a.srv.teamOf(2) != -1 {
		t.Fatalf("z plays in team %d", a.srv.teamOf(2))
	}
	say := func(p *operator, mode msg7.ChatMode, target int32, text string) {
		p.Send(a.now(), &msg7.ClSay{Mode: mode, Target: target, Message: []byte(text)})
		a.run(1500 * time.Millisecond)
	}
	say(x, msg7.ChatAll, -1, "to all")
	say(x, msg7.ChatTeam, -1, "to players")
	say(z, msg7.ChatTeam, -1, "to spectators")
	say(x, msg7.ChatWhisper, 1, "to y")
	check := func(p *operator, author int32, want ...string) {
		t.Helper()
		if got := strings.Join(p.heard[author], "|"); got != strings.Join(want, "|") {
			t.Errorf("heard from %d: %q, want %q", author, got, want)
		}
	}
	check(y, 0, "to all", "to players", "to y")
	check(x, 0, "to all", "to players", "to y")
	check(z, 0, "to all")
	check(z, 2, "to spectators")
	check(x, 2)

	// Five lines at once: the spam rule lets one through.
	for range 5 {
		x.Send(a.now(), &msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("spam")})
	}
	a.run(500 * time.Millisecond)
	check(z, 0, "to all", "spam")

	// Following a player: the snapshot says so.
	z.Send(a.now(), &msg7.ClSetSpectatorMode{Mode: msg7.SpecPlayer, SpectatorID: 1})
	a.run(time.Second)
	snap, _ := z.NewestSnapshot()
	var found bool
	for i := range snap.Len() {
		key, ints := snap.Item(i)
		if key.Type() == msg7.TypeSpectatorInfo {
			var o msg7.SpectatorInfo
			if err := o.ReadInts(ints); err != nil {
				t.Fatal(err)
			}
			found = o.Mode == msg7.SpecPlayer && o.SpectatorID == 1
		}
	}
	if !found {
		t.Error("z does not follow y")
	}
}
