package mastertest

import (
	"bytes"
	"context"
	"encoding/binary"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// UDP is a UDP master without sockets. It sends through functions of the test. It probes servers at
// once instead of every 5 s.
type UDP struct {
	// Version7 selects the protocol of 0.7.
	Version7 bool
	// Tokens issues the tokens of its socket, for 0.7.
	Tokens *conn.TokenIssuer
	// Send sends from the socket whose datagrams Feed receives. Probe sends from the socket for
	// probes, another port of the same host.
	Send, Probe func(to transport.Peer, datagram []byte)
	// Refuse makes the master answer that it cannot reach the server.
	Refuse bool

	mu    sync.Mutex
	list  []netip.AddrPort
	beats int
	port  map[netip.Addr]uint16 // of servers that are being probed
}

// Add adds a server to the list.
func (m *UDP) Add(addr netip.AddrPort) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, addr)
}

// Servers returns the list and the number of heartbeats.
func (m *UDP) Servers() ([]netip.AddrPort, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.list), m.beats
}

// ListenUDP runs a UDP master on the loopback network until closeMaster is called.
func ListenUDP(version7 bool) (m *UDP, addr transport.Peer, closeMaster func(), err error) {
	sock, err := udp.Listen(udp.Config{Addr: "127.0.0.1"})
	if err != nil {
		return nil, addr, nil, err
	}
	tokens, err := conn.NewTokenIssuer(nil)
	if err != nil {
		sock.Close()
		return nil, addr, nil, err
	}
	m = &UDP{Version7: version7, Tokens: tokens, Send: sock.Send, Probe: sock.Send}
	var running sync.WaitGroup
	running.Go(func() {
		forever := func(now int64) (int64, bool) { return now + int64(time.Hour), true }
		transport.Run(context.Background(), sock, forever, func(d transport.Datagram) {
			m.Feed(d.ReceivedAt, d.Peer, d.Data)
		})
	})
	return m, sock.LocalAddr(), func() { sock.Close(); running.Wait() }, nil
}

// perPacket is the number of servers per datagram of the list.
const perPacket = 75

// Feed handles a datagram to either socket.
func (m *UDP) Feed(now int64, from transport.Peer, b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	payload, ok := bytes.CutPrefix(b, []byte("\xff\xff\xff\xff\xff\xff"))
	response, own := packet.NoToken, packet.NoToken
	if m.Version7 {
		own = m.Tokens.Token(conn.Time(now), from.Addr())
		var p packet.Packet
		var scratch packet.Scratch
		if p.Parse(b, &scratch) != nil {
			return
		}
		switch v, _ := m.Tokens.Inspect(conn.Time(now), from.Addr(), &p); v {
		case conn.ActionReplyToken:
			m.Send(from, packet.AppendTokenReply(nil, p.ResponseToken, own))
			return
		case conn.ActionConnless:
			payload, ok, response = p.Payload, true, p.ResponseToken
		default:
			return
		}
	}
	if !ok || len(payload) < 8 {
		return
	}
	send := func(with func(transport.Peer, []byte), to transport.Peer, payload []byte) {
		if m.Version7 {
			with(to, packet.AppendConnless(nil, response, own, payload))
			return
		}
		with(to, append([]byte("\xff\xff\xff\xff\xff\xff"), payload...))
	}
	switch string(payload[4:8]) {
	case "cou2":
		send(m.Send, from, binary.BigEndian.AppendUint16([]byte("\xff\xff\xff\xffsiz2"), uint16(len(m.list))))
	case "req2":
		for rest := m.list; len(rest) > 0; {
			n := min(len(rest), perPacket)
			out := []byte("\xff\xff\xff\xfflis2")
			for _, a := range rest[:n] {
				ip := a.Addr().As16()
				out = binary.BigEndian.AppendUint16(append(out, ip[:]...), a.Port())
			}
			rest = rest[n:]
			send(m.Send, from, out)
		}
	case "bea2":
		if len(payload) < 10 {
			return
		}
		m.beats++
		if m.port == nil {
			m.port = map[netip.Addr]uint16{}
		}
		m.port[from.Addr()] = binary.BigEndian.Uint16(payload[8:])
		if m.Refuse {
			send(m.Send, from, []byte("\xff\xff\xff\xfffwer"))
			return
		}
		send(m.Probe, transport.UDPPeer(from.Addr(), m.port[from.Addr()]), []byte("\xff\xff\xff\xfffw??"))
	case "fw!!":
		server := netip.AddrPortFrom(from.Addr(), m.port[from.Addr()])
		if server.Port() == 0 {
			return
		}
		if !slices.Contains(m.list, server) {
			m.list = append(m.list, server)
		}
		send(m.Send, from, []byte("\xff\xff\xff\xfffwok"))
		send(m.Probe, from, []byte("\xff\xff\xff\xfffwok"))
	}
}
