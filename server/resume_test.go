package server

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server/resume"
)

// memoryStore is a resume.Store in memory.
type memoryStore struct {
	content []byte // nil for nothing
	err     error  // of all methods
	stores  int
	hangs   chan struct{} // closed when the disk answers again
}

func (m *memoryStore) Load(string) ([]byte, error) {
	if m.content == nil {
		return nil, fs.ErrNotExist
	}
	return m.content, m.err
}

func (m *memoryStore) Store(_ string, b []byte) error {
	if m.hangs != nil {
		<-m.hangs
	}
	if m.err == nil {
		m.content = bytes.Clone(b)
		m.stores++
	}
	return m.err
}

func (m *memoryStore) Remove(string) error {
	m.content = nil
	return m.err
}

// edit changes the stored match.
func (m *memoryStore) edit(change func(*resume.Match)) {
	saved := testenv.Must(resume.Parse(m.content))
	change(saved)
	m.content = testenv.Must(saved.Append(nil))
}

// resumable starts a server that stores its match.
func resumable(t *testing.T, store *memoryStore, commands ...string) *testServer {
	t.Helper()
	return newTestServerWith(t, Config{Resume: store}, append([]string{"sv_resume 1; sv_warmup 0; sv_scorelimit 0"}, commands...)...)
}

// tee returns the place of a player's tee.
func (ts *testServer) tee(id game.PlayerID) (x float32) {
	for _, c := range ts.srv.world.Frame().Characters {
		if c.Player == id {
			x = c.Pos.X
		}
	}
	return x
}

// TestResume has a server end without a word, and the next one go on with its match. The log of
// that verifies.
func TestResume(t *testing.T) {
	for _, kind := range []testclient.Config{client07, client06DDNet, client06} {
		var store memoryStore
		ts := resumable(t, &store)
		dora, emil := ts.joinAs(kind, ip(1), "dora"), ts.joinAs(kind, ip(2), "emil")
		seat, other := ts.session(dora).id, ts.session(emil).id
		ts.srv.Execute("sv_scorelimit 77; tune gravity 1")
		for range 250 {
			ts.input(dora, msg7.PlayerInput{Direction: 1})
			emil.KeepAlive()
			ts.step(1)
		}
		testenv.Require(t, store.stores > 1, "stored %d times", store.stores)
		testenv.Must(resume.Parse(store.content))

		var replays memoryReplays
		next := newTestServerWith(t, Config{Resume: &store, Replays: &replays}, "sv_resume 1; sv_warmup 0; sv_scorelimit 0")
		was := next.tee(seat)
		tick := next.srv.world.Tick()
		testenv.Check(t, was != 0 && tick > 0 && next.srv.numHeld() == 2, "the tee is at %v in tick %d, %d seats are kept", was, tick, next.srv.numHeld())
		next.step(500)
		testenv.Check(t, next.srv.world.Tick() == tick && next.tee(seat) == was, "the world did not wait: tick %d", next.srv.world.Tick())
		rules := next.srv.world.Rules()
		testenv.Check(t, rules.ScoreLimit == 77 && next.srv.rules.ScoreLimit == 77,
			"the score limit is %d in the match, %d in the settings", rules.ScoreLimit, next.srv.rules.ScoreLimit)

		stranger := next.joinAs(kind, ip(4), "dora")
		back := next.joinAs(kind, ip(1), "dora")
		second := next.joinAs(kind, withPort(ip(1), 5001), "emil") // the address of another
		c := next.session(back)
		testenv.Require(t, c.id == seat && next.session(stranger).id != seat, "the player has seat %d instead of %d", c.id, seat)
		testenv.Check(t, next.session(second).id != other && next.srv.numHeld() == 1, "a seat was given to another address")
		next.idle(1, stranger, back, second)
		moved := next.tee(seat)
		for range 20 {
			next.input(back, msg7.PlayerInput{Direction: -1})
			next.step(1)
		}
		testenv.Check(t, next.tee(seat) < moved, "the tee was at %v, and is at %v", moved, next.tee(seat))
		checkSeats(t, next.srv)
		next.idle(61*50, stranger, back, second)
		_, there := next.srv.world.Player(other)
		testenv.Check(t, next.srv.numHeld() == 0 && !there, "the seat is kept after a minute")
		if text := next.log.String(); !strings.Contains(text, "the previous match continues; its 2 players may come back within a minute") ||
			!strings.Contains(text, "client is back after a restart. cid=") {
			t.Errorf("the log has\n%s", text)
		}
		next.srv.Shutdown(next.now, "")
		replays.verify(t, 1)
	}
}

