// Package agonestest has a stand-in for Agones' sidecar, for tests. Its answers have the fields of
// the ones that a real sdk-server gave in its local mode.
package agonestest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// GameServer is a GameServer as the sidecar describes it. Numbers of 64 bits are strings.
type GameServer struct {
	Meta   Meta   `json:"object_meta"`
	Spec   Spec   `json:"spec"`
	Status Status `json:"status"`
}

// Meta are the data of the object.
type Meta struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	UID         string            `json:"uid"`
	Version     string            `json:"resource_version"`
	Generation  int64             `json:"generation,string"`
	Creation    int64             `json:"creation_timestamp,string"`
	Deletion    int64             `json:"deletion_timestamp,string"`
	Annotations map[string]string `json:"annotations"`
	Labels      map[string]string `json:"labels"`
}

// Spec is the part of the template that servers see.
type Spec struct {
	Health Health `json:"health"`
}

// Health says how often a server must report its health.
type Health struct {
	Disabled         bool `json:"disabled"`
	PeriodSeconds    int  `json:"period_seconds"`
	FailureThreshold int  `json:"failure_threshold"`
	InitialDelay     int  `json:"initial_delay_seconds"`
}

// Status is the state of the server.
type Status struct {
	State     string              `json:"state"`
	Address   string              `json:"address"`
	Addresses []string            `json:"addresses"`
	Ports     []Port              `json:"ports"`
	Players   *struct{}           `json:"players"` // of a feature that Agones has replaced
	Counters  map[string]*Counter `json:"counters"`
	Lists     map[string]*List    `json:"lists"`
}

// Port is a port of the machine.
type Port struct {
	Name string `json:"name"`
	Port int    `json:"port"`
}

// Counter is a counter of the GameServer.
type Counter struct {
	Count    int64 `json:"count,string"`
	Capacity int64 `json:"capacity,string"`
}

// List is a list of the GameServer.
type List struct {
	Capacity int64    `json:"capacity,string"`
	Values   []string `json:"values"`
}

// Request is a request that the sidecar received.
type Request struct {
	At   time.Time
	Line string // method and path, and the body if it is not {}
}

// Sidecar is the stand-in, an HTTP handler. Its fields must be set before it is used.
type Sidecar struct {
	// Lag is the time after which a state, a counter or a list that a server sends is in force.
	Lag time.Duration
	// Dated makes an allocated GameServer have the time of its allocation, as in a cluster.
	Dated bool
	// Zeros makes changes of counters and lists be answered with zeros, as before Agones 1.54.
	Zeros bool

	mu       sync.Mutex
	gs       GameServer
	changed  chan struct{} // closed at the next change
	instead  http.HandlerFunc
	requests []Request
}

// New returns a sidecar with the GameServer of sdk-server's local mode, in the state Scheduled.
func New() *Sidecar {
	return &Sidecar{changed: make(chan struct{}), gs: GameServer{
		Meta: Meta{
			Name: "local", Namespace: "default", UID: "1234", Version: "v1", Generation: 1, Creation: time.Now().Unix(),
			Annotations: map[string]string{"annotation": "true"}, Labels: map[string]string{"islocal": "true"},
		},
		Spec: Spec{Health{PeriodSeconds: 3, FailureThreshold: 5, InitialDelay: 10}},
		Status: Status{
			State: "Scheduled", Address: "127.0.0.1", Addresses: []string{}, Ports: []Port{{"default", 7777}},
			Counters: map[string]*Counter{"rooms": {1, 10}},
			Lists:    map[string]*List{"players": {100, []string{"test0", "test1", "test2"}}},
		},
	}}
}

// Change changes the GameServer, as Kubernetes does.
func (s *Sidecar) Change(f func(*GameServer)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.gs)
	close(s.changed)
	s.changed = make(chan struct{})
}

// Allocate allocates the GameServer, as a matchmaker does.
func (s *Sidecar) Allocate() { s.request("Allocated") }

// State returns the state of the GameServer.
func (s *Sidecar) State() (state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gs.Status.State
}

// Label returns a label that the server has set.
func (s *Sidecar) Label(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gs.Meta.Labels[prefix+key]
}

// Instead makes a handler answer all requests, nil for the sidecar again. The requests are noted
// nevertheless. A handler can hang until the end of the request, or end the connection with
// [http.ErrAbortHandler].
func (s *Sidecar) Instead(h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead = h
}

// Requests returns the requests since the last call, in their order.
func (s *Sidecar) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.requests
	s.requests = nil
	return r
}

// Codes of errors, of gRPC.
const (
	unknown  = 2
	invalid  = 3
	notFound = 5
)

// failure is an answer that reports an error.
type failure struct {
	status  int
	Code    int      `json:"code"`
	Message string   `json:"message"`
	Details []string `json:"details"`
}

func fail(status, code int, format string, args ...any) *failure {
	return &failure{status, code, fmt.Sprintf(format, args...), []string{}}
}

// prefix precedes the labels and annotations of servers.
const prefix = "agones.dev/sdk-"

// ServeHTTP implements http.Handler.
func (s *Sidecar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	line := r.Method + " " + r.URL.Path
	if text := strings.TrimSpace(string(body)); text != "" && text != "{}" {
		line += " " + text
	}
	s.mu.Lock()
	s.requests = append(s.requests, Request{time.Now(), line})
	instead := s.instead
	s.mu.Unlock()
	if instead != nil {
		instead(w, r)
		return
	}
	if r.Method == http.MethodGet && r.URL.Path == "/watch/gameserver" {
		s.watch(w, r)
		return
	}
	result, failed := s.answer(r.Method, r.URL.Path, body)
	w.Header().Set("Content-Type", "application/json")
	if failed != nil {
		w.WriteHeader(failed.status)
		result = failed
	}
	json.NewEncoder(w).Encode(result)
}

