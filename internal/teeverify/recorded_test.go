package teeverify_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/teeverify"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
)

// TestRecorded runs recordings of DDNet-Server: every tee must be at the same place in every tick.
func TestRecorded(t *testing.T) {
	names := testenv.Must(filepath.Glob("testdata/*.teehistorian.gz"))
	if len(names) < 4 {
		t.Fatal("no recordings")
	}
	all := 0
	for _, name := range names {
		base := strings.TrimSuffix(name, ".teehistorian.gz")
		t.Run(filepath.Base(base), func(t *testing.T) {
			packed := testenv.Must(gzip.NewReader(bytes.NewReader(testenv.Must(os.ReadFile(name)))))
			file := testenv.Must(io.ReadAll(packed))
			m := testenv.Must(twmap.Parse(testenv.Must(os.ReadFile(base + ".map"))))
			res := testenv.Must(teeverify.Verify(teeverify.Config{File: bytes.NewReader(file), Terrain: testenv.Must(server.Terrain(m))}))
			if sum, _ := res.Header.SHA256(); sum != m.SHA256 {
				t.Fatal("this is not its map")
			}
			if res.Difference != nil || res.End != nil || len(res.Repeated) > 0 || len(res.Unknown) > 0 {
				t.Errorf("%v (repeated %v, not simulated %v, end %v)", res.Difference, res.Repeated, res.Unknown, res.End)
			}
			all += res.TeeTicks
		})
	}
	t.Logf("%d places of tees in %d recordings", all, len(names))
}
