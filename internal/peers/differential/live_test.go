package differential

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/transport"
)

const password = "differential"

// settings are what both servers get. Votes are off: ours has none yet.
var settings = "sv_high_bandwidth 1; sv_max_clients 16; sv_max_clients_per_ip 16; sv_player_slots 16; " +
	"sv_vote_kick 0; sv_vote_spectate 0; sv_inactivekick_time 0; sv_name differential; sv_rcon_password " + password

// live plays on the original.
type live struct {
	rec     *record
	began   time.Time
	players []*livePlayer
	arrived chan datagram
	bots    []*bot
	sent    int
	done    chan struct{}
}

type livePlayer struct {
	*client.Session
	watch
	socket *net.UDPConn
	rcon   bool
	info   bool // has got SERVERINFO, which answers ENTERGAME
	away   bool
	joined int // sights before it joined again
	inputs int
	// sent are the steps whose time is not known yet, by intended tick.
	sent map[int32]step
}

type datagram struct {
	player int
	b      []byte
}

// errLost says that a run is of no use, since the machine was too busy.
var errLost = errors.New("a datagram was lost")

// play lets bots play on the original server. A run that lost something is
// repeated a few times.
func play(t testing.TB, s setup) *record {
	t.Helper()
	for try := 1; ; try++ {
		rec, err := playOnce(t, s)
		if err == nil {
			return rec
		}
		if !errors.Is(err, errLost) || try == 4 {
			t.Fatal(err)
		}
		t.Logf("try %d: %v", try, err)
	}
}

