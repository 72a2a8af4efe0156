package record

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

// ReplaySuffix is the end of the names of replay logs. A name begins with the time in UTC and the
// map: 2026-11-21_030405_teeyard1.twreplay.
const ReplaySuffix = ".twreplay"

// replayName matches the names of files that rotation may delete.
var replayName = regexp.MustCompile(`^\d{4}-\d\d-\d\d_\d{6}_[A-Za-z0-9_.-]*\.twreplay$`)

// replayLog is the replay log of the match. The loop encodes, and the goroutine of a logWriter
// compresses and writes.
type replayLog struct {
	state   replayState
	header  replay.Header
	rec     replay.Recorder
	result  *replay.ResultKeeper
	writer  *logWriter
	full    bool             // the log of this match has reached its size limit
	trouble later.Trouble    // with the folder, as printed last
	problem string           // why the last match was not recorded, until the folder takes files again
	probe   later.Job[error] // tries whether the folder takes files
}

type replayState uint8

const (
	replayOff     replayState = iota // the match is not recorded
	replayWaiting                    // for the first command; the file does not exist yet
	replayOn
)

// beginReplay begins the log of a match.
func (r *Recorder) beginReplay() {
	l, m := &r.replay, &r.match
	l.full = false
	if r.Settings.Replay == 0 || r.cfg.Replays == nil {
		return
	}
	l.header = replay.Header{
		Program: r.cfg.Program, StartTime: time.Now().UnixMilli(),
		Map: m.Map.Name, MapSHA256: m.Map.SHA256,
		Terrain: m.Terrain, Rules: m.Rules, Tuning: m.Tuning, Seed: m.Seed,
	}
	l.header.SetMode(m.GameType, m.Mode, m.Mods)
	l.header.SetVariables(m.World)
	for i, name := range m.ModNames {
		l.header.Mods[i].Name = name
	}
	if m.Resumed {
		l.setState(m.World)
		l.header.StartTime -= (time.Duration(m.World.Tick()) * tickDuration).Milliseconds()
	}
	l.state = replayWaiting
}

// setState makes the log begin with the world as it is now.
func (l *replayLog) setState(w *game.World) {
	l.header.State, l.header.StateTick = w.AppendState(nil), w.Tick()
}

// endReplay ends the log.
func (r *Recorder) endReplay(why replay.EndReason) {
	l := &r.replay
	if l.state == replayOn {
		if l.rec.PendingTicks() > 0 && why != replay.EndRecorderFault {
			if why == replay.EndCrash {
				l.writer.enqueue(logJob{kind: jobBlock, block: l.rec.TakeBlockUnhashed(nil)})
			} else {
				l.writer.enqueue(logJob{kind: jobBlock, block: l.rec.TakeBlock(r.match.World.Hash(), nil)})
			}
		}
		end := logJob{kind: jobEnd, reason: why}
		if why != replay.EndCrash {
			l.result.Watch(r.match.World)
			end.result = l.result.Result()
		}
		l.writer.enqueue(end)
	}
	l.state = replayOff
}

// closeReplay ends the log and waits until it is written, up to closeTimeout.
func (r *Recorder) closeReplay(why replay.EndReason) {
	r.endReplay(why)
	out := r.replay.writer
	if out == nil {
		return
	}
	r.replay.writer = nil
	if !out.close() {
		r.print(console.Warning, "replay", "the disk does not answer; the end of the replay log may be lost")
	}
	r.reportReplayTrouble(out)
}

// BeforeTick records the commands of a tick, before the world runs them. The log of a tick that
// crashes thus contains its commands.
func (r *Recorder) BeforeTick(cmds []game.Command) {
	l := &r.replay
	if l.state == replayWaiting {
		switch {
		case len(cmds) > 0 || l.header.State != nil:
			r.openReplay()
		case l.header.IdleTicks < replay.MaxIdleTicks:
			l.header.IdleTicks++
		default:
			r.host.Restart() // after a day without players, a new world makes no difference
		}
	}
	if l.state != replayOn {
		return
	}
	if err := l.rec.RecordTick(cmds); err != nil {
		r.failReplay(err.Error())
	}
}

