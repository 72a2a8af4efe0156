package master

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/uuid"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/query/master/mastertest"
	"github.com/teeyard/teeyard/transport"
)

const second = int64(time.Second)

// httpTest is an announcer and a master in virtual time. Requests take no time and use no network.
type httpTest struct {
	t      *testing.T
	now    int64
	master *mastertest.HTTP
	r      *Registrar
	events []Event
	deaf   bool // the server's UDP port cannot be reached
	down   bool // the master does not answer
	seen   int  // requests that log has returned
}

func newHTTPTest(t *testing.T, protocols Protocols) *httpTest {
	w := &httpTest{t: t, now: 100 * second}
	w.master = &mastertest.HTTP{
		Now: func() time.Time { return time.Unix(0, w.now) },
		Challenge: func(to transport.Peer, b []byte) {
			if to.Port() != 8303 {
				t.Errorf("challenge to %v", to)
			}
			// The challenge may come from any address.
			if !w.deaf && !w.r.Feed(w.now, transport.MustParsePeer("203.0.113.9:999"), b) {
				t.Errorf("challenge %q is not taken", b)
			}
		},
	}
	r, err := New(Config{Port: 8303, URL: "http://master.test/ddnet/15/register", Protocols: protocols, Tokens: newTokens(t),
		Header: http.Header{"Community-Token": {"abc"}}, OnEvent: func(e Event) { w.events = append(w.events, e) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.stop)
	w.r = r
	return w
}

// serveRequest passes a request to the master and returns its response.
func (w *httpTest) serveRequest(req *request) response {
	if w.down {
		return response{request: req, status: statusError, text: "no answer"}
	}
	hr := httptest.NewRequest(http.MethodPost, w.r.cfg.URL, bytes.NewReader(req.body))
	hr.Header = req.header
	hr.RemoteAddr = "192.0.2.1:5555"
	if protocols[req.protocol].network == "tcp6" {
		hr.RemoteAddr = "[2001:db8::1]:5555"
	}
	out := httptest.NewRecorder()
	w.master.ServeHTTP(out, hr)
	resp := response{request: req}
	resp.status, resp.text = parseStatus(out.Code, out.Body.Bytes())
	return resp
}

// run advances the time in ticks of 20 ms.
func (w *httpTest) run(span int64) {
	for end := w.now + span; w.now < end; w.now += second / 50 {
		w.r.now = w.now
		for _, req := range w.r.http.step(w.now) {
			w.r.http.handleResponse(w.serveRequest(req))
		}
	}
}

func (w *httpTest) setName(name string) {
	w.r.SetInfo(w.now, query.AppendJSON(nil, &query.Info{Name: name, MaxClients: 8, MaxPlayers: 8}))
}

// requestLog returns the requests since the last call, one word per request.
func (w *httpTest) requestLog() string {
	var words []string
	for _, r := range w.master.Log()[w.seen:] {
		word := r.Status
		if r.Body {
			word += "+info"
		}
		words = append(words, word)
		if r.Status == "error" {
			w.t.Errorf("the master complains: %s", r.Message)
		}
	}
	w.seen = len(w.master.Log())
	return strings.Join(words, " ")
}

func (w *httpTest) expect(want string) {
	w.t.Helper()
	if got := w.requestLog(); got != want {
		w.t.Errorf("requests %q, want %q", got, want)
	}
}

func (w *httpTest) servers() []Server {
	w.t.Helper()
	s, skipped, err := ParseList(w.master.List())
	if err != nil || skipped != 0 {
		w.t.Fatalf("%d skipped: %v", skipped, err)
	}
	return s
}

// TestAnnounce checks the requests of a server from its start to its removal from the list.
func TestAnnounce(t *testing.T) {
	w := newHTTPTest(t, V6IPv4)
	w.run(5 * second)
	w.expect("") // no info is set yet
	w.setName("one")
	w.run(second / 10)
	w.expect("need_challenge+info success+info")
	if s := w.servers(); len(s) != 1 || s[0].Info.Name != "one" || s[0].Addrs[0] != (Addr{transport.MustParsePeer("192.0.2.1:8303"), query.Version6}) {
		t.Errorf("list: %+v", s)
	}
	w.run(31 * second)
	w.expect("success success") // the info is not sent again
	w.setName("one")
	w.run(second)
	w.expect("")

	// Changes of the info are sent at once, then once a second.
	for n := range 50 {
		w.setName(fmt.Sprint(n))
		w.run(second / 10)
	}
	w.run(2 * second)
	if n := strings.Count(w.requestLog(), "success+info"); n < 5 || n > 7 {
		t.Errorf("%d requests in 5 s of changes", n)
	}
	if s := w.servers(); s[0].Info.Name != "49" {
		t.Errorf("the list has %q", s[0].Info.Name)
	}

	// The master restarts.
	w.run(15 * second)
	w.requestLog()
	w.master.ForgetInfo()
	w.run(16 * second)
	w.expect("need_info success+info")

	// While the master is down, the list forgets the server.
	w.down = true
	w.run(40 * second)
	if s := w.servers(); len(s) != 0 {
		t.Errorf("still on the list: %+v", s)
	}
	w.down = false
	w.run(16 * second)
	w.expect("success")
	kinds := []EventKind{}
	for _, e := range w.events {
		kinds = append(kinds, e.Kind)
	}
	if want := []EventKind{EventRegistered, EventRegistered, EventFailed, EventRegistered}; !slices.Equal(kinds, want) {
		t.Errorf("events %+v", w.events)
	}

	for _, req := range w.r.http.deleteRequests(AllProtocols) {
		w.serveRequest(req)
	}
	w.expect("delete")
	if s := w.servers(); len(s) != 0 {
		t.Errorf("still on the list: %+v", s)
	}
	if again := w.r.http.deleteRequests(AllProtocols); len(again) != 0 {
		t.Errorf("%d more requests", len(again))
	}
}

// TestAnnounceAll registers with all protocols. The list then has one entry with four addresses.
func TestAnnounceAll(t *testing.T) {
	w := newHTTPTest(t, AllProtocols)
	w.setName("one")
	w.run(40 * second)
	s := w.servers()
	if len(s) != 1 || len(s[0].Addrs) != 4 || w.r.NumRegistered() != 4 {
		t.Fatalf("list: %+v", s)
	}
	if n := strings.Count(w.requestLog(), "+info"); n > 8 {
		t.Errorf("the info was sent %d times", n)
	}
	// The global token of 0.7 changes every 16 s. A new one must work too.
	w.master.ForgetInfo()
	w.run(60 * second)
	if w.requestLog(); len(w.servers()[0].Addrs) != 4 {
		t.Errorf("list: %+v", w.servers())
	}
}

// TestUnreachable registers a server behind a firewall.
func TestUnreachable(t *testing.T) {
	w := newHTTPTest(t, V6IPv4)
	w.deaf = true
	w.setName("one")
	w.run(16 * second)
	w.expect("need_challenge+info need_challenge+info")
	if len(w.events) != 1 || w.events[0].Kind != EventUnreachable || w.events[0].System != "register/6/ipv4" {
		t.Errorf("events %+v", w.events)
	}
	w.deaf = false
	w.run(16 * second)
	w.expect("need_challenge+info success+info")
}

// TestNeedInfoForever checks that a master that always requests the info is not flooded.
func TestNeedInfoForever(t *testing.T) {
	w := newHTTPTest(t, V6IPv4)
	a := w.r.http
	a.setInfo(0, []byte("{}"))
	n := 0
	for now := int64(0); now < 60*second; now += second / 50 {
		for _, req := range a.step(now) {
			n++
			a.handleResponse(response{request: req, status: statusNeedInfo})
		}
	}
	if n > 10 {
		t.Errorf("%d requests in a minute", n)
	}
}

// TestLate checks responses that arrive out of order or never.
func TestLate(t *testing.T) {
	w := newHTTPTest(t, V6IPv4)
	a := w.r.http
	a.setInfo(0, []byte("{}"))
	first := a.step(0)
	second2 := a.step(16 * second)
	if len(first) != 1 || len(second2) != 1 {
		t.Fatalf("%d and %d requests", len(first), len(second2))
	}
	if more := a.step(100 * second); len(more) != 0 {
		t.Errorf("%d requests while two are on their way", len(more))
	}
	a.handleResponse(response{request: second2[0], status: statusSuccess})
	a.handleResponse(response{request: first[0], status: statusError, text: "late"})
	if w.r.NumRegistered() != 1 || a.states[0].status != statusSuccess {
		t.Error("a late answer counts")
	}
}

// TestForeignChallenge feeds challenges that were meant for other servers.
func TestForeignChallenge(t *testing.T) {
	w := newHTTPTest(t, AllProtocols)
	a := w.r.http
	own := tagChallenge + a.challenge + ":"
	for payload, want := range map[string]struct {
		taken bool
		token string
	}{
		own + "tw0.6/ipv4\x00dG9rZW4=\x00":                           {true, "dG9rZW4="},
		own + "tw0.6/ipv4\x00" + strings.Repeat("x", 65) + "\x00":    {true, ""},
		own + "tw0.6/ipv4\x00a\r\nb\x00":                             {true, ""},
		own + "tw0.6/ipv4\x00dG9rZW4=":                               {true, ""},
		own + "tw0.5/ipv4\x00dG9rZW4=\x00":                           {true, ""},
		tagChallenge + uuid.Random() + ":tw0.6/ipv4\x00dG9rZW4=\x00": {false, ""},
		"\xff\xff\xff\xffgie3\x05" + a.challenge:                     {false, ""},
		"\xff\xff\xff\xfffw??":                                       {false, ""},
	} {
		a.states[0].token = ""
		if got := w.r.Feed(0, master6, append([]byte(query.Header6), payload...)); got != want.taken || a.states[0].token != want.token {
			t.Errorf("%q: %v, token %q", payload, got, a.states[0].token)
		}
	}
	// 0.7 requires a token. The global token is accepted for challenges only.
	seven := func(token packet.Token) bool {
		return w.r.Feed(0, master6, packet.AppendConnless(nil, token, packet.NoToken, []byte(own+"tw0.7/ipv4\x00dG9rZW4=\x00")))
	}
	if seven(packet.NoToken) || seven(12345) || !seven(w.r.cfg.Tokens.BroadcastToken(0)) || !seven(w.r.cfg.Tokens.Token(0, master6.Addr())) {
		t.Error("tokens of 0.7 are not looked at")
	}
}

func TestParseProtocols(t *testing.T) {
	for in, want := range map[string]Protocols{
		"": 0, "0": 0, "1": AllProtocols, "ipv4": V6IPv4 | V7IPv4, "tw0.6, tw0.7/ipv6": V6IPv4 | V6IPv6 | V7IPv6, "tw0.7/ipv4": V7IPv4,
	} {
		got, err := ParseProtocols(in)
		if err != nil || got != want {
			t.Errorf("%q: %v %v", in, got, err)
		}
		if again, err := ParseProtocols(got.String()); err != nil || again != got {
			t.Errorf("%v: %v", got, err)
		}
	}
	for _, in := range []string{"2", "ipv5", "ipv4,,ipv6"} {
		if _, err := ParseProtocols(in); err == nil {
			t.Errorf("%q is fine", in)
		}
	}
}
