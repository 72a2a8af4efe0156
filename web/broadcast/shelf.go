package broadcast

import (
	crand "crypto/rand"
	"encoding/hex"
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server"
)

// match is a match that is or was broadcast. What is not marked stays as it is.
type match struct {
	id       string
	private  bool // the server had a password
	header   demo.Header
	mapFile  []byte
	gameType string
	start    time.Time

	// Protected by the shelf's mutex.
	firstTick int32
	segments  []segment
	kept      int // the first segment that is kept
	shown     int // segments that have been readable
	ended     bool
	endedAt   time.Time
}

// segment is two seconds of a match. It stays as it is, but for data, which is forgotten.
type segment struct {
	data     []byte
	lastTick int32
	at       time.Time // of its last tick
}

func newMatch(m *bridge.Map, cfg recorder.Config, t *server.Tick, now time.Time) *match {
	var random [4]byte
	crand.Read(random[:])
	return &match{
		id:      now.UTC().Format("20060102-150405-") + hex.EncodeToString(random[:]),
		private: t.NeedsPassword(), header: cfg.Header(m, now), mapFile: m.File, gameType: t.World.ModeName(),
		start: now, firstTick: t.World.Tick(),
	}
}

// head returns the header of the demo, without its map.
func (m *match) head() []byte { return m.header.Append(nil, 0) }

// mapSum returns the SHA-256 of the map, as in URLs.
func (m *match) mapSum() string { return hex.EncodeToString(m.header.MapSHA256[:]) }

// maxMemory is how much of all segments is kept in memory, in bytes.
const maxMemory = 16 << 20

// shelf has the matches that can be watched.
type shelf struct {
	mu      sync.Mutex
	matches []*match // in the order in which they began
	memory  int      // bytes of segments
}

func (s *shelf) begin(m *match) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.matches = append(s.matches, m)
}

// add adds a segment to a match, and forgets the oldest ones.
func (s *shelf) add(m *match, seg segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.segments = append(m.segments, seg)
	s.memory += cap(seg.data)
	for s.memory > maxMemory && s.forget() {
	}
}

// forget forgets the oldest segment, but never the last one. It reports whether there was one.
func (s *shelf) forget() bool {
	for i, m := range s.matches {
		if m.kept < len(m.segments) {
			if i == len(s.matches)-1 && m.kept == len(m.segments)-1 {
				return false
			}
			seg := &m.segments[m.kept]
			s.memory -= cap(seg.data)
			seg.data = nil
			m.kept++
			return true
		}
		if m.ended {
			s.matches = append(s.matches[:i:i], s.matches[i+1:]...)
			return s.forget()
		}
	}
	return false
}

// end ends a match.
func (s *shelf) end(m *match) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.ended, m.endedAt = true, m.start
	if n := len(m.segments); n > 0 {
		m.endedAt = m.segments[n-1].at
	}
}

// viewer is somebody who watches, with what they may see.
type viewer struct {
	until   time.Time // what happened up to then
	delay   time.Duration
	private bool // matches with a password, too
	all     bool // without delay, for an operator
}

// visible returns how many segments of a match can be read. What could be once still can when
// the delay has become longer.
func (m *match) visible(v *viewer) int {
	n := sort.Search(len(m.segments), func(i int) bool { return m.segments[i].at.After(v.until) })
	if v.all {
		return n
	}
	m.shown = max(m.shown, n)
	return m.shown
}

// over reports whether a viewer sees that the match has ended.
func (m *match) over(v *viewer) bool { return m.ended && !m.endedAt.After(v.until) }

// live returns the match to watch now, nil if there is none: the last one of which there is something
// to see, or else the last one.
func (s *shelf) live(v *viewer) *match {
	for i := len(s.matches) - 1; i >= 0; i-- {
		if m := s.matches[i]; (!m.private || v.private) && m.visible(v) > m.kept {
			return m
		}
	}
	for i := len(s.matches) - 1; i >= 0; i-- {
		if m := s.matches[i]; !m.private || v.private {
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

// find returns a match, nil if it is not there.
func (s *shelf) find(id string, v *viewer) *match {
	for _, m := range s.matches {
		if m.id == id && (!m.private || v.private) {
			return m
		}
	}
	return nil
}

// Info is what /live.json says of a match; see docs/broadcast.md.
type Info struct {
	Match        string   `json:"match"`
	Reason       string   `json:"reason,omitempty"`
	Live         bool     `json:"live"`
	Map          *MapInfo `json:"map,omitempty"`
	GameType     string   `json:"game_type"`
	Start        string   `json:"start"`
	FirstTick    int32    `json:"first_tick"`
	SegmentTicks int32    `json:"segment_ticks"`
	First        int      `json:"first"`
	Last         int      `json:"last"`
	LastTick     int32    `json:"last_tick"`
	Delay        int      `json:"delay"`
	Wait         int      `json:"wait"`
	Previous     string   `json:"previous"`
	Next         string   `json:"next"`
}

// MapInfo describes a map.
type MapInfo struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	CRC    string `json:"crc"`
	Size   int    `json:"size"`
}

// info describes a match to a viewer.
func (s *shelf) info(m *match, v *viewer) Info {
	n := m.visible(v)
	i := Info{
		Match: m.id, Live: !m.over(v), GameType: m.gameType, Start: m.start.UTC().Format(time.RFC3339),
		Map:       &MapInfo{Name: m.header.MapName, SHA256: m.mapSum(), CRC: fmt.Sprintf("%08x", m.header.MapCRC), Size: len(m.mapFile)},
		FirstTick: m.firstTick, SegmentTicks: segmentTicks, First: m.kept, Last: n - 1, LastTick: -1, Delay: seconds(v.delay),
	}
	if n > 0 {
		i.LastTick = m.segments[n-1].lastTick
	} else {
		i.Wait = seconds(m.start.Add(2 * time.Second).Sub(v.until))
	}
	i.Previous, i.Next = s.neighbours(m, v)
	return i
}

// neighbours returns the ids of the matches before and after one, as far as a viewer sees them.
func (s *shelf) neighbours(m *match, v *viewer) (previous, next string) {
	at := -1
	for i, o := range s.matches {
		switch {
		case o == m:
			at = i
		case o.private && !v.private:
		case at < 0:
			previous = o.id
		case next == "" && !o.start.After(v.until):
			next = o.id
		}
	}
	return previous, next
}
