package broadcast

import (
	crand "crypto/rand"
	"encoding/hex"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server"
)

// match is a match that is or was broadcast. Fields do not change unless a comment says so.
type match struct {
	id        string
	private   bool // the server had a password
	header    demo.Header
	mapSize   int
	gameType  string
	start     time.Time
	firstTick int32

	// Protected by the shelf's mutex.
	mapFile  []byte // nil if it is in the match's file only
	segments []segment
	kept     int // the first segment that is kept
	inMemory int // the first segment with data in memory
	shown    int // number of segments that have been readable
	markers  []int32
	result   replay.MatchResult
	crowded  bool // the next segments show players
	ended    bool
	endedAt  time.Time // end of the match, or the last time with players; see segment.public
	keep     bool      // keep on disk, too
	failed   bool      // cannot be kept on disk
	sealed   bool      // its file is complete
	path     string    // of its file; "" for none

	// For a match that is in the folder only: markSizes are the sizes of the mark files, which are
	// stored one after another beside path.
	archived  bool
	markSizes []int64
}

// segment is two seconds of a match. Only data and zipped, which are dropped from memory, and
// onDisk change.
type segment struct {
	data     []byte
	zipped   []byte // gzipped data; nil for none
	size     int32
	lastTick int32
	marks    []Mark
	onDisk   bool
	offset   int64     // in the file
	at       time.Time // time of its last tick
	// public is the time from which the delay counts: the last time with players, up to the end of
	// the segment. A match of bots has no players whom a delay would protect.
	public time.Time
}

// memory returns the memory of the segment in bytes.
func (s *segment) memory() int { return len(s.data) + len(s.zipped) }

func newMatch(m *bridge.Map, cfg recorder.Config, t *server.Tick, now time.Time) *match {
	var random [4]byte
	crand.Read(random[:])
	return &match{
		id:      now.UTC().Format("20060102-150405-") + hex.EncodeToString(random[:]),
		private: t.NeedsPassword(), header: cfg.Header(m, now), mapFile: m.File, mapSize: len(m.File), gameType: t.World.ModeName(),
		start: now, firstTick: t.World.Tick(),
	}
}

// head returns the header of the demo, without its map.
func (m *match) head() []byte { return m.header.Append(nil, 0) }

// fullHead returns the header of a file with the first segments of the match.
func (m *match) fullHead(segments int) []byte {
	h := m.header
	if segments > m.kept {
		last := m.segments[segments-1].lastTick
		h.Length = int(last-m.tickOf(m.kept)) / demo.TickRate
		n, _ := slices.BinarySearch(m.markers, last+1)
		h.Markers = m.markers[:n]
	}
	return h.Append(nil, m.mapSize)
}

// tickOf returns the first tick of a segment.
func (m *match) tickOf(segment int) int32 { return m.firstTick + int32(segment)*segmentTicks }

// mapSum returns the SHA-256 of the map, as in URLs.
func (m *match) mapSum() string { return hex.EncodeToString(m.header.MapSHA256[:]) }

// headSize is the size of a demo's header in bytes.
var headSize = int64(len((&demo.Header{}).Append(nil, 0)))

// mapPiece returns the map.
func (m *match) mapPiece() piece {
	if m.mapFile != nil {
		return piece{data: m.mapFile}
	}
	return piece{offset: headSize, size: int64(m.mapSize)}
}

// segmentPiece returns a segment that is kept.
func (m *match) segmentPiece(n int) piece {
	s := &m.segments[n]
	if s.data != nil {
		return piece{data: s.data, zipped: s.zipped}
	}
	return piece{offset: s.offset, size: int64(s.size)}
}

// maxMemory limits the memory for segments, in bytes.
const maxMemory = 16 << 20

const (
	// maxMatches limits the matches on the shelf.
	maxMatches = 64
	// maxMapMemory limits the memory for their maps besides the last one, in bytes.
	maxMapMemory = 64 << 20
)

// shelf holds the matches of this server that can be watched.
type shelf struct {
	mu      sync.Mutex
	matches []*match // in order of their start
	memory  int      // bytes of segments
	limit   int      // limit of memory
	added   int      // number of segments added
}

// begin adds a match and removes matches that are no longer needed in memory.
func (s *shelf) begin(m *match) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.matches {
		if o.mapFile != nil && o.header.MapSHA256 == m.header.MapSHA256 {
			m.mapFile = o.mapFile // share the memory of the same map
		}
	}
	s.matches = append(s.matches, m)
	s.matches = slices.DeleteFunc(s.matches, func(o *match) bool {
		old := o.ended && (o.kept == len(o.segments) || o.sealed && m.start.Sub(o.endedAt) > 2*maxDelay)
		if old {
			s.memory -= o.memory()
		}
		return old
	})
	for len(s.matches) > 1 && s.matches[0].ended && (len(s.matches) > maxMatches || s.mapMemory() > maxMapMemory) {
		s.memory -= s.matches[0].memory()
		s.matches = slices.Delete(s.matches, 0, 1)
	}
}

// memory returns the memory of the segments in bytes.
func (m *match) memory() (n int) {
	for i := range m.segments {
		n += m.segments[i].memory()
	}
	return n
}

