package broadcast

import (
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/webpage"
)

// listAge is the maximum age of /replays.json.
const listAge = 5 * time.Second

// listedMatch is a match in /replays.json.
type listedMatch struct {
	Match      string   `json:"match"`
	Demo       string   `json:"demo"` // its URL
	Map        *MapInfo `json:"map"`
	GameType   string   `json:"game_type"`
	Start      string   `json:"start"`
	Length     int      `json:"length"` // in seconds
	Size       int64    `json:"size"`   // of the demo, in bytes
	Players    []Player `json:"players"`
	TeamScores []int32  `json:"team_scores,omitempty"`
	Race       bool     `json:"race,omitempty"` // scores are times
}

// listPage returns /replays.json.
func (b *Broadcast) listPage() *webpage.Page {
	return &webpage.Page{Write: b.writeList, MaxAge: listAge, Now: b.now, Header: map[string]string{
		"Content-Type": "application/json", "Access-Control-Allow-Origin": "*", "Cache-Control": "max-age=5",
	}}
}

// writeList writes the matches that every viewer may see, newest first.
func (b *Broadcast) writeList(w io.Writer) {
	list := []listedMatch{}
	if b.archive != nil {
		b.archive.ask() // for the next list
		v := viewer{now: b.now()}
		for _, r := range slices.Backward(b.archive.all()) {
			if r.visible(&v) {
				list = append(list, r.listed())
			}
		}
	}
	json.NewEncoder(w).Encode(map[string][]listedMatch{"replays": list})
}

func (r *recording) listed() listedMatch {
	size := headSize + int64(r.Map.Size)
	for _, n := range r.Segments {
		size += int64(n)
	}
	players := r.Players
	if players == nil {
		players = []Player{}
	}
	return listedMatch{
		Match: r.Match, Demo: "/b/" + r.Match + demoSuffix, Map: r.Map, GameType: r.GameType, Start: r.Start.UTC().Format(time.RFC3339),
		Length: int(r.LastTick-r.FirstTick) / game.TickRate, Size: size, Players: players, TeamScores: r.TeamScores, Race: r.Race,
	}
}