// TestResumeWithCode has a player of DDNet come back from another address.
func TestResumeWithCode(t *testing.T) {
	var store memoryStore
	ts := resumable(t, &store)
	dora := ts.joinWithCode(ip(1), "dora", timeoutCode)
	seat := ts.session(dora).id
	ts.idle(150, dora)
	testenv.Check(t, !bytes.Contains(store.content, []byte(timeoutCode)), "the code is stored")

	next := resumable(t, &store)
	thief := next.joinWithCode(ip(3), "dora", otherTimeoutCode)
	back := next.joinWithCode(ip(2), "dora", timeoutCode)
	next.idle(2, thief, back)
	testenv.Check(t, next.session(back).id == seat && next.session(thief).id != seat, "seat %d instead of %d", next.session(back).id, seat)
	checkSeats(t, next.srv)
}

// TestResumeFullServer: the players of a full server all get their tees, whoever comes first.
func TestResumeFullServer(t *testing.T) {
	var store memoryStore
	const players, spectators = 6, 2
	limits := "sv_max_clients 8; sv_player_slots 6"
	ts := resumable(t, &store, limits)
	var clients []*testclient.Client
	for i := range players + spectators {
		clients = append(clients, ts.join(ip(i), string(rune('a'+i))+"nna"))
	}
	ts.idle(150, clients...)
	next := resumable(t, &store, limits)
	tees := len(next.srv.world.Frame().Characters)
	testenv.Require(t, tees == players, "%d tees", tees)
	var back []*testclient.Client
	for i := players + spectators - 1; i >= 0; i-- {
		back = append(back, next.join(ip(i), string(rune('a'+i))+"nna"))
		testenv.Check(t, next.session(back[len(back)-1]).id == game.PlayerID(i), "player %d has seat %d", i, next.session(back[len(back)-1]).id)
		next.idle(10, back...)
	}
	tees = len(next.srv.world.Frame().Characters)
	testenv.Check(t, tees == players, "%d of %d tees are left", tees, players)
	checkSeats(t, next.srv)
}

// TestNotResumed has states that the server does not go on with.
func TestNotResumed(t *testing.T) {
	var store memoryStore
	ts := resumable(t, &store)
	dora := ts.join(ip(1), "dora")
	ts.idle(150, dora)
	good := store.content
	for name, c := range map[string]struct {
		change  func(*resume.Match)
		command string
		raw     []byte
		err     error
		says    string
	}{
		"old":              {change: func(m *resume.Match) { m.Time -= 61_000 }, says: "it is 1m"},
		"of the future":    {change: func(m *resume.Match) { m.Time += 100_000 }, says: "old"},
		"tried before":     {change: func(m *resume.Match) { m.Tried = true }, says: "ended too soon"},
		"another map":      {command: "sv_map yardrun", says: "a different map"},
		"another mode":     {command: "sv_gametype ctf", says: "a different map, game type"},
		"a changed map":    {change: func(m *resume.Match) { m.MapSHA256 = "00" }, says: "the map has changed"},
		"a lost map":       {change: func(m *resume.Match) { m.Settings.Map = "gone" }, says: "map not found"},
		"another format":   {change: func(m *resume.Match) { m.World = m.World[:0] }, says: "unusable saved state"},
		"half a file":      {raw: good[:len(good)-3], says: "damaged"},
		"no file of us":    {raw: []byte("{}"), says: "damaged"},
		"a full disk":      {err: errors.New("no space left"), says: "no space left"},
		"a read-only disk": {err: fs.ErrPermission, says: "not resumed: permission denied"},
		"turned off":       {command: "sv_resume 0"},
		"as it was":        {says: "the previous match continues"},
		"a new setting":    {change: func(m *resume.Match) { m.Configured.Map = "before" }, says: "the previous match continues"},
	} {
		store := memoryStore{content: bytes.Clone(good), err: c.err}
		if c.raw != nil {
			store.content = c.raw
		}
		if c.change != nil {
			store.edit(c.change)
		}
		next := resumable(t, &store, c.command)
		resumed := next.srv.world.Tick() > 0
		testenv.Check(t, resumed == (c.says == "the previous match continues"), "%s: resumed: %v", name, resumed)
		testenv.Check(t, strings.Contains(next.log.String(), c.says), "%s: the log lacks %q:\n%s", name, c.says, next.log.String())
		next.join(ip(1), "dora") // it goes on all the same
		next.step(10)
	}
}

