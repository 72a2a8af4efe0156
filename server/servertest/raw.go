package servertest

import (
	"bytes"
	"net/netip"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/transport"
)

// Raw adds a raw client that has sent nothing yet. A raw client can break every rule of the
// protocol, and sends nothing by itself. Its datagrams need no time.
func (s *Server) Raw(kind testclient.Config, from transport.Peer) *testclient.Client {
	kind.Peer = from
	kind.Send = func(b []byte) { s.Feed(s.Now(), from, b) }
	kind.Fail = func(err error) { s.T.Error(err) }
	c := testclient.New(kind)
	if before := s.raw[from]; before != nil {
		s.Vanish(before)
	}
	s.raw[from], s.rawList = c, append(s.rawList, c)
	return c
}

// Connect adds a raw client with a connection.
func (s *Server) Connect(from transport.Peer) *testclient.Client {
	return s.ConnectAs(testclient.V07, from)
}

// ConnectAs is Connect with another kind.
func (s *Server) ConnectAs(kind testclient.Config, from transport.Peer) *testclient.Client {
	return s.Raw(kind, from).Dial().Connect()
}

// Enter adds a raw client that plays.
func (s *Server) Enter(from transport.Peer, name string) *testclient.Client {
	s.T.Helper()
	return s.EnterAs(testclient.V07, from, name)
}

// EnterAs is Enter with another kind.
func (s *Server) EnterAs(kind testclient.Config, from transport.Peer, name string) *testclient.Client {
	s.T.Helper()
	c := s.ConnectAs(kind, from).Join(name)
	s.Step(2)
	if s.State(c) != server.ClientInGame {
		s.T.Fatalf("%s did not get in: %q, drops %v", name, c.Reason, s.Drops())
	}
	return c
}

// Client returns the server's data about a raw client. ok is false if the server has no
// connection to it.
func (s *Server) Client(c *testclient.Client) (found server.Client, ok bool) {
	for _, found := range s.Clients(nil) {
		if found.Peer == c.Peer && found.State != server.ClientTimedOut {
			return found, true
		}
	}
	return server.Client{ID: game.Nobody}, false
}

// Vanish removes a raw client, as if its machine was switched off.
func (s *Server) Vanish(c *testclient.Client) {
	delete(s.raw, c.Peer)
	s.rawList = slices.DeleteFunc(s.rawList, func(other *testclient.Client) bool { return other == c })
}

// State returns how far a raw client is on its way into the game, "" without a connection.
func (s *Server) State(c *testclient.Client) server.ClientState {
	found, _ := s.Client(c)
	return found.State
}

// ID returns the client id of a raw client, or -1 without a connection.
func (s *Server) ID(c *testclient.Client) game.PlayerID {
	found, _ := s.Client(c)
	return found.ID
}

// Input sends an input for the next tick. It also keeps the connection alive.
func (s *Server) Input(c *testclient.Client, in msg7.PlayerInput) {
	c.Input(s.World().Tick()+1, in)
}

// Play runs n ticks in which a raw client sends the same input.
func (s *Server) Play(n int, c *testclient.Client, in msg7.PlayerInput) {
	for range n {
		s.Input(c, in)
		s.Step(1)
	}
}

// Idle runs n ticks in which raw clients keep their connections. Without clients it is all of them.
func (s *Server) Idle(n int, clients ...*testclient.Client) {
	for range n {
		if len(clients) == 0 {
			clients = s.rawList
		}
		for _, c := range clients {
			c.KeepAlive()
		}
		s.Step(1)
	}
}

// Receive gives the server a copy of a datagram.
func (s *Server) Receive(from transport.Peer, b []byte) { s.Feed(s.Now(), from, bytes.Clone(b)) }

// Ask sends a datagram, and returns copies of the datagrams that answer it.
func (s *Server) Ask(from transport.Peer, b []byte) (answers [][]byte) {
	before := s.Deliver
	defer func() { s.Deliver = before }()
	s.Deliver = func(to transport.Peer, b []byte) {
		if to == from {
			answers = append(answers, bytes.Clone(b))
			return
		}
		before(to, b)
	}
	s.Receive(from, b)
	return answers
}

// AskInfo sends the request of a server browser, and returns the datagram that answers it. The
// answer is nil if there is none.
func (s *Server) AskInfo(from transport.Peer, token int32) []byte {
	var p packet.Packet
	answers := s.Ask(from, packet.AppendTokenRequest(nil, 0x0a0b0c0d))
	if len(answers) != 1 || p.Parse(answers[0], new(packet.Scratch)) != nil {
		return nil
	}
	answers = s.Ask(from, packet.AppendConnless(nil, p.ResponseToken, 0x0a0b0c0d, packer.AppendInt([]byte("\xff\xff\xff\xffgie3"), token)))
	if len(answers) != 1 {
		return nil
	}
	return answers[0]
}

// IP returns a peer in 10.0.0.0/8. Queries treat local networks differently.
func IP(n int) transport.Peer {
	return transport.UDPPeer(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), 5000)
}

// Local returns a peer on loopback. The server never bans it.
func Local(port int) transport.Peer {
	return transport.UDPPeer(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port))
}

// Public returns a peer that is in no local network.
func Public(n int) transport.Peer {
	return transport.UDPPeer(netip.AddrFrom4([4]byte{198, 51, byte(n >> 8), byte(n)}), 27005)
}

// IPv6 returns a peer of one IPv6 network.
func IPv6(n int) transport.Peer {
	a := [16]byte{0x20, 0x01, 0x0d, 0xb8, 14: byte(n >> 8), 15: byte(n)}
	return transport.UDPPeer(netip.AddrFrom16(a), 5000)
}

// InSite returns a peer of an IPv6 /48, in which each peer has a /64 of its own.
func InSite(n int) transport.Peer {
	a := [16]byte{0x20, 0x01, 0x0d, 0xb8, 0, 1, 6: byte(n >> 8), 7: byte(n), 15: 1}
	return transport.UDPPeer(netip.AddrFrom16(a), 5000)
}

// WithPort returns a peer's address with another port.
func WithPort(p transport.Peer, port int) transport.Peer {
	return transport.UDPPeer(p.Addr(), uint16(port))
}
