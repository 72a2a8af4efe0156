package console

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"
)

// TestReadConfiguration finds all files that a configuration executes, and no others.
func TestReadConfiguration(t *testing.T) {
	files := fstest.MapFS{}
	add := func(name, text string) { files[name] = &fstest.MapFile{Data: []byte(text)} }
	add("a.cfg", "\ufeffexec b.cfg; EXEC \"d/c.cfg\"\r\nsv_name \"exec no1.cfg\" # exec no2.cfg\n;exec no3.cfg\n")
	add("b.cfg", "exec a.cfg; exec b.cfg\nexec ../no4.cfg\nexec missing.cfg")
	add("d/c.cfg", "add_vote \"exec no5.cfg\" exec no6.cfg")
	add("e.cfg", "")
	add("loop0.cfg", "")
	for i := range 2 * maxConfigFiles {
		add(fmt.Sprintf("many%d.cfg", i), fmt.Sprintf("exec many%d.cfg", i+1))
	}
	for i := range 6 {
		add(fmt.Sprintf("no%d.cfg", i+1), "")
	}
	cfg := ReadConfiguration(files, []string{"-f", " a.cfg ", "sv_port 1; exec e.cfg", "-f"})
	var names []string
	for name := range cfg.files {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{"a.cfg", "b.cfg", "d/c.cfg", "e.cfg", "missing.cfg"}; !slices.Equal(names, want) {
		t.Errorf("reads %v", names)
	}
	if _, err := cfg.file("missing.cfg"); err == nil {
		t.Error("a missing file can be read")
	}
	if cfg := ReadConfiguration(files, []string{"-f", "many0.cfg"}); len(cfg.files) > maxConfigFiles+1 {
		t.Errorf("reads %d files", len(cfg.files))
	}
}

// FuzzReadConfiguration: whatever is in a file, reading it ends.
func FuzzReadConfiguration(f *testing.F) {
	f.Add("exec x.cfg; exec \"y.cfg\" z\n# exec\nexec\nexec \"")
	f.Fuzz(func(t *testing.T, text string) {
		files := fstest.MapFS{"x.cfg": {Data: []byte(text)}}
		if cfg := ReadConfiguration(files, []string{"-f", "x.cfg", text}); len(cfg.files) > maxConfigFiles+1 {
			t.Errorf("%d files", len(cfg.files))
		}
	})
}
