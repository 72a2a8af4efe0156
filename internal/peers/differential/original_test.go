package differential

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/transport"
)

const rconPassword = "differential"

// serverSettings are the settings of both servers.
const serverSettings = "sv_high_bandwidth 1; sv_max_clients 16; sv_max_clients_per_ip 16; sv_player_slots 16; " +
	"sv_vote_kick 0; sv_vote_spectate 0; sv_inactivekick_time 0; sv_name differential; sv_rcon_password " + rconPassword

const (
	// afterMapChange is how many ticks a match lasts on the next map.
	afterMapChange = 300
	// joinPause is the number of ticks between two joins. The second player starts a match, and
	// both tees must be back before the third player joins. Then items have the same ids on both
	// servers.
	joinPause = 30
	// restartPause is the number of idle ticks before the restart. In them the server sends its
	// lists of commands and variables.
	restartPause = 80
	// inputLead is how many ticks ahead of the newest snapshot inputs are sent. One would be
	// enough. With two, an input takes effect in another tick than a message.
	inputLead = 2
)

// neutralInput is the input of an idle player.
var neutralInput = msg7.PlayerInput{TargetX: 1}

// errUnusable means that the machine was too busy for a match that can be compared.
var errUnusable = errors.New("the match cannot be compared")

// originalRun is a match on the original in progress.
type originalRun struct {
	t        testing.TB
	match    *match
	server   transport.Peer
	began    time.Time
	players  []*originalPlayer
	received chan datagram
	done     chan struct{}
	dice     string // file for the last random number that the original drew
	bots     []*bot
	sent     int // number of steps sent
}

type originalPlayer struct {
	observer
	away bool
	sent map[int32]step // unanswered steps by intended tick
}

type datagram struct {
	player  int
	payload []byte
}

// playOriginal makes bots play on the original. It repeats an unusable match a few times.
func playOriginal(t testing.TB, cfg matchConfig) *match {
	t.Helper()
	for try := 1; ; try++ {
		m, err := playOnce(t, cfg)
		if err == nil {
			return m
		}
		if !errors.Is(err, errUnusable) || try == 4 {
			t.Fatal(err)
		}
		t.Logf("try %d: %v", try, err)
	}
}

func playOnce(t testing.TB, cfg matchConfig) (*match, error) {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{cfg.Map, cfg.NextMap} {
		if file, ok := mapFile(name); ok {
			peers.WriteFile(t, filepath.Join(home, "maps", name+".map"), file)
		}
	}
	m := &match{Config: cfg}
	r := &originalRun{
		t: t, match: m, server: peers.FreeAddr(t), began: time.Now(),
		received: make(chan datagram, 1024), done: make(chan struct{}), dice: filepath.Join(home, "dice"),
	}
	defer close(r.done)
	settings := []string{"sv_register 0", fmt.Sprintf("sv_port %d", r.server.Port()), "sv_map " + cfg.Map, serverSettings}
	defer peers.RunOriginalWith(t, home, m.diceEnv(t, r.dice), append(settings, cfg.Settings...)...).Stop()
	for i := range cfg.Players {
		if err := r.join(i); err != nil {
			return nil, err
		}
	}
	for {
		if err := r.playMap(); err != nil {
			return nil, err
		}
		next := r.match.Config.NextMap
		if next == "" {
			return m, nil
		}
		if !r.mapChanged() {
			return nil, fmt.Errorf("the map has not changed to %s within %d ticks", next, cfg.Ticks)
		}
		cfg.Map, cfg.NextMap, cfg.Ticks = next, "", afterMapChange
		r.match.After = &match{Config: cfg, OtherIDs: true}
		r.match = r.match.After
		if err := r.enterMap(); err != nil {
			return nil, err
		}
	}
}

// mapChanged reports whether the server has told all players to leave the map of the match.
func (r *originalRun) mapChanged() bool {
	return !slices.ContainsFunc(r.players, func(p *originalPlayer) bool { return p.isOn(r.match.Config.Map) })
}

// enterMap waits until all players are on the next map.
func (r *originalRun) enterMap() error {
	for _, p := range r.players {
		clear(p.sent)
	}
	err := r.idleUntil("all play on the next map", func() bool {
		return !slices.ContainsFunc(r.players, func(p *originalPlayer) bool { return p.State() != client.Playing })
	})
	if err != nil {
		return err
	}
	return r.idleFor(r.players[0], joinPause)
}

// playMap plays a match on one map.
func (r *originalRun) playMap() error {
	if err := r.restart(); err != nil {
		return err
	}
	if err := r.play(); err != nil {
		return err
	}
	return r.finish()
}

