package app

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/ranks"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/rank"
	"github.com/teeyard/teeyard/server"
)

// ranksVerifyCmd is "teeyard ranks verify".
type ranksVerifyCmd struct {
	serverFolder
	Map   string `arg:"" help:"Name of the map."`
	Name  string `arg:"" optional:"" help:"Name of a player. By default the best time on the map is verified."`
	Team  bool   `help:"Verify the best time of a team instead."`
	Ranks string `help:"Rank file in that folder (sv_ranks)." default:"ranks.journal" placeholder:"FILE"`
	Log   string `help:"Replay log with the run, if it is not in the server's folder." placeholder:"FILE"`
}

func (*ranksVerifyCmd) Help() string {
	return `A row of the ranks names the replay log with the run, and its ticks. That part of the log is in
replays/finishes (sv_replay_finishes), or in the log itself as long as it is kept. The match is run
again. Its checksums must agree, and it must produce the same row in the same tick. The exit status
is then 0.

  teeyard ranks verify Tutorial
  teeyard ranks verify Tutorial "nameless tee"`
}

// errFinishNotShown means that the log does not contain the run of a finish, or contains another
// run.
var errFinishNotShown = errors.New("the finish cannot be verified")

// Run runs the match of a finish again.
func (c *ranksVerifyCmd) Run(p *program) error {
	dir := c.path()
	path := filepath.Join(dir, c.Ranks)
	e, err := rank.Best(path, c.Map, c.Name, c.Team)
	if err = warnOfDamage(err); err != nil {
		return err
	}
	if e == nil {
		return c.noFinish(path)
	}
	fmt.Printf("%s: %s by %s", safetext.Line(e.Map), ranks.Time(e.Time), safetext.Line(strings.Join(e.Names, ", ")))
	if e.When > 0 {
		fmt.Printf(" on %s", time.Unix(e.When, 0).UTC().Format("2006-01-02 15:04:05 MST"))
	}
	fmt.Println()
	if e.Log == "" {
		return fmt.Errorf("%w: it was imported, or recorded without a replay log", errFinishNotShown)
	}
	logs := filepath.Join(dir, "replays")
	files := []string{c.Log}
	if c.Log == "" {
		files = []string{filepath.Join(logs, finishDir, finishFile(e.Log, e.Begin, e.End)), filepath.Join(logs, filepath.FromSlash(e.Log))}
	}
	for _, name := range files {
		in, err := os.Open(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		defer in.Close()
		first, err := p.verifyFinish(in, e)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if first > e.Begin {
			fmt.Printf("%s begins in tick %d, after the start of the run in tick %d\n", safetext.Line(name), first, e.Begin)
		}
		fmt.Printf("%s: ok, the match finishes in tick %d with the same time, and its checksums agree\n", safetext.Line(name), e.End)
		return nil
	}
	return fmt.Errorf("%w: none of these files exists: %s", errFinishNotShown, strings.Join(files, ", "))
}

// noFinish returns the error for a finish that does not exist. It suggests a map with a similar
// name.
func (c *ranksVerifyCmd) noFinish(path string) error {
	none := fmt.Errorf("no player has a finish on the map %q", c.Map)
	if c.Name != "" {
		none = fmt.Errorf("%s has no finish on the map %q", c.Name, c.Map)
	}
	courses, err := (&ranksListCmd{Team: c.Team}).read(path)
	if err != nil || courses[c.Map] != nil {
		return none
	}
	return fmt.Errorf("%w; %s", none, mapHint(c.Map, courses))
}

// verifyFinish runs a log up to a finish and checks that the match makes that finish. It returns
// the tick with which the log begins.
func (p *program) verifyFinish(in io.Reader, e *rank.Entry) (first int32, err error) {
	// The log after the finish does not matter.
	part, out := io.Pipe()
	defer part.Close()
	go func() {
		_, err := replay.Cut(out, bufio.NewReader(in), e.End)
		out.CloseWithError(err)
	}()
	r, err := replay.NewReader(part)
	if err != nil {
		return 0, err
	}
	found := false
	cfg := p.verifyConfig()
	cfg.OnTick = func(_ *game.World, t *replay.Tick, events []game.Event) {
		for i := range events {
			if events[i].Kind == game.EvStore && t.Tick == e.End {
				found = found || isFinish(events[i].Store.Rank, e)
			}
		}
	}
	res, err := replay.Verify(r, cfg)
	switch {
	case err != nil && res.LastGoodTick < e.End:
		return 0, adviseOnLog(err)
	case res.LastGoodTick < e.End:
		return 0, fmt.Errorf("%w: the log has checksums up to tick %d, before the finish in tick %d", errFinishNotShown, res.LastGoodTick, e.End)
	case !found:
		return 0, fmt.Errorf("%w: the match has no such finish in tick %d", errFinishNotShown, e.End)
	}
	return r.Header().TickBefore(), nil
}

// isFinish reports whether a request of the match leads to the entry e.
func isFinish(r *game.RankRequest, e *rank.Entry) bool {
	if r == nil || r.Op != game.RankFinish || r.Time != e.Time || r.Begin != e.Begin || r.Team != e.Team || !slices.Equal(r.Names, e.Names) {
		return false
	}
	full := *r
	full.Map = cmp.Or(r.Map, e.Map)
	return server.RankID(&full, e.GameID) == e.ID
}
