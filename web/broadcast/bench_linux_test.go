package broadcast

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// crowd is a server with players who run about and fire.
type crowd struct {
	*watchedServer
	clients []*testclient.Client
	rand    *rand.Rand
}

func newCrowd(tb testing.TB, players int, commands ...string) *crowd {
	c := &crowd{rand: rand.New(rand.NewPCG(1, 2))}
	c.watchedServer = newWatchedServer(
		tb,
		append(commands, fmt.Sprintf("sv_player_slots %d; sv_scorelimit 0; sv_live_delay 0", players), "sv_max_clients 64; sv_max_clients_per_network 0")...)
	for i := range players {
		c.clients = append(c.clients, c.join(fmt.Sprint("player ", i)))
	}
	return c
}

// send makes the players send their inputs.
func (c *crowd) send() {
	c.Stall(20 * time.Millisecond)
	for _, p := range c.clients {
		in := msg7.PlayerInput{
			Direction:    int32(c.rand.IntN(3) - 1),
			TargetX:      int32(c.rand.IntN(400) - 200),
			TargetY:      int32(c.rand.IntN(400) - 200),
			WantedWeapon: 0,
		}
		if c.rand.IntN(4) == 0 {
			in.Jump, in.Fire, in.Hook = true, int32(c.rand.IntN(64)), c.rand.IntN(2) == 0
		}
		p.Input(p.SnapTick+2, in)
	}
}

func (c *crowd) play(ticks int) {
	for range ticks {
		c.send()
		c.Advance(c.Now())
		c.encoded()
	}
}

// matches are the settings of the matches that are measured.
var matches = []struct{ name, settings string }{{"DM", ""}, {"DDRace", "sv_gametype ddrace; sv_map race"}}

// BenchmarkBroadcast measures a tick with 64 players, with and without a broadcast. Two servers run
// in turns with the same inputs. The cost is the difference of the medians of the CPU time of the
// loop's thread.
func BenchmarkBroadcast(b *testing.B) {
	for _, m := range matches {
		b.Run(m.name, func(b *testing.B) {
			servers := [2]*crowd{newCrowd(b, 64, m.settings, "sv_broadcast 0"), newCrowd(b, 64, m.settings)}
			for _, c := range servers {
				c.play(500)
			}
			var spent [2][]float64
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			const ticks = 4
			for b.Loop() {
				for i, c := range servers {
					var sum int64
					for range ticks {
						c.send()
						start := threadTime(b)
						c.Advance(c.Now())
						sum += threadTime(b) - start
						c.encoded() // in real time, the next tick is 20 ms away
					}
					spent[i] = append(spent[i], float64(sum)/ticks)
				}
			}
			median := func(v []float64) float64 { slices.Sort(v); return v[len(v)/2] }
			without := median(spent[0])
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(without, "ns/tick")
			b.ReportMetric(median(spent[1])-without, "broadcast-ns/tick")
		})
	}
}

// threadTime returns the CPU time of the thread in ns.
func threadTime(tb testing.TB) int64 {
	var t unix.Timespec
	testenv.NoError(tb, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t))
	return t.Nano()
}

// BenchmarkSize measures the bytes for a viewer and for a player.
func BenchmarkSize(b *testing.B) {
	for _, m := range matches {
		for _, players := range []int{16, 64} {
			b.Run(fmt.Sprint(m.name, "/", players), func(b *testing.B) {
				c := newCrowd(b, players, m.settings)
				for b.Loop() {
					c.Bytes = 0
					c.play(3000)
				}
				b.ReportMetric(float64(c.Bytes)/float64(players)/60, "playing-B/s")
				i := c.info("/live.json")
				size, zipped := 0, 0
				for n := i.Last - 19; n <= i.Last; n++ {
					seg := c.body(fmt.Sprintf("/b/%s/%d.seg", i.Match, n))
					size += len(seg)
					zipped += len(gzipped(seg))
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(size)/40, "watching-B/s")
				b.ReportMetric(float64(zipped)/40, "gzipped-B/s")
				demo := c.segments(i.Match, i.Last-19, i.Last)
				b.ReportMetric(float64(encodedAgain(b, demo))/40, "keyframes-5s-B/s")
			})
		}
	}
}

// encodedAgain returns the size of a demo's chunks when encoded with a demo's usual keyframe
// interval.
func encodedAgain(b *testing.B, file []byte) int {
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	e := demo.NewEncoder(r.Header())
	var out []byte
	for c := new(demo.Chunk); ; {
		err := r.Next(c)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, demo.ErrCutOff): // segments end in the middle of a match
			return len(out)
		case err != nil:
			b.Fatal(err)
		case c.Kind == demo.KindMessage:
			out = e.AppendMessage(out, c.Message)
		case c.Snapshot != nil:
			out = e.AppendSnapshot(out, c.Tick, c.Snapshot)
		}
	}
}
