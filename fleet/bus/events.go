package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server"
)

// maxEvents is how many events of a game wait at most to be sent.
const maxEvents = 1024

// isPublic reports whether an event may leave the server: all players see it, and it has no
// addresses. Whispers and the chat of teams stay.
func isPublic(e event.Event) bool {
	switch e := e.(type) {
	case event.Chat:
		return e.Mode == game.ChatAll
	case event.Kill, event.Joined, event.Left, event.TeamChange, event.RaceFinish, event.DDRaceTeam, event.MapChange, event.Notice,
		event.VoteStart, event.VoteEnd:
		return true
	}
	return false
}

// timed is an event that waits to be sent.
type timed struct {
	at    time.Time
	event event.Event
}

// eventFeed sends the events of a game to the fleet.
type eventFeed struct {
	m       *Member
	waiting chan timed

	sent, dropped atomic.Uint64
}

// ObserveTick implements server.Observer. It never waits: without a connection, or if the queue is
// full, events are dropped and counted.
func (m *Member) ObserveTick(t *server.Tick) {
	for _, e := range t.Events {
		if !isPublic(e) {
			continue
		}
		select {
		case m.events.waiting <- timed{time.Now(), e}:
		default:
			m.events.dropped.Add(1)
		}
	}
}

// Event is an event of a server in the stream.
type Event struct {
	Server string `json:"server"`
	// Time is ms since 1970 by the server's clock.
	Time int64  `json:"time"`
	Type string `json:"type"` // see package event
	// Event is the event as package event describes it.
	Event json.RawMessage `json:"event"`
}

// send sends events until ctx ends.
func (f *eventFeed) send(ctx context.Context) {
	for {
		select {
		case e := <-f.waiting:
			if err := f.publish(e); err != nil {
				f.dropped.Add(1)
			} else {
				f.sent.Add(1)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (f *eventFeed) publish(e timed) error {
	body, err := json.Marshal(e.event)
	if err != nil {
		return err
	}
	kind := event.Name(e.event)
	b, err := json.Marshal(Event{Server: f.m.cfg.ID, Time: e.at.UnixMilli(), Type: kind, Event: body})
	if err != nil {
		return err
	}
	return f.m.nc.Publish(f.m.fleet.event(f.m.cfg.ID, kind), b)
}

// Events calls each for the events of servers from some time on, until ctx ends. An empty id or
// kind stands for all of them.
func (o *Operator) Events(ctx context.Context, from time.Time, id, kind string, each func(Event)) error {
	if id == "" {
		id = "*"
	}
	if kind == "" {
		kind = "*"
	}
	msgs := make(chan *nats.Msg, maxEvents)
	sub, err := o.js.Subscribe(o.fleet.event(id, kind), func(m *nats.Msg) {
		select {
		case msgs <- m:
		case <-ctx.Done():
		}
	}, nats.BindStream(o.fleet.events()), nats.OrderedConsumer(), nats.StartTime(from))
	if err != nil {
		return fmt.Errorf("the events: %w", o.explain(err))
	}
	defer sub.Unsubscribe()
	for {
		select {
		case m := <-msgs:
			var e Event
			words := strings.Split(m.Subject, ".")
			if json.Unmarshal(m.Data, &e) != nil || len(words) != 4 {
				continue
			}
			e.Server, e.Type = words[2], words[3] // NATS checks these
			each(e)
		case err := <-o.denied:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}
