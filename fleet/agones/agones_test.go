package agones

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/fleet/agones/agonestest"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestLife follows a server from its start until the last player of a drained match has left.
func TestLife(t *testing.T) {
	inPod(t, func(p *pod) {
		p.state.Ready = errors.New("the server is starting\nno map")
		p.run(8 * time.Second)
		p.expect(labelOpen, labelMap, counterLine(0, 8), listLine(8, ""))
		p.expectState("Scheduled")
		testenv.Check(t, slices.Equal(p.ports, []int{7777}), "ports %v", p.ports)
		p.run(4 * time.Second)
		p.expectLog(`this is the GameServer "local" in "default"; it is "Scheduled", and has a counter players and a list players`,
			"warning: the GameServer is not Ready: the server is starting; no map")
		p.state.Ready = nil
		p.run(time.Second)
		p.expect("POST /ready")
		p.run(time.Minute) // with bots only
		p.expect()
		p.players("b", "a")
		p.run(time.Second)
		p.expect("POST /allocate", counterLine(2, 8), listLine(8, `"a","b"`))
		p.players("a", "b")
		p.run(time.Minute)
		p.expect()
		p.expectState("Allocated")

		p.players()
		p.run(29 * time.Second)
		p.expect(counterLine(0, 8), listLine(8, ""))
		p.players("c")
		p.run(2 * time.Second)
		p.players()
		p.run(29 * time.Second)
		p.expectState("Allocated")
		p.expect(counterLine(1, 8), listLine(8, `"c"`), counterLine(0, 8), listLine(8, ""))
		p.run(2 * time.Second)
		p.expect("POST /ready")
		p.expectState("Ready")
		p.expectLog("the GameServer is Ready", "the GameServer is Allocated", "the GameServer is Ready")

		// A matchmaker allocates the server, for players that are still on their way.
		p.sidecar.Allocate()
		p.run(2 * time.Minute)
		p.players("d")
		p.run(time.Minute)
		p.expect(counterLine(1, 8), listLine(8, `"d"`))
		p.expectState("Allocated")

		// A new template came: allocationOverflow sets the label.
		p.sidecar.Change(func(g *agonestest.GameServer) { g.Meta.Labels["teeyard.dev/drain"] = "true" })
		p.run(5500 * time.Millisecond)
		testenv.Check(t, p.drained == 1, "drained %d times", p.drained)
		p.run(time.Minute)
		p.expect(labelDraining, counterLine(1, 1), listLine(1, `"d"`)) // no free places for an autoscaler
		p.players()
		p.run(time.Minute) // the server ends by itself; until then Agones must not allocate it
		p.expect(counterLine(0, 0), listLine(0, ""))
		p.expectState("Allocated")
		testenv.Check(t, p.drained == 1, "drained %d times", p.drained)
		p.expectLog(`the GameServer has teeyard.dev/drain="true", so the server is drained`)

		terminated, stop := context.WithCancel(context.Background())
		time.AfterFunc(2*time.Second, stop)
		before := time.Now()
		p.agent.Shutdown(terminated)
		p.expect("POST /shutdown")
		p.expectState("Shutdown")
		testenv.Check(t, time.Since(before) == 2*time.Second, "it ended after %v", time.Since(before))
		p.expectLog()
	})
}

