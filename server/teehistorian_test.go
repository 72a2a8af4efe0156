package server_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/teeverify"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server/record"
	"github.com/teeyard/teeyard/server/servertest"
)

// playRace lets clients of both versions play the race at random: they come, leave, watch, die and
// send several inputs for a tick.
func playRace(ts *testServer, ticks int) {
	r := rand.New(rand.NewPCG(4, 2))
	kinds := []testclient.Config{client06DDNet, client07, client06, client06DDNet, client07}
	clients := make([]*testclient.Client, len(kinds))
	for i, kind := range kinds {
		clients[i] = ts.EnterAs(kind, ip(i+1), fmt.Sprint("racer ", i))
	}
	inputs := make([]msg7.PlayerInput, len(kinds))
	for tick := range ticks {
		for i, c := range clients {
			in := &inputs[i]
			for range 1 + r.IntN(2) {
				if r.IntN(4) == 0 {
					c.Input(ts.World().Tick()+1, *in) // again
					continue
				}
				if r.IntN(5) == 0 {
					in.Direction, in.Jump, in.Hook = int32(r.IntN(3)-1), r.IntN(2) == 0, r.IntN(2) == 0
					in.WantedWeapon = int32(r.IntN(3))
				}
				in.Fire = (in.Fire + int32(r.IntN(2))) & 63
				in.TargetX, in.TargetY = int32(r.IntN(401)-200), int32(r.IntN(401)-200)
				c.Input(ts.World().Tick()+1, *in)
			}
			switch n := r.IntN(400); {
			case n < 2:
				c.Send(c.Pick(&msg6.ClKill{}, &msg7.ClKill{}))
			case n == 2:
				team := r.IntN(2) - 1
				c.Send(c.Pick(&msg6.ClSetTeam{Team: msg6.Team(team)}, &msg7.ClSetTeam{Team: msg7.Team(team)}))
			case n == 3:
				c.Send(c.Pick(&msg6.ClEmoticon{Emoticon: 3}, &msg7.ClEmoticon{Emoticon: 3}))
			}
		}
		switch tick {
		case ticks / 3:
			ts.Execute("tune gravity 0.29; tune ground_control_speed 11.57")
		case ticks / 2:
			clients[2].Close("")
			ts.Step(2)
			clients[2] = ts.EnterAs(client07, ip(9), "late")
		}
		ts.Step(1)
	}
}

// verifyTeehistorian runs a recording again.
func verifyTeehistorian(t *testing.T, ts *testServer, file []byte) *teeverify.Result {
	t.Helper()
	res := testenv.Must(teeverify.Verify(teeverify.Config{File: bytes.NewReader(file),
		Terrain: testenv.Must(testenv.Must(twmap.Parse(ts.MapFile())).Terrain())}))
	if res.Difference != nil {
		t.Error(res.Difference)
	}
	testenv.Check(t, len(res.Unknown) == 0 && len(res.Repeated) == 0, "verify does not know %q, and found %v by itself", res.Unknown, res.Repeated)
	return res
}

