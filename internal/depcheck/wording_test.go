package depcheck

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// badWording matches words to avoid in comments: "tells whether" instead of "reports whether", and
// "he" or "his" instead of "they" and "their".
var badWording = regexp.MustCompile(`(?i)\btells? (whether|if)\b|\b(he|his|him|himself)\b`)

// TestWording checks for bad wording in the comments of all Go files, tests included.
func TestWording(t *testing.T) {
	files := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "wording_test.go") {
			return err
		}
		files++
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				if found := badWording.FindString(c.Text); found != "" {
					t.Errorf("%s: a comment says %q", fset.Position(c.Pos()), found)
				}
			}
		}
		return nil
	})
	if err != nil || files < 200 {
		t.Fatalf("%d files, %v", files, err)
	}
}
