package webpage

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// Files holds the files of web pages in memory by path.
type Files map[string]*file

// file is a file of a page.
type file struct {
	contentType string
	csp         string
	etag        string
	plain       []byte
	// zipped compresses the file at the first request. It returns nil if that saves nothing.
	zipped func() []byte
}

// NewFiles reads the files below a folder of an embedded file system. csp is their
// Content-Security-Policy.
func NewFiles(from fs.FS, folder, csp string) Files {
	files := make(Files)
	err := fs.WalkDir(from, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		files[strings.TrimPrefix(name, folder+"/")] = newFile(name, b, csp)
		return nil
	})
	if err != nil {
		panic(err) // the files are part of the program
	}
	return files
}

// Handler returns the handler of a file, or one that answers with 404.
func (f Files) Handler(name string) http.Handler {
	if file, ok := f[name]; ok {
		return file
	}
	return http.NotFoundHandler()
}

// Plain returns the content of a file, or nil if there is no such file.
func (f Files) Plain(name string) []byte {
	if file, ok := f[name]; ok {
		return file.plain
	}
	return nil
}

// contentTypes are the media types of files. The tables of operating systems differ.
var contentTypes = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".json": "application/json",
}

// NewFile returns a handler for a file of a web page. The extension of the name determines the
// media type.
func NewFile(name string, b []byte, csp string) http.Handler { return newFile(name, b, csp) }

func newFile(name string, b []byte, csp string) *file {
	if path.Ext(name) == ".js" {
		b = withoutComments(b)
	}
	f := &file{csp: csp, contentType: contentTypes[path.Ext(name)], plain: b}
	if f.contentType == "" {
		f.contentType = mime.TypeByExtension(path.Ext(name))
	}
	f.etag = fmt.Sprintf(`"%x"`, sha256.Sum256(b))[:18] + `"`
	f.zipped = sync.OnceValue(func() []byte { return compressed(b) })
	return f
}

// compressed returns b as gzip, or nil if b is not longer.
func compressed(b []byte) []byte {
	var zipped bytes.Buffer
	z, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	z.Write(b)
	z.Close()
	if zipped.Len() >= len(b) {
		return nil
	}
	return zipped.Bytes()
}

// withoutComments removes the comment lines of a script, which are half of it with their types and
// explanations. The other lines keep their numbers.
func withoutComments(script []byte) []byte {
	out := make([]byte, 0, len(script))
	within := false
	for line := range bytes.Lines(script) {
		text := bytes.TrimSpace(line)
		begins := !within && bytes.HasPrefix(text, []byte("/*"))
		end := bytes.Index(text, []byte("*/"))
		switch {
		case within && end >= 0:
			within = false
			out = append(out, text[end+2:]...)
		case within, begins && end < 0:
			within = true
		case begins && end == len(text)-2, bytes.HasPrefix(text, []byte("//")):
		default:
			out = append(out, bytes.TrimRight(line, "\n")...)
		}
		out = append(out, '\n')
	}
	return out
}

// ServeHTTP implements http.Handler. Browsers keep the file and ask whether it has changed. So a
// page never mixes files of two versions of the server.
func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Security-Policy", f.csp)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	body, etag := f.plain, f.etag
	if zipped := f.zipped(); zipped != nil {
		h.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			h.Set("Content-Encoding", "gzip")
			body, etag = zipped, strings.TrimSuffix(etag, `"`)+`-gzip"`
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

// matches reports whether a list of ETags contains etag, with or without the suffix for gzip.
func matches(list, etag string) bool {
	for have := range strings.SplitSeq(list, ",") {
		have = strings.TrimPrefix(strings.TrimSpace(have), "W/")
		if have == "*" || strings.Replace(have, `-gzip"`, `"`, 1) == etag {
			return true
		}
	}
	return false
}
