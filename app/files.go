package app

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/internal/atomicfile"
)

// storage reads from a list of folders, of which the first that has a file counts, and
// writes to the first.
type storage []string

// newStorage returns the storage of a server. Without a folder from the operator, the file
// storage.cfg lists the folders, as for teeworlds-server. Without that too, they are those of
// the original, whose first is the user's data folder, or the current one before those of Teeworlds.
func newStorage(dir string, o original) storage {
	program := ""
	if strings.ContainsRune(filepath.ToSlash(os.Args[0]), '/') { // as the original finds itself
		program = filepath.Dir(os.Args[0])
	} else if path, err := os.Executable(); err == nil {
		program = filepath.Dir(path)
	}
	return newStorageFor(dir, o, program)
}

// newStorageFor is newStorage for a program in a folder.
func newStorageFor(dir string, o original, program string) storage {
	p := places{user: userDir(o), data: dataDirs(program, o), program: program}
	if dir != "" {
		return p.storage(dir, "$USERDIR", "$DATADIR", debianDir)
	}
	if s := p.readConfig("."); len(s) > 0 {
		return s
	}
	if program != "" {
		if s := p.readConfig(program); len(s) > 0 {
			return s
		}
	}
	switch o {
	case teeworldsServer:
		return p.storage("$USERDIR", "$DATADIR", "$CURRENTDIR", "$APPDIR", debianDir)
	case ddnetServer:
		return p.storage("$USERDIR", "$DATADIR", "$CURRENTDIR")
	}
	s := p.storage("$CURRENTDIR", "$USERDIR", "$DATADIR", debianDir)
	if p.user != "" && !canWrite(s[0]) { // as / of a service
		s[0], s[1] = s[1], s[0]
	}
	return s
}

// debianDir is where Debian's teeworlds-server has its configuration.
const debianDir = "/etc/teeworlds"

var placeNames = []string{"$USERDIR", "$DATADIR", "$CURRENTDIR", "$APPDIR"}

// places are the folders that storage.cfg has names for. Unknown ones are empty.
type places struct {
	user    string   // $USERDIR
	data    []string // $DATADIR
	program string   // $APPDIR
}

// storage returns the folders of a list, each once.
func (p *places) storage(list ...string) (s storage) {
	add := func(dir string) {
		if dir != "" && !slices.Contains(s, dir) && len(s) < maxFolders {
			s = append(s, dir)
		}
	}
	for _, dir := range list {
		switch dir {
		case "$USERDIR":
			add(p.user)
		case "$DATADIR":
			for _, d := range p.data {
				add(d)
			}
		case "$CURRENTDIR":
			add(".")
		case "$APPDIR":
			add(p.program)
		default:
			add(dir)
		}
	}
	return s
}

const (
	maxFolders       = 32
	maxStorageConfig = 64 << 10
)

// readConfig returns the folders that storage.cfg in a folder lists, none if there is no such
// file. It leaves out folders that do not exist, as the original does.
func (p *places) readConfig(dir string) storage {
	f, err := storage{dir}.Open("storage.cfg")
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxStorageConfig))
	if err != nil {
		return nil
	}
	return p.storage(parseStorageConfig(string(text), isDir)...)
}

// parseStorageConfig returns the folders that the text of a storage.cfg lists, without those
// that do not exist.
func parseStorageConfig(text string, exists func(dir string) bool) (list []string) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		dir, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "add_path ")
		if ok && dir != "" && !strings.ContainsRune(dir, 0) && (slices.Contains(placeNames, dir) || exists(dir)) {
			list = append(list, dir)
		}
	}
	return list
}