// TestCrashingStateIsNotResumedTwice ends a server soon after it has resumed a match, and one
// later.
func TestCrashingStateIsNotResumedTwice(t *testing.T) {
	var store memoryStore
	ts := resumable(t, &store)
	ts.idle(150, ts.join(ip(1), "dora"))
	second := resumable(t, &store)
	testenv.Require(t, second.srv.world.Tick() > 0, "the match was not resumed")
	second.idle(400, second.join(ip(1), "dora"))
	third := resumable(t, &store)
	testenv.Check(t, third.srv.world.Tick() == 0, "a state that crashed is resumed again")
	third.idle(150, third.join(ip(1), "dora"))
	fourth := resumable(t, &store)
	testenv.Check(t, fourth.srv.world.Tick() > 0, "the state of the next match is not resumed")
	fourth.idle(700, fourth.join(ip(1), "dora"))
	fifth := resumable(t, &store)
	testenv.Check(t, fifth.srv.world.Tick() > 0, "the state of a match that went on is not resumed")
}

// TestShutdownLeavesTheMatch ends a server in good order, with and without players.
func TestShutdownLeavesTheMatch(t *testing.T) {
	var store memoryStore
	ts := resumable(t, &store)
	dora := ts.join(ip(1), "dora")
	ts.idle(20, dora)
	tick := ts.srv.world.Tick()
	ts.srv.Shutdown(ts.now, "")
	again := resumable(t, &store)
	again.srv.Shutdown(again.now, "") // before anybody is back
	next := resumable(t, &store)
	testenv.Check(t, next.srv.world.Tick() == tick && next.srv.numHeld() == 1, "tick %d instead of %d", next.srv.world.Tick(), tick)
	next.idle(61 * 50)
	testenv.Check(t, store.content == nil, "a match that nobody came back to is still stored")
	next.srv.Shutdown(next.now, "")
	third := resumable(t, &store)
	testenv.Check(t, third.srv.world.Tick() == 0, "an empty server left a match")
}

// TestResumeOnBadDisk: a disk that hangs or is full costs the resume and not the game.
func TestResumeOnBadDisk(t *testing.T) {
	store := memoryStore{err: errors.New("no space left")}
	ts := resumable(t, &store)
	dora := ts.join(ip(1), "dora")
	ts.idle(500, dora)
	testenv.Check(t, strings.Count(ts.log.String(), "cannot be stored for the next start") == 1, "the log has\n%s", ts.log.String())

	stuck := memoryStore{hangs: make(chan struct{})}
	ts = newTestServerWith(t, Config{Resume: &stuck}, "sv_resume 1")
	ts.srv.cfg.Background = func(f func()) { go f() }
	dora = ts.join(ip(1), "dora")
	before := ts.srv.world.Tick()
	ts.idle(500, dora)
	testenv.Check(t, ts.srv.world.Tick() == before+500, "the game waited for the disk")
	close(stuck.hangs)
	testenv.Eventually(t, "the match is stored", func() bool { return !ts.srv.resume.keeper.Busy() })
	testenv.Check(t, stuck.stores == 1, "%d states were waiting for the disk", stuck.stores)
}

