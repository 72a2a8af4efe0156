package viewer

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/teeyard/teeyard/internal/webpage"
)

// Limits of the files served from an installed game.
const (
	maxImages     = 4096
	maxImageBytes = 8 << 20
)

// imageFolders are the subfolders of a data folder whose PNG files the page may load.
var imageFolders = []string{
	".", "mapres", "skins", "skins/body", "skins/marking", "skins/decoration", "skins/hands", "skins/feet", "skins/eyes",
	"countryflags",
}

// images serves the listed images of an installed game and no other file. It reads the folder at
// the first request: most servers show no page.
type images struct {
	dir  string // or "" for none
	find sync.Once

	root  *os.Root // nil without a folder
	files map[string]bool
	list  http.Handler // as JSON
}

// FindData returns the data folder of an installed Teeworlds, or "" if there is none.
func FindData() string {
	for _, dir := range []string{
		"/usr/share/games/teeworlds/data", "/usr/share/teeworlds/data", "/usr/local/share/teeworlds/data", "/app/share/teeworlds/data",
	} {
		if info, err := os.Stat(filepath.Join(dir, "game.png")); err == nil && info.Mode().IsRegular() {
			return dir
		}
	}
	return ""
}

func (m *images) findFiles() {
	m.files = make(map[string]bool)
	names := []string{}
	if root, err := os.OpenRoot(m.dir); m.dir != "" && err == nil {
		m.root = root
		for _, folder := range imageFolders {
			entries, _ := fs.ReadDir(root.FS(), folder)
			for _, e := range entries {
				if name := path.Join(folder, e.Name()); e.Type().IsRegular() && path.Ext(name) == ".png" && len(names) < maxImages {
					m.files[name] = true
					names = append(names, name)
				}
			}
		}
	}
	list, _ := json.Marshal(names) // strings cannot fail
	m.list = webpage.NewFile("index.json", list, contentSecurityPolicy)
}

// serveList sends the names of the images.
func (m *images) serveList(w http.ResponseWriter, r *http.Request) {
	m.find.Do(m.findFiles)
	m.list.ServeHTTP(w, r)
}

func (m *images) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.find.Do(m.findFiles)
	name := r.PathValue("path")
	if !m.files[name] {
		http.NotFound(w, r)
		return
	}
	f, err := m.root.Open(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxImageBytes {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "image/png")
	h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "max-age=86400")
	if r.Method != http.MethodHead {
		io.CopyN(w, f, info.Size())
	}
}
