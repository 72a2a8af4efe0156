// Package dump explains Teeworlds 0.7 traffic: it takes the datagrams of a capture,
// both directions, and says what is in them, chunk by chunk, with the snapshots'
// deltas applied. It never stops at what is broken; it says what is wrong with it.
//
// [ReadCapture] reads pcap and pcapng files, a [Decoder] makes [Record] values of the
// datagrams. All texts of a Record come from the network; its methods write them
// so that they do nothing to a terminal.
package dump

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
)

// Config of a Decoder. The zero value works.
type Config struct {
	// Port is the server's UDP port; datagrams of other ports are skipped. 0: of
	// two addresses, the server is who is sent the first datagram.
	Port uint16
	// Objects lists all objects of every snapshot in its record.
	Objects bool
}

// Datagram is a UDP datagram of a capture.
type Datagram struct {
	// At is the time since the first packet of the capture.
	At       time.Duration
	Src, Dst netip.AddrPort
	// B is the payload. Of a datagram that was not captured whole it is the
	// beginning, and Lost the number of bytes that are missing.
	B    []byte
	Lost int
	// Fault, if not empty, says why the capture's packet is no datagram.
	Fault string
}

// Decoder follows the connections of a capture. Its memory is bounded, whatever the
// capture has in it.
type Decoder struct {
	cfg     Config
	emit    func(*Record)
	n       int // datagrams so far
	flows   map[flowKey]*flow
	servers map[netip.AddrPort]bool
	numbers int
	scratch packet.Scratch
	msgs    msg7.Decoder
	objects msg7.ObjectDecoder
	stats   Stats
}

// Stats counts what a Decoder has seen.
type Stats struct {
	Datagrams   int // of the port that was asked for
	Connections int // pairs of addresses
	Messages    int
	Snapshots   int // whole, with the right checksum
	Unresolved  int // snapshots whose base is not in the capture
	Faults      int
}

// New returns a Decoder that calls emit with each record. The record is emit's only
// until it returns.
func New(cfg Config, emit func(*Record)) *Decoder {
	return &Decoder{cfg: cfg, emit: emit, flows: map[flowKey]*flow{}, servers: map[netip.AddrPort]bool{}}
}

// Stats returns the counts so far.
func (d *Decoder) Stats() Stats { return d.stats }

// Feed explains a datagram. It may change its bytes.
func (d *Decoder) Feed(g *Datagram) {
	d.n++
	r := &Record{Datagram: d.n, At: g.At, Kind: "packet", Bytes: len(g.B)}
	if g.Fault != "" {
		r.Kind = "capture"
		r.fault("%s", g.Fault)
		d.out(r)
		return
	}
	if p := d.cfg.Port; p != 0 && g.Src.Port() != p && g.Dst.Port() != p {
		return
	}
	d.stats.Datagrams++
	f, toServer := d.flow(g)
	r.Conn, r.Src, r.Dst = f.number, g.Src, g.Dst
	r.From = fromServer
	if toServer {
		r.From = fromClient
	}
	if g.Lost > 0 {
		r.fault("%d of %d bytes are not in the capture", g.Lost, len(g.B)+g.Lost)
	}
	d.datagram(f, r, toServer, g.B)
}

// out hands over a record.
func (d *Decoder) out(r *Record) {
	d.stats.Faults += len(r.Faults)
	d.emit(r)
}

// datagram explains the payload of a UDP datagram.
func (d *Decoder) datagram(f *flow, r *Record, toServer bool, b []byte) {
	kind, drop := packet.Classify(b)
	switch kind {
	case packet.KindDrop:
		r.fault("no protocol that is known begins so: %v", drop)
		r.raw(b)
		d.out(r)
		return
	case packet.KindControl6, packet.KindData:
		// Packets of the two versions look alike, so it depends on the connection.
		if f.version == 0 {
			f.version = 6
			if d.reads7(b) {
				f.version = 7
			}
		}
		if f.version == 7 {
			break
		}
		fallthrough
	case packet.KindHalfLife, packet.KindConnless6:
		r.Kind, r.Name = "other", kind.String()
		r.raw(b)
		d.out(r)
		return
	}
	var p packet.Packet
	if err := p.Parse(b, &d.scratch); err != nil {
		r.fault("%v", err)
		r.raw(b)
		d.out(r)
		return
	}
	if p.Flags&packet.Control != 0 {
		f.version = 7
	}
	r.Token, r.HasToken = uint32(p.Token), true
	switch {
	case p.Flags&packet.Connless != 0:
		d.connless(r, &p)
	case p.Flags&packet.Control != 0:
		d.control(f, r, toServer, &p)
	default:
		d.chunks(f, r, toServer, &p)
	}
}

