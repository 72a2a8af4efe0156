package replay

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestBuildVariantsVerify runs a match of 16 that this build recorded again with
// builds for two levels of amd64. From v3 on the compiler may fuse
// multiplication and addition; whichever level records, any must agree.
func TestBuildVariantsVerify(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the variants are those of amd64, this is " + runtime.GOARCH)
	}
	testenv.OtherBuild(t)
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go tool to build the variants with")
	}
	ticks := 3000 // one minute
	if testenv.Full() {
		ticks = 100000
	}
	log := record(t, 16, ticks)
	dir := t.TempDir()
	for _, level := range []string{"v1", "v3"} {
		bin := filepath.Join(dir, "rerun-"+level)
		build := exec.Command(goTool, "build", "-o", bin, "./testdata/rerun")
		build.Env = append(os.Environ(), "GOAMD64="+level, "GOFLAGS=")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build for %s: %v\n%s", level, err, out)
		}
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(bin)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(log), &stdout, &stderr
		if err := cmd.Run(); err != nil {
			if strings.Contains(stderr.String(), "microarchitecture support") {
				t.Logf("this processor cannot run GOAMD64=%s", level)
				continue
			}
			t.Errorf("%s: %v\n%s%s", level, err, &stdout, &stderr)
		}
		if want := fmt.Sprintf("%d ticks, %d hashes\n", 123+ticks, ticks/BlockTicks); stdout.String() != want {
			t.Errorf("%s: %q, want %q", level, &stdout, want)
		}
	}
}
