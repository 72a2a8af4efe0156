// Package viewer serves the page that shows matches in a browser, live or recorded.
//
// The page is plain ES modules in static, embedded as they are: nothing is built and nothing is
// loaded from elsewhere. static/wire reads what servers send and demos have, static/match makes
// of it what there is to see at a moment (static/match/types.js says in which form), static/draw
// draws it and static/page is what one clicks on.
package viewer

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/teeyard/teeyard/web"
)

//go:embed static
var static embed.FS

// contentSecurityPolicy lets pages load what is on this server, and nothing inline.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; media-src 'self' blob:; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// Rooms returns the pages: / and /replays, which are one page that looks at its address, and
// the files below /viewer/.
func Rooms() []web.Room {
	files := readStatic()
	index := serve(files, "index.html")
	return []web.Room{
		{Pattern: "GET /{$}", Handler: index},
		{Pattern: "GET /replays", Handler: index},
		{Pattern: "GET /viewer/{path...}", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			serve(files, r.PathValue("path")).ServeHTTP(w, r)
		})},
	}
}

// file is a file of the page.
type file struct {
	contentType   string
	etag          string
	plain, zipped []byte
}

// readStatic reads the embedded files, by path. They are compressed once.
var readStatic = sync.OnceValue(func() map[string]*file {
	files := make(map[string]*file)
	err := fs.WalkDir(static, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := static.ReadFile(name)
		if err != nil {
			return err
		}
		files[strings.TrimPrefix(name, "static/")] = newFile(name, b)
		return nil
	})
	if err != nil {
		panic(err) // the files are in the program
	}
	return files
})

// contentTypes are those of the page's files, since those of the system differ.
var contentTypes = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json",
}

func newFile(name string, b []byte) *file {
	f := &file{contentType: contentTypes[path.Ext(name)], plain: b}
	if f.contentType == "" {
		f.contentType = mime.TypeByExtension(path.Ext(name))
	}
	f.etag = fmt.Sprintf(`"%x"`, sha256.Sum256(b))[:18] + `"`
	var zipped bytes.Buffer
	z, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	z.Write(b)
	z.Close()
	if zipped.Len() < len(b) {
		f.zipped = zipped.Bytes()
	}
	return f
}

// serve serves a file. Browsers keep it and ask whether it has changed, so that a new
// server's page is never made of files of two versions.
func serve(files map[string]*file, name string) http.Handler {
	f, ok := files[name]
	if !ok {
		return http.NotFoundHandler()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", f.contentType)
		h.Set("Content-Security-Policy", contentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		body, etag := f.plain, f.etag
		if f.zipped != nil {
			h.Set("Vary", "Accept-Encoding")
			if acceptsGzip(r) {
				h.Set("Content-Encoding", "gzip")
				body, etag = f.zipped, strings.TrimSuffix(etag, `"`)+`-gzip"`
			}
		}
		h.Set("ETag", etag)
		if matches(r.Header.Get("If-None-Match"), f.etag) {
			h.Del("Content-Encoding")
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	})
}

// acceptsGzip reports whether a browser can unpack gzip.
func acceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			_, q, _ := strings.Cut(quality, "=")
			n, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
			return err != nil || n > 0
		}
	}
	return false
}

// matches reports whether a list of ETags has one, whatever its encoding.
func matches(list, etag string) bool {
	for have := range strings.SplitSeq(list, ",") {
		have = strings.TrimPrefix(strings.TrimSpace(have), "W/")
		if have == "*" || strings.Replace(have, `-gzip"`, `"`, 1) == etag {
			return true
		}
	}
	return false
}
