package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/transport"
)

const (
	timeoutCode      = "U5E72ARPGZqkk8fH"
	otherTimeoutCode = "qkk8fHU5E72ARPGZ"
)

// joinWithCode adds a client of DDNet that plays and has sent a timeout code.
func (ts *testServer) joinWithCode(peer transport.Peer, name, code string) *testclient.Client {
	ts.tb.Helper()
	return ts.joinAs(client06DDNet, peer, name).Say("/timeout " + code)
}

// timeOut lets all clients but some time out.
func (ts *testServer) timeOut(but ...*testclient.Client) { ts.idle(11*50, but...) }

// TestTimeoutCode has a player time out and come back from another address. The match, with
// the seat given back, has to rerun to the same worlds.
func TestTimeoutCode(t *testing.T) {
	var replays memoryReplays
	ts := newTestServerWith(t, Config{Replays: &replays}, "sv_warmup 0")
	watcher := ts.join(ip(9), "watcher")
	first := ts.joinWithCode(ip(1), "dora", timeoutCode).Login("adminpw")
	seat := ts.session(first).id
	ts.play(20, first, msg7.PlayerInput{Direction: 1})
	watcher.PlayerChanges = nil

	ts.timeOut(watcher)
	if first.Reason != conn.ReasonTimeout || ts.srv.numClients() != 1 || ts.srv.numHeld() != 1 || len(watcher.PlayerChanges) != 0 {
		t.Fatalf("closed with %q, %d clients, %d seats kept, the other saw %q", first.Reason, ts.srv.numClients(), ts.srv.numHeld(), watcher.PlayerChanges)
	}
	if !slices.Contains(watcher.Chat, "'dora' has timed out and may come back") {
		t.Errorf("the other was told %q", watcher.Chat)
	}
	stands := func() (x float32) {
		for _, c := range ts.srv.world.Frame().Characters {
			if c.Player == seat {
				x = c.Pos.X
			}
		}
		return x
	}
	at := stands()
	ts.idle(50, watcher)
	if p, _ := ts.srv.world.Player(seat); at == 0 || stands() != at || p.Flags&game.PlayerFlagAdmin != 0 {
		t.Errorf("the tee was at %v and is at %v, flags %b", at, stands(), p.Flags)
	}

	back := ts.joinAs(client06DDNet, ip(2), "dora")
	s := ts.session(back)
	if s.id == seat {
		t.Fatal("the seat was not kept")
	}
	left, snapshots := s.id, back.Snapshots
	back.Say("/mc;timeout " + timeoutCode + ";emote happy 9")
	ts.play(4, back, msg7.PlayerInput{})
	if s.id != seat || ts.session(back) != s || ts.srv.numHeld() != 0 || back.Snapshots != snapshots+2 {
		t.Errorf("seat %d instead of %d, %d kept, %d snapshots", s.id, seat, ts.srv.numHeld(), back.Snapshots-snapshots)
	}
	ts.play(30, back, msg7.PlayerInput{Direction: -1})
	if stands() >= at {
		t.Errorf("the tee does not obey: it was at %v and is at %v", at, stands())
	}
	if want := []string{"+2 dora", "-2 Timeout protection used"}; !slices.Equal(watcher.PlayerChanges, want) {
		t.Errorf("the other saw %q, want %q", watcher.PlayerChanges, want)
	}
	if next := ts.session(ts.join(ip(3), "next")); next == s || next.id != left {
		t.Errorf("the next player has seat %d, not %d", next.id, left)
	}
	checkSeats(t, ts.srv)
	if text := ts.log.String() + strings.Join(append(watcher.Chat, back.Chat...), "\n"); strings.Contains(text, "U5E72") {
		t.Errorf("the code is in the log or the chat:\n%s", text)
	}
	ts.srv.Shutdown(ts.now, "")
	replays.verify(t, 1)
}