// watch writes the GameServer as it is, and after each change.
func (s *Sidecar) watch(w http.ResponseWriter, r *http.Request) {
	for {
		s.mu.Lock()
		line, _ := json.Marshal(map[string]any{"result": &s.gs})
		changed := s.changed
		s.mu.Unlock()
		w.Write(append(line, '\n'))
		http.NewResponseController(w).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// states are the requests for a state.
var states = map[string]string{
	"POST /ready": "Ready", "POST /allocate": "Allocated", "POST /shutdown": "Shutdown", "POST /reserve": "Reserved",
}

// answer does what a request asks for.
func (s *Sidecar) answer(method, path string, body []byte) (any, *failure) {
	if method == http.MethodGet && path == "/gameserver" {
		s.mu.Lock()
		defer s.mu.Unlock()
		b, _ := json.Marshal(&s.gs)
		return json.RawMessage(b), nil
	}
	var in struct {
		Key, Value string
		Seconds    json.Number
		Count      *json.Number
		Capacity   *json.Number
		Values     []string
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fail(http.StatusBadRequest, invalid, "%v", err)
	}
	line := method + " " + path
	_, counterName, isCounter := strings.Cut(line, "PATCH /v1beta1/counters/")
	_, listName, isList := strings.Cut(line, "PATCH /v1beta1/lists/")
	_, added, isAdd := strings.Cut(line, "POST /v1beta1/lists/")
	added, adds := strings.CutSuffix(added, ":addValue")
	switch {
	case states[line] != "":
		s.request(states[line])
	case line == "POST /health":
	case line == "PUT /metadata/label" && !labelValue.MatchString(in.Value):
		return nil, fail(http.StatusBadRequest, invalid, "invalid label value %q", in.Value)
	case line == "PUT /metadata/label":
		s.Change(func(g *GameServer) { g.Meta.Labels[prefix+in.Key] = in.Value })
	case line == "PUT /metadata/annotation":
		s.Change(func(g *GameServer) { g.Meta.Annotations[prefix+in.Key] = in.Value })
	case isCounter:
		return s.changeCounter(counterName, in.Count, in.Capacity)
	case isList:
		return s.changeList(listName, func(l *List) *failure {
			if in.Values != nil {
				l.Values = in.Values
			}
			set(&l.Capacity, in.Capacity)
			return nil
		})
	case isAdd && adds:
		return s.changeList(added, func(l *List) *failure {
			if slices.Contains(l.Values, in.Value) || len(l.Values) >= int(l.Capacity) {
				return fail(http.StatusInternalServerError, unknown, "already exists, or out of range: %s", in.Value)
			}
			l.Values = append(slices.Clone(l.Values), in.Value)
			return nil
		})
	default:
		return nil, fail(http.StatusNotFound, notFound, "Not Found")
	}
	return struct{}{}, nil
}

// request asks for a state. There is no way out of some states.
func (s *Sidecar) request(state string) {
	s.Change(func(g *GameServer) {
		s.later(func() {
			if old := g.Status.State; old == "Shutdown" || old == "Unhealthy" {
				return
			}
			g.Status.State = state
			if state == "Allocated" && s.Dated {
				g.Meta.Annotations["agones.dev/last-allocated"] = time.Now().Format(time.RFC3339Nano)
			}
		})
	})
}

// later makes a change within Change, or after the lag.
func (s *Sidecar) later(change func()) {
	if s.Lag == 0 {
		change()
		return
	}
	time.AfterFunc(s.Lag, func() { s.Change(func(*GameServer) { change() }) })
}

var labelValue = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)

func set(dst *int64, n *json.Number) {
	if n != nil {
		*dst, _ = n.Int64()
	}
}

// changeCounter changes a counter, and answers with it.
func (s *Sidecar) changeCounter(name string, count, capacity *json.Number) (result any, failed *failure) {
	s.Change(func(g *GameServer) {
		c := g.Status.Counters[name]
		if c == nil {
			failed = fail(http.StatusInternalServerError, unknown, "counter not found: %s", name)
			return
		}
		n := *c
		set(&n.Capacity, capacity)
		set(&n.Count, count)
		if n.Count < 0 || n.Count > n.Capacity {
			failed = fail(http.StatusInternalServerError, unknown,
				"out of range. Count must be within range [0,Capacity]. Found Count: %d, Capacity: %d", n.Count, n.Capacity)
			return
		}
		s.later(func() { *c = n })
		answer := struct {
			Name string `json:"name"`
			Counter
		}{name, n}
		if s.Zeros {
			answer.Name, answer.Counter = "", Counter{}
		}
		result = answer
	})
	return result, failed
}

// changeList changes a list, and answers with it. Values beyond the capacity are lost.
func (s *Sidecar) changeList(name string, change func(*List) *failure) (result any, failed *failure) {
	s.Change(func(g *GameServer) {
		l := g.Status.Lists[name]
		if l == nil {
			failed = fail(http.StatusInternalServerError, unknown, "list not found: %s", name)
			return
		}
		n := *l
		if failed = change(&n); failed != nil {
			return
		}
		n.Values = n.Values[:min(len(n.Values), int(n.Capacity))]
		s.later(func() { *l = n })
		answer := struct {
			Name string `json:"name"`
			List
		}{name, n}
		if s.Zeros {
			answer.Name, answer.List = "", List{Values: []string{}}
		}
		result = answer
	})
	return result, failed
}
