package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/teeyard/teeyard/fleet/bans"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/web"
)

// Bus connects a server with the other servers of its fleet. It never keeps the game waiting.
type Bus interface {
	server.Observer
	// Audit receives the entries of server.Config.Audit.
	Audit(entry []byte)
	// Run serves the fleet until ctx ends. The connection may come and go meanwhile.
	Run(ctx context.Context)
	// Away returns an error while there is no connection.
	Away() error
	// Values returns values for /metrics.
	Values() []web.Value
}

// BusConfig describes a server to its bus.
type BusConfig struct {
	URL         string // nats://HOST:PORT or tls://HOST:PORT; several are separated by commas
	Credentials string // path of a file, "" for none
	Fleet       string // name of the fleet
	ID          string // name of the server in the fleet
	Tags        []string
	Port        uint16 // of the game
	Bans        *bans.Shared
	BansFrom    string // sv_fleet_bans
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

// fleetSettings are the settings of a server in a fleet.
type fleetSettings struct {
	open func(BusConfig) (Bus, error) // nil if the program has no bus
	bus  Bus                          // nil while there is none

	url, credentials string
	fleet, id, tags  string
	bans             string
}

func (f *fleetSettings) register(c *console.Console) error {
	names := []string{}
	for _, v := range []console.StringVar{
		{Name: "sv_nats", Help: "NATS servers that connect the servers of a fleet (teeyard-fleet), such as nats://HOST:4222; used when the server starts",
			Value: &f.url, Size: 1024, Flags: console.Secret}, // may contain a password
		{Name: "sv_nats_creds", Help: "File with the credentials for NATS: a .creds file or the seed of an nkey; used when the server starts",
			Value: &f.credentials, Size: 512},
		{Name: "sv_fleet", Help: "Name of the fleet; used when the server starts", Value: &f.fleet, Default: "fleet", Size: 33},
		{Name: "sv_fleet_id", Help: "Name of the server in the fleet, by default HOSTNAME-PORT; used when the server starts", Value: &f.id, Size: 65},
		{Name: "sv_fleet_tags", Help: "Groups of the server in the fleet for teeyard-fleet run --on, separated by commas; used when the server starts",
			Value: &f.tags, Size: 256},
		{Name: "sv_fleet_bans", Help: "Whose bans count here: off (bans are not shared), from-operators or all; used when the server starts",
			Value: &f.bans, Default: "all", Size: 32},
	} {
		v.Flags |= console.Server
		if err := c.RegisterString(v); err != nil {
			return err
		}
		names = append(names, v.Name)
	}
	return c.UsedAtStart(names...)
}

// ObserveTick implements server.Observer.
func (f *fleetSettings) ObserveTick(t *server.Tick) {
	if f.bus != nil {
		f.bus.ObserveTick(t)
	}
}

// audit implements server.Config.Audit.
func (f *fleetSettings) audit(entry []byte) {
	if f.bus != nil {
		f.bus.Audit(entry)
	}
}

// connect connects a server with its fleet, if there is one, until end is called.
func (f *fleetSettings) connect(s *server.Server, banned *bans.Shared, monitor *web.Monitor, log *slog.Logger) (end func()) {
	log = log.With(logline.SystemKey, "fleet")
	switch {
	case f.url == "":
		return func() {}
	case f.open == nil:
		log.Warn("sv_nats: the server joins no fleet, since this program has no bus; run teeyard-fleet instead")
		return func() {}
	}
	port := s.Addr().Port()
	id := f.id
	if id == "" {
		id = defaultFleetID(port)
	}
	bus, err := f.open(BusConfig{
		URL: f.url, Credentials: f.credentials, Fleet: f.fleet, ID: id, Tags: console.SplitNames(f.tags), Port: port,
		Bans: banned, BansFrom: f.bans,
		Status: monitor.StatusJSON,
		Gist:   monitor.Gist,
		Run: func(ctx context.Context, level console.Level, operator, line string, print, done func(string)) error {
			o := server.Operator{Via: "nats", Level: level, Name: operator}
			return s.Do(ctx, func() { s.RunFor(&o, line, print, done) })
		},
		Log: reportTo(log, "fleet"),
	})
	if err != nil {
		log.Warn(fmt.Sprintf("the server joins no fleet: %v", err))
		return func() {}
	}
	f.bus = bus
	monitor.Add(bus.Values()...)
	monitor.AddWarning(bus.Away)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		bus.Run(ctx)
	}()
	return func() {
		stop()
		<-done
	}
}

// defaultFleetID returns HOSTNAME-PORT without the characters that names in a fleet cannot have.
func defaultFleetID(port uint16) string {
	host, err := os.Hostname()
	if err != nil {
		host = "server"
	}
	host = strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, host)
	return fmt.Sprintf("%.57s-%d", host, port)
}
