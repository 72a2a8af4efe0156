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
	broadcast int
	liveDelay int
	on        atomic.Bool
	delay     atomic.Int64 // ns
}

const defaultDelay = 10 // seconds

// newSettings returns the defaults.
func newSettings() *Settings {
	s := &Settings{broadcast: 1, liveDelay: defaultDelay}
	s.access.Rule.Set(web.Access{Everybody: true})
	s.apply()
	return s
}

func (s *Settings) apply() {
	s.on.Store(s.broadcast != 0)
	s.delay.Store(int64(time.Duration(s.liveDelay) * time.Second))
}

// Register adds the variables to a console and sets them to their defaults.
func (s *Settings) Register(c *console.Console) error {
	for _, v := range []console.IntVar{
		{Name: "sv_broadcast", Help: "Show the match over HTTP to those whom sv_http_broadcast lets in; nobody if that is all and the server has a password", Value: &s.broadcast, Default: 1, Min: 0, Max: 1},
		{Name: "sv_live_delay", Help: "Seconds by which those who watch over HTTP see the match later than the players; at least 60 with sv_strict_spectate_mode or sv_tournament_mode", Value: &s.liveDelay, Default: defaultDelay, Min: 0, Max: 3600},
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
	return nil
}
