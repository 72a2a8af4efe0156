package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/admin/internal/api"
)

const (
	// maxReaders limits the open streams, separately for administrators and moderators, and
	// maxReadersPerPerson the streams of one operator.
	maxReaders          = 16
	maxReadersPerPerson = 6
	// maxWaiting limits the messages that wait for a reader. Further ones are dropped.
	maxWaiting = 256
	// writeTimeout limits how long a reader may take to accept a message.
	writeTimeout = 10 * time.Second
	// pingInterval is the time without messages after which a stream sends a sign of life.
	pingInterval = 15 * time.Second
)

// topics are the topics that a stream can carry.
var topics = []string{"log", "players", "sample", "event"}

// reader is a client that reads the event stream.
type reader struct {
	admin     bool
	addresses bool
	topics    []string
	messages  chan []byte
	lost      atomic.Int64
	who       string
}

// hub passes messages on to readers.
type hub struct {
	mu       sync.Mutex
	readers  []*reader
	events   atomic.Int32 // number of readers of events
	nextLine uint64       // next log line to publish
}

func (h *hub) wantsEvents() bool { return h.events.Load() > 0 }

// join adds a reader, unless there are too many.
func (h *hub) join(r *reader) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	peers, mine := 0, 0
	for _, o := range h.readers {
		if o.admin != r.admin { // the two levels do not compete for places
			continue
		}
		peers++
		if o.who == r.who {
			mine++
		}
	}
	if peers >= maxReaders || mine >= maxReadersPerPerson {
		return false
	}
	h.readers = append(h.readers, r)
	if slices.Contains(r.topics, "event") {
		h.events.Add(1)
	}
	return true
}

func (h *hub) leave(r *reader) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.Index(h.readers, r); i >= 0 {
		h.readers = slices.Delete(h.readers, i, i+1)
		if slices.Contains(r.topics, "event") {
			h.events.Add(-1)
		}
	}
}

// send passes a message to all readers of a topic that may read it. Slow readers lose it.
func (h *hub) send(topic string, message []byte, may func(r *reader) bool) {
	for _, r := range h.readers {
		if !slices.Contains(r.topics, topic) || !may(r) {
			continue
		}
		select {
		case r.messages <- message:
		default:
			r.lost.Add(1)
		}
	}
}

// appendMessage appends a message in the format of an event stream.
func appendMessage(dst []byte, topic, id string, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return dst
	}
	dst = append(append(append(dst, "event: "...), topic...), '\n')
	if id != "" {
		dst = append(append(append(dst, "id: "...), id...), '\n')
	}
	return append(append(append(dst, "data: "...), b...), "\n\n"...)
}

// publish turns new log lines, state and events into messages.
func (c *Console) publish() {
	h, s := &c.hub, &c.state
	h.mu.Lock()
	defer h.mu.Unlock()
	all := func(*reader) bool { return true }
	var lines []api.LogLine
	lines, h.nextLine = c.log.since(nil, h.nextLine, func(*api.LogLine) bool { return len(h.readers) > 0 })
	for i := range lines {
		l := &lines[i]
		h.send("log", appendMessage(nil, "log", strconv.FormatUint(l.Seq, 10), l), func(r *reader) bool { return mayRead(l, r.admin) })
	}
	s.mu.Lock()
	events, lost, fresh := s.events, s.lost, s.fresh
	s.events, s.lost, s.fresh = nil, 0, false
	var players [2][]api.Player
	var sample api.Sample
	if fresh && len(h.readers) > 0 {
		players = [2][]api.Player{s.players(false), s.players(true)}
		if n := len(s.samples.samples); n > 0 {
			sample = s.samples.samples[n-1]
		}
	}
	s.mu.Unlock()
	for _, e := range events {
		private := isPrivate(e)
		h.send("event", appendMessage(nil, "event", "", api.GameEvent{Event: event.Name(e), About: e}), func(r *reader) bool { return r.admin || !private })
	}
	for _, r := range h.readers {
		r.lost.Add(int64(lost))
	}
	if fresh && len(h.readers) > 0 {
		for i, list := range players {
			h.send("players", appendMessage(nil, "players", "", api.Players{Players: list}), func(r *reader) bool { return r.addresses == (i == 1) })
		}
		h.send("sample", appendMessage(nil, "sample", "", sample), all)
	}
}

// isPrivate reports whether only some players may see an event.
func isPrivate(e event.Event) bool {
	switch e := e.(type) {
	case event.Chat:
		return e.Mode != game.ChatAll
	case event.RconLogin, event.RconLine, event.RconAuth:
		return true
	}
	return false
}

// stream serves the event stream until the reader or the session ends.
func (c *Console) stream(q *request) error {
	r := &reader{admin: q.isAdmin(), topics: topics, messages: make(chan []byte, maxWaiting), who: q.op.Name + " " + q.client.Addr.Addr().String()}
	if list := q.URL.Query().Get("topics"); list != "" {
		r.topics = strings.Split(list, ",")
		for _, t := range r.topics {
			if !slices.Contains(topics, t) {
				return badRequest("topics must be a comma-separated list of %s", strings.Join(topics, ","))
			}
		}
	}
	from, resume := uint64(0), false
	if id := q.Header.Get("Last-Event-ID"); id != "" {
		n, err := strconv.ParseUint(id, 10, 64)
		if from, resume = n+1, err == nil; n+1 == 0 {
			return badRequest("Last-Event-ID is out of range")
		}
	}
	var err error
	if r.addresses, err = c.maySeeAddresses(q); err != nil {
		return err
	}
	if !c.hub.join(r) {
		return &apiError{http.StatusServiceUnavailable, "too many clients read the event stream; close one or try again later"}
	}
	defer c.hub.leave(r)
	web.KeepOpen(q.w, q.Request)
	control := http.NewResponseController(q.w)
	control.SetReadDeadline(time.Time{}) // the listener's read deadline would end the stream
	h := q.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // tells nginx not to buffer
	write := func(b []byte) error {
		control.SetWriteDeadline(time.Now().Add(writeTimeout))
		if _, err := q.w.Write(b); err != nil {
			return err
		}
		return control.Flush()
	}
	first := []byte(": teeyard\nretry: 3000\n\n")
	if resume && slices.Contains(r.topics, "log") {
		missed, _ := c.log.since(nil, from, func(l *api.LogLine) bool { return mayRead(l, r.admin) })
		for i := range missed {
			first = appendMessage(first, "log", strconv.FormatUint(missed[i].Seq, 10), missed[i])
		}
	}
	if write(first) != nil {
		return errStreamed
	}
	ping := time.NewTicker(pingInterval)
	defer ping.Stop()
	over := time.NewTimer(sessionTime) // a stream lasts no longer than a session
	defer over.Stop()
	for {
		var b []byte
		select {
		case b = <-r.messages:
		case <-ping.C:
			if _, err := c.access.identify(q.Request, q.client); err != nil {
				return errStreamed // signed out, or the token is gone
			}
			b = []byte(": ping\n\n")
		case <-q.Context().Done():
			return errStreamed
		case <-q.ended:
			return errStreamed
		case <-c.closed:
			return errStreamed
		case <-over.C:
			return errStreamed
		}
		if n := r.lost.Swap(0); n > 0 {
			b = append(fmt.Appendf(nil, "event: lost\ndata: {\"messages\":%d}\n\n", n), b...)
		}
		if write(b) != nil {
			return errStreamed
		}
	}
}

// errStreamed is the error of a route that has already written its answer.
var errStreamed = &apiError{}
