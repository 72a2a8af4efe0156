package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestCheck checks a module with one error for Windows, one in a test, and one for processors of 32
// bits.
func TestCheck(t *testing.T) {
	testenv.Long(t)
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":         "module example.org/m\n\ngo 1.26.0\n",
		"a/a.go":         "package a\n\nimport \"io\"\n\nvar End = io.EOF\n",
		"a/a_windows.go": "package a\n\nvar _ int = \"windows\"\n",
		"a/b_test.go":    "package a_test\n\nimport \"example.org/m/a\"\n\nvar _ = a.Missing\nvar _ = a.Internal\n",
		"a/a_test.go":    "package a\n\nvar Internal = End.Error()\n",
		"b/b.go":         "package b\n\nvar N int = 1 << 40\n",
	} {
		testenv.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		testenv.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	for system, want := range map[string][]string{
		"linux/amd64":   {"b_test.go:5:11: "},
		"linux/arm":     {"b_test.go:5:11: ", "b.go:3:13: "},
		"windows/amd64": {"a_windows.go:3:13: ", "b_test.go:5:11: "},
	} {
		err := check(dir, system)
		if err == nil {
			t.Errorf("%s: no errors", system)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		ok := len(lines) == len(want)
		for _, place := range want {
			ok = ok && strings.Contains(err.Error(), place)
		}
		testenv.Check(t, ok, "%s: want errors at %q, got\n%v", system, want, err)
	}
}
