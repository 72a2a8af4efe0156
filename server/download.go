package server

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
)

const (
	// mapWindow is the largest number of unacknowledged chunks per client. The original
	// sends eight and waits for the next request: 220 kB/s at a round trip of 50 ms. A
	// client acknowledges with every request, so a window works with unmodified clients.
	// It starts small enough for the receive buffer of a common system (about 92 such
	// datagrams) and grows with every request.
	mapWindow      = 144
	mapWindowStart = 48
	mapWindowStep  = 8
	// mapChunkOverhead is the most bytes that a message has besides its chunk.
	mapChunkOverhead = 32
	// resendBuffer is the size of a connection's resend buffer in bytes: a window of
	// chunks and some other messages.
	resendBuffer = (mapWindow+4)*(packet.MaxPayload+conn.ResendOverhead) + 16<<10
	// maxSnapBytes is the most memory that a session's stored snapshots take.
	maxSnapBytes = 512 << 10
)

// download is the state of a client's map download.
type download struct {
	gameMap       *bridge.Map // that was announced to the client
	active        bool
	nextChunk     int
	nextRequested int // chunk after the last one that the client named
	window        int // chunks that may be unacknowledged
	maxChunksSent int // largest nextChunk so far
}

// requestMap starts sending the map, or sends more of it. chunk is -1, or the chunk that a
// client of a version with numbers wants. Chunks are sent in order before they are
// requested; a request for an earlier one starts there again.
func (c *session) requestMap(chunk int) {
	d := &c.download
	if chunk >= 0 {
		chunk = min(chunk, len(d.gameMap.File)/c.bridge.MapChunkSize())
		if chunk < d.nextRequested {
			d.nextChunk = chunk
		}
		d.nextRequested = chunk + 1
	}
	d.active = true
	d.window = min(max(d.window+mapWindowStep, mapWindowStart), mapWindow)
	c.continueDownload()
}

// continueDownload sends chunks until the window is full. It is called whenever the client
// may have acknowledged some.
func (c *session) continueDownload() {
	d := &c.download
	if !d.active || c.state < stateConnecting || c.dropping || c.isHeld() {
		return
	}
	m, size := d.gameMap, c.bridge.MapChunkSize()
	sent := false
	for {
		if d.nextChunk*size >= len(m.File) {
			d.active = false
			break
		}
		if n, _ := c.conn.Unacked(); n >= d.window || c.conn.FreeResendBuffer() < size+mapChunkOverhead {
			break
		}
		c.bridge.SendMapData(m, d.nextChunk)
		d.nextChunk++
		sent = true
	}
	if sent {
		if d.nextChunk > d.maxChunksSent { // sending the same again is no progress
			d.maxChunksSent, c.lastProgress = d.nextChunk, c.server.now
		}
		c.conn.Flush(c.server.now)
	}
}
