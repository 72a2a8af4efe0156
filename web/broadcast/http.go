package broadcast

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/web"
)

// Values of Cache-Control.
const (
	forASecond = "max-age=1"
	forAMinute = "max-age=60"
	forEver    = "max-age=31536000, immutable"
)

// Rooms returns the URLs of the broadcast: /live.json, /b/, /map/ and /replays.json.
func (b *Broadcast) Rooms() []web.Room {
	access := &b.settings.access.Rule
	h := b.handler(func() viewer {
		now, delay := b.now(), b.Delay()
		return viewer{now: now, until: now.Add(-delay), delay: delay, private: !access.IsOpen()}
	})
	rooms := []web.Room{{Pattern: "GET /replays.json", Access: access, Setting: "sv_http_broadcast", Handler: b.listPage()}}
	for _, pattern := range patterns {
		rooms = append(rooms, web.Room{Pattern: pattern, Access: access, Setting: "sv_http_broadcast", Handler: h})
	}
	return rooms
}

// Undelayed serves the same URLs to operators, without delay and including matches with a password.
func (b *Broadcast) Undelayed() http.Handler {
	return b.handler(func() viewer { return viewer{now: b.now(), until: b.now(), private: true, all: true} })
}

var patterns = []string{"GET /live.json", "GET /b/{file}", "GET /b/{match}/{file}", "GET /map/{sha256}"}

// handler returns the handler of all patterns for viewers.
func (b *Broadcast) handler(who func() viewer) http.Handler {
	mux := http.NewServeMux()
	for i, serve := range []func(w *answer, r *http.Request, v *viewer){b.serveLive, b.serveFile, b.servePart, b.serveMap} {
		mux.HandleFunc(patterns[i], func(w http.ResponseWriter, r *http.Request) {
			v := who()
			a := answer{ResponseWriter: web.SlowWriter(w), public: !v.all, sent: &b.sent}
			b.answers.Add(1)
			a.Header().Set("Access-Control-Allow-Origin", "*")
			a.Header().Set("X-Content-Type-Options", "nosniff")
			if v.all {
				a.Header().Del("Access-Control-Allow-Origin")
			}
			serve(&a, r, &v)
		})
	}
	return mux
}

// answer is the answer to a request.
type answer struct {
	http.ResponseWriter
	public bool          // shared caches may store it
	sent   *atomic.Int64 // bytes of all answers
}

// set sets the content type and how long caches may store the answer.
func (a *answer) set(contentType, cache string) {
	if !a.public {
		cache = "no-store"
	}
	a.Header().Set("Content-Type", contentType)
	a.Header().Set("Cache-Control", cache)
}

// missing answers that a resource does not exist, or not yet.
func (a *answer) missing() {
	a.set("text/plain; charset=utf-8", forASecond)
	a.WriteHeader(http.StatusNotFound)
	io.WriteString(a, "not found, or not available yet\n")
}

func (a *answer) json(i Info, cache string) {
	a.set("application/json", cache)
	json.NewEncoder(a).Encode(i)
}

// tooLong is the answer if the delay exceeds the time for which the server keeps segments.
const tooLong = "the delay is longer than the time for which the server keeps a match; lower sv_live_delay or raise sv_broadcast_max_mb"

// serveLive serves /live.json.
func (b *Broadcast) serveLive(w *answer, _ *http.Request, v *viewer) {
	s := &b.shelf
	s.mu.Lock()
	i := Info{SegmentTicks: segmentTicks, MarkedSegments: markedSegments, Last: -1, LastTick: -1, Delay: seconds(v.delay)}
	if m := s.live(v); m != nil {
		i = s.info(m, v)
		if m.losesUnseen(v) {
			i.Reason = tooLong
		}
	}
	private := !v.private && s.isPrivate()
	if !i.Live {
		switch {
		case !b.settings.on.Load():
			i.Reason = "the server does not broadcast (sv_broadcast)"
		case private:
			i.Reason = "the server has a password"
		}
	}
	s.mu.Unlock()
	if b.settings.on.Load() && !private {
		b.watch(v.now)
	}
	w.json(i, forASecond)
}

