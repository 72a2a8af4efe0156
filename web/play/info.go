package play

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/web"
)

// copyInterval is the time between two copies of the server's description.
const copyInterval = time.Second

// mapWait is how long a request waits for the map of the next tick. Clients are told of a map some
// ticks before observers see it.
const mapWait = 500 * time.Millisecond

// Page is the page and the state of the server that it shows. It implements [server.Observer].
type Page struct {
	web      *web.Settings
	now      func() time.Time
	mapWait  time.Duration
	copiedAt time.Time // used by the server's goroutine only

	mu     sync.Mutex
	copied bool
	query  query.Info
	ddrace bool
	// modern and compatible are the files of the map; see [server.Tick.Maps].
	modern, compatible bridge.Map
	changed            chan struct{} // closed when the map changes
}

// New returns a page. The settings decide who may play.
func New(settings *web.Settings) *Page {
	return &Page{web: settings, now: time.Now, mapWait: mapWait, changed: make(chan struct{})}
}

// ObserveTick implements [server.Observer]. It copies the description of the server once a second,
// and with a new map.
func (p *Page) ObserveTick(t *server.Tick) {
	modern, compatible := t.Maps()
	// Only this goroutine writes the maps.
	changed := modern.SHA256 != p.modern.SHA256 || compatible.SHA256 != p.compatible.SHA256 || modern.Name != p.modern.Name
	now := p.now()
	if !changed && now.Sub(p.copiedAt) < copyInterval {
		return
	}
	p.copiedAt = now
	p.mu.Lock()
	defer p.mu.Unlock()
	t.Info(&p.query)
	p.copied, p.ddrace = true, t.World.IsDDRace()
	if changed {
		p.modern, p.compatible = modern, compatible
		close(p.changed)
		p.changed = make(chan struct{})
	}
}

// info is the content of /play/info.json. docs/reference/http.md describes it.
type info struct {
	Name       string   `json:"name"`
	Host       string   `json:"host"`
	Port       uint16   `json:"port"`
	GameType   string   `json:"game_type"`
	DDRace     bool     `json:"ddrace"`
	Password   bool     `json:"password"`
	Players    int      `json:"players"`
	MaxPlayers int      `json:"max_players"`
	Clients    int      `json:"clients"`
	MaxClients int      `json:"max_clients"`
	Bots       int      `json:"bots"`
	Map        *mapInfo `json:"map"`
	Problem    string   `json:"problem"`
	Program    Build    `json:"program"`
}

// About describes the server for titles and previews of links.
func (p *Page) About() web.About {
	p.mu.Lock()
	defer p.mu.Unlock()
	return web.About{Name: p.query.Name, GameType: p.query.GameType, Map: p.modern.Name}
}

// mapInfo describes a map file.
type mapInfo struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Size   int    `json:"size"`
}

// info describes the server, whose game has a port.
func (p *Page) info(port uint16) info {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.copied {
		return info{Port: port, Program: Program(), Problem: "The server is starting. Try again in a moment."}
	}
	q := &p.query
	i := info{
		Name: q.Name, Host: q.Hostname, Port: port, GameType: q.GameType, DDRace: p.ddrace, Password: q.Password,
		Players: q.NumPlayers, MaxPlayers: q.MaxPlayers, Clients: q.NumClients, MaxClients: q.MaxClients,
		Program: Program(),
	}
	for n := range q.Clients {
		if q.Clients[n].Bot {
			i.Bots++
		}
	}
	file := &p.modern
	if p.ddrace { // the page then speaks DDNet's version of 0.6
		file = &p.compatible
	}
	i.Map = &mapInfo{Name: file.Name, SHA256: hex.EncodeToString(file.SHA256[:]), Size: len(file.File)}
	return i
}

// serveInfo serves /play/info.json. The parameter origin is the origin of the page, as the browser
// sends it when the page connects.
func (p *Page) serveInfo(port uint16) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := p.info(port)
		if problem := p.web.PlayProblem(r, r.URL.Query().Get("origin")); problem != "" {
			i.Problem = problem
		}
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-store") // the problem depends on the client
		h.Set("X-Content-Type-Options", "nosniff")
		json.NewEncoder(w).Encode(i)
	})
}

// file returns a file of the map by its hash, or nil. It waits for a moment if the map is about to
// change.
func (p *Page) file(r *http.Request, sum string) []byte {
	timeout := time.NewTimer(p.mapWait)
	defer timeout.Stop()
	for {
		p.mu.Lock()
		changed := p.changed
		for _, m := range []*bridge.Map{&p.modern, &p.compatible} {
			if p.copied && hex.EncodeToString(m.SHA256[:]) == sum {
				p.mu.Unlock()
				return m.File
			}
		}
		p.mu.Unlock()
		select {
		case <-changed:
		case <-timeout.C:
			return nil
		case <-r.Context().Done():
			return nil
		}
	}
}
