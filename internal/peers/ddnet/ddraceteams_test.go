//go:build peers

package ddnet

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// The columns of teamsMap.
const (
	atDeath, atUnlock, atSpawn, atStart, atFinish = 2, 8, 16, 24, 40
	teamsWidth                                    = 46
)

// teamsMap returns a map with a floor, the tiles that matter to DDRace teams, and no collisions
// between tees.
func teamsMap(t *testing.T) []byte {
	t.Helper()
	const height = 8
	layer := twmap.NewGameLayer(teamsWidth, height)
	for y := range height {
		for x := range teamsWidth {
			if x == 0 || y == 0 || x == teamsWidth-1 || y == height-1 {
				layer.Set(x, y, twmap.Solid, 0)
			}
		}
	}
	for x, index := range map[int]uint8{atDeath: twmap.Death, atUnlock: 76, atSpawn: twmap.EntityOffset + 1, atStart: 33, atFinish: 34} {
		layer.Set(x, height-2, index, 0)
	}
	m := &twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, layer)}}
	m.Info.Settings = []string{"tune player_collision 0", "sv_pauseable 1"}
	return testenv.Must(m.Bytes())
}

// racer is a client that walks to a column and keeps the server's chat lines.
type racer struct {
	*client.Client
	goal  atomic.Int32 // column to walk to; 0 stands still
	at    atomic.Int32 // current column
	lines chan string
	name  string
}

// racerCount counts the racers, so that each gets its own address.
var racerCount atomic.Int32

func joinRacer(t *testing.T, s *peers.Server, i int) *racer {
	return joinRacerAs(t, s, fmt.Sprintf("racer %d", i))
}

func joinRacerAs(t *testing.T, s *peers.Server, name string) *racer {
	return joinRacerHearing(t, s, name, func(event.Event) {})
}

// joinRacerHearing is joinRacerAs with a function that gets every event.
func joinRacerHearing(t *testing.T, s *peers.Server, name string, hear func(event.Event)) *racer {
	r := &racer{name: name, lines: make(chan string, 1000)}
	r.Client = peers.Dial(t, s, client.Config{
		Name: name, Version: client.Version06, DDNetVersion: 16040, LocalAddr: fmt.Sprintf("127.0.4.%d", racerCount.Add(1)%250+1),
		Play: func(_ *client.Client, v *game.View) game.Input {
			in := game.Input{TargetX: 1}
			for _, c := range v.Characters {
				if c.Player != v.VitalsOf {
					continue
				}
				column := int32(c.Pos.X / 32)
				r.at.Store(column)
				switch goal := r.goal.Load(); {
				case goal == 0:
				case column < goal:
					in.Direction = 1
				case column > goal:
					in.Direction = -1
				}
			}
			return in
		},
	})
	go func() {
		for e := range r.Events(context.WithoutCancel(t.Context())) {
			hear(e)
			switch e := e.(type) {
			case event.Chat:
				if e.From.ID < 0 {
					r.lines <- e.Text
				}
			case event.Broadcast:
				r.lines <- "broadcast: " + e.Text
			}
		}
	}()
	return r
}

var raceTime = regexp.MustCompile(`\d+ minute\(s\) +[\d.]+ second|[\d.]+ second\(s\) (better|worse)|\d\d:\d\d`)

// teamScript are the actions of four players. Each begins with the player's number. Then follows a
// line of chat, "kill", "walk" and a column, or "fall" and a column before deadly tiles. "wait"
// waits until players may change teams again.
var teamScript = []string{
	"0 /team", "0 /lock", "0 /invite racer 1", "0 /practice", "wait",
	"0 /team 5", "0 /team 5", "1 /team -1", "0 /lock", "2 /team 5", "0 /invite nobody", "0 /invite racer 2", "0 /invite racer 2", "wait",
	"2 /team 5", "2 /unlock", "2 /lock 1", "2 /lock 0", "3 /team 5", "wait",
	"0 /lock", "0 kill", "0 /team", // the team has not started its race
	fmt.Sprint("0 walk ", atStart+3), "1 /team 5", "2 kill", "0 /team", "wait", // one death kills the whole team
	fmt.Sprint("2 walk ", atStart+3), fmt.Sprint("0 fall ", atDeath+1), "wait", "wait",
	fmt.Sprint("3 walk ", atUnlock), fmt.Sprint("3 walk ", atSpawn), "3 /team",
	fmt.Sprint("0 walk ", atStart+3), "3 kill", "0 /team", "wait", // the team cannot finish any more
	"0 kill", "2 kill", "wait",
	"0 /team 6", "2 /team 6", fmt.Sprint("0 walk ", atFinish+2), fmt.Sprint("2 walk ", atFinish+2), "0 /team", "wait", // a team of two finishes
	"0 kill", "2 kill", "wait", "wait",
	"0 /team 7", "2 /team 7", "0 /practice", "0 /practice 0", "0 /practice 1", "2 /practice", "2 /practice",
	fmt.Sprint("0 walk ", atFinish+2), fmt.Sprint("2 walk ", atFinish+2), "0 /team", "0 kill", "wait",
	fmt.Sprint("1 walk ", atFinish+2), "1 /team 3", "1 kill", "wait",
	"1 /team 3", fmt.Sprint("1 walk ", atStart+3), "1 /team 4", "1 kill", "wait",
	fmt.Sprint("1 walk ", atStart+3), "wait", fmt.Sprint("1 walk ", atFinish+2), // slower than the time before
}

