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
