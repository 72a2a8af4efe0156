// Package mapsource fetches maps that a server has in no folder from a web server, so that many
// servers need no copies of a folder.
package mapsource

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/transport"
)

const (
	// MaxSize is the largest map that is fetched, in bytes.
	MaxSize = 64 << 20
	// timeout limits a fetch, answerTimeout the wait for its beginning.
	timeout       = 25 * time.Second
	answerTimeout = 5 * time.Second
	// pause is the time after which a map is asked for again, and a source that failed.
	pause     = 30 * time.Second
	maxRecord = 4 << 10
)

// Folder is the storage of a server.
type Folder interface {
	fs.FS
	fs.ReadDirFS
	// OpenAbsolute opens the file with an absolute path of the system.
	OpenAbsolute(path string) (fs.File, error)
	// WriteFile replaces a file.
	WriteFile(name string, content []byte) error
}

// Files are the files of a server, in which a source adds the maps that are missing. A map is asked
// for when the server opens maps/NAME.map. It is kept in the folder with a record of its origin,
// maps/NAME.map.source, and asked for again at a later load. Maps in the folder without a record,
// changed maps, and maps of the program are never replaced.
type Files struct {
	Folder
	// Report is called with each fetched map, and with each failure. Any goroutine may call it.
	Report func(warning bool, text string)

	now    func() time.Time
	client *http.Client
	source atomic.Pointer[source] // nil for none
}

// source is a web server with maps.
type source struct {
	url *url.URL

	mu      sync.Mutex // held during a fetch
	asked   map[string]time.Time
	trouble error // of the last question, until retry
	retry   time.Time
}

// New returns files without a source.
func New(folder Folder, report func(warning bool, text string)) *Files {
	return &Files{Folder: folder, Report: report, now: time.Now, client: newClient()}
}

// SetSource sets the address of the folder with the maps, such as https://maps.example/all. The
// empty text is for none. SetSource does not wait for a fetch.
func (f *Files) SetSource(text string) error {
	var s *source
	if text != "" {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			return fmt.Errorf("%q is not the address of a folder, such as https://maps.example/all", text)
		}
		s = &source{url: u, asked: map[string]time.Time{}}
	}
	f.source.Store(s)
	return nil
}

// Open implements fs.FS.
func (f *Files) Open(name string) (fs.File, error) {
	setting, isMap := strings.CutPrefix(name, "maps/")
	if isMap {
		setting, isMap = strings.CutSuffix(setting, ".map")
	}
	if isMap && fs.ValidPath(name) {
		if content, err := f.update(name, setting); err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		} else if content != nil {
			return &memoryFile{bytes.NewReader(content), path.Base(name), int64(len(content))}, nil
		}
	}
	return f.Folder.Open(name)
}

// record is the origin of a fetched map.
type record struct {
	URL    string `json:"url"`
	ETag   string `json:"etag,omitempty"`
	SHA256 string `json:"sha256"`
}

// update fetches a map if it is missing or if the source has another one. It returns the content if
// the folder cannot keep it. It returns an error if there is no map at all.
func (f *Files) update(name, setting string) (content []byte, err error) {
	s := f.source.Load()
	if _, embedded := maps.Find(setting); s == nil || embedded {
		return nil, nil
	}
	have, was, err := f.have(name)
	if err != nil || have && was == nil {
		return nil, nil // the folder says what is wrong
	}
	if !have {
		s.mu.Lock()
	} else if !s.mu.TryLock() {
		return nil, nil // a map that is there does not wait for another one
	}
	defer s.mu.Unlock()
	switch {
	case f.now().Sub(s.asked[name]) < pause:
		return nil, nil
	case s.trouble != nil && f.now().Before(s.retry):
		err = s.trouble
	default:
		content, err = f.fetch(s, name, setting, was)
	}
	switch {
	case err == nil, have:
		return content, nil // an old map is better than none
	default:
		return nil, err
	}
}

// have reports whether the folder has a map, and its record if the map is as it was fetched.
func (f *Files) have(name string) (have bool, was *record, err error) {
	content, err := f.read(name, MaxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil, nil
	case err != nil:
		return true, nil, err
	}
	text, err := f.read(name+".source", maxRecord)
	if err != nil || json.Unmarshal(text, &was) != nil || was == nil || was.SHA256 != sum(content) {
		return true, nil, nil
	}
	return true, was, nil
}

func (f *Files) read(name string, limit int64) ([]byte, error) {
	file, err := f.Folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("larger than %d bytes", limit)
	}
	return content, err
}

