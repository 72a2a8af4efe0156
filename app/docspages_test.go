package app

import (
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// TestDocsCommand opens the address that the command prints. Without --listen, it is of loopback.
func TestDocsCommand(t *testing.T) {
	ctx, err := newParser(&program{}).Parse([]string{"docs", "Sv_Chat & more"})
	if err != nil {
		t.Fatal(err)
	}
	c := ctx.Model.Target.Interface().(commands).Docs
	s, address, err := c.serve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	u, err := url.Parse(address)
	if err != nil || u.Path != "/search" || u.Query().Get("q") != "Sv_Chat & more" {
		t.Errorf("%s: %v", address, err)
	}
	if at, err := netip.ParseAddrPort(u.Host); err != nil || !at.Addr().IsLoopback() {
		t.Errorf("the page is at %s: %v", u.Host, err)
	}
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(body), `value="Sv_Chat &amp; more"`) {
		t.Errorf("%v: %.300s", err, body)
	}
	if _, _, err := (&docsCmd{Listen: "127.0.0.1:x"}).serve(t.Context()); err == nil || !strings.Contains(err.Error(), "--listen 127.0.0.1:x") {
		t.Errorf("a bad port: %v", err)
	}
}
