package gamemap_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/gamemap"
	"github.com/teeyard/teeyard/server/internal/modhost"
)

const tick = time.Second / game.TickRate

// server is a server with maps, and without a world: a match ends, and its scoreboard is shown for
// ten seconds.
type server struct {
	t       *testing.T
	maps    *gamemap.Maps
	console *console.Console

	now      conn.Time
	tick     int32
	endsAt   int32 // the tick in which the end of the match is over, 0 if the match runs
	matches  int   // that the map still lasts, with the one that ends
	isDDRace bool
	wanted   modhost.Choice
	refuse   error // of Play and Find
	work     []func()
	hold     bool // work waits for do

	played   []string
	printed  []string
	listings []*gamemap.Listing
	options  []string
	deciding game.PlayerID // or Nobody
	ranks    gamemap.Ranks
	replies  []string
	noEffect int
}

// newServer returns a server on the default map, after lines of configuration.
func newServer(t *testing.T, files fstest.MapFS, lines ...string) *server {
	t.Helper()
	s := &server{t: t, now: conn.Time(time.Hour), deciding: game.Nobody}
	s.console = testenv.Must(console.New(console.Config{Output: func(_ console.Caller, _ int, _, line string) { s.printed = append(s.printed, line) }}))
	s.maps = gamemap.New(gamemap.Config{
		Host: s, Rules: s, Votes: s, Players: s, Files: files, AnyNeedsUncompressedTiles: true,
		Background: func(f func()) {
			if s.work = append(s.work, f); !s.hold {
				s.do(len(s.work))
			}
		},
		Wake: func() {},
	})
	testenv.NoError(t, s.maps.Register(s.console))
	testenv.NoError(t, s.console.Register(console.Command{Name: "add_vote", Params: "s[option] r[command]", Help: "a test", Flags: console.Server,
		Run: func(call *console.Call) { s.options = append(s.options, call.Arg(0)+": "+call.Arg(1)) }}))
	for _, line := range lines {
		s.run(line)
	}
	s.maps.Configured()
	s.maps.Begin(testenv.Must(s.maps.Read()))
	s.console.Start()
	s.printed = nil
	return s
}

// run runs a console line of an operator.
func (s *server) run(line string) { s.console.Execute(line, console.Operator) }

// do does n pieces of work that wait.
func (s *server) do(n int) {
	s.t.Helper()
	testenv.Require(s.t, len(s.work) == n, "%d pieces of work wait, want %d", len(s.work), n)
	work := s.work
	s.work = nil
	for _, f := range work {
		f()
	}
}

// step runs ticks.
func (s *server) step(ticks int) {
	for range ticks {
		s.tick++
		s.now = s.now.Add(tick)
		if s.endsAt > 0 && s.tick >= s.endsAt {
			s.endsAt = 0
			if s.matches--; s.matches <= 0 {
				s.maps.Rotate()
			}
			s.maps.MatchBegan()
		}
		s.maps.TickRandom()
		s.maps.UpdateList()
		s.maps.Change(s.now)
		s.maps.UpdateRotation(s.now)
	}
}

// log returns the printed lines.
func (s *server) log() string { return strings.Join(s.printed, "\n") }

func (s *server) Now() conn.Time { return s.now }

func (s *server) Tick() int32 { return s.tick }

func (s *server) Print(_ int, _, line string) { s.printed = append(s.printed, line) }

func (s *server) Play(m *gamemap.Map) error {
	if s.refuse != nil {
		return s.refuse
	}
	s.tick, s.endsAt, s.matches = 0, 0, 0
	s.played = append(s.played, m.Name)
	s.maps.Begin(m)
	return nil
}

func (s *server) EndMatch() {
	s.endsAt = s.tick + 10*game.TickRate
	s.maps.ReadAhead()
}

func (s *server) IsDDRace() bool { return s.isDDRace }

func (s *server) Listings() iter.Seq[*gamemap.Listing] { return slices.Values(s.listings) }

func (s *server) Ranks() (gamemap.Ranks, game.RankOrigin) { return s.ranks, game.RankOrigin{} }

func (s *server) Wanted() modhost.Choice { return s.wanted }

func (s *server) Find(c modhost.Choice, _ *game.Terrain) (r modhost.Ruleset, err error) {
	if r.Choice = c; c.Mods == "missing" {
		err = errors.New("no such mod")
	}
	return r, err
}

func (s *server) HasOption(text string) bool {
	return slices.ContainsFunc(s.options, func(o string) bool { return strings.HasPrefix(o, text+": ") })
}

func (s *server) Maps() (names []string) {
	for _, o := range s.options {
		if _, name, ok := strings.Cut(o, ": change_map "); ok {
			names = append(names, strings.Trim(name, `"`))
		}
	}
	return names
}

func (s *server) WaitForMods(*console.Call) bool { return false }

func (s *server) Deciding() (game.PlayerID, bool) { return s.deciding, s.deciding != game.Nobody }

func (s *server) ForgetMapVote() {}

func (s *server) HadNoEffect() { s.noEffect++ }

func (s *server) Name(id game.PlayerID) string { return fmt.Sprintf("player%d", id) }

func (s *server) Reply(id game.PlayerID, line string) {
	s.replies = append(s.replies, fmt.Sprintf("%d: %s", id, line))
}

// copies returns the default map under several names.
func copies(names ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for _, name := range names {
		files["maps/"+name+".map"] = &fstest.MapFile{Data: maps.Default().Data}
	}
	return files
}
