package app

import (
	"bufio"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/watchdog"
	"github.com/teeyard/teeyard/web/broadcast"
)

type replayCmd struct {
	Info   replayInfoCmd   `cmd:"" help:"Show information about a replay log."`
	Verify replayVerifyCmd `cmd:"" help:"Verify replay logs by running their matches again."`
	Cut    replayCutCmd    `cmd:"" help:"Copy a part of a replay log to another file."`
	Export replayExportCmd `cmd:"" help:"Convert a replay log into a demo for game clients."`
}

// openReplay opens a log. The caller closes the file.
func openReplay(name string) (*os.File, *replay.Reader, error) {
	f, err := openInput(name)
	if err != nil {
		return nil, nil, err
	}
	r, err := replay.NewReader(bufio.NewReaderSize(f, 64<<10))
	if err != nil {
		f.Close()
		if isTeehistorian(name) {
			err = fmt.Errorf(`%w; for a teehistorian use replay verify, dump or watch`, err)
		}
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, r, nil
}

// replayInfoCmd is "teeyard replay info".
type replayInfoCmd struct {
	File string `arg:"" help:"Replay log."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// replayInfo is the output of "teeyard replay info".
type replayInfo struct {
	File         string         `json:"file"`
	Bytes        int64          `json:"bytes"`
	Program      string         `json:"program"`
	Start        time.Time      `json:"start"`
	Map          string         `json:"map"`
	SHA256       string         `json:"map_sha256"`
	Width        int            `json:"map_width"`
	Height       int            `json:"map_height"`
	Mode         string         `json:"mode"`
	Mods         []string       `json:"mods,omitempty"`
	Seed         uint64         `json:"seed"`
	Ticks        int32          `json:"ticks"`
	IdleTicks    int32          `json:"idle_ticks"`
	StateTick    int32          `json:"state_tick,omitempty"` // the log begins after this tick with a stored state
	Seconds      float64        `json:"seconds"`
	Players      []replayPlayer `json:"players"`
	MostPlayers  int            `json:"most_players"`
	Commands     int            `json:"commands"`
	Chat         int            `json:"chat_lines"`
	Deaths       int            `json:"deaths"`
	Kills        int            `json:"kills"`
	MatchesEnded int            `json:"matches_ended"`
	Simulated    bool           `json:"run_again"` // false if deaths, kills and results are unknown
	Result       *replayScores  `json:"result,omitempty"`
	End          string         `json:"end"`
	Complete     bool           `json:"complete"` // the log has an end record
	Problem      string         `json:"trouble,omitempty"`

	end         string               // the end in words
	playerIndex [game.MaxPlayers]int // index in Players + 1, by player id
	joinTick    [game.MaxPlayers]int32
	numPlaying  int
}

// replayScores is the result of a match, in the form of /replays.json.
type replayScores struct {
	Players    []broadcast.Player `json:"players"`
	TeamScores []int32            `json:"team_scores,omitempty"`
	Race       bool               `json:"race,omitempty"`
}

func newReplayScores(r *replay.MatchResult) *replayScores {
	s := &replayScores{Players: broadcast.PlayersOf(r), Race: r.IsRace()}
	if r.HasTeams() {
		s.TeamScores = r.TeamScores[:]
	}
	return s
}

// String returns the result in words: the teams and the best three players.
func (s *replayScores) String() string {
	var words []string
	if len(s.TeamScores) == 2 {
		words = append(words, fmt.Sprintf("red %d, blue %d", s.TeamScores[0], s.TeamScores[1]))
	}
	for _, p := range s.Players[:min(len(s.Players), 3)] {
		switch {
		case !s.Race:
			words = append(words, fmt.Sprintf("%q %d", p.Name, p.Score))
		case p.Score >= 0:
			words = append(words, fmt.Sprintf("%q %v", p.Name, time.Duration(p.Score)*time.Millisecond))
		}
	}
	return strings.Join(words, ", ")
}

type replayPlayer struct {
	ID     int     `json:"id"`
	Name   string  `json:"name"`
	Clan   string  `json:"clan,omitempty"`
	Since  float64 `json:"since_seconds"`
	Played float64 `json:"played_seconds"`
	Kills  int     `json:"kills"`
	Deaths int     `json:"deaths"`
}

func ticksToSeconds(ticks int32) float64 { return float64(ticks) / game.TickRate }

// addTick adds a tick. events is nil if the world was not run.
func (i *replayInfo) addTick(t *replay.Tick, events []game.Event) {
	i.Ticks = t.Tick
	i.Commands += len(t.Commands)
	for k := range t.Commands {
		c := &t.Commands[k]
		if c.Kind == game.CmdSay && c.Player != game.Nobody {
			i.Chat++
		}
		if c.Player < 0 || c.Player >= game.MaxPlayers {
			continue
		}
		switch {
		case c.Kind == game.CmdJoin:
			i.joinTick[c.Player] = t.Tick
		case c.Kind == game.CmdProfile && c.Profile != nil && i.playerIndex[c.Player] == 0:
			i.addPlayer(c.Player, c.Profile)
		case c.Kind == game.CmdLeave:
			i.playerLeft(c.Player)
		}
	}
	for k := range events {
		switch e := &events[k]; e.Kind {
		case game.EvKill:
			i.Deaths++
			if p := i.player(e.Target); p != nil {
				p.Deaths++
			}
			if e.Player >= 0 && e.Player != e.Target {
				i.Kills++
				if p := i.player(e.Player); p != nil {
					p.Kills++
				}
			}
		case game.EvMatchEnd:
			if !e.Flag {
				i.MatchesEnded++
			}
		}
	}
}

func (i *replayInfo) addPlayer(id game.PlayerID, p *game.Profile) {
	if len(i.Players) >= 10000 {
		return // a hostile log may name any number of players
	}
	i.Players = append(i.Players, replayPlayer{ID: int(id), Name: safetext.Line(p.Name), Clan: safetext.Line(p.Clan), Since: ticksToSeconds(i.joinTick[id])})
	i.playerIndex[id] = len(i.Players)
	i.numPlaying++
	i.MostPlayers = max(i.MostPlayers, i.numPlaying)
}

// addState adds the players who are present when a log begins with a state.
func (i *replayInfo) addState(h *replay.Header, cfg replay.VerifyConfig) {
	if h.State == nil {
		return
	}
	i.StateTick = h.StateTick
	w, err := h.NewWorld(cfg)
	if err != nil {
		return // running the log reports the same error
	}
	for id := range game.PlayerID(game.MaxPlayers) {
		if p, ok := w.Player(id); ok {
			i.joinTick[id] = h.StateTick
			if p.Profile.Name != "" {
				i.addPlayer(id, &p.Profile)
			}
		}
	}
}

func (i *replayInfo) player(id game.PlayerID) *replayPlayer {
	if id < 0 || id >= game.MaxPlayers || i.playerIndex[id] == 0 {
		return nil
	}
	return &i.Players[i.playerIndex[id]-1]
}

func (i *replayInfo) playerLeft(id game.PlayerID) {
	if p := i.player(id); p != nil {
		p.Played = ticksToSeconds(i.Ticks - i.joinTick[id])
		i.playerIndex[id] = 0
		i.numPlaying--
	}
}

// Run prints the information.
func (c *replayInfoCmd) Run(p *program) error {
	f, r, err := openReplay(c.File)
	if err != nil {
		return err
	}
	defer f.Close()
	h := r.Header()
	info := &replayInfo{
		File: c.File, Program: safetext.Line(h.Program), Start: time.UnixMilli(h.StartTime).UTC(), Map: safetext.Line(h.Map),
		SHA256: hex.EncodeToString(h.MapSHA256[:]),
		Width:  h.Terrain.Width, Height: h.Terrain.Height, Mode: safetext.Line(h.ModeName), Seed: h.Seed, IdleTicks: h.IdleTicks, Ticks: h.TickBefore(),
		Players: []replayPlayer{},
	}
	for _, m := range h.Mods {
		info.Mods = append(info.Mods, safetext.Line(cmp.Or(m.Name, m.Type)))
	}
	if st, err := f.Stat(); err == nil {
		info.Bytes = st.Size()
	}
	cfg := p.verifyConfig()
	info.addState(h, cfg)
	info.Simulated = true
	cfg.OnTick = func(_ *game.World, t *replay.Tick, events []game.Event) { info.addTick(t, events) }
	if _, err = replay.Verify(r, cfg); err != nil {
		info.Problem = adviseOnLog(err).Error()
	}
	if errors.Is(err, replay.ErrModeUnavailable) || errors.Is(err, replay.ErrMismatch) || errors.Is(err, replay.ErrPanic) {
		// Read the rest from the commands alone.
		info.Simulated = !errors.Is(err, replay.ErrModeUnavailable)
		var t replay.Tick
		for err = r.Next(&t); err == nil; err = r.Next(&t) {
			info.addTick(&t, nil)
		}
		if err != io.EOF {
			info.Problem += "; " + err.Error()
		}
	}
	for id := range game.PlayerID(game.MaxPlayers) {
		info.playerLeft(id)
	}
	info.Problem = safetext.Line(info.Problem)
	info.Seconds = ticksToSeconds(info.Ticks)
	info.End = r.End().String()
	if result := r.MatchResult(); result != nil {
		info.Result = newReplayScores(result)
	}
	if err == io.EOF {
		err = nil
	}
	switch info.end = info.End; {
	case isDamaged(err):
		info.end = fmt.Sprintf("unknown: the file is damaged after byte %d of %d", r.ValidBytes(), info.Bytes)
	case isCutOff(err):
		info.end = fmt.Sprintf("cut off after byte %d of %d: %s", r.ValidBytes(), info.Bytes, cutOffCauses)
	case err != nil:
		info.end = "unknown"
	}
	info.Complete = err == nil
	if c.JSON {
		return cmp.Or(json.NewEncoder(os.Stdout).Encode(info), told(err))
	}
	info.print(os.Stdout)
	return told(err)
}

func (i *replayInfo) print(w io.Writer) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("map", "%s, %d x %d tiles, sha256 %s", i.Map, i.Width, i.Height, i.SHA256)
	line("mode", "%s", i.Mode)
	for _, m := range i.Mods {
		line("mod", "%s", m)
	}
	line("recorded", "%s by %s", i.Start.Format("2006-01-02 15:04:05 MST"), i.Program)
	if i.StateTick > 0 {
		line(
			"length",
			"%v, %s; this log begins with tick %d (%v)",
			ticksToDuration(i.Ticks),
			words.Count(i.Ticks, "tick"),
			i.StateTick+1,
			ticksToDuration(i.StateTick),
		)
	} else {
		line("length", "%v, %s; the first %d without players", ticksToDuration(i.Ticks), words.Count(i.Ticks, "tick"), i.IdleTicks)
	}
	line("size", "%s, %s", words.Count(i.Bytes, "byte"), words.Count(i.Commands, "command"))
	line("end", "%s", i.end)
	if i.Simulated {
		line(
			"match",
			"%s, %s, %s of chat, %s ended",
			words.Count(i.Deaths, "death"),
			words.Count(i.Kills, "kill"),
			words.Count(i.Chat, "line"),
			words.Count(i.MatchesEnded, "match"),
		)
	} else {
		line("match", "%s of chat", words.Count(i.Chat, "line"))
	}
	if i.Result != nil && i.Result.String() != "" {
		line("result", "%s", i.Result)
	}
	if i.Problem != "" {
		line("trouble", "%s", i.Problem)
	}
	line("players", "%d, at most %d at once", len(i.Players), i.MostPlayers)
	for _, p := range i.Players {
		score := ""
		if i.Simulated {
			score = fmt.Sprintf(", %s, %s", words.Count(p.Kills, "kill"), words.Count(p.Deaths, "death"))
		}
		clan := ""
		if p.Clan != "" {
			clan = " of " + strconv.Quote(p.Clan)
		}
		fmt.Fprintf(w, "  %2d %q%s: since %s, for %s%s\n", p.ID, p.Name, clan,
			time.Duration(p.Since*float64(time.Second)).Round(time.Second), time.Duration(p.Played*float64(time.Second)).Round(time.Second), score)
	}
}

func ticksToDuration(ticks int32) time.Duration {
	return (time.Duration(ticks) * time.Second / game.TickRate).Round(time.Second)
}

type replayVerifyCmd struct {
	Files []string `arg:"" name:"file" help:"Replay logs, and teehistorians of DDNet-Server."`
	Map   string   `help:"Map of a teehistorian. By default it is searched in maps/ and in installed games." placeholder:"FILE"`
}

func (replayVerifyCmd) Help() string {
	return `A log contains a checksum of the world for every half second. A log is "ok" if it is complete and all
checksums agree. A log that is cut off, such as the log of a killed server, is verified up to its
last complete half second.

A teehistorian (sv_tee_historian of DDNet-Server) contains the inputs of the players and the
positions of all tees in each tick. Teeyard's simulation of DDRace must produce the same positions.

The exit status is 0 if all files are ok, 3 if a file is cut off but otherwise intact, and 1 if a
file is damaged or differs.

  teeyard replay verify replays/*.twreplay`
}

// Run verifies logs.
func (c *replayVerifyCmd) Run(p *program) error {
	bad := 0
	var cutOff error
	for _, name := range c.Files {
		switch err := p.verifyReplay(name, c.Map); {
		case errors.As(err, new(toldError)):
			cutOff = err
		case isCutOff(err):
			fmt.Printf("%s: cut off before the first complete tick: %s; %s\n", safetext.Line(name), safetext.Line(err.Error()), cutOffCauses)
			cutOff = told(err)
		case err != nil:
			fmt.Printf("%s: FAILED: %s\n", safetext.Line(name), safetext.Line(err.Error()))
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %s failed", bad, words.Count(len(c.Files), "log"))
	}
	return cutOff
}

// verifyWatched runs the match of a log again. It ends the program if a tick never ends.
func (p *program) verifyWatched(name string, r *replay.Reader) (replay.Result, error) {
	var dog watchdog.Watchdog
	defer dog.Watch(func(at watchdog.Stuck) {
		lines := append([]string{fmt.Sprintf("tick %d does not end: %s", at.Tick, &at)}, at.Stack...)
		fmt.Printf("%s: FAILED: %s\n", safetext.Line(name), strings.Join(lines, "\n"))
		os.Exit(1)
	})()
	cfg := p.verifyConfig()
	dog.Begin(0)
	cfg.OnTick = func(_ *game.World, t *replay.Tick, _ []game.Event) { dog.Begin(t.Tick + 1) }
	return replay.Verify(r, cfg)
}

// verifyReplay verifies a file and prints the result. It does not print an error that is not told.
func (p *program) verifyReplay(name, mapFile string) error {
	f, r, err := openReplay(name)
	if (errors.Is(err, replay.ErrFormat) || errors.Is(err, replay.ErrTruncated)) && isTeehistorian(name) {
		return verifyTeehistorian(name, mapFile)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	begin := time.Now()
	res, err := p.verifyWatched(name, r)
	took := time.Since(begin)
	switch {
	case isCutOff(err):
		fmt.Printf(
			"%s: cut off after byte %d, good up to tick %d (%v), %s; %s\n",
			safetext.Line(
				name,
			),
			r.ValidBytes(),
			res.LastGoodTick,
			ticksToDuration(res.LastGoodTick),
			words.Clause(res.HashesMatched, "checksum", "agrees", "agree"),
			cutOffCauses,
		)
		return told(err)
	case errors.Is(err, replay.ErrMismatch) && r.Header().Program != server.Program():
		return fmt.Errorf("%w (recorded by %s, verified by %s; the rules of the two versions may differ)", err, r.Header().Program, server.Program())
	case err != nil && res.LastGoodTick > 0:
		return fmt.Errorf("%w; good up to tick %d (%v)", err, res.LastGoodTick, ticksToDuration(res.LastGoodTick))
	case err != nil:
		return adviseOnLog(err)
	}
	fmt.Printf(
		"%s: ok, %s (%v), %s, %.0f ticks per second\n",
		safetext.Line(
			name,
		),
		words.Count(res.Ticks, "tick"),
		ticksToDuration(res.Ticks),
		words.Clause(res.HashesMatched, "checksum", "agrees", "agree"),
		float64(res.Ticks)/took.Seconds(),
	)
	return nil
}

type replayCutCmd struct {
	File string        `arg:"" help:"Replay log."`
	Out  string        `arg:"" help:"File to write. It must not exist."`
	From time.Duration `help:"Time in the log at which the copy begins, such as 5m30s."`
	To   time.Duration `help:"Time in the log at which the copy ends." xor:"to"`
	Tick int32         `help:"Tick at which the copy ends." xor:"to"`
}

func (replayCutCmd) Help() string {
	return `The copy ends at the next complete half second. If it begins later than the log, the match is run up
to that time, and the copy begins with the state of the match. Of a damaged log, the intact
beginning is copied. Times are those of "replay info" and "replay verify": they count from the
start of the map and include the time before the first player, which takes no space in the file.

  teeyard replay cut match.twreplay short.twreplay --to 5m30s
  teeyard replay cut match.twreplay final.twreplay --from 12m --to 15m`
}

// Run writes the cut log.
func (c *replayCutCmd) Run(p *program) error {
	from, to := ticksIn(c.From), c.Tick
	switch {
	case c.To != 0:
		to = ticksIn(c.To)
	case c.Tick == 0 && c.From == 0:
		return errors.New("no range to copy: add --from, --to or --tick")
	case c.Tick == 0:
		to = game.MaxTick
	}
	if to <= from {
		return fmt.Errorf("the range is empty: it begins at tick %d and ends at tick %d", from, to)
	}
	in, err := openInput(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := createOutput(c.Out, 0o600)
	if err != nil {
		return err
	}
	src := bufio.NewReaderSize(in, 64<<10)
	var first, last int32
	if from > 0 {
		first, last, err = replay.CutFrom(out, src, from, to, p.verifyConfig())
	} else {
		last, err = replay.Cut(out, src, to)
	}
	useless := err != nil && last == first
	if err := out.finish(!useless); err != nil {
		return err
	}
	switch {
	case useless:
		return fmt.Errorf("%s: %w", c.File, adviseOnLog(err))
	case err != nil && !errors.Is(err, replay.ErrTruncated):
		return fmt.Errorf("%s: %w; %s ends before the fault, with tick %d (%v)", c.File, err, c.Out, last, ticksToDuration(last))
	}
	if first > 0 {
		fmt.Printf("%s: from tick %d (%v) to %d (%v)\n", safetext.Line(c.Out), first, ticksToDuration(first), last, ticksToDuration(last))
	} else {
		fmt.Printf("%s: up to tick %d (%v)\n", safetext.Line(c.Out), last, ticksToDuration(last))
	}
	switch {
	case err != nil:
		fmt.Printf("%s is cut off at this tick: %s\n", safetext.Line(c.File), cutOffCauses)
		return told(err)
	case last < to && to < game.MaxTick:
		fmt.Printf("%s ends at this tick, before tick %d (%v), so the whole log was copied\n", safetext.Line(c.File), to, ticksToDuration(to))
	}
	return nil
}
