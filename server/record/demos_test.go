package record_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/record"
)

// await runs ticks until there is a line in the log since the last call.
func (m *match) await(line string) {
	m.t.Helper()
	testenv.Eventually(m.t, line, func() bool { m.step(1); return strings.Contains(m.log.String(), line) })
	m.log.Reset()
}

// TestDemoNames checks which files record creates.
func TestDemoNames(t *testing.T) {
	f := newFolder()
	m := newMatch(t, record.Config{Demos: f})
	for range 2 {
		m.run("record twice")
		m.await("Recording to 'demos/twice.")
		m.run("record again")
		m.await("Demo recording is already active")
		m.run("stoprecord")
		m.await("Stopped recording")
	}
	m.run("stoprecord")
	m.await("No active demo recording to stop")
	for _, bad := range []string{"../out", "/etc/x", `a\b`, "c:x", "a/../../b", strings.Repeat("x", 300)} {
		m.run(fmt.Sprintf("record %q", bad))
		m.await("Unable to open 'demos/")
	}
	m.run("record")
	m.await("Recording")
	m.rec.Close(replay.EndShutdown)
	names, _ := f.Names()
	if len(names) != 3 || !regexp.MustCompile(`^demo_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\.demo$`).MatchString(names[0]) ||
		names[1] != "twice.1.demo" || names[2] != "twice.demo" {
		t.Errorf("%q", names)
	}

	none := newMatch(t, record.Config{})
	none.run("record")
	none.await("Unable to record: the server has no folder to write to")
}

// TestFullDiskKeepsOldDemos checks that a demo that cannot be begun leaves no file and takes the
// place of none.
func TestFullDiskKeepsOldDemos(t *testing.T) {
	old := []string{"auto/autorecord_2001-01-01_01-01-01.demo", "auto/autorecord_2001-01-01_01-01-01_ddnet.demo", "auto/autorecord_2001-01-02_01-01-01.demo"}
	f := newFolder(old...)
	f.full = errDisk
	m := newMatch(t, record.Config{Demos: f}, "sv_auto_demo_record 1; sv_auto_demo_max 2; sv_demo_format tw07,ddnet")
	for range 3 {
		m.rec.BeginRound()
		m.await("Unable to open 'demos/auto/autorecord_")
	}
	m.rec.Close(replay.EndShutdown)
	if names, _ := f.Names(); !slices.Equal(names, old) {
		t.Errorf("left are %q", names)
	}
}

// TestDemoFormatSetting checks that a value that is not a format leaves a valid one.
func TestDemoFormatSetting(t *testing.T) {
	m := newMatch(t, record.Config{})
	for _, c := range [][2]string{{"tw06", "tw07"}, {"ddnet", "ddnet"}, {"", "ddnet"}, {"tw07, ddnet", "tw07, ddnet"}, {"ddnet ddnet", "tw07, ddnet"}} {
		m.run(fmt.Sprintf("sv_demo_format %q", c[0]))
		if got := m.rec.Settings.DemoFormat; got != c[1] {
			t.Errorf("%q: %q", c[0], got)
		}
	}
}

// TestDemoTrouble checks that a broken or stuck disk ends the demo and nothing else.
func TestDemoTrouble(t *testing.T) {
	t.Run("not created", func(t *testing.T) {
		f := newFolder()
		f.fail(errDisk)
		m := newMatch(t, record.Config{Demos: f})
		m.run("record x")
		m.await("Unable to open 'demos/x.demo' for recording: read-only")
		testenv.Check(t, m.rec.NumDemos() == 0, "still recording")
	})
	t.Run("full", func(t *testing.T) {
		f := newFolder()
		m := newMatch(t, record.Config{Demos: f}).join(1)
		m.run("record x")
		m.await("Recording")
		f.fail(errDisk)
		m.step(600)
		m.await("stopped recording 'demos/x.demo': read-only")
		f.fail(nil)
		m.run("record x")
		m.await("Recording to 'demos/x.1.demo'")
		m.rec.Close(replay.EndShutdown)
	})
	t.Run("stuck", func(t *testing.T) {
		f := newFolder()
		f.hang = make(chan struct{})
		defer close(f.hang)
		m := newMatch(t, record.Config{Demos: f})
		for i := range record.MaxDemoOpens + 2 {
			m.run(fmt.Sprint("record x", i))
			m.step(2 * 10 * (record.DemoQueue - 1))
			if i == 0 && m.rec.NumDemos() != 1 {
				t.Error("the recording ends before the queue is full")
			}
			m.step(2*10 + 20)
			if m.rec.NumDemos() != 0 || m.rec.NumBatches() > record.DemoQueue {
				t.Fatalf("record %d: %d demos, %d batches", i, m.rec.NumDemos(), m.rec.NumBatches())
			}
		}
		m.await("stopped recording 'demos/x0.demo': the disk is too slow")
		m.run("record again")
		m.await("Unable to record: the disk does not answer")
	})
}

// TestDemoAllocs checks that recording adds no allocation to a tick.
func TestDemoAllocs(t *testing.T) {
	testenv.RequireExactAllocs(t)
	m := newMatch(t, record.Config{Demos: newFolder()}).join(16)
	step := func() {
		m.step(1)
		m.settle()
	}
	m.step(100)
	without := testing.AllocsPerRun(100, step)
	m.run("record")
	m.await("Recording")
	for range game.TickRate {
		step()
	}
	if with := testing.AllocsPerRun(100, step); with > without+1 { // the writer's goroutine has its own
		t.Errorf("%v allocations a tick, %v without a demo", with, without)
	}
	m.rec.Close(replay.EndShutdown)
}
