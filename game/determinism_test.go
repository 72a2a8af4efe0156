package game_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
)

func runHashes(t *testing.T, ticks int) string {
	t.Helper()
	var out strings.Builder
	err := bots.Run(dm.Mode{}, 16, ticks, func(tick int, hash uint64) {
		fmt.Fprintf(&out, "%d %016x\n", tick, hash)
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestSameCommandsSameWorld(t *testing.T) {
	a, b := runHashes(t, 5000), runHashes(t, 5000)
	if a != b {
		t.Errorf("two runs differ:\n%s\n%s", a, b)
	}
	seen := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(a), "\n") {
		hash := strings.Fields(line)[1]
		if seen[hash] {
			t.Errorf("hash %s came twice", hash)
		}
		seen[hash] = true
	}
}

// TestBuildVariantsAgree plays the same match with builds for two levels of
// amd64. From v3 on the compiler may fuse multiplication and addition.
func TestBuildVariantsAgree(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the variants are those of amd64, this is " + runtime.GOARCH)
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go tool to build the variants with")
	}
	ticks := 100000
	if testing.Short() {
		ticks = 10000
	}
	dir := t.TempDir()
	run := func(level string) (string, bool) {
		bin := filepath.Join(dir, "twin-"+level)
		build := exec.Command(goTool, "build", "-o", bin, "./testdata/twin")
		build.Env = append(os.Environ(), "GOAMD64="+level, "GOFLAGS=")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build for %s: %v\n%s", level, err, out)
		}
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(bin, strconv.Itoa(ticks))
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			if strings.Contains(stderr.String(), "microarchitecture support") {
				return "", false
			}
			t.Fatalf("run for %s: %v\n%s", level, err, stderr.Bytes())
		}
		return stdout.String(), true
	}
	v1, _ := run("v1")
	v3, ok := run("v3")
	if !ok {
		t.Skip("this processor cannot run GOAMD64=v3")
	}
	if n := strings.Count(v1, "\n"); n != ticks/1000 {
		t.Fatalf("%d hashes for %d ticks", n, ticks)
	}
	if v1 != v3 {
		for i, line := range strings.Split(v1, "\n") {
			if other := strings.Split(v3, "\n")[i]; other != line {
				t.Fatalf("v1 %q, v3 %q", line, other)
			}
		}
	}
}
