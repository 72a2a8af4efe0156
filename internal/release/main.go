// Command release makes the archives of a release, as scripts/release says. The same commit
// and the same Go give the same bytes. The version is server.Release, and a tag of the commit must
// be "v" and that version. Without a tag, the commit follows the version.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/server"
)

// targets are the systems and processors of the archives.
var targets = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}

// commands are the programs in every archive.
var commands = []string{"teeyard", "teeyard-fleet"}

// files returns the paths of the files in every archive besides the programs, with slashes: the
// pages and pictures in docs, and the files in deploy that are not in Go.
func (r *release) files() ([]string, error) {
	files := []string{"CHANGELOG.md", "LICENSE", "README.md"}
	for _, folder := range []string{"deploy", "docs"} {
		err := filepath.WalkDir(filepath.Join(r.dir, folder), func(path string, e fs.DirEntry, err error) error {
			switch ext := filepath.Ext(path); {
			case err != nil:
				return err
			case e.IsDir() && e.Name() == "render":
				return fs.SkipDir // a program for tests
			case e.IsDir(), ext == ".go", folder == "docs" && ext != ".md" && ext != ".png":
				return nil
			}
			rel, err := filepath.Rel(r.dir, path)
			files = append(files, filepath.ToSlash(rel))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

func main() {
	out := flag.String("o", "dist", "folder for the archives")
	only := flag.String("targets", strings.Join(targets, ","), "systems and processors, separated by commas")
	flag.Parse()
	r, err := newRelease(".")
	if err == nil {
		err = r.writeAll(*out, strings.Split(*only, ","))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is one commit of a checkout, ready for archives.
type release struct {
	dir     string // the checkout
	version string // such as "0.1.0", or "0.1.0+0123456789ab" for a commit without a tag
	commit  string
	time    time.Time // of the commit
	// build builds a command for a target and returns the program.
	build func(command, target string) ([]byte, error)
}

// newRelease returns the release of the commit that is checked out in a folder. Files without a
// commit are an error.
func newRelease(dir string) (*release, error) {
	r := &release{dir: dir}
	r.build = r.goBuild
	var seconds, changed, tags string
	for _, q := range []struct {
		to   *string
		args []string
	}{
		{&changed, []string{"status", "--porcelain"}},
		{&r.commit, []string{"rev-parse", "HEAD"}},
		{&tags, []string{"tag", "--points-at", "HEAD", "v*"}},
		{&seconds, []string{"log", "-1", "--format=%ct"}},
	} {
		cmd := exec.Command("git", q.args...)
		cmd.Dir = dir
		b, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("git %s: %w", strings.Join(q.args, " "), err)
		}
		*q.to = strings.TrimSpace(string(b))
	}
	if changed != "" {
		return nil, fmt.Errorf("the checkout has changes without a commit; commit or remove them, so that others can make the same archives:\n%s", changed)
	}
	r.version = server.Release
	if tags == "" {
		r.version += "+" + r.commit[:12]
	} else if !slices.Contains(strings.Fields(tags), "v"+server.Release) {
		return nil, fmt.Errorf("the commit has the tag %q, and server.Release in server/version.go is %q; they must agree", tags, server.Release)
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	r.time = time.Unix(n, 0).UTC()
	return r, err
}

// goBuild builds a command. Go records the tag and the commit in it.
func (r *release) goBuild(command, target string) ([]byte, error) {
	system, processor, ok := strings.Cut(target, "/")
	if !ok {
		return nil, fmt.Errorf("%q is not SYSTEM/PROCESSOR", target)
	}
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, command)
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -buildid=", "-o", program, "./cmd/"+command)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go build %s for %s: %w", command, target, err)
	}
	return os.ReadFile(program)
}

// entry is a file of an archive.
type entry struct {
	name    string
	content []byte
	mode    int64
}

// writeAll writes the archives and the file with their checksums.
func (r *release) writeAll(out string, targets []string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var sums bytes.Buffer
	for _, target := range slices.Sorted(slices.Values(targets)) {
		name, archive, err := r.archive(target)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name), archive, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(archive), name)
	}
	fmt.Print(sums.String())
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), sums.Bytes(), 0o644)
}

