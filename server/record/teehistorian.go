package record

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/uuid"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

// TeehistorianSuffix is the end of the names of teehistorians. The beginning is the UUID of the
// match, as in DDNet-Server. The order of our UUIDs is the order in time.
const TeehistorianSuffix = ".teehistorian"

// teehistorianName matches the names of files that rotation may delete. DDNet-Server has UUIDs of
// another kind.
var teehistorianName = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.teehistorian$`)

// teehistorians records matches of DDRace as DDNet-Server does, beside replay logs. The loop
// encodes, and the goroutine of the writer writes.
type teehistorians struct {
	waits   bool                   // for the first command of this match
	rec     *recorder.Teehistorian // nil if this match is not recorded
	writer  *logWriter
	trouble later.Trouble // with the folder, as printed last
}

// teehistorianBlock is the time between two blocks for the disk, in ticks.
const teehistorianBlock = game.TickRate

// beginTeehistorian begins the recording of a match.
func (r *Recorder) beginTeehistorian() {
	h := &r.teehistorians
	h.waits, h.rec = r.Settings.TeeHistorian != 0 && r.cfg.Teehistorians != nil && r.match.World.IsDDRace(), nil
	if h.waits && r.match.Resumed {
		h.waits = false // the recording would not say where the tees come from
		r.print(console.Warning, "teehistorian",
			"this match is not recorded, since it began before the server restarted; recording continues with the next map")
	}
}

// openTeehistorian creates the file.
func (r *Recorder) openTeehistorian() error {
	h, m := &r.teehistorians, &r.match
	now := time.Now()
	id := uuid.At(now)
	began := now.Add(-time.Duration(m.World.Tick()) * tickDuration) // ticks count from there
	name, port := r.host.Identity()
	rec, err := recorder.NewTeehistorian(recorder.TeehistorianConfig{
		World: m.World, Client: r.host.Client,
		Header: teehistorian.Header{
			GameUUID: id, ServerVersion: r.cfg.Program, StartTime: began.Format("2006-01-02T15:04:05-0700"),
			ServerName: name, ServerPort: strconv.Itoa(port),
			MapName: m.Map.Name, MapSize: strconv.Itoa(len(m.Map.File)),
			MapSHA256: fmt.Sprintf("%x", m.Map.SHA256), MapCRC: fmt.Sprintf("%08x", m.Map.CRC),
		},
	})
	if err != nil {
		return err
	}
	if h.writer == nil {
		h.writer = newLogWriter(r.cfg.Teehistorians)
	}
	block, err := rec.Take(nil)
	if err != nil {
		return err
	}
	if !h.writer.enqueue(logJob{
		kind: jobOpen, block: block, name: id, suffix: TeehistorianSuffix, match: teehistorianName,
		maxFiles: r.Settings.TeeHistorianMaxFiles, maxSize: int64(r.Settings.TeeHistorianMaxSize) << 20,
	}) {
		return errStuckDisk
	}
	h.rec = rec
	return nil
}

// Login records that a client has logged in to the remote console, or out.
func (r *Recorder) Login(id game.PlayerID, l recorder.TeehistorianLogin) {
	if rec := r.teehistorians.rec; rec != nil {
		rec.Login(id, l)
	}
}

// DDNetVersion records the version that a client of DDNet has sent.
func (r *Recorder) DDNetVersion(id game.PlayerID, version int32) {
	if rec := r.teehistorians.rec; rec != nil {
		rec.DDNetVersion(id, version)
	}
}

// recordHistory records a tick.
func (r *Recorder) recordHistory(cmds []game.Command, events []game.Event) {
	h := &r.teehistorians
	if h.waits && len(cmds) > 0 {
		h.waits = false
		if err := r.openTeehistorian(); err != nil {
			r.failTeehistorian(err)
		}
	}
	if h.rec == nil {
		return
	}
	h.rec.Tick(r.match.World, cmds, events)
	if r.match.World.Tick()%teehistorianBlock == 0 {
		r.writeTeehistorian()
	}
}

// writeTeehistorian passes a block to the writer.
func (r *Recorder) writeTeehistorian() {
	h := &r.teehistorians
	if !r.reportTeehistorianTrouble(h.writer) {
		return
	}
	block, err := h.rec.Take(h.writer.spareBlock()[:0])
	if err == nil && !h.writer.enqueue(logJob{kind: jobBlock, block: block}) {
		err = errStuckDisk
	}
	if err != nil {
		r.failTeehistorian(err)
	}
}

// endTeehistorian ends the recording.
func (r *Recorder) endTeehistorian() {
	h := &r.teehistorians
	if h.waits = false; h.rec == nil {
		return
	}
	h.rec.End()
	r.writeTeehistorian()
	h.writer.enqueue(logJob{kind: jobEnd})
	h.rec = nil
}

// failTeehistorian stops recording this match.
func (r *Recorder) failTeehistorian(err error) {
	h := &r.teehistorians
	if h.rec = nil; h.writer != nil {
		h.writer.enqueue(logJob{kind: jobEnd})
	}
	r.print(console.Warning, "teehistorian", fmt.Sprintf("stopped recording this match: %v", err))
}

// reportTeehistorianTrouble prints the writer's error and stops recording, if there is an error. It
// reports whether recording goes on.
func (r *Recorder) reportTeehistorianTrouble(out *logWriter) bool {
	h := &r.teehistorians
	t := out.trouble.Swap(nil)
	if t == nil {
		return true
	}
	h.rec = nil
	if errors.Is(*t, errFull) {
		r.print(console.Warning, "teehistorian", "the recording of this match has reached sv_tee_historian_max_size; recording continues with the next map")
	} else if h.trouble.NoteError(*t) {
		r.print(console.Warning, "teehistorian", fmt.Sprintf("matches are not recorded (sv_tee_historian 0 turns recording off): %v", *t))
	}
	return false
}

// closeTeehistorian ends the recording and waits until it is written, up to closeTimeout.
func (r *Recorder) closeTeehistorian() {
	r.endTeehistorian()
	out := r.teehistorians.writer
	if out == nil {
		return
	}
	r.teehistorians.writer = nil
	if !out.close() {
		r.print(console.Warning, "teehistorian", "the disk does not answer; the end of the recording may be lost")
	}
	r.reportTeehistorianTrouble(out)
}
