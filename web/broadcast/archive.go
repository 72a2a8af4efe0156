package broadcast

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// archive knows the matches in a folder that have ended. Only refresh, of the keeper's goroutine,
// lists the folder.
type archive struct {
	dir   string
	asked chan struct{} // somebody wants it to be refreshed

	refreshed time.Time

	mu         sync.Mutex
	recordings []*recording // sorted by id, the oldest first
}

func newArchive(dir string) *archive { return &archive{dir: dir, asked: make(chan struct{}, 1)} }

// ask has the folder listed again soon: another server may have added to it.
func (a *archive) ask() {
	select {
	case a.asked <- struct{}{}:
	default:
	}
}

// answer refreshes for who asked, but not again and again.
func (a *archive) answer() {
	if time.Since(a.refreshed) > refreshInterval {
		a.refresh()
	}
}

// refreshInterval is the least time between two looks into the folder for those who ask.
const refreshInterval = 2 * time.Second

// refresh reads what is new in the folder, and forgets what is not there any more.
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

// all returns the recordings, the oldest first. Nobody changes them.
func (a *archive) all() []*recording {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.recordings
}

// forget forgets a match whose files were deleted.
func (a *archive) forget(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.recordings = slices.DeleteFunc(slices.Clone(a.recordings), func(r *recording) bool { return r.Match == id })
}

// find returns a match that a viewer may see, nil if it is not there.
func (a *archive) find(id string, v *viewer) *match {
	all := a.all()
	if i, ok := slices.BinarySearchFunc(all, id, byID); ok && all[i].visible(v) {
		return all[i].match(a.path(id))
	}
	return nil
}

// findMap returns a match on a map, nil if there is none.
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
