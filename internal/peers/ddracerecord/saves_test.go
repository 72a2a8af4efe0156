//go:build peers

package ddracerecord

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/rank"
)

// savesMap has the start near the spawns, and many objects behind it.
func savesMap() []byte {
	m := &maker{Rand: rand.New(rand.NewPCG(3, 1)), game: twmap.NewGameLayer(width, height), front: twmap.NewGameLayer(width, height)}
	m.tele, m.speedup, m.switches, m.tune = make([]byte, 2*width*height), make([]byte, 6*width*height), make([]byte, 4*width*height),
		make([]byte, 2*width*height)
	m.game.Fill(0, 0, width, height, twmap.Solid)
	m.game.Fill(1, 10, width-2, height-14, twmap.Air)
	m.game.Fill(3, height-5, 3, 1, twmap.Spawn)
	m.game.Fill(9, 10, 1, height-14, 33)
	m.game.Fill(12, 10, 1, height-14, 36)
	of := []string{"jump", "tune", "switch", "telegun", "weapons", "solo", "hits"}
	for x := 14; x < width-2; x++ {
		for y := 10; y < height-4; y++ {
			if m.IntN(100) < 12 {
				kinds[of[m.IntN(len(of))]](m, x, y)
			}
		}
	}
	return m.bytes(zones)
}

// saver is a player that crosses the start line to the right and then acts at random.
type saver struct {
	*player
	runs atomic.Bool
}

func (p *saver) play(c *client.Client, v *game.View) game.Input {
	if !p.runs.Load() {
		return game.Input{TargetX: 1}
	}
	if p.inputs < 60 {
		p.inputs++
		return game.Input{Direction: 1, TargetX: 100}
	}
	return p.player.play(c, v)
}

// racer is a client that keeps the server's chat lines.
type racer struct {
	*client.Client
	saver *saver
	heard chan string
}

// join makes players join, one for each name.
func join(t *testing.T, s *peers.Server, names ...string) (all []racer) {
	t.Helper()
	for i, name := range names {
		r := racer{saver: &saver{player: newPlayer(&Config{Seed: 5}, i)}, heard: make(chan string, 1000)}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		c, err := client.Dial(ctx, s.Addr.String(), client.Config{
			Name: name, Version: client.Version06, DDNetVersion: 16040, Maps: client.NewMaps(t.TempDir()), Play: r.saver.play,
			OnEvent: func(_ *client.Client, e event.Event) {
				if chat, ok := e.(event.Chat); ok && chat.From.ID < 0 {
					select {
					case r.heard <- chat.Text:
					default:
					}
				}
			},
		})
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, s.Output())
		}
		t.Cleanup(c.Close)
		r.Client = c
		all = append(all, r)
	}
	return all
}

// await waits until the server sends a chat line with a text.
func (r *racer) await(t *testing.T, text string) {
	t.Helper()
	limit := time.After(20 * time.Second)
	var before []string
	for {
		select {
		case line := <-r.heard:
			if strings.Contains(line, text) {
				return
			}
			before = append(before, line)
		case <-limit:
			t.Fatalf("not told %q, but %q", text, before)
		}
	}
}

// team puts the players into team 1. If race is not 0, they also start the race and play for that
// time.
func team(t *testing.T, all []racer, race time.Duration) {
	t.Helper()
	for i := range all {
		all[i].Say("/team 1")
		all[i].await(t, "joined team 1")
	}
	for i := range all {
		all[i].saver.runs.Store(race > 0)
	}
	time.Sleep(race)
}

