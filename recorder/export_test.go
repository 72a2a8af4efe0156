package recorder

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
)

const exportTicks = 200

// exportedLog returns the log of a match with two players on an empty map.
func exportedLog(t *testing.T) []byte {
	t.Helper()
	terrain := game.Terrain{Width: 20, Height: 10, Tiles: make([]uint8, 200)}
	for x := range 20 {
		terrain.Tiles[x], terrain.Tiles[9*20+x] = 1, 1
	}
	terrain.Tiles[5*20+10] = 192 // spawn
	cfg := game.Config{Terrain: terrain, Mode: dm.Mode{}, Rules: game.DefaultRules()}
	h := replay.Header{Terrain: terrain, Rules: cfg.Rules, Tuning: physics.DefaultTuning(), Map: "box"}
	h.SetMode("dm", cfg.Mode, nil)
	var log bytes.Buffer
	out := testenv.Must(replay.NewWriter(&log, &h))
	w := testenv.Must(game.New(cfg))
	for tick := range exportTicks {
		var cmds []game.Command
		for id, name := range []string{"anna", "bert"} {
			if tick == 10*(id+1) {
				player := game.PlayerID(id)
				cmds = append(cmds, game.Command{Kind: game.CmdJoin, Player: player},
					game.Command{Kind: game.CmdProfile, Player: player, Profile: &game.Profile{Name: name}},
					game.Command{Kind: game.CmdEnterGame, Player: player})
			}
		}
		testenv.NoError(t, out.RecordTick(cmds))
		w.Step(cmds)
		testenv.NoError(t, out.AfterStep(w))
	}
	testenv.NoError(t, out.Close(w, replay.EndShutdown))
	return log.Bytes()
}

func TestExport(t *testing.T) {
	log := exportedLog(t)
	verify := replay.VerifyConfig{Modes: func(string) (game.Mode, bool) { return dm.Mode{}, true }}
	for name, c := range map[string]struct {
		log         []byte
		cfg         ExportConfig
		first, last int32
		err         string // begins with this text
	}{
		"all":               {log: log, first: 1, last: exportTicks - 1},
		"a part":            {log: log, cfg: ExportConfig{From: 51, To: 100}, first: 51, last: 99},
		"a player":          {log: log, cfg: ExportConfig{Player: "bert"}, first: 21, last: exportTicks - 1},
		"nobody":            {log: log, cfg: ExportConfig{Player: "carl"}, err: `"carl" was not in the game at that time; these players were: anna, bert`},
		"after the end":     {log: log, cfg: ExportConfig{From: 500}, err: "the log has nothing to record at that time; its length is 4s"},
		"cut off":           {log: log[:len(log)-60], first: 1, last: exportTicks - 25, err: replay.ErrTruncated.Error()},
		"cut off, and told": {log: log[:len(log)-60], cfg: ExportConfig{TellEnd: true}, first: 1, last: exportTicks - 25},
	} {
		c.cfg.Verify = verify
		var file memFile
		first, last, ok, err := Export(&file, testenv.Must(replay.NewReader(bytes.NewReader(c.log))), c.cfg)
		if ok != (c.last > 0) || first != c.first || last != c.last || (err == nil) != (c.err == "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
			t.Errorf("%s: ticks %d to %d, %v, %v", name, first, last, ok, err)
		}
		if !ok {
			continue
		}
		r := testenv.Must(demo.NewReader(bytes.NewReader(file.Bytes())))
		for chunk := new(demo.Chunk); err == nil || errors.Is(err, replay.ErrTruncated); {
			if err := r.Next(chunk); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}
