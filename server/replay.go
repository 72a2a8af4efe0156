package server

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/server/console"
)

// ReplaySuffix is the end of the names of replay logs. Before it are the time in UTC and
// the map: 2026-11-21_030405_teeyard1.twreplay.
const ReplaySuffix = ".twreplay"

// replayName matches the names of files that rotation may delete.
var replayName = regexp.MustCompile(`^\d{4}-\d\d-\d\d_\d{6}_[A-Za-z0-9_.-]*\.twreplay$`)

// replayRecorder records matches as replay logs: the server's goroutine encodes, that of
// replayWriter compresses and writes. A match goes on if it cannot be recorded. The
// recorder is not an [Observer], because it records commands before the world runs them:
// the log of a tick that crashes has its commands.
type replayRecorder struct {
	state       replayState
	header      replay.Header
	rec         replay.Recorder
	result      *replay.ResultKeeper
	writer      *replayWriter
	full        bool   // the log of this world has reached its size limit
	lastTrouble string // last printed
	problem     string // why the last match was not recorded, until one is, or the folder takes files again
	probing     bool   // the writer tries whether it does
}

type replayState uint8

const (
	replayOff     replayState = iota // this world is not recorded
	replayWaiting                    // for the first command; the file does not exist yet
	replayOn
)

// beginReplay starts the recording of a new world.
func (s *Server) beginReplay(gameType string, mode game.Mode, mods []game.Mod, seed uint64) {
	r := &s.replay
	r.full = false
	if s.settings.Replay == 0 || s.cfg.Replays == nil {
		return
	}
	r.header = replay.Header{
		Program: Program(), StartTime: time.Now().UnixMilli(),
		Map: s.gameMap.Name, MapSHA256: s.gameMap.SHA256,
		Terrain: s.gameMap.terrain, Rules: s.gameRules(), Tuning: s.tuning, Seed: seed,
	}
	r.header.SetMode(gameType, mode, mods)
	r.header.SetVariables(s.world)
	for i, named := range s.gameMap.mods {
		r.header.Mods[len(s.cfg.Mods)+i].Name = named.name
	}
	if s.resume.from != nil {
		r.header.State, r.header.StateTick = s.world.AppendState(nil), s.world.Tick()
		r.header.StartTime -= (time.Duration(s.world.Tick()) * tickDuration).Milliseconds()
	}
	r.state = replayWaiting
}

// endReplay ends the recording of this world.
func (s *Server) endReplay(why replay.EndReason) {
	r := &s.replay
	if r.state == replayOn {
		if r.rec.PendingTicks() > 0 && why != replay.EndRecorderFault {
			if why == replay.EndCrash {
				r.writer.enqueue(replayJob{kind: jobBlock, block: r.rec.TakeBlockUnhashed(nil)})
			} else {
				r.writer.enqueue(replayJob{kind: jobBlock, block: r.rec.TakeBlock(s.world.Hash(), nil)})
			}
		}
		end := replayJob{kind: jobEnd, reason: why}
		if why != replay.EndCrash {
			r.result.Watch(s.world)
			end.result = r.result.Result()
		}
		r.writer.enqueue(end)
	}
	r.state = replayOff
}

// closeReplay ends the recording and waits until it is written, up to replayCloseTimeout.
func (s *Server) closeReplay(why replay.EndReason) {
	s.endReplay(why)
	if out := s.replay.writer; out != nil {
		s.replay.writer = nil
		close(out.jobs)
		select {
		case <-out.done:
		case <-time.After(replayCloseTimeout):
			s.print(console.Warning, "replay", "the disk does not answer; the end of the replay log may be lost")
		}
		s.reportReplayTrouble(out)
	}
}

// replayCloseTimeout limits how long the server waits for the disk at its end.
const replayCloseTimeout = 2 * time.Second

// stepWorld runs a tick of the world and records its commands.
func (s *Server) stepWorld() []game.Event {
	r := &s.replay
	if r.state == replayWaiting {
		switch {
		case len(s.pendingCommands) > 0 || r.header.State != nil:
			s.openReplay()
		case r.header.IdleTicks < replay.MaxIdleTicks:
			r.header.IdleTicks++
		default:
			s.mapChange.restart = true // after a day without players, a new world makes no difference
		}
	}
	if r.state == replayWaiting {
		events := s.runWorld()
		if len(s.takeHookStops()) > 0 { // which are no part of ticks without commands
			r.header.State, r.header.StateTick = s.world.AppendState(nil), s.world.Tick()
		}
		return events
	}
	if r.state != replayOn {
		return s.runWorld()
	}
	if err := r.rec.RecordTick(s.pendingCommands); err != nil {
		s.failReplay(err.Error())
		return s.runWorld()
	}
	alive := false
	defer func() {
		if !alive {
			r.rec.RecordStops(s.takeHookStops())
			s.closeDemos()
			s.closeTeehistorian()
			s.closeReplay(replay.EndCrash) // with the commands that made the world panic
		}
	}()
	events := s.runWorld()
	alive = true
	if stops := s.takeHookStops(); len(stops) > 0 {
		r.rec.RecordStops(stops)
	}
	if r.rec.BlockReady() {
		s.writeReplayBlock()
		r.result.Watch(s.world)
	}
	return events
}

