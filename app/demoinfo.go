package app

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/words"
)

type demoInfoCmd struct {
	File string `arg:"" help:"Demo."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// demoInfo is the output of "teeyard demo info".
type demoInfo struct {
	File        string       `json:"file"`
	Bytes       int64        `json:"bytes"`
	Version     int          `json:"version"`
	NetVersion  string       `json:"net_version"`
	Type        string       `json:"type"`
	Time        string       `json:"time"` // in the recorder's time zone
	Map         string       `json:"map"`
	MapBytes    int          `json:"map_bytes"`
	MapCRC      string       `json:"map_crc"`
	MapSHA256   string       `json:"map_sha256,omitempty"`
	FirstTick   int32        `json:"first_tick"`
	LastTick    int32        `json:"last_tick"`
	Seconds     float64      `json:"seconds"`
	Keyframes   int          `json:"keyframes"`
	Snapshots   int          `json:"snapshots"`
	Messages    int          `json:"messages"`
	Markers     []float64    `json:"markers_seconds"`
	Chat        int          `json:"chat"`
	Deaths      int          `json:"deaths"`
	Kills       int          `json:"kills"`
	MostPlayers int          `json:"most_players"`
	Players     []demoPerson `json:"players"`
	Complete    bool         `json:"complete"` // the recorder ended the file properly
	Problem     string       `json:"trouble,omitempty"`

	problem error                // the worst fault of the file; nil if it is whole
	current [game.MaxPlayers]int // index in Players + 1, by player id
}

type demoPerson struct {
	ID     int     `json:"id"`
	Name   string  `json:"name"`
	Clan   string  `json:"clan,omitempty"`
	Since  float64 `json:"since_seconds"`
	Played float64 `json:"played_seconds"`
	Kills  int     `json:"kills"`
	Deaths int     `json:"deaths"`
	Score  int32   `json:"score"`

	since int32 // tick of joining
}

// Run prints the information.
func (c *demoInfoCmd) Run() error {
	f, r, err := openDemo(c.File)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := readDemoInfo(r)
	if err != nil {
		return err
	}
	info.File = c.File
	if st, err := f.Stat(); err == nil {
		info.Bytes = st.Size()
	}
	if c.JSON {
		return cmp.Or(json.NewEncoder(os.Stdout).Encode(info), told(info.problem))
	}
	info.print(os.Stdout)
	return told(info.problem)
}

// readDemoInfo reads a demo to its end.
func readDemoInfo(r *demo.Reader) (*demoInfo, error) {
	h, mapData := r.Header(), r.Map()
	info := &demoInfo{
		Version: h.Version, NetVersion: safetext.Line(h.NetVersion), Type: safetext.Line(h.Type), Time: safetext.Line(h.Time),
		Map: safetext.Line(h.MapName), MapBytes: len(mapData), MapCRC: fmt.Sprintf("%08x", h.MapCRC), Markers: []float64{}, Players: []demoPerson{},
	}
	var trouble []string
	if len(mapData) > 0 {
		sum := sha256.Sum256(mapData)
		info.MapSHA256 = hex.EncodeToString(sum[:])
	}
	v := newDemoViewer(h)
	v.onEvent = func(e event.Event) { info.addEvent(v, e) }
	v.onView = func(view *game.View) { info.addView(v, view) }
	if err := v.read(r); err != nil {
		return nil, err
	}
	for id := range info.current {
		info.left(v, id)
	}
	info.FirstTick, info.LastTick, info.Seconds = v.first, v.last, ticksToSeconds(v.last-v.first)
	info.Keyframes, info.Snapshots, info.Messages = v.keyframes, v.snapshots, v.messages
	for _, tick := range h.Markers {
		info.Markers = append(info.Markers, ticksToSeconds(tick-v.first))
	}
	info.problem, info.Complete = v.problem, !isCutOff(v.problem)
	if v.brokenAt != nil {
		info.problem = v.brokenAt
		trouble = append(trouble, v.brokenAt.Error())
	}
	if v.problem != nil {
		trouble = append(trouble, v.problem.Error())
	}
	if v.broken > 1 {
		trouble = append(trouble, fmt.Sprintf("%d broken chunks in all", v.broken))
	}
	if v.unreadable > 0 {
		trouble = append(trouble, fmt.Sprintf("%s that cannot be decoded", words.Count(v.unreadable, "message")))
	}
	info.Problem = safetext.Line(strings.Join(trouble, "; "))
	return info, nil
}

func (i *demoInfo) addEvent(v *demoViewer, e event.Event) {
	switch e := e.(type) {
	case event.Chat:
		if e.From.ID != game.Nobody {
			i.Chat++
		}
	case event.Kill:
		i.Deaths++
		if p := i.person(e.Victim.ID); p != nil {
			p.Deaths++
		}
		if e.Killer.ID >= 0 && e.Killer.ID != e.Victim.ID {
			i.Kills++
			if p := i.person(e.Killer.ID); p != nil {
				p.Kills++
			}
		}
	case event.Joined:
		i.joined(v, e.Player)
	case event.Left:
		i.left(v, int(e.Player.ID))
	}
}

// addView notes the players in a snapshot. A demo may lack the message that a player left.
func (i *demoInfo) addView(v *demoViewer, view *game.View) {
	var present [game.MaxPlayers]bool
	for k := range view.Players {
		p := &view.Players[k]
		present[p.ID] = true
		i.joined(v, bridge.EventPlayer(v.side, p.ID))
		if person := i.person(p.ID); person != nil {
			person.Score = p.Score
		}
	}
	for id := range present {
		if !present[id] {
			i.left(v, id)
		}
	}
	i.MostPlayers = max(i.MostPlayers, len(view.Players))
}

func (i *demoInfo) person(id game.PlayerID) *demoPerson {
	if id < 0 || id >= game.MaxPlayers || i.current[id] == 0 {
		return nil
	}
	return &i.Players[i.current[id]-1]
}

// joined notes that a player is in the game. The demo may lack the message that the previous player
// with this id left.
func (i *demoInfo) joined(v *demoViewer, p event.Player) {
	if known := i.person(p.ID); known != nil {
		if known.Name == p.Name {
			known.Clan = p.Clan // arrives after the name
			return
		}
		i.left(v, int(p.ID))
	}
	// A hostile file may name any number of players.
	if p.ID >= 0 && len(i.Players) < 10000 {
		i.Players = append(i.Players, demoPerson{ID: int(p.ID), Name: p.Name, Clan: p.Clan, Since: ticksToSeconds(v.last - v.first), since: v.last})
		i.current[p.ID] = len(i.Players)
	}
}

func (i *demoInfo) left(v *demoViewer, id int) {
	if p := i.person(game.PlayerID(id)); p != nil {
		p.Played = ticksToSeconds(v.last - p.since)
		i.current[id] = 0
	}
}

func (i *demoInfo) print(w io.Writer) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("map", "%s, %s, crc %s", i.Map, words.Count(i.MapBytes, "byte"), i.MapCRC)
	line("recorded", "%s by a %s, version %d, protocol %s", i.Time, i.Type, i.Version, i.NetVersion)
	line(
		"length",
		"%v, ticks %d to %d, %s, %s, %s",
		secondsToDuration(i.Seconds),
		i.FirstTick,
		i.LastTick,
		words.Count(i.Keyframes, "keyframe"),
		words.Count(i.Snapshots, "snapshot"),
		words.Count(i.Messages, "message"),
	)
	line("size", "%s", words.Count(i.Bytes, "byte"))
	if len(i.Markers) > 0 {
		var at []string
		for _, m := range i.Markers {
			at = append(at, demoTime(int32(m*game.TickRate+0.5)))
		}
		line("markers", "%s", strings.Join(at, ", "))
	}
	line("match", "%s, %s, %s of chat", words.Count(i.Deaths, "death"), words.Count(i.Kills, "kill"), words.Count(i.Chat, "line"))
	if !i.Complete {
		line("end", "cut off: the recorder did not complete the demo")
	}
	if i.Problem != "" {
		line("trouble", "%s", i.Problem)
	}
	line("players", "%d, at most %d at once", len(i.Players), i.MostPlayers)
	for _, p := range i.Players {
		clan := ""
		if p.Clan != "" {
			clan = fmt.Sprintf(" of %q", p.Clan)
		}
		fmt.Fprintf(w, "  %2d %q%s: since %s, for %s, score %d, %s, %s\n", p.ID, p.Name, clan,
			secondsToDuration(p.Since), secondsToDuration(p.Played), p.Score, words.Count(p.Kills, "kill"), words.Count(p.Deaths, "death"))
	}
}
