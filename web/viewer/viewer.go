// Package viewer serves the page that shows matches in a browser, live or recorded.
//
// The page consists of plain ES modules in the folder static. They are embedded, and the server
// joins them to one script at the first request. There is no build step, and the page loads nothing
// from other servers. The address /?modules loads the modules as they are, for debugging.
// static/wire reads messages and demos, static/match computes the state of the match at a moment
// (see static/match/types.js), static/draw draws it, and static/page contains the controls.
package viewer

import (
	"embed"
	"io/fs"
	"net/http"

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
// see FindData. about describes the server for titles and previews of links; nil if there is none.
func Rooms(data string, about func() web.About) []web.Room {
	files := webpage.NewFiles(Files(), contentSecurityPolicy)
	page := &webpage.App{Site: webpage.Site{"viewer": Files()}, HTML: "viewer/index.html", Folder: "viewer", CSP: contentSecurityPolicy}
	page.Versions = func() map[string]string { return map[string]string{"viewer/icon.svg": files.Hash("icon.svg")} }
	if about != nil {
		page.Head = func(r *http.Request) string { return head(r, about()) }
	}
	images := &images{dir: data}
	return []web.Room{
		{Pattern: "GET /viewer/data/index.json", Handler: http.HandlerFunc(images.serveList)},
		{Pattern: "GET /viewer/data/{path...}", Handler: images},
		{Pattern: "GET /{$}", Handler: page},
		{Pattern: "GET /replays", Handler: page},
		{Pattern: "GET /replays/{$}", Handler: web.Redirect("../replays")},
		{Pattern: "GET /viewer", Handler: web.Redirect("./")},
		{Pattern: "GET /viewer/{$}", Handler: web.Redirect("../")},
		{Pattern: "GET /viewer/{path...}", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			name := r.PathValue("path")
			page.Bundle(name, files.Handler(name)).ServeHTTP(w, r)
		})},
	}
}

// Files returns the files of the page. Other pages draw with its modules.
func Files() fs.FS {
	files, err := fs.Sub(static, "static")
	if err != nil {
		panic(err) // the name is valid
	}
	return files
}