// runWorld runs a tick of the world.
func (s *Server) runWorld() []game.Event {
	s.watchdog.begin(s.world.Tick() + 1)
	s.hookClock.begin()
	events := s.world.Step(s.pendingCommands)
	s.hookClock.end()
	s.watchdog.end()
	return events
}

// takeHookStops returns the commands that stop hooks where the clock has stopped them in the last tick.
func (s *Server) takeHookStops() []game.Command {
	if !s.hookClock.used {
		return nil
	}
	s.hookStops = s.world.AppendHookStops(s.hookStops[:0])
	return s.hookStops
}

// openReplay begins the log.
func (s *Server) openReplay() {
	r := &s.replay
	if r.writer == nil {
		r.writer = newReplayWriter(s.cfg.Replays)
	}
	s.reportReplayTrouble(r.writer) // of the match before
	r.writer.created.Store(nil)
	h := r.header
	began := time.UnixMilli(h.StartTime).Add(time.Duration(h.StateTick) * tickDuration)
	name := began.UTC().Format("2006-01-02_150405_") + safeFileName(h.Map)
	if !r.writer.enqueue(replayJob{kind: jobOpen, header: &h, name: name, suffix: ReplaySuffix, match: replayName,
		maxFiles: s.settings.ReplayMaxFiles, maxSize: int64(s.settings.ReplayMaxSize) << 20}) {
		s.failReplay("the disk is too slow")
		return
	}
	r.rec.Begin(h.TickBefore())
	r.result = new(replay.ResultKeeper)
	r.state = replayOn
}

// writeReplayBlock passes a block to the writer.
func (s *Server) writeReplayBlock() {
	r := &s.replay
	if !s.reportReplayTrouble(r.writer) {
		return
	}
	if r.writer.created.Load() != nil {
		r.problem = ""
	}
	var spare []byte
	select {
	case spare = <-r.writer.freeBlocks:
	default:
	}
	if !r.writer.enqueue(replayJob{kind: jobBlock, block: r.rec.TakeBlock(s.world.Hash(), spare)}) {
		s.failReplay("the disk is too slow")
	}
}

// failReplay stops recording this world.
func (s *Server) failReplay(why string) {
	s.print(console.Warning, "replay", fmt.Sprintf("stopped recording this match: %s", why))
	s.replay.problem = why
	s.endReplay(replay.EndRecorderFault)
}

// reportReplayTrouble prints the writer's error and stops recording, if there is one. It
// reports whether recording goes on.
func (s *Server) reportReplayTrouble(out *replayWriter) bool {
	t := out.trouble.Swap(nil)
	if t == nil {
		return true
	}
	if errors.Is(*t, errReplayFull) {
		s.replay.full = true
		s.print(console.Warning, "replay", "the log of this match has reached sv_replay_max_size; recording continues with the next map")
	} else if said := (*t).Error(); said != s.replay.lastTrouble {
		// A folder that cannot be written to fails with every map; this is printed once.
		s.replay.lastTrouble = said
		s.print(console.Warning, "replay", fmt.Sprintf("matches are not recorded (sv_replay 0 turns recording off): %v", *t))
	}
	if !errors.Is(*t, errReplayFull) {
		s.replay.problem = (*t).Error()
	}
	s.replay.state = replayOff
	return false
}

// probeInterval is the time between two tries whether a folder takes files again, in ticks.
const probeInterval = game.TickRate

// probeReplays tries whether the folder takes files again after it did not. Then the next match is
// recorded, and an empty server begins one.
func (s *Server) probeReplays() {
	r := &s.replay
	if r.problem == "" || r.state == replayOn || r.writer == nil || s.settings.Replay == 0 || s.clock.tick%probeInterval != 0 {
		return
	}
	if r.probing {
		p := r.writer.probed.Swap(nil)
		if p == nil {
			return
		}
		if r.probing = false; *p == nil {
			r.problem, r.lastTrouble = "", ""
			r.full = r.full || r.state == replayOff
			s.print(console.Standard, "replay", "replay logs can be written again: the next match is recorded")
			return
		}
	}
	r.probing = r.writer.enqueue(replayJob{kind: jobProbe})
}

