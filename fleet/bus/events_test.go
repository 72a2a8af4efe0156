package bus

import (
	"testing"

	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
)

// TestEvents checks which events of a game leave the server, and that the game does not wait while
// nobody sends them.
func TestEvents(t *testing.T) {
	m := &Member{}
	m.events = eventFeed{m: m, waiting: make(chan timed, maxEvents)}
	tick := &server.Tick{}
	for _, mode := range []game.ChatMode{game.ChatAll, game.ChatTeam, game.ChatWhisper} {
		tick.Events = append(tick.Events, event.Chat{Mode: mode, Text: "hello"})
	}
	tick.Events = append(tick.Events, event.Kill{}, event.RconLogin{Admin: true}, event.RconLine{Text: "secret"}, event.Emoticon{})
	m.ObserveTick(tick)
	testenv.Require(t, len(m.events.waiting) == 2, "%d events wait", len(m.events.waiting))
	chat, kill := <-m.events.waiting, <-m.events.waiting
	said, _ := chat.event.(event.Chat)
	testenv.Check(t, said.Text == "hello" && said.Mode == game.ChatAll && event.Name(kill.event) == "kill", "%+v %+v", chat, kill)
	for range maxEvents {
		m.ObserveTick(tick)
	}
	testenv.Check(t, len(m.events.waiting) == maxEvents && m.events.dropped.Load() == maxEvents, "%d wait and %d are dropped",
		len(m.events.waiting), m.events.dropped.Load())
}
