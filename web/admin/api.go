package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strconv"

	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/admin/internal/api"
)

// maxBody limits the body of a request, in bytes.
const maxBody = 16 << 10

// apiError is an error with the HTTP status of its answer.
type apiError struct {
	status int
	text   string
}

// Error implements error.
func (e *apiError) Error() string { return e.text }

var (
	errNotFound = &apiError{http.StatusNotFound, "not found"}
	errLevel    = &apiError{http.StatusForbidden, "your password or token does not allow this"}
)

// request is a request whose client may enter.
type request struct {
	*http.Request
	w      http.ResponseWriter
	client web.Client
	op     server.Operator
	ended  <-chan struct{} // closed when the session ends; nil for a token
}

func (q *request) isAdmin() bool { return q.op.Level == console.LevelAdmin }

// number returns a parameter of the URL, or without if the parameter is missing.
func (q *request) number(name string, without, least, most int) (int, error) {
	text := q.URL.Query().Get(name)
	if text == "" {
		return without, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, badRequest("%s must be a number from %d to %d", name, least, most)
	}
	return n, nil
}

func badRequest(format string, args ...any) error {
	return &apiError{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// route is an operation of the API. The OpenAPI document is generated from the routes.
type route struct {
	method, path, summary string
	query                 []parameter
	open                  bool // usable without signing in
	admin                 bool // for administrators only
	in, out               reflect.Type
	serve                 func(c *Console, q *request) (any, error)
}

// parameter is a query parameter of the URL.
type parameter struct {
	name, kind, doc string
}

// operation returns a route with the types of a method of the console.
func operation[In, Out any](method, path, summary string, f func(*Console, *request, *In) (Out, error)) route {
	rt := route{method: method, path: path, summary: summary, in: reflect.TypeFor[In](), out: reflect.TypeFor[Out]()}
	rt.serve = func(c *Console, q *request) (any, error) {
		in := new(In)
		if rt.hasBody() {
			if err := decode(q, in); err != nil {
				return nil, err
			}
		}
		return f(c, q, in)
	}
	return rt
}

func (rt route) hasBody() bool { return rt.in.NumField() > 0 }

func (rt route) with(query ...parameter) route { rt.query = query; return rt }
func (rt route) forAdmins() route              { rt.admin = true; return rt }
func (rt route) withoutLogin() route           { rt.open = true; return rt }

// decode parses the body of a request: one JSON object without unknown fields.
func decode(q *request, in any) error {
	if t, _, err := mime.ParseMediaType(q.Header.Get("Content-Type")); err != nil || t != "application/json" {
		return &apiError{http.StatusUnsupportedMediaType, "the body must have the content type application/json"}
	}
	d := json.NewDecoder(http.MaxBytesReader(q.w, q.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(in)
	if err == nil && d.More() {
		err = errors.New("the body contains more than one JSON value")
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &apiError{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is longer than %d bytes", maxBody)}
	case errors.Is(err, io.EOF):
		return badRequest("the body is empty; send a JSON object")
	case err != nil:
		return badRequest("the body is not the expected JSON object: %v", err)
	}
	return nil
}

// handle serves a route.
func (c *Console) handle(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		q := &request{Request: r, w: w}
		out, err := c.serve(rt, q)
		switch {
		case err == error(errStreamed):
		case err != nil:
			writeError(w, err)
		default:
			writeJSON(w, http.StatusOK, out)
		}
	})
}

func (c *Console) serve(rt route, q *request) (out any, err error) {
	if q.client, err = c.access.enter(q.Request); err != nil {
		return nil, err
	}
	if !rt.open {
		s, err := c.access.identify(q.Request, q.client)
		if err != nil {
			return nil, err
		}
		q.op, q.ended = s.op, s.ended
		if rt.admin && !q.isAdmin() {
			return nil, errLevel
		}
	}
	return rt.serve(c, q)
}

// errMay returns the error for operators whose level may not run a command.
func errMay(command string) *apiError {
	return &apiError{errLevel.status, fmt.Sprintf("%s: an administrator can allow it with \"access_level %s 1\" (2 for helpers, too)", errLevel.text, command)}
}

// writeError answers a request with an error.
func writeError(w http.ResponseWriter, err error) {
	e := &apiError{http.StatusInternalServerError, "internal error; see the log of the server"}
	errors.As(err, &e)
	switch e.status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="teeyard"`)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "2")
	}
	writeJSON(w, e.status, api.Failure{Error: e.text})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		status, b = http.StatusInternalServerError, []byte(`{"error":"the answer is not JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(b, '\n'))
}
