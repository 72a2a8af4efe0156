package app

import (
	"cmp"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/server/folder"
)

// newStorage returns the storage of a server. If the operator names no folder, the file storage.cfg
// lists the folders, as for teeworlds-server. Without storage.cfg the folders are the defaults of
// the original server, which start with the user's data folder. A server that replaces no original
// starts with the current folder instead.
func newStorage(dir string, o original) folder.List {
	program := ""
	if strings.ContainsRune(filepath.ToSlash(os.Args[0]), '/') { // the original finds its own folder the same way
		program = filepath.Dir(os.Args[0])
	} else if path, err := os.Executable(); err == nil {
		program = filepath.Dir(path)
	}
	return newStorageFor(dir, o, program)
}

// newStorageFor is newStorage for a program in the folder program.
func newStorageFor(dir string, o original, program string) folder.List {
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
func (p *places) storage(list ...string) (s folder.List) {
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
func (p *places) readConfig(dir string) folder.List {
	f, err := folder.List{dir}.Open("storage.cfg")
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

// openInput opens a file for a command to read. It rejects named pipes, since a pipe without a
// writer would block forever. Pipes of the system such as /dev/stdin are allowed.
func openInput(name string) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && info.Mode()&fs.ModeNamedPipe != 0 && !strings.HasPrefix(name, "/dev/") && !strings.HasPrefix(name, "/proc/") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: folder.ErrNotRegular}
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
