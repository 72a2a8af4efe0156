// Package play serves the page on which people play in a browser.
//
// The page consists of a Go program in WebAssembly (package engine, exported by wasm), which is the
// client, and of ES modules in the folder static, which own the socket, the keys and the picture.
// The modules of package viewer draw. The program is compiled by scripts/build-play and part of
// this package, so that a fresh clone serves a page that works.
package play

import (
	"embed"
	"net/http"
	"sync"

	"github.com/teeyard/teeyard/internal/webpage"
	"github.com/teeyard/teeyard/web"
)

//go:embed static
var static embed.FS

//go:embed built/play.wasm.gz
var program []byte

// contentSecurityPolicy is that of the viewer, and lets the page compile WebAssembly.
const contentSecurityPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; connect-src " +
	"'self'; media-src 'self' blob:; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// Rooms returns the page /play and the files below /play/.
func Rooms() []web.Room {
	return []web.Room{
		{Pattern: "GET /play", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			pages().Handler("play.html").ServeHTTP(w, r)
		})},
		{Pattern: "GET /play/{$}", Handler: web.Redirect("../play")},
		{Pattern: "GET /play/play.wasm", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/wasm")
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(program)
		})},
		{Pattern: "GET /play/{path...}", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			pages().Handler(r.PathValue("path")).ServeHTTP(w, r)
		})},
	}
}

// pages are the embedded files, compressed at the first request.
var pages = sync.OnceValue(func() webpage.Files {
	return webpage.NewFiles(static, "static", contentSecurityPolicy)
})
