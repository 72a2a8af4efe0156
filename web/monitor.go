package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"runtime"
	runtimemetrics "runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/internal/metrics"
	"github.com/teeyard/teeyard/internal/webpage"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/transport"
)

const (
	// statusInterval is the time between two copies of the server's state.
	statusInterval = time.Second
	// pageAge is the additional age that a page may have.
	pageAge = time.Second
	// stallTime is the time without a tick after which a server is unhealthy. A server without
	// players runs its ticks every half second.
	stallTime = 5 * time.Second
)

// Monitor watches a server and serves its state. It implements [server.Observer].
type Monitor struct {
	settings *Settings
	started  time.Time
	now      func() time.Time
	lastTick atomic.Int64 // ns after started
	draining atomic.Bool
	copiedAt int64 // used by the server's goroutine only

	seed maphash.Seed // of Gist

	mu     sync.Mutex
	status server.Status
	copied bool

	values   []Value
	problems []func() error
	warnings []func() error
}

// Value is an additional value in /metrics and /status.json.
type Value struct {
	// Name is the name in /status.json. In /metrics it has the prefix teeyard_.
	Name string
	Kind metrics.Kind
	Help string
	// Read returns the value. Any goroutine may call it.
	Read func() float64
}

// Add adds values. Call it before the rooms are served.
func (m *Monitor) Add(values ...Value) { m.values = append(m.values, values...) }

// AddProblem adds a check for /readyz. It returns an error while something is not as configured.
// Any goroutine may call the check. Call AddProblem before the rooms are served.
func (m *Monitor) AddProblem(problem func() error) { m.problems = append(m.problems, problem) }

// AddWarning adds a check for [Monitor.Warnings]. It returns an error while a service outside of
// the server is away. Any goroutine may call the check. Call AddWarning before the rooms are
// served.
func (m *Monitor) AddWarning(warning func() error) { m.warnings = append(m.warnings, warning) }

// NewMonitor returns a monitor whose rooms follow the settings.
func NewMonitor(settings *Settings) *Monitor { return newMonitor(settings, time.Now) }

func newMonitor(settings *Settings, now func() time.Time) *Monitor {
	return &Monitor{settings: settings, started: now(), now: now, copiedAt: -int64(statusInterval), seed: maphash.MakeSeed()}
}

// ObserveTick implements [server.Observer]. It copies the server's state once a second, or a tick
// later if the last copy is being read.
func (m *Monitor) ObserveTick(t *server.Tick) {
	now := int64(m.now().Sub(m.started))
	m.lastTick.Store(now)
	// A request to /readyz right after a drain must already see it.
	m.draining.Store(t.Draining())
	if now-m.copiedAt < int64(statusInterval) || !m.mu.TryLock() {
		return
	}
	t.Status(&m.status)
	m.copied = true
	m.mu.Unlock()
	m.copiedAt = now
}

// Alive returns nil if the server's ticks run, otherwise an error with the time since when they do
// not.
func (m *Monitor) Alive() error {
	if silent := m.now().Sub(m.started) - time.Duration(m.lastTick.Load()); silent > stallTime {
		return fmt.Errorf("no tick for %v", silent.Round(time.Second))
	}
	return nil
}

// Ready returns nil if players can join and find the configured game. Otherwise it returns an error
// with one problem per line.
func (m *Monitor) Ready() error {
	err := m.Alive()
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.copied {
		return errors.Join(err, errors.New("the server is starting"))
	}
	if m.draining.Load() {
		err = errors.Join(err, errors.New("the server is draining and accepts no new players"))
	}
	for _, p := range m.status.Problems {
		err = errors.Join(err, errors.New(p))
	}
	for _, problem := range m.problems {
		err = errors.Join(err, problem())
	}
	return err
}

// Last calls use with the last copy of the server's state, which is valid only during the call.
// Before the first copy, it does not call use.
func (m *Monitor) Last(use func(*server.Status)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.copied {
		use(&m.status)
	}
}

