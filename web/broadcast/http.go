package broadcast

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/web"
)

// The values of Cache-Control.
const (
	forASecond = "max-age=1"
	forAMinute = "max-age=60"
	forEver    = "max-age=31536000, immutable"
)

// Rooms returns what the broadcast serves: /live.json, /b/ and /map/.
func (b *Broadcast) Rooms() []web.Room {
	access := &b.settings.access.Rule
	h := b.handler(func() viewer {
		now, delay := b.now(), b.delay()
		return viewer{until: now.Add(-delay), delay: delay, private: !access.IsOpen()}
	})
	var rooms []web.Room
	for _, pattern := range patterns {
		rooms = append(rooms, web.Room{Pattern: pattern, Access: access, Setting: "sv_http_broadcast", Handler: h})
	}
	return rooms
}

// Undelayed serves the same to operators: matches with a password, too, and all without delay.
func (b *Broadcast) Undelayed() http.Handler {
	return b.handler(func() viewer { return viewer{until: b.now(), private: true, all: true} })
}

var patterns = []string{"GET /live.json", "GET /b/{file}", "GET /b/{match}/{file}", "GET /map/{sha256}"}

// handler returns the handler of all patterns for viewers.
func (b *Broadcast) handler(who func() viewer) http.Handler {
	mux := http.NewServeMux()
	for i, serve := range []func(w *answer, r *http.Request, v *viewer){b.serveLive, b.serveFile, b.servePart, b.serveMap} {
		mux.HandleFunc(patterns[i], func(w http.ResponseWriter, r *http.Request) {
			v := who()
			a := answer{w, !v.all}
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
	public bool // caches may keep it
}

// set sets how long the answer may be kept.
func (a *answer) set(contentType, cache string) {
	if !a.public {
		cache = "no-store"
	}
	a.Header().Set("Content-Type", contentType)
	a.Header().Set("Cache-Control", cache)
}

// missing answers that something is not there, or not yet.
func (a *answer) missing() {
	a.set("text/plain; charset=utf-8", forASecond)
	a.WriteHeader(http.StatusNotFound)
	io.WriteString(a, "not there, or not yet\n")
}

// content answers with bytes that stay as they are.
func (a *answer) content(r *http.Request, etag string, body io.ReadSeeker) {
	a.set("application/octet-stream", forEver)
	a.Header().Set("ETag", `"`+etag+`"`)
	http.ServeContent(a, r, "", time.Time{}, body)
}

func (a *answer) json(i Info, cache string) {
	a.set("application/json", cache)
	json.NewEncoder(a).Encode(i)
}

// serveLive serves /live.json.
func (b *Broadcast) serveLive(w *answer, _ *http.Request, v *viewer) {
	s := &b.shelf
	s.mu.Lock()
	i := Info{SegmentTicks: segmentTicks, Last: -1, LastTick: -1, Delay: seconds(v.delay)}
	if m := s.live(v); m != nil {
		i = s.info(m, v)
	}
	if !i.Live {
		switch {
		case !b.settings.on.Load():
			i.Reason = "the server does not broadcast (sv_broadcast)"
		case !v.private && s.isPrivate():
			i.Reason = "the server has a password"
		}
	}
	s.mu.Unlock()
	w.json(i, forASecond)
}

// serveFile serves /b/MATCH.json and /b/MATCH.demo.
func (b *Broadcast) serveFile(w *answer, r *http.Request, v *viewer) {
	s := &b.shelf
	if id, ok := strings.CutSuffix(r.PathValue("file"), ".json"); ok {
		s.mu.Lock()
		m, i := s.find(id, v), Info{}
		if m != nil {
			i = s.info(m, v)
		}
		s.mu.Unlock()
		switch {
		case m == nil:
			w.missing()
		case i.Live || i.Next == "":
			w.json(i, forASecond)
		default:
			w.json(i, forAMinute)
		}
		return
	}
	w.missing()
}

// servePart serves /b/MATCH/head and /b/MATCH/N.seg.
func (b *Broadcast) servePart(w *answer, r *http.Request, v *viewer) {
	s, file := &b.shelf, r.PathValue("file")
	s.mu.Lock()
	m := s.find(r.PathValue("match"), v)
	var data []byte
	if m != nil {
		if n, ok := segmentNumber(file); ok && n < m.visible(v) {
			data = m.segments[n].data
		}
	}
	s.mu.Unlock()
	switch {
	case m != nil && file == "head":
		w.content(r, m.id, bytes.NewReader(m.head()))
	case data != nil:
		w.content(r, m.id+"/"+file, bytes.NewReader(data))
	default:
		w.missing()
	}
}

// segmentNumber returns N of N.seg, in its only form.
func segmentNumber(file string) (int, bool) {
	text, ok := strings.CutSuffix(file, ".seg")
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), ok && err == nil && strconv.Itoa(int(n)) == text
}

// serveMap serves /map/SHA256.
func (b *Broadcast) serveMap(w *answer, r *http.Request, v *viewer) {
	s, sum := &b.shelf, r.PathValue("sha256")
	s.mu.Lock()
	var file []byte
	for _, m := range s.matches {
		if m.mapSum() == sum && (!m.private || v.private) {
			file = m.mapFile
		}
	}
	s.mu.Unlock()
	if file == nil {
		w.missing()
		return
	}
	w.content(r, sum, bytes.NewReader(file))
}
