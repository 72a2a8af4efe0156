//go:build unix

package confined

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// isRunning reports whether a process exists and has not ended.
func isRunning(pid int) bool {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return syscall.Kill(pid, 0) == nil && !bytes.Contains(b, []byte(") Z "))
}

// pidIn waits for the process of the job "wait" and returns its id.
func pidIn(t *testing.T, name string) (pid int) {
	t.Helper()
	testenv.Eventually(t, "the job has begun", func() bool {
		b, _ := os.ReadFile(name)
		text, whole := strings.CutSuffix(string(b), "\n")
		if whole {
			pid = testenv.Must(strconv.Atoi(text))
		}
		return whole
	})
	return pid
}

// TestHangUp checks that a job ends when its caller stops waiting.
func TestHangUp(t *testing.T) {
	if testenv.Race {
		t.Skip("the race detector takes more memory than such a process may have")
	}
	out := file(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- Run(ctx, Task{Program: "x", Job: "wait", Input: out, Output: out, Limits: generous})
	}()
	pid := pidIn(t, out.Name())
	if !isRunning(pid) {
		t.Error("the process is not there")
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if syscall.Kill(pid, 0) == nil {
		t.Error("the process has not ended, or its end was not waited for")
	}
	if err := Run(ctx, Task{Program: "x", Job: "copy", Input: out, Output: out, Limits: generous}); !errors.Is(err, context.Canceled) {
		t.Error("a job whose caller has hung up:", err)
	}
}

// TestParentEnds checks that a job ends with the process that started it, however that one ends.
func TestParentEnds(t *testing.T) {
	out := file(t, "")
	parent := exec.Command(testenv.Must(os.Executable()))
	parent.Env = append(os.Environ(), parentOf+"="+out.Name())
	testenv.NoError(t, parent.Start())
	pid := pidIn(t, out.Name())
	testenv.NoError(t, parent.Process.Kill())
	parent.Wait()
	testenv.Eventually(t, "the job has ended", func() bool { return !isRunning(pid) })
}
