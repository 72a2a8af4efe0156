package dump

import (
	"bytes"
	"net/netip"

	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// maxFlows is how many connections are followed at once, and snapshotBytes how many bytes of
// snapshots each one stores. A full server has 64 clients, and three seconds of snapshots for each
// take a megabyte.
const (
	maxFlows      = 128
	snapshotBytes = 2 << 20
)

// flowKey is the addresses of a client and a server.
type flowKey struct{ client, server netip.AddrPort }

// flow is the connection between two addresses, or several connections in succession.
type flow struct {
	id           int
	lastDatagram int         // number of the last datagram
	open         bool        // from CONNECT to CLOSE
	version      int         // 6, 7, or 0 if unknown
	versionKnown bool        // known from a handshake
	sidesKnown   bool        // a handshake or a message shows which side is the server
	endpoints    [2]endpoint // client, server
	token6       tokenState6
	assembler    snapshot.PartAssembler
	store        *snapshot.Store
	next         snapshot.Snapshot
}

// endpoint is the state of one side.
type endpoint struct {
	token    packet.Token // token that the other side must send
	hasToken bool
	seq      int // sequence number of the last vital chunk sent
	hasSeq   bool
}

// senderIndex returns the sender's index in flow.endpoints.
func senderIndex(toServer bool) int {
	if toServer {
		return 0
	}
	return 1
}

// flowOf returns the connection of a datagram and its direction.
func (d *Decoder) flowOf(g *Datagram) (f *flow, toServer bool) {
	toServer = d.toServer(g)
	key := flowKey{g.Src, g.Dst}
	if !toServer {
		key = flowKey{g.Dst, g.Src}
	}
	if f = d.flows[key]; f == nil {
		if len(d.flows) >= maxFlows {
			d.dropOldestFlow()
		}
		d.lastFlowNumber++
		d.stats.Connections++
		f = &flow{id: d.lastFlowNumber, store: snapshot.NewStore(snapshot.StoreConfig{MaxBytes: snapshotBytes})}
		d.flows[key] = f
		if len(d.servers) < 1<<16 {
			d.servers[key.server] = true
		}
	}
	f.lastDatagram = d.numDatagrams
	return f, toServer
}

// toServer reports whether a datagram goes to the server.
func (d *Decoder) toServer(g *Datagram) bool {
	if p := d.cfg.Port; p != 0 && (g.Src.Port() == p) != (g.Dst.Port() == p) {
		return g.Dst.Port() == p
	}
	if d.flows[flowKey{g.Src, g.Dst}] != nil {
		return true
	}
	if d.flows[flowKey{g.Dst, g.Src}] != nil {
		return false
	}
	// The first datagram may come from a server that other connections have shown.
	return d.servers[g.Dst] || !d.servers[g.Src]
}

// checkSides turns a connection around if its first message that only one side sends comes from the
// other side. That happens in captures that begin during a game. checkSides returns the direction
// of the datagram.
func (d *Decoder) checkSides(f *flow, g *Datagram, b []byte, toServer bool) bool {
	if f.sidesKnown || d.cfg.Port != 0 {
		return toServer
	}
	var right bool
	if right, f.sidesKnown = d.sideOf(f, b, toServer); right == toServer {
		return toServer
	}
	from, to := flowKey{g.Src, g.Dst}, flowKey{g.Dst, g.Src}
	if right {
		from, to = to, from
	}
	delete(d.flows, from)
	delete(d.servers, from.server)
	d.flows[to] = f
	d.servers[to.server] = true
	f.endpoints[0], f.endpoints[1] = f.endpoints[1], f.endpoints[0]
	return right
}

// sideOf returns the direction of a packet, and whether it is certain. Without a hint, it returns
// the direction that was assumed.
func (d *Decoder) sideOf(f *flow, b []byte, assumed bool) (toServer, sure bool) {
	var it packet.ChunkReader
	switch kind, _ := packet.Classify(b); kind {
	case packet.KindDrop, packet.KindHalfLife, packet.KindConnless6, packet.KindConnless7:
		return assumed, false
	default:
		if d.detectVersion(f, kind, b); f.version == 6 {
			var p packet.Packet6
			if p.Parse(b, &d.scratch) != nil {
				return assumed, false
			}
			if p.Flags&packet.FlagControl != 0 {
				return assumed, p.ControlID() == packet.ControlConnect
			}
			it = p.Chunks()
		} else {
			var p packet.Packet
			if p.Parse(b, &d.scratch) != nil {
				return assumed, false
			}
			if p.Flags&packet.FlagControl != 0 {
				id := p.ControlID()
				return assumed, id == packet.ControlConnect || id == packet.ControlToken
			}
			it = p.Chunks()
		}
	}
	var c packet.Chunk
	for it.Next(&c) {
		m, err := d.decodeMessage(f.version, bytes.Clone(c.Data))
		if err == nil && m.clientOnly != m.serverOnly {
			return m.clientOnly, true
		}
	}
	return assumed, false
}

// dropOldestFlow drops the connection that has been silent for the longest time.
func (d *Decoder) dropOldestFlow() {
	var oldest flowKey
	least := d.numDatagrams + 1
	for k, f := range d.flows {
		if f.lastDatagram < least {
			oldest, least = k, f.lastDatagram
		}
	}
	delete(d.flows, oldest)
}

// setVersion sets the version, and resets the connection if it changes.
func (f *flow) setVersion(version int, sure bool) {
	f.versionKnown = f.versionKnown || sure
	if f.version == version {
		return
	}
	if f.version != 0 {
		f.open = false
		f.endpoints = [2]endpoint{}
		f.token6 = tokenState6{}
		f.resetSnapshots()
	}
	f.version = version
}

// setToken sets the token that the sender expects in return.
func (f *flow) setToken(toServer bool, t packet.Token) {
	s := &f.endpoints[senderIndex(toServer)]
	s.token, s.hasToken = t, t != packet.NoToken
}

// connectSeen resets the connection, unless the CONNECT repeats the last one.
func (f *flow) connectSeen(toServer bool, own packet.Token) {
	c := &f.endpoints[senderIndex(toServer)]
	if f.open && c.hasToken && c.token == own {
		return
	}
	f.reset()
}

// reset starts a new connection.
func (f *flow) reset() {
	f.open = true
	for i := range f.endpoints {
		f.endpoints[i].seq, f.endpoints[i].hasSeq = 0, true
	}
	f.resetSnapshots()
}

func (f *flow) resetSnapshots() {
	f.assembler.Reset()
	f.store.Clear()
}

// checkToken compares a packet's token with the one that the receiver expects.
func (f *flow) checkToken(r *Record, toServer bool, p *packet.Packet) {
	to := &f.endpoints[1-senderIndex(toServer)]
	request := p.Flags&packet.FlagControl != 0 && p.ControlID() == packet.ControlToken
	if to.hasToken && p.Token != to.token && !request {
		r.addFault("token %08x, but the receiver assigned %08x", uint32(p.Token), uint32(to.token))
	}
}

// checkAck checks that the sender acknowledges only sequence numbers that were sent.
func (f *flow) checkAck(r *Record, toServer bool, ack int) {
	other := &f.endpoints[1-senderIndex(toServer)]
	if !other.hasSeq {
		return
	}
	// As in the original, the half of the sequence numbers before the last one counts as sent.
	if behind := (other.seq - ack) & packet.SeqMask; behind >= packet.SeqSpace/2 {
		r.addFault("acknowledges %d, but the last sent was %d", ack, other.seq)
	}
}

// checkSequence checks the order of vital chunks.
func (f *flow) checkSequence(r *Record, toServer bool, seq int) {
	s := &f.endpoints[senderIndex(toServer)]
	step := (seq - s.seq) & packet.SeqMask
	switch {
	case !s.hasSeq || step == 1:
		s.seq, s.hasSeq = seq, true
	case step == 0 || step >= packet.SeqSpace/2:
		r.Repeated = true
	default:
		r.addFault("sequence %d follows %d: %d vital chunks are not in the capture", seq, s.seq, step-1)
		s.seq = seq
	}
}
