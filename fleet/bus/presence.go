package bus

import (
	"cmp"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// PresenceAge is how long a server that says nothing counts as running.
	PresenceAge = 30 * time.Second
	// presenceTime is the time between two reports of a server to which nothing happens, and
	// presencePause the shortest time between two reports.
	presenceTime  = 10 * time.Second
	presencePause = time.Second
	// MaxSkew is the largest difference between the clocks of a server and of NATS that is no
	// problem.
	MaxSkew = 5 * time.Minute
)

// Presence is what a server reports about itself.
type Presence struct {
	ID      string   `json:"id"`
	Address string   `json:"address"` // HOST:PORT for players, as NATS sees the host
	Tags    []string `json:"tags,omitempty"`
	// Started and Time are ms since 1970 by the server's clock.
	Started int64 `json:"started"`
	Time    int64 `json:"time"`
	// Status is the server's /status.json.
	Status json.RawMessage `json:"status"`
}

// Server is a running server as others see it.
type Server struct {
	Presence
	// Skew is how much the server's clock is ahead of the clock of NATS.
	Skew time.Duration
	Status
}

// Status is the part of /status.json that a fleet uses.
type Status struct {
	Program  string `json:"program"`
	Draining bool   `json:"draining"`
	Bots     int    `json:"bots"`
	Info     struct {
		Name       string `json:"name"`
		GameType   string `json:"game_type"`
		Passworded bool   `json:"passworded"`
		MaxClients int    `json:"max_clients"`
		MaxPlayers int    `json:"max_players"`
		Map        struct {
			Name string `json:"name"`
		} `json:"map"`
		Clients []Client `json:"clients"`
	} `json:"info"`
}

// Client is a client of a server. The list has no bots.
type Client struct {
	Name     string `json:"name"`
	Clan     string `json:"clan"`
	IsPlayer bool   `json:"is_player"`
}

// Version returns the version of the server's program.
func (s *Status) Version() string { return strings.TrimPrefix(s.Program, "teeyard ") }

// reporter reports the state of a server.
type reporter struct {
	cfg     *Config
	started time.Time
	at      time.Time // of the last report, 0 to report at once
	gist    uint64
}

// due returns the report of a server, or nil if none is due.
func (r *reporter) due(now time.Time, host string) ([]byte, error) {
	if now.Sub(r.at) < presencePause {
		return nil, nil
	}
	gist := r.cfg.Gist()
	if gist == r.gist && now.Sub(r.at) < presenceTime {
		return nil, nil
	}
	r.at, r.gist = now, gist
	return json.Marshal(Presence{
		ID: r.cfg.ID, Address: net.JoinHostPort(host, strconv.Itoa(int(r.cfg.Port))), Tags: r.cfg.Tags,
		Started: r.started.UnixMilli(), Time: now.UnixMilli(), Status: r.cfg.Status(),
	})
}

// Servers returns the running servers, sorted by their names.
func (o *Operator) Servers() ([]Server, error) {
	kv, err := o.js.KeyValue(o.fleet.servers())
	if err != nil {
		return nil, o.explain(err)
	}
	w, err := kv.WatchAll(nats.IgnoreDeletes())
	if err != nil {
		return nil, o.explain(err)
	}
	defer w.Stop()
	var all []Server
	for e := range w.Updates() {
		if e == nil {
			slices.SortFunc(all, func(a, b Server) int { return cmp.Compare(a.ID, b.ID) })
			return all, nil
		}
		if s, err := parseServer(e.Value(), e.Created()); err == nil && s.ID == e.Key() {
			all = append(all, s)
		}
	}
	return nil, errors.New("the connection ended")
}

// parseServer parses a report that NATS received at some time.
func parseServer(b []byte, received time.Time) (s Server, err error) {
	if err := json.Unmarshal(b, &s.Presence); err != nil {
		return s, err
	}
	s.Skew = time.UnixMilli(s.Time).Sub(received)
	return s, json.Unmarshal(s.Presence.Status, &s.Status)
}
