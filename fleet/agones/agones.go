// Package agones makes a server a GameServer of Agones, over the REST interface of the sidecar that
// Agones runs beside it.
//
// An [Agent] compares what Agones knows with what it should know, and sends the difference. It
// reads the GameServer every few seconds instead of following the sidecar's stream of changes, so
// that nothing is lost while the sidecar is late, hangs or restarts. What Agones should know:
//
//   - the state Ready when players can join, Allocated while players are there, since Agones ends
//     no such server, and Ready again when it has been empty for a while;
//   - the labels state (open or draining) and map;
//   - the counter and the list players, if the GameServer declares them;
//   - its health, while the ticks of the game go on.
//
// The label or annotation teeyard.dev/drain of the GameServer drains the server.
package agones

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// roundTime is the time between two comparisons, and lookTime the time between two reads of the
	// GameServer.
	roundTime = 500 * time.Millisecond
	lookTime  = 5 * time.Second
	// sendPause is the shortest time between two changes of the same thing. Agones applies a change
	// some time after its answer. A change that is not in force repeatTime later is repeated.
	sendPause  = time.Second
	repeatTime = 5 * time.Second
	// claimTime is the time within which Agones applies an allocation.
	claimTime = 30 * time.Second
	// patience is the time after which trouble is logged. The sidecar may start after the server.
	patience = 10 * time.Second
	// shutdownTime limits the attempts to report the end, and lastTime the wait for SIGTERM after
	// it.
	shutdownTime = 3 * time.Second
	lastTime     = 10 * time.Second
)

// Game is the server. The agent's goroutine calls its methods.
type Game interface {
	// State returns the state of the server, which may be a second old.
	State() State
	// Drain ends the server after the match.
	Drain()
	// SetPort sets the port at which players reach the server.
	SetPort(port int)
}

// State is the state of a server.
type State struct {
	// Alive reports whether the ticks of the game go on.
	Alive bool
	// Ready is nil if players can join, otherwise the reason why not.
	Ready error
	// Draining reports whether the server accepts no new players and is about to end.
	Draining bool
	Map      string
	// Players are the names of the clients without bots, also of those that watch or are
	// connecting. Capacity is the largest number of clients.
	Players  []string
	Capacity int
}

// Config is the configuration of an [Agent].
type Config struct {
	Game Game
	// Port is the port of the sidecar on this machine, the value of AGONES_SDK_HTTP_PORT.
	Port string
	// Empty is the time without players after which an allocated server is Ready again.
	Empty time.Duration
	// Log logs a line.
	Log func(warning bool, text string)
	// Transport sends the requests. The default is a connection to the port.
	Transport http.RoundTripper
}

// Agent tells Agones about a server.
type Agent struct {
	game    Game
	log     func(warning bool, text string)
	sidecar sidecar
	empty   time.Duration

	seen     *gameServer // as read, with the changes since; nil before the first read
	seenAt   time.Time
	healthAt time.Time       // of the last report
	sent     map[string]sent // by the name of a wish
	refused  map[string]bool // names of wishes that the sidecar has refused

	busyAt time.Time // when players were last there
	// ours is the time of the allocation for the players that were there, as Agones writes it. The
	// allocation of a matchmaker has another time. claims is true before the agent has read it.
	ours   *string
	claims bool
	drains bool // the GameServer asks for it
	port   int

	away, unready trouble
}

// sent is the value that was sent last, and when.
type sent struct {
	value string
	at    time.Time
}

// New returns an agent. Call Run to start it.
func New(cfg Config) (*Agent, error) {
	if n, err := strconv.ParseUint(cfg.Port, 10, 16); err != nil || n == 0 {
		return nil, fmt.Errorf("agones: AGONES_SDK_HTTP_PORT: %q is not a port", cfg.Port)
	}
	return &Agent{
		game: cfg.Game, log: cfg.Log, sidecar: newSidecar(cfg.Port, cfg.Transport), empty: cfg.Empty,
		sent: map[string]sent{}, refused: map[string]bool{},
	}, nil
}