// reads7 tells whether a packet makes sense as one of 0.7.
func (d *Decoder) reads7(b []byte) bool {
	var p packet.Packet
	if p.Parse(b, &d.scratch) != nil {
		return false
	}
	it := p.Chunks()
	var c packet.Chunk
	for it.Next(&c) {
		if _, err := d.msgs.Decode(append([]byte(nil), c.Data...)); err != nil {
			return false
		}
	}
	return it.Err() == nil && len(it.Rest()) == 0
}

// control explains a control message.
func (d *Decoder) control(f *flow, r *Record, toServer bool, p *packet.Packet) {
	r.Kind = "control"
	f.check(r, toServer, p)
	f.ack(r, toServer, p.Ack)
	id := p.ControlID()
	response := func() {
		r.add("token", fmt.Sprintf("%08x", uint32(p.Response)))
		f.handOut(toServer, p.Response)
	}
	switch id {
	case packet.KeepAlive:
		r.Name = "KEEPALIVE"
	case packet.Connect:
		r.Name = "CONNECT"
		f.connect(toServer, p.Response)
		response()
		if !toServer {
			r.fault("servers do not send CONNECT")
		}
	case packet.Accept:
		r.Name = "ACCEPT"
		if toServer {
			r.fault("clients do not send ACCEPT")
		}
	case packet.Close:
		r.Name = "CLOSE"
		r.add("reason", string(p.AppendReason(nil)))
		f.open = false
	case packet.TokenExchange:
		r.Name = "TOKEN"
		response()
		if toServer && p.Token == packet.NoToken && len(p.Payload) < packet.MinTokenRequest {
			r.fault("a request of %d bytes; servers answer from %d on", len(p.Payload), packet.MinTokenRequest)
		}
	default:
		r.Name = fmt.Sprintf("control %d", id)
		r.fault("unknown control message")
	}
	r.Ack, r.HasAck = p.Ack, true
	d.out(r)
}

// chunks explains a packet of chunks: a record for each, or one for the packet if
// it has none.
func (d *Decoder) chunks(f *flow, r *Record, toServer bool, p *packet.Packet) {
	f.check(r, toServer, p)
	f.ack(r, toServer, p.Ack)
	r.Ack, r.HasAck = p.Ack, true
	r.Resend = p.Flags&packet.Resend != 0
	r.Compressed = p.Flags&packet.Compressed != 0
	head := *r
	it := p.Chunks()
	var c packet.Chunk
	n := 0
	for ; it.Next(&c); n++ {
		cr := head
		if n > 0 { // say it once
			cr.Faults, cr.Resend = nil, false
		}
		cr.Bytes = len(c.Data)
		d.chunk(f, &cr, toServer, &c)
	}
	if n > 0 {
		r.Faults = nil
	}
	if err := it.Err(); err != nil {
		r.fault("%v: the header promises %d chunks, %d are whole", err, p.NumChunks, n)
	} else if rest := it.Rest(); len(rest) > 0 {
		r.fault("%d bytes follow the last of %d chunks", len(rest), p.NumChunks)
		r.raw(rest)
	}
	if n == 0 || len(r.Faults) > 0 {
		r.add("chunks", p.NumChunks)
		d.out(r)
	}
}

// chunk explains a chunk.
func (d *Decoder) chunk(f *flow, r *Record, toServer bool, c *packet.Chunk) {
	r.Kind = "chunk"
	vital := c.Flags&packet.Vital != 0
	r.Vital, r.Resent = vital, c.Flags&packet.Resent != 0
	if vital {
		r.Seq = c.Seq
		f.vital(r, toServer, c.Seq)
	}
	d.stats.Messages++
	data := append([]byte(nil), c.Data...) // reading cleans strings in place
	m, err := d.msgs.Decode(data)
	if err != nil {
		r.Name = "?"
		r.fault("%v", err)
		r.raw(c.Data)
		d.out(r)
		return
	}
	id := m.ID()
	r.Kind = "game"
	if id.System() {
		r.Kind = "system"
	}
	r.Name = id.Name()
	r.message(m)
	if n := d.msgs.Surplus(); n > 0 {
		r.fault("%d bytes too many", n)
	}
	if id.Vital() && !vital {
		r.fault("not vital: receivers ignore it")
	}
	if desc := id.Desc(); desc != nil {
		if toServer && desc.Sender == msg7.FromServer || !toServer && desc.Sender == msg7.FromClient {
			r.fault("sent by the wrong side")
		}
	}
	if !toServer {
		d.snapshots(f, r, m)
	}
	d.out(r)
}

// raw adds bytes that could not be explained.
func (r *Record) raw(b []byte) {
	const most = 64
	s := hex.EncodeToString(b[:min(len(b), most)])
	if len(b) > most {
		s += fmt.Sprintf("... (%d bytes)", len(b))
	}
	r.add("hex", s)
}