// restartAfterFullReplay starts a new world when its log is full and nobody is connected, so
// that a server that never changes its map records again.
func (s *Server) restartAfterFullReplay() {
	if s.replay.full && s.numClients() == 0 {
		s.replay.full = false
		s.mapChange.restart = true
	}
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

// errReplayFull is the error of a log that has reached its size limit.
var errReplayFull = errors.New("server: replay log full")

type replayJobKind uint8

const (
	jobOpen replayJobKind = iota
	jobBlock
	jobEnd
	jobProbe
)

type replayJob struct {
	kind     replayJobKind
	name     string
	suffix   string
	match    *regexp.Regexp // the names of files that rotation may delete
	header   *replay.Header // nil for files of another kind, whose blocks are written as they are
	maxFiles int
	maxSize  int64
	block    []byte
	reason   replay.EndReason
	result   *replay.MatchResult // nil for none
}

// replayQueue and replayQueueBytes limit the jobs, and the bytes in them, that wait for the
// disk: more than a minute of a normal match.
const (
	replayQueue      = 128
	replayQueueBytes = 16 << 20
)

// replayWriter writes replay logs or teehistorians in a goroutine.
type replayWriter struct {
	jobs        chan replayJob
	freeBlocks  chan []byte
	queuedBytes atomic.Int64 // bytes of blocks in jobs
	trouble     atomic.Pointer[error]
	created     atomic.Pointer[string] // the name of the log
	probed      atomic.Pointer[error]  // what the last try of the folder led to
	done        chan struct{}

	logs    recordings
	file    io.WriteCloser
	size    int64
	maxSize int64
	raw     bool
	packer  replay.Encoder
	buf     []byte
}

func newReplayWriter(dir Folder) *replayWriter {
	w := &replayWriter{
		logs: recordings{dir: dir}, jobs: make(chan replayJob, replayQueue), freeBlocks: make(chan []byte, 4), done: make(chan struct{}),
	}
	go w.run()
	return w
}

// enqueue passes a job to the goroutine. It returns false if the queue is full.
func (w *replayWriter) enqueue(j replayJob) bool {
	if w.queuedBytes.Load() > replayQueueBytes {
		return false
	}
	w.queuedBytes.Add(int64(len(j.block)))
	select {
	case w.jobs <- j:
		return true
	default:
		w.queuedBytes.Add(-int64(len(j.block)))
		return false
	}
}

func (w *replayWriter) run() {
	defer close(w.done)
	for j := range w.jobs {
		if err := w.handle(&j); err != nil {
			w.trouble.Store(&err)
			w.close()
		}
		if j.block != nil {
			w.queuedBytes.Add(-int64(len(j.block)))
			if cap(j.block) <= maxSpareBlock {
				select {
				case w.freeBlocks <- j.block[:0]:
				default:
				}
			}
		}
	}
	w.close()
}

// maxSpareBlock is the largest buffer that is reused, in bytes.
const maxSpareBlock = 256 << 10

func (w *replayWriter) handle(j *replayJob) (err error) {
	switch j.kind {
	case jobProbe:
		err := w.logs.probe()
		w.probed.Store(&err)
		return nil
	case jobOpen:
		w.close()
		if w.raw = j.header == nil; w.raw {
			w.buf = append(w.buf[:0], j.block...)
		} else if w.buf, err = w.packer.AppendHeader(w.buf[:0], j.header); err != nil {
			return err
		}
		var name string
		if w.file, name, err = w.logs.create(j.name, j.suffix); err != nil {
			w.file = nil
			return err
		}
		w.size, w.maxSize = 0, j.maxSize
		err = w.write()
		w.buf = nil // headers are large and blocks are not
		if err != nil {
			w.close()
			w.logs.remove(name)
			return err
		}
		w.created.Store(&name)
		w.logs.rotate(j.match, j.maxFiles)
		return nil
	case jobBlock:
		if w.file == nil {
			return nil
		}
		if w.raw {
			if w.size+int64(len(j.block)) > w.maxSize {
				return errReplayFull
			}
			w.buf = append(w.buf[:0], j.block...)
			return w.write()
		}
		if w.buf = w.packer.AppendTicks(w.buf[:0], j.block); w.size+int64(len(w.buf)) > w.maxSize {
			w.buf = w.packer.AppendEnd(w.buf[:0], replay.EndSizeLimit, nil)
			return errors.Join(errReplayFull, w.write())
		}
		return w.write()
	default:
		if w.file == nil {
			return nil
		}
		if w.raw {
			return w.close()
		}
		w.buf = w.packer.AppendEnd(w.buf[:0], j.reason, j.result)
		return errors.Join(w.write(), w.close())
	}
}

func (w *replayWriter) write() error {
	w.size += int64(len(w.buf))
	_, err := w.file.Write(w.buf)
	return err
}

func (w *replayWriter) close() error {
	if w.file == nil {
		return nil
	}
	err := w.file.Close()
	w.file = nil
	return err
}