// recordStops ends the tick of BeforeTick.
func (r *Recorder) recordStops(stops []game.Command) {
	l, w := &r.replay, r.match.World
	switch {
	case l.state == replayWaiting && len(stops) > 0: // stops are not part of ticks without commands
		l.setState(w)
	case l.state == replayOn:
		if len(stops) > 0 {
			l.rec.RecordStops(stops)
		}
		if l.rec.BlockReady() {
			r.writeReplayBlock()
			l.result.Watch(w)
		}
	}
}

// openReplay creates the log.
func (r *Recorder) openReplay() {
	l := &r.replay
	if l.writer == nil {
		l.writer = newLogWriter(r.cfg.Replays)
	}
	r.reportReplayTrouble(l.writer) // of the match before
	l.writer.created.Store(nil)
	h := l.header
	began := time.UnixMilli(h.StartTime).Add(time.Duration(h.StateTick) * tickDuration)
	name := began.UTC().Format("2006-01-02_150405_") + safeFileName(h.Map)
	if !l.writer.enqueue(logJob{kind: jobOpen, header: &h, name: name, suffix: ReplaySuffix, match: replayName,
		maxFiles: r.Settings.ReplayMaxFiles, maxSize: int64(r.Settings.ReplayMaxSize) << 20}) {
		r.failReplay("the disk is too slow")
		return
	}
	l.rec.Begin(h.TickBefore())
	l.result = new(replay.ResultKeeper)
	l.state = replayOn
}

// writeReplayBlock passes a block to the writer.
func (r *Recorder) writeReplayBlock() {
	l := &r.replay
	if !r.reportReplayTrouble(l.writer) {
		return
	}
	if l.writer.created.Load() != nil {
		l.problem = ""
	}
	if !l.writer.enqueue(logJob{kind: jobBlock, block: l.rec.TakeBlock(r.match.World.Hash(), l.writer.spareBlock())}) {
		r.failReplay("the disk is too slow")
	}
}

// failReplay stops recording this match.
func (r *Recorder) failReplay(why string) {
	r.print(console.Warning, "replay", fmt.Sprintf("stopped recording this match: %s", why))
	r.replay.problem = why
	r.endReplay(replay.EndRecorderFault)
}

// reportReplayTrouble prints the writer's error and stops recording, if there is an error. It
// reports whether recording goes on.
func (r *Recorder) reportReplayTrouble(out *logWriter) bool {
	l := &r.replay
	t := out.trouble.Swap(nil)
	switch {
	case t == nil:
		return true
	case errors.Is(*t, errFull):
		l.full = true
		r.print(console.Warning, "replay", "the log of this match has reached sv_replay_max_size; recording continues with the next map")
	default:
		// A folder that cannot be written to fails with every map; this is printed once.
		if l.problem = (*t).Error(); l.trouble.NoteError(*t) {
			r.print(console.Warning, "replay", fmt.Sprintf("matches are not recorded (sv_replay 0 turns recording off): %v", *t))
		}
	}
	l.state = replayOff
	return false
}

// probeInterval is the time between two tries whether a folder takes files again, in ticks.
const probeInterval = game.TickRate

// probeReplays tries whether the folder takes files again after it did not. Then the next match is
// recorded, and an empty server begins a match.
func (r *Recorder) probeReplays() {
	l := &r.replay
	if l.problem == "" || l.state == replayOn || l.writer == nil || r.Settings.Replay == 0 || r.match.World.Tick()%probeInterval != 0 {
		return
	}
	err, probed := l.probe.Take()
	switch {
	case probed && err == nil:
		l.problem, l.trouble = "", later.Trouble{}
		l.full = l.full || l.state == replayOff
		r.print(console.Standard, "replay", "replay logs can be written again: the next match is recorded")
		return
	case l.probe.Running():
		return
	}
	if !l.writer.enqueue(logJob{kind: jobProbe, probed: l.probe.Begin()}) {
		l.probe = later.Job[error]{}
	}
}

// Log returns the name of the replay log of this match, "" if there is none.
func (r *Recorder) Log() string {
	if r.replay.state == replayOn {
		if name := r.replay.writer.created.Load(); name != nil {
			return *name
		}
	}
	return ""
}

// Problem returns why matches are not recorded as replay logs, "" if they are or need not be.
func (r *Recorder) Problem() string {
	if r.Settings.Replay == 0 {
		return ""
	}
	return r.replay.problem
}

// safeFileName returns a file name for the name of a map.
func safeFileName(m string) string {
	m = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' {
			return c
		}
		return '_'
	}, m)
	return m[:min(len(m), 64)]
}