// TestDrainReasons checks what drains a server, and what does not.
func TestDrainReasons(t *testing.T) {
	for want, change := range map[string]func(*agonestest.GameServer){
		`the GameServer has teeyard.dev/drain="soon", so the server is drained`: func(g *agonestest.GameServer) {
			g.Meta.Annotations["teeyard.dev/drain"] = "soon"
		},
		"the GameServer is being deleted, so the server is drained": func(g *agonestest.GameServer) { g.Meta.Deletion = 1795304370 },
		"the GameServer shuts down, so the server is drained":       func(g *agonestest.GameServer) { g.Status.State = "Shutdown" },
		"": func(g *agonestest.GameServer) { g.Meta.Labels["teeyard.dev/drain"] = "false" },
	} {
		inPod(t, func(p *pod) {
			p.players("a")
			p.run(10 * time.Second)
			p.logged = nil
			p.sidecar.Change(change)
			p.run(time.Minute)
			testenv.Check(t, strings.Join(p.logged, "\n") == want && p.drained == min(len(want), 1), "drained %d times, said %q, want %q",
				p.drained, p.logged, want)
			if want == "" {
				return
			}
			// An operator stops it. A new label counts.
			p.state.Draining = false
			p.run(time.Minute)
			p.sidecar.Change(func(g *agonestest.GameServer) {
				g.Meta.Labels, g.Meta.Annotations, g.Meta.Deletion, g.Status.State = nil, nil, 0, "Allocated"
			})
			p.sidecar.Change(func(g *agonestest.GameServer) { g.Meta.Labels = map[string]string{} })
			p.run(time.Minute)
			testenv.Check(t, p.drained == 1, "drained %d times", p.drained)
			p.sidecar.Change(func(g *agonestest.GameServer) { g.Meta.Labels["teeyard.dev/drain"] = "true" })
			p.run(10 * time.Second)
			testenv.Check(t, p.drained == 2, "drained %d times", p.drained)
		})
	}
}

// Sidecars that do not work.
var (
	refuse = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	hang   = func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
)

// write answers with a status and a text.
func write(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		w.Write([]byte(text))
	}
}

// TestBadSidecar checks that all is told to a sidecar that works again, with two lines in the log.
func TestBadSidecar(t *testing.T) {
	for what, bad := range map[string]http.HandlerFunc{
		"refuse": refuse, "hang": hang,
		"503":            write(503, `{"code":14,"message":"connection error","details":[]}`),
		"500":            write(500, `{"code":2,"message":"could not retrieve GameServer","details":[]}`),
		"page":           write(200, "<html>"),
		"nothing":        write(200, ""),
		"null":           write(200, "null"),
		"other":          write(200, `{"object_meta":{"name":["x"]}}`),
		"number":         write(200, `{"object_meta":{"name":"x"},"status":{"counters":{"players":{"count":"many"}}}}`),
		"redirect":       func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"nothing inside": write(200, `{"object_meta":{},"status":{}}`),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inPod(t, func(p *pod) {
				p.sidecar.Instead(bad) // it comes late
				p.players("a")
				p.run(25 * time.Second)
				testenv.Check(t, len(p.logged) == 1 && strings.HasPrefix(p.logged[0], "warning: Agones does not answer; the game goes on: "),
					"said %q", p.logged)
				p.sidecar.Requests()
				p.sidecar.Instead(nil)
				p.run(4 * time.Second)
				p.expectLogEnds("Agones answers again", "the GameServer is Allocated")
				p.expect("POST /ready", labelOpen, labelMap, counterLine(1, 8), listLine(8, `"a"`), "POST /allocate")
				testenv.Check(t, slices.Equal(p.ports, []int{7777}), "ports %v", p.ports)

				p.sidecar.Instead(bad) // it goes, and a new one comes
				p.run(25 * time.Second)
				p.players("a", "b")
				p.run(5 * time.Second)
				p.sidecar.Requests()
				p.sidecar.Instead(nil)
				p.run(4 * time.Second)
				p.expectState("Allocated")
				if what == "500" { // a refusal counts for ever
					return
				}
				p.expectLogEnds("Agones answers again")
				if what == "refuse" || what == "hang" || what == "503" || what == "redirect" {
					p.expect(counterLine(2, 8), listLine(8, `"a","b"`))
				}
				p.run(30 * time.Second)
				testenv.Check(t, p.agent.seen.Status.Counters["players"].Count == "2", "the counter is %v", p.agent.seen.Status.Counters["players"])
			})
		})
	}
}

// endless answers with a text that has no end.
type endless struct{}

func (endless) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(endless{}), Request: r}, nil
}