// TestTimeoutCodeOfOthers tries codes of players who do not get the seat, and checks that no client
// sees a code.
func TestTimeoutCodeOfOthers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first string // what the player says who then times out
		live  bool   // or does not
		then  []string
		back  bool
	}{
		{"the code", "/timeout " + timeoutCode, false, []string{"/timeout " + timeoutCode}, true},
		{"another code", "/timeout " + timeoutCode, false, []string{"/timeout " + otherTimeoutCode}, false},
		{"a second try", "/timeout " + timeoutCode, false, []string{"/timeout " + otherTimeoutCode, "/timeout " + timeoutCode}, false},
		{"the player lives", "/timeout " + timeoutCode, true, []string{"/timeout " + timeoutCode}, false},
		{"too short", "/timeout secret", false, []string{"/timeout secret"}, false},
		{"no code", "/timeout", false, []string{"/timeout"}, false},
		{"with odd spaces", "/timeout\u00a0" + timeoutCode, false, []string{"\u00a0\u200b/ timeout " + timeoutCode}, true},
		{"never sent", "hello", false, []string{"/timeout " + timeoutCode, "/timeout"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ts := newTestServer(t, nil)
			watcher := ts.joinAs(client06DDNet, ip(9), "watcher")
			first := ts.joinAs(client06DDNet, ip(1), "first").Say(tt.first)
			seat := ts.session(first).id
			stay := []*testclient.Client{watcher}
			if tt.live {
				stay = append(stay, first)
			}
			ts.timeOut(stay...)
			stranger := ts.joinAs(client06DDNet, ip(2), "stranger")
			for _, line := range tt.then {
				stranger.Say(line)
			}
			ts.idle(2, append(stay, stranger)...)
			if got := ts.session(stranger).id == seat && ts.srv.playerName(seat) == "first"; got != tt.back {
				t.Errorf("has the seat of the first: %v", got)
			}
			if tt.live && (ts.session(first) == nil || ts.session(first).id != seat) {
				t.Error("the first is out")
			}
			for _, line := range slices.Concat(watcher.Chat, first.Chat, stranger.Chat) {
				if strings.Contains(line, "timeout ") || strings.Contains(line, timeoutCode) {
					t.Errorf("said to all: %q", line)
				}
			}
			checkSeats(t, ts.srv)
		})
	}

	t.Run("0.7", func(t *testing.T) {
		ts := newTestServer(t, nil)
		watcher := ts.join(ip(9), "watcher")
		ts.join(ip(1), "first").Say("/timeout " + timeoutCode).Say("/Timeout " + timeoutCode).
			Send(&msg7.ClCommand{Name: []byte("timeout"), Arguments: []byte(timeoutCode)})
		for _, cmd := range ts.srv.pendingCommands {
			if cmd.Kind == game.CmdSay {
				t.Errorf("the code would be in the log of the match: %q", cmd.Text)
			}
		}
		ts.timeOut(watcher)
		if ts.srv.numHeld() != 1 || !slices.Equal(watcher.Chat, []string{"'first' has timed out and may come back"}) {
			t.Errorf("%d seats kept, chat %q", ts.srv.numHeld(), watcher.Chat)
		}
	})

	t.Run("timing out", func(t *testing.T) {
		ts := newTestServer(t, nil)
		first := ts.joinWithCode(ip(1), "first", timeoutCode)
		seat := ts.session(first).id
		back := ts.joinAs(client06DDNet, ip(2), "first")
		ts.idle(110, back)
		back.Say("/timeout " + timeoutCode)
		if ts.session(back).id != seat || first.Reason != conn.ReasonTimeout {
			t.Errorf("seat %d instead of %d, the old connection ended with %q", ts.session(back).id, seat, first.Reason)
		}
		ts.idle(2, back)
		checkSeats(t, ts.srv)
	})

	t.Run("while it enters", func(t *testing.T) {
		ts := newTestServer(t, nil)
		watcher := ts.join(ip(9), "watcher")
		first := ts.connectAs(client06DDNet, ip(1)).Join("first").Say("/timeout " + timeoutCode)
		ts.step(1)
		seat := ts.session(first).id
		ts.timeOut(watcher)
		back := ts.connectAs(client06DDNet, ip(2)).Join("first").Say("/timeout " + timeoutCode)
		ts.idle(3, watcher, back)
		if s := ts.session(back); s == nil || s.id != seat || ts.srv.playerName(seat) != "first" {
			t.Errorf("the seat was not given back: %q", back.Reason)
		}
		checkSeats(t, ts.srv)
	})

	t.Run("back in another seat", func(t *testing.T) {
		ts := newTestServer(t, nil)
		ts.joinWithCode(ip(1), "first", timeoutCode)
		back := ts.joinWithCode(ip(2), "first", timeoutCode) // too early
		ts.timeOut(back)
		if ts.srv.numHeld() != 0 || ts.srv.numClients() != 1 {
			t.Errorf("%d seats kept, %d clients", ts.srv.numHeld(), ts.srv.numClients())
		}
	})
}

