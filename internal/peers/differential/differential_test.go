package differential

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

var record = flag.Bool("record", false, "play the matches of testdata anew on the original, with -tags peers")

// TestMain plays all matches at the same time: the original runs in real time, but needs little CPU
// time.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "24")
	code := m.Run()
	os.RemoveAll(diceDir)
	os.Exit(code)
}

// liveMatches are the matches of TestMatches. Each lasts 1,500 ticks, or 10,000 with
// TEEYARD_FULL=1.
var liveMatches = map[string]matchConfig{
	"one on dm1":       {Map: "dm1", Players: 1},
	"one on teeyard1":  {Map: "teeyard1", Players: 1},
	"one on testbox":   {Map: "testbox", Players: 1},
	"one on dm7":       {Map: "dm7", Players: 1},
	"one on ctf5":      {Map: "ctf5", Players: 1, behavior: behavior{spectate: true}},
	"one in the pit":   {Map: "pit", Players: 1, behavior: behavior{peaceful: true}},
	"two on dm1":       {Map: "dm1", Players: 2},
	"two on testbox":   {Map: "testbox", Players: 2, behavior: behavior{peaceful: true}},
	"two in the pit":   {Map: "pit", Players: 2, behavior: behavior{peaceful: true}, Settings: []string{"sv_scorelimit 2"}},
	"four in the pit":  {Map: "pit", Players: 4, behavior: behavior{peaceful: true}},
	"four on testbox":  {Map: "testbox", Players: 4, behavior: behavior{spectate: true}},
	"four on teeyard1": {Map: "teeyard1", Players: 4, behavior: behavior{spectate: true}},
	"four commanded":   {Map: "pit", Players: 4, behavior: behavior{spectate: true, admin: true, ready: true}},
	"eight on dm7":     {Map: "dm7", Players: 8},
	"eight in the pit": {Map: "pit", Players: 8, behavior: behavior{peaceful: true}},

	"ctf, four":           {Map: "flags", Players: 4, Settings: []string{"sv_gametype ctf", "sv_scorelimit 200"}},
	"ctf, six on ctf5":    {Map: "ctf5", Players: 6, Settings: []string{"sv_gametype ctf"}, behavior: behavior{spectate: true}},
	"ctf, four commanded": {Map: "flags", Players: 4, Settings: []string{"sv_gametype ctf"}, behavior: behavior{spectate: true, admin: true, ready: true}},
	"tdm, four commanded": {Map: "pit", Players: 4, Settings: []string{"sv_gametype tdm"}, behavior: behavior{spectate: true, admin: true}},
	"lms, four":           survival(matchConfig{Map: "pit", Players: 4, Settings: []string{"sv_gametype lms", "sv_scorelimit 2"}}),
	"lts, five commanded": survival(matchConfig{Map: "flags", Players: 5, Settings: []string{"sv_gametype lts"},
		behavior: behavior{spectate: true, admin: true}}),
}

// survival completes the configuration of a match with one life per round. All players join during
// a warmup, because later they could only watch. The match begins with a countdown of a second.
func survival(cfg matchConfig) matchConfig {
	cfg.Settings = append(cfg.Settings, "sv_warmup 1000", "sv_countdown 1")
	cfg.Settle = 80
	return cfg
}

// recordedMatches are stored in testdata. Comparing them needs no original, so they run on every
// platform.
var recordedMatches = map[string]matchConfig{
	"one":       {Map: "teeyard1", Players: 1, Ticks: 3000, behavior: behavior{spectate: true}},
	"four":      {Map: "pit", Players: 4, Ticks: 6000, behavior: behavior{peaceful: true}},
	"eight":     {Map: "teeyard1", Players: 8, Ticks: 1500},
	"coming":    {Map: "pit", Players: 5, Ticks: 3000, behavior: behavior{rejoin: true, spectate: true}},
	"commanded": {Map: "pit", Players: 3, Ticks: 3000, behavior: behavior{spectate: true, admin: true, ready: true}, Settings: []string{"sv_scorelimit 3"}},
	"ctf":       {Map: "flags", Players: 6, Ticks: 5000, behavior: behavior{spectate: true}, Settings: []string{"sv_gametype ctf", "sv_scorelimit 300"}},
	"fallen": {Map: "flags", Players: 4, Ticks: 3600, behavior: behavior{spectate: true, until: 1},
		Settings: []string{"sv_gametype ctf", "sv_scorelimit 0"}},
	"lost": {Map: "flags", Players: 4, Ticks: 3600, behavior: behavior{spectate: true, until: 1},
		Settings: []string{"sv_gametype ctf", "sv_scorelimit 0"}},
	"tdm": {Map: "pit", Players: 4, Ticks: 5500, Settings: []string{"sv_gametype tdm", "sv_scorelimit 0"}, behavior: behavior{commands: []timedCommand{
		{60, "set_team 1 0; sv_teambalance_time 1"}, {3300, "swap_teams; sv_match_swap 1"}, {3500, "set_team_all 1"}, {3520, "shuffle_teams; sv_scorelimit 1"},
		{4600, "sv_tournament_mode 2"}, {4900, "sv_scorelimit 0; sv_timelimit 0"}, {5000, "restart 3"},
	}}},
	"lms": survival(matchConfig{Map: "pit", Players: 4, Ticks: 4500, Settings: []string{"sv_gametype lms", "sv_scorelimit 2"}}),
	"lts": survival(matchConfig{Map: "flags", Players: 6, Ticks: 4500, Settings: []string{"sv_gametype lts", "sv_scorelimit 2", "sv_strict_spectate_mode 1"},
		behavior: behavior{
			ready: true, commands: []timedCommand{{100, "sv_player_ready_mode 1"}, {500, "sv_player_ready_mode 0; pause 0"}, {2500, "shuffle_teams"},
				{3000, "sv_strict_spectate_mode 0"}},
		}}),
	"tied": {Map: "pit", Players: 2, Ticks: 3200, Settings: []string{"sv_gametype tdm", "sv_timelimit 1"}, behavior: behavior{until: 1}},
	"rotation": survival(matchConfig{Map: "pit", NextMap: "flags", Players: 3, Ticks: 6000, Settings: []string{
		"sv_gametype lms", "sv_maprotation pit flags", "sv_matches_per_map 2", "sv_scorelimit 1",
	}, behavior: behavior{commands: []timedCommand{{50, "sv_gametype dm"}}}}), // takes effect on the next map
}

