package viewer

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/web"
)

// TestImages checks that the page may load the images of an installed game and no other file.
func TestImages(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"secret.png", "data/game.png", "data/skins/body/standard.png", "data/secret.txt", "data/mapres/deep/x.png", "data/ui/x.png"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("content"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Symlink(filepath.Join(dir, "secret.png"), filepath.Join(dir, "data/mapres/link.png")) // on systems with links
	if err := os.Truncate(filepath.Join(dir, "data/game.png"), maxImageBytes); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{filepath.Join(dir, "data"), "", filepath.Join(dir, "nowhere")} {
		h := web.NewHandler(Rooms(root, nil)...)
		get := func(path string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			return w
		}
		var want []string
		if root == filepath.Join(dir, "data") {
			want = []string{"game.png", "skins/body/standard.png"}
		}
		var list []string
		if err := json.Unmarshal(get("/viewer/data/index.json").Body.Bytes(), &list); err != nil || list == nil || !slices.Equal(list, want) {
			t.Errorf("%s: the list is %q (%v), want %q", root, list, err, want)
		}
		for _, name := range []string{
			"game.png", "skins/body/standard.png", "secret.txt", "mapres/link.png", "mapres/deep/x.png", "ui/x.png", "mapres", "", "skins/body",
			"..%2fsecret.png", "%2e%2e/secret.png", "mapres/..%2f..%2fsecret.png", "%2fetc/passwd", "game.png%00", "skins//body/standard.png",
		} {
			if w := get("/viewer/data/" + name); (w.Code == 200) != slices.Contains(want, name) {
				t.Errorf("%s: %q: %d", root, name, w.Code)
			}
		}
	}

	h := web.NewHandler(Rooms(filepath.Join(dir, "data"), nil)...)
	if err := os.Truncate(filepath.Join(dir, "data/game.png"), maxImageBytes+1); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/viewer/data/game.png", nil))
	if w.Code != 404 {
		t.Errorf("an image of more than %d bytes: %d", maxImageBytes, w.Code)
	}
}