// TestKeptSeats checks that seats are kept for a limited time, for a limited number of
// players of a person, without taking the place of others, and without being counted in
// votes.
func TestKeptSeats(t *testing.T) {
	ts := newTestServer(t, nil, "sv_max_clients 8; sv_player_slots 8; sv_max_clients_per_ip 4; conn_timeout_protection 60")
	code := func(i int) string { return fmt.Sprint(timeoutCode, i) }
	for i := range 4 {
		ts.joinWithCode(withPort(ip(1), 100+i), "one", code(i))
		ts.joinWithCode(withPort(ip(2), 100+i), "two", code(10+i))
	}
	ts.timeOut()
	if n := ts.srv.numHeld(); n != 8 {
		t.Fatalf("%d seats kept", n)
	}
	// They are all back, in the same room. Those of the first person again, to stay away.
	var clients []*testclient.Client
	for i := range 4 {
		clients = append(clients, ts.joinAs(client06DDNet, withPort(ip(2), 200+i), "two"))
	}
	for i, c := range clients {
		c.Say("/timeout " + code(10+i))
	}
	ts.idle(2, clients...)
	if v := ts.srv.Votes(); v.Yes+v.No != 0 || v.Total != 1 {
		t.Errorf("%d may vote, all from one address", v.Total)
	}
	for i := range 4 {
		ts.joinWithCode(withPort(ip(1), 200+i), "more", code(20+i))
	}
	ts.timeOut(clients...)
	if n, c := ts.srv.numHeld(), ts.srv.numClients(); n != 4 || c != 4 {
		t.Errorf("%d seats kept, %d clients", n, c)
	}
	ts.idle(60*50, clients...)
	if n := ts.srv.numHeld(); n != 0 {
		t.Errorf("%d seats kept after their time", n)
	}
	ts.idle(1, clients...)
	checkSeats(t, ts.srv)

	// Operators and new maps end it.
	for i, command := range []string{"kick %d", "ban %d", "sv_map testbox; echo %d", "shutdown; echo %d"} {
		ts := newTestServer(t, nil)
		first := ts.joinWithCode(ip(1), "first", timeoutCode)
		id := ts.session(first).id
		ts.timeOut()
		if ts.srv.numHeld() != 1 {
			t.Fatal("no seat kept")
		}
		ts.srv.Execute(fmt.Sprintf(command, id))
		ts.step(2)
		if p, joined := ts.srv.world.Player(id); i < 3 && (ts.srv.numHeld() != 0 || joined) {
			t.Errorf("after %q %d seats are kept, %+v", command, ts.srv.numHeld(), p)
		}
		checkSeats(t, ts.srv)
		ts.srv.Shutdown(ts.now, "")
	}

	// All 64 are taken: the first to end makes room.
	ts = newTestServer(t, nil, "conn_timeout_protection 600")
	for i := range 64 {
		ts.joinWithCode(ip(1+i), "gone", code(i))
	}
	ts.timeOut()
	if n := ts.srv.numHeld(); n != 64 {
		t.Fatalf("%d seats kept", n)
	}
	c := ts.connect(ip(200))
	ts.step(1)
	ts.step(1)
	c.Connect().Join("new")
	ts.step(2)
	if s := ts.session(c); s == nil || s.state != stateInGame || ts.srv.numHeld() != 64-1 {
		t.Errorf("the new one is in the game: %v, %d seats kept, %q", s != nil && s.state == stateInGame, ts.srv.numHeld(), c.Reason)
	}
	checkSeats(t, ts.srv)
}

// numPlaying returns the number of sessions that have a player slot.
func (ts *testServer) numPlaying() (n int) {
	for id, c := range ts.srv.sessions {
		if c != nil && ts.srv.teamOf(game.PlayerID(id)) != game.TeamSpectators {
			n++
		}
	}
	return n
}

