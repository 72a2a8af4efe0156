package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/teeyard/teeyard/fleet/bans"
	"github.com/teeyard/teeyard/internal/metrics"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/web"
)

// prepareTime is the time between two attempts to create what is missing.
const prepareTime = 10 * time.Second

// Config describes a server to its fleet.
type Config struct {
	URL         string // see [Access]
	Credentials string // see [Access]
	Fleet       string
	ID          string
	Tags        []string
	Port        uint16 // of the game
	// Bans are shared with the fleet, unless BansFrom is "off". It is "from-operators" if only
	// operators can ban for this server, or "all".
	Bans     *bans.Shared
	BansFrom string
	// Status returns the content of /status.json.
	Status func() []byte
	// Gist returns a number that differs when others should know the new status at once.
	Gist func() uint64
	// Run begins to run a console line for an operator. It calls print with each line of output,
	// and then done with the first warning, or "". It returns an error if the line cannot run.
	Run func(ctx context.Context, level console.Level, operator, line string, print, done func(string)) error
	// Log logs a line.
	Log func(warning bool, text string)
}

// Member is a server in a fleet.
type Member struct {
	cfg   Config
	fleet fleet
	nc    *nats.Conn
	js    nats.JetStreamContext
	wake  chan struct{} // after a connection

	reporter reporter
	bans     *banFeed // nil if bans are not shared
	console  consoleService
	events   *outbox
	audit    *outbox
	closing  atomic.Bool

	mu   sync.Mutex
	away error // why there is no connection
	told bool  // the log says so
	// up ends with the connection, and down ends it.
	up   context.Context
	down context.CancelFunc

	reconnects, reports, failures atomic.Uint64
}