// playOnce starts the original server and lets bots play on it.
func playOnce(t testing.TB, s setup) (*record, error) {
	t.Helper()
	path := peers.Need(t, "teeworlds-server")[0]
	home := t.TempDir()
	if file, ok := mapFile(s.mapName); ok {
		if err := os.MkdirAll(filepath.Join(home, "maps"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "maps", s.mapName+".map"), file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	port := freePort(t)
	env := []string{"HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_CONFIG_HOME=" + home}
	args := append([]string{"bindaddr 127.0.0.1", "sv_register 0", fmt.Sprintf("sv_port %d", port), "sv_map " + s.mapName, settings}, s.settings...)
	server := peers.Start(t, home, env, path, args...)
	defer server.Stop()

	l := &live{
		rec: &record{setup: s}, began: time.Now(),
		arrived: make(chan datagram, 1024), done: make(chan struct{}),
	}
	defer close(l.done)
	for i := range s.players {
		if err := l.join(i, port); err != nil {
			return nil, err
		}
		defer l.players[i].socket.Close()
	}
	if err := l.restart(); err != nil {
		return nil, err
	}
	if err := l.match(); err != nil {
		return nil, err
	}
	for _, p := range l.players {
		p.until(l.rec.start + int32(s.ticks))
	}
	for _, s := range l.players[0].since(l.rec.start) {
		l.rec.rounds = append(l.rec.rounds, s.tick)
	}
	for i := 1; i < len(l.rec.rounds); i++ {
		// Our server forgets time beyond 50 ticks; the original does not.
		if gap := l.rec.rounds[i] - l.rec.rounds[i-1]; gap > 40 {
			return nil, fmt.Errorf("%w: the original stood still for %d ticks", errLost, gap)
		}
	}
	for i, p := range l.players {
		p.Close(l.now())
		if !l.rec.coming && !slices.EqualFunc(l.rec.rounds, p.since(l.rec.start), func(tick int32, s sight) bool { return tick == s.tick }) {
			return nil, fmt.Errorf("%w: player %d has not the rounds that player 0 has", errLost, i)
		}
		l.rec.seen = append(l.rec.seen, p.since(l.rec.start+respawn))
		if st := p.Stats(); st.CRCFailures+st.BadDelta+st.BadMessage+st.NoBase != 0 {
			return nil, fmt.Errorf("the client did not understand the original: %+v", st)
		}
	}
	return l.rec, nil
}

func freePort(t testing.TB) int {
	t.Helper()
	port, err := peers.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func (l *live) now() conn.Time { return conn.Time(time.Since(l.began)) }

// join adds a player and waits until it plays.
func (l *live) join(i, port int) error {
	socket, err := net.DialUDP("udp4", nil, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return err
	}
	socket.SetReadBuffer(4 << 20)
	p := &livePlayer{socket: socket, sent: make(map[int32]step)}
	cfg := clientConfig(i, &p.watch)
	cfg.Send = func(b []byte) { socket.Write(b) }
	onChunk := cfg.OnMessage
	cfg.OnMessage = func(payload []byte, vital bool) {
		var u packer.Unpacker
		u.Reset(payload)
		switch msg7.ID(u.Int()) {
		case msg7.IDRconAuthOn:
			p.rcon = true
		case msg7.IDServerInfo:
			p.info = true
		}
		onChunk(payload, vital)
	}
	// The answer to an input comes in the packet of the next snapshot, or in an
	// earlier one: the server took it after the newest snapshot seen so far.
	cfg.OnInputTiming = func(tick, _ int32) {
		if st, ok := p.sent[tick]; ok {
			delete(p.sent, tick)
			_, st.window = p.NewestSnapshot()
			l.rec.steps = append(l.rec.steps, st)
		}
	}
	if p.Session, err = client.NewSession(cfg); err != nil {
		return err
	}
	l.players = append(l.players, p)
	go l.read(i, socket)
	if err := p.Dial(l.now()); err != nil {
		return err
	}
	deadline := time.Now().Add(20 * time.Second)
	redial := time.Now()
	err = l.until(deadline, fmt.Sprintf("player %d plays", i), func() bool {
		// The server may not be listening yet.
		if p.State() <= client.Connecting && time.Since(redial) > 300*time.Millisecond {
			redial = time.Now()
			p.Close(l.now())
			p.Dial(l.now())
		}
		return p.State() == client.Playing
	})
	if err != nil {
		return err
	}
	_, tick := p.NewestSnapshot()
	return l.until(deadline, "settled", func() bool { _, now := p.NewestSnapshot(); return now > tick+settle })
}

// calm is how many ticks nothing happens before the restart. The lists of
// commands and variables trickle in, and our clients catch up in inputs.
const calm = 80

// settle is how many ticks pass between two joins: the second player starts a
// match, and all are to be there again before the third comes. Then entities
// have the same ids on both servers.
const settle = 30

// clientConfig is the configuration of player i on either server.
func clientConfig(i int, w *watch) client.SessionConfig {
	return client.SessionConfig{
		Name: fmt.Sprintf("player%d", i), ManualInput: true,
		HasMap:     func(*bridge.MapChange) bool { return true },
		OnMessage:  w.chunk,
		OnSnapshot: func(tick int32, s *snapshot.Snapshot) { w.snapshot(tick, s) },
	}
}

func (l *live) read(i int, socket *net.UDPConn) {
	for {
		b := make([]byte, transport.MaxDatagram)
		n, err := socket.Read(b)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(10 * time.Millisecond) // nobody listens there yet
			continue
		}
		select {
		case l.arrived <- datagram{i, b[:n]}:
		case <-l.done:
			return
		}
	}
}

// pump handles what arrives until all players have a snapshot of one more
// tick, and returns that tick; 0 when nothing came for a while.
func (l *live) pump(last int32) (int32, error) {
	timer := time.NewTimer(20 * time.Millisecond)
	defer timer.Stop()
	for {
		select {
		case d := <-l.arrived:
			p := l.players[d.player]
			p.Feed(l.now(), d.b)
			p.Step(l.now())
			if p.Err() != nil {
				return 0, p.Err()
			}
			if tick := l.common(); tick > last {
				return tick, nil
			}
		case <-timer.C:
			for _, p := range l.players {
				p.Step(l.now())
				if p.Err() != nil {
					return 0, p.Err()
				}
			}
			return 0, nil
		}
	}
}

// common is the newest tick if all players that are in the game have it.
func (l *live) common() int32 {
	tick := int32(0)
	for _, p := range l.players {
		_, newest := p.NewestSnapshot()
		if p.State() < client.Entering || newest <= 0 {
			continue
		}
		if tick != 0 && newest != tick {
			return 0
		}
		tick = newest
	}
	return tick
}

// until plays without doing anything until ok.
func (l *live) until(deadline time.Time, what string, ok func() bool) error {
	last := int32(0)
	for !ok() {
		if time.Now().After(deadline) {
			return fmt.Errorf("still not: %s", what)
		}
		tick, err := l.pump(last)
		if err != nil {
			return err
		}
		if tick == 0 {
			continue
		}
		last = tick
		for i := range l.players {
			l.idle(i)
		}
	}
	return nil
}

// lead is how many ticks ahead inputs are sent: they are sent right after a
// snapshot, so one would be enough, and two tell movement from direct effects.
const lead = 2

// idle acknowledges the newest snapshot.
func (l *live) idle(i int) {
	p := l.players[i]
	if _, newest := p.NewestSnapshot(); newest > 0 {
		p.inputs++
		p.SendInput(l.now(), newest+lead, wish(neutral))
	}
}

var neutral = msg7.PlayerInput{TargetX: 1}

// send sends a step.
func (l *live) send(st step) {
	p := l.players[st.player]
	for _, m := range st.messages {
		p.QueueMessage(l.now(), m)
	}
	l.sent++
	st.order = l.sent
	p.inputs++
	p.sent[st.intended] = st
	p.SendInput(l.now(), st.intended, wish(st.input))
}

// restart begins the match that is compared.
func (l *live) restart() error {
	p := l.players[0]
	deadline := time.Now().Add(20 * time.Second)
	if err := p.SendMessage(l.now(), (&msg7.RconAuth{Password: []byte(password)}).Append(nil)); err != nil {
		return err
	}
	if err := l.until(deadline, "rcon", func() bool { return p.rcon }); err != nil {
		return err
	}
	_, tick := p.NewestSnapshot()
	if err := l.until(deadline, "settled", func() bool { _, now := p.NewestSnapshot(); return now > tick+calm }); err != nil {
		return err
	}
	_, tick = p.NewestSnapshot()
	l.rec.steps = nil
	for _, p := range l.players {
		l.rec.inputs = append(l.rec.inputs, p.inputs)
	}
	l.send(step{player: 0, intended: tick + lead + 1, input: neutral, messages: [][]byte{(&msg7.RconCmd{Command: []byte("restart")}).Append(nil)}})
	if err := l.until(deadline, "restarted", func() bool { return len(l.rec.steps) > 0 }); err != nil {
		return err
	}
	l.rec.start = l.rec.steps[0].window
	l.rec.steps = l.rec.steps[1:]
	return nil
}

// match lets the bots play.
func (l *live) match() error {
	for i := range l.players {
		l.bots = append(l.bots, newBot(l.rec.setup, i))
	}
	// The restart's input was for three ticks later; inputs that are not for a
	// later tick than the one before are not answered.
	last, end := l.rec.start+1, l.rec.start+int32(l.rec.ticks)
	silence := time.Now()
	for last < end {
		tick, err := l.pump(last)
		if err != nil {
			return err
		}
		if tick == 0 {
			if time.Since(silence) > 5*time.Second {
				return fmt.Errorf("%w: no common snapshot after tick %d", errLost, last)
			}
			continue
		}
		silence = time.Now()
		if l.rec.ticks > 5000 && tick/1000 != last/1000 && testing.Verbose() {
			fmt.Fprintf(os.Stderr, "%s: tick %d of %d\n", l.rec.mapName, tick-l.rec.start, l.rec.ticks)
		}
		last = tick
		if err := l.round(tick); err != nil {
			return err
		}
	}
	// Let the last answers come.
	for range 5 {
		if tick, err := l.pump(last); err != nil {
			return err
		} else if tick != 0 {
			last = tick
		}
	}
	// The network keeps the order in which they were sent.
	slices.SortFunc(l.rec.steps, func(a, b step) int { return a.order - b.order })
	if err := l.place(); err != nil {
		return err
	}
	last = min(last, end)
	for i, p := range l.players {
		for tick := range p.sent {
			if tick < last-20 {
				return fmt.Errorf("%w: player %d's input for tick %d was not answered", errLost, i, tick)
			}
		}
	}
	return nil
}

// round lets all bots act after a tick.
func (l *live) round(tick int32) error {
	mover, gone := 0, -1
	if l.rec.coming && l.bots[0].chance(150) {
		mover = 1 + l.bots[0].rand.IntN(len(l.players)-2)
	}
	for i, p := range l.players {
		_, newest := p.NewestSnapshot()
		switch {
		case mover != 0 && i == mover && p.away:
			if err := l.enter(i, tick); err != nil {
				return err
			}
			continue
		case mover != 0 && i == mover && newest == tick:
			gone = i
			continue
		case p.away || newest != tick:
			continue
		}
		st := l.bots[i].step(&p.seen[len(p.seen)-1])
		if st == nil {
			// Newcomers get more snapshots only for an answer, and with those
			// around them the movements of others are dated.
			if len(p.seen) > p.joined+3 && mover == 0 {
				continue
			}
			st = &step{intended: tick + lead, input: l.bots[i].in}
		}
		st.player = i
		l.send(*st)
	}
	if gone >= 0 {
		return l.leave(gone)
	}
	return nil
}

// leave lets a player go, after everybody else has acted: the original drops
// who said good-bye only when it has looked at everything that arrived.
func (l *live) leave(i int) error {
	p := l.players[i]
	if len(p.sent) > 0 {
		return fmt.Errorf("%w: player %d left with unanswered inputs", errLost, i)
	}
	p.away = true
	p.Close(l.now())
	l.sent++
	l.rec.steps = append(l.rec.steps, step{player: i, action: leave, order: l.sent})
	return nil
}

// enter lets a player come back, before the next tick or not at all.
func (l *live) enter(i int, tick int32) error {
	p := l.players[i]
	p.away, p.info, p.joined = false, false, len(p.seen)
	p.pending = nil
	l.bots[i].watch, l.bots[i].until = false, 0
	l.sent++
	l.rec.steps = append(l.rec.steps, step{player: i, action: enter, order: l.sent})
	if err := p.Dial(l.now()); err != nil {
		return err
	}
	for !p.info {
		select {
		case d := <-l.arrived:
			l.players[d.player].Feed(l.now(), d.b)
		case <-time.After(time.Second):
			return fmt.Errorf("%w: player %d cannot join again", errLost, i)
		}
		if _, now := l.players[0].NewestSnapshot(); now != tick {
			return fmt.Errorf("%w: player %d needed more than a tick to join", errLost, i)
		}
	}
	return nil
}

// place finds out when the server took the steps that it does not answer. Who
// comes does so between two answered steps. Who leaves is dropped in the next
// pass of the server's loop: after all that came with the farewell, and if a
// tick was due, behind that and before anything else.
func (l *live) place() error {
	steps := l.rec.steps
	for i := range steps {
		st := &steps[i]
		if st.action == act {
			continue
		}
		if i == 0 || i+1 == len(steps) {
			return fmt.Errorf("%w: player %d came or went at the edge", errLost, st.player)
		}
		before, after := steps[i-1].window, steps[i+1].window
		st.window = before
		if st.action == leave {
			st.window = l.told(st.player, before)
		} else if after != before {
			return fmt.Errorf("%w: player %d came at an uncertain time", errLost, st.player)
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return int(a.window - b.window) })
	return nil
}

// told returns the round after which the first player was told that another
// left, from a tick on.
func (l *live) told(player int, from int32) int32 {
	last := from
	for _, s := range l.players[0].since(from) {
		for _, m := range s.messages {
			var drop msg7.SvClientDrop
			var u packer.Unpacker
			u.Reset([]byte(m))
			if msg7.ID(u.Int()) == msg7.IDSvClientDrop && drop.Unpack(&u) == nil && int(drop.ClientID) == player {
				return last
			}
		}
		last = s.tick
	}
	return last
}