// TestKeptSeatsGiveWay has kept seats hold all player slots, all slots of their address and all
// slots of clients. None of them keeps a client out, and players who come back get their seats.
func TestKeptSeatsGiveWay(t *testing.T) {
	code := func(i int) string { return fmt.Sprint(timeoutCode, i) }

	t.Run("player slots", func(t *testing.T) {
		ts := newTestServer(t, nil, "sv_max_clients 16; sv_player_slots 8")
		for i := range 8 {
			ts.joinWithCode(ip(1+i), "gone", code(i))
		}
		clients := []*testclient.Client{ts.join(ip(9), "watcher")}
		ts.timeOut(clients...)
		if n := ts.srv.numHeld(); n != 8 || ts.numPlaying() != 7 {
			t.Fatalf("%d seats kept, %d play with somebody watching", n, ts.numPlaying())
		}
		clients[0].Send(&msg7.ClSetTeam{})
		ts.step(2)
		for i := range 4 {
			clients = append(clients, ts.join(ip(10+i), "new"))
		}
		ts.idle(10, clients...)
		for _, c := range clients {
			if ts.srv.teamOf(ts.session(c).id) == game.TeamSpectators {
				t.Errorf("client %d can only watch", ts.session(c).id)
			}
		}
		back := ts.joinWithCode(ip(20), "back", code(0))
		clients = append(clients, back)
		ts.idle(10, clients...)
		if id := ts.session(back).id; id != 0 || ts.srv.teamOf(id) == game.TeamSpectators || ts.srv.numHeld() != 7 || ts.numPlaying() != 8 {
			t.Errorf("back in seat %d in team %d, %d kept, %d play", id, ts.srv.teamOf(id), ts.srv.numHeld(), ts.numPlaying())
		}
		ts.idle(6*50, clients...)
		if n := ts.srv.numHeld(); n != 7 {
			t.Errorf("%d seats kept with room for all", n)
		}
		checkSeats(t, ts.srv)
	})

	t.Run("one address", func(t *testing.T) {
		for _, first := range []int{0, 10} { // with the same codes, and with others
			ts := newTestServer(t, nil, "sv_max_clients 16; sv_player_slots 16; sv_max_clients_per_ip 4")
			for i := range 4 {
				ts.joinWithCode(withPort(ip(1), 100+i), "gone", code(i))
			}
			ts.timeOut()
			var clients []*testclient.Client
			for i := range 4 {
				clients = append(clients, ts.joinAs(client06DDNet, withPort(ip(1), 200+i), "new"))
				if n := ts.numPlaying(); n > 4 {
					t.Errorf("%d play from one address", n)
				}
			}
			for i, c := range clients {
				c.Say("/timeout " + code(first+i))
			}
			ts.idle(10, clients...)
			if n := ts.srv.numHeld(); n != 0 || ts.numPlaying() != 4 || ts.srv.numClients() != 4 {
				t.Errorf("%d seats kept, %d play, %d clients", n, ts.numPlaying(), ts.srv.numClients())
			}
			for i, c := range clients {
				if s := ts.session(c); first == 0 && int(s.id) != i {
					t.Errorf("client %d is back in seat %d", i, s.id)
				}
			}
			checkSeats(t, ts.srv)
		}
	})

	t.Run("clients", func(t *testing.T) {
		ts := newTestServer(t, nil, "sv_max_clients 8; sv_player_slots 8; sv_max_clients_per_network 4")
		most := func(when string) {
			t.Helper()
			q, players := ListedPlayers(ts.srv)
			for _, p := range players {
				if got, _ := ts.srv.world.Player(game.PlayerID(p.Index)); ts.srv.sessions[p.Index].state == stateInGame && got.Profile.Name != p.Name {
					t.Errorf("%s: %q is listed as %q", when, got.Profile.Name, p.Name)
				}
			}
			if q.NumClients > 8 || q.NumPlayers > 8 || q.MaxClients != 8 || len(q.Clients) != q.NumClients {
				t.Errorf("%s: %d clients of %d, %d listed, %d play", when, q.NumClients, q.MaxClients, len(q.Clients), q.NumPlayers)
			}
		}
		for i := range 12 {
			ts.joinWithCode(ip(256*256*i+1), "gone", code(i))
			if i%4 == 3 {
				most("joined")
				ts.timeOut()
				most("timed out")
			}
		}
		if n := ts.srv.numHeld(); n != 8 {
			t.Errorf("%d seats kept", n)
		}
		var clients []*testclient.Client
		for i := range 7 {
			clients = append(clients, ts.joinAs(client06DDNet, ip(1000+256*256*i), "new"))
			most("new")
		}
		ts.idle(6*50, clients...)
		if n := ts.srv.numHeld(); n != 1 {
			t.Errorf("%d seats kept beside 7 clients", n)
		}
		// The server is full, and the last of them still has their seat.
		back := ts.joinWithCode(ip(5), "back", code(11))
		ts.idle(10, append(clients, back)...)
		if p, _ := ts.srv.world.Player(ts.session(back).id); p.Profile.Name != "gone" || p.Team == game.TeamSpectators ||
			ts.srv.numClients() != 8 || ts.srv.numHeld() != 0 {
			t.Errorf("back as %q in team %d, %d clients, %d seats kept", p.Profile.Name, p.Team, ts.srv.numClients(), ts.srv.numHeld())
		}
		most("back")
		checkSeats(t, ts.srv)
	})
}
