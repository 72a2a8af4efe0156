package demo_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/demotest"
)

// TestGolden reads the recordings of real programs and writes them again; see testdata/README.md.
func TestGolden(t *testing.T) {
	names, err := filepath.Glob("testdata/*.demo")
	if err != nil || len(names) < 4 {
		t.Fatalf("%q, %v", names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			file, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			snapshots, messages := demotest.Check(t, file)
			if snapshots < 50 || messages < 3 {
				t.Errorf("%d snapshots, %d messages", snapshots, messages)
			}
			r, err := demo.NewReader(bytes.NewReader(file))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v; %d snapshots, %d messages", *r.Header(), snapshots, messages)
		})
	}
}
