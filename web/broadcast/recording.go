package broadcast

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/recorder"
)

// recording is the description beside the demo of an ended match.
type recording struct {
	Match      string    `json:"match"`
	Map        *MapInfo  `json:"map"`
	GameType   string    `json:"game_type"`
	Start      time.Time `json:"start"`
	Time       string    `json:"time"` // as in the demo's header
	FirstTick  int32     `json:"first_tick"`
	LastTick   int32     `json:"last_tick"`
	Players    []Player  `json:"players"`
	TeamScores []int32   `json:"team_scores,omitempty"` // red and blue
	Race       bool      `json:"race,omitempty"`
	// Public is the time from which every viewer may see the end.
	Public time.Time `json:"public"`
	// Segments are the sizes of the segments in bytes.
	Segments []int32 `json:"segments"`
	// Marks are the sizes of the mark files in bytes.
	Marks []int64 `json:"marks,omitempty"`
}

const (
	// maxRecordings limits the matches in a folder.
	maxRecordings = 1000
	// maxSegments limits the segments of a match, with some to spare.
	maxSegments = maxMatchTicks/segmentTicks + 10
	// maxRecordingFile limits the size of a description.
	maxRecordingFile = 256 << 10
)

var matchID = regexp.MustCompile(`^\d{8}-\d{6}-[0-9a-f]{8}$`)

// isMatchID reports whether a text has the form of a match id, and so is safe in a file name.
func isMatchID(s string) bool { return matchID.MatchString(s) }

// newRecording describes an ended match.
func newRecording(m *match, delay time.Duration) *recording {
	r := &recording{
		Match: m.id, Map: m.mapInfo(), GameType: m.gameType, Start: m.start, Time: m.header.Time, FirstTick: m.firstTick,
		LastTick: m.segments[len(m.segments)-1].lastTick, Players: PlayersOf(&m.result), Race: m.result.IsRace(), Public: m.endedAt.Add(delay),
	}
	if m.result.HasTeams() {
		r.TeamScores = m.result.TeamScores[:]
	}
	for i := range m.segments {
		r.Segments = append(r.Segments, m.segments[i].size)
	}
	return r
}

// write writes the description beside the demo. Unlike atomicfile it does not wait for the disk,
// since a damaged description is recreated from the demo.
func (r *recording) write(path string) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	b = fmt.Appendf(b, "\n%08x\n", crc32.ChecksumIEEE(b))
	if err := os.WriteFile(path+".new", b, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// readRecording reads the description of a match.
func readRecording(dir, id string) (*recording, error) {
	b, err := readAll(filepath.Join(dir, id+infoSuffix), maxRecordingFile)
	if err != nil {
		return nil, err
	}
	r, err := parseRecording(b)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(filepath.Join(dir, id+demoSuffix))
	if err != nil {
		return nil, err
	}
	if r.Match != id || info.Size() != r.demoSize() {
		return nil, errRecording
	}
	return r, nil
}

// demoSize returns the size of the demo in bytes.
func (r *recording) demoSize() int64 {
	n := headSize + int64(r.Map.Size)
	for _, size := range r.Segments {
		n += int64(size)
	}
	return n
}

var errRecording = errors.New("not a description of a match")

// parseRecording parses the output of write. Older files have no checksum.
func parseRecording(b []byte) (*recording, error) {
	r := new(recording)
	b, sum, found := bytes.Cut(b, []byte("\n"))
	if found && string(sum) != fmt.Sprintf("%08x\n", crc32.ChecksumIEEE(b)) {
		return nil, errRecording
	}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, err
	}
	ok := isMatchID(r.Match) && r.Map != nil && r.Map.Size >= 0 && r.Map.Size <= demo.MaxMapSize && len(r.Segments) > 0 && len(r.Segments) <= maxSegments &&
		len(r.Players) <= maxPlayers && r.FirstTick >= 0 && r.LastTick >= r.FirstTick && r.LastTick <= game.MaxTick
	if !ok {
		return nil, errRecording
	}
	if sum, err := hex.DecodeString(r.Map.SHA256); err != nil || len(sum) != 32 {
		return nil, errRecording
	}
	for _, size := range r.Segments {
		if size <= 0 {
			return nil, errRecording
		}
	}
	for _, size := range r.Marks {
		if size <= 0 || size > maxMarksFile {
			return nil, errRecording
		}
	}
	return r, nil
}