// TestMatches plays matches on the original, replays them on our server, and compares the clients'
// views.
func TestMatches(t *testing.T) {
	for name, cfg := range liveMatches {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg.Seed, cfg.Ticks = 1, 1500
			if testenv.Full() {
				cfg.Ticks = 10_000
			}
			if seed, err := strconv.ParseUint(os.Getenv("TEEYARD_SEED"), 10, 64); err == nil {
				cfg.Seed = seed
			}
			m := playOriginal(t, cfg)
			compareWith(t, m, replay(t, m))
		})
	}
}

// compareWith compares a fresh match on the original with the replay on our server.
func compareWith(t *testing.T, m *match, ours [][][]observation) {
	t.Helper()
	for i, part := range m.parts() {
		r := part.compare(ours[i])
		t.Logf("%d of %d rounds the same, %d of %d items, %d messages; first difference %d; %v",
			r.sameRounds, r.rounds, r.sameItems, r.items, r.messages, r.firstTick, r.kinds)
		t.Log(summary(part.seen))
		if r.rounds == 0 {
			t.Error("nothing was compared")
		}
		for _, d := range r.differences {
			t.Error(d)
		}
	}
}

// mustHappen are events that the recorded matches must contain, from the players' view.
var mustHappen = []string{
	"TeamSwap", "SpecInvalidID", "TeamShuffle", "TeamBalance", "CTFDrop", "CTFReturn", "TeamAll", "TeamBalanceVictim",
	"CTFGrab 0", "CTFGrab 1", "CTFCapture 0", "CTFCapture 1", "GamePaused", "flag in a death tile", "late flag",
	"kill 1", "kill 2", "kill 3", // the victim, the killer, or both carried a flag
	"state 0", "state 1", "state 2", "state 4", "state 8", "state 16", "state 48",
	// running, warmup, sudden death, end of a round, end of a match, pause, countdown
	"view 0", "view 1", "view 2", "view 3", // free, following players, following flags
	"match 2 of 2",
}

// TestRecorded replays the recorded matches on our server. The clients' views must have the same
// hashes. On a difference, TestMatches shows the details.
func TestRecorded(t *testing.T) {
	var mu sync.Mutex
	played, happened := 0, happenings{}
	t.Run("all", func(t *testing.T) {
		for name, cfg := range recordedMatches {
			if !testenv.InCI() && cfg.Ticks > 3000 {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				seen := replayRecorded(t, name, cfg)
				mu.Lock()
				defer mu.Unlock()
				played++
				for _, players := range seen {
					for _, s := range players {
						happened.count(s)
					}
				}
			})
		}
	})
	for _, what := range mustHappen {
		if happened[what] == 0 && played == len(recordedMatches) {
			t.Errorf("no match has %q", what)
		}
	}
}

// replayRecorded compares a recorded match and returns the observations of our players.
func replayRecorded(t *testing.T, name string, cfg matchConfig) [][][]observation {
	path := filepath.Join("testdata", name+".match")
	if *record {
		cfg.Seed = 1
		m := playOriginal(t, cfg)
		if err := m.save(path); err != nil {
			t.Fatal(err)
		}
		compareWith(t, m, replay(t, m))
	}
	m := openMatch(t, path)
	seen := replay(t, m)
	for n, part := range m.parts() {
		for i, want := range part.Hashes {
			if same := commonPrefix(part.hashes(i, seen[n][i]), want); same < len(want) {
				t.Errorf("on map %d player %d sees another match than on the original from round %d of %d on", n+1, i, same*hashedRounds, len(part.Ticks[i]))
			}
		}
		t.Log(summary(seen[n]))
	}
	return seen
}