// find returns a match of the shelf or the folder, or nil. The caller holds the shelf's mutex.
func (b *Broadcast) find(id string, v *viewer) *match {
	if m := b.shelf.find(id, v); m != nil || b.archive == nil {
		return m
	}
	if b.shelf.has(id) { // but it is not for this viewer
		return nil
	}
	m := b.archive.find(id, v)
	if m == nil {
		b.archive.ask()
	}
	return m
}

// serveFile serves /b/MATCH.json and /b/MATCH.demo.
func (b *Broadcast) serveFile(w *answer, r *http.Request, v *viewer) {
	file := r.PathValue("file")
	if id, ok := strings.CutSuffix(file, ".json"); ok {
		b.serveInfo(w, id, v)
	} else if id, ok := strings.CutSuffix(file, demoSuffix); ok {
		b.serveDemo(w, r, id, v)
	} else {
		w.missing()
	}
}

func (b *Broadcast) serveInfo(w *answer, id string, v *viewer) {
	b.shelf.mu.Lock()
	m, i := b.find(id, v), Info{}
	if m != nil {
		i = b.shelf.info(m, v)
	}
	b.shelf.mu.Unlock()
	switch {
	case m == nil:
		w.missing()
	case i.Live || i.Next == "":
		w.json(i, forASecond)
	default:
		w.json(i, forAMinute)
	}
}

// serveDemo serves the demo of a match up to its last readable segment.
func (b *Broadcast) serveDemo(w *answer, r *http.Request, id string, v *viewer) {
	b.shelf.mu.Lock()
	m := b.find(id, v)
	if m == nil {
		b.shelf.mu.Unlock()
		w.missing()
		return
	}
	n, cache, path := m.visible(v), forASecond, m.path
	if m.over(v) && m.kept == 0 {
		cache = forEver
	}
	pieces := []piece{{data: m.fullHead(n)}, m.mapPiece()}
	for i := m.kept; i < n; i++ {
		p := m.segmentPiece(i)
		if last := &pieces[len(pieces)-1]; p.data == nil && last.data == nil && p.offset == last.offset+last.size {
			last.size += p.size
			continue
		}
		pieces = append(pieces, p)
	}
	whole := m.sealed && m.over(v)
	b.shelf.mu.Unlock()
	w.Header().Set("Content-Disposition", "attachment; filename="+id+demoSuffix)
	if whole {
		pieces = []piece{{offset: 0, size: totalSize(pieces)}}
		w.pieces(r, path, id, cache, pieces)
		return
	}
	person := b.web.Person(r)
	if !b.downloads.Take(person) {
		w.set("text/plain; charset=utf-8", "no-store")
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, "too many downloads of matches, from your address or in all; try again in a moment\n")
		return
	}
	defer b.downloads.Release(person)
	w.pieces(r, path, id, cache, pieces)
}

// servePart serves /b/MATCH/head, /b/MATCH/N.seg and /b/MATCH/N.marks.
func (b *Broadcast) servePart(w *answer, r *http.Request, v *viewer) {
	id, file := r.PathValue("match"), r.PathValue("file")
	if n, ok := numberOf(file, marksSuffix); ok {
		b.serveMarks(w, r, id, n, v)
		return
	}
	b.shelf.mu.Lock()
	m := b.find(id, v)
	var p []piece
	path := ""
	if m != nil {
		path = m.path
		if n, ok := numberOf(file, ".seg"); ok && n >= m.kept && n < m.visible(v) {
			p = []piece{m.segmentPiece(n)}
			if !m.ended {
				b.watch(v.now)
			}
		} else if file == "head" {
			p = []piece{{data: m.head()}}
		}
	}
	b.shelf.mu.Unlock()
	w.pieces(r, path, id+"/"+file, forEver, p)
}

