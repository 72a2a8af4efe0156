package dump

import (
	"net/netip"

	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// maxFlows bounds how many connections are followed at once, and snapshotBytes what
// each remembers of its snapshots; a full server has 64, and its last three
// seconds take a megabyte for each.
const (
	maxFlows      = 128
	snapshotBytes = 2 << 20
)

// flowKey is a client's and a server's address.
type flowKey struct{ client, server netip.AddrPort }

// flow is the connection, or several one after the other, between two addresses.
type flow struct {
	number  int
	seen    int     // the datagram it was last part of
	open    bool    // from CONNECT to CLOSE
	version int     // of the protocol, 6 or 7, 0 unknown
	sure    bool    // the version is known from a handshake
	side    [2]side // client, server
	guard   guard6
	joiner  snapshot.PartAssembler
	store   *snapshot.Store
	next    snapshot.Snapshot
}

// side is what is known of one that sends.
type side struct {
	token    packet.Token // which the other has to use
	hasToken bool
	seq      int // the last vital sequence sent
	hasSeq   bool
}

func sideOf(toServer bool) int {
	if toServer {
		return 0
	}
	return 1
}

// flow finds out which connection a datagram belongs to, and which way it goes.
func (d *Decoder) flow(g *Datagram) (f *flow, toServer bool) {
	toServer = d.toServer(g)
	key := flowKey{g.Src, g.Dst}
	if !toServer {
		key = flowKey{g.Dst, g.Src}
	}
	if f = d.flows[key]; f == nil {
		if len(d.flows) >= maxFlows {
			d.forget()
		}
		d.numbers++
		d.stats.Connections++
		f = &flow{number: d.numbers, store: snapshot.NewStore(snapshot.StoreConfig{MaxBytes: snapshotBytes})}
		d.flows[key] = f
		if len(d.servers) < 1<<16 {
			d.servers[key.server] = true
		}
	}
	f.seen = d.n
	return f, toServer
}

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
	// A server that is known already may have been the first to send.
	return d.servers[g.Dst] || !d.servers[g.Src]
}

// forget drops the connection that was silent longest.
func (d *Decoder) forget() {
	var oldest flowKey
	least := d.n + 1
	for k, f := range d.flows {
		if f.seen < least {
			oldest, least = k, f.seen
		}
	}
	delete(d.flows, oldest)
}

// speak notes the version of the protocol. What was known is of no use if it changes.
func (f *flow) speak(version int, sure bool) {
	f.sure = f.sure || sure
	if f.version == version {
		return
	}
	if f.version != 0 {
		f.open = false
		f.side = [2]side{}
		f.guard = guard6{}
		f.forgetSnapshots()
	}
	f.version = version
}

// handOut notes the token by which a side wants to be addressed.
func (f *flow) handOut(toServer bool, t packet.Token) {
	s := &f.side[sideOf(toServer)]
	s.token, s.hasToken = t, t != packet.NoToken
}

// connect begins anew, unless the CONNECT is one more of the same.
func (f *flow) connect(toServer bool, own packet.Token) {
	c := &f.side[sideOf(toServer)]
	if f.open && c.hasToken && c.token == own {
		return
	}
	f.begin()
}

// begin forgets what was sent: a connection begins.
func (f *flow) begin() {
	f.open = true
	for i := range f.side {
		f.side[i].seq, f.side[i].hasSeq = 0, true
	}
	f.forgetSnapshots()
}

func (f *flow) forgetSnapshots() {
	f.joiner.Reset()
	f.store.Clear()
}

// check compares the token with that which the receiver handed out.
func (f *flow) check(r *Record, toServer bool, p *packet.Packet) {
	to := &f.side[1-sideOf(toServer)]
	request := p.Flags&packet.FlagControl != 0 && p.ControlID() == packet.ControlToken
	if to.hasToken && p.Token != to.token && !request {
		r.fault("token %08x, but the receiver has handed out %08x", uint32(p.Token), uint32(to.token))
	}
}

// ack checks that only what was sent is acknowledged.
func (f *flow) ack(r *Record, toServer bool, ack int) {
	other := &f.side[1-sideOf(toServer)]
	if !other.hasSeq {
		return
	}
	// The original looks back over half of the numbers.
	if behind := (other.seq - ack) & packet.SeqMask; behind >= packet.SeqSpace/2 {
		r.fault("acknowledges %d, but the last sent was %d", ack, other.seq)
	}
}

// vital checks the order of vital chunks.
func (f *flow) vital(r *Record, toServer bool, seq int) {
	s := &f.side[sideOf(toServer)]
	step := (seq - s.seq) & packet.SeqMask
	switch {
	case !s.hasSeq || step == 1:
		s.seq, s.hasSeq = seq, true
	case step == 0 || step >= packet.SeqSpace/2:
		r.Again = true
	default:
		r.fault("sequence %d follows %d: %d vital chunks are not in the capture", seq, s.seq, step-1)
		s.seq = seq
	}
}
