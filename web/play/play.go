// Package play serves the page on which people play in a browser.
//
// The page consists of a Go program in WebAssembly (package engine, exported by wasm), which is the
// client, and of ES modules in the folder static, which own the socket, the keys and the picture.
// The modules of package viewer draw. The program is compiled by scripts/build-play and part of
// this package, so that a fresh clone serves a page that works.
package play

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"io/fs"
	"net/http"
	"time"

	"github.com/teeyard/teeyard/internal/webpage"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/viewer"
)

//go:embed static
var static embed.FS

// contentSecurityPolicy is that of the viewer, and lets the page compile WebAssembly.
const contentSecurityPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; connect-src " +
	"'self'; media-src 'self' blob:; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// Rooms returns the page /play and the files below /play/. Players of the server's game use a port.
func (p *Page) Rooms(gamePort uint16) []web.Room {
	static := files()
	app := newApp(static)
	plain := webpage.NewFiles(static, contentSecurityPolicy)
	return []web.Room{
		{Pattern: "GET /play", Handler: app},
		{Pattern: "GET /play/{$}", Handler: web.Redirect("../play")},
		{Pattern: "GET /play/info.json", Handler: p.serveInfo(gamePort)},
		{Pattern: "GET /play/map/{sha256}", Handler: http.HandlerFunc(p.serveMap)},
		{Pattern: "GET /play/play.wasm", Handler: http.HandlerFunc(serveProgram)},
		{Pattern: "GET /play/{path...}", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			name := r.PathValue("path")
			app.Bundle(name, plain.Handler(name)).ServeHTTP(w, r)
		})},
	}
}

// files returns the files of the page, which also has modules of package viewer.
func files() fs.FS {
	files, err := fs.Sub(static, "static")
	if err != nil {
		panic(err) // the name is valid
	}
	return files
}

// newApp returns the page with all modules as one script.
func newApp(static fs.FS) *webpage.App {
	return &webpage.App{
		Site: webpage.Site{"play": static, "viewer": viewer.Files()}, HTML: "play/play.html", Folder: "play", CSP: contentSecurityPolicy,
		Versions: func() map[string]string { return map[string]string{"play/play.wasm": program().Hash} },
	}
}

// serveMap serves the map that the server plays at this moment, by its hash. The broadcast may have
// it later or not at all.
func (p *Page) serveMap(w http.ResponseWriter, r *http.Request) {
	sum := r.PathValue("sha256")
	var file []byte
	if len(sum) == 2*sha256.Size {
		file = p.file(r, sum)
	}
	if file == nil {
		http.Error(w, "The server does not play this map.", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "max-age=31536000, immutable")
	h.Set("ETag", `"`+sum+`"`)
	http.ServeContent(web.SlowWriter(w), r, "", time.Time{}, bytes.NewReader(file))
}
