package app

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/transport"
)

type healthCmd struct {
	Addr  string `arg:"" optional:"" help:"Address of the server's HTTP listener (sv_http, serve --http)." default:"127.0.0.1:8303" env:"TEEYARD_HTTP"`
	Ready bool   `help:"Ask whether players can join, not only whether the game runs."`
}

func (healthCmd) Help() string {
	return `Asks the server's HTTP listener whether the game runs (/healthz), or with --ready whether players can
join (/readyz). The exit status is 1 if not. Use it in scripts and as the HEALTHCHECK of containers.

  teeyard health
  teeyard health --ready localhost:8304`
}

// healthTimeout limits the wait for the answer.
const healthTimeout = 5 * time.Second

// Run asks the server and prints the answer.
func (c *healthCmd) Run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	a, err := transport.ParseAddress(c.Addr)
	if err != nil {
		return err
	}
	if a.Scheme != "http" && !a.IsGame() || strings.Trim(a.Path, "/") != "" {
		return usageErrorf("%s is not the address of an HTTP listener; write it as HOST:PORT", a)
	}
	page := url.URL{Scheme: "http", Host: a.HostPort(), Path: "/healthz"}
	if c.Ready {
		page.Path = "/readyz"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, page.String(), nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // without a proxy
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	if err != nil {
		return err
	}
	said := safetext.Lines(strings.TrimSpace(string(text)))
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", c.Addr, said)
	}
	fmt.Println(said)
	return nil
}
