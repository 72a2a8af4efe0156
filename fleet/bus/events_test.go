package bus

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
)

// TestEvents checks which events of a game leave the server, and that the game does not wait while
// nobody sends them.
func TestEvents(t *testing.T) {
	m := &Member{fleet: "ger", cfg: Config{ID: "a"}}
	m.events = newOutbox(m, "e")
	tick := &server.Tick{}
	for _, mode := range []game.ChatMode{game.ChatAll, game.ChatTeam, game.ChatWhisper} {
		tick.Events = append(tick.Events, event.Chat{Mode: mode, Text: "hello"})
	}
	tick.Events = append(tick.Events, event.Kill{}, event.RconLogin{Admin: true}, event.RconLine{Text: "secret"}, event.Emoticon{})
	m.ObserveTick(tick)
	batch := m.events.next(time.Now())
	testenv.Require(t, len(batch) == 2, "%d events wait", len(batch))
	subject, body, err := batch[0].write()
	testenv.Check(t, err == nil && subject == "ger.event.a.chat" && strings.Contains(string(body), "hello"), "%s %s %v", subject, body, err)
	subject, _, err = batch[1].write()
	testenv.Check(t, err == nil && subject == "ger.event.a.kill", "%s %v", subject, err)
	for range maxWaiting {
		m.ObserveTick(tick)
	}
	testenv.Check(t, len(m.events.waiting) == maxWaiting && m.events.dropped.Load() == maxWaiting+2, "%d wait and %d are dropped",
		len(m.events.waiting), m.events.dropped.Load())
	// Kills are sent later, and chat is not.
	m.events.next(time.Now().Add(2 * lateChat))
	testenv.Check(t, len(m.events.waiting) == maxWaiting/2 && m.events.size == maxWaiting/2*eventSize, "%d wait", len(m.events.waiting))
}

// TestOutbox checks the order of messages of which some have to be sent again, and the limit of
// their size.
func TestOutbox(t *testing.T) {
	o := newOutbox(&Member{}, "")
	for i := range 10 {
		o.add(&letter{size: i})
	}
	batch := o.next(time.Now())
	o.add(&letter{size: 10})
	o.remove(len(batch), []*letter{batch[3], batch[7]})
	left := ""
	for _, l := range o.waiting {
		left += fmt.Sprint(l.size, " ")
	}
	testenv.Check(t, left == "3 7 10 " && o.size == 20, "%s are left, of %d bytes", left, o.size)
	o.add(&letter{size: maxWaitingBytes})
	testenv.Check(t, len(o.waiting) == 3 && o.dropped.Load() == 1, "%d wait and %d are dropped", len(o.waiting), o.dropped.Load())
}
