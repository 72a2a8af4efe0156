package broadcast

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// archive lists the ended matches in a folder. Only refresh, on the keeper's goroutine, reads the
// folder.
type archive struct {
	dir   string
	asked chan struct{} // requests a refresh

	refreshed time.Time

	mu         sync.Mutex
	recordings []*recording // by id, oldest first
}

func newArchive(dir string) *archive { return &archive{dir: dir, asked: make(chan struct{}, 1)} }

// ask requests a refresh soon, since another server may have added matches to the folder.
func (a *archive) ask() {
	select {
	case a.asked <- struct{}{}:
	default:
	}
}

// answer refreshes after a request, at most every refreshInterval.
func (a *archive) answer() {
	if time.Since(a.refreshed) > refreshInterval {
		a.refresh()
	}
}

// refreshInterval is the minimum time between two refreshes on request.
const refreshInterval = 2 * time.Second

// refresh reads new matches in the folder and drops deleted ones.
func (a *archive) refresh() {
	entries, err := os.ReadDir(a.dir)
	if err != nil {
		return
	}
	a.refreshed = time.Now()
	old := a.all()
	var recordings []*recording
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), infoSuffix)
		if !ok || !isMatchID(id) || len(recordings) == maxRecordings {
			continue
		}
		if i, known := slices.BinarySearchFunc(old, id, byID); known {
			recordings = append(recordings, old[i])
			continue
		}
		if r, err := readRecording(a.dir, id); err == nil {
			recordings = append(recordings, r)
		}
	}
	a.mu.Lock()
	a.recordings = recordings
	a.mu.Unlock()
}

func byID(r *recording, id string) int { return strings.Compare(r.Match, id) }

// all returns the recordings, oldest first. The result is never modified.
func (a *archive) all() []*recording {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.recordings
}

// forget drops a match whose files were deleted.
func (a *archive) forget(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.recordings = slices.DeleteFunc(slices.Clone(a.recordings), func(r *recording) bool { return r.Match == id })
}

// find returns a match that a viewer may see, or nil.
func (a *archive) find(id string, v *viewer) *match {
	all := a.all()
	if i, ok := slices.BinarySearchFunc(all, id, byID); ok && all[i].visible(v) {
		return all[i].match(a.path(id))
	}
	return nil
}

// findMap returns a match on a map, or nil.
func (a *archive) findMap(sum string, v *viewer) *match {
	for _, r := range a.all() {
		if r.Map.SHA256 == sum && r.visible(v) {
			return r.match(a.path(r.Match))
		}
	}
	return nil
}

func (a *archive) path(id string) string { return filepath.Join(a.dir, id+demoSuffix) }

// visible reports whether a viewer may see the match.
func (r *recording) visible(v *viewer) bool { return v.all || !r.Public.After(v.now) }
