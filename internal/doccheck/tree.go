package doccheck

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// File is a file of the module.
type File struct {
	// Name is the path in the module, with slashes.
	Name string
	// Text is the content. Invalid UTF-8 is left out, and lines end with \n.
	Text string
}

// Lines returns the lines of the file, without the \n at their ends.
func (f File) Lines() []string {
	if f.Text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(f.Text, "\n"), "\n")
}

// ReadTree reads the files below a folder whose names end with one of the extensions, in the order
// of their names. It leaves out .git and every folder called testdata.
func ReadTree(root string, extensions ...string) ([]File, error) {
	var files []File
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); name == ".git" || d.IsDir() && name == "testdata" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !slices.Contains(extensions, filepath.Ext(path)) {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		text := strings.ReplaceAll(strings.ToValidUTF8(string(content), ""), "\r\n", "\n")
		files = append(files, File{Name: filepath.ToSlash(name), Text: text})
		return nil
	})
	return files, err
}
