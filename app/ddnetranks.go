package app

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/folder"
	"github.com/teeyard/teeyard/server/logline"
)

// ddnetRanks is the SQLite file in which a DDNet-Server kept its ranks before this server replaced
// it.
type ddnetRanks struct {
	file  string // sv_sqlite_file
	isSet bool
}

// register adds sv_sqlite_file, a setting of DDNet.
func (d *ddnetRanks) register(c *console.Console) error {
	const name = "sv_sqlite_file"
	err := c.RegisterString(console.StringVar{
		Name: name, Help: "SQLite file with the ranks of DDNet-Server; the log says at the start how to import them",
		Flags: console.Server, Value: &d.file, Default: "ddnet-server.sqlite", Size: 256,
	})
	if err != nil {
		return err
	}
	return c.After(name, func(*console.Call) { d.isSet = true })
}

// find returns the absolute path of the file, or "" if there is none. DDNet-Server 16.4 looks in
// the current folder, whatever its storage.cfg lists. The other folders are for servers that were
// started elsewhere.
func (d *ddnetRanks) find(folders folder.List) string {
	names := []string{d.file}
	if !filepath.IsAbs(d.file) {
		for _, dir := range folders {
			names = append(names, filepath.Join(dir, d.file))
		}
	}
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return absolute(name)
		}
	}
	return ""
}

// absolute returns an absolute path, since a reader of the log is in another folder.
func absolute(name string) string {
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return name
}

// hint logs how to import DDNet-Server's ranks into the file named into. The file may not exist
// yet.
func (d *ddnetRanks) hint(p *program, o original, folders folder.List, into string, log *slog.Logger) {
	if d.file == "" || o == teeworldsServer && !d.isSet {
		return
	}
	log = log.With(logline.SystemKey, "ranks")
	from, into := d.find(folders), absolute(into)
	command := func(from string) string {
		return safetext.Line(p.named(fmt.Sprintf("teeyard ranks import %s --into %q", from, into)))
	}
	_, err := os.Stat(into)
	switch isEmpty := err != nil; {
	case from != "" && isEmpty:
		log.Warn("the ranks of DDNet-Server are not imported yet; import them with " + command(fmt.Sprintf("%q", from)))
	case from != "" && d.isSet:
		log.Info("to import new ranks of DDNet-Server, run " + command(fmt.Sprintf("%q", from)))
	case from == "" && d.isSet && isEmpty:
		log.Warn(fmt.Sprintf("sv_sqlite_file %q: no such file in %s; if DDNet-Server keeps its ranks elsewhere, import them with %s",
			safetext.Line(d.file), strings.Join(d.searched(folders), ", "), command("FILE")))
	}
}

// searched returns the folders in which find looks.
func (d *ddnetRanks) searched(folders folder.List) []string {
	if filepath.IsAbs(d.file) {
		return []string{filepath.Dir(d.file)}
	}
	all := []string{absolute(".")}
	for _, dir := range folders {
		if dir = absolute(dir); dir != all[0] {
			all = append(all, dir)
		}
	}
	return all
}
