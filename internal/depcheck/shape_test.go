package depcheck

import (
	"os"
	"path/filepath"
	"testing"
)

// TestShapeOfLargePackages keeps server and game from becoming knots. The limits may only become
// smaller. At the first measurement, server had 708 arrows, of which 300 (42 %) ran back; one file
// used 52 others, and Server had 94 fields and 457 methods. In game 236 of 660 (36 %) ran back.
// In quic-go v0.65.0 the share is 27 %.
func TestShapeOfLargePackages(t *testing.T) {
	for _, limit := range []struct {
		path       string
		back, most int // percent of the arrows, number of files
		largest    string
		size       TypeSize
	}{
		{"./server", 3, 15, "Server", TypeSize{27, 138}},
		{"./game", 25, 27, "World", TypeSize{53, 225}},
	} {
		s, err := MeasureShape("../..", limit.path)
		if err != nil {
			t.Fatal(err)
		}
		size := s.Types[limit.largest]
		back := 100 * s.Back / max(s.Arrows, 1)
		t.Logf("%s: %d files, %d of %d arrows run back (%d %%), %s uses %d files, %s has %d fields and %d methods",
			limit.path, s.Files, s.Back, s.Arrows, back, s.Widest, s.Most, limit.largest, size.Fields, size.Methods)
		if s.Arrows == 0 || size == (TypeSize{}) {
			t.Errorf("%s: nothing was measured", limit.path)
		}
		if back > limit.back {
			t.Errorf("%s: %d %% of the arrows between files run back, more than %d %%", limit.path, back, limit.back)
		}
		if s.Most > limit.most {
			t.Errorf("%s: %s uses %d other files, more than %d", limit.path, s.Widest, s.Most, limit.most)
		}
		if size.Fields > limit.size.Fields || size.Methods > limit.size.Methods {
			t.Errorf("%s: %s has %d fields and %d methods, more than %d and %d", limit.path, limit.largest, size.Fields, size.Methods,
				limit.size.Fields, limit.size.Methods)
		}
	}
}

// TestMeasureShape measures a package of three files, two of which use each other.
func TestMeasureShape(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module shape\n\ngo 1.24\n",
		"a.go":   "package shape\n\ntype A struct{ x, y int }\n\nfunc (a A) sum() int { return b() + c() + c() + a.x + a.y }\n",
		"b.go":   "package shape\n\nfunc b() int { return A{x: 1}.sum() }\n",
		"c.go":   "package shape\n\nimport \"strings\"\n\nfunc c() int { return strings.Count(\"a\", \"a\") }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := MeasureShape(dir, ".")
	if err != nil {
		t.Fatal(err)
	}
	if s.Files != 3 || s.Arrows != 3 || s.Back != 2 || s.Most != 2 || s.Widest != "a.go" || s.Types["A"] != (TypeSize{2, 1}) {
		t.Errorf("%+v", s)
	}
}
