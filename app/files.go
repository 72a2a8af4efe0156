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

// storage is a list of folders. Reads take a file from the first folder that contains it; writes go
// to the first folder.
type storage []string

// newStorage returns the storage of a server. If the operator names no folder, the file storage.cfg
// lists the folders, as for teeworlds-server. Without storage.cfg the folders are the defaults of
// the original server, which start with the user's data folder. A server that replaces no original
// starts with the current folder instead.
func newStorage(dir string, o original) storage {
	program := ""
	if strings.ContainsRune(filepath.ToSlash(os.Args[0]), '/') { // the original finds its own folder the same way
		program = filepath.Dir(os.Args[0])
	} else if path, err := os.Executable(); err == nil {
		program = filepath.Dir(path)
	}
	return newStorageFor(dir, o, program)
}

// newStorageFor is newStorage for a program in the folder program.
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
	if p.user != "" && !canWrite(s[0]) { // the current folder of a service may be /
		s[0], s[1] = s[1], s[0]
	}
	return s
}

// debianDir is the folder with the configuration of Debian's teeworlds-server.
const debianDir = "/etc/teeworlds"

var placeNames = []string{"$USERDIR", "$DATADIR", "$CURRENTDIR", "$APPDIR"}

// places are the folders that storage.cfg has names for. A folder that is not known is empty.
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

// readConfig returns the folders that dir/storage.cfg lists, or none if there is no such file. Like
// the original, it omits folders that do not exist.
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

// parseStorageConfig returns the existing folders that the text of a storage.cfg lists.
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

// canWrite reports whether the program can create files in a folder.
func canWrite(dir string) bool {
	f, err := os.CreateTemp(dir, ".teeyard.*")
	if err != nil {
		return false
	}
	f.Close()
	return os.Remove(f.Name()) == nil
}

// userDir returns the user's Teeworlds folder or, if the program replaces DDNet-Server, the user's
// DDNet folder. It returns "" if there is no home folder.
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

// dataDirs returns the data folders that exist, those beside the program first.
func dataDirs(program string, o original) (dirs []string) {
	for _, dir := range append([]string{"data", filepath.Join(program, "data")}, installDirs(o)...) {
		if isDir(filepath.Join(dir, "maps")) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// installDirs returns the folders in which Teeworlds and DDNet may be installed. Teeworlds comes
// first, since DDNet has other maps under the same names. A server that replaces DDNet-Server
// searches DDNet's folders alone, since add_map_votes offers every map that it finds there.
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

// errNotRegular is the error for a pipe or device: reading one may never end.
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

// find returns the first folder that contains a file.
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

// OpenLog opens a log to append to. A relative name is in the first folder. Other users may not
// read the file, since it contains players' addresses.
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

// maxLogLine is the number of bytes at the end of a log in which endLastLine searches the last
// line.
const maxLogLine = 64 << 10

// endLastLine completes a log whose last line is cut off, for example after a power failure. It
// removes a truncated JSON object and ends any other line with a line break.
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

// moreImportantError returns the error to report out of two. An error about a missing file is
// reported only if there is no other. A permission error counts in the first folder only (own),
// since a service often may not read the home folder.
func moreImportantError(first, err error, own bool) error {
	if !own && errors.Is(err, fs.ErrPermission) || first != nil && !errors.Is(first, fs.ErrNotExist) {
		return first
	}
	return err
}

// ReadDir implements fs.ReadDirFS. It lists maps in all folders and other files in the first
// folder.
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

// recordDir is a folder of recordings. Create creates the folder if necessary. It implements
// record.Folder.
type recordDir struct {
	path string
	perm fs.FileMode // of each file
}

// replayDir returns the folder of a server's replay logs. Only the operator may read them, since
// they contain whispers.
func replayDir(dir string) recordDir { return recordDir{filepath.Join(dir, "replays"), 0o600} }

// teehistorianDir returns the folder of a server's teehistorians. DDNet-Server uses the same name.
func teehistorianDir(dir string) recordDir {
	return recordDir{filepath.Join(dir, "teehistorian"), 0o600}
}

// demoDir returns the folder of a server's demos. All users of the machine may read them.
func demoDir(dir string) recordDir { return recordDir{filepath.Join(dir, "demos"), 0o644} }

func (d recordDir) Create(name string) (io.WriteCloser, error) {
	path := filepath.Join(d.path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, d.perm)
}

// Names lists the files in the folder and in its direct subfolders.
func (d recordDir) Names() ([]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(d.path), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && name != ".":
			return nil // list the folders that can be read
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

// Remove refuses to delete a file that was written within the last minute, since another server
// that shares the folder may be recording it.
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

// openInput opens a file for a command to read. It rejects named pipes, since a pipe without a
// writer would block forever. Pipes of the system such as /dev/stdin are allowed.
func openInput(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && info.Mode()&fs.ModeNamedPipe != 0 && !strings.HasPrefix(name, "/dev/") && !strings.HasPrefix(name, "/proc/") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNotRegular}
	}
	return os.Open(name)
}

// outputFile is a file that a command creates.
type outputFile struct {
	file *os.File
	err  error // the first error of Write and WriteAt
}

// createOutput creates a file and fails if it exists. The caller calls finish.
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

// finish closes the file. It removes the file if keep is false or if a write failed, and returns
// the error of that write.
func (f *outputFile) finish(keep bool) error {
	err := cmp.Or(f.err, f.file.Close())
	if err != nil || !keep {
		os.Remove(f.file.Name())
	}
	return err
}
