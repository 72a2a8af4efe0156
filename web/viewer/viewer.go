// Package viewer serves the page that shows matches in a browser, live or recorded.
//
// The page is plain ES modules in static, embedded as they are and served without their comments: nothing is
// built and nothing is loaded from elsewhere. static/wire reads what servers send and demos have, static/match makes
// of it what there is to see at a moment (static/match/types.js says in which form), static/draw
// draws it and static/page is what one clicks on.
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

// contentSecurityPolicy lets pages load what is on this server, and nothing inline.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; media-src 'self' blob:; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// Rooms returns the pages: / and /replays, which are one page that looks at its address, and
// the files below /viewer/. data is the data folder of an installed Teeworlds, whose images the
// page can use, or empty for none; see FindData.
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

// pages are the embedded files, which are compressed once.
var pages = sync.OnceValue(func() webpage.Files {
	return webpage.NewFiles(static, "static", contentSecurityPolicy)
})
