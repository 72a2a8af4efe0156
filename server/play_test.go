package server

import (
	"bytes"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

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

// TestServerInfo checks what browsers are told, with any token of theirs. The original
// answered -1 from memory not written yet.
func TestServerInfo(t *testing.T) {
	ts := newTestServer(t, nil, "sv_name the yard; sv_player_slots 16; sv_max_clients 20; password x")
	for _, token := range []int32{4711, -1, 0, 1, -1 << 31, 1<<31 - 1} {
		reply, err := query.ParseReply7(ts.askInfo(ip(1), token)[packet.ConnlessHeaderSize:])
		if i := reply.Info; err != nil || reply.Token != token || i.Name != "the yard" || i.GameType != "DM" || i.Map != "teeyard1" ||
			i.MaxClients != 20 || i.MaxPlayers != 16 || !i.Password {
			t.Errorf("token %d: %+v, %v", token, reply, err)
		}
	}
	c := ts.dial(ip(2))
	before := ts.sentPackets
	for _, request := range []string{"\xff\xff\xff\xffgie3", "\xff\xff\xff\xffgie3\x80\x80", "\xff\xff\xff\xff", ""} {
		c.SendRaw(packet.AppendConnless(nil, c.Token, c.OwnToken, []byte(request)))
	}
	c.SendRaw(packet.AppendConnless(nil, c.Token^1, c.OwnToken, []byte("\xff\xff\xff\xffgie3\x01")))
	if ts.sentPackets != before {
		t.Error("a malformed request, or one with a wrong token, is answered")
	}
}

// TestInfoOfFullServerFits checks that the answer with many long names fits a datagram.
// The original's did not, and was not sent.
func TestInfoOfFullServerFits(t *testing.T) {
	ts := newTestServer(t, nil, "sv_name "+strings.Repeat("n", 120), "sv_hostname "+strings.Repeat("h", 120))
	for i := range 64 {
		ts.connect(ip(i)).Info().Ready().Send(&msg7.ClStartInfo{Name: []byte("fifteen bytes.."), Clan: []byte("eleven bytes"), Country: -1 << 31}).EnterGame()
	}
	ts.step(2)
	b := ts.askInfo(ip(100), -1<<31)
	if b == nil || len(b) > packet.MaxDatagram {
		t.Fatalf("the answer has %d bytes", len(b))
	}
	reply, err := query.ParseReply7(b[packet.ConnlessHeaderSize:])
	if err != nil || len(reply.Info.Clients) != 64 {
		t.Errorf("%d clients, %v", len(reply.Info.Clients), err)
	}
	for i, c := range reply.Info.Clients {
		if c.Name == "" || !strings.HasPrefix("fifteen bytes..", c.Name) {
			t.Errorf("client %d is called %q", i, c.Name)
		}
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

// TestReadsAreGathered checks that the server delays a read only after datagrams of players, and
// that a datagram counts from its arrival, not from the read.
func TestReadsAreGathered(t *testing.T) {
	ts := newTestServer(t, nil)
	alice, bob := ts.join(ip(1), "alice"), ts.join(ip(2), "bob")
	joining := ts.connect(ip(3))
	from := func(peers ...transport.Peer) (batch []transport.Datagram) {
		for _, p := range peers {
			batch = append(batch, transport.Datagram{Peer: p, Data: []byte("any"), ReceivedAt: int64(ts.now)})
		}
		return batch
	}
	r := newReader(ts.srv)
	full := make([]transport.Peer, len(r.datagrams))
	for i := range full {
		full[i] = alice.Peer
	}
	for _, c := range []struct {
		name string
		from []transport.Peer
		want bool
	}{
		{"nothing", nil, false},
		{"a player", []transport.Peer{alice.Peer}, true},
		{"players", []transport.Peer{alice.Peer, bob.Peer, alice.Peer}, true},
		{"a player and a client that joins", []transport.Peer{alice.Peer, joining.Peer}, false},
		{"a stranger and a player", []transport.Peer{ip(4), bob.Peer}, false},
		{"a full batch", full, false},
	} {
		if got := r.feed(from(c.from...)) > 0; got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}

	// An input that arrived in time and is read 5 ms later, in the next tick.
	var early int32
	alice.OnMessage = on(func(m *msg7.InputTiming) { early = m.TimeLeft })
	ts.step(1)
	tick := ts.srv.clock.tick + 3
	data := bytes.Clone(alice.Datagram(false, &msg7.Input{AckTick: alice.SnapTick, IntendedTick: tick}))
	arrival := int64(ts.srv.clock.tickStart(tick)) - int64(47*time.Millisecond)
	ts.now = ts.now.Add(18 * time.Millisecond)
	r.feed([]transport.Datagram{{Peer: alice.Peer, Data: data, ReceivedAt: arrival}})
	ts.step(2)
	if early != 47 {
		t.Errorf("the client was told that its input came %d ms early, want 47", early)
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

// TestInputsCountInTheirTick checks that an input counts in the tick it is meant for, or
// in the next one if that has begun, and that the client is told how early it was, but
// not of inputs for ticks that it has sent one for.
func TestInputsCountInTheirTick(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(ip(1), "player")
	ts.step(10)
	var told [][2]int32
	p.OnMessage = on(func(m *msg7.InputTiming) { told = append(told, [2]int32{m.IntendedTick, m.TimeLeft}) })
	now := ts.srv.clock.tick
	send := func(tick, direction int32) {
		m := msg7.Input{AckTick: p.SnapTick, IntendedTick: tick}
		m.SetPlayer(&msg7.PlayerInput{Direction: direction, TargetX: 1})
		p.SendUnreliable(&m)
	}
	direction := func() int32 {
		for _, c := range ts.srv.world.Frame().Characters {
			if c.Player == ts.session(p).id {
				return c.Direction
			}
		}
		t.Fatal("no tee")
		return 0
	}
	ts.now = ts.now.Add(5 * time.Millisecond) // within the tick
	send(now-3, 0)                            // late, but newer than all before
	send(now+4, 1)
	send(now+4, -1) // the first for a tick counts
	send(now+2, -1)
	send(now+6, -1)
	var moves []int32
	ts.now = ts.now.Add(-5 * time.Millisecond)
	for range 7 {
		ts.step(1)
		moves = append(moves, direction())
	}
	if want := []int32{0, -1, -1, 1, 1, -1, -1}; !slices.Equal(moves, want) {
		t.Errorf("moves %v, want %v", moves, want)
	}
	want := [][2]int32{{now - 3, -65}, {now + 4, 75}, {now + 6, 115}}
	if !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	// One that is late counts in the next tick.
	told = nil
	send(now+7, 1)
	ts.step(1)
	moves = append(moves[:0], direction())
	ts.step(2)
	if moves[0] != 1 || len(told) != 1 || told[0] != [2]int32{now + 7, 0} {
		t.Errorf("late: moves %v, told %v", moves, told)
	}
}

// TestMatchOverBadNetwork plays five minutes with 16 clients over a network that loses a
// tenth, repeats a twentieth and delays by 50 to 150 ms. No client may lose track of the
// world, and every line of chat arrives once and in order.
func TestMatchOverBadNetwork(t *testing.T) {
	testenv.Long(t)
	testenv.OneGoroutine(t)
	const players = 16
	length := testenv.Amount(time.Minute, 5*time.Minute)
	bad := netsim.Link{Loss: 0.10, Duplicate: 0.05, Delay: 50 * time.Millisecond, Jitter: 100 * time.Millisecond}
	tn := newTestNetwork(t, bad, 42, "sv_spamprotection 0; sv_scorelimit 0; sv_inactivekick_time 0")
	for i := range players {
		tn.join(i+1, fmt.Sprintf("bot %d", i))
	}
	tn.untilPlaying(tn.players...)
	// Players who joined later miss the first lines, so those do not count.
	tn.run(2 * time.Second)
	for _, p := range tn.players {
		clear(p.chat)
		p.moveRandomly()
		tn.net.Every(700*time.Millisecond, func(int64) {
			if p.State() == client.Playing {
				p.sayNextLine()
			}
		})
	}
	kills := 0
	tn.players[0].onMessage = on(func(k *msg7.SvKillMsg) {
		if k.Killer != k.Victim {
			kills++
		}
	})
	announced := 0
	tn.net.Every(130*time.Millisecond, func(int64) {
		announced++
		tn.srv.Execute(fmt.Sprintf("say notice %d", announced))
	})

	tn.run(length / 5)
	early := heapInUse()
	most := 0
	for range 100 {
		tn.run(length * 4 / 5 / 100)
		for _, c := range tn.srv.sessions {
			if c != nil {
				_, n := c.conn.Unacked()
				most = max(most, n)
			}
		}
	}
	late := heapInUse()
	for _, p := range tn.players {
		p.said = -1 << 30 // be quiet now, so that the last lines can arrive
	}

	if kills == 0 {
		t.Errorf("nobody was killed in %v: this was no match", length)
	}
	checkStats(t, tn.players...)
	total := client.Stats{}
	for i, p := range tn.players {
		if p.State() != client.Playing {
			t.Fatalf("player %d is out: %v", i, p.Err())
		}
		s := p.Stats()
		// One in ten is lost, and some of those that are left had lost a base.
		if want := int(length/time.Second) * 25 / 2; s.Snapshots < want {
			t.Errorf("player %d understood %d snapshots, want more than %d", i, s.Snapshots, want)
		}
		total.Snapshots += s.Snapshots
		total.NoBase += s.NoBase
		for author, lines := range p.chat {
			what := "line"
			if author < 0 {
				what = "notice"
			}
			n := 0
			for _, l := range lines {
				if !strings.HasPrefix(l, what+" ") || strings.HasPrefix(l, "line -") {
					continue
				}
				n++
				if want := fmt.Sprintf("%s %d", what, n); l != want {
					t.Fatalf("player %d heard %q from %d where %q was due", i, l, author, want)
				}
			}
			if want := int(length/(700*time.Millisecond)) * 9 / 10; author >= 0 && n < want || author < 0 && n < announced*9/10 {
				t.Errorf("player %d heard %d lines from %d", i, n, author)
			}
		}
		if len(p.chat) != players+1 {
			t.Errorf("player %d heard %d of %d speakers", i, len(p.chat), players+1)
		}
	}
	if grown := int64(late) - int64(early); grown > 8<<20 {
		t.Errorf("memory grew by %d bytes in %v", grown, length*4/5)
	}
	if most > resendBuffer {
		t.Errorf("%d bytes waited for acks", most)
	}
	net := tn.net.Stats()
	t.Logf("%d snapshots understood, %d without base; %d kills; %d notices; at most %d bytes unacked; heap %d -> %d KB; network %+v",
		total.Snapshots, total.NoBase, kills, announced, most, early>>10, late>>10, net)
	if net.Lost*15 < net.Sent || net.Duplicated*30 < net.Sent || net.Reordered == 0 {
		t.Errorf("the network was too good: %+v", net)
	}
}

// heapInUse returns the bytes in use after a garbage collection.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestPlayingAllocatesNothing checks the steady state of a full server: no tick, no
// datagram in and none out allocates, in either version.
func TestPlayingAllocatesNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	for name, kinds := range map[string][2]testclient.Config{"0.7": {client07, client07}, "0.6": {client06DDNet, client065}} {
		t.Run(name, func(t *testing.T) {
			// No player dies, so nothing is announced.
			ts := newTestServer(t, nil, "sv_inactivekick_time 0; sv_scorelimit 0; sv_gametype mod; tune explosion_strength 0")
			ts.srv.cfg.Log = slog.New(slog.DiscardHandler)
			var clients []*testclient.Client
			for i := range 16 {
				clients = append(clients, ts.joinAs(kinds[i%2], local(1000+i), "player"))
			}
			input := func(i int) { // walk, jump, aim and hook
				tick := int(ts.srv.clock.tick)
				ts.input(clients[i], msg7.PlayerInput{
					Direction: int32((tick/20+i)%3 - 1), Jump: (tick/7+i)%3 == 0, Hook: (tick/25+i)%2 == 0,
					TargetX: int32((tick+i*37)%200 - 100), TargetY: -50, PlayerFlags: 4,
				})
			}
			tick := func() {
				for i := range clients {
					input(i)
				}
				ts.step(1)
			}
			for range 400 {
				tick()
			}
			i := 0
			if n := testing.AllocsPerRun(1000, func() {
				input(i % 16)
				if i++; i%16 == 0 {
					ts.srv.pendingCommands = ts.srv.pendingCommands[:0]
				}
			}); n != 0 {
				t.Errorf("%v allocations per input", n)
			}
			packets, snapshots := ts.sentPackets, clients[0].Snapshots
			if n := testing.AllocsPerRun(500, tick); n != 0 {
				t.Errorf("%v allocations per tick of 16 players", n)
			}
			if sent, got := ts.sentPackets-packets, clients[0].Snapshots-snapshots; sent < 16*250 || got < 200 {
				t.Errorf("%d datagrams were sent, %d snapshots received", sent, got)
			}
			for _, c := range clients {
				if s := ts.session(c); s.state != stateInGame || s.snapshots.rate != rateFull {
					t.Errorf("client %d: state %v, rate %v", s.id, s.state, s.snapshots.rate)
				}
			}
			c := clients[0]
			ping := c.Pick(&msg6.Ping{}, &msg7.Ping{})
			if n := testing.AllocsPerRun(500, func() { c.SendUnreliable(ping) }); n != 0 {
				t.Errorf("%v allocations per ping", n)
			}
			c.Token ^= 1
			if n := testing.AllocsPerRun(500, func() { c.SendUnreliable(ping) }); n != 0 {
				t.Errorf("%v allocations per forged datagram", n)
			}
		})
	}
}
