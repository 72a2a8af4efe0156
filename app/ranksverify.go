package app

import (
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
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/rank"
	"github.com/teeyard/teeyard/server/runs"
	"github.com/teeyard/teeyard/server/storage"
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
		return fmt.Errorf("%w: it was imported, or recorded without a replay log", runs.ErrNotShown)
	}
	logs := filepath.Join(dir, "replays")
	files := []string{c.Log}
	if c.Log == "" {
		files = []string{filepath.Join(logs, runs.File(e.Log, e.Begin, e.End)), filepath.Join(logs, filepath.FromSlash(e.Log))}
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
	return fmt.Errorf("%w: none of these files exists: %s", runs.ErrNotShown, strings.Join(files, ", "))
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
	first, err = runs.Verify(in, e.End, func(r *game.RankRequest) bool { return isFinish(r, e) }, p.verifyConfig())
	return first, adviseOnLog(err)
}

// isFinish reports whether a request of the match leads to the entry e.
func isFinish(r *game.RankRequest, e *rank.Entry) bool {
	if r.Time != e.Time || r.Begin != e.Begin || r.Team != e.Team || !slices.Equal(r.Names, e.Names) {
		return false
	}
	full := *r
	full.Map = cmp.Or(r.Map, e.Map)
	return storage.RankID(&full, e.GameID) == e.ID
}