// finish adds the players' observations to the match.
func (r *originalRun) finish() error {
	m := r.match
	end := m.Start + int32(m.Config.Ticks)
	seenBy := func(p *originalPlayer, from int32) []observation {
		// Some players have seen one round more than others.
		return slices.DeleteFunc(slices.Clone(p.since(m, from)), func(o observation) bool { return o.tick > end })
	}
	m.Rounds = ticksOf(seenBy(r.players[0], m.Start))
	if played := len(m.Rounds); r.cutRounds(seenBy) {
		if m.Config.NextMap != "" || len(m.Rounds) < played/2 {
			return fmt.Errorf("%w: of %d rounds only %d are as they should be", errUnusable, played, len(m.Rounds))
		}
		r.t.Logf("the machine was too busy: of %d rounds, the first %d are compared", played, len(m.Rounds))
	}
	if n := len(m.Rounds); n > 0 {
		end = min(end, m.Rounds[n-1]) // other players may have seen later rounds
	}
	for _, p := range r.players {
		if m.Config.NextMap == "" {
			p.Close(r.now())
		}
		seen := seenBy(p, m.Start+m.Config.settle())
		m.seen, m.Ticks = append(m.seen, seen), append(m.Ticks, ticksOf(seen))
		if st := p.Stats(); st.CRCFailures+st.BadDelta+st.BadMessage+st.NoBase != 0 {
			return fmt.Errorf("the client could not decode what the original sent: %+v", st)
		}
	}
	return nil
}

// cutRounds removes all rounds from the first one that cannot be compared, and reports whether
// there is such a round. A round cannot be compared if a player lacks it, if the original stood
// still before it, or if the original left out snapshots because it heard nothing from a player for
// three seconds. Our server skips ticks when it is more than 50 late; the original does not.
func (r *originalRun) cutRounds(seenBy func(p *originalPlayer, from int32) []observation) bool {
	m := r.match
	good := len(m.Rounds)
	if !m.Config.behavior.rejoin {
		for _, p := range r.players {
			theirs := seenBy(p, m.Start)
			for i := range good {
				if i >= len(theirs) || theirs[i].tick != m.Rounds[i] || theirs[i].whole {
					good = i
					break
				}
			}
		}
	}
	for i := 1; i < good; i++ {
		if m.Rounds[i]-m.Rounds[i-1] > 40 {
			good = i
		}
	}
	cut := good < len(m.Rounds)
	m.Rounds = m.Rounds[:good]
	return cut
}

func (r *originalRun) now() conn.Time { return conn.Time(time.Since(r.began)) }

// join adds a player and waits until it is in the game.
func (r *originalRun) join(i int) error {
	p := &originalPlayer{sent: make(map[int32]step)}
	socket := peers.DialUDP(r.t, 1, r.server, func(b []byte) {
		select {
		case r.received <- datagram{i, b}:
		case <-r.done:
		}
	})
	cfg := p.sessionConfig(i)
	cfg.Send = func(b []byte) { socket.Write(b) }
	// The answer to an input comes with the next snapshot or in an earlier packet. So the server
	// took the input after the newest snapshot so far.
	cfg.OnInputTiming = func(tick, _ int32) {
		if st, ok := p.sent[tick]; ok {
			delete(p.sent, tick)
			_, st.Tick = p.NewestSnapshot()
			r.match.Steps = append(r.match.Steps, st)
		}
	}
	var err error
	if p.Session, err = client.NewSession(cfg); err != nil {
		return err
	}
	r.players = append(r.players, p)
	if err := p.Dial(r.now()); err != nil {
		return err
	}
	dialed := time.Now()
	err = r.idleUntil(fmt.Sprintf("player %d plays", i), func() bool {
		// The server may not listen yet.
		if p.State() <= client.Connecting && time.Since(dialed) > 300*time.Millisecond {
			dialed = time.Now()
			p.Close(r.now())
			p.Dial(r.now())
		}
		return p.State() == client.Playing
	})
	if err != nil {
		return err
	}
	return r.idleFor(p, joinPause)
}