// Warnings returns what operators should look at although players miss nothing, such as a database
// of many servers that is away. Then no server of a fleet may be taken out of service.
func (m *Monitor) Warnings() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	warnings := slices.Clone(m.status.Warnings)
	for _, warning := range m.warnings {
		if err := warning(); err != nil {
			warnings = append(warnings, err.Error())
		}
	}
	return warnings
}

// Rooms returns the monitor's URLs: /healthz, /readyz, /status.json, /metrics and /debug/pprof/.
func (m *Monitor) Rooms() []Room {
	page := func(write func(io.Writer), header map[string]string) http.Handler {
		return &webpage.Page{Write: write, MaxAge: pageAge, Header: header, Now: m.now}
	}
	s := m.settings
	return []Room{
		{Pattern: "GET /healthz", Handler: check(m.Alive, nil)},
		{Pattern: "GET /readyz", Handler: check(m.Ready, m.Warnings)},
		{Pattern: "GET /status.json", Access: &s.status.Rule, Setting: "sv_http_status", Handler: page(m.writeStatus, map[string]string{
			"Content-Type": "application/json", "Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=1", // as server browsers show
		})},
		{Pattern: "GET /metrics", Access: &s.metrics.Rule, Setting: "sv_http_metrics", Handler: page(m.writeMetrics, map[string]string{
			"Content-Type": metrics.ContentType, "Cache-Control": "no-store", // a client may have proven to be local
		})},
		{Pattern: "GET /debug/pprof", Handler: Redirect("pprof/")},
		{Pattern: "GET /debug/pprof/{profile...}", Access: &s.pprof.Rule, Setting: "sv_http_pprof", Handler: http.HandlerFunc(serveProfile)},
	}
}

// check serves "ok", or the error with status 503, and then the warnings.
func check(f func() error, warnings func() []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		text := "ok\n"
		err := f()
		if err != nil {
			text = err.Error() + "\n"
		}
		if warnings != nil {
			for _, warning := range warnings() {
				text += "warning: " + warning + "\n"
			}
		}
		if err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		io.WriteString(w, text)
	})
}

// status is the content of /status.json. Info has the format that servers send to DDNet's masters,
// so programs that read the masters' lists can read it.
type status struct {
	Program  string            `json:"program"`
	Uptime   int64             `json:"uptime"` // s
	Draining bool              `json:"draining"`
	Bots     int               `json:"bots"`
	Clients  map[string]uint64 `json:"clients_by_version"`
	Values   map[string]int64  `json:"values,omitempty"`
	Info     json.RawMessage   `json:"info"`
}

// StatusJSON returns the content of /status.json. Before the first tick it has no map.
func (m *Monitor) StatusJSON() []byte {
	var b bytes.Buffer
	m.writeStatus(&b)
	return b.Bytes()
}

// Gist returns a number that changes when the server drains, and with its map, game type and
// clients. It costs much less than StatusJSON.
func (m *Monitor) Gist() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	var h maphash.Hash
	h.SetSeed(m.seed)
	text := func(s string) {
		h.WriteString(s)
		h.WriteByte(0)
	}
	i := &m.status.Info
	text(strconv.FormatBool(m.status.Draining))
	text(i.Map)
	text(i.GameType)
	for c := range i.Clients {
		if c := &i.Clients[c]; !c.Bot {
			text(strconv.FormatBool(c.Spectator))
			text(c.Name)
		}
	}
	return h.Sum64()
}

// writeStatus writes /status.json.
func (m *Monitor) writeStatus(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &m.status
	values := make(map[string]int64, len(m.values))
	for _, v := range m.values {
		values[v.Name] = int64(v.Read())
	}
	json.NewEncoder(w).Encode(status{
		Program: server.Program(), Uptime: int64(m.now().Sub(m.started) / time.Second), Draining: s.Draining,
		Bots: s.Bots, Clients: byName(s.Connected), Values: values, Info: query.AppendJSON(nil, &s.Info),
	})
}