func isDir(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// canWrite reports whether files can be created in a folder.
func canWrite(dir string) bool {
	f, err := os.CreateTemp(dir, ".teeyard.*")
	if err != nil {
		return false
	}
	f.Close()
	return os.Remove(f.Name()) == nil
}

// userDir returns the folder of the user's files of Teeworlds or, in the place of its server, of DDNet; "" if
// there is no user.
func userDir(o original) string {
	name := "Teeworlds"
	if o == ddnetServer {
		name = "DDNet"
	}
	if runtime.GOOS == "windows" {
		if dir := os.Getenv("APPDATA"); dir != "" {
			return filepath.Join(dir, name)
		}
		return ""
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", name)
	}
	name = strings.ToLower(name)
	if old := filepath.Join(home, ".teeworlds"); o != ddnetServer && isDir(old) {
		return old
	}
	return filepath.Join(cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share")), name)
}

// dataDirs returns the folders of the data that are there, of which those beside the program are the first.
func dataDirs(program string, o original) (dirs []string) {
	for _, dir := range append([]string{"data", filepath.Join(program, "data")}, installDirs(o)...) {
		if isDir(filepath.Join(dir, "maps")) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// installDirs returns where Teeworlds may be installed, and after that DDNet, whose maps of the same names are
// others. In the place of DDNet-Server it is DDNet alone, since add_map_votes offers what is in these folders.
func installDirs(o original) []string {
	teeworlds := []string{
		"/usr/share/games/teeworlds/data", "/usr/share/teeworlds/data",
		"/usr/local/share/teeworlds/data", "/usr/local/share/games/teeworlds/data",
		"/usr/pkg/share/teeworlds/data", "/usr/pkg/share/games/teeworlds/data",
		"/opt/teeworlds/data",
	}
	ddnet := []string{
		"/usr/share/ddnet/data", "/usr/share/games/ddnet/data",
		"/usr/local/share/ddnet/data", "/usr/local/share/games/ddnet/data",
		"/usr/pkg/share/ddnet/data", "/usr/pkg/share/games/ddnet/data",
		"/opt/ddnet/data",
	}
	if o == ddnetServer {
		return ddnet
	}
	return append(teeworlds, ddnet...)
}

// errNotRegular is returned for a pipe or device, which may never answer.
var errNotRegular = errors.New("not a regular file")

// Open implements fs.FS. It opens no pipes and devices.
func (s storage) Open(name string) (fs.File, error) {
	var first error
	for i, dir := range s {
		info, err := fs.Stat(os.DirFS(dir), name)
		if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			err = &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
		}
		var f fs.File
		if err == nil {
			f, err = os.DirFS(dir).Open(name)
		}
		if err == nil {
			return f, nil
		}
		first = moreImportantError(first, err, i == 0)
	}
	return nil, first
}

// find returns the first folder that has a file.
func (s storage) find(name string) (dir string, found bool) {
	for _, dir := range s {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
			return dir, true
		}
	}
	return "", false
}

// OpenAbsolute implements console.AbsoluteFS.
func (s storage) OpenAbsolute(path string) (fs.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

// OpenLog opens a file of the first folder, or one with an absolute path, to append to it.
// Other users may not read it, since the addresses of players are in it.
func (s storage) OpenLog(name string) (io.WriteCloser, error) {
	path := filepath.FromSlash(name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(s[0], path)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o640)
	if err != nil {
		return nil, err
	}
	endLastLine(f, path)
	return f, nil
}

// maxLogLine is how far from the end of a log its last line is looked for, in bytes.
const maxLogLine = 64 << 10

// endLastLine ends the last line of a log that is not whole, as after a power failure. What is the
// beginning of a JSON object, for which there is no more, is cut off.
func endLastLine(f *os.File, path string) {
	r, err := os.Open(path)
	if err != nil {
		return
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil || info.Size() == 0 {
		return
	}
	b := make([]byte, min(info.Size(), maxLogLine))
	from := info.Size() - int64(len(b))
	if _, err := r.ReadAt(b, from); err != nil || b[len(b)-1] == '\n' {
		return
	}
	begin := bytes.LastIndexByte(b, '\n') + 1
	if line := b[begin:]; line[0] == '{' && !json.Valid(line) && (begin > 0 || from == 0) && f.Truncate(from+int64(begin)) == nil {
		return
	}
	_, _ = f.WriteString("\n")
}

// moreImportantError returns the one of two errors to report. That a file does not exist
// is reported only if there is nothing else, and that another folder than the first is not
// readable never: the home of a service often is not.
func moreImportantError(first, err error, own bool) error {
	if !own && errors.Is(err, fs.ErrPermission) || first != nil && !errors.Is(first, fs.ErrNotExist) {
		return first
	}
	return err
}

// ReadDir implements fs.ReadDirFS. It lists the maps of all folders.
func (s storage) ReadDir(name string) ([]fs.DirEntry, error) {
	dirs := s
	if name != "maps" && !strings.HasPrefix(name, "maps/") {
		dirs = s[:1]
	}
	var all []fs.DirEntry
	var first error
	for i, dir := range dirs {
		entries, err := fs.ReadDir(os.DirFS(dir), name)
		if err != nil {
			first = moreImportantError(first, err, i == 0)
		}
		for _, e := range entries {
			if !slices.ContainsFunc(all, func(o fs.DirEntry) bool { return o.Name() == e.Name() }) {
				all = append(all, e)
			}
		}
	}
	if len(all) > 0 {
		first = nil
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, first
}

// WriteFile replaces a regular file of the first folder as a whole.
func (s storage) WriteFile(name string, content []byte) error {
	if !fs.ValidPath(name) {
		return fmt.Errorf("%q is not a path within the folder", name)
	}
	path := filepath.Join(s[0], filepath.FromSlash(name))
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "write", Path: path, Err: errNotRegular}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, content)
}

// recordDir is a folder of recordings. The first one creates it. It implements
// server.Folder.
type recordDir struct {
	path string
	perm fs.FileMode // of files
}

// replayDir returns the folder of a server's replay logs. Only the operator may read them,
// since whispers are in them.
func replayDir(dir string) recordDir { return recordDir{filepath.Join(dir, "replays"), 0o600} }

// teehistorianDir returns the folder of a server's teehistorians, as DDNet-Server calls it.
func teehistorianDir(dir string) recordDir {
	return recordDir{filepath.Join(dir, "teehistorian"), 0o600}
}

// demoDir returns the folder of a server's demos, which anybody may see.
func demoDir(dir string) recordDir { return recordDir{filepath.Join(dir, "demos"), 0o644} }

func (d recordDir) Create(name string) (io.WriteCloser, error) {
	path := filepath.Join(d.path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, d.perm)
}

// Names looks into the folder and those directly in it.
func (d recordDir) Names() ([]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(d.path), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && name != ".":
			return nil // what can be read counts
		case err != nil:
			return err
		case e.IsDir() && strings.Count(name, "/") > 0:
			return fs.SkipDir
		case e.Type().IsRegular():
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// Remove leaves files that were written to a moment ago: another server with the same folder
// is recording them.
func (d recordDir) Remove(name string) error {
	path := filepath.Join(d.path, filepath.FromSlash(name))
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) < time.Minute {
		return fmt.Errorf("%s is being written", path)
	}
	return os.Remove(path)
}

// Discard deletes a file that this server has created.
func (d recordDir) Discard(name string) error {
	return os.Remove(filepath.Join(d.path, filepath.FromSlash(name)))
}

// openInput opens a file that a command reads. A pipe to which nobody writes would be waited for
// without end, so only those of the system, such as /dev/stdin, are read.
func openInput(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && info.Mode()&fs.ModeNamedPipe != 0 && !strings.HasPrefix(name, "/dev/") && !strings.HasPrefix(name, "/proc/") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	return os.Open(name)
}

// outputFile is a file that a command makes.
type outputFile struct {
	file *os.File
	err  error // the first of Write and WriteAt
}

// createOutput creates a file, which must not exist. The caller calls finish.
func createOutput(name string, perm fs.FileMode) (*outputFile, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	return &outputFile{file: f}, err
}

// Write implements io.Writer.
func (f *outputFile) Write(b []byte) (n int, err error) {
	n, err = f.file.Write(b)
	f.err = cmp.Or(f.err, err)
	return n, err
}

// WriteAt implements io.WriterAt.
func (f *outputFile) WriteAt(b []byte, at int64) (n int, err error) {
	n, err = f.file.WriteAt(b, at)
	f.err = cmp.Or(f.err, err)
	return n, err
}

// finish closes the file. It removes it if it is not to be kept, or if not all could be
// written, which is the error.
func (f *outputFile) finish(keep bool) error {
	err := cmp.Or(f.err, f.file.Close())
	if err != nil || !keep {
		os.Remove(f.file.Name())
	}
	return err
}