// mapMemory returns the memory of the maps in bytes.
func (s *shelf) mapMemory() (n int) {
	for i, m := range s.matches {
		same := func(o *match) bool { return o.mapFile != nil && o.header.MapSHA256 == m.header.MapSHA256 }
		if m.mapFile != nil && !slices.ContainsFunc(s.matches[:i], same) {
			n += len(m.mapFile)
		}
	}
	return n
}

// add adds a segment to a match and drops the oldest ones.
func (s *shelf) add(m *match, seg segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seg.size = int32(len(seg.data))
	m.segments = append(m.segments, seg)
	s.memory += seg.memory()
	s.added++
	for s.memory > s.limit && s.forget() {
	}
}

// forget drops the oldest segment in memory, but never the last one. It reports whether it dropped
// one.
func (s *shelf) forget() bool {
	for i, m := range s.matches {
		if m.inMemory == len(m.segments) || i == len(s.matches)-1 && m.inMemory == len(m.segments)-1 {
			continue
		}
		seg := &m.segments[m.inMemory]
		s.memory -= seg.memory()
		seg.data, seg.zipped = nil, nil
		m.inMemory++
		if !seg.onDisk {
			m.kept = m.inMemory
		}
		return true
	}
	return false
}

// end ends a match.
func (s *shelf) end(m *match) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.ended, m.endedAt = true, m.start
	if n := len(m.segments); n > 0 {
		m.endedAt = m.segments[n-1].public
	}
}

// note stores a batch's information about a match besides its records.
func (s *shelf) note(m *match, b *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.keep = !m.failed && (m.keep || b.keep && !m.private)
	m.crowded = slices.Contains(b.people[:b.n], true)
	m.result.Merge(&b.result)
	for _, tick := range b.markers {
		n := len(m.markers)
		if n < demo.MaxMarkers && (n == 0 || tick-m.markers[n-1] >= demo.MinMarkerDistance) {
			m.markers = append(m.markers, tick)
		}
	}
}

// onDisk notes that a segment is in the match's file.
func (s *shelf) onDisk(m *match, n int, offset int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.segments[n].onDisk, m.segments[n].offset = true, offset
}

// lost notes that a match has lost its file. Segments that are not in memory are gone.
func (s *shelf) lost(m *match) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range m.segments {
		m.segments[i].onDisk = false
	}
	m.path, m.kept, m.keep, m.sealed, m.failed = "", max(m.kept, m.inMemory), false, false, true
}

// viewer holds what a client may see.
type viewer struct {
	now     time.Time
	until   time.Time // may see what happened until then
	delay   time.Duration
	private bool // may see matches with a password
	all     bool // sees everything without delay, as an operator
}

// maySee reports whether a viewer may see a match.
func (v *viewer) maySee(m *match) bool { return v.private || !m.private }

// visible returns the number of readable segments of a match. Segments that were readable stay so
// if the delay becomes longer.
func (m *match) visible(v *viewer) int {
	n := sort.Search(len(m.segments), func(i int) bool { return m.segments[i].public.After(v.until) })
	if v.all {
		return n
	}
	m.shown = max(m.shown, n)
	return m.shown
}

// over reports whether a viewer sees that the match has ended.
func (m *match) over(v *viewer) bool {
	return m.ended && (!m.endedAt.After(v.until) || !v.all && m.shown == len(m.segments))
}

// live returns the match to watch now: the last match with a visible segment, otherwise the last
// match. It returns nil if there is none.
func (s *shelf) live(v *viewer) *match {
	for _, m := range slices.Backward(s.matches) {
		if v.maySee(m) && m.visible(v) > m.kept {
			return m
		}
	}
	for _, m := range slices.Backward(s.matches) {
		if v.maySee(m) {
			return m
		}
	}
	return nil
}

// find returns a match, or nil.
func (s *shelf) find(id string, v *viewer) *match {
	for _, m := range s.matches {
		if m.id == id && v.maySee(m) {
			return m
		}
	}
	return nil
}

// losesUnseen reports whether a match has dropped segments that the viewer could not see yet.
func (m *match) losesUnseen(v *viewer) bool { return m.kept > m.visible(v) }

// has reports whether a match is on the shelf.
func (s *shelf) has(id string) bool {
	return slices.ContainsFunc(s.matches, func(m *match) bool { return m.id == id })
}

// findMap returns a match on a map, or nil.
func (s *shelf) findMap(sum string, v *viewer) *match {
	for _, m := range s.matches {
		if v.maySee(m) && m.mapSum() == sum {
			return m
		}
	}
	return nil
}

// isPrivate reports whether the last match has a password.
func (s *shelf) isPrivate() bool {
	n := len(s.matches)
	return n > 0 && s.matches[n-1].private
}

// neighbours returns the ids of the previous and the next match that a viewer may see.
func (s *shelf) neighbours(m *match, v *viewer) (previous, next string) {
	at := slices.Index(s.matches, m)
	if at < 0 {
		return "", ""
	}
	for _, o := range s.matches[:at] {
		if v.maySee(o) {
			previous = o.id
		}
	}
	for _, o := range s.matches[at+1:] {
		if v.maySee(o) && (o.visible(v) > 0 || !o.start.After(v.until)) {
			return previous, o.id
		}
	}
	return previous, ""
}
