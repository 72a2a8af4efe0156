package webpage

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Files serves the files of web pages. It reads and compresses a file at its first request.
type Files struct {
	from fs.FS
	csp  string

	mu   sync.Mutex
	made map[string]*File
}

// NewFiles returns the files of an embedded file system. csp is their Content-Security-Policy.
func NewFiles(from fs.FS, csp string) *Files {
	return &Files{from: from, csp: csp, made: make(map[string]*File)}
}

// Handler returns the handler of a file, or one that answers with 404.
func (f *Files) Handler(name string) http.Handler {
	f.mu.Lock()
	defer f.mu.Unlock()
	if file := f.made[name]; file != nil {
		return file
	}
	b, err := fs.ReadFile(f.from, name)
	if err != nil {
		return http.NotFoundHandler()
	}
	file := NewFile(name, b, f.csp)
	f.made[name] = file
	return file
}

// Hash returns the File.Hash of a file, or "" if there is none.
func (f *Files) Hash(name string) string {
	file, ok := f.Handler(name).(*File)
	if !ok {
		return ""
	}
	return file.Hash
}

// File is a file of a web page, which never changes.
type File struct {
	ContentType, CSP string
	// Hash differs between contents. The address of a file may name it as ?v=HASH. Browsers then
	// keep the file without asking whether it has changed.
	Hash string
	// Plain, Gzip and Brotli are the content in different encodings, nil for none.
	Plain, Gzip, Brotli []byte
}

// contentTypes are the media types of files. The tables of operating systems differ.
var contentTypes = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8",
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".json": "application/json",
}

// NewFile returns a file and compresses it. The extension of the name determines the media type.
func NewFile(name string, b []byte, csp string) *File {
	f := &File{CSP: csp, ContentType: contentTypes[path.Ext(name)], Hash: hashOf(b), Plain: b}
	if f.ContentType == "" {
		f.ContentType = mime.TypeByExtension(path.Ext(name))
	}
	var zipped bytes.Buffer
	z, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	z.Write(b)
	z.Close()
	if zipped.Len() < len(b) {
		f.Gzip = zipped.Bytes()
	}
	return f
}

// hashOf returns a File.Hash.
func hashOf(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b))[:16] }

// partSize is the length of the parts in which files are written, in bytes.
const partSize = 32 << 10

// isTrustworthy reports whether browsers trust the origin of a request. On other origins they
// ignore some headers, and say so in their console.
func isTrustworthy(r *http.Request) bool {
	address, err := netip.ParseAddr(strings.Trim(r.Host, "[]"))
	if p, portErr := netip.ParseAddrPort(r.Host); portErr == nil {
		address, err = p.Addr(), nil
	}
	name, _, _ := strings.Cut(r.Host, ":")
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" || name == "localhost" || err == nil && address.IsLoopback()
}

// ServeHTTP implements http.Handler. Without ?v=HASH, browsers keep the file and ask whether it has
// changed. So a page never mixes files of two versions of the server.
func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", f.CSP)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if isTrustworthy(r) {
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
	}
	if f.Gzip != nil || f.Brotli != nil {
		h.Set("Vary", "Accept-Encoding")
	}
	body, coding := f.encoded(r)
	if body == nil {
		http.Error(w, "This file exists only compressed: accept gzip or br.", http.StatusNotAcceptable)
		return
	}
	h.Set("Content-Type", f.ContentType)
	h.Set("Cache-Control", "no-cache")
	if f.Hash != "" && r.URL.Query().Get("v") == f.Hash {
		h.Set("Cache-Control", "max-age=31536000, immutable")
	}
	etag := f.Hash
	if coding != "" {
		etag += "-" + coding
	}
	h.Set("ETag", `"`+etag+`"`)
	if f.matches(r.Header.Get("If-None-Match")) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if coding != "" {
		h.Set("Content-Encoding", coding)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method == http.MethodHead {
		return
	}
	for part := range slices.Chunk(body, partSize) {
		if _, err := w.Write(part); err != nil {
			return
		}
	}
}

// encoded returns the content in the shortest encoding that a browser accepts, nil for none.
func (f *File) encoded(r *http.Request) (body []byte, coding string) {
	accepted := strings.Join(r.Header.Values("Accept-Encoding"), ",")
	switch {
	case f.Brotli != nil && accepts(accepted, "br"):
		return f.Brotli, "br"
	case f.Gzip != nil && (accepts(accepted, "gzip") || accepted == "" && f.Plain == nil):
		return f.Gzip, "gzip"
	}
	return f.Plain, ""
}

// accepts reports whether an Accept-Encoding header contains a coding.
func accepts(header, coding string) bool {
	for offer := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(offer, ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			_, q, _ := strings.Cut(quality, "=")
			n, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
			return err != nil || n > 0
		}
	}
	return false
}

// matches reports whether a list of ETags contains one of the file, in any encoding.
func (f *File) matches(list string) bool {
	for have := range strings.SplitSeq(list, ",") {
		have = strings.Trim(strings.TrimPrefix(strings.TrimSpace(have), "W/"), `"`)
		hash, _, _ := strings.Cut(have, "-")
		if have == "*" || have != "" && hash == f.Hash {
			return true
		}
	}
	return false
}
