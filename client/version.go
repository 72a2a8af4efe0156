package client

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge6"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// Version is a protocol version.
type Version string

// The protocol versions that a client speaks.
const (
	Version07 Version = "0.7"
	// Version06 is the protocol of Teeworlds 0.6 and DDNet.
	Version06 Version = "0.6"
	// AnyVersion connects with both versions at once and uses the one in which the server answers,
	// or the newer one if it answers in both.
	AnyVersion Version = "any"
)

// AddressVersion returns the version that the scheme of an address names, or "" if it names none.
// Links for DDNet's client (ddnet://) name 0.6. The error wraps transport.ErrAddress for a version
// that clients do not speak.
func AddressVersion(a transport.Address) (Version, error) {
	switch v := Version(a.Version()); {
	case a.Scheme == transport.SchemeDDNet:
		return Version06, nil
	case v == "" || v == Version07 || v == Version06:
		return v, nil
	default:
		return "", fmt.Errorf("%w: %q names the unsupported protocol version %s", transport.ErrAddress, a.String(), v)
	}
}

// setVersion sets the version that an address names.
func (cfg *Config) setVersion(address string) error {
	a, err := transport.ParseAddress(address)
	if err != nil {
		return nil // Config.Dial may accept any form of address
	}
	v, err := AddressVersion(a)
	switch {
	case err != nil || v == "":
		return err
	case cfg.Version != "" && cfg.Version != AnyVersion && cfg.Version != v:
		return fmt.Errorf("%w: the address %q names version %s, but the configuration asks for %s", ErrConfig, a.String(), v, cfg.Version)
	}
	cfg.Version = v
	return nil
}

// With AnyVersion both versions are tried at once. An answer in the older version is used if none
// in the newer version follows within newerAnswerWait. If the server rejects the newer version, the
// session waits otherAnswerWait for an answer in the older one.
const (
	newerAnswerWait = 50 * time.Millisecond
	otherAnswerWait = 500 * time.Millisecond
)

// versionProbe detects the server's version, with one connection for each version.
type versionProbe struct {
	version       Version // AnyVersion while it is unknown
	conns         [2]*conn.Conn
	sides         [2]bridge.ClientSide
	olderAnswer   []byte    // the first answer in the older version
	waitUntil     conn.Time // when to choose
	olderAnswered bool      // the server also answered in the older version
}

// Indices in versionProbe.
const (
	newer = iota
	older
)

// setUpVersions creates the connections for the configured versions.
func (c *Session) setUpVersions() error {
	switch c.cfg.Version {
	case "":
		c.cfg.Version = Version07
	case Version07, Version06, AnyVersion:
	default:
		return fmt.Errorf("%w: unknown protocol version %q", ErrConfig, c.cfg.Version)
	}
	l, n := messageSender{c}, sessionHandler{c, c.cfg.GameHandler}
	s := &c.probe
	if c.cfg.Version != Version06 {
		s.sides[newer] = bridge7.NewClientSide(l, n)
	}
	if c.cfg.Version != Version07 {
		s.sides[older] = bridge6.NewClientSide(l, n, bridge6.ClientConfig{DDNetVersion: c.cfg.DDNetVersion, ConnectionID: c.cfg.ConnectionID})
	}
	for i, g := range s.sides {
		if g == nil {
			continue
		}
		var err error
		if s.conns[i], err = conn.New(conn.Config{Send: c.cfg.Send, Buffers: c.cfg.Buffers, ResendBuffer: c.cfg.ResendBuffer}); err != nil {
			return fmt.Errorf("client: %w", err)
		}
		if c.side == nil {
			c.side, c.conn = g, s.conns[i]
		}
	}
	return nil
}

// chooseVersion selects a version.
func (c *Session) chooseVersion(i int) {
	s := &c.probe
	s.version = [2]Version{Version07, Version06}[i]
	c.side, c.conn = s.sides[i], s.conns[i]
	if other := s.conns[1-i]; other != nil {
		other.Reset()
	}
	s.olderAnswer = s.olderAnswer[:0]
}

// dialVersions starts a connection for each configured version.
func (c *Session) dialVersions(own packet.Token) error {
	s := &c.probe
	s.version, s.olderAnswered, s.olderAnswer = c.cfg.Version, false, s.olderAnswer[:0]
	for i, k := range s.conns {
		if k == nil {
			continue
		}
		k.Reset()
		s.sides[i].Reset()
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

// feedWhileProbing processes a datagram while the version is unknown.
func (c *Session) feedWhileProbing(b []byte) {
	s := &c.probe
	if len(s.olderAnswer) == 0 && packet.IsClearly6(b) {
		s.olderAnswered = true
		s.olderAnswer, s.waitUntil = append(s.olderAnswer, b...), c.now.Add(newerAnswerWait)
		if s.conns[newer].State() == conn.StateError {
			s.waitUntil = c.now
		}
		return
	}
	switch k := s.conns[newer]; k.State() {
	case conn.StateToken:
		k.Feed(c.now, b, c)
		switch k.State() {
		case conn.StateConnect:
			c.chooseVersion(newer)
		case conn.StateError:
			if s.waitUntil = c.now; len(s.olderAnswer) == 0 {
				s.waitUntil = c.now.Add(otherAnswerWait)
			}
		}
	}
}

// noteOlderAnswer notes that the server also answered in the older version.
func (c *Session) noteOlderAnswer(b []byte) {
	if c.cfg.Version == AnyVersion && c.probe.version == Version07 && !c.gotMessage && packet.IsClearly6(b) {
		c.probe.olderAnswered = true
	}
}

// stepWhileProbing handles timeouts and choices while the version is unknown.
func (c *Session) stepWhileProbing() {
	s := &c.probe
	for _, k := range s.conns {
		k.Update(c.now)
	}
	if len(s.olderAnswer) > 0 && c.now >= s.waitUntil {
		s.conns[older].Feed(c.now, s.olderAnswer, c)
		s.olderAnswer = s.olderAnswer[:0]
		if k := s.conns[older]; k.State() == conn.StateOnline || k.State() == conn.StateError {
			c.chooseVersion(older)
			return
		}
	}
	a, b := s.conns[newer], s.conns[older]
	if a.State() == conn.StateError && (b.State() == conn.StateError || a.ClosedByPeer() && c.now >= s.waitUntil) {
		c.chooseVersion(newer) // for its error
	}
}

// retryWithOlderVersion connects with the older version if the server answered in it and closed the
// newer connection before its first message. Servers do so if the newer version is switched off. It
// reports whether a new connection was started.
func (c *Session) retryWithOlderVersion() bool {
	s := &c.probe
	if c.cfg.Version != AnyVersion || !s.olderAnswered || s.version != Version07 || !c.conn.ClosedByPeer() || c.state > Loading || c.gotMessage {
		return false
	}
	c.chooseVersion(older)
	c.state = Connecting
	return c.conn.Dial6(c.now, c.handshake(), 0) == nil
}

// handshake returns the 0.6 handshake to use.
func (c *Session) handshake() conn.Handshake {
	if c.cfg.LegacyHandshake {
		return conn.HandshakePlain
	}
	return conn.HandshakeTKEN
}

// Version returns the current protocol version, or AnyVersion while it is unknown.
func (c *Session) Version() Version { return c.probe.version }