// byName returns counts as a map.
func byName(counts []server.Count) map[string]uint64 {
	m := make(map[string]uint64, len(counts))
	for _, c := range counts {
		m[c.Name] = c.N
	}
	return m
}

// writeMetrics writes /metrics.
func (m *Monitor) writeMetrics(to io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, i := &m.status, &m.status.Info
	w := metrics.NewWriter(to, "teeyard_")
	w.Info(
		"info",
		"Version of the server, its map and its game type.",
		"version",
		strings.TrimPrefix(server.Program(), "teeyard "),
		"go",
		runtime.Version(),
		"map",
		i.Map,
		"gametype",
		i.GameType,
	)
	players, spectators := 0, 0
	for c := range i.Clients {
		switch c := &i.Clients[c]; {
		case c.Bot:
		case c.Spectator:
			spectators++
		default:
			players++
		}
	}
	w.Value("players", metrics.Gauge, "Players in the game, without bots.", float64(players))
	w.Value("spectators", metrics.Gauge, "Clients that watch or are joining.", float64(spectators))
	w.Value("bots", metrics.Gauge, "Bots of the server in the game.", float64(s.Bots))
	w.Value("player_slots", metrics.Gauge, "Maximum number of players and bots in the game.", float64(i.MaxPlayers))
	w.Value("client_slots", metrics.Gauge, "Maximum number of connected clients.", float64(i.MaxClients))
	w.Labelled("clients", metrics.Gauge, "Connected clients, by protocol version.", "version", byName(s.Connected))
	w.Labelled("joins_total", metrics.Counter, "Clients that entered the game, by protocol version.", "version", byName(s.Joined))
	bounds := make([]float64, 0, len(s.TickTimes.Counts))
	for _, b := range server.TickTimeBounds() {
		bounds = append(bounds, b.Seconds())
	}
	ticks := func(name, help string, t *server.TickTimes) {
		w.Histogram(name, help, bounds, t.Counts[:], t.Sum.Seconds())
	}
	ticks("tick_seconds", "Duration of a tick, including snapshots and sending. Ticks are 0.02 s apart.", &s.TickTimes)
	if s.TickCPU.Sum > 0 { // the system has such a clock
		ticks("tick_cpu_seconds", "Processor time of a tick, which other programs on the machine do not change.", &s.TickCPU)
	}
	w.Labelled("dropped_total", metrics.Counter, "Received datagrams and messages without effect, and skipped ticks.", "reason", byName(s.Drops))
	lost := make(map[string]uint64, len(s.Network.Dropped))
	for reason, n := range s.Network.Dropped {
		lost[transport.DropReason(reason).String()] = n
	}
	w.Labelled("network_dropped_total", metrics.Counter, "Datagrams lost between the server and the operating system.", "reason", lost)
	w.Value("received_bytes_total", metrics.Counter, "Bytes of datagrams received.", float64(s.Network.ReceivedBytes))
	w.Value("received_datagrams_total", metrics.Counter, "Datagrams received.", float64(s.Network.Received))
	w.Value("sent_bytes_total", metrics.Counter, "Bytes of datagrams sent.", float64(s.Network.SentBytes))
	w.Value("sent_datagrams_total", metrics.Counter, "Datagrams sent.", float64(s.Network.Sent))
	draining := 0.0
	if s.Draining {
		draining = 1
	}
	w.Value("draining", metrics.Gauge, "1 while the server accepts no new players because it is about to end.", draining)
	for _, v := range m.values {
		w.Value(v.Name, v.Kind, v.Help, v.Read())
	}
	w.Value("memory_bytes", metrics.Gauge, "Memory that the Go runtime has obtained from the system.", memory())
	w.Value("start_time_seconds", metrics.Gauge, "Start time of the server, in Unix time.", float64(m.started.UnixMilli())/1000)
}

// memory returns the memory that Go has obtained from the system, in bytes. Reading it does not
// stop the program.
func memory() float64 {
	sample := []runtimemetrics.Sample{{Name: "/memory/classes/total:bytes"}}
	runtimemetrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}
