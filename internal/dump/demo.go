package dump

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"io"
	"time"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// IsDemo reports whether a file that begins with b is a demo.
func IsDemo(b []byte) bool { return bytes.HasPrefix(b, []byte("TWDEMO\x00")) }

// ReadDemo explains a demo chunk by chunk. The Datagram of a Record is the number of the chunk, its
// Time the time in the demo, and its field "offset" the place in the file. Messages are explained
// as in captures. The other kinds are "tick" and "snapshot". ReadDemo returns an error for the
// header, for the first broken chunk, or if reading cannot continue.
func (d *Decoder) ReadDemo(r io.Reader) error {
	file, err := demo.NewReader(r)
	if err != nil {
		return err
	}
	h := file.Header()
	fs := Fields{
		{"version", h.Version}, {"protocol", h.NetVersion}, {"type", h.Type}, {"map", h.MapName},
		{"map_bytes", len(file.Map())}, {"time", h.Time}, {"seconds", h.Length}, {"markers", append([]int32{}, h.Markers...)},
	}
	if h.MapSHA256 != [32]byte{} {
		fs = append(fs, Field{"map_sha256", hex.EncodeToString(h.MapSHA256[:])})
	}
	d.emitRecord(&Record{Kind: "demo", Name: "header", Fields: fs, InFile: true})
	var (
		c      demo.Chunk
		last   snapshot.Snapshot
		first  = int32(-1)
		broken error
	)
	for {
		err := file.Next(&c)
		if err != nil && !errors.Is(err, demo.ErrChunk) {
			if err == io.EOF {
				err = nil
			}
			return cmp.Or(broken, err)
		}
		broken = cmp.Or(broken, err)
		if first < 0 {
			first = c.Tick
		}
		d.numDatagrams++
		record := &Record{Datagram: d.numDatagrams, InFile: true, Size: c.Size}
		record.Time = time.Duration(max(c.Tick, 0)-max(first, 0)) * time.Second / demo.TickRate
		if err != nil {
			record.addFault("%v", err)
		}
		d.explainDemoChunk(record, h.Protocol(), &c, &last)
		record.addField("offset", c.Offset)
		d.emitRecord(record)
	}
}

// explainDemoChunk explains a chunk. last is the snapshot before it.
func (d *Decoder) explainDemoChunk(r *Record, protocol int, c *demo.Chunk, last *snapshot.Snapshot) {
	switch c.Kind {
	case demo.KindTick:
		r.Kind = "tick"
		r.addField("tick", c.Tick)
		if c.Keyframe {
			r.addField("keyframe", true)
		}
	case demo.KindSnapshot, demo.KindDelta:
		r.Kind, r.Name = "snapshot", "whole"
		base := (*snapshot.Snapshot)(nil)
		if c.Kind == demo.KindDelta {
			r.Name, base = "delta", last
		}
		if c.Snapshot == nil {
			if len(r.Faults) == 0 {
				d.stats.Unresolved++
				r.addField("unresolved", "its base is missing or broken")
			}
			return
		}
		d.stats.Snapshots++
		d.describeSnapshot(r, protocol, base, c.Snapshot)
		last.CopyFrom(c.Snapshot)
	case demo.KindMessage:
		d.explainDemoMessage(r, protocol, c.Message)
	default:
		r.Kind = "chunk"
	}
}

func (d *Decoder) explainDemoMessage(r *Record, protocol int, b []byte) {
	d.stats.Messages++
	r.Kind = "chunk"
	if len(r.Faults) > 0 {
		return
	}
	const padding = 3 // the largest padding: a demo does not store lengths
	d.explainMessage(r, protocol, b, padding)
}
