package client

import (
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/protocol/conn"
)

// maxMapSize is the largest map that the client downloads, in bytes.
const maxMapSize = 64 << 20

// mapDownload is the state of a download. Its memory grows with the received data, not with the
// announced size.
type mapDownload struct {
	bridge.MapChange
	file      []byte
	received  int // number of chunks
	requested int // number of chunks, if chunks are numbered
	active    bool
	awaited   bool // the owner fetches the map
}

// OnMapChange loads or downloads another map.
func (n sessionHandler) OnMapChange(m *bridge.MapChange) {
	c := n.Session
	c.download = mapDownload{}
	switch {
	case strings.ContainsAny(m.Name, "/\\:") || m.Name == "" || strings.HasPrefix(m.Name, "."):
		c.fail(fmt.Errorf("%w: invalid character in the map name %q", ErrMap, m.Name))
		return
	case m.Refusal != "" && !c.cfg.ConsoleOnly: // the console needs no map
		c.fail(fmt.Errorf("%w: %q: %s", ErrMap, m.Name, m.Refusal))
		return
	case m.Size <= 0 || m.Size > maxMapSize:
		c.fail(fmt.Errorf("%w: invalid map size %d", ErrMap, m.Size))
		return
	}
	c.state = Loading
	c.side.Reset()
	if c.cfg.HasMap != nil && c.cfg.HasMap(m) {
		if !c.cfg.ConsoleOnly {
			c.side.SendReady()
		}
		c.conn.Flush(c.now)
		return
	}
	if !m.ChunksNumbered && (m.ChunksPerRequest <= 0 || m.ChunkSize <= 0) {
		c.fail(fmt.Errorf("%w: announced in chunks of %d bytes, %d per request", ErrMap, m.ChunkSize, m.ChunksPerRequest))
		return
	}
	c.download = mapDownload{MapChange: *m, awaited: true}
	if !c.cfg.FetchMaps {
		c.DownloadMap(c.now)
	}
}

// DownloadMap downloads the map that the session waits for. It does nothing if it waits for none.
// See SessionConfig.FetchMaps.
func (c *Session) DownloadMap(now conn.Time) {
	d := &c.download
	if !d.awaited {
		return
	}
	c.now, d.awaited, d.active = now, false, true
	c.reportProgress()
	if d.ChunksNumbered {
		c.requestChunks()
	} else {
		c.side.SendRequestMapData(0)
	}
	c.conn.Flush(c.now)
}

// UseMap continues without a download: the owner has the map that the session waits for. It returns
// an error that wraps ErrMap if the file is not that map. See SessionConfig.FetchMaps.
func (c *Session) UseMap(now conn.Time, file []byte) error {
	d := &c.download
	switch {
	case !d.awaited:
		return fmt.Errorf("%w: the client does not wait for a map", ErrMap)
	case len(file) != d.Size || !d.fits(file):
		return fmt.Errorf("%w: the file of %d bytes is not the announced map %q of %d bytes", ErrMap, len(file), d.Name, d.Size)
	}
	c.now = now
	return c.finishMap(file)
}

// fits reports whether a file has the announced checksums.
func (d *mapDownload) fits(file []byte) bool {
	return crc32.ChecksumIEEE(file) == d.CRC && (!d.HasSHA256 || sha256.Sum256(file) == d.SHA256)
}

// finishMap reports the map to the owner and tells the server that the client is ready.
func (c *Session) finishMap(file []byte) error {
	if c.cfg.OnMap != nil {
		if c.cfg.OnMap(c.download.Name, file); c.state == Offline {
			return c.err
		}
	}
	c.download = mapDownload{}
	c.side.SendReady()
	c.conn.Flush(c.now)
	return nil
}

// chunkWindow is the number of numbered chunks to request ahead. A server that does not limit its
// sending keeps that many in its resend buffer.
const chunkWindow = 8

// requestChunks requests the next numbered chunks: as many as the window and the size of the map
// allow, but at least one.
func (c *Session) requestChunks() {
	d := &c.download
	chunkSize := d.ChunkSize
	if chunkSize == 0 {
		chunkSize = maxNumberedChunk
	}
	for d.requested == d.received || d.requested < d.received+chunkWindow && d.requested*chunkSize < d.Size {
		c.side.SendRequestMapData(d.requested)
		d.requested++
	}
}

// maxNumberedChunk exceeds the size of any numbered chunk, in bytes.
const maxNumberedChunk = 1024

func (c *Session) reportProgress() {
	if d := &c.download; c.cfg.OnMapProgress != nil {
		c.cfg.OnMapProgress(d.Name, len(d.file), d.Size)
	}
}

// OnMapData appends a chunk.
func (n sessionHandler) OnMapData(chunk int, data []byte) {
	c, d := n.Session, &n.download
	if !d.active || d.ChunksNumbered && (chunk != d.received || len(data) == 0) {
		return // out of order; some servers end with empty chunks
	}
	left := d.Size - len(d.file)
	want := min(d.ChunkSize, left)
	if d.ChunksNumbered {
		want = min(len(data), left) // the chunk size is not announced
		if d.received == 0 {
			d.ChunkSize = want
		}
	}
	if len(data) != want {
		c.fail(fmt.Errorf("%w: chunk %d has %d bytes instead of %d", ErrMap, d.received, len(data), want))
		return
	}
	d.file = append(d.file, data...)
	d.received++
	c.reportProgress()
	if len(d.file) < d.Size {
		if d.ChunksNumbered {
			c.requestChunks()
			c.conn.Flush(c.now)
		} else if d.received%d.ChunksPerRequest == 0 {
			c.side.SendRequestMapData(d.received)
			c.conn.Flush(c.now)
		}
		return
	}
	d.active = false
	if !d.fits(d.file) {
		c.fail(fmt.Errorf("%w: the downloaded file of %q is not the announced map", ErrMap, d.Name))
		return
	}
	c.finishMap(d.file)
}
