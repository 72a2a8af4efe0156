package master

import (
	_ "embed"
	"encoding/json"
	"html/template"
	"net/http"
	"time"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"ago": func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return time.Since(t).Round(time.Second).String()
	},
}).Parse(pageText))

// Handler serves the list: a page for people at /, /servers.json with an object
// {"servers": [...]} of Server, and /metrics for Prometheus.
func (m *Master) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", m.servePage)
	mux.HandleFunc("GET /servers.json", m.serveJSON)
	mux.HandleFunc("GET /metrics", m.serveMetrics)
	return mux
}

func (m *Master) servePage(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	h.Set("X-Content-Type-Options", "nosniff")
	players, servers := 0, m.Servers()
	for _, s := range servers {
		players += s.Players
	}
	// An error here is a reader who went away.
	pageTemplate.Execute(w, struct {
		Servers []Server
		Players int
	}{servers, players})
}

func (m *Master) serveJSON(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Access-Control-Allow-Origin", "*") // the list is public
	h.Set("X-Content-Type-Options", "nosniff")
	json.NewEncoder(w).Encode(state{m.Servers()})
}

func (m *Master) serveMetrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	s := m.Stats()
	s.writeMetrics(w)
}
