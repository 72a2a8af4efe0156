package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestHealthAddress checks that the listener's address may be a URL, as in the log.
func TestHealthAddress(t *testing.T) {
	asked := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path
		io.WriteString(w, "ok")
	}))
	defer s.Close()
	for _, addr := range []string{s.URL, s.URL + "/", strings.TrimPrefix(s.URL, "http://")} {
		asked = ""
		if err := (&healthCmd{Addr: addr, Ready: true}).Run(t.Context()); err != nil || asked != "/readyz" {
			t.Errorf("%s: %v, asked for %q", addr, err, asked)
		}
	}
}