// Open opens the connection of a server. If NATS is away, the member keeps trying. Call Run to
// serve the fleet.
func Open(cfg Config) (*Member, error) {
	err := errors.Join(CheckName("sv_fleet", cfg.Fleet), CheckName("sv_fleet_id", cfg.ID))
	for _, tag := range cfg.Tags {
		err = errors.Join(err, CheckName("sv_fleet_tags", tag))
	}
	if !slices.Contains([]string{"off", "from-operators", "all"}, cfg.BansFrom) {
		err = errors.Join(err, fmt.Errorf("sv_fleet_bans %q: use off, from-operators or all", cfg.BansFrom))
	}
	access := Access{URL: cfg.URL, Credentials: cfg.Credentials}
	options, accessErr := access.options(cfg.ID)
	if err := errors.Join(err, accessErr); err != nil {
		return nil, err
	}
	m := &Member{cfg: cfg, fleet: fleet(cfg.Fleet), wake: make(chan struct{}, 1), away: errors.New("not connected yet")}
	m.console = consoleService{m: m, running: make(chan struct{}, maxRunning)}
	m.events, m.audit = newOutbox(m, "e"), newOutbox(m, "a")
	m.up, m.down = context.WithCancel(context.Background())
	m.down() // there is no connection yet
	m.reporter = reporter{cfg: &m.cfg, started: time.Now()}
	if cfg.BansFrom != "off" && cfg.Bans != nil {
		m.bans = newBanFeed(m)
	}
	options = append(options, // whose functions may run before Connect returns
		nats.RetryOnFailedConnect(true),
		nats.ConnectHandler(func(*nats.Conn) { m.connected() }),
		nats.ReconnectHandler(func(*nats.Conn) { m.reconnects.Add(1); m.connected() }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { m.disconnected(err) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { m.disconnected(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { m.failed(err) }),
	)
	nc, err := nats.Connect(cfg.URL, options...)
	if err != nil {
		return nil, fmt.Errorf("sv_nats: %w", err)
	}
	m.nc = nc
	if m.js, err = nc.JetStream(nats.MaxWait(ackTime), nats.PublishAsyncTimeout(ackTime)); err != nil {
		return nil, err
	}
	return m, m.console.start()
}

func (m *Member) connected() {
	m.mu.Lock()
	m.away, m.told = nil, false
	m.down()
	m.up, m.down = context.WithCancel(context.Background())
	m.mu.Unlock()
	m.cfg.Log(false, fmt.Sprintf("connected to NATS as %s of the fleet %s", m.cfg.ID, m.cfg.Fleet))
	select {
	case m.wake <- struct{}{}:
	default:
	}
	if m.bans != nil {
		m.bans.connected()
	}
}

// disconnected notes why there is no connection. It logs that once.
func (m *Member) disconnected(err error) {
	if err == nil {
		err = errors.New("the connection is lost")
	}
	m.mu.Lock()
	known := m.told
	m.away, m.told = err, true
	m.down()
	m.mu.Unlock()
	if !known && !m.closing.Load() {
		m.cfg.Log(true, fmt.Sprintf("NATS is away, and the game goes on without it: %v", explain(err)))
	}
}

// line returns a context that ends with the connection: an answer on a lost one never comes.
func (m *Member) line() context.Context {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.up
}

// failed counts an error, and logs it if an operator must act.
func (m *Member) failed(err error) {
	if m.failures.Add(1) == 1 || errors.Is(err, nats.ErrPermissionViolation) {
		m.cfg.Log(true, fmt.Sprintf("NATS: %v", explain(err)))
	}
}

// Away returns an error while there is no connection.
func (m *Member) Away() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.away == nil {
		return nil
	}
	return fmt.Errorf("the bus of the fleet is away: %w", explain(m.away))
}

// Values returns values for /metrics.
func (m *Member) Values() []web.Value {
	counter := func(name, help string, n *atomic.Uint64) web.Value {
		return web.Value{Name: name, Kind: metrics.Counter, Help: help, Read: func() float64 { return float64(n.Load()) }}
	}
	values := []web.Value{
		{Name: "fleet_connected", Kind: metrics.Gauge, Help: "1 while the server is connected to the bus of the fleet.", Read: func() float64 {
			if m.Away() != nil {
				return 0
			}
			return 1
		}},
		counter("fleet_reconnects_total", "Connections to the bus of the fleet after the first one.", &m.reconnects),
		counter("fleet_reports_total", "Reports of the server's state to the fleet.", &m.reports),
		counter("fleet_errors_total", "Errors of the bus of the fleet.", &m.failures),
		counter("fleet_events_total", "Events of the game that the server has sent to the fleet.", &m.events.sent),
		counter("fleet_events_dropped_total", "Events of the game that were lost, since the bus was away or too slow.", &m.events.dropped),
		counter("fleet_audit_total", "Entries of the audit log that the server has sent to the fleet.", &m.audit.sent),
		counter("fleet_audit_dropped_total", "Entries of the audit log that were lost, since the bus was away or too slow.", &m.audit.dropped),
		counter("fleet_commands_total", "Console lines of operators of the fleet.", &m.console.commands),
		counter("fleet_commands_refused_total", "Messages that looked like console lines of operators of the fleet, and did not run.", &m.console.refused),
	}
	if m.bans != nil {
		values = append(values, m.bans.values()...)
	}
	return values
}

// Run serves the fleet until ctx ends. Then it removes the server from the list of running servers
// and closes the connection.
func (m *Member) Run(ctx context.Context) {
	defer func() {
		m.down()
		m.nc.Close()
	}()
	var done sync.WaitGroup
	defer done.Wait()
	done.Go(func() { m.events.run(ctx) })
	done.Go(func() { m.audit.run(ctx) })
	if m.bans != nil {
		done.Go(func() { m.bans.follow(ctx) })
		done.Go(func() { m.bans.send(ctx) })
	}
	ticker := time.NewTicker(presencePause)
	defer ticker.Stop()
	prepared, missing, tried := false, 0, time.Time{}
	for ctx.Err() == nil {
		if m.nc.IsConnected() {
			if !prepared && time.Since(tried) >= prepareTime {
				tried = time.Now()
				err := m.fleet.prepare(m.js)
				prepared = err == nil
				if errors.Is(err, errMissing) {
					missing++
				}
				// The first time, another server may be creating it, or NATS may be slow.
				if errors.Is(err, errMissing) && missing == 2 {
					m.cfg.Log(true, fmt.Sprintf("%v; run teeyard-fleet status once as an administrator, to create what is missing", err))
				} else {
					m.note(err)
				}
			}
			if prepared {
				m.report()
			}
		}
		select {
		case <-m.wake:
			prepared, tried, m.reporter.at = false, time.Time{}, time.Time{}
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
	m.closing.Store(true)
	if kv, err := m.js.KeyValue(m.fleet.servers()); m.nc.IsConnected() && err == nil {
		kv.Delete(m.cfg.ID)
	}
}

// report reports the server's state if that is due.
func (m *Member) report() {
	b, err := m.reporter.due(time.Now(), m.host())
	if err == nil && b != nil {
		_, err = m.js.Publish(subject(m.fleet.servers(), m.cfg.ID), b)
		m.reports.Add(1)
	}
	m.note(err)
}

// note notes the result of a call. Without a connection there is none to note.
func (m *Member) note(err error) {
	if err != nil && m.nc.IsConnected() {
		m.failed(err)
	}
}

// host returns the server's address as NATS sees it.
func (m *Member) host() string {
	ip, err := m.nc.GetClientIP()
	if err != nil {
		return ""
	}
	return ip.String()
}
