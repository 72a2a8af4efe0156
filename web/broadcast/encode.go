package broadcast

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/format/demo"
)

// encode encodes batches until there are no more.
func (b *Broadcast) encode() {
	defer close(b.done)
	c := cutter{shelf: &b.shelf}
	var warned *match
	for batch := range b.jobs {
		c.add(batch)
		if b.keeper != nil {
			b.keeper.poke()
		}
		if m := c.match; m != nil && m != warned && b.log != nil && b.isTooLong(m, batch.at) {
			warned = m
			b.log.Warn(fmt.Sprintf("match %s cannot be watched: %s", m.id, tooLong))
		}
		batch.match = nil
		b.blank <- batch
	}
	c.finish()
}

// isTooLong reports whether segments of the last match are dropped before they may be seen.
func (b *Broadcast) isTooLong(m *match, now time.Time) bool {
	b.shelf.mu.Lock()
	defer b.shelf.mu.Unlock()
	return m.losesUnseen(&viewer{until: now.Add(-b.Delay())})
}

// cutter cuts the encoded records of matches into segments.
type cutter struct {
	shelf   *shelf
	match   *match // nil for none
	encoder *demo.Encoder
	last    segment   // the growing segment
	people  time.Time // time of the last record with players
	size    int       // expected size, in bytes
	zipper  *gzip.Writer
	zipped  bytes.Buffer
}

// add encodes a batch.
func (c *cutter) add(b *batch) {
	if b.match != c.match {
		c.finish()
	}
	marks := b.marks
	for i := range b.records[:b.n] {
		r := &b.records[i]
		if c.match == nil {
			c.match, c.encoder = b.match, demo.NewEncoder(&b.match.header)
			c.shelf.begin(c.match)
		}
		if r.Keyframe {
			c.cut()
		}
		if c.last.data == nil {
			c.last.data = make([]byte, 0, c.size)
		}
		c.last.data = r.Append(c.last.data, c.encoder)
		c.last.lastTick, c.last.at = r.Tick, b.at
		for ; len(marks) > 0 && marks[0].record == i; marks = marks[1:] {
			c.last.addMark(marks[0].Mark)
		}
		if b.people[i] {
			c.people = b.at
		}
		if c.last.lastTick >= c.match.firstTick+int32(len(c.match.segments)+1)*segmentTicks-2 {
			c.cut()
		}
	}
	if c.match != nil {
		c.shelf.note(c.match, b)
	}
	if b.ends {
		c.finish()
	}
}

// cut ends the segment.
func (c *cutter) cut() {
	if len(c.last.data) > 0 {
		c.last.zipped = c.zip(c.last.data)
		c.last.public = c.people
		c.size = len(c.last.data) + len(c.last.data)/8
		c.shelf.add(c.match, c.last)
		c.last = segment{}
	}
}

// minZipped is the least size of a segment to compress, in bytes. A smaller one needs one packet in
// any case, and a server without players then never needs the 800 kB of a compressor.
const minZipped = 1000

// zip compresses a segment for clients that accept gzip. It returns nil if that saves too little.
func (c *cutter) zip(data []byte) []byte {
	if len(data) < minZipped {
		return nil
	}
	c.zipped.Reset()
	if c.zipper == nil {
		c.zipper = gzip.NewWriter(&c.zipped)
	}
	c.zipper.Reset(&c.zipped)
	c.zipper.Write(data)
	if c.zipper.Close() != nil || c.zipped.Len() > len(data)*9/10 {
		return nil
	}
	return bytes.Clone(c.zipped.Bytes())
}

// finish ends the match, if there is one.
func (c *cutter) finish() {
	if c.match == nil {
		return
	}
	c.cut()
	c.shelf.end(c.match)
	c.match, c.encoder = nil, nil
}
