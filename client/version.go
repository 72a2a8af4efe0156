package client

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge6"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
)

// Version is a version of the protocol.
type Version string

// The versions that a client speaks.
const (
	Version07 Version = "0.7"
	// Version06 is that of Teeworlds 0.6 and of DDNet.
	Version06 Version = "0.6"
	// AnyVersion asks the server for both at once and takes what it answers, the
	// newer one if it answers both.
	AnyVersion Version = "any"
)

// Both versions are asked for at the same time. So an answer to the older one waits
// only for grace for one to the newer, and when the newer is refused it is given up
// when nothing else comes for so long as patience.
const (
	grace    = 50 * time.Millisecond
	patience = 500 * time.Millisecond
)

// speech is what belongs to the version that is spoken.
type speech struct {
	version Version // AnyVersion while it is not known
	conns   [2]*conn.Conn
	guests  [2]bridge.ClientSide
	held    []byte    // the first answer of the older version
	until   conn.Time // how long something else is waited for
	both    bool      // the older version was answered, too
}

// Places in speech.
const (
	newer = iota
	older
)

// learn makes ready to speak a version.
func (c *Session) learn() error {
	switch c.cfg.Version {
	case "":
		c.cfg.Version = Version07
	case Version07, Version06, AnyVersion:
	default:
		return fmt.Errorf("%w: there is no version %q", ErrConfig, c.cfg.Version)
	}
	l, n := line{c}, news{c, c.cfg.Story}
	s := &c.speech
	if c.cfg.Version != Version06 {
		s.guests[newer] = bridge7.NewClientSide(l, n)
	}
	if c.cfg.Version != Version07 {
		s.guests[older] = bridge6.NewClientSide(l, n, bridge6.ClientConfig{DDNetVersion: c.cfg.DDNet, ConnectionID: c.cfg.Connection})
	}
	for i, g := range s.guests {
		if g == nil {
			continue
		}
		var err error
		if s.conns[i], err = conn.New(conn.Config{Send: c.cfg.Send, Buffers: c.cfg.Buffers, ResendBuffer: c.cfg.ResendBuffer}); err != nil {
			return fmt.Errorf("client: %w", err)
		}
		if c.guest == nil {
			c.guest, c.conn = g, s.conns[i]
		}
	}
	return nil
}

// speak decides for a version.
func (c *Session) speak(i int) {
	s := &c.speech
	s.version = [2]Version{Version07, Version06}[i]
	c.guest, c.conn = s.guests[i], s.conns[i]
	if other := s.conns[1-i]; other != nil {
		other.Reset()
	}
	s.held = s.held[:0]
}

// dial begins a connection, or one of each version.
func (c *Session) dial(own packet.Token) error {
	s := &c.speech
	s.version, s.both, s.held = c.cfg.Version, false, s.held[:0]
	for i, k := range s.conns {
		if k == nil {
			continue
		}
		k.Reset()
		s.guests[i].Reset()
		var err error
		if i == newer {
			err = k.Dial(c.now, own)
		} else {
			err = k.Dial6(c.now, c.handshake(), own)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hear takes a datagram while it is not known who is to have it.
func (c *Session) hear(b []byte) {
	s := &c.speech
	if len(s.held) == 0 && packet.IsClearly6(b) {
		s.both = true
		s.held, s.until = append(s.held, b...), c.now.Add(grace)
		if s.conns[newer].State() == conn.StateError {
			s.until = c.now
		}
		return
	}
	switch k := s.conns[newer]; k.State() {
	case conn.StateToken:
		k.Feed(c.now, b, c)
		switch k.State() {
		case conn.StateConnect:
			c.speak(newer)
		case conn.StateError:
			if s.until = c.now; len(s.held) == 0 {
				s.until = c.now.Add(patience)
			}
		}
	}
}

// late notices that the server answered to the older version as well.
func (c *Session) late(b []byte) {
	if c.cfg.Version == AnyVersion && c.speech.version == Version07 && !c.heard && packet.IsClearly6(b) {
		c.speech.both = true
	}
}

// choose does what is due before it is known which version is spoken.
func (c *Session) choose() {
	s := &c.speech
	for _, k := range s.conns {
		k.Update(c.now)
	}
	if len(s.held) > 0 && c.now >= s.until {
		s.conns[older].Feed(c.now, s.held, c)
		s.held = s.held[:0]
		if k := s.conns[older]; k.State() == conn.StateOnline || k.State() == conn.StateError {
			c.speak(older)
			return
		}
	}
	a, b := s.conns[newer], s.conns[older]
	if a.State() == conn.StateError && (b.State() == conn.StateError || a.ClosedByPeer() && c.now >= s.until) {
		c.speak(newer) // to end with its error
	}
}

// retry tries the older version if the server speaks it, too, and ends the newer
// before it has said a word: some have switched that off, but answer it. It tells
// whether it does.
func (c *Session) retry() bool {
	s := &c.speech
	if c.cfg.Version != AnyVersion || !s.both || s.version != Version07 || !c.conn.ClosedByPeer() || c.state > Loading || c.heard {
		return false
	}
	c.speak(older)
	c.state = Connecting
	return c.conn.Dial6(c.now, c.handshake(), 0) == nil
}

// handshake is how a connection of 0.6 begins.
func (c *Session) handshake() conn.Handshake {
	if c.cfg.Plain {
		return conn.HandshakePlain
	}
	return conn.HandshakeTKEN
}

// Version is the version of the protocol that is spoken: AnyVersion as long as that
// is not known.
func (c *Session) Version() Version { return c.speech.version }
