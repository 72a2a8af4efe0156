package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// generateFiles generates all files of this module.
func generateFiles(t *testing.T) []file {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestGeneratedFilesAreCurrent fails if the schema or the generator changed without a run of go
// generate.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	files, again := generateFiles(t), generateFiles(t)
	for i, f := range files {
		old, err := os.ReadFile(f.path)
		if err != nil || !bytes.Equal(old, f.content) {
			t.Errorf("%s is out of date (%v): run go generate ./protocol/message", f.path, err)
		}
		if !bytes.Equal(f.content, again[i].content) {
			t.Errorf("%s differs between two runs", f.path)
		}
	}
}

func TestDocLinks(t *testing.T) {
	pages := 0
	for _, f := range generateFiles(t) {
		if strings.HasSuffix(f.path, ".md") {
			pages++
			checkLinks(t, filepath.Base(f.path), string(f.content))
		}
	}
	if pages != len(versions)+2 { // releases and Half-Life
		t.Errorf("%d pages for %d versions", pages, len(versions))
	}
}

// checkLinks checks that the target of each link within a page exists.
func checkLinks(t *testing.T, page, text string) {
	titles := map[string]bool{}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
			title := anchor(strings.TrimSpace(strings.TrimLeft(rest, "#")))
			if titles[title] {
				t.Errorf("%s: two titles have the anchor %q", page, title)
			}
			titles[title] = true
		}
	}
	for _, part := range strings.Split(text, "](#")[1:] {
		if a, _, _ := strings.Cut(part, ")"); !titles[a] {
			t.Errorf("%s: link to %q leads nowhere", page, a)
		}
	}
}
