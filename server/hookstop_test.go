package server

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testenv"
)

// slowLog is a log in which a line of a script takes long.
type slowLog struct {
	rawLog
	slow func()
}

func (h slowLog) Handle(ctx context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "this is slow") {
		h.slow()
	}
	return h.rawLog.Handle(ctx, r)
}

// TestSlowScriptIsStopped has a script take longer than any should, and more than it may in every
// tick. It is switched off, players join meanwhile, and the log verifies.
func TestSlowScriptIsStopped(t *testing.T) {
	for _, c := range []struct{ name, source, why string }{
		{"slow", "function on_tick() if game.tick() > 60 then print('this is slow') end for p in players() do p.score = " +
			"p.score + 1 end end", "it took too long"},
		{"slow at first", "function on_tick() if game.tick() > 3 then print('this is slow') end for p in players() do " +
			"p.score = p.score + 1 end end", "it took too long"},
		{"over its time", "function on_tick() if game.tick() > 60 then print('this is slow') end for p in players() do " +
			"p.score = p.score + 1 end end", "it takes too long, more than 6 ms in every tick"},
		{"busy", "function on_tick() if game.tick() > 60 then for i = 1, 19000 do local x = i end end end", "steps in every tick"},
		{"endless", "function on_tick() if game.tick() > 60 then while true do for p in players() do p.score = p.score + 1 end end end end", "too many steps"},
		{"patterns", "function on_tick() if game.tick() > 60 then while true do (('a'):rep(8192)):find('%f[b]') end end end", "too many steps"},
		{"repeats", "function on_tick() if game.tick() > 60 then local s = (''):rep(9000000000000000000, '') error(s) end end", "10 errors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := scriptFiles{"test": c.source}
			var log strings.Builder
			var s memoryReplays
			var srv *Server
			spent := time.Second
			var threadTime func() time.Duration
			if c.name == "over its time" {
				threadTime = func() time.Duration { return spent }
			}
			slow := func() {
				if threadTime != nil {
					srv.mods.Clock.Measure()
					spent += 24 * time.Millisecond
				} else {
					for range 50 {
						srv.mods.Clock.Beat()
					}
				}
			}
			tn := newTestNetworkWith(t, netsim.Link{}, 1, Config{FindMod: files.find, Replays: &s, ThreadTime: threadTime,
				Log: slog.New(slowLog{rawLog{&log}, slow})}, "sv_mods test; sv_replay 1")
			srv = tn.srv
			first := tn.join(1, "first")
			tn.run(3 * time.Second)
			second := tn.join(2, "second")
			tn.run(2 * time.Second)
			got := log.String()
			testenv.Check(t, strings.Contains(got, "switched off") && strings.Contains(got, c.why), "the log has\n%s", got)
			n := 0
			for range tn.srv.world.Frame().Players {
				n++
			}
			testenv.Check(t, n == 2, "%d players (%v, %v)", n, first != nil, second != nil)
			tn.srv.record.Close(replay.EndShutdown)
			for _, name := range testenv.Must(s.Names()) {
				stops := 0
				res, err := replay.Verify(s.reader(t, name),
					replay.VerifyConfig{Modes: builtin.Modes().New, NewMod: newScript, OnTick: func(_ *game.World, tick *replay.Tick, _ []game.Event) {
						for i := range tick.Commands {
							if tick.Commands[i].Kind == game.CmdStopHook {
								stops++
							}
						}
					}})
				want := 0
				if c.name == "slow" || c.name == "over its time" {
					want = 1
				}
				testenv.Check(t, err == nil && res.HashesMatched > 5 && stops == want, "%s: %+v, %v, %d stops", name, res, err, stops)
			}
		})
	}
}

// clockedMod is a mod that takes the clock.
type clockedMod struct{}

func (clockedMod) SetClock(game.HookClock) {}

// TestSlowModsWhenEmpty checks that an empty server runs ticks of slow mods one by one, so that it
// reads datagrams between them.
func TestSlowModsWhenEmpty(t *testing.T) {
	ts := newTestServer(t, nil)
	ts.step(10)
	s := ts.srv
	for _, c := range []struct {
		mod   any
		took  time.Duration
		ticks int32
	}{{nil, 0, idleTicks}, {nil, time.Second, idleTicks}, {clockedMod{}, 0, idleTicks}, {nil, time.Second, 1}} {
		s.mods.Clock.Watch(c.mod)
		s.mods.Clock.Note(1, c.took)
		testenv.Check(t, s.nextAdvanceTime() == s.clock.tickStart(s.clock.tick+c.ticks), "%+v: other ticks are due", c)
	}
}