func openMatch(t *testing.T, path string) *match {
	t.Helper()
	m, err := loadMatch(path)
	if err != nil {
		t.Fatalf("%v (play it on the original: go test -tags peers -run TestRecorded -record)", err)
	}
	return m
}

// commonPrefix returns how many hashes are equal before the first different one.
func commonPrefix(got, want []uint32) int {
	for i := range want {
		if got[i] != want[i] {
			return i
		}
	}
	return len(want)
}

// TestDifferenceIsFound checks that the comparison finds a small difference.
func TestDifferenceIsFound(t *testing.T) {
	m := openMatch(t, filepath.Join("testdata", "one.match"))
	m.seen = replay(t, m)[0]
	if r := m.compare(m.seen); r.sameRounds != r.rounds || r.rounds < 1000 {
		t.Fatalf("%d of %d rounds are like themselves", r.sameRounds, r.rounds)
	}
	s := &m.Steps[len(m.Steps)/2]
	s.Input.Jump = !s.Input.Jump
	s.Input.TargetX += 40
	ours := replay(t, m)[0]
	if r := m.compare(ours); r.sameRounds == r.rounds || len(r.differences) == 0 {
		t.Error("another input made no difference")
	}
	if hashes := m.hashes(0, ours[0]); commonPrefix(hashes, m.Hashes[0]) == len(hashes) {
		t.Error("another input made no difference to the hashes")
	}
}

// comparison counts equal and different rounds of two servers.
type comparison struct {
	rounds, sameRounds int // sums over all players
	items, sameItems   int
	messages           int
	differences        []string // the first maxDifferences ones
	firstTick          int32    // tick of the first difference after the start; -1 if there is none
	kinds              map[string]int
}

const maxDifferences = 12

// compare compares the players' observations on the original with those on our server.
func (m *match) compare(ours [][]observation) comparison {
	c := comparison{firstTick: -1, kinds: map[string]int{}}
	for player, seen := range m.seen {
		ticks := m.Ticks[player]
		theirs, ours := m.align(player, seen), m.align(player, ours[player])
		for i := range theirs {
			c.rounds++
			differences := c.compareRound(&theirs[i], &ours[i])
			if len(differences) == 0 {
				c.sameRounds++
				continue
			}
			at := ticks[i] - m.Start
			if c.firstTick < 0 || at < c.firstTick {
				c.firstTick = at
			}
			for _, d := range differences {
				if len(c.differences) < maxDifferences {
					c.differences = append(c.differences, fmt.Sprintf("tick %d, player %d: %s", at, player, d))
				}
			}
		}
	}
	return c
}

// compareRound describes the differences in a round.
func (c *comparison) compareRound(theirs, ours *observation) (differences []string) {
	fault := func(kind, format string, args ...any) {
		c.kinds[kind]++
		differences = append(differences, kind+" "+fmt.Sprintf(format, args...))
	}
	for _, it := range theirs.items {
		c.items++
		ints := ours.find(it.key.Type(), it.key.ID())
		if slices.Equal(it.ints, ints) {
			c.sameItems++
		} else {
			fault(msg7.ObjectName(it.key.Type()), "%d: - theirs + ours\n%s", it.key.ID(), cmp.Diff(decodeItem(it.key, it.ints), decodeItem(it.key, ints)))
		}
	}
	for _, it := range ours.items {
		if theirs.find(it.key.Type(), it.key.ID()) == nil {
			fault(msg7.ObjectName(it.key.Type()), "%d: only ours: %v", it.key.ID(), it.ints)
		}
	}
	c.messages += len(theirs.messages)
	if !slices.Equal(theirs.messages, ours.messages) {
		fault("messages", "theirs %s, ours %s", describeMessages(theirs.messages), describeMessages(ours.messages))
	}
	return differences
}

// decodeItem returns an item as its message type, or an error.
func decodeItem(key snapshot.Key, ints []int32) any {
	o, err := new(msg7.ObjectDecoder).Decode(key.Type(), ints)
	if err != nil {
		return err.Error()
	}
	return o
}

func describeMessages(messages []string) string {
	var out []string
	var d msg7.Decoder
	for _, m := range messages {
		decoded, err := d.Decode([]byte(m))
		if err != nil {
			out = append(out, fmt.Sprintf("%v %x", err, m))
			continue
		}
		out = append(out, fmt.Sprintf("%s%v", decoded.ID().String(), decoded))
	}
	return "[" + strings.Join(out, ", ") + "]"
}
