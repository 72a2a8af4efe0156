package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server"
)

const (
	// eventSize is about the size of an event that waits, in bytes.
	eventSize = 512
	// lateChat is the age of the oldest chat that is sent. Nobody wants to read older chat at last.
	lateChat = 10 * time.Second
	// followed is how many messages of a stream wait for an operator's program.
	followed = 256
)

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

// ObserveTick implements server.Observer. It never waits: if too many events wait already, more are
// dropped and counted.
func (m *Member) ObserveTick(t *server.Tick) {
	for _, e := range t.Events {
		if isPublic(e) {
			m.events.add(m.newEvent(time.Now(), e))
		}
	}
}

// newEvent returns the letter of an event.
func (m *Member) newEvent(now time.Time, e event.Event) *letter {
	l := &letter{size: eventSize, write: func() (string, []byte, error) {
		body, err := json.Marshal(e)
		if err != nil {
			return "", nil, err
		}
		kind := event.Name(e)
		b, err := json.Marshal(Event{Server: m.cfg.ID, Time: now.UnixMilli(), Type: kind, Event: body})
		return m.fleet.event(m.cfg.ID, kind), b, err
	}}
	switch e.(type) {
	case event.Chat, event.Notice:
		l.expires = now.Add(lateChat)
	}
	return l
}

// Event is an event of a server in the stream.
type Event struct {
	Server string `json:"server"`
	// ID is the same if an event is in the stream twice, since NATS was away for some minutes.
	ID string `json:"id,omitempty"`
	// Time is ms since 1970 by the server's clock.
	Time int64  `json:"time"`
	Type string `json:"type"` // see package event
	// Event is the event as package event describes it.
	Event json.RawMessage `json:"event"`
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
	return o.follow(ctx, o.fleet.events(), o.fleet.event(id, kind), from, func(m *nats.Msg) {
		var e Event
		words := strings.Split(m.Subject, ".")
		if json.Unmarshal(m.Data, &e) != nil || len(words) != 4 {
			return
		}
		e.Server, e.Type = words[2], words[3] // NATS checks these
		e.ID = m.Header.Get(nats.MsgIdHdr)
		each(e)
	})
}

// follow calls each for the messages of a stream from some time on, until ctx ends.
func (o *Operator) follow(ctx context.Context, stream, subject string, from time.Time, each func(*nats.Msg)) error {
	msgs := make(chan *nats.Msg, followed)
	sub, err := o.js.Subscribe(subject, func(m *nats.Msg) {
		select {
		case msgs <- m:
		case <-ctx.Done():
		}
	}, nats.BindStream(stream), nats.OrderedConsumer(), nats.StartTime(from))
	if err != nil {
		return fmt.Errorf("%s: %w", stream, o.explain(err))
	}
	defer sub.Unsubscribe()
	for {
		select {
		case m := <-msgs:
			each(m)
		case err := <-o.denied:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}
