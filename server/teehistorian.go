package server

import (
	crand "crypto/rand"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server/console"
)

// TeehistorianSuffix is the end of the names of teehistorians. Before it is the UUID of the match, as
// DDNet-Server names them; ours are in the order of time.
const TeehistorianSuffix = ".teehistorian"

// teehistorianName matches the names of files that rotation may delete: those of DDNet-Server have
// UUIDs of another kind.
var teehistorianName = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.teehistorian$`)

// teehistorianRecorder records matches of DDRace as DDNet-Server does, beside replay logs: the server's
// goroutine encodes, that of the writer writes.
type teehistorianRecorder struct {
	waits       bool                   // for the first command of this world
	rec         *recorder.Teehistorian // nil if this world is not recorded
	writer      *replayWriter
	lastTrouble string // last printed
}

// teehistorianBlock is how often what was recorded goes to the disk, in ticks.
const teehistorianBlock = game.TickRate

// beginTeehistorian starts the recording of a new world.
func (s *Server) beginTeehistorian() {
	h := &s.teehistorian
	h.waits, h.rec = s.settings.TeeHistorian != 0 && s.cfg.Teehistorians != nil && s.world.IsDDRace(), nil
	if h.waits && s.resume.from != nil {
		h.waits = false // where its tees come from is not in it
		s.print(console.Warning, "teehistorian", "this match is not recorded, since it began before the server restarted; recording continues with the next map")
	}
}

// openTeehistorian begins the recording.
func (s *Server) openTeehistorian() error {
	h := &s.teehistorian
	now := time.Now()
	uuid := timeUUID(now)
	began := now.Add(-time.Duration(s.world.Tick()) * tickDuration) // ticks count from there
	rec, err := recorder.NewTeehistorian(recorder.TeehistorianConfig{
		World: s.world, Client: s.teehistorianClient,
		Header: teehistorian.Header{
			GameUUID: uuid, ServerVersion: Program(), StartTime: began.Format("2006-01-02T15:04:05-0700"),
			ServerName: s.settings.Name, ServerPort: strconv.Itoa(int(s.Addr().Port())),
			MapName: s.gameMap.Name, MapSize: strconv.Itoa(len(s.gameMap.File)),
			MapSHA256: fmt.Sprintf("%x", s.gameMap.SHA256), MapCRC: fmt.Sprintf("%08x", s.gameMap.CRC),
		},
	})
	if err != nil {
		return err
	}
	if h.writer == nil {
		h.writer = newReplayWriter(s.cfg.Teehistorians)
	}
	block, err := rec.Take(nil)
	if err != nil {
		return err
	}
	if !h.writer.enqueue(replayJob{
		kind: jobOpen, block: block, name: uuid, suffix: TeehistorianSuffix, match: teehistorianName,
		maxFiles: s.settings.TeeHistorianMaxFiles, maxSize: int64(s.settings.TeeHistorianMaxSize) << 20,
	}) {
		return errStuckDisk
	}
	h.rec = rec
	return nil
}

// timeUUID returns a new UUID that begins with a time (version 7 of RFC 9562).
func timeUUID(t time.Time) string {
	var b message.UUID
	crand.Read(b[:])
	ms := t.UnixMilli()
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	b[6], b[8] = b[6]&0x0f|0x70, b[8]&0x3f|0x80
	return b.String()
}

// teehistorianClient tells of the client of a player. Bots have none.
func (s *Server) teehistorianClient(id game.PlayerID) (c recorder.TeehistorianClient) {
	if p := s.sessions[id]; p != nil {
		if c.IsSeven = s.isSeven(p); !c.IsSeven {
			c.DDNetVersion, c.DDNet = p.clientVersion, p.ddnetClient
		}
		c.Login = p.historyLogin()
	}
	return c
}

// historyLogin returns the access to the remote console that is recorded, with the names of DDNet.
func (c *session) historyLogin() recorder.TeehistorianLogin {
	if !c.rcon.authed {
		return recorder.TeehistorianLogin{}
	}
	return recorder.TeehistorianLogin{Level: 3 - int32(c.rcon.level), Name: c.rcon.key}
}

// recordRconLogin records that a client has logged in to the remote console, or out.
func (s *Server) recordRconLogin(c *session) {
	if rec := s.teehistorian.rec; rec != nil {
		rec.Login(c.id, c.historyLogin())
	}
}

// recordTeehistorian records a tick.
func (s *Server) recordTeehistorian(events []game.Event) {
	h := &s.teehistorian
	if h.waits && len(s.pendingCommands) > 0 {
		h.waits = false
		if err := s.openTeehistorian(); err != nil {
			s.failTeehistorian(err)
		}
	}
	if h.rec == nil {
		return
	}
	h.rec.Tick(s.world, s.pendingCommands, events)
	if s.world.Tick()%teehistorianBlock == 0 {
		s.writeTeehistorian()
	}
}

// writeTeehistorian passes on what was recorded.
func (s *Server) writeTeehistorian() {
	h := &s.teehistorian
	if !s.reportTeehistorianTrouble(h.writer) {
		return
	}
	var spare []byte
	select {
	case spare = <-h.writer.freeBlocks:
	default:
	}
	block, err := h.rec.Take(spare[:0])
	if err == nil && !h.writer.enqueue(replayJob{kind: jobBlock, block: block}) {
		err = errStuckDisk
	}
	if err != nil {
		s.failTeehistorian(err)
	}
}

// endTeehistorian ends the recording of this world.
func (s *Server) endTeehistorian() {
	h := &s.teehistorian
	if h.waits = false; h.rec == nil {
		return
	}
	h.rec.End()
	s.writeTeehistorian()
	h.writer.enqueue(replayJob{kind: jobEnd})
	h.rec = nil
}

// failTeehistorian stops recording this world.
func (s *Server) failTeehistorian(err error) {
	h := &s.teehistorian
	if h.rec = nil; h.writer != nil {
		h.writer.enqueue(replayJob{kind: jobEnd})
	}
	s.print(console.Warning, "teehistorian", fmt.Sprintf("stopped recording this match: %v", err))
}

// reportTeehistorianTrouble prints the writer's error and stops recording, if there is one. It reports
// whether recording goes on.
func (s *Server) reportTeehistorianTrouble(out *replayWriter) bool {
	h := &s.teehistorian
	t := out.trouble.Swap(nil)
	if t == nil {
		return true
	}
	h.rec = nil
	if errors.Is(*t, errReplayFull) {
		s.print(console.Warning, "teehistorian", "the recording of this match has reached sv_tee_historian_max_size; recording continues with the next map")
	} else if said := (*t).Error(); said != h.lastTrouble {
		h.lastTrouble = said
		s.print(console.Warning, "teehistorian", fmt.Sprintf("matches are not recorded (sv_tee_historian 0 turns recording off): %v", *t))
	}
	return false
}

// closeTeehistorian ends the recording and waits until it is written, up to replayCloseTimeout.
func (s *Server) closeTeehistorian() {
	s.endTeehistorian()
	out := s.teehistorian.writer
	if out == nil {
		return
	}
	s.teehistorian.writer = nil
	close(out.jobs)
	select {
	case <-out.done:
	case <-time.After(replayCloseTimeout):
		s.print(console.Warning, "teehistorian", "the disk does not answer; the end of the recording may be lost")
	}
	s.reportTeehistorianTrouble(out)
}