// Run follows the server until ctx ends.
func (a *Agent) Run(ctx context.Context) {
	defer a.sidecar.close()
	ticker := time.NewTicker(roundTime)
	defer ticker.Stop()
	for ctx.Err() == nil {
		err := a.round(ctx)
		if ctx.Err() == nil {
			a.noteSidecar(err)
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

// Shutdown tells Agones that the server has ended. Call it after Run. Agones may lose the message
// if the process exits at once, so Shutdown returns when terminated ends, as SIGTERM does, or after
// ten seconds.
func (a *Agent) Shutdown(terminated context.Context) {
	defer a.sidecar.close()
	until := time.Now().Add(lastTime)
	var err error
	for try := time.Now().Add(shutdownTime); ; time.Sleep(roundTime) {
		ctx, cancel := context.WithDeadline(context.Background(), try)
		err = a.sidecar.call(ctx, http.MethodPost, "/shutdown", nothing, nil)
		cancel()
		if err == nil || time.Now().Add(roundTime).After(try) {
			break
		}
	}
	if err != nil {
		a.log(true, fmt.Sprintf("Agones is not told that the server has ended: %v", err))
		return
	}
	ctx, cancel := context.WithDeadline(terminated, until)
	defer cancel()
	for ctx.Err() == nil {
		// An unhealthy GameServer would not shut down, but be replaced.
		a.reportHealth(ctx, true)
		select {
		case <-ctx.Done():
		case <-time.After(roundTime):
		}
	}
}

// round does what is due. Its error is trouble with the sidecar; the next round tries again.
func (a *Agent) round(ctx context.Context) error {
	now, s := time.Now(), a.game.State()
	if len(s.Players) > 0 {
		a.claims, a.busyAt = true, now
	}
	if err := a.reportHealth(ctx, s.Alive); err != nil {
		return err
	}
	var nonsense error // what was seen before is better than nothing
	stale := a.seen == nil || now.Sub(a.seenAt) >= lookTime
	if stale || a.seen.State() != a.state(now, &s) && a.isDue("state") {
		err := a.look(ctx, &s)
		if a.seen == nil || err != nil && !answers(err) {
			return err
		}
		nonsense = err
	}
	a.noteReady(&s)
	for _, w := range a.wishes(now, &s) {
		if err := a.fulfil(ctx, &w); err != nil {
			return err
		}
	}
	return nonsense
}

// reportHealth reports that the server is healthy if that is due.
func (a *Agent) reportHealth(ctx context.Context, alive bool) error {
	period := a.seen.healthPeriod()
	if !alive || period == 0 || time.Since(a.healthAt) < period/2 {
		return nil
	}
	if err := a.sidecar.call(ctx, http.MethodPost, "/health", nothing, nil); err != nil {
		return err
	}
	a.healthAt = time.Now()
	return nil
}

// look reads the GameServer.
func (a *Agent) look(ctx context.Context, s *State) error {
	g, err := a.sidecar.gameServer(ctx)
	if err != nil {
		return err
	}
	first, now := a.seen == nil, time.Now()
	a.seen, a.seenAt = g, now
	if first {
		a.log(false, g.String())
		// Matchmakers allocate only servers that are Ready, so this program did before it
		// restarted.
		a.claims, a.busyAt = g.State() == allocated, now
	}
	switch {
	case a.claims && g.State() == allocated:
		a.ours, a.claims = new(g.allocation()), false
	case now.Sub(a.busyAt) >= claimTime:
		a.claims = false
	}
	if port := g.port(); port != 0 && port != a.port {
		a.port = port
		a.game.SetPort(port)
	}
	reason := g.drainReason()
	if reason != "" && !a.drains && !s.Draining {
		a.log(false, reason+", so the server is drained")
		a.game.Drain()
	}
	a.drains = reason != ""
	return nil
}

// state returns the state that the GameServer should have. Without an opinion it returns the
// present one.
func (a *Agent) state(now time.Time, s *State) string {
	switch present := a.seen.State(); {
	case isFinal(present):
		return present
	case isStarting(present):
		if s.Ready == nil {
			return ready
		}
		return present
	case len(s.Players) > 0:
		return allocated
	case present == allocated && a.isOurs() && !s.Draining && now.Sub(a.busyAt) >= a.empty:
		return ready
	default:
		return present
	}
}

// isOurs reports whether the GameServer is allocated for players that were there.
func (a *Agent) isOurs() bool { return a.claims || a.ours != nil && *a.ours == a.seen.allocation() }

// wish is something that Agones should know.
type wish struct {
	name         string
	have, want   string
	method, path string
	body         any
	optional     bool   // a refusal is final
	done         func() // changes what the agent has seen
}

// wishes returns what Agones should know.
func (a *Agent) wishes(now time.Time, s *State) []wish {
	g := a.seen
	state := a.state(now, s)
	w := []wish{{
		name: "state", have: g.State(), want: state, method: http.MethodPost, path: "/ready", body: nothing,
		done: func() {
			g.Status.State = state
			a.log(false, "the GameServer is "+state)
		},
	}}
	if state == allocated {
		w[0].path = "/allocate"
	}
	open := "open"
	if s.Draining {
		open = "draining"
	}
	w = append(w, label(g, "state", open))
	if s.Map != "" {
		w = append(w, label(g, "map", labelValue(s.Map)))
	}
	capacity := max(len(s.Players), s.Capacity)
	if s.Draining { // an autoscaler must not count its free places
		capacity = len(s.Players)
	}
	if c := g.Status.Counters[players]; c != nil {
		count := counter{number(len(s.Players)), number(capacity)}
		w = append(w, wish{
			name: "counter " + players, have: fmt.Sprint(*c), want: fmt.Sprint(count),
			method: http.MethodPatch, path: "/v1beta1/counters/" + players, body: count, optional: true, done: func() { *c = count },
		})
	}
	if l := g.Status.Lists[players]; l != nil {
		names := append([]string{}, s.Players...) // not nil, which is null in JSON
		slices.Sort(names)
		all := list{number(capacity), slices.Compact(names)}
		w = append(w, wish{
			name: "list " + players, have: l.key(), want: all.key(),
			method: http.MethodPatch, path: "/v1beta1/lists/" + players, body: all, optional: true, done: func() { *l = all },
		})
	}
	return w
}

// label returns the wish for a label of the GameServer.
func label(g *gameServer, key, value string) wish {
	full := "agones.dev/sdk-" + key
	return wish{
		name: "label " + key, have: g.Meta.Labels[full], want: value,
		method: http.MethodPut, path: "/metadata/label", body: map[string]string{"key": key, "value": value}, optional: true,
		done: func() { g.setLabel(full, value) },
	}
}

// isDue reports whether a wish may be sent again.
func (a *Agent) isDue(name string) bool { return time.Since(a.sent[name].at) >= sendPause }

// fulfil sends a wish if Agones does not know it yet.
func (a *Agent) fulfil(ctx context.Context, w *wish) error {
	last := a.sent[w.name]
	pending := last.value == w.want && a.seenAt.Sub(last.at) < repeatTime
	if w.have == w.want || a.refused[w.name] || !a.isDue(w.name) || pending {
		return nil
	}
	err := a.sidecar.call(ctx, w.method, w.path, w.body, nil)
	var status *statusError
	switch {
	case err == nil:
		a.sent[w.name] = sent{w.want, time.Now()}
		w.done()
	case w.optional && errors.As(err, &status) && status.isFinal():
		a.refused[w.name] = true
		a.log(true, fmt.Sprintf("Agones refuses the %s, and is not told it again: %v", w.name, err))
		return nil
	default:
		a.sent[w.name] = sent{"", time.Now()}
	}
	return err
}

// trouble is something that fails again and again.
type trouble struct {
	since  time.Time // 0 for none
	logged bool
}

// note notes a result. It reports whether a failure is to be logged now, or its end.
func (t *trouble) note(failed bool) (log, end bool) {
	switch {
	case !failed:
		end = t.logged
		*t = trouble{}
	case t.since.IsZero():
		t.since = time.Now()
	case !t.logged && time.Since(t.since) >= patience:
		t.logged = true
		return true, false
	}
	return false, end
}

func (a *Agent) noteSidecar(err error) {
	switch log, end := a.away.note(err != nil); {
	case log:
		a.log(true, fmt.Sprintf("Agones does not answer; the game goes on: %v", err))
	case end:
		a.log(false, "Agones answers again")
	}
}

// noteReady logs why a GameServer does not become Ready.
func (a *Agent) noteReady(s *State) {
	if log, _ := a.unready.note(isStarting(a.seen.State()) && s.Ready != nil && !s.Draining); log {
		a.log(true, "the GameServer is not Ready: "+strings.ReplaceAll(s.Ready.Error(), "\n", "; "))
	}
}
