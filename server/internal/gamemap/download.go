package gamemap

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/protocol/conn"
)

const (
	// MaxWindow is the largest number of unacknowledged chunks per client. The original sends eight
	// and waits for the next request: 220 kB/s at a round trip of 50 ms. A client acknowledges with
	// every request, so a window works with unmodified clients. It starts with MinWindow, small
	// enough for the receive buffer of a common system (about 92 such datagrams), and grows with
	// every request. After losses the connection's window is smaller.
	MaxWindow  = 144
	MinWindow  = 48
	windowStep = 8
	// BytesPerTick is how much of the map is sent to all clients together in a tick: 26 MB/s, some
	// 4 ms of CPU time per tick.
	BytesPerTick = 512 << 10
	// MaxSends is how many times a client can get the whole map. Clients ask for it once, some
	// again for a chunk that takes long.
	MaxSends = 4
	// chunkOverhead is the largest number of bytes in a message besides its chunk.
	chunkOverhead = 32
)

// A value of sv_map_download_speed below unlimitedSpeed is a limit of speedUnit bytes per second
// for each client. The original sends that much per unit at a round trip of 43 ms.
const (
	unlimitedSpeed = 8
	speedUnit      = 32 << 10
)

// rate returns how many bytes per second a client that downloads the map may be sent, 0 for any
// number.
func rate(speed int) int {
	if speed >= unlimitedSpeed {
		return 0
	}
	return speed * speedUnit
}

// chunksPerRequest returns how many chunks clients request at once: an eighth of the setting, 1 or
// 2. They acknowledge nothing else, and on a bad network must do that often.
func chunksPerRequest(speed int) int { return (speed + 7) / 8 }

// Download is the download of a map by a client. The zero value is idle.
type Download struct {
	file          *bridge.Map // announced to the client
	active        bool
	nextChunk     int
	nextRequested int   // chunk after the last one that the client named
	window        int   // chunks that may be unacknowledged
	maxChunksSent int   // largest nextChunk so far
	chunksSent    int   // all of them, with repeated ones
	tick          int32 // when it began to use up left
	left          int   // bytes that may be sent in that tick
}

// Announce is called when the server tells the client about a file.
func (d *Download) Announce(file *bridge.Map) { *d = Download{file: file, tick: -1} }

// File returns the file that the client may download.
func (d *Download) File() *bridge.Map { return d.file }

// Active reports whether the client waits for chunks.
func (d *Download) Active() bool { return d.active }

// Receiver sends chunks to a client. It is a part of bridge.ServerSide.
type Receiver interface {
	// SendMapData sends the chunk that starts at chunk times MapChunkSize.
	SendMapData(m *bridge.Map, chunk int)
	// MapChunkSize returns the number of bytes in one chunk.
	MapChunkSize() int
}

// Downloads send maps to all clients of a server, within their bandwidth.
type Downloads struct {
	host      Host
	settings  *Settings
	budget    budget
	nextBurst conn.Time // over bad networks, 0 without one
}

// NextBurst returns when downloads over bad networks continue, 0 without such downloads. BurstDue
// must be called then.
func (s *Downloads) NextBurst() conn.Time { return s.nextBurst }

// BurstDue reports whether downloads whose connections have a backlog continue now.
func (s *Downloads) BurstDue(now conn.Time) bool {
	if s.nextBurst == 0 || now < s.nextBurst {
		return false
	}
	s.nextBurst = 0
	return true
}

// Request handles a request of the client. chunk is -1, or the number of a chunk in versions with
// numbers. The server sends chunks in order before they are requested, and starts again at an
// earlier one that is. Call Send next.
func (s *Downloads) Request(d *Download, c *conn.Conn, to Receiver, chunk int) {
	step := d.file.ChunksPerRequest
	if chunk >= 0 {
		chunk = min(chunk, len(d.file.File)/to.MapChunkSize())
		if chunk < d.nextRequested {
			d.nextChunk = chunk
		}
		d.nextRequested = chunk + 1
		step = windowStep
	}
	c.ExpectAcks()
	d.active = true
	d.window = min(max(d.window+step, MinWindow), MaxWindow)
}

// Send sends chunks until the window is full. Call it whenever the client may have acknowledged
// some. progress reports whether the client got new chunks, and flood whether its download has
// ended because it requested too many.
func (s *Downloads) Send(d *Download, c *conn.Conn, to Receiver) (progress, flood bool) {
	c.LimitRate(rate(s.settings.DownloadSpeed))
	size := to.MapChunkSize()
	most := MaxSends * (len(d.file.File)/size + 1)
	sent := false
	for {
		if d.nextChunk*size >= len(d.file.File) {
			d.active = false
			break
		}
		if flood = d.chunksSent >= most; flood {
			d.active = false
			break
		}
		if c.HasBacklog() {
			if s.nextBurst == 0 {
				s.nextBurst = s.host.Now().Add(conn.BurstInterval)
			}
			break
		}
		if n, _ := c.Unacked(); n >= d.window || c.FreeResendBuffer() < size+chunkOverhead {
			break
		}
		if !s.budget.take(s.host.Tick(), d, size+chunkOverhead) {
			break
		}
		to.SendMapData(d.file, d.nextChunk)
		d.nextChunk++
		d.chunksSent++
		sent = true
	}
	if sent {
		progress = d.nextChunk > d.maxChunksSent // sending the same again is no progress
		d.maxChunksSent = max(d.maxChunksSent, d.nextChunk)
		c.Flush(s.host.Now())
	}
	return progress, flood
}

// budget is what may be sent of the map in a tick. The downloads get equal shares, as
// many as there were downloads in the tick before.
type budget struct {
	tick      int32
	left      int // bytes, of all downloads
	share     int // bytes, of each
	downloads int // so far in this tick
}

// take reports whether n bytes of the map may be sent to a client now, and counts them.
func (b *budget) take(tick int32, d *Download, n int) bool {
	if b.tick != tick || b.share == 0 {
		*b = budget{tick: tick, left: BytesPerTick, share: BytesPerTick / max(1, b.downloads)}
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