func (endless) Read(b []byte) (int, error) { return copy(b, "[[[[[[[["), nil }

func TestEndlessAnswer(t *testing.T) {
	s := newSidecar("9358", endless{})
	_, err := s.gameServer(t.Context())
	testenv.Check(t, errors.Is(err, errNoGameServer), "%v", err)
}

// TestLostChange checks that a change that a sidecar has answered and lost is sent again, and that
// one that takes some time is not.
func TestLostChange(t *testing.T) {
	inPod(t, func(p *pod) {
		p.sidecar.Lag = 4 * time.Second
		p.run(10 * time.Second)
		p.players("a")
		p.run(20 * time.Second)
		p.expect("POST /ready", labelOpen, labelMap, counterLine(0, 8), listLine(8, ""), "POST /allocate", counterLine(1, 8), listLine(8, `"a"`))
		p.expectState("Allocated")
		for i := range 10 { // some of the reads come before a change is in force
			p.players(slices.Repeat([]string{"a"}, i%2+2)...)
			p.run(7 * time.Second)
		}
		p.players("a")
		p.run(7 * time.Second)
		if n := len(p.requests("PATCH /v1beta1/counters")); n != 11 {
			t.Errorf("%d requests for 11 changes of the counter", n)
		}
		// A sidecar restarts before its changes are stored.
		p.sidecar.Lag = 0
		p.sidecar.Change(func(g *agonestest.GameServer) {
			g.Status.State, g.Meta.Labels = "Ready", map[string]string{}
			*g.Status.Counters["players"] = agonestest.Counter{Count: 0, Capacity: 1000}
		})
		p.run(10 * time.Second)
		p.expect("POST /allocate", labelOpen, labelMap, counterLine(1, 8))
		// There is no way out of some states.
		p.sidecar.Change(func(g *agonestest.GameServer) { g.Status.State = "Unhealthy" })
		p.run(20 * time.Second)
		p.players()
		p.run(time.Minute)
		p.expect(counterLine(0, 8), listLine(8, ""))
	})
}

// TestMatchmaker checks that a server that a matchmaker has allocated waits for its players, and is
// Ready again after them.
func TestMatchmaker(t *testing.T) {
	inPod(t, func(p *pod) {
		for range 3 {
			p.run(2 * time.Second)
			p.expectState("Ready")
			p.sidecar.Allocate()
			p.run(2 * time.Minute)
			p.expectState("Allocated")
			p.players("a")
			p.run(2 * time.Second)
			p.players()
			p.run(29 * time.Second)
			p.expectState("Allocated")
		}
		states := p.requests("POST /")
		testenv.Check(t, slices.Equal(states, []string{"POST /ready", "POST /ready", "POST /ready"}), "%v", states)
	})
}

// TestMissedPlayer checks that a player who came and left while the sidecar was away does not count
// for the allocation of a matchmaker much later.
func TestMissedPlayer(t *testing.T) {
	inPod(t, func(p *pod) {
		p.run(2 * time.Second)
		p.sidecar.Instead(refuse)
		p.players("a")
		p.run(2 * time.Second)
		p.players()
		p.sidecar.Instead(nil)
		p.run(40 * time.Second)
		p.sidecar.Allocate()
		p.run(time.Minute)
		p.expectState("Allocated")
	})
}

