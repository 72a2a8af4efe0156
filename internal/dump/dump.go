// Package dump explains the traffic of Teeworlds 0.7, 0.6 and DDNet. It takes the datagrams of a
// capture in both directions and decodes them chunk by chunk, with the deltas of snapshots applied.
// It reports errors and continues after them.
//
// The handshake of a connection shows its version. Without a handshake, the form of the packets
// shows it.
//
// [ReadCapture] reads pcap and pcapng files, and a [Decoder] makes a [Record] for each chunk. It
// also explains demos ([Decoder.ReadDemo]) and teehistorians ([Decoder.ReadTeehistorian]). All
// texts in a Record come from the network; its methods escape control characters in them.
package dump

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/protocol/huffman"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
)

// Config configures a Decoder. The zero value works.
type Config struct {
	// Port is the server's UDP port; other datagrams are skipped. If it is 0, handshakes and
	// messages show which side is the server. Until then, the receiver of the first datagram is
	// the server.
	Port uint16
	// Objects adds all objects of every snapshot to its record.
	Objects bool
	// Changes adds the difference of every snapshot to its base: new objects, the fields that
	// changed, and the names of objects that are gone.
	Changes bool
}

// Datagram is a UDP datagram of a capture.
type Datagram struct {
	// Time is the time since the first packet of the capture.
	Time     time.Duration
	Src, Dst netip.AddrPort
	// Payload is the content. If the capture lacks a part of it, Payload is the beginning and
	// Missing the number of missing bytes.
	Payload []byte
	Missing int
	// Fault, if not empty, says why the captured packet is not a datagram.
	Fault string
}

// Decoder follows the connections of a capture. Its memory is limited.
type Decoder struct {
	cfg            Config
	emit           func(*Record)
	numDatagrams   int // datagrams so far
	flows          map[flowKey]*flow
	servers        map[netip.AddrPort]bool
	lastFlowNumber int
	scratch        packet.Scratch
	stats          Stats

	msgs6    msg6.Decoder
	objects6 msg6.ObjectDecoder
	registry msg6.TypeRegistry
	msgs7    msg7.Decoder
	objects7 msg7.ObjectDecoder
}

// Stats counts what a Decoder has decoded.
type Stats struct {
	Datagrams   int // to or from Config.Port
	Connections int // pairs of addresses
	Messages    int
	Snapshots   int // complete, with the right checksum
	Unresolved  int // snapshots whose base is not in the capture
	Faults      int
}

// New returns a Decoder that calls emit with each record. The record is valid until emit returns.
func New(cfg Config, emit func(*Record)) *Decoder {
	return &Decoder{cfg: cfg, emit: emit, flows: map[flowKey]*flow{}, servers: map[netip.AddrPort]bool{}}
}

// Stats returns the counters so far.
func (d *Decoder) Stats() Stats { return d.stats }

// Feed explains a datagram. It may change the datagram's bytes.
func (d *Decoder) Feed(g *Datagram) {
	d.numDatagrams++
	r := &Record{Datagram: d.numDatagrams, Time: g.Time, Kind: "packet", Size: len(g.Payload)}
	if g.Fault != "" {
		r.Kind = "capture"
		r.addFault("%s", g.Fault)
		d.emitRecord(r)
		return
	}
	if p := d.cfg.Port; p != 0 && g.Src.Port() != p && g.Dst.Port() != p {
		return
	}
	d.stats.Datagrams++
	f, toServer := d.flowOf(g)
	rest := d.cutRun(f, g.Payload)
	b := g.Payload[:len(g.Payload)-len(rest)]
	toServer = d.checkSides(f, g, b, toServer)
	r.Conn, r.Src, r.Dst, r.Size = f.id, g.Src, g.Dst, len(b)
	r.From = fromServer
	if toServer {
		r.From = fromClient
	}
	if g.Missing > 0 {
		r.addFault("%d of %d bytes are not in the capture", g.Missing, len(g.Payload)+g.Missing)
	}
	d.explainPayload(f, r, toServer, b)
	if len(rest) > 0 {
		next := *g
		next.Payload = rest
		d.Feed(&next)
	}
}

// cutRun returns the bytes after the first packet of a datagram, if that packet is compressed. A
// capture on the server's machine may show several datagrams to a client as a single datagram. The
// server gave them to the system in this form, with zeros between them ([transport.Padder]).
func (d *Decoder) cutRun(f *flow, b []byte) (rest []byte) {
	first := b[:min(len(b), packet.HeaderSize+packet.MaxPayload)] // the longest packet of 0.7, and longer than any compressed one
	var flags packet.Flags
	var payload []byte
	switch f.version {
	case 6:
		var p packet.Packet6
		if p.ParseHeader(first) == nil {
			flags, payload = p.Flags, p.Payload
		}
	case 7:
		var p packet.Packet
		if p.ParseHeader(first) == nil {
			flags, payload = p.Flags, p.Payload
		}
	}
	if flags&packet.FlagCompressed == 0 {
		return nil
	}
	text, err := huffman.AppendDecompress(d.scratch[:0], payload, len(d.scratch))
	if err != nil {
		return nil
	}
	end := len(first) - len(payload) + len(huffman.AppendCompress(nil, text))
	return bytes.TrimLeft(b[min(end, len(b)):], "\x00")
}

// emitRecord counts and emits a record.
func (d *Decoder) emitRecord(r *Record) {
	d.stats.Faults += len(r.Faults)
	d.emit(r)
}