// TestTeamsAsDDNet runs teamScript on DDNet-Server 16.4 and on our server. The players must get the
// same chat lines, apart from times.
func TestTeamsAsDDNet(t *testing.T) {
	t.Parallel()
	compareLines(t, teamScript)
}

// compareLines runs a script of four players on both servers and compares their chat lines.
func compareLines(t *testing.T, script []string) {
	t.Helper()
	file := teamsMap(t)
	theirs := startDDNetOn(t, file)
	ours := startTeeyardOn(t, file, "")
	answers := make(chan []string, 1)
	go func() { answers <- playLines(t, theirs, script) }()
	got := playLines(t, ours, script)
	want := <-answers
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-DDNet-Server, +ours):\n%s", diff)
	}
	t.Logf("%d lines\n%s", len(want), strings.Join(want, "\n"))
}

const teamSettings = "sv_map teams; sv_spamprotection 0"

func startDDNetOn(t *testing.T, file []byte) *peers.Server {
	home := t.TempDir()
	data := filepath.Join(home, ".local", "share", "ddnet")
	peers.WriteFile(t, filepath.Join(data, "maps", "teams.map"), file)
	peers.WriteFile(t, filepath.Join(data, "autoexec_server.cfg"), nil) // replaces Debian's
	return peers.StartDDNetIn(t, home, teamSettings)
}

func startTeeyardOn(t *testing.T, file []byte, settings string) *peers.Server {
	folder := t.TempDir()
	peers.WriteFile(t, filepath.Join(folder, "maps", "teams.map"), file)
	return peers.StartTeeyardIn(t, folder, teamSettings+"; sv_gametype ddrace"+settings)
}

// playLines runs a script of four players on a server and returns the chat lines they get.
func playLines(t *testing.T, s *peers.Server, script []string) (all []string) {
	time.Sleep(500 * time.Millisecond) // the player before has left
	var racers []*racer
	for i := range 4 {
		racers = append(racers, joinRacer(t, s, i))
	}
	hear := func(silence time.Duration) {
		time.Sleep(silence)
		for i, r := range racers {
			for len(r.lines) > 0 {
				all = append(all, fmt.Sprintf("%d: %s", i, raceTime.ReplaceAllString(<-r.lines, "TIME $1")))
			}
		}
	}
	hear(time.Second)
	all = nil // forget the greetings
	for _, step := range script {
		all = append(all, "> "+step)
		who, what, _ := strings.Cut(step, " ")
		verb, column, _ := strings.Cut(what, " ")
		if who == "wait" {
			hear(3200 * time.Millisecond)
			continue
		}
		r := racers[who[0]-'0']
		switch verb {
		case "kill":
			r.goal.Store(0)
			testenv.Check(t, r.Kill() == nil, "cannot kill itself")
			hear(700 * time.Millisecond)
		case "walk", "fall":
			var goal int32
			fmt.Sscan(column, &goal)
			r.goal.Store(goal)
			for range 200 {
				if r.at.Load() == goal {
					break
				}
				time.Sleep(50 * time.Millisecond)
			}
			testenv.Check(t, r.at.Load() == goal, "%s: at %d", step, r.at.Load())
			if verb == "fall" {
				r.goal.Store(-1)
				time.Sleep(200 * time.Millisecond)
			}
			r.goal.Store(0)
			hear(400 * time.Millisecond)
		case "rename":
			testenv.Check(t, r.SetProfile(game.Profile{Name: column}) == nil, "cannot change its name")
			hear(300 * time.Millisecond)
		default:
			testenv.Check(t, r.Say(what) == nil, "cannot write")
			hear(300 * time.Millisecond)
		}
	}
	return all
}
