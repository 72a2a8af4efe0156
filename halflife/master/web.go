package master

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"time"

	"github.com/teeyard/teeyard/internal/metrics"
	"github.com/teeyard/teeyard/internal/webpage"
	"github.com/teeyard/teeyard/internal/words"
)

const pageHead = `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222; background: #fff }
table { border-collapse: collapse; width: 100%% }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
code { font-size: .9em }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } th, td { border-color: #444 } a { color: #9cf } }
</style>
<h1>%[1]s, %[2]s</h1>
`

// writePage writes the list as an HTML page. It does not use html/template, because that would add
// 3 % to the time of a cold build.
func writePage(w io.Writer, servers []Server) {
	players := 0
	for _, s := range servers {
		players += s.Players
	}
	fmt.Fprintf(w, pageHead, words.Count(len(servers), "server"), words.Count(players, "player"))
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
			fmt.Fprintf(w, "<tr><td>%s<td>%s<td>%s<td class=\"n\">%d/%d<td><code>%s</code><td class=\"n\">%s\n",
				html.EscapeString(name), html.EscapeString(s.Game),
				html.EscapeString(s.Map), s.Players, s.Max, html.EscapeString(s.Address.String()), listed)
		}
		io.WriteString(w, "</tbody>\n</table>\n")
	}
	io.WriteString(w, "<p><a href=\"servers.json\">JSON</a> · <a href=\"metrics\">metrics</a>\n</html>\n")
}

const maxPageAge = 5 * time.Second

// Handler serves the list: an HTML page at /, /servers.json with an object {"servers": [...]} of
// Server, and /metrics for Prometheus. Responses may be five seconds old.
func (m *Master) Handler() http.Handler {
	mux := http.NewServeMux()
	serve := func(pattern string, header map[string]string, write func(w io.Writer)) {
		mux.Handle(pattern, &webpage.Page{Write: write, MaxAge: maxPageAge, Header: header, Now: m.cfg.Now})
	}
	serve("GET /{$}", map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
	}, func(w io.Writer) { writePage(w, m.Servers()) })
	serve("GET /servers.json", map[string]string{
		"Content-Type": "application/json", "Access-Control-Allow-Origin": "*", // the list is public
	}, func(w io.Writer) { json.NewEncoder(w).Encode(state{m.Servers()}) })
	serve("GET /metrics", map[string]string{"Content-Type": metrics.ContentType}, func(w io.Writer) {
		s := m.Stats()
		s.writeMetrics(w)
	})
	return mux
}