// fetch asks the source for a map. It returns the map if the folder cannot keep it.
func (f *Files) fetch(s *source, name, setting string, was *record) ([]byte, error) {
	from := s.url
	for part := range strings.SplitSeq(setting+".map", "/") {
		from = from.JoinPath(url.PathEscape(part))
	}
	content, etag, err := f.get(from.String(), was)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.trouble, s.retry = err, f.now().Add(pause)
		f.Report(true, fmt.Sprintf("sv_maps_source: %s: %v", from, err))
		return nil, err
	}
	s.trouble, s.asked[name] = nil, f.now()
	if err != nil || content == nil {
		return nil, err
	}
	if _, err := (twmap.Config{GameOnly: true}).Parse(content); err != nil {
		f.Report(true, fmt.Sprintf("sv_maps_source: %s is not a map: %v", from, err))
		return nil, fmt.Errorf("%s is not a map: %w", from, err)
	}
	// The record comes second: a map with an old record counts as changed, and is never replaced.
	text, err := json.Marshal(record{from.String(), etag, sum(content)})
	if err == nil {
		err = errors.Join(f.WriteFile(name, content), f.WriteFile(name+".source", append(text, '\n')))
	}
	if err != nil {
		f.Report(true, fmt.Sprintf("sv_maps_source: %s is used and not kept: %v", from, err))
		delete(s.asked, name)
		return content, nil
	}
	f.Report(false, fmt.Sprintf("fetched %s from %s: %d bytes, sha256 %s", name, from, len(content), sum(content)))
	return nil, nil
}

// get returns a file of the source, nil if it is the one of a record.
func (f *Files) get(from string, was *record) (content []byte, etag string, err error) {
	ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), hop{}, new(bool)), timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, "", err
	}
	if was != nil && was.URL == from && was.ETag != "" {
		r.Header.Set("If-None-Match", was.ETag)
	}
	answer, err := f.client.Do(r)
	if err != nil {
		return nil, "", errors.Unwrap(err) // without the address, which the caller knows
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusNotModified && was != nil:
		return nil, "", nil
	case answer.StatusCode == http.StatusNotFound, answer.StatusCode == http.StatusGone:
		return nil, "", fmt.Errorf("%w: the source answers %s", fs.ErrNotExist, answer.Status)
	case answer.StatusCode != http.StatusOK:
		return nil, "", fmt.Errorf("the source answers %s", answer.Status)
	case answer.ContentLength > MaxSize:
		return nil, "", fmt.Errorf("%d bytes, more than the %d allowed", answer.ContentLength, MaxSize)
	}
	content, err = io.ReadAll(io.LimitReader(answer.Body, MaxSize+1))
	switch {
	case err != nil:
		return nil, "", err
	case len(content) > MaxSize:
		return nil, "", fmt.Errorf("more than the %d bytes allowed", MaxSize)
	case was != nil && was.SHA256 == sum(content):
		return nil, "", nil
	}
	return content, answer.Header.Get("ETag"), nil
}

func sum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

// hop is the key of a context's *bool, which is true after a redirect.
type hop struct{}

// newClient returns a client that follows no redirect into a local network, since the source could
// then make the server ask its neighbours.
func newClient() *http.Client {
	redirected := func(ctx context.Context) bool {
		b, ok := ctx.Value(hop{}).(*bool)
		return ok && *b
	}
	dialer := &net.Dialer{
		Timeout: answerTimeout,
		ControlContext: func(ctx context.Context, _, address string, _ syscall.RawConn) error {
			a, err := netip.ParseAddrPort(address)
			if redirected(ctx) && (err != nil || isLocal(a.Addr().Unmap())) {
				return fmt.Errorf("the source redirects to %s, an address in a local network", address)
			}
			return nil
		},
	}
	return &http.Client{
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > 3 {
				return errors.New("the source redirects more than three times")
			}
			*r.Context().Value(hop{}).(*bool) = true
			return nil
		},
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: answerTimeout, ResponseHeaderTimeout: answerTimeout,
			DisableKeepAlives: true, // a new connection is checked
		},
	}
}

func isLocal(a netip.Addr) bool { return transport.IsLAN(a) || a.IsUnspecified() }

// memoryFile is a map that the folder cannot keep.
type memoryFile struct {
	*bytes.Reader
	name string
	size int64
}

func (m *memoryFile) Stat() (fs.FileInfo, error) { return m, nil }
func (m *memoryFile) Close() error               { return nil }
func (m *memoryFile) Name() string               { return m.name }
func (m *memoryFile) Size() int64                { return m.size }
func (m *memoryFile) Mode() fs.FileMode          { return 0o444 }
func (m *memoryFile) ModTime() time.Time         { return time.Time{} }
func (m *memoryFile) IsDir() bool                { return false }
func (m *memoryFile) Sys() any                   { return nil }
