package recordings

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"strings"
	"time"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/recorder/historian"
	"github.com/teeyard/teeyard/server/record"
	"github.com/teeyard/teeyard/server/runs"
	"github.com/teeyard/teeyard/web/broadcast"
)

const (
	// maxListedPlayers limits the players listed for a recording.
	maxListedPlayers = 16
	// maxReadForPlayers limits how much of a recording is read to find them, in bytes.
	maxReadForPlayers = 256 << 20
	// playersWait is the time that a list waits for the players of new recordings.
	playersWait = time.Second
)

// findPlayers lists the players of new recordings, latest first and one at a time, while the server
// runs. It returns a channel that is closed when all are done. The caller holds rs.mu.
func (rs *Recordings) findPlayers() <-chan struct{} {
	if rs.finding == nil {
		done := make(chan struct{})
		rs.finding = done
		go func() {
			defer close(done)
			for rs.findNext() {
			}
		}()
	}
	return rs.finding
}

// findNext reads one recording. It returns false if none is left.
func (rs *Recordings) findNext() bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	var r Recording
	for _, k := range rs.known {
		isNewer := cmp.Or(k.changed.Compare(r.changed), strings.Compare(r.Name, k.Name)) > 0
		if k.Demo != "" && !k.read && (r.Name == "" || isNewer) {
			r = k
		}
	}
	if r.Name == "" {
		rs.finding = nil
		return false
	}
	rs.mu.Unlock()
	rs.readPlayers(&r)
	rs.mu.Lock()
	if k := rs.known[r.Name]; k.Size == r.Size && k.changed.Equal(r.changed) {
		rs.known[r.Name] = r
	}
	return true
}

// readPlayers adds the players of a recording. For a complete log it also corrects the length.
func (rs *Recordings) readPlayers(r *Recording) {
	r.read = true
	f, err := os.Open(rs.path(r.Name))
	if err != nil {
		return
	}
	defer f.Close()
	var text []byte
	if rs.cfg.Describe == nil {
		var b bytes.Buffer
		err = Describe(&b, f)
		text = b.Bytes()
	} else {
		text, err = rs.describeElsewhere(f)
	}
	var d Recording
	if err == nil && json.Unmarshal(text, &d) == nil {
		r.Players, r.NumPlayers, r.NumBots = d.Players, d.NumPlayers, d.NumBots
		r.HasResult, r.TeamScores, r.Race = d.HasResult, d.TeamScores, d.Race
		if d.Length >= 0 {
			r.Length = d.Length
		}
	}
	if f, ok := runs.Read(rs.path(r.Name)); ok && strings.HasSuffix(r.Name, record.ReplaySuffix) {
		r.setFinish(&f)
	}
}

// describeElsewhere returns the description of a recording that cfg.Describe wrote.
func (rs *Recordings) describeElsewhere(f *os.File) ([]byte, error) {
	out, err := os.CreateTemp("", "*.new")
	if err != nil {
		return nil, err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	if err := rs.cfg.Describe(f, out); err != nil {
		return nil, err
	}
	return os.ReadFile(out.Name())
}

// Describe writes the players of a recording as JSON. For a demo these are the players at
// its beginning; for a log, the result of its match or, without a result, all players who joined,
// as far as the log is readable. The length is set for a complete log, otherwise it is -1.
func Describe(w io.Writer, recording io.Reader) error {
	r := Recording{Players: []broadcast.Player{}, Length: -1}
	r.describe(bufio.NewReaderSize(io.LimitReader(recording, maxReadForPlayers), 64<<10))
	return json.NewEncoder(w).Encode(&r)
}

// describe sets the players and the length of a recording.
func (r *Recording) describe(file *bufio.Reader) {
	start, _ := file.Peek(16)
	switch {
	case teehistorian.Is(start):
		if names, ticks, err := historian.Players(file); err == nil {
			r.setPlayers(names, nil)
			r.Length = int(ticks / game.TickRate)
		}
	case replay.Is(start):
		r.describeLog(file)
	default:
		if d, err := demo.NewReader(file); err == nil {
			var names []string
			bots := map[string]bool{}
			for _, p := range recorder.FirstPlayers(d) {
				name := safetext.Line(p.Profile.Name)
				names = append(names, name)
				bots[name] = p.Flags&game.PlayerFlagBot != 0
			}
			r.setPlayers(names, bots)
		}
	}
}

func (r *Recording) describeLog(file io.Reader) {
	l, err := replay.NewReader(file)
	if err != nil {
		return
	}
	before := l.Header().TickBefore()
	seen := logPlayers{bots: map[string]bool{}}
	var t replay.Tick
	last := int32(0)
	for err = l.Next(&t); err == nil; err = l.Next(&t) {
		last = t.Tick
		for i := range t.Commands {
			seen.add(&t.Commands[i])
		}
	}
	r.setPlayers(seen.names, seen.bots)
	if result := l.MatchResult(); result != nil {
		r.setResult(result, seen.bots)
	}
	if err == io.EOF {
		r.Length = int(max(0, last-before) / game.TickRate)
	}
}

// logPlayers are the players of a log, by the names with which they joined.
type logPlayers struct {
	names   []string
	isNamed [game.MaxPlayers]bool
	isBot   [game.MaxPlayers]bool
	bots    map[string]bool // the names of bots
}

func (p *logPlayers) add(c *game.Command) {
	const most = 10000 // a hostile log may name any number of players
	switch {
	case c.Player < 0 || c.Player >= game.MaxPlayers:
	case c.Kind == game.CmdLeave:
		p.isNamed[c.Player], p.isBot[c.Player] = false, false
	case c.Kind == game.CmdPlayerFlags:
		p.isBot[c.Player] = c.Value&int32(game.PlayerFlagBot) != 0
	case c.Kind == game.CmdProfile && c.Profile != nil && !p.isNamed[c.Player] && len(p.names) < most:
		p.isNamed[c.Player] = true
		name := safetext.Line(c.Profile.Name)
		p.names = append(p.names, name)
		if p.isBot[c.Player] {
			p.bots[name] = true
		}
	}
}

// setPlayers sets the players by their names, each once, in order of joining. bots are the names of
// bots.
func (r *Recording) setPlayers(names []string, bots map[string]bool) {
	seen := make(map[string]bool)
	for _, name := range names {
		if seen[name] {
			continue
		}
		seen[name] = true
		if bots[name] {
			r.NumBots++
		}
		if r.NumPlayers++; len(r.Players) < maxListedPlayers {
			r.Players = append(r.Players, broadcast.Player{Name: name, Bot: bots[name]})
		}
	}
}

// setFinish sets the players who finished as the players.
func (r *Recording) setFinish(f *runs.Run) {
	r.HasResult, r.Race, r.Finish, r.NumPlayers, r.NumBots, r.Players = true, true, true, len(f.Names), 0, nil
	for _, name := range f.Names[:min(len(f.Names), maxListedPlayers)] {
		r.Players = append(r.Players, broadcast.Player{Name: safetext.Line(name), Score: f.Time})
	}
}

// setResult sets the players and scores of a match. bots are the names of bots.
func (r *Recording) setResult(result *replay.MatchResult, bots map[string]bool) {
	all := broadcast.PlayersOf(result)
	r.NumBots = 0
	for i := range all {
		if all[i].Bot = bots[all[i].Name]; all[i].Bot {
			r.NumBots++
		}
	}
	r.HasResult, r.Players, r.NumPlayers, r.Race = true, all[:min(len(all), maxListedPlayers)], len(all), result.IsRace()
	if result.HasTeams() {
		r.TeamScores = result.TeamScores[:]
	}
}
