package server

import (
	"bytes"
	"crypto/sha256"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
)

func TestPlayersJoinAndLeave(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: time.Millisecond}, 1)
	alice := tn.join(1, "alice")
	bob := tn.dial(2, named(player06DDNet, "bob"))
	tn.untilPlaying(bob)
	tn.run(3 * time.Second)
	for _, p := range tn.players {
		if names := p.names(); len(names) != 2 || names[0] != "alice" || names[1] != "bob" {
			t.Errorf("%s sees %v", p.name, names)
		}
		if s := p.Stats(); s.CRCFailures+s.BadDelta+s.BadMessage+s.NoBase != 0 || s.Snapshots < 70 {
			t.Errorf("%s: %+v", p.name, s)
		}
	}
	bob.Close(tn.now())
	tn.run(time.Second)
	if len(alice.leaveReasons) != 1 || len(alice.names()) != 1 {
		t.Errorf("alice saw players leave with %q", alice.leaveReasons)
	}
	if d := tn.srv.Drops(); len(d) > 0 {
		t.Errorf("drops %v", d)
	}
}

func TestServerRejectsWrongPassword(t *testing.T) {
	bothVersions(t, func(t *testing.T, kind testclient.Config) {
		ts := newTestServer(t, nil, "password sesame")
		c := ts.connectAs(kind, ip(1)).InfoWithPassword("simsim")
		ts.step(1)
		if c.Reason != "Wrong password" || ts.srv.numClients() != 0 {
			t.Errorf("closed with %q, %d clients", c.Reason, ts.srv.numClients())
		}
		if c = ts.connectAs(kind, ip(2)).InfoWithPassword("sesame"); ts.session(c).state != stateConnecting {
			t.Errorf("the right password: state %v", ts.session(c).state)
		}
	})
}

// TestMapDownloadSpeed checks that a map arrives whole, and at least five times as fast
// as from the original, which sends 8 chunks per round trip.
func TestMapDownloadSpeed(t *testing.T) {
	const rtt = 50 * time.Millisecond
	tn := newTestNetwork(t, netsim.Link{Delay: rtt / 2}, 7)
	// Only the size of the file matters, so anything can follow the map in it.
	file := append(slices.Clone(tn.srv.gameMap.File), bytes.Repeat([]byte("teeyard!"), 1<<20/8)...)
	tn.srv.gameMap.setFile(file)
	var got []byte
	var took time.Duration
	start := tn.net.Now()
	tn.untilPlaying(tn.dial(1, client.SessionConfig{OnMap: func(_ string, b []byte) {
		got, took = b, time.Duration(tn.net.Now()-start)
	}}))
	if sha256.Sum256(got) != sha256.Sum256(file) {
		t.Fatalf("got %d bytes, want %d", len(got), len(file))
	}
	original := time.Duration(len(file)/(8*mapChunkSize07)) * rtt
	t.Logf("%d bytes in %v at a round trip of %v; the original takes %v", len(file), took, rtt, original)
	if took > original/5 {
		t.Errorf("the download took %v, the original takes %v", took, original)
	}
}

