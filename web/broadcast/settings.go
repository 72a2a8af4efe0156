package broadcast

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/web"
)

// Settings are the variables of a broadcast.
type Settings struct {
	access    web.AccessSetting
	files     web.AccessSetting
	broadcast int
	liveDelay int
	on        atomic.Bool
	delay     atomic.Int64 // ns
	maxMB     int
	max       atomic.Int64 // bytes
}

const (
	defaultDelay = 10 // seconds
	defaultMax   = 1024
	// maxDelay is the longest delay.
	maxDelay = time.Hour
)

// newSettings returns the defaults.
func newSettings() *Settings {
	s := &Settings{broadcast: 1, liveDelay: defaultDelay, maxMB: defaultMax}
	s.access.Rule.Set(web.Access{Everybody: true})
	s.apply()
	return s
}

func (s *Settings) apply() {
	s.on.Store(s.broadcast != 0)
	s.max.Store(int64(s.maxMB) << 20)
	s.delay.Store(int64(time.Duration(s.liveDelay) * time.Second))
}

// maxBytes returns the limit for matches on disk.
func (s *Settings) maxBytes() int64 { return s.max.Load() }

// Register adds the variables to a console and sets their defaults.
func (s *Settings) Register(c *console.Console) error {
	for _, v := range []console.IntVar{
		{Name: "sv_broadcast", Help: "Show the match over HTTP, as sv_http_broadcast allows; while the server has a password, only to networks that it names",
			Value: &s.broadcast, Default: 1, Min: 0, Max: 1},
		{Name: "sv_live_delay", Help: "Seconds by which viewers over HTTP see the match later than the players; at least 60 with " +
			"sv_strict_spectate_mode or sv_tournament_mode", Value: &s.liveDelay, Default: defaultDelay, Min: 0, Max: int(maxDelay / time.Second)},
		{Name: "sv_broadcast_max_mb", Help: "Megabytes of ended matches to keep on disk for viewers; the server deletes the oldest (0 = keep none)",
			Value: &s.maxMB, Default: defaultMax, Min: 0, Max: 1 << 20},
	} {
		v.Flags = console.Server | console.Save
		if err := c.RegisterInt(v); err != nil {
			return fmt.Errorf("broadcast: %w", err)
		}
		if err := c.After(v.Name, func(*console.Call) { s.apply() }); err != nil {
			return fmt.Errorf("broadcast: %w", err)
		}
	}
	s.apply()
	if err := s.access.Register(c, "sv_http_broadcast", "/live.json and the broadcast of matches", "all"); err != nil {
		return fmt.Errorf("broadcast: %w", err)
	}
	if err := s.files.RegisterWithHelp(c, "sv_http_replays", "Clients that may watch the recordings in demos and replays over HTTP, also of matches "+
		"with a password (all, off, or a list such as local,10.0.0.0/8; local needs the key of http.key)", "local"); err != nil {
		return fmt.Errorf("broadcast: %w", err)
	}
	return nil
}

// RecordingsAccess returns the access rule for the server's recorded files.
func (s *Settings) RecordingsAccess() *web.AccessRule { return &s.files.Rule }
