package engine

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/servertest"
)

// versions are the kinds of players, and the settings of a server for them.
var versions = []struct{ name, version, ddnet, settings string }{
	{"0.7", "0.7", "0", "sv_map testbox"},
	{"0.6", "0.6", "0", "sv_map testbox"},
	{"DDNet", "0.6", "16040", "sv_map testbox"},
}

// TestJoin joins with each version, runs, chats and is in the snapshots of 0.7.
func TestJoin(t *testing.T) {
	for _, v := range versions {
		t.Run(v.name, func(t *testing.T) {
			s := servertest.New(t, config(), v.settings)
			other := s.Join("other")
			p := newPage(t, s)
			p.join("browser", v.version, v.ddnet)
			testenv.Check(t, p.event("entered")["self_name"] == "browser", "%v", p.events)
			testenv.Check(t, p.event("map_announced")["map"] == "testbox", "%v", p.events)
			s.Wait(2 * time.Second)
			testenv.Require(t, p.e.Shared.State[StateAlive] == 1, "the tee does not live: %v", p.e.Shared.State)
			x, _ := p.own()
			p.input[InDirection] = 1
			s.Wait(300 * time.Millisecond)
			moved, _ := p.own()
			testenv.Check(t, moved > x+20, "the tee ran from %d to %d", x, moved)
			p.act("say", "hello from a page")
			other.Say("hello, page")
			s.Wait(time.Second)
			testenv.Check(t, other.Heard("hello from a page"), "%q", other.Chat())
			testenv.Check(t, p.event("chat")["text"] == "hello, page" && p.event("chat")["from_name"] == "other", "%v", p.event("chat"))
			testenv.Check(t, p.messages >= 2, "%d messages", p.messages)
			testenv.Check(t, p.players() == 2, "%d players in the snapshot", p.players())
			testenv.Check(t, p.e.Shared.State[StateLost] == 0, "%v lost", p.e.Shared.State[StateLost])
		})
	}
}

// TestFetchedMap gives the engine the map of the server; the server then sends none.
func TestFetchedMap(t *testing.T) {
	s := servertest.New(t, config(), "sv_map testbox")
	first := newPage(t, s)
	first.join("first", "0.7", "0")
	second := newPage(t, s)
	second.file = first.e.client.Map().File
	second.join("second", "0.7", "0")
	testenv.Check(t, second.event("download") == nil, "%v", second.events)
	testenv.Check(t, first.event("download") != nil, "%v", first.events)
	testenv.Check(t, second.e.UseMap(0, second.file) != nil, "a map that nobody waits for is accepted")
}

// TestCorrections counts the snapshots in which the own tee is elsewhere than predicted.
func TestCorrections(t *testing.T) {
	testenv.Long(t)
	seeds := testenv.Amount(2, 4)
	for _, tt := range []struct {
		name, version, ddnet, settings string
		players                        int
		delay                          time.Duration
		most                           float64 // share of the snapshots
	}{
		{"0.7 with bots", "0.7", "0", "sv_map teeyard1; sv_bots 7; sv_scorelimit 0; sv_timelimit 0", 7, 30 * time.Millisecond, 0.02},
		{"DDRace", "0.6", "16040", "sv_map yardrun; sv_gametype ddrace", 1, 50 * time.Millisecond, 0.005},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// In some matches, bots knock the tee about, which nobody foresees.
			var n, wrong float64
			for seed := range uint64(seeds) {
				cfg := config()
				cfg.Seed = seed
				s := servertest.Over(t, servertest.Link{Delay: tt.delay}, cfg, tt.settings)
				p := newPage(t, s)
				p.join("browser", tt.version, tt.ddnet)
				// Bots wait for their graph of the map, which is made in real time.
				testenv.Eventually(t, "all players", func() bool {
					s.Wait(100 * time.Millisecond)
					return p.players() == tt.players
				})
				s.Wait(2 * time.Second) // the clock of a new client is late at first
				p.e.Shared.State[StatePredictions], p.e.Shared.State[StateCorrections] = 0, 0
				for i := range 100 {
					p.input[InDirection], p.input[InJump], p.input[InHook] = int32(i%3)-1, int32(i/2%2), int32(i/3%2)
					p.input[InTargetX], p.input[InTargetY] = int32(i*37%400)-200, int32(i*53%400)-200
					p.input[InFire] = int32(i & 63)
					s.Wait(150 * time.Millisecond)
				}
				p.checkDDRace(tt.settings)
				n += p.e.Shared.State[StatePredictions]
				wrong += p.e.Shared.State[StateCorrections]
			}
			t.Logf("%s: %v of %v snapshots corrected", tt.name, wrong, n)
			testenv.Check(t, n > 250*float64(seeds), "only %v snapshots with a predicted tee", n)
			testenv.Check(t, wrong <= tt.most*n, "%v of %v snapshots corrected", wrong, n)
		})
	}
}

