package client

import (
	"fmt"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge6"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

// Version is a protocol version.
type Version string

// The protocol versions that a client speaks.
const (
	Version07 Version = "0.7"
	// Version06 is the protocol of Teeworlds 0.6 and DDNet.
	Version06 Version = "0.6"
	// AnyVersion connects with both versions at once and uses the one in which the server answers.
	// If it answers in both, that is 0.6 for the game types of DDNet on servers such as DDNet's,
	// whose protocol loses less there, and 0.7 for others.
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

// With AnyVersion both versions are tried at once, and the server is asked for its info. An answer
// in the older version is used if none in the newer version follows within otherVersionWait. An
// answer in the newer one waits as long for the info. If the server rejects the newer version or
// plays DDNet's game type, the session waits olderAnswerWait for an answer in the older one, which
// is longer than the pause before a connection asks again.
const (
	otherVersionWait = 50 * time.Millisecond
	olderAnswerWait  = 700 * time.Millisecond
)

// versionProbe detects the server's version, with one connection for each version.
type versionProbe struct {
	version       Version // AnyVersion while it is unknown
	conns         [2]*conn.Conn
	sides         [2]bridge.ClientSide
	answers       [2][]byte    // the first answers of the server
	waitUntil     [2]conn.Time // when to use answers
	olderAnswered bool         // the server also answered in the older version
	request       int32        // token of the request for the server's info
	info          serverInfo
}

// serverInfo is what a versionProbe knows about the server's game type.
type serverInfo uint8

const (
	noInfo serverInfo = iota
	infoOfDDNet
	infoOfOthers
)

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
	s.forgetAnswers()
}

// forgetAnswers drops the answers of the server.
func (s *versionProbe) forgetAnswers() {
	for i := range s.answers {
		s.answers[i], s.waitUntil[i] = s.answers[i][:0], 0
	}
}

// dialVersions starts a connection for each configured version.
func (c *Session) dialVersions(own packet.Token) error {
	s := &c.probe
	s.version, s.olderAnswered, s.info = c.cfg.Version, false, noInfo
	s.forgetAnswers()
	if s.version == AnyVersion {
		s.request = int32(own) & query.FormatPlain6.MaxToken()
		c.cfg.Send(query.AppendRequest(nil, query.Request{Format: query.FormatPlain6, Token: s.request}))
	}
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
	if r, err := query.ParseReply6(b); err == nil {
		if r.Format == query.FormatPlain6 && r.Token == s.request && s.info == noInfo {
			s.noteInfo(c.now, &r.Info)
		}
	} else if packet.IsClearly6(b) {
		s.olderAnswered = true
		s.keepAnswer(older, b, c.now.Add(otherVersionWait))
	} else if s.conns[newer].State() == conn.StateToken {
		wait := otherVersionWait
		if s.info == infoOfDDNet {
			wait = olderAnswerWait
		}
		s.keepAnswer(newer, b, c.now.Add(wait))
	}
	c.useAnswers()
}

// keepAnswer keeps the first answer in a version.
func (s *versionProbe) keepAnswer(i int, b []byte, until conn.Time) {
	if len(s.answers[i]) == 0 {
		s.answers[i], s.waitUntil[i] = append(s.answers[i], b...), until
	}
}

// noteInfo notes the info of the server.
func (s *versionProbe) noteInfo(now conn.Time, info *query.Info) {
	s.info = infoOfOthers
	if isOfDDNet(info) {
		s.info = infoOfDDNet
		s.waitUntil[newer] = now.Add(olderAnswerWait)
	}
}

// isOfDDNet reports whether the game type of a server is one of DDNet's, as its client decides
// (CGameClient::OnNewSnapshot), and the server program is of version 0.6. One that names 0.7, such
// as ours, says no less there.
func isOfDDNet(info *query.Info) bool {
	t := strings.ToLower(info.GameType)
	return (strings.Contains(t, "ddracenet") || strings.Contains(t, "ddnet")) && !strings.Contains(info.Version, "0.7")
}

// useAnswers passes answers on to their connections when nothing else has to be waited for, and
// chooses a version.
func (c *Session) useAnswers() {
	s := &c.probe
	if k := s.conns[newer]; len(s.answers[newer]) > 0 && (s.info == infoOfOthers || c.now >= s.waitUntil[newer]) {
		k.Feed(c.now, s.answers[newer], c)
		s.answers[newer] = s.answers[newer][:0]
		switch k.State() {
		case conn.StateConnect:
			c.chooseVersion(newer)
			return
		case conn.StateError:
			if s.waitUntil[older] = c.now; len(s.answers[older]) == 0 {
				s.waitUntil[newer] = c.now.Add(olderAnswerWait) // for the error
			}
		}
	}
	refused := s.conns[newer].State() == conn.StateError
	if k := s.conns[older]; len(s.answers[older]) > 0 &&
		(refused || s.info == infoOfDDNet || len(s.answers[newer]) == 0 && c.now >= s.waitUntil[older]) {
		k.Feed(c.now, s.answers[older], c)
		s.answers[older] = s.answers[older][:0]
		if st := k.State(); st == conn.StateOnline || st == conn.StateError {
			c.chooseVersion(older)
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
	if c.useAnswers(); s.version != AnyVersion {
		return
	}
	a, b := s.conns[newer], s.conns[older]
	if a.State() == conn.StateError && (b.State() == conn.StateError || a.ClosedByPeer() && c.now >= s.waitUntil[newer]) {
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
