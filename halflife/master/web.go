package master

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"time"
)

const pageHead = `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%d servers</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222; background: #fff }
table { border-collapse: collapse; width: 100%% }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
code { font-size: .9em }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } th, td { border-color: #444 } a { color: #9cf } }
</style>
<h1>%[1]d servers, %[2]d players</h1>
`

// writePage writes the list as an HTML page. html/template would add 3 % to the time of a
// cold build.
func writePage(w io.Writer, servers []Server) {
	players := 0
	for _, s := range servers {
		players += s.Players
	}
	fmt.Fprintf(w, pageHead, len(servers), players)
	if len(servers) == 0 {
		io.WriteString(w, "<p>No server has registered yet.\n")
	} else {
		io.WriteString(w, "<table>\n<thead><tr><th>Name<th>Game<th>Map<th class=\"n\">Players<th>Address<th class=\"n\">Listed for</thead>\n<tbody>\n")
		for _, s := range servers {
			name, listed := s.Name, ""
			if s.Password {
				name += " (password)"
			}
			if !s.Since.IsZero() {
				listed = time.Since(s.Since).Round(time.Second).String()
			}
			fmt.Fprintf(w, "<tr><td>%s<td>%s<td>%s<td class=\"n\">%d/%d<td><code>%s</code><td class=\"n\">%s\n", html.EscapeString(name), html.EscapeString(s.Game),
				html.EscapeString(s.Map), s.Players, s.Max, html.EscapeString(s.Address.String()), listed)
		}
		io.WriteString(w, "</tbody>\n</table>\n")
	}
	io.WriteString(w, "<p><a href=\"servers.json\">JSON</a> · <a href=\"metrics\">metrics</a>\n</html>\n")
}

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
	writePage(w, m.Servers())
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
