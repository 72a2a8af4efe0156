package server

import (
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

const (
	// mapChunk is how many bytes of the map one MAP_DATA carries: what fits a
	// datagram beside the headers.
	mapChunk = 1384
	// mapWindow is how many chunks may be on their way to one client. The
	// original sends eight and waits for the next request, so at 50 ms round
	// trip it manages 220 kB/s. A client acknowledges with every request, so a
	// window works with unmodified clients. It starts small enough for the
	// receive buffer of a common system (about 92 such datagrams) and grows
	// with every request, which then paces what is sent.
	mapWindow      = 144
	mapWindowStart = 48
	mapWindowStep  = 8
	// resendBuffer holds a window of chunks and some messages besides.
	resendBuffer = (mapWindow+4)*(mapChunk+8+conn.ChunkCost) + 16<<10
	// maxSnapBytes bounds what a session's stored snapshots take.
	maxSnapBytes = 512 << 10
)

// download is how far a client got the map.
type download struct {
	active bool
	next   int // chunk
	window int // chunks that may be unacknowledged
}

// onMapRequest starts sending the map, or sends more of it.
func (c *session) onMapRequest() {
	d := &c.download
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
	file := c.srv.gameMap.file
	sent := false
	for {
		from := d.next * mapChunk
		if from >= len(file) {
			d.active = false
			break
		}
		if n, _ := c.conn.Pending(); n >= d.window {
			break
		}
		to := min(from+mapChunk, len(file))
		m := msg7.MapData{Data: file[from:to]}
		c.srv.buf = m.Append(c.srv.buf[:0])
		if c.conn.Room() < len(c.srv.buf) {
			break
		}
		c.queue(c.srv.buf, true)
		d.next++
		sent = true
	}
	if sent {
		c.progress = c.now
		c.conn.Flush(c.now)
	}
}
