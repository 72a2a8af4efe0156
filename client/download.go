package client

import (
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// maxMap bounds what a server may announce as the size of its map, in bytes.
const maxMap = 64 << 20

// download is a map on its way. Its memory grows with what has come, not with what
// was announced.
type download struct {
	m      msg7.MapChange
	name   string
	file   []byte
	chunks int32
	active bool
}

func (c *Session) onMapChange(m *msg7.MapChange) {
	name := string(m.Name)
	c.download = download{}
	switch {
	case strings.ContainsAny(name, "/\\:") || name == "" || strings.HasPrefix(name, "."):
		c.fail(fmt.Errorf("%w: strange character in map name %q", ErrMap, name))
		return
	case m.Size <= 0 || m.Size > maxMap:
		c.fail(fmt.Errorf("%w: invalid map size %d", ErrMap, m.Size))
		return
	}
	c.state = Loading
	c.id = -1
	if c.cfg.HasMap != nil && c.cfg.HasMap(m) {
		c.send(&msg7.Ready{})
		c.conn.Flush(c.now)
		return
	}
	if m.ChunksPerRequest <= 0 || m.ChunkSize <= 0 {
		c.fail(fmt.Errorf("%w: announced in chunks of %d bytes, %d per request", ErrMap, m.ChunkSize, m.ChunksPerRequest))
		return
	}
	d := &c.download
	d.m, d.name, d.active = *m, name, true
	d.m.Name = nil // borrowed
	c.progress()
	c.send(&msg7.RequestMapData{})
	c.conn.Flush(c.now)
}

func (c *Session) progress() {
	if d := &c.download; c.cfg.OnProgress != nil {
		c.cfg.OnProgress(d.name, len(d.file), int(d.m.Size))
	}
}

func (c *Session) onMapData(m *msg7.MapData) {
	d := &c.download
	if !d.active {
		return
	}
	left := int(d.m.Size) - len(d.file)
	if want := min(int(d.m.ChunkSize), left); len(m.Data) != want {
		c.fail(fmt.Errorf("%w: chunk %d has %d bytes instead of %d", ErrMap, d.chunks, len(m.Data), want))
		return
	}
	d.file = append(d.file, m.Data...)
	d.chunks++
	c.progress()
	if len(d.file) < int(d.m.Size) {
		if d.chunks%d.m.ChunksPerRequest == 0 {
			c.send(&msg7.RequestMapData{})
			c.conn.Flush(c.now)
		}
		return
	}
	d.active = false
	if crc := int32(crc32.ChecksumIEEE(d.file)); crc != d.m.CRC || d.m.SHA256.Present && sha256.Sum256(d.file) != d.m.SHA256.Sum {
		c.fail(fmt.Errorf("%w: what came of %q is not what was announced", ErrMap, d.name))
		return
	}
	if c.cfg.OnMap != nil {
		if c.cfg.OnMap(d.name, d.file); c.state == Offline {
			return
		}
	}
	c.download = download{}
	c.send(&msg7.Ready{})
	c.conn.Flush(c.now)
}
