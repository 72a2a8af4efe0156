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
	// datagrams) and grows with every request. After losses the connection's is smaller.
	mapWindow      = 144
	mapWindowStart = 48
	mapWindowStep  = 8
	// mapBytesPerTick is how much of the map is sent to all clients together in a tick:
	// 26 MB/s, some 4 ms of CPU time per tick.
	mapBytesPerTick = 512 << 10
	// maxMapSends is how many times a client can have the whole map. Clients ask for it
	// once, some again for a chunk that takes long.
	maxMapSends = 4
	// mapChunkOverhead is the most bytes that a message has besides its chunk.
	mapChunkOverhead = 32
	// resendBuffer is the size of a connection's resend buffer in bytes: a window of
	// chunks and some other messages.
	resendBuffer = (mapWindow+4)*(packet.MaxPayload+conn.ResendOverhead) + 16<<10
	// maxSnapBytes is the most memory that a session's stored snapshots take.
	maxSnapBytes = 512 << 10
)

// A setting of sv_map_download_speed below unlimitedSpeed is a limit of speedUnit bytes per second
// for each client. That is what the original sends per unit at a round trip of 43 ms.
const (
	unlimitedSpeed = 8
	speedUnit      = 32 << 10
)

// downloadRate returns how many bytes a client that downloads the map may be sent per second,
// 0 for any number.
func downloadRate(setting int) int {
	if setting >= unlimitedSpeed {
		return 0
	}
	return setting * speedUnit
}

// chunksPerRequest returns how many chunks clients request at once: an eighth of the setting,
// 1 or 2. They acknowledge nothing else, and on a bad network need to often.
func chunksPerRequest(setting int) int { return (setting + 7) / 8 }

// download is the state of a client's map download.
type download struct {
	gameMap       *bridge.Map // that was announced to the client
	active        bool
	nextChunk     int
	nextRequested int   // chunk after the last one that the client named
	window        int   // chunks that may be unacknowledged
	maxChunksSent int   // largest nextChunk so far
	chunksSent    int   // all of them, repeated ones included
	tick          int32 // when it began to use up left
	left          int   // bytes that may be sent in that tick
}

// mapBudget is what may be sent of the map in a tick. The downloads have equal shares, as
// many as there were in the tick before.
type mapBudget struct {
	tick      int32
	left      int // bytes, of all downloads
	share     int // bytes, of each
	downloads int // so far in this tick
}

// take reports whether n bytes of the map may be sent to a client now, and counts them.
func (b *mapBudget) take(tick int32, d *download, n int) bool {
	if b.tick != tick || b.share == 0 {
		*b = mapBudget{tick: tick, left: mapBytesPerTick, share: mapBytesPerTick / max(1, b.downloads)}
	}
	if d.tick != tick {
		b.downloads++
		d.tick, d.left = tick, b.share
	}
	if min(b.left, d.left) < n {
		return false
	}
	b.left -= n
	d.left -= n
	return true
}

// requestMap starts sending the map, or sends more of it. chunk is -1, or the chunk that a
// client of a version with numbers wants. Chunks are sent in order before they are
// requested; a request for an earlier one starts there again.
func (c *session) requestMap(chunk int) {
	d := &c.download
	step := d.gameMap.ChunksPerRequest
	if chunk >= 0 {
		chunk = min(chunk, len(d.gameMap.File)/c.bridge.MapChunkSize())
		if chunk < d.nextRequested {
			d.nextChunk = chunk
		}
		d.nextRequested = chunk + 1
		step = mapWindowStep
	}
	c.conn.ExpectAcks()
	d.active = true
	d.window = min(max(d.window+step, mapWindowStart), mapWindow)
	c.continueDownload()
}

// continueDownload sends chunks until the window is full. It is called whenever the client
// may have acknowledged some.
func (c *session) continueDownload() {
	d := &c.download
	if !d.active || c.state < stateConnecting || c.dropping || c.isHeld() {
		return
	}
	c.conn.LimitRate(downloadRate(c.server.settings.MapDownloadSpeed))
	m, size := d.gameMap, c.bridge.MapChunkSize()
	most := maxMapSends * (len(m.File)/size + 1)
	sent := false
	for {
		if d.nextChunk*size >= len(m.File) {
			d.active = false
			break
		}
		if d.chunksSent >= most {
			d.active = false
			c.server.countDrop(dropFlood)
			break
		}
		if c.conn.HasBacklog() {
			if c.server.nextBurst == 0 {
				c.server.nextBurst = c.server.now.Add(conn.BurstInterval)
			}
			break
		}
		if n, _ := c.conn.Unacked(); n >= d.window || c.conn.FreeResendBuffer() < size+mapChunkOverhead {
			break
		}
		if !c.server.mapBudget.take(c.server.clock.tick, d, size+mapChunkOverhead) {
			break
		}
		c.bridge.SendMapData(m, d.nextChunk)
		d.nextChunk++
		d.chunksSent++
		sent = true
	}
	if sent {
		if d.nextChunk > d.maxChunksSent { // sending the same again is no progress
			d.maxChunksSent, c.lastProgress = d.nextChunk, c.server.now
		}
		c.conn.Flush(c.server.now)
	}
}

// continueDownloads continues those that wait for the next burst.
func (s *Server) continueDownloads(now conn.Time) {
	s.nextBurst = 0
	for _, c := range s.sessions {
		if c != nil && c.download.active && c.conn.HasBacklog() {
			c.conn.Update(now)
			c.continueDownload()
		}
	}
}
