package agonestest

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestRecordedLine sends the requests before the recorded line to the stand-in, and compares the
// fields. testdata/watch.json is the line of a real sdk-server.
func TestRecordedLine(t *testing.T) {
	recorded := decode(t, testenv.Must(os.ReadFile("testdata/watch.json")))
	s := New()
	s.Change(func(g *GameServer) { g.Meta.Creation = 1795304370 })
	h := httptest.NewServer(s)
	defer h.Close()
	ask := func(method, path, body string) (int, any) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, h.URL+path, strings.NewReader(body))
		testenv.NoError(t, err)
		answer, err := h.Client().Do(r)
		testenv.NoError(t, err)
		defer answer.Body.Close()
		return answer.StatusCode, decode(t, testenv.Must(io.ReadAll(answer.Body)))
	}
	for _, r := range []struct {
		request, body string
		code          int
		answer        string
	}{
		{"POST /ready", `{}`, 200, `{}`},
		{"POST /health", `{}`, 200, `{}`},
		{"POST /health", ``, 400, ""},
		{"POST /allocate", `{}`, 200, `{}`},
		{"POST /reserve", `{"seconds":"5"}`, 200, `{}`},
		{"PUT /metadata/label", `{"key":"map","value":"dm1"}`, 200, `{}`},
		{"PUT /metadata/label", `{"key":"map","value":"a b"}`, 400, ""},
		{"PUT /metadata/annotation", `{"key":"version","value":"1"}`, 200, `{}`},
		{"PATCH /v1beta1/counters/rooms", `{"count":"3","capacity":"16"}`, 200, `{"name":"rooms","count":"3","capacity":"16"}`},
		{"PATCH /v1beta1/counters/rooms", `{"count":"17"}`, 500, ""},
		{"PATCH /v1beta1/counters/players", `{"count":"3"}`, 500, `{"code":2,"message":"counter not found: players","details":[]}`},
		{"PATCH /v1beta1/lists/players", `{"capacity":"4"}`, 200, `{"name":"players","capacity":"4","values":["test0","test1","test2"]}`},
		{"POST /v1beta1/lists/players:addValue", `{"value":"x"}`, 200, `{"name":"players","capacity":"4","values":["test0","test1","test2","x"]}`},
		{"POST /v1beta1/lists/players:addValue", `{"value":"y"}`, 500, ""},
		{"PATCH /v1beta1/lists/players", `{"capacity":"3"}`, 200, `{"name":"players","capacity":"3","values":["test0","test1","test2"]}`},
		{"PATCH /v1beta1/lists/players", `{"capacity":"64"}`, 200, `{"name":"players","capacity":"64","values":["test0","test1","test2"]}`},
		{"POST /nothing", `{}`, 404, `{"code":5,"message":"Not Found","details":[]}`},
	} {
		method, path, _ := strings.Cut(r.request, " ")
		code, answer := ask(method, path, r.body)
		testenv.Check(t, code == r.code, "%s %s: %d, want %d", r.request, r.body, code, r.code)
		if r.answer != "" && !reflect.DeepEqual(answer, decode(t, []byte(r.answer))) {
			t.Errorf("%s %s: %v, want %s", r.request, r.body, answer, r.answer)
		}
	}
	_, now := ask("GET", "/gameserver", "")
	if !reflect.DeepEqual(map[string]any{"result": now}, recorded) {
		t.Errorf("the GameServer is\n%v, want\n%v", now, recorded)
	}

	answer, err := h.Client().Get(h.URL + "/watch/gameserver")
	testenv.NoError(t, err)
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	testenv.Require(t, lines.Scan(), "%v", lines.Err())
	if got := decode(t, lines.Bytes()); !reflect.DeepEqual(got, recorded) {
		t.Errorf("the line is\n%v, want\n%v", got, recorded)
	}
	s.Change(func(g *GameServer) { g.Status.State = "Allocated" })
	testenv.Check(t, lines.Scan() && strings.Contains(lines.Text(), `"state":"Allocated"`), "%s", lines.Text())
}

func decode(t *testing.T, b []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Errorf("%q: %v", b, err)
	}
	return v
}
