package server

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/server/console"
)

// Replays is the folder of the flight recorder's logs. All calls come from one
// goroutine, which may wait for them as long as it takes: the game does not.
type Replays interface {
	// Create makes a file that does not exist yet; otherwise the error is
	// fs.ErrExist. Each Write is a whole number of blocks.
	Create(name string) (io.WriteCloser, error)
	// Names lists the files there are.
	Names() ([]string, error)
	// Remove deletes one of them.
	Remove(name string) error
}

// ReplaySuffix is what the names of replay logs end with. Before it are the
// time and the map: 2026-11-21_030405_teeyard1.twreplay, in UTC.
const ReplaySuffix = ".twreplay"

// replayName is what names look like that rotation may delete. Files that
// somebody gave another name are his.
var replayName = regexp.MustCompile(`^\d{4}-\d\d-\d\d_\d{6}_[A-Za-z0-9_.-]*\.twreplay$`)

// recorder is the server's end of the flight recorder: the loop's goroutine
// encodes, replayWriter compresses and writes. A match that cannot be recorded
// is played all the same.
type recorder struct {
	state       recorderState
	header      replay.Header
	rec         replay.Recorder
	writer      *replayWriter
	full        bool   // the log of this world ended because of its size
	lastTrouble string // the trouble the operator was told of last
}

type recorderState uint8

const (
	recorderOff     recorderState = iota // not this world
	recorderWaiting                      // for somebody to come; the file does not exist yet
	recorderOn
)

// beginReplay starts the recording of a world that was just made.
func (s *Server) beginReplay(gameType string, mode game.Mode, seed uint64) {
	r := &s.recorder
	r.full = false
	if s.settings.Replay == 0 || s.cfg.Replays == nil {
		return
	}
	r.header = replay.Header{
		Program: Program(), StartTime: time.Now().UnixMilli(),
		Map: s.gameMap.Name, MapSHA256: s.gameMap.SHA256,
		Terrain: s.gameMap.terrain, Rules: s.gameRules(), Tuning: s.tuning, Seed: seed,
	}
	r.header.SetMode(gameType, mode, s.cfg.Mods)
	r.state = recorderWaiting
}

// Program is the name and version of this program, as replay logs note it.
func Program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "teeyard"
	}
	return "teeyard " + info.Main.Version
}

// endReplay ends the recording of this world.
func (s *Server) endReplay(why replay.EndReason) {
	r := &s.recorder
	if r.state == recorderOn {
		if r.rec.PendingTicks() > 0 && why != replay.EndRecorderFault {
			if why == replay.EndCrash {
				r.writer.enqueue(replayJob{kind: jobBlock, block: r.rec.TakeBlockUnhashed(nil)})
			} else {
				r.writer.enqueue(replayJob{kind: jobBlock, block: r.rec.TakeBlock(s.world.Hash(), nil)})
			}
		}
		r.writer.enqueue(replayJob{kind: jobEnd, reason: why})
	}
	r.state = recorderOff
}

// closeReplay ends the recording and waits until it is on disk, but not for
// ever: a disk that hangs must not keep the server from ending.
func (s *Server) closeReplay(why replay.EndReason) {
	s.endReplay(why)
	if out := s.recorder.writer; out != nil {
		s.recorder.writer = nil
		close(out.jobs)
		select {
		case <-out.done:
		case <-time.After(replayCloseTimeout):
			s.print(console.Standard, "replay", "the disk does not answer, the end of the replay log may be lost")
		}
		s.reportReplayTrouble(out)
	}
}

// replayCloseTimeout is how long the end of the server waits for the disk.
const replayCloseTimeout = 2 * time.Second

// stepWorld runs a tick of the world and records it.
func (s *Server) stepWorld() []game.Event {
	r := &s.recorder
	if r.state == recorderWaiting {
		switch {
		case len(s.pendingCommands) > 0:
			s.openReplay()
		case r.header.IdleTicks < replay.MaxIdleTicks:
			r.header.IdleTicks++
		default:
			s.reloadMap = true // a day alone; a fresh world costs nobody anything
		}
	}
	if r.state != recorderOn {
		return s.world.Step(s.pendingCommands)
	}
	if err := r.rec.RecordTick(s.pendingCommands); err != nil {
		s.failReplay(err.Error())
		return s.world.Step(s.pendingCommands)
	}
	alive := false
	defer func() {
		if !alive {
			s.closeReplay(replay.EndCrash) // the log shows what the world did not survive
		}
	}()
	events := s.world.Step(s.pendingCommands)
	alive = true
	if r.rec.BlockReady() {
		s.writeReplayBlock()
	}
	return events
}

// openReplay begins the file.
func (s *Server) openReplay() {
	r := &s.recorder
	if r.writer == nil {
		r.writer = newReplayWriter(s.cfg.Replays)
	}
	h := r.header
	name := time.UnixMilli(h.StartTime).UTC().Format("2006-01-02_150405_") + safeFileName(h.Map)
	if !r.writer.enqueue(replayJob{kind: jobOpen, header: &h, name: name,
		maxFiles: s.settings.ReplayMaxFiles, maxSize: int64(s.settings.ReplayMaxSize) << 20}) {
		s.failReplay("the disk is too slow")
		return
	}
	r.rec.Begin(h.IdleTicks)
	r.state = recorderOn
}

