package later_test

import (
	"errors"
	"testing"
	"time"

	"github.com/teeyard/teeyard/server/internal/later"
)

func TestJobInVirtualTime(t *testing.T) {
	var j later.Job[string]
	if _, ok := j.Take(); ok || j.Running() {
		t.Fatal("an idle job has a result")
	}
	j.Start(later.Now, func() string { return "map" })
	if !j.Running() || !j.Ready() {
		t.Error("a job whose result nobody took is idle, or its result is not ready")
	}
	if v, ok := j.Wait(0); v != "map" || !ok {
		t.Errorf("result %q, %v", v, ok)
	}
	if _, ok := j.Take(); ok || j.Running() {
		t.Error("the result can be taken twice")
	}
}

func TestJobIsWaitedFor(t *testing.T) {
	var j later.Job[int]
	goOn := make(chan struct{})
	j.Start(later.Go, func() int { <-goOn; return 7 })
	if _, ok := j.Take(); ok || j.Ready() {
		t.Fatal("a result before the end")
	}
	if _, ok := j.Wait(time.Millisecond); ok || !j.Running() {
		t.Fatal("Wait did not give up, or gave up the job")
	}
	close(goOn)
	if v, ok := j.Wait(later.Forever); v != 7 || !ok || j.Running() {
		t.Errorf("result %d, %v", v, ok)
	}
	if _, ok := j.Wait(time.Minute); ok {
		t.Error("an idle job has a result")
	}
}

func TestStartForgetsTheJobBefore(t *testing.T) {
	var j later.Job[int]
	first := j.Begin()
	second := j.Begin()
	first(1)
	if v, ok := j.Take(); ok {
		t.Fatalf("result %d of the job before", v)
	}
	second(2)
	if v, ok := j.Take(); v != 2 || !ok {
		t.Errorf("result %d, %v", v, ok)
	}
}

func TestThen(t *testing.T) {
	var j later.Job[int]
	j.Then(func(int) { t.Error("an idle job has a result") })
	got := make(chan int)
	done := j.Begin()
	j.Then(func(v int) { got <- v })
	if j.Running() {
		t.Error("the job is not idle")
	}
	done(3)
	if v := <-got; v != 3 {
		t.Errorf("result %d", v)
	}
}

func TestLimit(t *testing.T) {
	l := later.Limit{Max: 2}
	for n := range 3 {
		if got := l.Enter(); got != (n < 2) {
			t.Fatalf("function %d may run: %v", n, got)
		}
	}
	if l.Running() != 2 {
		t.Fatalf("%d run", l.Running())
	}
	l.Leave()
	if l.Running() != 1 || !l.Enter() {
		t.Errorf("%d run", l.Running())
	}
}

func TestTroubleIsNewsOnce(t *testing.T) {
	var trouble later.Trouble
	for i, step := range []struct {
		why  string
		news bool
	}{{"", false}, {"disk full", true}, {"disk full", false}, {"no folder", true}, {"", true}, {"", false}} {
		if news := trouble.Note(step.why); news != step.news || trouble.Why() != step.why {
			t.Errorf("step %d: news %v, why %q", i, news, trouble.Why())
		}
	}
}

func TestTroubleOfErrors(t *testing.T) {
	var trouble later.Trouble
	if !trouble.NoteError(errors.New("disk full")) || trouble.NoteError(errors.New("disk full")) || trouble.Why() != "disk full" {
		t.Errorf("why %q", trouble.Why())
	}
	if !trouble.NoteError(nil) || trouble.NoteError(nil) {
		t.Error("the end is not reported once")
	}
}

func TestTakeDoesNotAllocate(t *testing.T) {
	var j later.Job[[]string]
	if n := testing.AllocsPerRun(100, func() { j.Take() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
