package servertest

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// Player is a client that plays by the rules, over the network in virtual time.
type Player struct {
	*client.Client
	// Events are all events so far.
	Events []event.Event
	// Peer is the player's address.
	Peer transport.Peer

	server *Server
}

// Join adds a client with a name, and waits until it is in the game.
func (s *Server) Join(name string) *Player {
	s.T.Helper()
	return s.JoinAs(client.Config{Name: name, Version: client.Version07})
}

// JoinAs is Join with any client.
func (s *Server) JoinAs(cfg client.Config) *Player {
	s.T.Helper()
	p := s.Dial(cfg)
	WaitFor(p, 5*time.Second, func(event.Entered) bool { return true })
	return p
}

// Dial adds a client that begins to connect. Each client has its own address. Dial sets cfg.Send,
// and unless they are set, cfg.Token and cfg.Maps.
func (s *Server) Dial(cfg client.Config) *Player {
	s.T.Helper()
	s.players++
	p := &Player{server: s, Peer: IP(1<<8 | s.players)}
	cfg.Send = func(b []byte) {
		if s.Lose == nil || !s.Lose(b) {
			s.Net.Send(p.Peer, Addr, b)
		}
	}
	if token := packet.Token(s.players); cfg.Token == nil {
		cfg.Token = func() packet.Token { token += 1 << 16; return token &^ (1 << 31) }
	}
	if cfg.Maps == nil {
		if s.maps == nil {
			s.maps = client.NewMaps(s.T.TempDir())
		}
		cfg.Maps = s.maps
	}
	onEvent := cfg.OnEvent
	cfg.OnEvent = func(c *client.Client, e event.Event) {
		p.Events = append(p.Events, e)
		if onEvent != nil {
			onEvent(c, e)
		}
	}
	var err error
	if p.Client, err = client.New(cfg); err != nil {
		s.T.Fatal(err)
	}
	s.Net.Handle(p.Peer, func(now int64, _ transport.Peer, b []byte) { p.Feed(conn.Time(now), bytes.Clone(b)) })
	if err := p.Connect(s.Now()); err != nil {
		s.T.Fatal(err)
	}
	s.Net.Every(5*time.Millisecond, func(now int64) { p.Client.Step(conn.Time(now)) })
	return p
}

// Chat returns the lines of chat that the player received.
func (p *Player) Chat() (lines []string) {
	for _, e := range p.Events {
		if e, ok := e.(event.Chat); ok {
			lines = append(lines, e.Text)
		}
	}
	return lines
}

// Heard reports whether the server showed the player a text that contains the given one, in the
// chat, as a broadcast or as message of the day.
func (p *Player) Heard(text string) bool {
	for _, e := range p.Events {
		shown := ""
		switch e := e.(type) {
		case event.Chat:
			shown = e.Text
		case event.Broadcast:
			shown = e.Text
		case event.Motd:
			shown = e.Text
		}
		if strings.Contains(shown, text) {
			return true
		}
	}
	return false
}

// WaitFor lets time pass until a player has received an event that wanted accepts, and returns the
// event. The test fails after limit.
func WaitFor[E event.Event](p *Player, limit time.Duration, wanted func(E) bool) (found E) {
	s := p.server
	s.T.Helper()
	s.WaitUntil(limit, fmt.Sprintf("got the %T", found), func() bool {
		for _, e := range p.Events {
			if e, ok := e.(E); ok && wanted(e) {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

// LastEvent returns the newest event of a type that a player has received.
func LastEvent[E event.Event](p *Player) (e E, ok bool) {
	for i := len(p.Events) - 1; i >= 0 && !ok; i-- {
		e, ok = p.Events[i].(E)
	}
	return e, ok
}