// writeReplayBlock hands a block to the writer.
func (s *Server) writeReplayBlock() {
	r := &s.recorder
	if !s.reportReplayTrouble(r.writer) {
		return
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

// failReplay gives up recording this world.
func (s *Server) failReplay(why string) {
	s.print(console.Standard, "replay", fmt.Sprintf("not recording this match any more: %s", why))
	s.endReplay(replay.EndRecorderFault)
}

// reportReplayTrouble tells the operator what the writer ran into. It returns false if
// there is no point in going on.
func (s *Server) reportReplayTrouble(out *replayWriter) bool {
	t := out.trouble.Swap(nil)
	if t == nil {
		return true
	}
	if errors.Is(*t, errReplayFull) {
		s.recorder.full = true
		s.print(console.Standard, "replay", "the log of this match has reached sv_replay_max_size; recording goes on with the next map")
	} else if said := (*t).Error(); said != s.recorder.lastTrouble {
		// Once is enough for a folder that cannot be written to, map after map.
		s.recorder.lastTrouble = said
		s.print(console.Standard, "replay", fmt.Sprintf("matches are not recorded (sv_replay 0 turns recording off): %v", *t))
	}
	s.recorder.state = recorderOff
	return false
}

// restartAfterFullReplay starts the map anew when nobody is there to mind and the log of the
// world is full: a server that never changes its map shall not stay without.
func (s *Server) restartAfterFullReplay() {
	if s.recorder.full && s.numClients() == 0 {
		s.recorder.full = false
		s.reloadMap = true
	}
}

// safeFileName makes a map's name fit for a file's.
func safeFileName(m string) string {
	m = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' {
			return c
		}
		return '_'
	}, m)
	return m[:min(len(m), 64)]
}

// errReplayFull is the writer's word for a log that is as large as it may be.
var errReplayFull = errors.New("server: replay log full")

type replayJobKind uint8

const (
	jobOpen replayJobKind = iota
	jobBlock
	jobEnd
)

type replayJob struct {
	kind     replayJobKind
	name     string
	header   *replay.Header
	maxFiles int
	maxSize  int64
	block    []byte
	reason   replay.EndReason
}

// replayQueue and replayQueueBytes bound what waits for the disk: more than a
// minute of a normal match.
const (
	replayQueue      = 128
	replayQueueBytes = 16 << 20
)

// replayWriter is the goroutine that knows the disk.
type replayWriter struct {
	jobs        chan replayJob
	freeBlocks  chan []byte
	queuedBytes atomic.Int64 // bytes of blocks in jobs
	trouble     atomic.Pointer[error]
	done        chan struct{}

	dir     Replays
	file    io.WriteCloser
	size    int64
	maxSize int64
	packer  replay.Encoder
	buf     []byte
}

func newReplayWriter(dir Replays) *replayWriter {
	w := &replayWriter{
		dir: dir, jobs: make(chan replayJob, replayQueue), freeBlocks: make(chan []byte, 4), done: make(chan struct{}),
	}
	go w.run()
	return w
}

// enqueue hands over a job, false if there is no room.
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

// maxSpareBlock is the largest buffer worth keeping.
const maxSpareBlock = 256 << 10

func (w *replayWriter) handle(j *replayJob) (err error) {
	switch j.kind {
	case jobOpen:
		w.close()
		w.rotate(j.maxFiles)
		if w.buf, err = w.packer.AppendHeader(w.buf[:0], j.header); err != nil {
			return err
		}
		if w.file, err = w.create(j.name); err != nil {
			w.file = nil
			return err
		}
		w.size, w.maxSize = 0, j.maxSize
		err = w.write()
		w.buf = nil // headers are large, blocks are not
		return err
	case jobBlock:
		if w.file == nil {
			return nil
		}
		if w.buf = w.packer.AppendTicks(w.buf[:0], j.block); w.size+int64(len(w.buf)) > w.maxSize {
			w.buf = w.packer.AppendEnd(w.buf[:0], replay.EndSizeLimit)
			return errors.Join(errReplayFull, w.write())
		}
		return w.write()
	default:
		if w.file == nil {
			return nil
		}
		w.buf = w.packer.AppendEnd(w.buf[:0], j.reason)
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

// create makes a file of that name, or of a like one if another world had it in
// the same second.
func (w *replayWriter) create(name string) (f io.WriteCloser, err error) {
	for i := range 100 {
		n := name
		if i > 0 {
			n = fmt.Sprintf("%s.%d", name, i)
		}
		if f, err = w.dir.Create(n + ReplaySuffix); !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, err
}

// rotate makes room for one more log. What cannot be deleted stays.
func (w *replayWriter) rotate(keep int) {
	if keep == 0 {
		return
	}
	names, err := w.dir.Names()
	if err != nil {
		return
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !replayName.MatchString(n) })
	slices.Sort(names)
	for len(names) >= keep {
		_ = w.dir.Remove(names[0])
		names = names[1:]
	}
}
