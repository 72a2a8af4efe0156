// Package viewer serves the page that shows matches in a browser, live or recorded.
//
// The page consists of plain ES modules in the folder static. They are embedded and served without
// their comments. There is no build step, and the page loads nothing from other servers.
// static/wire reads messages and demos, static/match computes the state of the match at a moment
// (see static/match/types.js), static/draw draws it, and static/page contains the controls.
package viewer

import (
	"embed"
	"net/http"
	"sync"

	"github.com/teeyard/teeyard/internal/webpage"
	"github.com/teeyard/teeyard/web"
)

//go:embed static
var static embed.FS

// contentSecurityPolicy lets pages load files from this server only, and no inline code.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; media-src " +
	"'self' blob:; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// Rooms returns the pages / and /replays (one page that evaluates its address) and the files below
// /viewer/. data is the data folder of an installed Teeworlds whose images the page can use, or "";
// see FindData.
func Rooms(data string) []web.Room {
	index := pages().Handler("index.html")
	images := newImages(data)
	return []web.Room{
		{Pattern: "GET /viewer/data/index.json", Handler: images.index},
		{Pattern: "GET /viewer/data/{path...}", Handler: images},
		{Pattern: "GET /{$}", Handler: index},
		{Pattern: "GET /replays", Handler: index},
		{Pattern: "GET /replays/{$}", Handler: web.Redirect("../replays")},
		{Pattern: "GET /viewer", Handler: web.Redirect("./")},
		{Pattern: "GET /viewer/{$}", Handler: web.Redirect("../")},
		{Pattern: "GET /viewer/{path...}", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			pages().Handler(r.PathValue("path")).ServeHTTP(w, r)
		})},
	}
}

// pages are the embedded files, compressed once.
var pages = sync.OnceValue(func() webpage.Files {
	return webpage.NewFiles(static, "static", contentSecurityPolicy)
})
