package admin

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/admin/internal/api"
)

// streamReader reads an event stream.
type streamReader struct {
	res   *http.Response
	lines *bufio.Scanner
}

// openStream opens the event stream of a test server over its listener.
func openStream(t *testing.T, s *httptest.Server, v *visitor, query string, header ...string) *streamReader {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	r := testenv.Must(http.NewRequestWithContext(ctx, "GET", v.link(s.URL+apiPath+"/events"+query), nil))
	if r.Host = v.host; v.cookie != nil {
		r.AddCookie(v.cookie)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res := testenv.Must(http.DefaultClient.Do(r))
	t.Cleanup(func() { res.Body.Close() })
	return &streamReader{res, bufio.NewScanner(res.Body)}
}

// next returns the data of the next message of a topic that contains text, or "" at the end.
func (s *streamReader) next(topic, text string) string {
	mine := false
	for s.lines.Scan() {
		line := s.lines.Text()
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			mine = name == topic
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok && mine && strings.Contains(data, text) {
			return data
		}
	}
	return ""
}

// TestStreamsStay checks that a flood of connections closes the oldest connections, but not
// operators' streams.
func TestStreamsStay(t *testing.T) {
	w := newWorld(t)
	s := httptest.NewUnstartedServer(nil)
	s.Config = web.NewServer(w.rooms)
	s.Listener.Close()
	s.Listener = testenv.Must(web.Listen(t.Context(), "127.0.0.1:0", 0))[0]
	s.Start()
	t.Cleanup(s.Close)
	stream := openStream(t, s, w.signedIn("127.0.0.1", "adminpw"), "?topics=log")
	first := testenv.Must(net.Dial("tcp", s.Listener.Addr().String()))
	defer first.Close()
	for range 1100 {
		c := testenv.Must(net.Dial("tcp", s.Listener.Addr().String()))
		defer c.Close()
	}
	first.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := first.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("none is closed")
	}
	w.Execute("echo still here")
	testenv.Check(t, stream.next("log", "still here") != "", "the stream has ended")
}

// TestStream checks that log lines, players, samples and game events arrive. Moderators receive
// only what all players see. The stream ends with the session.
func TestStream(t *testing.T) {
	w := newWorld(t)
	s := httptest.NewServer(w.rooms)
	t.Cleanup(s.Close) // after the streams
	v, mod := w.signedIn("127.0.0.1", "adminpw"), w.signedIn("127.0.0.1", "modpw")
	boss, log, players := openStream(t, s, v, ""), openStream(t, s, v, "?topics=log"), openStream(t, s, v, "?topics=players,sample")
	other, otherPlayers := openStream(t, s, mod, "?topics=log,event"), openStream(t, s, mod, "?topics=players")
	if got := boss.res.Header.Get("Content-Type"); got != "text/event-stream" || boss.res.StatusCode != 200 {
		t.Fatalf("%s %s", boss.res.Status, got)
	}
	w.join("10.0.0.7", "alice")
	w.run(time.Second)
	w.Execute("say hello")
	w.run(time.Second)
	if got := boss.next("event", `"joined"`); !strings.Contains(got, `{"event":"joined","about":{"player":{"id":0,"name":"alice"`) {
		t.Errorf("joined: %s", got)
	}
	log.next("log", "hello")
	if got := players.next("players", "alice"); !strings.Contains(got, `"address":"10.0.0.7"`) {
		t.Errorf("players: %s", got)
	}
	if got := players.next("sample", ""); !strings.Contains(got, `"players":1`) {
		t.Errorf("sample: %s", got)
	}
	if got := other.next("log", ""); !strings.Contains(got, `"system":"chat"`) {
		t.Errorf("the first line that a moderator gets is %s", got)
	}
	if got := otherPlayers.next("players", "alice"); strings.Contains(got, "10.0.0.7") {
		t.Errorf("a moderator gets %s", got)
	}
	all := get[api.Log](v, "/log?limit=4096").Lines
	again := openStream(t, s, v, "?topics=log", "Last-Event-ID", uintText(all[len(all)-3].Seq))
	for _, want := range all[len(all)-2:] {
		if got := again.next("log", ""); !strings.Contains(got, `{"seq":`+uintText(want.Seq)+",") {
			t.Errorf("after a reconnect comes %s, want %+v", got, want)
		}
	}
	mod.expect("POST", "/logout", "", 200, "")
	for other.lines.Scan() {
	}
	if other.lines.Err() != nil || otherPlayers.lines.Err() != nil {
		t.Error("the stream of who has signed out goes on")
	}
	w.Execute("sv_rcon_password other")
	for boss.lines.Scan() {
	}
	testenv.Eventually(t, "no readers", func() bool {
		w.console.hub.mu.Lock()
		defer w.console.hub.mu.Unlock()
		return len(w.console.hub.readers) == 0 && w.console.hub.events.Load() == 0
	})
}

// stuckWriter is the connection of a client that does not read.
type stuckWriter struct {
	*httptest.ResponseRecorder
	may chan struct{}
	out testenv.Buffer
}

