package master

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"unicode"
)

// hostileMaster answers every HTTP request with the same bytes. It returns its URL.
func hostileMaster(t *testing.T, answer string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			var b [4096]byte
			c.Read(b[:])
			fmt.Fprint(c, answer)
			c.Close()
		}
	}()
	return "http://" + l.Addr().String() + "/"
}

func printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// TestRedirects checks that a redirect to another host does not receive the server's secrets.
func TestRedirects(t *testing.T) {
	var stolen []http.Header
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { stolen = append(stolen, r.Header) }))
	defer thief.Close()
	for _, code := range []int{301, 302, 303, 307, 308} {
		seen := 0
		master := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if seen++; r.URL.Path == "/here" {
				fmt.Fprint(w, `{"status":"success"}`)
				return
			}
			to := "/here"
			if r.URL.Path == "/away" {
				to = thief.URL + "/register"
			}
			w.Header().Set("Location", to)
			w.WriteHeader(code)
		}))
		for _, path := range []string{"/away", "/within"} {
			r, err := New(Config{Port: 8303, URL: master.URL + path, Protocols: V6IPv4, Local: netip.MustParseAddr("127.0.0.1"), Tokens: newTokens(t),
				Header: http.Header{"Community-Token": {"abc"}}})
			if err != nil {
				t.Fatal(err)
			}
			resp := r.post(t.Context(), &request{header: r.http.header(0), body: []byte("{}")})
			r.stop()
			if want := map[string]status{"/away": statusError, "/within": statusSuccess}[path]; resp.status != want {
				t.Errorf("%d %s: %+v", code, path, resp)
			}
		}
		master.Close()
		if seen != 3 {
			t.Errorf("%d: the master was asked %d times", code, seen)
		}
	}
	if len(stolen) != 0 {
		t.Errorf("somebody else got %v", stolen)
	}
}

// TestHostileHTTP checks that texts from a master are safe to show and limited in length.
func TestHostileHTTP(t *testing.T) {
	const evil = "\x1b[2J\x1b]0;owned\x07\u202e"
	for _, answer := range []string{
		"HTTP/1.1 500 " + evil + "\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\n\r\n" + evil,
		"HTTP/1.1 200 OK\r\n\r\n{\"servers\":" + evil,
		"HTTP/1.1 200 OK\r\n\r\n{\"servers\":\"" + strings.Repeat("x", 100<<10) + "\"}",
		"HTTP/1.1 " + evil + " OK\r\n\r\n",
		evil,
		"HTTP/1.1 302 OK\r\nLocation: http://127.0.0.1:1/" + evil + "\r\n\r\n",
		"HTTP/1.1 400 OK\r\n\r\n{\"status\":\"\\u001b[2J\",\"message\":\"\\u001b[2J" + strings.Repeat("y", 50<<10) + "\"}",
	} {
		url := hostileMaster(t, answer)
		_, _, err := Fetch(context.Background(), nil, url)
		if err == nil || !printable(err.Error()) || len(err.Error()) > 1000 {
			t.Errorf("%.40q: Fetch says %.300q", answer, fmt.Sprint(err))
		}
		r, err := New(Config{Port: 8303, URL: url, Protocols: V6IPv4, Local: netip.MustParseAddr("127.0.0.1")})
		if err != nil {
			t.Fatal(err)
		}
		resp := r.post(t.Context(), &request{header: http.Header{}, body: []byte("{}")})
		r.stop()
		if resp.status != statusError || !printable(resp.text) || len(resp.text) > 1000 {
			t.Errorf("%.40q: the registrar says %.300q", answer, resp.text)
		}
	}
}