// TestSavesAsDDNet saves a team on DDNet-Server, loads and saves it on our server, and loads it on
// DDNet-Server again.
func TestSavesAsDDNet(t *testing.T) {
	t.Parallel()
	sqlite := peers.RequirePrograms(t, "sqlite3")[0]
	home, folder := t.TempDir(), t.TempDir()
	data := filepath.Join(home, ".local", "share", "ddnet")
	peers.WriteFile(t, filepath.Join(data, "maps", "saves.map"), savesMap())
	peers.WriteFile(t, filepath.Join(data, "autoexec_server.cfg"), nil)
	peers.WriteFile(t, filepath.Join(folder, "maps", "saves.map"), savesMap())
	settings := "sv_map saves; sv_team_change_delay 0; sv_sql_queries_delay 0; sv_freeze_delay 1; sv_saveswapgames_delay 0"
	names := []string{"first", "second one", "~third"}

	theirs := peers.StartDDNetIn(t, home, settings+"; sv_sqlite_file ranks.sqlite")
	all := join(t, theirs, names...)
	team(t, all, 5*time.Second)
	all[0].Say("/save golden")
	all[0].await(t, "successfully saved")
	theirs.Stop()
	var file string
	testenv.NoError(t, filepath.WalkDir(home, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Base(path) == "ranks.sqlite" {
			file = path
		}
		return err
	}))

	journal := filepath.Join(folder, "ranks.journal")
	out, err := exec.Command(peers.Program(t), "ranks", "import", "--into", journal, file).CombinedOutput()
	testenv.Require(t, err == nil && strings.Contains(string(out), "1 save; 1 of these"), "%v\n%s", err, out)
	ours := peers.StartTeeyardIn(t, folder, settings+"; sv_gametype ddrace")
	all = join(t, ours, names...)
	team(t, all, 0)
	all[1].Say("/load golden")
	all[2].await(t, "Loading successfully done")
	time.Sleep(2 * time.Second)
	all[2].Say("/save back")
	all[0].await(t, "Team successfully saved by ~third. Use '/load back' to continue")
	ours.Stop()

	text := ""
	testenv.NoError(t, rank.Read(journal, func(e *rank.Entry) {
		if e.Kind == rank.Save && e.Code == "back" {
			text = e.Text
		}
	}))
	saved, err := ddrace.ParseSavedTeam(text)
	testenv.Require(t, err == nil && len(saved.Tees) == 3 && saved.Tees[0].Time > 2*60*ddrace.TickRate, "%v in %q", err, text)
	insert := exec.Command(sqlite, file)
	insert.Stdin = strings.NewReader("INSERT INTO record_saves(Savegame, Map, Code, Timestamp, Server, DDNet7, SaveID) VALUES('" + text +
		"', 'saves', 'back', CURRENT_TIMESTAMP, 'UNK', 0, '1b4e28ba-2fa1-11d2-883f-0016d3cca427')")
	out, err = insert.CombinedOutput()
	testenv.Require(t, err == nil, "%v\n%s", err, out)
	theirs = peers.StartDDNetIn(t, home, settings+"; sv_sqlite_file ranks.sqlite")
	all = join(t, theirs, names...)
	team(t, all, 0)
	all[0].Say("/load back")
	all[1].await(t, "Loading successfully done")
	all[1].Say("/save again")
	all[1].await(t, "successfully saved")
	theirs.Stop()
	again, err := exec.Command(sqlite, file, "SELECT Savegame FROM record_saves WHERE Code = 'again'").Output()
	testenv.NoError(t, err)
	last, err := ddrace.ParseSavedTeam(strings.TrimSuffix(string(again), "\n"))
	testenv.Require(t, err == nil && len(last.Tees) == 3 && len(last.Switches) == len(saved.Switches), "%v in %q", err, again)
	for i := range last.Tees {
		was := slices.IndexFunc(saved.Tees, func(s ddrace.SavedTee) bool { return s.Name == last.Tees[i].Name })
		testenv.Require(t, was >= 0, "%q is new", last.Tees[i].Name)
		more := last.Tees[i].Time - saved.Tees[was].Time - 60*ddrace.TickRate
		testenv.Check(t, more >= 0 && more < 20*ddrace.TickRate, "%q raced for %d ticks more", last.Tees[i].Name, more)
	}
}
