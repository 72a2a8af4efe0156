// Package recordings lists a server's recordings over HTTP and serves them as demos.
//
// /recordings.json is the list, and /recordings/ has the demos: those of the server, and demos made
// from its replay logs and teehistorians. The logs themselves are not served, since they contain
// whispers and team chat.
package recordings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/webpage"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/recorder/historian"
	"github.com/teeyard/teeyard/server/record"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/broadcast"
	"github.com/teeyard/teeyard/web/viewer"
)

// Folders of recordings in a server's folder.
var folders = []string{"demos", "replays", "teehistorian"}

// Config configures Recordings.
type Config struct {
	// Dir is the folder of the server. Its subfolders demos, replays and teehistorian are served.
	Dir string
	// Converter makes demos of replay logs and teehistorians.
	Converter *viewer.Converter
	// Describe does the work of [Describe] in place of this process, for a recording of any size.
	Describe func(in, out *os.File) error
	// Delay returns the minimum age of a recording's end before it may be shown; nil means no
	// delay.
	Delay func() time.Duration
	// Access decides which clients may see the recordings.
	Access *web.AccessRule
}

// Recordings lists and serves the recordings of a server.
type Recordings struct {
	cfg Config

	mu    sync.Mutex
	known map[string]Recording // by file name
	// finding is closed when the players of all known recordings are listed. It is nil while no
	// search runs.
	finding chan struct{}
}

// New returns the recordings of a server's folder.
func New(cfg Config) *Recordings {
	if cfg.Delay == nil {
		cfg.Delay = func() time.Duration { return 0 }
	}
	return &Recordings{cfg: cfg}
}

// ConvertedFolder is the subfolder with demos made from logs: at most maxConverted files and
// maxConvertedBytes.
const ConvertedFolder = "converted"

const (
	// maxListed limits the recordings listed; the latest are kept.
	maxListed = 500
	// writtenAge is the time after its last change for which a file counts as still being written.
	writtenAge = time.Minute
	// maxConverted and maxConvertedBytes limit the demos made from logs.
	maxConverted      = 100
	maxConvertedBytes = 512 << 20
	// sendTime limits the time to send a demo.
	sendTime = 10 * time.Minute
)

// Recording is a recording in /recordings.json.
type Recording struct {
	Name     string  `json:"name"` // file path relative to the server's folder
	Demo     string  `json:"demo"` // URL of the demo
	Map      MapName `json:"map"`
	GameType string  `json:"game_type"`
	Start    string  `json:"start"`
	Length   int     `json:"length"` // in seconds
	Size     int64   `json:"size"`   // of the file, in bytes
	// Players are the first of NumPlayers players: sorted by score if the match has a result,
	// otherwise names only.
	Players    []broadcast.Player `json:"players"`
	NumPlayers int                `json:"num_players"`
	NumBots    int                `json:"num_bots"` // among all players
	HasResult  bool               `json:"has_result"`
	TeamScores []int32            `json:"team_scores,omitempty"`
	Race       bool               `json:"race,omitempty"` // scores are times
	// Finish reports whether this is the part of a log that contains a finish. Players are then the
	// players who finished.
	Finish bool `json:"finish,omitempty"`

	changed time.Time
	read    bool // the players are known
}

// MapName is the map of a recording.
type MapName struct {
	Name string `json:"name"`
}

// Rooms returns the HTTP endpoints of the list and the demos.
func (rs *Recordings) Rooms() []web.Room {
	list := &webpage.Page{
		Write:  rs.writeList,
		MaxAge: 5 * time.Second,
		Header: map[string]string{"Content-Type": "application/json", "Cache-Control": "no-cache"},
	}
	room := web.Room{Access: rs.cfg.Access, Setting: "sv_http_replays"}
	a, b := room, room
	a.Pattern, a.Handler = "GET /recordings.json", list
	b.Pattern, b.Handler = "GET /recordings/{name...}", http.HandlerFunc(rs.serve)
	return []web.Room{a, b}
}

func (rs *Recordings) writeList(w io.Writer) {
	json.NewEncoder(w).Encode(map[string][]Recording{"recordings": rs.List()})
}

// List returns the complete recordings that may be shown, latest first. It reads the players of new
// ones for up to a second. Those that take longer follow in a later list.
func (rs *Recordings) List() []Recording {
	all := rs.list()
	if slices.ContainsFunc(all, func(r Recording) bool { return !r.read }) {
		rs.mu.Lock()
		done := rs.findPlayers()
		rs.mu.Unlock()
		select {
		case <-done:
		case <-time.After(playersWait):
		}
		all = rs.list()
	}
	return all
}

// list is List with the players read so far.
func (rs *Recordings) list() []Recording {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	before := time.Now().Add(-max(rs.cfg.Delay(), writtenAge))
	all := []Recording{}
	root := os.DirFS(rs.cfg.Dir)
	for _, folder := range folders {
		fs.WalkDir(root, folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(name, record.DemoSuffix) && !isRunAgain(name) {
				return nil
			}
			if info, err := d.Info(); err == nil && info.ModTime().Before(before) {
				all = append(all, Recording{Name: name, Size: info.Size(), Players: []broadcast.Player{}, changed: info.ModTime()})
			}
			return nil
		})
	}
	slices.SortFunc(all, func(a, b Recording) int {
		return cmp.Or(b.changed.Compare(a.changed), strings.Compare(a.Name, b.Name))
	})
	all = all[:min(len(all), maxListed)]
	known := make(map[string]Recording, len(all))
	all = slices.DeleteFunc(all, func(r Recording) bool {
		old, ok := rs.known[r.Name]
		if !ok || old.Size != r.Size || !old.changed.Equal(r.changed) {
			old = rs.read(r)
		}
		known[r.Name] = old
		return old.Demo == ""
	})
	for i := range all {
		all[i] = known[all[i].Name]
	}
	rs.known = known
	return all
}

