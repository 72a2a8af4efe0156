package admin

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/web/admin/internal/api"
)

const (
	// copyInterval is the time between two copies of the server's state.
	copyInterval = time.Second
	maxVisits    = 1000
	// Samples of seconds are kept for 10 minutes, samples of minutes for a day.
	maxSamples = 600
	maxMinutes = 1440
	// maxEvents limits the events that wait for the goroutine that formats them.
	maxEvents = 1024
)

// state is the console's copy of the server's state. The server's goroutine writes it.
type state struct {
	// Used only by the server's goroutine.
	copiedAt time.Time
	last     server.Status // for differences
	longest  time.Duration // of the ticks since the last copy
	spare    server.Status
	left     [game.MaxPlayers]string // reasons of the clients that left since the last copy

	mu      sync.Mutex
	name    string
	clients []server.Client
	at      time.Time // of clients
	current [game.MaxPlayers]*visit
	visits  []*visit // oldest first
	samples ring
	minutes ring
	minute  []api.Sample // of the current minute
	fresh   bool         // since the last publish
	events  []event.Event
	lost    int // events that were dropped because the queue was full
}

// visit is a Visit.
type visit struct {
	api.Visit
	age time.Duration // age of the connection when last seen
}

// ring holds the last samples.
type ring struct {
	size    int
	samples []api.Sample
}

func (r *ring) add(s api.Sample) {
	if len(r.samples) >= r.size {
		r.samples = append(r.samples[:0], r.samples[len(r.samples)-r.size+1:]...)
	}
	r.samples = append(r.samples, s)
}

func (s *state) init(c *Console) {
	s.samples.size, s.minutes.size = maxSamples, maxMinutes
	s.copiedAt = c.started.Add(-copyInterval)
}

// ObserveTick implements [server.Observer]. Once a second, and when a client connects, it copies
// the list of clients.
func (c *Console) ObserveTick(t *server.Tick) {
	s, now := &c.state, c.cfg.Now()
	hasEvents, came := c.hub.wantsEvents(), false
	s.longest = max(s.longest, t.Before())
	for _, e := range t.Events {
		switch e := e.(type) {
		case event.Joined:
			came = came || !e.Known
		case event.Left:
			if id := e.Player.ID; id >= 0 && id < game.MaxPlayers {
				s.left[id] = e.Reason
			}
		}
	}
	due := now.Sub(s.copiedAt) >= copyInterval
	if !due && !came && !(hasEvents && len(t.Events) > 0) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if hasEvents {
		for _, e := range t.Events {
			if len(s.events) >= maxEvents {
				s.lost++
				continue
			}
			s.events = append(s.events, e)
		}
	}
	if due || came {
		s.clients, s.at = t.Clients(s.clients[:0]), now
		s.noteVisits(now)
	}
	if due {
		span := now.Sub(s.copiedAt)
		s.copiedAt = now
		t.Status(&s.spare)
		s.name = s.spare.Info.Name
		s.addSample(now, span)
	}
	s.fresh = s.fresh || due || came
	c.wakePump()
}

// noteVisits compares the current clients with the previous ones.
func (s *state) noteVisits(now time.Time) {
	var there [game.MaxPlayers]bool
	for i := range s.clients {
		cl := &s.clients[i]
		if cl.State == server.ClientBot || cl.State == server.ClientConnecting {
			continue
		}
		there[cl.ID] = true
		v := s.current[cl.ID]
		if v != nil && (v.Address != cl.Addr.String() || cl.Connected < v.age && cl.State == server.ClientInGame) {
			s.endVisit(cl.ID, now) // another client has the slot
			v = nil
		}
		if v == nil {
			v = &visit{Visit: api.Visit{Address: cl.Addr.String(), Version: cl.Version, From: now.Add(-cl.Connected).UTC()}}
			if s.visits = append(s.visits, v); len(s.visits) > maxVisits {
				s.visits = slices.Delete(s.visits, 0, maxVisits/10)
			}
			s.current[cl.ID] = v
		}
		v.Name, v.Clan, v.age = cl.Name, cl.Clan, cl.Connected
	}
	for id := range s.current {
		if s.current[id] != nil && !there[id] {
			s.endVisit(game.PlayerID(id), now)
		}
	}
	clear(s.left[:])
}

func (s *state) endVisit(id game.PlayerID, now time.Time) {
	v := s.current[id]
	v.Until, v.Reason = now.UTC(), s.left[id]
	s.current[id] = nil
}

// addSample adds a sample of the server since the last copy. The new status is in spare.
func (s *state) addSample(now time.Time, span time.Duration) {
	is, was := &s.spare, &s.last
	sample := api.Sample{Time: now.UTC().Truncate(time.Millisecond), Bots: is.Bots}
	for i := range is.Info.Clients {
		if !is.Info.Clients[i].Bot {
			sample.Players++
		}
	}
	ticks := uint64(0)
	for i, n := range is.TickTimes.Counts {
		ticks += n - was.TickTimes.Counts[i]
	}
	sample.TickMax = float64(s.longest) / float64(time.Millisecond)
	s.longest = 0
	if ticks > 0 {
		sample.Tick = float64(is.TickTimes.Sum-was.TickTimes.Sum) / float64(ticks) / float64(time.Millisecond)
	}
	if seconds := span.Seconds(); seconds > 0 {
		sample.Received = float64(is.Network.ReceivedBytes-was.Network.ReceivedBytes) / seconds
		sample.Sent = float64(is.Network.SentBytes-was.Network.SentBytes) / seconds
	}
	s.last, s.spare = s.spare, s.last
	round(&sample)
	s.samples.add(sample)
	if s.minute = append(s.minute, sample); now.Sub(s.minute[0].Time) >= time.Minute-copyInterval {
		s.minutes.add(mean(s.minute))
		s.minute = s.minute[:0]
	}
}

// mean returns the mean of samples, with the maximum of tick times and player counts.
func mean(samples []api.Sample) api.Sample {
	m := api.Sample{Time: samples[0].Time}
	n := float64(len(samples))
	for _, s := range samples {
		m.Tick += s.Tick / n
		m.Received += s.Received / n
		m.Sent += s.Sent / n
		m.TickMax, m.Players, m.Bots = max(m.TickMax, s.TickMax), max(m.Players, s.Players), max(m.Bots, s.Bots)
	}
	round(&m)
	return m
}

// round removes the digits of a sample that are too small to matter.
func round(s *api.Sample) {
	s.Tick, s.TickMax = math.Round(s.Tick*1e4)/1e4, math.Round(s.TickMax*1e4)/1e4
	s.Received, s.Sent = math.Round(s.Received), math.Round(s.Sent)
}

// players returns the players, with or without their addresses.
func (s *state) players(addresses bool) []api.Player {
	list := make([]api.Player, 0, len(s.clients))
	for i := range s.clients {
		cl := &s.clients[i]
		p := api.Player{
			ID: int(cl.ID), State: string(cl.State), Name: cl.Name, Clan: cl.Clan, Country: int(cl.Country), Team: cl.Team,
			Score: int(cl.Score), Latency: int(cl.Latency), Version: cl.Version, MutedFor: int((cl.Muted + time.Second - 1) / time.Second),
		}
		if cl.State != server.ClientBot {
			p.Since = s.at.Add(-cl.Connected).UTC().Truncate(time.Second)
			if v := s.current[cl.ID]; v != nil { // constant for a visit
				p.Since = v.From.Truncate(time.Second)
			}
			if addresses {
				p.Address = cl.Addr.String()
			}
		}
		if cl.Operator {
			p.Level = cl.Level.String()
		}
		list = append(list, p)
	}
	return list
}