// explainPayload explains the payload of a datagram.
func (d *Decoder) explainPayload(f *flow, r *Record, toServer bool, b []byte) {
	kind, drop := packet.Classify(b)
	switch kind {
	case packet.KindDrop:
		r.addFault("unknown protocol: %v", drop)
		r.addHex(b)
		d.emitRecord(r)
	case packet.KindHalfLife:
		r.Kind, r.Name = "other", kind.String()
		r.addHex(b)
		d.emitRecord(r)
	case packet.KindConnless6:
		d.explainPacket6(f, r, toServer, b)
	case packet.KindConnless7:
		d.explainPacket7(f, r, toServer, b)
	default:
		if d.detectVersion(f, kind, b); f.version == 6 {
			d.explainPacket6(f, r, toServer, b)
		} else {
			d.explainPacket7(f, r, toServer, b)
		}
	}
}

// detectVersion detects the version of a connection. Packets of both versions look alike, so the
// result also depends on the packets before.
func (d *Decoder) detectVersion(f *flow, kind packet.Kind, b []byte) {
	switch {
	case kind == packet.KindControl7:
		f.setVersion(7, true)
	case isConnect6(b):
		f.setVersion(6, true)
	case f.versionKnown:
	case packet.IsClearly6(b):
		f.setVersion(6, false)
	case packet.IsClearly7(b):
		f.setVersion(7, false)
	case f.version != 0:
	case d.decodesAs7(b):
		f.setVersion(7, false)
	default:
		f.setVersion(6, false)
	}
}

// isConnect6 reports whether a packet is a CONNECT of 0.6. Such a packet cannot be valid in 0.7,
// where it would be compressed and without chunks.
func isConnect6(b []byte) bool {
	var p packet.Packet6
	return packet.IsClearly6(b) && p.ParseHeader(b) == nil && p.Flags&packet.FlagControl != 0 && p.ControlID() == packet.ControlConnect
}

// decodesAs7 reports whether a packet can be decoded completely as a packet of 0.7.
func (d *Decoder) decodesAs7(b []byte) bool {
	var p packet.Packet
	if p.Parse(b, &d.scratch) != nil {
		return false
	}
	it := p.Chunks()
	var c packet.Chunk
	for it.Next(&c) {
		if _, err := d.msgs7.Decode(bytes.Clone(c.Data)); err != nil {
			return false
		}
	}
	return it.Err() == nil && len(it.Rest()) == 0
}

// explainData explains a packet of chunks. It emits a record for each chunk, or one for the whole
// packet if it has none.
func (d *Decoder) explainData(f *flow, r *Record, toServer bool, ack int, flags packet.Flags, it packet.ChunkReader, promised int) {
	f.checkAck(r, toServer, ack)
	r.Ack, r.HasAck = ack, true
	r.Resend = flags&packet.FlagResend != 0
	r.Compressed = flags&packet.FlagCompressed != 0
	head := *r
	var c packet.Chunk
	n := 0
	for ; it.Next(&c); n++ {
		cr := head
		if n > 0 { // these belong to the packet, so only its first record has them
			cr.Faults, cr.Resend = nil, false
		}
		cr.Size = len(c.Data)
		d.explainChunk(f, &cr, toServer, &c)
	}
	if n > 0 {
		r.Faults = nil
	}
	if err := it.Err(); err != nil {
		r.addFault("%v: the header announces %d chunks, but %d are complete", err, promised, n)
	} else if rest := it.Rest(); len(rest) > 0 {
		r.addFault("%d bytes follow the last of %d chunks", len(rest), promised)
		r.addHex(rest)
	}
	if n == 0 || len(r.Faults) > 0 {
		r.addField("chunks", promised)
		d.emitRecord(r)
	}
}

// explainChunk explains a chunk.
func (d *Decoder) explainChunk(f *flow, r *Record, toServer bool, c *packet.Chunk) {
	r.Kind = "chunk"
	vital := c.Flags&packet.ChunkVital != 0
	r.Vital, r.Resent = vital, c.Flags&packet.ChunkResent != 0
	if vital {
		r.Seq = c.Seq
		f.checkSequence(r, toServer, c.Seq)
	}
	d.stats.Messages++
	m, ok := d.explainMessage(r, f.version, c.Data, 0)
	if !ok {
		d.emitRecord(r)
		return
	}
	if m.vital && !vital {
		r.addFault("not vital, so receivers ignore it")
	}
	if toServer && m.serverOnly || !toServer && m.clientOnly {
		r.addFault("sent by the wrong side")
	}
	if !toServer {
		d.decodeSnapshot(f, r, m.body)
	}
	d.emitRecord(r)
}

// explainMessage explains a message. Up to padding bytes may follow it. It returns false if it
// could not decode the message.
func (d *Decoder) explainMessage(r *Record, protocol int, b []byte, padding int) (message, bool) {
	m, err := d.decodeMessage(protocol, bytes.Clone(b)) // decoding sanitises strings in place
	if err != nil {
		r.Name = "?"
		r.addFault("%v", err)
		r.addHex(b)
		return m, false
	}
	r.Kind = "game"
	if m.system {
		r.Kind = "system"
	}
	r.Name = m.name
	r.addMessage(m.body)
	if m.extraBytes > padding {
		r.addFault("%d bytes too many", m.extraBytes)
	}
	return m, true
}

// addHex adds bytes that could not be decoded.
func (r *Record) addHex(b []byte) {
	const most = 64
	s := hex.EncodeToString(b[:min(len(b), most)])
	if len(b) > most {
		s += fmt.Sprintf("... (%d bytes)", len(b))
	}
	r.addField("hex", s)
}