// TestLastKnown checks that the GameServer that was read last is good enough for changes.
func TestLastKnown(t *testing.T) {
	inPod(t, func(p *pod) {
		p.run(2 * time.Second)
		p.sidecar.Requests()
		p.sidecar.Instead(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/gameserver":
				w.Write([]byte("<html>"))
			case "/v1beta1/counters/players":
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		p.players("a")
		p.run(roundTime)
		p.expect("POST /allocate", counterLine(1, 8), listLine(8, `"a"`))
		p.sidecar.Instead(nil)
		p.run(2 * time.Second)
		p.expect(counterLine(1, 8))
	})
}

// TestRestartedServer checks that a server that was allocated by an earlier process becomes Ready
// when no player comes.
func TestRestartedServer(t *testing.T) {
	inPod(t, func(p *pod) {
		p.sidecar.Change(func(g *agonestest.GameServer) { g.Status.State = "Allocated" })
		p.run(29 * time.Second)
		p.expectState("Allocated")
		p.run(2 * time.Second)
		p.expectState("Ready")
	})
}

// TestHealth checks that health is reported twice in each period, and only while the ticks go on.
func TestHealth(t *testing.T) {
	health := func(p *pod) (n int) {
		for _, r := range p.sidecar.Requests() {
			if r.Line == "POST /health" {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		health   agonestest.Health
		inMinute int
	}{
		{agonestest.Health{PeriodSeconds: 3}, 40},
		{agonestest.Health{PeriodSeconds: 1}, 120},
		{agonestest.Health{Disabled: true}, 0},
		{agonestest.Health{}, 24}, // the default of 5 s
	} {
		inPod(t, func(p *pod) {
			p.sidecar.Change(func(g *agonestest.GameServer) { g.Spec.Health = c.health })
			p.run(time.Second)
			health(p)
			p.run(time.Minute)
			got := health(p)
			testenv.Check(t, got >= c.inMinute-1 && got <= c.inMinute+1, "%+v: %d reports in a minute, want %d", c.health, got, c.inMinute)
			p.state.Alive = false
			p.run(time.Minute)
			testenv.Check(t, health(p) == 0, "a server without ticks is healthy")
			p.state.Alive = true
			p.run(time.Second)
			testenv.Check(t, health(p) > 0 == (c.inMinute > 0), "%+v: no report", c.health)
		})
	}
	// A sidecar without answers to all else still gets them in time.
	inPod(t, func(p *pod) {
		p.run(10 * time.Second)
		p.sidecar.Instead(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/health" {
				hang(w, r)
			}
		})
		var last time.Time
		p.sidecar.Requests()
		p.players("a")
		p.run(time.Minute)
		for _, r := range p.sidecar.Requests() {
			if r.Line == "POST /health" {
				testenv.Check(t, last.IsZero() || r.At.Sub(last) <= 4*time.Second, "no report for %v", r.At.Sub(last))
				last = r.At
			}
		}
		testenv.Check(t, time.Since(last) <= 4*time.Second, "no report for %v", time.Since(last))
	})
}

// TestPlayers checks how often the counter and the list are changed, which values they have, and
// that a refusal ends that.
func TestPlayers(t *testing.T) {
	inPod(t, func(p *pod) {
		p.sidecar.Zeros = true
		p.run(5 * time.Second)
		p.sidecar.Requests()
		for i := range 100 {
			p.players(slices.Repeat([]string{"x"}, i%12)...)
			p.run(200 * time.Millisecond)
		}
		times := map[string][]time.Time{}
		for _, r := range p.sidecar.Requests() {
			if path, _, isPatch := strings.Cut(r.Line, " {"); isPatch && strings.HasPrefix(path, "PATCH") {
				times[path] = append(times[path], r.At)
			}
		}
		for path, at := range times {
			for i := 1; i < len(at); i++ {
				testenv.Check(t, at[i].Sub(at[i-1]) >= time.Second, "%s is sent again after %v", path, at[i].Sub(at[i-1]))
			}
		}
		testenv.Check(t, len(times) == 2 && len(times["PATCH /v1beta1/counters/players"]) > 15, "%v", times)
		// More than the capacity, which a server may lower.
		p.players("a", "b", "b")
		p.state.Capacity = 2
		p.run(3 * time.Second)
		p.expect(counterLine(3, 3), listLine(3, `"a","b"`))
		p.logged = nil
		p.sidecar.Change(func(g *agonestest.GameServer) { delete(g.Status.Counters, "players") })
		p.players("a")
		p.run(500 * time.Millisecond)
		p.run(20 * time.Second)
		p.players()
		p.run(20 * time.Second)
		testenv.Check(t, len(p.logged) == 1 && strings.HasPrefix(p.logged[0],
			`warning: Agones refuses the counter players, and is not told it again: PATCH /v1beta1/counters/players: 500 "counter not found: players"`),
			"said %q", p.logged)
		n := len(p.requests("PATCH /v1beta1/counters"))
		testenv.Check(t, n == 1, "%d requests for the counter", n)
	})
	// A GameServer that declares nothing.
	inPod(t, func(p *pod) {
		p.sidecar.Change(func(g *agonestest.GameServer) { g.Status.Counters, g.Status.Lists = nil, nil })
		p.players("a")
		p.run(time.Minute)
		p.expect("POST /ready", labelOpen, labelMap, "POST /allocate")
	})
}

// TestShutdown checks the end with a sidecar that does not work, and without a signal.
func TestShutdown(t *testing.T) {
	terminated, stop := context.WithCancel(context.Background())
	stop()
	for what, c := range map[string]struct {
		instead    http.HandlerFunc
		terminated context.Context
		atMost     time.Duration
		log        bool
	}{
		"no signal": {nil, context.Background(), 10 * time.Second, false},
		"signal":    {nil, terminated, 0, false},
		"refuse":    {refuse, terminated, 3 * time.Second, true},
		"hang":      {hang, context.Background(), 3 * time.Second, true},
	} {
		inPod(t, func(p *pod) {
			p.run(10 * time.Second)
			p.sidecar.Requests()
			p.logged = nil
			p.sidecar.Instead(c.instead)
			begin := time.Now()
			p.agent.Shutdown(c.terminated)
			took := time.Since(begin)
			testenv.Check(t, took <= c.atMost && took >= c.atMost-time.Second, "%s: it took %v, want %v", what, took, c.atMost)
			testenv.Check(t, len(p.logged) > 0 == c.log, "%s: said %q", what, p.logged)
			r := p.sidecar.Requests()
			testenv.Check(t, len(r) > 0 && r[0].Line == "POST /shutdown", "%s: %v", what, r)
			if what != "no signal" {
				return
			}
			last := begin
			for _, r := range r[1:] {
				testenv.Check(t, r.Line == "POST /health" && r.At.Sub(last) <= 2*time.Second, "%s after %v", r.Line, r.At.Sub(last))
				last = r.At
			}
			testenv.Check(t, begin.Add(10*time.Second).Sub(last) <= 2*time.Second, "the last report is of %v", last)
		})
	}
}

func TestLabelValue(t *testing.T) {
	for text, want := range map[string]string{
		"dm1": "dm1", "Kobra 4": "Kobra_4", "sub/map": "sub_map", "_x-": "x", "ü": "", "": "", "v1.2": "v1.2",
		strings.Repeat("x", 62) + "..": strings.Repeat("x", 62),
	} {
		if got := labelValue(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestPort(t *testing.T) {
	for want, ports := range map[int][]agonestest.Port{
		7000: {{Name: "default", Port: 7000}, {Name: "other", Port: 7001}},
		7002: {{Name: "http", Port: 7001}, {Name: "game", Port: 7002}},
		7003: {{Name: "game-tcp", Port: 7009}, {Name: "game-udp", Port: 7003}},
		7004: {{Name: "x", Port: -1}, {Name: "game", Port: 70000}, {Name: "y", Port: 7004}},
	} {
		inPod(t, func(p *pod) {
			p.sidecar.Change(func(g *agonestest.GameServer) { g.Status.Ports = ports })
			p.run(time.Minute)
			testenv.Check(t, slices.Equal(p.ports, []int{want}), "%v: ports %v, want %d", ports, p.ports, want)
		})
	}
	for _, port := range []string{"", "x", "0", "65536", "-1"} {
		_, err := New(Config{Port: port})
		testenv.Check(t, err != nil, "port %q", port)
	}
}
