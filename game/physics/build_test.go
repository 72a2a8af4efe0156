package physics

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// fused matches the multiply-and-add instructions of arm64 and amd64.
var fused = regexp.MustCompile(`\b(FN?M(ADD|SUB)[SD]|VFN?M(ADD|SUB)\w*)\b`)

// assembly compiles packages for a target and returns the assembly listing.
func assembly(t *testing.T, dir string, env []string, pkgs ...string) []byte {
	t.Helper()
	cmd := exec.Command("go", append([]string{"build", "-gcflags=-S"}, pkgs...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append(env, "CGO_ENABLED=0", "GOFLAGS=")...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out[max(0, len(out)-2000):])
	}
	return out
}

var fusingTargets = []struct {
	name string
	env  []string
}{
	{"arm64", []string{"GOOS=linux", "GOARCH=arm64"}},
	{"amd64 v3", []string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v3"}},
}

// TestNoFusedOperations checks the assembly of the game packages for targets on which
// the compiler can fuse a product and a sum: there must be no such instruction, or
// worlds would differ between machines.
func TestNoFusedOperations(t *testing.T) {
	testenv.OtherBuild(t)
	// Check the search itself with a program that contains such an instruction.
	probe := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":   "module probe\n",
		"probe.go": "package probe\n\nfunc F(a, b, c float32) float32 { return a*b + c }\n",
	} {
		testenv.NoError(t, os.WriteFile(filepath.Join(probe, name), []byte(text), 0o644))
	}
	pkgs := []string{"./vec", "./physics", "./internal/tee", "./internal/vanilla", "./ddrace", ".", "./mode/..."}
	if testenv.Full() {
		pkgs = []string{"./..."}
	}
	for _, target := range fusingTargets {
		if !fused.Match(assembly(t, probe, target.env, ".")) {
			t.Errorf("%s: the probe has no fused operation, so the search is wrong", target.name)
		}
		out := assembly(t, "..", target.env, pkgs...)
		if !bytes.Contains(out, []byte("physics.(*Core).Tick")) {
			t.Errorf("%s: no listing of game/physics", target.name)
		}
		for line := range strings.Lines(string(out)) {
			if fused.MatchString(line) {
				t.Errorf("%s: %s", target.name, line)
			}
		}
	}
}