// receiveRound handles datagrams until all players have the snapshot of a tick after last, and
// returns that tick. It returns 0 if no datagram comes for 20 ms.
func (r *originalRun) receiveRound(last int32) (int32, error) {
	timer := time.NewTimer(20 * time.Millisecond)
	defer timer.Stop()
	for {
		select {
		case d := <-r.received:
			p := r.players[d.player]
			p.Feed(r.now(), d.payload)
			p.Step(r.now())
			if p.Err() != nil {
				return 0, p.Err()
			}
			if tick := r.commonTick(); tick > last {
				return tick, nil
			}
		case <-timer.C:
			for _, p := range r.players {
				p.Step(r.now())
				if p.Err() != nil {
					return 0, p.Err()
				}
			}
			return 0, nil
		}
	}
}

// commonTick returns the newest tick if all players in the game have it.
func (r *originalRun) commonTick() int32 {
	tick := int32(0)
	for _, p := range r.players {
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

// idleUntil sends neutral inputs until a condition is true.
func (r *originalRun) idleUntil(what string, condition func() bool) error {
	deadline := time.Now().Add(20 * time.Second)
	last := int32(0)
	for !condition() {
		if time.Now().After(deadline) {
			return fmt.Errorf("still not: %s", what)
		}
		tick, err := r.receiveRound(last)
		if err != nil {
			return err
		}
		if tick == 0 {
			continue
		}
		last = tick
		for _, p := range r.players {
			if _, newest := p.NewestSnapshot(); newest > 0 {
				p.inputs++
				p.SendInput(r.now(), newest+inputLead, toInput(neutralInput))
			}
		}
	}
	return nil
}

// idleFor sends neutral inputs for a number of ticks.
func (r *originalRun) idleFor(p *originalPlayer, ticks int32) error {
	_, from := p.NewestSnapshot()
	return r.idleUntil("a pause is over", func() bool { _, tick := p.NewestSnapshot(); return tick > from+ticks })
}

// send sends a step.
func (r *originalRun) send(st step) {
	p := r.players[st.Player]
	for _, m := range st.Messages {
		p.QueueMessage(r.now(), m)
	}
	r.sent++
	st.order = r.sent
	p.inputs++
	p.sent[st.Intended] = st
	p.SendInput(r.now(), st.Intended, toInput(st.Input))
}

// addUnanswered adds a step that the server does not answer. setTicks finds its tick.
func (r *originalRun) addUnanswered(player int, kind stepKind) {
	r.sent++
	r.match.Steps = append(r.match.Steps, step{Player: player, Kind: kind, order: r.sent})
}

// restart begins the match that is compared.
func (r *originalRun) restart() error {
	p := r.players[0]
	if !p.loggedIn {
		if err := p.SendMessage(r.now(), (&msg7.RconAuth{Password: []byte(rconPassword)}).Append(nil)); err != nil {
			return err
		}
	}
	if err := r.idleUntil("logged in", func() bool { return p.loggedIn }); err != nil {
		return err
	}
	if err := r.idleFor(p, restartPause); err != nil {
		return err
	}
	m := r.match
	m.Steps = nil
	var err error
	if m.Dice, err = readDice(r.dice); err != nil {
		return err
	}
	for _, p := range r.players {
		m.Inputs = append(m.Inputs, p.inputs)
	}
	_, tick := p.NewestSnapshot()
	r.send(step{Intended: tick + inputLead + 1, Input: neutralInput, Messages: [][]byte{(&msg7.RconCmd{Command: m.Config.startCommand()}).Append(nil)}})
	// All steps from now on are part of the match.
	for last, sent := tick, time.Now(); len(m.Steps) == 0; {
		if time.Since(sent) > 20*time.Second {
			return errors.New("still not: restarted")
		}
		tick, err := r.receiveRound(last)
		if err != nil {
			return err
		}
		last = max(last, tick)
	}
	m.Start = m.Steps[0].Tick
	m.Steps = m.Steps[1:]
	return nil
}

// play makes the bots play the match.
func (r *originalRun) play() error {
	m := r.match
	r.bots = nil
	for i := range r.players {
		r.bots = append(r.bots, newBot(m.Config, i))
	}
	// The restart's input was for three ticks later. The server answers an input only if it is for
	// a later tick than the input before.
	last, end := m.Start+1, m.Start+int32(m.Config.Ticks)
	lastRound := time.Now()
	for last < end {
		tick, err := r.receiveRound(last)
		if err != nil {
			return err
		}
		if tick == 0 {
			if r.mapChanged() {
				end = last
				break
			}
			if time.Since(lastRound) > 5*time.Second {
				return fmt.Errorf("%w: no common snapshot after tick %d", errUnusable, last)
			}
			continue
		}
		last, lastRound = tick, time.Now()
		if err := r.act(tick); err != nil {
			return err
		}
	}
	for range 5 { // time for the last answers
		tick, err := r.receiveRound(last)
		if err != nil {
			return err
		}
		last = max(last, tick)
	}
	// The network keeps the order of sending.
	slices.SortFunc(m.Steps, func(a, b step) int { return a.order - b.order })
	if err := r.setTicks(); err != nil {
		return err
	}
	for i, p := range r.players {
		for tick := range p.sent {
			if tick < end-20 {
				return fmt.Errorf("%w: player %d's input for tick %d was not answered", errUnusable, i, tick)
			}
		}
	}
	return nil
}

// act makes all bots act after a tick.
func (r *originalRun) act(tick int32) error {
	mover, leaver := 0, -1
	if r.match.Config.behavior.rejoin && r.bots[0].oneIn(150) {
		mover = 1 + r.bots[0].rand.IntN(len(r.players)-2)
	}
	for i, p := range r.players {
		_, newest := p.NewestSnapshot()
		switch {
		case mover != 0 && i == mover && p.away:
			if err := r.enter(i, tick); err != nil {
				return err
			}
			continue
		case mover != 0 && i == mover && newest == tick:
			leaver = i
			continue
		case p.away || newest != tick:
			continue
		}
		st := r.bots[i].nextStep(&p.seen[len(p.seen)-1])
		if st == nil {
			// A new player gets more snapshots only after it has acknowledged one. The steps before
			// and after a player's leaving or entering show when it happened.
			if len(p.seen) > p.joinedAtNumSeen+3 && mover == 0 {
				continue
			}
			st = &step{Intended: tick + inputLead, Input: r.bots[i].input}
		}
		st.Player = i
		r.send(*st)
	}
	if leaver >= 0 {
		return r.leave(leaver)
	}
	return nil
}

// leave closes a player's connection after all others have acted. The original drops the client
// only after it has read all datagrams that arrived.
func (r *originalRun) leave(i int) error {
	p := r.players[i]
	if len(p.sent) > 0 {
		return fmt.Errorf("%w: player %d left with unanswered inputs", errUnusable, i)
	}
	p.away = true
	p.Close(r.now())
	r.addUnanswered(i, stepLeave)
	return nil
}

// enter makes a player join again before the next tick. If that takes longer, the match is
// unusable.
func (r *originalRun) enter(i int, tick int32) error {
	p := r.players[i]
	p.away, p.entered, p.joinedAtNumSeen, p.pending = false, false, len(p.seen), nil
	r.bots[i].spectating, r.bots[i].planEnd = false, 0
	r.addUnanswered(i, stepEnter)
	if err := p.Dial(r.now()); err != nil {
		return err
	}
	for !p.entered {
		select {
		case d := <-r.received:
			r.players[d.player].Feed(r.now(), d.payload)
		case <-time.After(time.Second):
			return fmt.Errorf("%w: player %d cannot join again", errUnusable, i)
		}
		if _, now := r.players[0].NewestSnapshot(); now != tick {
			return fmt.Errorf("%w: player %d needed more than a tick to join", errUnusable, i)
		}
	}
	return nil
}

// setTicks finds the ticks of the steps that the server did not answer. A player enters between two
// answered steps. The server drops a leaving player in the next pass of its loop: first it reads
// all datagrams that came with the CLOSE, then it runs a tick if one is due, and then it drops the
// player.
func (r *originalRun) setTicks() error {
	steps := r.match.Steps
	for i := range steps {
		st := &steps[i]
		if st.Kind == stepSend {
			continue
		}
		if i == 0 || i+1 == len(steps) {
			return fmt.Errorf("%w: player %d entered or left at the first or last step", errUnusable, st.Player)
		}
		before, after := steps[i-1].Tick, steps[i+1].Tick
		st.Tick = before
		if st.Kind == stepLeave {
			st.Tick = r.dropTick(st.Player, before)
		} else if after != before {
			return fmt.Errorf("%w: player %d entered at an uncertain time", errUnusable, st.Player)
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return int(a.Tick - b.Tick) })
	return nil
}

// dropTick returns the tick after which the first player got the message that another one left. It
// looks at ticks from the given one on.
func (r *originalRun) dropTick(player int, from int32) int32 {
	last := from
	for _, o := range r.players[0].since(r.match, from) {
		for _, m := range o.messages {
			var drop msg7.SvClientDrop
			var u packer.Unpacker
			u.Reset([]byte(m))
			if msg7.ID(u.Int()) == msg7.IDSvClientDrop && drop.Unpack(&u) == nil && int(drop.ClientID) == player {
				return last
			}
		}
		last = o.tick
	}
	return last
}