// match returns the match of a recording whose demo is in the file path.
func (r *recording) match(path string) *match {
	m := &match{
		id: r.Match, mapSize: r.Map.Size, gameType: r.GameType, start: r.Start, firstTick: r.FirstTick,
		inMemory: len(r.Segments), ended: true, keep: true, sealed: true, path: path,
		archived: true, markSizes: r.Marks,
	}
	g := bridge.Map{Name: r.Map.Name}
	hex.Decode(g.SHA256[:], []byte(r.Map.SHA256))
	fmt.Sscanf(r.Map.CRC, "%08x", &g.CRC)
	m.header = recorder.Config{}.Header(&g, r.Start)
	m.header.Time = r.Time
	offset := headSize + int64(m.mapSize)
	for n, size := range r.Segments {
		m.segments = append(m.segments, segment{size: size, offset: offset, onDisk: true, lastTick: min(m.tickOf(n+1)-2, r.LastTick)})
		offset += int64(size)
	}
	return m
}

// recoverRecording describes a demo that has no end or whose description is damaged. It completes
// the demo's header. lost names the parts that cannot be used.
func recoverRecording(id, path string, public time.Time) (r *recording, lost string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	d, err := demo.NewReader(f)
	if err != nil {
		return nil, "", err
	}
	h := d.Header()
	start, err := time.ParseInLocation(recorder.TimeLayout, h.Time, time.Local)
	if err != nil {
		return nil, "", err
	}
	m := &match{id: id, header: *h, mapSize: len(d.Map()), start: start, endedAt: public}
	m.header.MapSHA256 = sha256.Sum256(d.Map())
	begin, end, last := headSize+int64(m.mapSize), headSize+int64(m.mapSize), int32(-1)
	cut := func() {
		if end > begin && last >= 0 {
			m.segments = append(m.segments, segment{size: int32(end - begin), lastTick: last})
			begin = end
		}
	}
	broken := 0
	for c := new(demo.Chunk); len(m.segments) < maxSegments; {
		err := d.Next(c)
		if err == io.EOF || errors.Is(err, demo.ErrCutOff) {
			break
		}
		if errors.Is(err, demo.ErrChunk) {
			broken++ // later chunks may be good
		} else if err != nil {
			return nil, "", err // a disk error, which may pass
		}
		if c.Kind == demo.KindTick && err == nil {
			if c.Keyframe {
				cut()
			}
			if last < 0 {
				m.firstTick = c.Tick
			}
			last = c.Tick
		}
		end = c.Offset + int64(c.Size)
	}
	cut()
	if len(m.segments) == 0 {
		return nil, "", errors.New("it has no complete segment")
	}
	lost, err = cutTail(f, path, end)
	if err != nil {
		return nil, "", err
	}
	if broken > 0 {
		lost += fmt.Sprintf("; %d chunks are damaged", broken)
	}
	if _, err := f.WriteAt(m.fullHead(len(m.segments)), 0); err != nil {
		return nil, "", err
	}
	return newRecording(m, 0), strings.TrimPrefix(lost, "; "), nil
}

// cutTail cuts an incomplete chunk off the end of a demo. After a crash this is less than a chunk
// and of no use. A longer tail is saved beside the demo.
func cutTail(f *os.File, path string, end int64) (lost string, err error) {
	const maxChunk = 1<<16 + 2
	info, err := f.Stat()
	if err != nil || info.Size() == end {
		return "", err
	}
	tail := info.Size() - end
	lost = fmt.Sprintf("; the last %d bytes were an incomplete chunk, as after a crash, and were removed", tail)
	if tail > maxChunk {
		kept, err := os.Create(path + ".tail")
		if err != nil {
			return "", err
		}
		_, err = io.Copy(kept, io.NewSectionReader(f, end, tail))
		if err = errors.Join(err, kept.Close()); err != nil {
			return "", err
		}
		lost = fmt.Sprintf("; the last %d bytes are unreadable and were moved to %s.tail", tail, path)
	}
	return lost, f.Truncate(end)
}

// readAll reads a file of at most most bytes.
func readAll(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s: more than %d bytes", path, most)
	}
	return b, err
}
