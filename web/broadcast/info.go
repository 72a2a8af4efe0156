package broadcast

import (
	"fmt"
	"slices"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/safetext"
)

// Info is the description of a match in /live.json. docs/reference/http.md describes the fields.
type Info struct {
	Match          string   `json:"match"`
	Reason         string   `json:"reason,omitempty"`
	Live           bool     `json:"live"`
	Map            *MapInfo `json:"map,omitempty"`
	GameType       string   `json:"game_type"`
	Start          string   `json:"start"`
	FirstTick      int32    `json:"first_tick"`
	SegmentTicks   int32    `json:"segment_ticks"`
	MarkedSegments int      `json:"marked_segments"`
	First          int      `json:"first"`
	Last           int      `json:"last"`
	LastTick       int32    `json:"last_tick"`
	Delay          int      `json:"delay"`
	Wait           int      `json:"wait"`
	Previous       string   `json:"previous"`
	Next           string   `json:"next"`
}

// MapInfo describes a map.
type MapInfo struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	CRC    string `json:"crc"`
	Size   int    `json:"size"`
}

func (m *match) mapInfo() *MapInfo {
	return &MapInfo{Name: m.header.MapName, SHA256: m.mapSum(), CRC: fmt.Sprintf("%08x", m.header.MapCRC), Size: m.mapSize}
}

// info describes a match to a viewer.
func (s *shelf) info(m *match, v *viewer) Info {
	n := m.visible(v)
	i := Info{
		Match: m.id, Live: !m.over(v), Map: m.mapInfo(), GameType: m.gameType, Start: m.start.UTC().Format(time.RFC3339),
		FirstTick: m.firstTick, SegmentTicks: segmentTicks, MarkedSegments: markedSegments, First: m.kept, Last: n - 1, LastTick: -1,
	}
	if n > 0 {
		i.LastTick = m.segments[n-1].lastTick
	}
	i.Previous, i.Next = s.neighbours(m, v)
	i.Delay, i.Wait = s.wait(m, v)
	return i
}

// segmentTime is the length of a segment.
const segmentTime = segmentTicks * time.Second / game.TickRate

// wait returns, in seconds, the delay of the next segment that the viewer will see and the time
// until then. The segment may belong to this match or to a later one.
func (s *shelf) wait(m *match, v *viewer) (delay, wait int) {
	for at := slices.Index(s.matches, m); at >= 0 && at < len(s.matches); at++ {
		m := s.matches[at]
		n := m.visible(v)
		if !v.maySee(m) || m.ended && n == len(m.segments) {
			continue
		}
		var public time.Time
		switch {
		case n < len(m.segments):
			public = m.segments[n].public
		case m.crowded && n == 0:
			public = m.start.Add(segmentTime)
		case m.crowded:
			public = m.segments[n-1].at.Add(segmentTime)
		case n == 0:
			return 0, seconds(m.start.Add(segmentTime).Sub(v.now))
		default:
			return 0, 0
		}
		return seconds(v.delay), seconds(public.Sub(v.until))
	}
	return seconds(v.delay), 0
}

// seconds returns a duration in seconds, rounded up.
func seconds(d time.Duration) int {
	return int((max(d, 0) + time.Second - 1) / time.Second)
}

// Player is a player of a match.
type Player struct {
	Name string `json:"name"`
	Clan string `json:"clan"`
	// Team is 0 for red and in games without teams, 1 for blue, -1 for spectators.
	Team  int   `json:"team"`
	Score int32 `json:"score"`
	Bot   bool  `json:"bot,omitempty"`
}

// maxPlayers is the largest number of players in a recording.
const maxPlayers = 256

// PlayersOf returns the players of a result in the order of the pages, best first.
func PlayersOf(r *replay.MatchResult) []Player {
	var players []Player
	for _, p := range r.Sorted() {
		players = append(players, Player{safetext.Line(p.Name), safetext.Line(p.Clan), int(p.Team), p.Score, p.Bot})
	}
	return players
}