func TestServerInfo(t *testing.T) {
	ts := newTestServer(t, nil, "sv_name the yard; sv_player_slots 16; sv_max_clients 20; password x")
	if got := ts.ask(ip(1), packet.AppendConnless(nil, 1, 2, []byte("\xff\xff\xff\xffgie3\x01"))); got != nil {
		t.Errorf("a request without a valid token is answered: %x", got)
	}
	reply, err := query.ParseReply7(ts.askInfo(ip(1), 4711)[packet.ConnlessHeaderSize:])
	if i := reply.Info; err != nil || reply.Token != 4711 || i.Name != "the yard" || i.GameType != "DM" || i.Map != "teeyard1" ||
		i.MaxClients != 20 || i.MaxPlayers != 16 || !i.Password {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestTeamsChatAndWhispers(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: time.Millisecond}, 7)
	x, y, z := tn.join(1, "x"), tn.join(2, "y"), tn.join(3, "z")
	tn.run(4 * time.Second)
	z.send(&msg7.ClSetTeam{Team: msg7.TeamSpectators})
	tn.run(time.Second)
	if tn.srv.teamOf(2) != -1 {
		t.Fatalf("z plays in team %d", tn.srv.teamOf(2))
	}
	say := func(p *player, mode msg7.ChatMode, target int32, text string) {
		p.send(&msg7.ClSay{Mode: mode, Target: target, Message: []byte(text)})
		tn.run(1500 * time.Millisecond)
	}
	say(x, msg7.ChatAll, -1, "to all")
	say(x, msg7.ChatTeam, -1, "to players")
	say(z, msg7.ChatTeam, -1, "to spectators")
	say(x, msg7.ChatWhisper, 1, "to y")
	check := func(p *player, author int32, want ...string) {
		t.Helper()
		if !slices.Equal(p.chat[author], want) {
			t.Errorf("%s heard from %d: %q, want %q", p.name, author, p.chat[author], want)
		}
	}
	check(y, 0, "to all", "to players", "to y")
	check(x, 0, "to all", "to players", "to y")
	check(z, 0, "to all")
	check(z, 2, "to spectators")
	check(x, 2)

	// Of five lines at once the spam protection lets one pass.
	for range 5 {
		x.send(&msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("spam")})
	}
	tn.run(500 * time.Millisecond)
	check(z, 0, "to all", "spam")

	z.send(&msg7.ClSetSpectatorMode{Mode: msg7.SpecPlayer, SpectatorID: 1})
	tn.run(time.Second)
	var follows msg7.SpectatorInfo
	snap, _ := z.NewestSnapshot()
	for i := range snap.Len() {
		if key, ints := snap.Item(i); key.Type() == msg7.TypeSpectatorInfo && follows.ReadInts(ints) != nil {
			t.Error("the spectator info cannot be read")
		}
	}
	if follows.Mode != msg7.SpecPlayer || follows.SpectatorID != 1 {
		t.Errorf("z follows %+v", follows)
	}
}

// TestIdleServerSleeps checks that a server without clients asks to be called twice a
// second, and its clock loses nothing by it, and one with a client every tick.
func TestIdleServerSleeps(t *testing.T) {
	ts := newTestServer(t, nil)
	start := ts.now
	for i := range 10 {
		next := ts.srv.Advance(ts.now)
		if i > 0 && next.Sub(ts.now) != 500*time.Millisecond {
			t.Fatalf("asks to be called after %v", next.Sub(ts.now))
		}
		ts.now = next
	}
	ts.srv.Advance(ts.now)
	if want := int32(ts.now.Sub(start) / tickDuration); ts.srv.clock.tick != want {
		t.Errorf("tick %d, want %d", ts.srv.clock.tick, want)
	}
	ts.join(ip(1), "player")
	if next := ts.srv.Advance(ts.now); next.Sub(ts.now) > tickDuration {
		t.Errorf("with a client it asks to be called after %v", next.Sub(ts.now))
	}
}

// TestConsoleLinesAboutPlayers checks the lines that tools read, in the order and words
// of 0.7.5: the match begins when the second player is ready, a player who changes teams
// dies in the old one, and the change comes after that.
func TestConsoleLinesAboutPlayers(t *testing.T) {
	var log strings.Builder
	tn := newTestNetworkWith(t, netsim.Link{}, 1, Config{Log: slog.New(rawLog{&log})}, "sv_spamprotection 0")
	tn.join(1, "ann")
	log.Reset()
	ben := tn.join(2, "ben")
	tn.run(5 * time.Second)
	ben.send(&msg7.ClSetTeam{Team: -1})
	tn.run(time.Second)
	tn.srv.Execute("set_team 1 0")
	tn.run(5 * time.Second)
	ben.Close(tn.now())
	tn.run(time.Second)
	var got []string
	for l := range strings.Lines(log.String()) {
		if !strings.HasPrefix(l, "[replay]") {
			got = append(got, strings.TrimSpace(l))
		}
	}
	want := []string{
		"[server]: player is ready. ClientID=1 addr=10.0.1.2:50000",
		"[game]: start match type='DM' teamplay='0'",
		"[server]: player has entered the game. ClientID=1 addr=10.0.1.2:50000",
		"[game]: team_join player='1:ben' team=0",
		"[game]: kill killer='1:0:ben' victim='1:0:ben' weapon=-3 special=0",
		"[game]: team_join player='1:ben' team=0->-1",
		"[server]: moved client 1 to team 0",
		"[game]: team_join player='1:ben' team=-1->0",
		"[server]: client dropped. cid=1 addr=10.0.1.2:50000 reason=''",
		"[game]: kill killer='1:0:ben' victim='1:0:ben' weapon=-3 special=0",
		"[game]: leave player='1:ben'",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the console says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
