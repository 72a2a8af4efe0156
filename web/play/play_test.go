package play

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/web"
)

func TestMain(m *testing.M) { browsertest.Main(m) }

// servedPage is the page of a server in virtual time.
type servedPage struct {
	*servertest.Server
	page *Page
	key  web.Key
	http http.Handler
}

func servePage(t *testing.T, commands ...string) *servedPage {
	settings := new(web.Settings)
	p := &servedPage{page: New(settings), key: web.NewKey()}
	p.Server = servertest.New(t, server.Config{
		AddToConsole: settings.Register, Observers: []server.Observer{p.page}, Modes: append(builtin.Modes(), mode.Named{Name: "ddrace", New: ddrace.New}),
	}, commands...)
	p.page.now = func() time.Time { return time.Unix(0, int64(p.Now())) }
	p.http = p.key.Handler(settings.WithPlayers(nil, web.NewHandler(p.page.Rooms(8303)...)))
	return p
}

// get requests a path as a client at an address.
func (p *servedPage) get(from, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	r.RemoteAddr, r.Host = from, "localhost:8303"
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	p.http.ServeHTTP(w, r)
	return w
}

func (p *servedPage) info(t *testing.T, from, path string) (i info) {
	t.Helper()
	w := p.get(from, path)
	testenv.NoError(t, json.Unmarshal(w.Body.Bytes(), &i))
	testenv.Check(t, w.Header().Get("Content-Type") == "application/json" && w.Header().Get("Cache-Control") == "no-store", "%v", w.Header())
	return i
}

const stranger = "198.51.100.1:9"

// TestInfo checks that /play/info.json describes the server as it is now.
func TestInfo(t *testing.T) {
	p := servePage(t, `sv_name "a yard"; sv_map testbox; sv_gametype dm; sv_max_clients 9; sv_player_slots 5; sv_hostname yard.example`)
	i := p.info(t, stranger, "/play/info.json")
	testenv.Check(t, i.Map == nil && strings.Contains(i.Problem, "starting") && i.Port == 8303, "before the first tick: %+v", i)
	p.Join("anna")
	p.Wait(2 * time.Second)
	i = p.info(t, stranger, "/play/info.json?origin=http://localhost:8303")
	testenv.Check(t, i.Map != nil && i.Map.Name == "testbox" && i.Map.Size > 0, "%+v", i.Map)
	want := info{
		Name: "a yard", Host: "yard.example", Port: 8303, GameType: "DM", Players: 1, MaxPlayers: 5, Clients: 1, MaxClients: 9, Map: i.Map, Program: Program(),
	}
	testenv.Check(t, i == want, "%+v, want %+v", i, want)

	p.Console("password secret")
	p.Console("sv_gametype ddrace")
	p.Console("sv_map yardrun")
	p.Wait(2 * time.Second)
	i = p.info(t, stranger, "/play/info.json")
	testenv.Check(t, i.DDRace && i.Password && i.Map.Name == "yardrun" && i.Problem == "", "%+v\n%s", i, p.Log)
}

// TestProblem checks that the page learns why the server would reject its player.
func TestProblem(t *testing.T) {
	p := servePage(t)
	p.Wait(time.Second)
	for _, c := range []struct{ from, path, want string }{
		{stranger, "/play/info.json?origin=http://localhost:8303", ""},
		{stranger, "/play/info.json?origin=http://elsewhere.example", "sv_websocket_origins"},
		{"127.0.0.1:9", "/play/info.json?origin=http://localhost:8303", "the server's log"},
		{"127.0.0.1:9", p.key.Link("/play/info.json"), ""},
	} {
		i := p.info(t, c.from, c.path)
		testenv.Check(t, (i.Problem == "") == (c.want == "") && strings.Contains(i.Problem, c.want), "%+v: %q", c, i.Problem)
	}
	p.Console("sv_websocket 0")
	testenv.Check(t, strings.Contains(p.info(t, stranger, "/play/info.json").Problem, "sv_websocket"), "it is off")
}

// TestMapFile checks that a client gets the map that the server plays, and nothing else.
func TestMapFile(t *testing.T) {
	p := servePage(t, "sv_map testbox; password secret")
	p.Wait(time.Second)
	first := p.info(t, stranger, "/play/info.json").Map
	w := p.get(stranger, "/play/map/"+first.SHA256)
	testenv.Check(t, w.Code == 200 && w.Body.Len() == first.Size && sum(w.Body.Bytes()) == first.SHA256, "%d, %d", w.Code, w.Body.Len())
	testenv.Check(t, strings.Contains(w.Header().Get("Cache-Control"), "immutable"), "%v", w.Header())
	w = p.get(stranger, "/play/map/"+first.SHA256, "If-None-Match", w.Header().Get("ETag"))
	testenv.Check(t, w.Code == http.StatusNotModified, "%d", w.Code)
	p.page.mapWait = 0
	for _, name := range []string{strings.Repeat("0", 64), strings.ToUpper(first.SHA256), "testbox.map", "..%2f..%2fhttp.key", first.SHA256 + "0"} {
		testenv.Check(t, p.get(stranger, "/play/map/"+name).Code == http.StatusNotFound, "%s exists", name)
	}

	// A client may ask for the next map before the page has seen it.
	other := servePage(t, "sv_map teeyard1")
	other.Wait(time.Second)
	next := other.info(t, stranger, "/play/info.json").Map.SHA256
	p.page.mapWait = time.Minute
	asked := make(chan *httptest.ResponseRecorder)
	go func() { asked <- p.get(stranger, "/play/map/"+next) }()
	p.Console("sv_map teeyard1")
	p.Wait(2 * time.Second)
	w = <-asked
	p.page.mapWait = 0
	testenv.Check(t, w.Code == 200, "the next map: %d", w.Code)
	testenv.Check(t, p.get(stranger, "/play/map/"+first.SHA256).Code == http.StatusNotFound, "the map before is still there")
}

func sum(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }
