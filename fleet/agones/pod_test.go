package agones

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/teeyard/teeyard/fleet/agones/agonestest"
	"github.com/teeyard/teeyard/internal/testenv"
)

// pod is a game beside a sidecar, in virtual time.
type pod struct {
	t       *testing.T
	sidecar *agonestest.Sidecar
	agent   *Agent
	state   State
	ports   []int
	drained int
	logged  []string
	begin   time.Time
}

// State implements Game.
func (p *pod) State() State { return p.state }

// Drain implements Game.
func (p *pod) Drain() { p.drained++; p.state.Draining = true }

// SetPort implements Game.
func (p *pod) SetPort(port int) { p.ports = append(p.ports, port) }

// RoundTrip hands a request to the sidecar.
func (p *pod) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, done := httptest.NewRecorder(), make(chan any)
	r.RequestURI = r.URL.Path
	if r.Body == nil {
		r.Body = http.NoBody
	}
	go func() {
		defer func() { done <- recover() }()
		p.sidecar.ServeHTTP(answer, r)
	}()
	if aborted := <-done; aborted != nil {
		return nil, errors.New("connection refused")
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return answer.Result(), nil
}

// inPod runs a test in virtual time. The sidecar declares a counter and a list of players.
func inPod(t *testing.T, test func(*pod)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &pod{t: t, sidecar: agonestest.New(), begin: time.Now(), state: State{Alive: true, Map: "dm1", Capacity: 8}}
		p.sidecar.Dated = true
		p.sidecar.Change(func(g *agonestest.GameServer) {
			g.Status.Counters["players"] = &agonestest.Counter{Capacity: 1000}
		})
		p.agent = testenv.Must(New(Config{Game: p, Port: "9358", Empty: 30 * time.Second, Transport: p, Log: func(warning bool, text string) {
			if warning {
				text = "warning: " + text
			}
			p.logged = append(p.logged, text)
		}}))
		test(p)
	})
}

// run runs the agent for some time and half a round, so that it does not end together with one.
// Nothing of it runs in between.
func (p *pod) run(d time.Duration) {
	ctx, cancel := context.WithTimeout(p.t.Context(), d+roundTime/2)
	defer cancel()
	p.agent.Run(ctx)
}

// players are there from now on, with bots that do not count.
func (p *pod) players(names ...string) { p.state.Players = names }

// requests returns the requests since the last call that begin with a text, without health and
// reads.
func (p *pod) requests(begin string) (lines []string) {
	for _, r := range p.sidecar.Requests() {
		if strings.HasPrefix(r.Line, begin) && r.Line != "POST /health" && r.Line != "GET /gameserver" {
			lines = append(lines, r.Line)
		}
	}
	return lines
}

// expect compares the requests since the last call, without health and reads.
func (p *pod) expect(want ...string) {
	p.t.Helper()
	got := p.requests("")
	if !slices.Equal(got, want) {
		p.t.Errorf("after %v: requests\n%s\nwant\n%s", time.Since(p.begin), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func (p *pod) expectLog(want ...string) {
	p.t.Helper()
	if !slices.Equal(p.logged, want) {
		p.t.Errorf("after %v: logged\n%s\nwant\n%s", time.Since(p.begin), strings.Join(p.logged, "\n"), strings.Join(want, "\n"))
	}
	p.logged = nil
}

func (p *pod) expectState(want string) {
	p.t.Helper()
	if got := p.sidecar.State(); got != want {
		p.t.Errorf("after %v: the GameServer is %s, want %s", time.Since(p.begin), got, want)
	}
}

func counterLine(count, capacity int) string {
	return fmt.Sprintf(`PATCH /v1beta1/counters/players {"count":%d,"capacity":%d}`, count, capacity)
}

func listLine(capacity int, names string) string {
	return fmt.Sprintf(`PATCH /v1beta1/lists/players {"capacity":%d,"values":[%s]}`, capacity, names)
}

const (
	labelOpen     = `PUT /metadata/label {"key":"state","value":"open"}`
	labelDraining = `PUT /metadata/label {"key":"state","value":"draining"}`
	labelMap      = `PUT /metadata/label {"key":"map","value":"dm1"}`
)

// expectLogEnds checks that some lines are among those since the last call, in their order.
func (p *pod) expectLogEnds(want ...string) {
	p.t.Helper()
	at := 0
	for _, line := range p.logged {
		if at < len(want) && line == want[at] {
			at++
		}
	}
	testenv.Check(p.t, at == len(want), "logged %q, want %q", p.logged, want)
	p.logged = nil
}
