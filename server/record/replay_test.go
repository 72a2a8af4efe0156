package record_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/record"
)

// TestReplayReruns checks that a log reruns to the same world.
func TestReplayReruns(t *testing.T) {
	f := newFolder()
	m := newMatch(t, record.Config{Replays: f})
	m.step(100)
	m.join(4).step(1000)
	m.settle()
	log := m.rec.Log()
	m.rec.Close(replay.EndShutdown)
	res, _ := f.verify(t)
	names, _ := f.Names()
	testenv.Check(t, res.End == replay.EndShutdown && res.Ticks == m.world.Tick() && res.LastGoodTick == m.world.Tick(), "%+v", res)
	testenv.Check(t, log == names[0] && m.rec.Log() == "" && strings.HasSuffix(log, "_testbox"+record.ReplaySuffix), "the log is %q, of %q", log, names)
}

// TestEmptyMatchIsNotRecorded checks that nothing is recorded without players, and that a world
// begins anew after a day alone.
func TestEmptyMatchIsNotRecorded(t *testing.T) {
	f := newFolder()
	m := newMatch(t, record.Config{Replays: f})
	m.step(1000)
	m.rec.SetIdle(replay.MaxIdleTicks - 1)
	m.step(1)
	testenv.Check(t, m.restarts == 0, "the world begins anew too early")
	m.step(1)
	testenv.Check(t, m.restarts == 1, "%d new worlds", m.restarts)
	m.rec.Close(replay.EndShutdown)
	names, _ := f.Names()
	testenv.Check(t, len(names) == 0, "the files are %q", names)
}

// TestOldReplaysAreRemoved checks that the oldest logs are removed and other files stay.
func TestOldReplaysAreRemoved(t *testing.T) {
	f := newFolder("2001-01-01_000000_old.twreplay", "2001-01-02_000000_old.twreplay", "the final.twreplay", "1999.txt")
	m := newMatch(t, record.Config{Replays: f}, "sv_replay_max_files 2")
	m.join(1).step(100)
	m.rec.Close(replay.EndShutdown)
	names, _ := f.Names()
	if len(names) != 4 || names[0] != "1999.txt" || names[1] != "2001-01-02_000000_old.twreplay" ||
		!strings.HasSuffix(names[2], "_testbox.twreplay") || names[3] != "the final.twreplay" {
		t.Errorf("left are %q", names)
	}
}

// TestFullDiskKeepsOldReplays checks that a log that cannot be written leaves no file and takes the
// place of none.
func TestFullDiskKeepsOldReplays(t *testing.T) {
	f := newFolder("2001-01-01_000000_old.twreplay")
	f.full = errors.New("disk full")
	m := newMatch(t, record.Config{Replays: f}, "sv_replay_max_files 1")
	m.join(1).step(100)
	m.rec.Close(replay.EndShutdown)
	if names, _ := f.Names(); !slices.Equal(names, []string{"2001-01-01_000000_old.twreplay"}) {
		t.Errorf("left are %q", names)
	}
}

// TestReplayEndsAtItsSize checks that a log ends at its size, and an empty server begins another
// one.
func TestReplayEndsAtItsSize(t *testing.T) {
	f := newFolder()
	m := newMatch(t, record.Config{Replays: f}, "sv_replay_max_size 1")
	m.join(1).step(150)
	noise, random := make([]byte, 20<<10), rand.NewChaCha8([32]byte{1})
	for range 60 { // a megabyte of requests that the world refuses
		random.Read(noise)
		m.commands = append(m.commands, game.Command{Kind: game.CmdLeave, Player: 63, Text: string(noise)})
		m.step(1)
	}
	m.settle()
	m.step(200)
	testenv.Check(t, strings.Contains(m.log.String(), "the log of this match has reached sv_replay_max_size") && m.rec.Log() == "" && m.restarts == 0,
		"%d new worlds, the log has\n%s", m.restarts, &m.log)
	m.hasClients = false
	m.step(200)
	testenv.Check(t, m.restarts == 1, "%d new worlds", m.restarts)
	m.rec.Close(replay.EndShutdown)
	if res, size := f.verify(t); res.End != replay.EndSizeLimit || res.LastGoodTick < 3*game.TickRate || size > 1<<20+100 {
		t.Errorf("%d bytes, %+v", size, res)
	}
}

// TestBrokenFolder checks that a folder that takes no files is reported once, and that recording
// begins again when it does.
func TestBrokenFolder(t *testing.T) {
	f := newFolder()
	f.fail(errDisk)
	m := newMatch(t, record.Config{Replays: f})
	for range 3 {
		m.begin()
		m.join(1).step(200)
		m.settle()
		m.step(200)
	}
	testenv.Check(t, m.rec.Problem() == errDisk.Error(), "the problem is %q", m.rec.Problem())
	testenv.Check(t, strings.Count(m.log.String(), "matches are not recorded (sv_replay 0 turns recording off): read-only") == 1, "the log has\n%s", &m.log)
	f.fail(nil)
	testenv.Eventually(t, "the folder takes files", func() bool { m.step(60); return m.rec.Problem() == "" })
	m.begin()
	m.join(1).step(200)
	m.settle()
	testenv.Check(t, m.rec.Log() != "", "the match is not recorded")
	m.rec.Close(replay.EndShutdown)
	f.verify(t)
}

// TestStuckDisk checks that a match goes on while the disk hangs, without its log.
func TestStuckDisk(t *testing.T) {
	f := newFolder()
	f.hang = make(chan struct{})
	m := newMatch(t, record.Config{Replays: f})
	m.join(1).step(3 * 60 * game.TickRate) // longer than the queue
	testenv.Check(t, strings.Contains(m.log.String(), "stopped recording this match: the disk is too slow"), "the log has\n%s", &m.log)
	close(f.hang)
	m.rec.Close(replay.EndShutdown)
	// The log is whole up to there.
	if res, _ := f.verify(t); res.Ticks < 60*game.TickRate {
		t.Errorf("%+v", res)
	}
}

// TestTurnedOff checks that sv_replay 0 ends the log.
func TestTurnedOff(t *testing.T) {
	f := newFolder()
	m := newMatch(t, record.Config{Replays: f})
	m.join(1).step(200)
	m.run("sv_replay 0")
	m.step(200)
	m.rec.Close(replay.EndShutdown)
	if res, _ := f.verify(t); res.End != replay.EndTurnedOff || res.Ticks != 200 {
		t.Errorf("%+v", res)
	}
}

// TestRecordedTickAllocatesNothing checks that a log costs no allocation a tick.
func TestRecordedTickAllocatesNothing(t *testing.T) {
	testenv.RequireExactAllocs(t)
	f := newFolder()
	m := newMatch(t, record.Config{Replays: f})
	m.join(4)
	step := func() { // a disk has 20 ms for it
		m.step(1)
		m.settle()
	}
	for range 500 {
		step()
	}
	for _, b := range f.files { // the growth of files in memory does not count
		b.Grow(1 << 20)
	}
	if n := testing.AllocsPerRun(1000, step); n != 0 {
		t.Errorf("%v allocations per tick", n)
	}
	testenv.Check(t, m.rec.Log() != "", "nothing is recorded")
	m.rec.Close(replay.EndShutdown)
}