// archive returns the archive for a target and its name.
func (r *release) archive(target string) (name string, archive []byte, err error) {
	name = "teeyard-" + r.version + "-" + strings.ReplaceAll(target, "/", "-")
	windows := strings.HasPrefix(target, "windows/")
	folder, suffix := name+"/", ""
	if windows {
		suffix = ".exe"
	}
	about := fmt.Sprintf("%s\ncommit %s\n%s\n%s %s\n", r.version, r.commit, r.time.Format(time.RFC3339), runtime.Version(), target)
	licenses, err := r.licenses(target)
	if err != nil {
		return "", nil, err
	}
	var entries []entry
	for _, command := range commands {
		program, err := r.build(command, target)
		if err != nil {
			return "", nil, err
		}
		entries = append(entries, entry{folder + command + suffix, program, 0o755})
	}
	entries = append(entries, entry{folder + "VERSION", []byte(about), 0o644}, entry{folder + "LICENSES-OF-LIBRARIES", licenses, 0o644})
	files, err := r.files()
	if err != nil {
		return "", nil, err
	}
	for _, f := range files {
		content, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(f)))
		if err != nil {
			return "", nil, err
		}
		entries = append(entries, entry{folder + f, content, 0o644})
	}
	var b bytes.Buffer
	if windows {
		err = writeZip(&b, entries, r.time)
		return name + ".zip", b.Bytes(), err
	}
	err = writeTarGz(&b, entries, r.time)
	return name + ".tar.gz", b.Bytes(), err
}

// licenses returns the licences of Go and of the libraries in the programs for a target. Each
// archive must contain them.
func (r *release) licenses(target string) ([]byte, error) {
	system, processor, _ := strings.Cut(target, "/")
	const format = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"
	cmd := exec.Command("go", "list", "-deps", "-f", format, "./cmd/teeyard", "./cmd/teeyard-fleet")
	cmd.Dir, cmd.Stderr = r.dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	libraries := slices.Compact(slices.Sorted(strings.Lines(string(out))))
	var b []byte
	for _, l := range append([]string{"Go\t" + string(root)}, libraries...) {
		name, dir, _ := strings.Cut(strings.TrimSpace(l), "\t")
		var text []byte
		err := os.ErrNotExist
		for _, file := range []string{"LICENSE", "LICENSE.md", "LICENSE.txt", "COPYING"} {
			if errors.Is(err, os.ErrNotExist) {
				text, err = os.ReadFile(filepath.Join(dir, file))
			}
		}
		if err != nil {
			return nil, fmt.Errorf("licence of %s: %w", name, err)
		}
		b = fmt.Appendf(b, "%s\n\n%s\n\n", name, bytes.TrimSpace(text))
	}
	return b, nil
}

func writeZip(to io.Writer, entries []entry, modified time.Time) error {
	w := zip.NewWriter(to)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: modified}
		h.SetMode(os.FileMode(e.mode))
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write(e.content)
		}
		if err != nil {
			return err
		}
	}
	return w.Close()
}

func writeTarGz(to io.Writer, entries []entry, modified time.Time) error {
	compressed, err := gzip.NewWriterLevel(to, gzip.BestCompression) // without a time and a name of its own
	if err != nil {
		return err
	}
	w := tar.NewWriter(compressed)
	for _, e := range entries {
		err := w.WriteHeader(&tar.Header{Name: e.name, Mode: e.mode, Size: int64(len(e.content)), ModTime: modified, Format: tar.FormatUSTAR})
		if err == nil {
			_, err = w.Write(e.content)
		}
		if err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), compressed.Close())
}
