package confined

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// parentOf is the environment variable of a process that starts a job. It names the file for the
// job's output.
const parentOf = "TEEYARD_TEST_PARENT_OF"

func TestMain(m *testing.M) {
	if job, ok := Begun(); ok {
		os.Exit(job.Do(work))
	}
	if name := os.Getenv(parentOf); name != "" {
		out := testenv.Must(os.OpenFile(name, os.O_RDWR, 0))
		fmt.Println(Run(context.Background(), Task{Program: "x", Job: "wait", Input: out, Output: out, Limits: generous}))
		return
	}
	os.Exit(m.Run())
}

var generous = Limits{Memory: 128 << 20, Time: time.Minute, Output: 1 << 20}

var kept [][]byte

// work runs the jobs of these tests.
func work(name string, out io.Writer, in io.Reader) error {
	switch name {
	case "copy":
		b, err := io.ReadAll(in)
		out.Write(b)
		out.(io.WriterAt).WriteAt([]byte("J"), 0)
		return err
	case "fail":
		return errors.New("it is\nbroken")
	case "spin":
		for n := uint64(1); n != 0; n += 2 {
		}
	case "sleep over":
		time.Sleep(generous.Time)
	case "read on":
		for {
			if _, err := in.Read(make([]byte, 1)); err != nil && err != io.EOF {
				return fmt.Errorf("wrapped: %v", err)
			}
			time.Sleep(time.Millisecond)
		}
	case "grow":
		for {
			kept = append(kept, bytes.Repeat([]byte{1}, 1<<20))
		}
	case "grow at once":
		kept = append(kept, make([]byte, 1<<40))
	case "write on":
		for {
			if _, err := out.Write(make([]byte, 100_000)); err != nil {
				return errors.New("it cannot go on")
			}
		}
	case "write":
		_, err := out.Write([]byte("x"))
		return err
	case "crash":
		panic("a fault")
	case "nest":
		return Run(context.Background(), Task{Program: "x", Job: "copy", Input: os.Stdin, Output: os.Stdout, Limits: generous})
	case "wait":
		fmt.Fprintln(out, os.Getpid())
		time.Sleep(generous.Time)
	case "look":
		fmt.Fprintln(out, runtime.GOMAXPROCS(0), os.Environ())
		tasks, _ := filepath.Glob("/proc/self/task/*/stat")
		for _, t := range tasks {
			b, _ := os.ReadFile(t)
			_, fields, _ := bytes.Cut(b, []byte(") "))
			fmt.Fprintf(out, "nice %s\n", bytes.Fields(fields)[16])
		}
	}
	return nil
}

// file returns an open file with the given content.
func file(t testing.TB, content string) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	testenv.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	f := testenv.Must(os.OpenFile(name, os.O_RDWR, 0))
	t.Cleanup(func() { f.Close() })
	return f
}

// do runs a job and returns its output.
func do(t testing.TB, job string, l Limits, input string) (string, error) {
	t.Helper()
	in, out := file(t, input), file(t, "")
	err := Run(t.Context(), Task{Program: "x", Job: job, Input: in, Output: out, Limits: l})
	return string(testenv.Must(os.ReadFile(out.Name()))), err
}

func TestRun(t *testing.T) {
	if testenv.Race {
		t.Skip("the race detector takes more memory than such a process may have")
	}
	input := strings.Repeat("jump ", 10_000)
	if out, err := do(t, "copy", generous, input); err != nil || out != "J"+input[1:] {
		t.Errorf("%.20q, %v", out, err)
	}
	if _, err := do(t, "fail", generous, ""); err == nil || err.Error() != "it is\nbroken" {
		t.Error(err)
	}
	short, tight, small := generous, generous, generous
	short.Time, tight.Memory, small.Output = 100*time.Millisecond, 64<<20, 150_000
	for _, c := range []struct {
		job  string
		l    Limits
		want error
	}{
		{"spin", short, ErrTime},
		{"sleep over", short, ErrTime},
		{"read on", short, ErrTime},
		{"grow", tight, ErrMemory},
		{"grow at once", tight, ErrMemory},
		{"write on", small, ErrOutputSize},
		{"crash", generous, ErrCrash},
	} {
		t.Run(c.job, func(t *testing.T) {
			t.Parallel()
			if out, err := do(t, c.job, c.l, "x"); !errors.Is(err, c.want) || int64(len(out)) > c.l.Output {
				t.Errorf("%v after %d bytes, want %v", err, len(out), c.want)
			}
		})
	}
	if _, err := do(t, "nest", generous, ""); err == nil || !strings.Contains(err.Error(), ErrStart.Error()) {
		t.Error("the process of a job could start another one:", err)
	}
}

// TestFullDisk checks that Run distinguishes an output that cannot be written from a job that
// fails.
func TestFullDisk(t *testing.T) {
	in := file(t, "x")
	outputs := []*os.File{testenv.Must(os.Open(in.Name()))} // open for reading only
	if full, err := os.OpenFile("/dev/full", os.O_RDWR, 0); err == nil {
		outputs = append(outputs, full)
	}
	for _, out := range outputs {
		if err := Run(t.Context(), Task{Program: "x", Job: "write", Input: in, Output: out, Limits: generous}); !errors.Is(err, ErrOutput) {
			t.Errorf("%s: %v", out.Name(), err)
		}
		out.Close()
	}
}

// TestBegun checks that other arguments, or the variable alone, do not start a job.
func TestBegun(t *testing.T) {
	args := os.Args
	defer func() { os.Args = args }()
	right := []string{"x", jobArg, "copy", "1", "1s", "1"}
	os.Args = right
	if _, ok := Begun(); ok {
		t.Error("a job without the variable")
	}
	t.Setenv(marker, "1")
	if _, ok := Begun(); !ok {
		t.Error("no job")
	}
	for i := 1; i < len(right); i++ {
		if i != 2 {
			os.Args = slices.Clone(right)
			os.Args[i] = "x"
			if _, ok := Begun(); ok {
				t.Errorf("%q are a job", os.Args)
			}
		}
	}
	if os.Args = right[:5]; true {
		if _, ok := Begun(); ok {
			t.Errorf("%q are a job", os.Args)
		}
	}
}

// TestRests checks that a job pauses as long as it works.
func TestRests(t *testing.T) {
	const pieces = 11
	var slept []time.Duration
	now, used := time.Now(), time.Second
	r := newResting(strings.NewReader(strings.Repeat("x", pieces*piece)), time.Minute)
	r.worked = used
	r.now, r.used, r.sleep = func() time.Time { return now }, func() time.Duration { return used }, func(d time.Duration) { slept = append(slept, d) }
	for range pieces {
		used += 3 * time.Millisecond
		if n, err := r.Read(make([]byte, 2*piece)); n != piece || err != nil {
			t.Fatal(n, err)
		}
	}
	if len(slept) != pieces/2 || slices.Max(slept) != 6*time.Millisecond || slices.Min(slept) != slices.Max(slept) {
		t.Error(slept)
	}
	now = now.Add(time.Hour)
	if _, err := r.Read(make([]byte, 1)); !errors.Is(err, ErrTime) || !r.isOver {
		t.Error(err)
	}
}