// serveMarks serves /b/MATCH/N.marks.
func (b *Broadcast) serveMarks(w *answer, r *http.Request, id string, n int, v *viewer) {
	b.shelf.mu.Lock()
	var f marksFile
	m, ok, path := b.find(id, v), false, ""
	if m != nil {
		f, ok = m.marksFile(n, v)
		path = strings.TrimSuffix(m.path, demoSuffix) + marksSuffix
	}
	b.shelf.mu.Unlock()
	if !ok {
		w.missing()
		return
	}
	if f.piece.size == 0 {
		f.piece.data = f.list.append(nil)
	}
	cache := forASecond
	if f.final {
		cache = forEver
	}
	w.pieces(r, path, fmt.Sprintf("%s/%d-%d.marks", id, n, f.list.Last), cache, []piece{f.piece})
}

// numberOf returns the N of a name such as N.seg. Other spellings of the number are rejected.
func numberOf(file, suffix string) (int, bool) {
	text, ok := strings.CutSuffix(file, suffix)
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), ok && err == nil && strconv.Itoa(int(n)) == text
}

// serveMap serves /map/SHA256.
func (b *Broadcast) serveMap(w *answer, r *http.Request, v *viewer) {
	sum := r.PathValue("sha256")
	b.shelf.mu.Lock()
	m := b.shelf.findMap(sum, v)
	if m == nil && b.archive != nil {
		m = b.archive.findMap(sum, v)
	}
	var p []piece
	path := ""
	if m != nil {
		p, path = []piece{m.mapPiece()}, m.path
	}
	b.shelf.mu.Unlock()
	w.pieces(r, path, sum, forEver, p)
}

// pieces answers with pieces of a match, some of which may be in a file. Without pieces it answers
// that the resource is missing.
func (a *answer) pieces(r *http.Request, path, etag, cache string, pieces []piece) {
	if len(pieces) == 0 {
		a.missing()
		return
	}
	var file *os.File
	if slices.ContainsFunc(pieces, func(p piece) bool { return p.data == nil }) {
		var err error
		if file, err = os.Open(path); err == nil {
			defer file.Close()
			err = isWhole(file, pieces)
		}
		if err != nil { // deleted in favour of newer matches
			a.missing()
			return
		}
	}
	a.set("application/octet-stream", cache)
	if strings.HasSuffix(etag, marksSuffix) {
		a.Header().Set("Content-Type", "application/json")
	}
	if strings.HasSuffix(etag, ".seg") {
		a.Header().Set("Vary", "Accept-Encoding")
	}
	if p := &pieces[0]; len(pieces) == 1 {
		if p.zipped != nil && acceptsGzip(r) {
			p.data, etag = p.zipped, etag+".gz"
			a.Header().Set("Content-Encoding", "gzip")
		}
		a.Header().Set("ETag", `"`+etag+`"`)
		http.ServeContent(a, r, "", time.Time{}, pieces[0].reader(file))
		return
	}
	body, size := joined(pieces, file)
	a.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	if r.Method != http.MethodHead {
		io.Copy(a, body)
	}
}

// acceptsGzip reports whether a request accepts gzip. A request with quality values counts as not
// accepting it.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		if strings.EqualFold(strings.TrimSpace(part), "gzip") {
			return true
		}
	}
	return false
}

// isWhole returns an error unless the file contains all pieces that are not in memory.
func isWhole(file *os.File, pieces []piece) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	for i := range pieces {
		if p := &pieces[i]; p.data == nil && p.offset+p.size > info.Size() {
			return io.ErrUnexpectedEOF
		}
	}
	return nil
}

// maxDownloads limits simultaneous downloads of demos that are not complete on disk, since each
// lists its segments in memory.
const (
	maxDownloads          = 64
	maxDownloadsPerPerson = 3
)

// Write counts the bytes.
func (a *answer) Write(b []byte) (int, error) {
	n, err := a.ResponseWriter.Write(b)
	a.sent.Add(int64(n))
	return n, err
}
