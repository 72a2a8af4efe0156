package ddrace_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
)

// racers makes players press random keys.
type racers struct {
	*rand.Rand
	in   [16]game.Input
	cmds []game.Command
}

func (r *racers) next() []game.Command {
	r.cmds = r.cmds[:0]
	for i := range r.in {
		in := &r.in[i]
		if r.IntN(10) == 0 {
			in.Direction, in.Jump, in.Hook, in.Fire = int32(r.IntN(3)-1), r.IntN(2) == 0, r.IntN(2) == 0, (in.Fire+1)&63
			in.TargetX, in.TargetY = int32(r.IntN(401)-200), int32(r.IntN(401)-200)
		}
		in.TargetX++
		for _, kind := range []game.CommandKind{game.CmdDirectInput, game.CmdInput} {
			r.cmds = append(r.cmds, game.Command{Kind: kind, Player: game.PlayerID(i), Target: game.Nobody, Input: *in})
		}
	}
	return r.cmds
}

// BenchmarkReplay verifies the log of a minute with 16 players. The map has tiles of all kinds; set
// TEEYARD_MAP to use another one.
func BenchmarkReplay(b *testing.B) {
	file := testenv.Must(os.ReadFile(cmp.Or(os.Getenv("TEEYARD_MAP"), "../../internal/teeverify/testdata/mixed.map")))
	terrain := testenv.Must(testenv.Must(twmap.Config{GameOnly: true}.Parse(file)).Terrain())
	const ticks = 60 * game.TickRate
	cfg := game.Config{Mode: ddrace.New(), Terrain: terrain, Rules: modtest.Rules(), Seed: 4}
	w := testenv.Must(game.New(cfg))
	h := replay.Header{Terrain: terrain, Rules: cfg.Rules, Tuning: w.Tuning(), Seed: cfg.Seed}
	h.SetMode("ddrace", cfg.Mode, nil)
	h.SetVariables(w)
	var log bytes.Buffer
	rec := testenv.Must(replay.NewWriter(&log, &h))
	r := racers{Rand: rand.New(rand.NewPCG(1, 2))}
	for tick := range ticks {
		cmds := r.next()
		if tick == 0 {
			cmds = nil
			for id := range r.in {
				cmds = append(cmds, game.Command{Kind: game.CmdJoin, Player: game.PlayerID(id)},
					game.Command{Kind: game.CmdProfile, Player: game.PlayerID(id), Profile: &game.Profile{Name: fmt.Sprint(id)}},
					game.Command{Kind: game.CmdEnterGame, Player: game.PlayerID(id)})
			}
		}
		testenv.NoError(b, rec.RecordTick(cmds))
		w.Step(cmds)
		testenv.NoError(b, rec.AfterStep(w))
	}
	testenv.NoError(b, rec.Close(w, replay.EndShutdown))
	for b.Loop() {
		res, err := replay.Verify(testenv.Must(replay.NewReader(bytes.NewReader(log.Bytes()))),
			replay.VerifyConfig{Modes: func(string) (game.Mode, bool) { return ddrace.New(), true }})
		if err != nil || res.Ticks < ticks {
			b.Fatalf("%+v, %v", res, err)
		}
	}
	b.ReportMetric(float64(ticks)*float64(b.N)/b.Elapsed().Seconds(), "ticks/s")
}
