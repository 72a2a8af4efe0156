package agones

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// callTimeout limits a request to the sidecar.
	callTimeout = 2 * time.Second
	// maxAnswer is the longest answer that is read. A GameServer has some kilobytes.
	maxAnswer = 1 << 20
)

// nothing is the body of requests without arguments. The sidecar refuses an empty body.
var nothing = struct{}{}

// sidecar sends requests to Agones' sidecar.
type sidecar struct {
	base   string
	client *http.Client
}

func newSidecar(port string, transport http.RoundTripper) sidecar {
	if transport == nil {
		transport = &http.Transport{MaxIdleConns: 1} // without a proxy
	}
	return sidecar{"http://127.0.0.1:" + port, &http.Client{
		Transport: transport, Timeout: callTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (s *sidecar) close() { s.client.CloseIdleConnections() }

// statusError is an answer other than 200.
type statusError struct {
	request, message string
	code             int
}

func (e *statusError) Error() string { return fmt.Sprintf("%s: %d %s", e.request, e.code, e.message) }

// answers reports whether an error is an answer of the sidecar.
func answers(err error) bool {
	return errors.Is(err, errNoGameServer) || errors.As(err, new(*statusError))
}

// isFinal reports whether the same request will fail again. A sidecar that starts answers with 503.
func (e *statusError) isFinal() bool {
	return e.code == http.StatusInternalServerError || e.code >= 400 && e.code < 500 && e.code != http.StatusTooManyRequests
}

// call sends a request with a JSON body, if that is not nil, and gives the body of the answer to
// read, if that is not nil.
func (s *sidecar) call(ctx context.Context, method, path string, body any, read func([]byte) error) error {
	var content io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, s.base+path, content)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := s.client.Do(r)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, errors.Unwrap(err)) // without the address
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	if answer.StatusCode != http.StatusOK {
		var e struct {
			Message string `json:"message"`
		}
		json.Unmarshal(b, &e)
		return &statusError{method + " " + path, fmt.Sprintf("%.200q", e.Message), answer.StatusCode}
	}
	if read == nil {
		return nil // some versions answer changes with zeros
	}
	if err := read(b); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// gameServer reads the GameServer.
func (s *sidecar) gameServer(ctx context.Context) (g *gameServer, err error) {
	err = s.call(ctx, http.MethodGet, "/gameserver", nil, func(b []byte) (err error) {
		g, err = parseGameServer(b)
		return err
	})
	return g, err
}