// TestKeyToPicture counts the pictures from a key to the first one in which the tee has moved: the
// delay of the network must not matter.
func TestKeyToPicture(t *testing.T) {
	for _, delay := range []time.Duration{0, 50 * time.Millisecond, 100 * time.Millisecond} {
		s := servertest.Over(t, servertest.Link{Delay: delay}, config(), "sv_map testbox")
		p := newPage(t, s)
		p.join("browser", "0.7", "0")
		s.Wait(3 * time.Second)
		var waits []time.Duration
		for i := range 40 {
			p.input[InDirection] = 0
			s.Wait(600*time.Millisecond + time.Duration(i)*time.Millisecond)
			x, _ := p.own()
			p.input[InDirection] = int32(1 - 2*(i%2))
			from := s.Now()
			s.WaitUntil(time.Second, "the tee moves", func() bool { now, _ := p.own(); return now != x })
			waits = append(waits, s.Now().Sub(from))
		}
		slices.Sort(waits)
		t.Logf("%v each way: p50 %v, p90 %v", delay, waits[20], waits[36])
		testenv.Check(t, waits[36] <= 40*time.Millisecond, "%v each way: p90 is %v", delay, waits[36])
	}
}

// TestVirtualHour plays an hour of virtual time, or a minute without TEEYARD_FULL. The memory must
// not grow.
func TestVirtualHour(t *testing.T) {
	testenv.Long(t)
	span := time.Minute
	if testenv.Full() {
		span = time.Hour
	}
	s := servertest.New(t, config(), "sv_map teeyard1; sv_bots 7; sv_scorelimit 0; sv_timelimit 0")
	p := newPage(t, s)
	p.join("browser", "0.7", "0")
	var sizes []uint64
	for i := range 6 {
		for range int(span/time.Second) / 6 {
			p.input[InDirection], p.input[InFire] = int32(i%3)-1, p.input[InFire]+1&63
			s.Wait(time.Second)
			p.events = nil
		}
		s.Log.Reset() // which keeps all lines of the server
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		sizes = append(sizes, m.HeapAlloc)
	}
	t.Logf("heap in bytes: %v", sizes)
	testenv.Check(t, sizes[5] < sizes[1]+256<<10, "the heap grows: %v", sizes)
	testenv.Check(t, p.e.Shared.State[StateLost] == 0, "%v lost", p.e.Shared.State[StateLost])
}

// TestHostileCalls gives the engine calls in any order with any bytes.
func TestHostileCalls(t *testing.T) {
	e := New()
	for _, b := range [][]byte{
		nil, {0}, []byte("say"), []byte("say\x00"), []byte("spectate\x0099999999999\x00-7"), []byte("rcon\x00"), bytes.Repeat([]byte{'a', 0}, 1000),
	} {
		e.Feed(1, b)
		e.Do(2, b)
		e.Frame(0)
		_ = e.UseMap(3, b)
		_ = e.AddMap("x", b)
	}
	_ = e.Connect(4, []byte("a name that is longer than fifteen bytes"))
	testenv.Check(t, e.client == nil, "connected")
	testenv.NoError(t, e.Connect(5, nil))
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		b := make([]byte, rnd.IntN(1400))
		for k := range b {
			b[k] = byte(rnd.Uint32())
		}
		e.Feed(float64(i), b)
		e.Do(float64(i), b)
	}
}
