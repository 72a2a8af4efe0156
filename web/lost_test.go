package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestLost checks that browsers get a page with links for an address that does not exist.
func TestLost(t *testing.T) {
	h := NewHandler(Room{Pattern: "GET /there", Handler: http.NotFoundHandler()})
	for _, c := range []struct{ path, accept, want string }{
		{"/nowhere", "text/html,*/*", `href="./."`}, {"/a/b/nowhere", "text/html", `href="./../../."`},
		{"/nowhere", "*/*", "404 page not found"}, {"/there", "text/html", "404 page not found"},
	} {
		r := httptest.NewRequest("GET", c.path, nil)
		r.Header.Set("Accept", c.accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		testenv.Check(t, w.Code == 404 && strings.Contains(w.Body.String(), c.want), "%s: %d %s", c.path, w.Code, w.Body)
	}
}

// TestDeny checks that browsers get a page with the reason, and other programs the text.
func TestDeny(t *testing.T) {
	h := NewHandler(Room{Pattern: "GET /a/b", Access: new(AccessRule), Setting: "sv_<b>", Handler: http.NotFoundHandler()})
	for accept, want := range map[string]string{
		"text/html": "<h1>Access denied</h1>\n<p>sv_&lt;b&gt; does not allow", "*/*": "Access denied: sv_<b> does not allow",
	} {
		r := httptest.NewRequest("GET", "/a/b", nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		testenv.Check(t, w.Code == 403 && strings.Contains(w.Body.String(), want), "%s: %d %s", accept, w.Code, w.Body)
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Accept", "text/html")
	w := httptest.NewRecorder()
	Deny(w, r, 403, "why\n\n  to <copy>\n")
	testenv.Check(t, strings.Contains(w.Body.String(), "<p>Why</p>\n<pre>to &lt;copy&gt;</pre>\n"), "%s", w.Body)
}
