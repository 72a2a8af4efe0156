package web

import (
	"fmt"
	"net/http"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"time"
)

// maxProfileTime limits a profile over time.
const maxProfileTime = time.Minute

// serveProfile serves profiles at the paths that "go tool pprof" uses. Package net/http/pprof would
// add them to the default handlers of every program that imports it, without an access rule.
func serveProfile(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	switch name := r.PathValue("profile"); name {
	case "":
		h.Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w, "profile?seconds=30\ntrace?seconds=5")
		for _, p := range pprof.Profiles() {
			fmt.Fprintf(w, "%s (%d)\n", p.Name(), p.Count())
		}
	case "profile":
		serveOverTime(w, r, 30, func() error { return pprof.StartCPUProfile(w) }, pprof.StopCPUProfile)
	case "trace":
		serveOverTime(w, r, 1, func() error { return trace.Start(w) }, trace.Stop)
	default:
		p := pprof.Lookup(name)
		if p == nil {
			http.NotFound(w, r)
			return
		}
		debug, _ := strconv.Atoi(r.FormValue("debug"))
		if h.Set("Content-Type", "application/octet-stream"); debug > 0 {
			h.Set("Content-Type", "text/plain; charset=utf-8")
		}
		p.WriteTo(w, debug)
	}
}

// serveOverTime serves the data written between start and stop.
func serveOverTime(w http.ResponseWriter, r *http.Request, seconds int, start func() error, stop func()) {
	if n, err := strconv.Atoi(r.FormValue("seconds")); err == nil && n > 0 {
		seconds = n
	}
	span := min(time.Duration(seconds)*time.Second, maxProfileTime)
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(span + 10*time.Second))
	w.Header().Set("Content-Type", "application/octet-stream")
	if err := start(); err != nil {
		http.Error(w, err.Error(), http.StatusConflict) // another profile is being taken
		return
	}
	defer stop()
	select {
	case <-time.After(span):
	case <-r.Context().Done():
	}
}