func (w *stuckWriter) Write(b []byte) (int, error) {
	if _, ok := <-w.may; !ok {
		return 0, io.ErrClosedPipe
	}
	return w.out.Write(b)
}

func (w *stuckWriter) Flush() {}

// TestSlowReaders checks that a client that does not read loses messages, learns of it, and slows
// nothing else down, and that the number of readers is limited.
func TestSlowReaders(t *testing.T) {
	w := newWorld(t)
	v := w.signedIn("127.0.0.1", "adminpw")
	slow := &stuckWriter{httptest.NewRecorder(), make(chan struct{}), testenv.Buffer{}}
	r := httptest.NewRequest("GET", v.link(apiPath+"/events?topics=log"), nil)
	r.RemoteAddr, r.Host = v.addr, v.host
	r.AddCookie(v.cookie)
	done := make(chan struct{})
	go func() { w.rooms.ServeHTTP(slow, r); close(done) }()
	slow.may <- struct{}{} // the greeting
	const lines = maxWaiting + 100
	for range lines {
		w.Execute("echo much")
	}
	c := w.console
	testenv.Eventually(t, "all lines are handed on", func() bool {
		c.hub.mu.Lock()
		defer c.hub.mu.Unlock()
		_, next := c.log.since(nil, 1<<40, func(*api.LogLine) bool { return false })
		return c.hub.nextLine == next
	})
	c.hub.mu.Lock()
	if n := len(c.hub.readers[0].messages); n > maxWaiting {
		t.Errorf("%d messages wait", n)
	}
	c.hub.mu.Unlock()
	for range 2 {
		slow.may <- struct{}{}
	}
	testenv.Eventually(t, "the reader is told", func() bool { return strings.Contains(slow.out.String(), "event: lost\ndata: {\"messages\":") })
	close(slow.may)
	<-done

	ctx, stop := context.WithCancel(context.Background())
	for range maxReadersPerPerson {
		r := r.Clone(ctx)
		go w.rooms.ServeHTTP(httptest.NewRecorder(), r)
	}
	testenv.Eventually(t, "readers", func() bool {
		c.hub.mu.Lock()
		defer c.hub.mu.Unlock()
		return len(c.hub.readers) == maxReadersPerPerson
	})
	v.expect("GET", "/events", "", 503, "too many clients read")
	testenv.Check(t, c.hub.join(&reader{admin: !c.hub.readers[0].admin, who: c.hub.readers[0].who}), "readers of another level keep this one out")
	c.hub.mu.Lock()
	c.hub.readers = c.hub.readers[:maxReadersPerPerson]
	c.hub.mu.Unlock()
	stop()
	testenv.Eventually(t, "no readers", func() bool {
		c.hub.mu.Lock()
		defer c.hub.mu.Unlock()
		return len(c.hub.readers) == 0
	})
}

// stuckServer is a Server that never runs the function given to Do.
type stuckServer struct{ Server }

func (stuckServer) Do(ctx context.Context, _ func()) error { <-ctx.Done(); return ctx.Err() }

// TestBusyServer checks that requests fail while the server does not answer, and that only a few
// wait.
func TestBusyServer(t *testing.T) {
	w := newWorld(t)
	v := w.signedIn("127.0.0.1", "adminpw")
	var stuck Server = stuckServer{w}
	w.console.server.Store(&stuck)
	for range maxAsking {
		w.console.asking <- struct{}{}
	}
	v.expect("POST", "/command", `{"line":"status"}`, 503, "busy")
	v.expect("GET", "/players", "", 200, "players") // already known
	<-w.console.asking
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := w.console.do(ctx, func(Server) {}); err != error(errBusy) {
		t.Error(err)
	}
}

// TestHistoryIsBounded checks that the history stays bounded while many clients come and go.
func TestHistoryIsBounded(t *testing.T) {
	w := newWorld(t)
	for i := range 40 {
		c := w.join("10.1."+uintText(uint64(i))+".1", "guest") // a client that leaves at once is banned
		w.mu.Lock()
		c.Close("")
		w.Vanish(c)
		w.mu.Unlock()
		w.run(40 * time.Millisecond)
	}
	w.run(time.Second)
	s := &w.console.state
	if n := len(s.visits); n != 40 {
		t.Errorf("%d visits of 40", n)
	}
	for range 100 {
		s.visits = append(s.visits, s.visits...)
		if len(s.visits) > 2*maxVisits {
			break
		}
	}
	s.visits = s.visits[:maxVisits]
	w.join("10.2.0.1", "guest")
	w.run(time.Second)
	if n := len(s.visits); n > maxVisits || s.visits[n-1].Until != (time.Time{}) {
		t.Errorf("%d visits", n)
	}
}

// TestObserverAllocations checks that a tick without news allocates nothing and a copy hardly
// anything.
func TestObserverAllocations(t *testing.T) {
	testenv.RequireExactAllocs(t)
	w := newWorld(t)
	w.join("10.0.0.7", "alice")
	w.run(3 * time.Second)
	without := testing.AllocsPerRun(100, func() { w.run(20 * time.Millisecond) })
	if without > 2 {
		t.Errorf("%.1f allocations a tick", without)
	}
}