// TestBotsOfResumedMatch: bots play on.
func TestBotsOfResumedMatch(t *testing.T) {
	testenv.Long(t)
	var store memoryStore
	ts := resumable(t, &store, "sv_bots 3")
	dora := ts.join(ip(1), "dora")
	testenv.Eventually(t, "bots play", func() bool { // a goroutine explores the map
		ts.idle(1, dora)
		return ts.srv.bots.Count() == 2
	})
	ts.idle(2, dora)
	ts.srv.Shutdown(ts.now, "")
	next := resumable(t, &store, "sv_bots 3")
	seats := func() (seats game.PlayerMask) {
		for id := range game.PlayerID(game.MaxPlayers) {
			if next.srv.bots.Has(id) {
				seats.Add(id)
			}
		}
		return seats
	}
	had := seats()
	testenv.Require(t, next.srv.bots.Count() == 2, "%d bots", next.srv.bots.Count())
	dora = next.join(ip(1), "dora")
	testenv.Eventually(t, "bots play again", func() bool {
		next.idle(1, dora)
		return next.srv.bots.Explored()
	})
	next.idle(20, dora)
	testenv.Check(t, seats() == had, "the bots have the seats %b instead of %b", seats(), had)
}

// namedStore has a memoryStore for each name.
type namedStore map[string]*memoryStore

func (n namedStore) of(name string) *memoryStore {
	if n[name] == nil {
		n[name] = &memoryStore{}
	}
	return n[name]
}

func (n namedStore) Load(name string) ([]byte, error)  { return n.of(name).Load(name) }
func (n namedStore) Store(name string, b []byte) error { return n.of(name).Store(name, b) }
func (n namedStore) Remove(name string) error          { return n.of(name).Remove(name) }

// TestTwoServersInOneFolder: each goes on with its own match.
func TestTwoServersInOneFolder(t *testing.T) {
	folder := namedStore{}
	start := func(commands string) *testServer {
		return newTestServerWith(t, Config{Resume: folder}, "sv_resume 1; sv_warmup 0; "+commands)
	}
	ports := []string{"sv_port 8303; sv_map teeyard1", "sv_port 8304; sv_map testbox"}
	var ticks [2]int32
	for i, commands := range ports {
		ts := start(commands)
		ts.idle(150+100*i, ts.join(ip(1), "dora"))
		ticks[i] = ts.srv.world.Tick()
		ts.srv.Shutdown(ts.now, "")
	}
	for i, commands := range ports {
		next := start(commands)
		testenv.Check(t, next.srv.world.Tick() == ticks[i], "server %d goes on with tick %d instead of %d", i, next.srv.world.Tick(), ticks[i])
	}
	third := start("sv_port 8305")
	testenv.Check(t, third.srv.world.Tick() == 0 && len(folder) == 3, "a server goes on with the match of another: %d names", len(folder))
}

// TestPlayersWithoutASeatLeaveTheResumedMatch checks that a player of a resumed match who cannot
// come back leaves it, and does not become a bot.
func TestPlayersWithoutASeatLeaveTheResumedMatch(t *testing.T) {
	var store memoryStore
	ts := resumable(t, &store)
	ts.idle(250, ts.join(ip(1), "dora"))
	store.edit(func(m *resume.Match) { m.Seats = nil })
	next := resumable(t, &store)
	testenv.Check(t, next.srv.bots.Count() == 0, "%d bots", next.srv.bots.Count())
	next.idle(2, next.join(ip(2), "emil"))
	for id := range game.PlayerID(game.MaxPlayers) {
		p, there := next.srv.world.Player(id)
		testenv.Check(t, !there || p.Profile.Name == "emil", "%s is in the game", p.Profile.Name)
	}
}
