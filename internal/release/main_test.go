package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
)

// TestArchives makes the archives twice, at different times and in different folders, compares them
// and reads them. It does not build the program.
func TestArchives(t *testing.T) {
	made := time.Date(2026, 11, 22, 1, 2, 4, 0, time.UTC)
	dirs := []string{t.TempDir(), t.TempDir()}
	some := testenv.Amount([]string{targets[0], "windows/amd64"}, targets)
	files := testenv.Must((&release{dir: "../.."}).files())
	for _, dir := range dirs {
		r := &release{dir: "../..", version: "1.2.3", commit: "0123456789ab", time: made, build: func(command, target string) ([]byte, error) {
			return []byte(command + " for " + target), nil
		}}
		testenv.NoError(t, r.writeAll(dir, some))
	}
	sums, err := os.ReadFile(filepath.Join(dirs[0], "SHA256SUMS"))
	testenv.NoError(t, err)
	names, err := os.ReadDir(dirs[0])
	testenv.NoError(t, err)
	if len(names) != len(some)+1 {
		t.Fatalf("%v", names)
	}
	for _, n := range names {
		a, b := testenv.Must(os.ReadFile(filepath.Join(dirs[0], n.Name()))), testenv.Must(os.ReadFile(filepath.Join(dirs[1], n.Name())))
		if !bytes.Equal(a, b) {
			t.Errorf("%s is not the same the second time", n.Name())
		}
		if n.Name() == "SHA256SUMS" {
			continue
		}
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(a), n.Name()); !strings.Contains(string(sums), line) {
			t.Errorf("%q is not in SHA256SUMS", line)
		}
		base := strings.TrimSuffix(strings.TrimSuffix(n.Name(), ".zip"), ".tar.gz")
		content := unpack(t, n.Name(), a, made)
		program := content[base+"/teeyard"] + content[base+"/teeyard.exe"]
		fleet := content[base+"/teeyard-fleet"] + content[base+"/teeyard-fleet.exe"]
		system, processor, _ := strings.Cut(strings.TrimPrefix(base, "teeyard-1.2.3-"), "-")
		target := system + "/" + processor
		if !slices.Contains(some, target) || program != "teeyard for "+target || fleet != "teeyard-fleet for "+target ||
			len(content) != len(files)+4 || content[base+"/docs/play/modes.md"] == "" || content[base+"/deploy/k8s/base/fleet.yaml"] == "" {
			t.Errorf("%s has %q and %q of %d files for %s", n.Name(), program, fleet, len(content), target)
		}
		if l := content[base+"/LICENSES-OF-LIBRARIES"]; !strings.HasPrefix(l, "Go\n\nCopyright") || !strings.Contains(l, "github.com/arnodel/golua ") ||
			!strings.Contains(l, "github.com/nats-io/nats.go ") ||
			!strings.Contains(l, "Apache License") {
			t.Errorf("%s: LICENSES-OF-LIBRARIES begins with %.100q", n.Name(), l)
		}
		if v := content[base+"/VERSION"]; !strings.HasPrefix(v, "1.2.3\ncommit 0123456789ab\n2026-11-22T01:02:04Z\ngo") || !strings.HasSuffix(v, target+"\n") {
			t.Errorf("%s: VERSION is %q", n.Name(), v)
		}
	}
}

// unpack returns the files of an archive.
func unpack(t *testing.T, name string, archive []byte, made time.Time) map[string]string {
	content := map[string]string{}
	add := func(name string, mode os.FileMode, modified time.Time, r io.Reader) {
		content[name] = string(testenv.Must(io.ReadAll(r)))
		if executable := mode&0o111 != 0; executable != strings.HasPrefix(filepath.Base(name), "teeyard") || !modified.Equal(made) {
			if !strings.HasSuffix(name, ".service") {
				t.Errorf("%s: mode %v, of %v", name, mode, modified)
			}
		}
	}
	if strings.HasSuffix(name, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
		testenv.NoError(t, err)
		for _, f := range z.File {
			add(f.Name, f.Mode(), f.Modified, testenv.Must(f.Open()))
		}
		return content
	}
	gz, err := gzip.NewReader(bytes.NewReader(archive))
	testenv.NoError(t, err)
	for r := tar.NewReader(gz); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return content
		}
		testenv.NoError(t, err)
		add(h.Name, h.FileInfo().Mode(), h.ModTime, r)
	}
}

// TestCheckout checks that a release needs a clean checkout of a commit. The full test builds the
// program of two clones and compares the bytes.
func TestCheckout(t *testing.T) {
	testenv.Long(t)
	if _, err := os.Stat("../../.git"); err != nil {
		t.Skip("not a checkout of git: ", err)
	}
	clone := func() string {
		dir := filepath.Join(t.TempDir(), "clone")
		if out, err := exec.Command("git", "clone", "-q", "--no-hardlinks", "--no-tags", "../..", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v, %s", err, out)
		}
		return dir
	}
	dir := clone()
	r, err := newRelease(dir)
	testenv.NoError(t, err)
	if len(r.commit) != 40 || r.version != server.Release+"+"+r.commit[:12] || r.time.Year() < 2024 || r.time.After(time.Now().Add(24*time.Hour)) {
		t.Errorf("%+v", r)
	}
	tag := func(name string) (*release, error) {
		if out, err := exec.Command("git", "-C", dir, "tag", name).CombinedOutput(); err != nil {
			t.Fatalf("%v, %s", err, out)
		}
		return newRelease(dir)
	}
	if _, err := tag("v99.0.0"); err == nil || !strings.Contains(err.Error(), "v99.0.0") {
		t.Errorf("a tag of another version: %v", err)
	}
	if r, err := tag("v" + server.Release); err != nil || r.version != server.Release {
		t.Errorf("the tag of the release: %+v, %v", r, err)
	}
	testenv.NoError(t, os.WriteFile(filepath.Join(dir, "new.go"), []byte("package x\n"), 0o600))
	if _, err := newRelease(dir); err == nil || !strings.Contains(err.Error(), "new.go") {
		t.Errorf("a changed checkout: %v", err)
	}
	if !testenv.Full() {
		return
	}
	var archives [][]byte
	for range 2 {
		r, err := newRelease(clone())
		testenv.NoError(t, err)
		_, archive, err := r.archive(runtime.GOOS + "/" + runtime.GOARCH)
		testenv.NoError(t, err)
		archives = append(archives, archive)
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the same commit gives other bytes the second time")
	}
}
