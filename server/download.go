package server

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
)

const (
	// mapWindow is how many chunks may be on their way to one client. The
	// original sends eight and waits for the next request, so at 50 ms round
	// trip it manages 220 kB/s. A client acknowledges with every request, so a
	// window works with unmodified clients. It starts small enough for the
	// receive buffer of a common system (about 92 such datagrams) and grows
	// with every request, which then paces what is sent.
	mapWindow      = 144
	mapWindowStart = 48
	mapWindowStep  = 8
	// mapChunkOverhead is what the message around a chunk takes, at most.
	mapChunkOverhead = 32
	// resendBuffer holds a window of chunks and some messages besides.
	resendBuffer = (mapWindow+4)*(packet.MaxPayload+conn.ResendOverhead) + 16<<10
	// maxSnapBytes bounds what a session's stored snapshots take.
	maxSnapBytes = 512 << 10
)

// download is how far a client got the map.
type download struct {
	file      *bridge.Map // that the client was told of
	active    bool
	nextChunk int // chunk
	requested int // the chunk after the last one that was named
	window    int // chunks that may be unacknowledged
	furthest  int // chunks sent when more were sent than ever before
}

// requestMap starts sending the map, or sends more of it. Clients that name the
// chunk they want do so in its order, and get it before they ask; one that asks
// for an earlier chunk begins anew. There are no chunks beyond the end.
func (c *session) requestMap(chunk int) {
	d := &c.download
	if chunk >= 0 {
		chunk = min(chunk, len(d.file.File)/c.host.MapChunkSize())
		if chunk < d.requested {
			d.nextChunk = chunk
		}
		d.requested = chunk + 1
	}
	d.active = true
	d.window = min(max(d.window+mapWindowStep, mapWindowStart), mapWindow)
	c.continueDownload()
}

// continueDownload fills the window. It is called whenever the client may have
// acknowledged something.
func (c *session) continueDownload() {
	d := &c.download
	if !d.active || c.state != stateConnecting || c.dropping {
		return
	}
	m, size := d.file, c.host.MapChunkSize()
	sent := false
	for {
		if d.nextChunk*size >= len(m.File) {
			d.active = false
			break
		}
		if n, _ := c.conn.Unacked(); n >= d.window || c.conn.FreeResendBuffer() < size+mapChunkOverhead {
			break
		}
		c.host.SendMapData(m, d.nextChunk)
		d.nextChunk++
		sent = true
	}
	if sent {
		if d.nextChunk > d.furthest { // to hear the same again is no progress
			d.furthest, c.lastProgress = d.nextChunk, c.server.now
		}
		c.conn.Flush(c.server.now)
	}
}
