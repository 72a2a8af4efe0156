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

// match is a match that is or was broadcast. What is not marked stays as it is.
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
	inMemory int // the first segment with data
	shown    int // segments that have been readable
	markers  []int32
	result   replay.MatchResult
	crowded  bool // there are people in what comes next
	ended    bool
	endedAt  time.Time // or when there was somebody last, see segment.public
	keep     bool      // on disk, too
	failed   bool      // it cannot be kept there
	sealed   bool      // its file is complete
	path     string    // of its file, "" for none

	// For a match that is in the folder only: the sizes of the files with marks, one after the other beside path.
	archived  bool
	markSizes []int64
}

// segment is two seconds of a match. It stays as it is, but for data and zipped, which are forgotten, and onDisk.
type segment struct {
	data     []byte
	zipped   []byte // the same with gzip; nil for none
	size     int32
	lastTick int32
	marks    []Mark
	onDisk   bool
	offset   int64     // in the file
	at       time.Time // of its last tick
	// public is what a delay counts from: when there was somebody last, up to the end of the segment. In a match
	// of bots there is nobody whom it is to protect.
	public time.Time
}

// memory returns what it takes, in bytes.
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

// fullHead returns the header of the file with the first segments of the match.
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

// maxMemory is how much of all segments is kept in memory, in bytes.
const maxMemory = 16 << 20

const (
	// maxMatches is how many matches the shelf has.
	maxMatches = 64
	// maxMapMemory is how much of their maps, in bytes, besides that of the last one.
	maxMapMemory = 64 << 20
)

// shelf has the matches of this server that can be watched.
type shelf struct {
	mu      sync.Mutex
	matches []*match // in the order in which they began
	memory  int      // bytes of segments
	limit   int      // of memory
	added   int      // segments
}

// begin adds a match, and removes those that nobody needs here any more.
func (s *shelf) begin(m *match) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.matches {
		if o.mapFile != nil && o.header.MapSHA256 == m.header.MapSHA256 {
			m.mapFile = o.mapFile // read once more, it would be in memory twice
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

// memory returns what the segments take, in bytes.
func (m *match) memory() (n int) {
	for i := range m.segments {
		n += m.segments[i].memory()
	}
	return n
}

// mapMemory returns what the maps take, in bytes.
func (s *shelf) mapMemory() (n int) {
	for i, m := range s.matches {
		same := func(o *match) bool { return o.mapFile != nil && o.header.MapSHA256 == m.header.MapSHA256 }
		if m.mapFile != nil && !slices.ContainsFunc(s.matches[:i], same) {
			n += len(m.mapFile)
		}
	}
	return n
}

// add adds a segment to a match, and forgets the oldest ones.
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

// forget forgets the oldest segment in memory, but never the last one. It reports whether there was
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

// note notes what a batch says of a match besides its records.
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

// lost notes that a match has no file any more: what is not in memory is gone.
func (s *shelf) lost(m *match) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range m.segments {
		m.segments[i].onDisk = false
	}
	m.path, m.kept, m.keep, m.sealed, m.failed = "", max(m.kept, m.inMemory), false, false, true
}

// viewer is somebody who watches, with what they may see.
type viewer struct {
	now     time.Time
	until   time.Time // what happened up to then
	delay   time.Duration
	private bool // matches with a password, too
	all     bool // without delay, for an operator
}

// maySee reports whether a match is for a viewer.
func (v *viewer) maySee(m *match) bool { return v.private || !m.private }

// visible returns how many segments of a match can be read. What could be once still can when
// the delay has become longer.
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

// live returns the match to watch now, nil if there is none: the last one of which there is something
// to see, or else the last one.
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

// find returns a match, nil if it is not there.
func (s *shelf) find(id string, v *viewer) *match {
	for _, m := range s.matches {
		if m.id == id && v.maySee(m) {
			return m
		}
	}
	return nil
}

// losesUnseen reports whether a match has lost segments that a viewer cannot have seen yet.
func (m *match) losesUnseen(v *viewer) bool { return m.kept > m.visible(v) }

// has reports whether a match is on the shelf.
func (s *shelf) has(id string) bool {
	return slices.ContainsFunc(s.matches, func(m *match) bool { return m.id == id })
}

// findMap returns a match on a map, nil if there is none.
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

// neighbours returns the ids of the matches before and after one, as far as a viewer sees them.
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