// read reads the header of a recording. The result has no Demo URL if the file is unreadable.
func (rs *Recordings) read(r Recording) Recording {
	f, err := os.Open(rs.path(r.Name))
	if err != nil {
		return r
	}
	defer f.Close()
	start, link := time.Time{}, "/recordings/"+(&url.URL{Path: r.Name}).EscapedPath()
	if strings.HasSuffix(r.Name, record.DemoSuffix) {
		h, err := demo.ReadHeader(f)
		if err != nil {
			return r
		}
		start, _ = time.ParseInLocation(recorder.TimeLayout, h.Time, time.Local)
		r.Map.Name, r.Length = h.MapName, h.Length
	} else if strings.HasSuffix(r.Name, record.TeehistorianSuffix) {
		l, err := teehistorian.NewReader(f)
		if err != nil {
			return r
		}
		h := l.Header()
		start = historian.Start(h)
		r.Map.Name, r.GameType, r.Length = safetext.Line(h.MapName), safetext.Line(h.GameType), max(0, int(r.changed.Sub(start)/time.Second))
		link += record.DemoSuffix
	} else {
		l, err := replay.NewReader(f)
		if err != nil {
			return r
		}
		h := l.Header()
		start = time.UnixMilli(h.StartTime)
		r.Map.Name, r.GameType, r.Length = h.Map, h.ModeName, max(0, int(r.changed.Sub(start)/time.Second))
		link += record.DemoSuffix
	}
	if start.IsZero() {
		start = r.changed
	}
	r.Start, r.Demo = start.UTC().Format(time.RFC3339), link
	return r
}

// isRunAgain reports whether a file records inputs, so that showing it means running its match
// again.
func isRunAgain(name string) bool {
	return strings.HasSuffix(name, record.ReplaySuffix) || strings.HasSuffix(name, record.TeehistorianSuffix)
}

func (rs *Recordings) path(name string) string {
	return filepath.Join(rs.cfg.Dir, filepath.FromSlash(name))
}

// serve serves the demo of a listed recording.
func (rs *Recordings) serve(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	log := strings.TrimSuffix(name, record.DemoSuffix)
	isLog := isRunAgain(log)
	if !isLog {
		log = name
	}
	if !slices.ContainsFunc(rs.list(), func(r Recording) bool { return r.Name == log && strings.HasSuffix(name, record.DemoSuffix) }) {
		http.Error(w, "The server does not have this recording.", http.StatusNotFound)
		return
	}
	control := http.NewResponseController(w)
	file := rs.path(name)
	if isLog {
		control.SetWriteDeadline(time.Now().Add(viewer.OwnTime + sendTime))
		var err error
		if file, err = rs.converted(r, log); errors.Is(err, viewer.ErrBusy) {
			w.Header().Set("Retry-After", "5")
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		} else if err != nil {
			http.Error(w, fmt.Sprintf("The match cannot be run again: %v.", err), http.StatusUnprocessableEntity)
			return
		}
	}
	f, err := os.Open(file)
	if err != nil {
		http.Error(w, "The server does not have this recording.", http.StatusNotFound)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		http.Error(w, "The recording cannot be read.", http.StatusInternalServerError)
		return
	}
	control.SetWriteDeadline(time.Now().Add(sendTime))
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size()))
	http.ServeContent(w, r, "", info.ModTime(), f)
}

// converted returns the demo file for a log. It converts the log if the demo does not exist or is
// older.
func (rs *Recordings) converted(r *http.Request, name string) (string, error) {
	to := filepath.Join(rs.cfg.Dir, ConvertedFolder, path.Base(name)+record.DemoSuffix)
	from, err := os.Open(rs.path(name))
	if err != nil {
		return "", err
	}
	defer from.Close()
	log, err := from.Stat()
	if err != nil {
		return "", err
	}
	if have, err := os.Stat(to); err == nil && have.ModTime().After(log.ModTime()) {
		return to, nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return "", err
	}
	out, err := os.CreateTemp(filepath.Dir(to), "*.new")
	if err != nil {
		return "", err
	}
	defer os.Remove(out.Name())
	err = rs.cfg.Converter.ConvertOwn(r.Context(), out, from)
	if err = errors.Join(err, out.Close()); err != nil {
		return "", err
	}
	if err := os.Rename(out.Name(), to); err != nil {
		return "", err
	}
	rs.trim(filepath.Dir(to), filepath.Base(to))
	return to, nil
}

// trim deletes the oldest converted demos beyond the limits and temporary files that a killed
// server left behind, but never the file named last.
func (rs *Recordings) trim(dir, last string) {
	entries, _ := os.ReadDir(dir)
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && e.Name() != last {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	size := int64(0)
	for n, f := range files {
		size += f.Size()
		isLeft := strings.HasSuffix(f.Name(), ".new") && time.Since(f.ModTime()) > 2*viewer.OwnTime
		if n >= maxConverted-1 || size > maxConvertedBytes || isLeft {
			os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}