// TestTeehistorian records a match. It checks that the recording is complete, and that our
// simulation comes to the same positions.
func TestTeehistorian(t *testing.T) {
	var files servertest.Folder
	cfg := ddraceConfig()
	cfg.Teehistorians = &files
	ts := newTestServerWith(t, cfg, "sv_map race; sv_gametype ddrace; sv_tee_historian 1; sv_spamprotection 0; sv_name Yard")
	ts.Step(5000) // before somebody comes, from when on it is recorded
	playRace(ts, 2000)
	ts.Shutdown(ts.Now(), "")
	names := testenv.Must(files.Names())
	testenv.Require(t, len(names) == 1 && strings.HasSuffix(names[0], record.TeehistorianSuffix), "the files are %q", names)
	file := files.Content(names[0])
	res := verifyTeehistorian(t, ts, file)
	testenv.Check(t, res.TeeTicks > 5000 && res.End == nil, "%d places, %v", res.TeeTicks, res.End)
	h := res.Header
	testenv.Check(t, h.GameUUID+record.TeehistorianSuffix == names[0] && h.ServerName == "Yard" && h.MapName == "race" &&
		h.GameType == "DDraceNetwork" && h.Tuning["gun_speed"] == "140000",
		"the header is %s", h.JSON)
	began := testenv.Must(time.Parse("2006-01-02T15:04:05-0700", h.StartTime))
	testenv.Check(t, time.Since(began) >= 100*time.Second, "the header says that tick 0 was at %s", h.StartTime)

	r := testenv.Must(teehistorian.NewReader(bytes.NewReader(file)))
	count := map[string]int{}
	var rec teehistorian.Record
	var last teehistorian.Kind
	for r.Next(&rec) == nil {
		last = rec.Kind
		count[strings.TrimSpace(rec.Kind.String()+" "+rec.ExtraName()+rec.Name)]++
	}
	testenv.Check(t, last == teehistorian.Finish, "the last record is %v", last)
	for what, n := range map[string]int{"extra joinver6": 3, "extra joinver7": 3, "join": 6, "extra player-ready": 6,
		"extra ddnetver": 2, "finish": 1, "drop": 6} {
		testenv.Check(t, count[what] == n, "%d times %s, want %d", count[what], what, n)
	}
	for _, what := range []string{"message", "input new", "input diff", "new", "old", "moved", "command tune"} {
		testenv.Check(t, count[what] > 0, "no record of %q", what)
	}
}

// TestTeehistorianOnlyOfDDRace checks that nothing else is recorded.
func TestTeehistorianOnlyOfDDRace(t *testing.T) {
	var files servertest.Folder
	cfg := ddraceConfig()
	cfg.Teehistorians = &files
	ts := newTestServerWith(t, cfg, "sv_map race; sv_gametype dm; sv_tee_historian 1")
	ts.EnterAs(client07, ip(1), "dora")
	ts.Step(100)
	ts.Shutdown(ts.Now(), "")
	names := testenv.Must(files.Names())
	testenv.Check(t, len(names) == 0, "the files are %q", names)
}

// TestTeehistorianLimits reaches the limits of size and number, and fills the disk.
func TestTeehistorianLimits(t *testing.T) {
	var files servertest.Folder
	cfg := ddraceConfig()
	cfg.Teehistorians = &files
	const foreign = "6c3a5b1e-1a2b-4c3d-8e9f-0a1b2c3d4e5f.teehistorian" // of DDNet-Server
	files.Create(foreign)
	ts := newTestServerWith(t, cfg, "sv_map race; sv_gametype ddrace; sv_tee_historian 1; sv_tee_historian_max_files 2")
	for range 4 {
		dora := ts.EnterAs(client07, ip(1), "dora")
		ts.Step(60)
		ts.Execute("reload")
		ts.Step(3)
		dora.Close("")
		ts.Step(3)
	}
	ts.Shutdown(ts.Now(), "")
	names := testenv.Must(files.Names())
	ours := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == foreign })
	testenv.Check(t, len(names) == 3 && len(ours) == 2 && slices.Contains(names, foreign), "the files are %q", names)

	files = servertest.Folder{Full: errors.New("no space left")}
	ts = newTestServerWith(t, cfg, "sv_map race; sv_gametype ddrace; sv_tee_historian 1")
	c := ts.EnterAs(client07, ip(1), "dora")
	ts.Idle(200, c)
	ts.Shutdown(ts.Now(), "")
	names = testenv.Must(files.Names())
	testenv.Check(t, len(names) == 0 && strings.Count(ts.Log.String(), "[teehistorian]: ") == 1 && strings.Contains(ts.Log.String(), "no space left"),
		"on a full disk there are %q\n%s", names, ts.Log.String())
}
