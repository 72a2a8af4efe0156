package broadcast

import (
	"encoding/json"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
)

// Mark is a notable moment of a match. docs/reference/http.md describes the fields.
type Mark struct {
	Tick      int32  `json:"tick"`
	Kind      string `json:"kind"`
	ID        int    `json:"id"`    // player id, or -1
	Other     int    `json:"other"` // the killed player's id, the flag's team, or -1
	Name      string `json:"name,omitempty"`
	OtherName string `json:"other_name,omitempty"`
	Value     int32  `json:"value,omitempty"` // ticks of a capture, ms of a finish
}

// Kinds of marks.
const (
	markKill    = "kill"
	markGrab    = "grab"
	markCapture = "capture"
	markReturn  = "return"
	markDrop    = "drop"
	markChat    = "chat"
	markFinish  = "finish"
	markRound   = "round" // a round is over
)

const (
	// markedSegments is the number of segments whose marks share a file.
	markedSegments = 100
	// maxMarks limits the marks of a segment. Beyond maxFrequentMarks, kills and chat are left out.
	maxMarks, maxFrequentMarks = 64, 16
	// maxMarksFile is larger than any file of marks, in bytes.
	maxMarksFile = 4 << 20
)

// markList lists the marks of some segments.
type markList struct {
	First int    `json:"first"` // number of the first segment
	Last  int    `json:"last"`
	Marks []Mark `json:"marks"`
}

// batchMark is a mark of a batch.
type batchMark struct {
	Mark
	record int // index in the batch of the record that shows the mark
}

// mark marks an event if it is public and notable.
func (b *batch) mark(w *game.World, ev *game.Event, tick int32) {
	if !ev.To.IsPublic() {
		return
	}
	if ev.Kind == game.EvRoundStart && ev.Value > 0 {
		b.markers = append(b.markers, tick)
	}
	m := Mark{ID: -1, Other: -1}
	who := game.Nobody
	switch ev.Kind {
	case game.EvKill:
		if ev.Weapon == game.WeaponGame { // left or changed team
			return
		}
		m.Kind, m.Other, m.OtherName = markKill, int(ev.Target), nameOf(w, ev.Target)
		if ev.Player != ev.Target && ev.Weapon >= 0 {
			who = ev.Player
		}
	case game.EvChat:
		if ev.Chat != game.ChatAll || ev.Player < 0 {
			return
		}
		m.Kind, who = markChat, ev.Player
	case game.EvRaceFinish:
		m.Kind, m.Value, who = markFinish, ev.Value, ev.Player
	case game.EvGameMsg:
		switch ev.GameMsg {
		case game.GameMsgCTFDrop:
			m.Kind = markDrop
		case game.GameMsgCTFReturn:
			m.Kind = markReturn
		case game.GameMsgCTFGrab:
			m.Kind, m.Other = markGrab, int(ev.Value)
		case game.GameMsgCTFCapture:
			m.Kind, m.Other, m.Value, who = markCapture, int(ev.Value), ev.Extra, ev.Player
		default:
			return
		}
	default:
		return
	}
	if who >= 0 {
		m.ID, m.Name = int(who), nameOf(w, who)
	}
	if m.Kind == markCapture || m.Kind == markFinish {
		b.markers = append(b.markers, tick)
	}
	b.marks = append(b.marks, batchMark{m, b.n})
}

// markOver marks that a round is over at the last record.
func (b *batch) markOver() {
	b.marks = append(b.marks, batchMark{Mark{Kind: markRound, ID: -1, Other: -1}, b.n})
}

func nameOf(w *game.World, id game.PlayerID) string {
	p, _ := w.Player(id)
	return p.Profile.Name
}

// addMark adds a mark to the growing segment.
func (s *segment) addMark(m Mark) {
	limit := maxMarks
	if m.Kind == markKill || m.Kind == markChat {
		limit = maxFrequentMarks
	}
	if len(s.marks) < limit {
		m.Tick, m.Name, m.OtherName = s.lastTick, safetext.Line(m.Name), safetext.Line(m.OtherName)
		s.marks = append(s.marks, m)
	}
}

// marks returns the marks in file n, for the first segments of the match.
func (m *match) marks(n, segments int) markList {
	l := markList{First: max(n*markedSegments, m.kept), Last: min((n+1)*markedSegments, segments) - 1, Marks: []Mark{}}
	for i := l.First; i <= l.Last; i++ {
		l.Marks = append(l.Marks, m.segments[i].marks...)
	}
	return l
}

// marksFile holds the marks of some segments for a viewer.
type marksFile struct {
	list  markList
	piece piece // the part of the match's marks file, for a match in the folder
	final bool  // the marks will not change
}

// marksFile returns the marks in file n, and whether that file exists. A match in the folder may
// lack it.
func (m *match) marksFile(n int, v *viewer) (f marksFile, ok bool) {
	visible := m.visible(v)
	if visible == 0 || n > (visible-1)/markedSegments || (n+1)*markedSegments <= m.kept || m.archived && n >= len(m.markSizes) {
		return f, false
	}
	f.final = (n+1)*markedSegments <= visible || m.over(v)
	if !m.archived {
		f.list = m.marks(n, visible)
		return f, true
	}
	for _, size := range m.markSizes[:n] {
		f.piece.offset += size
	}
	f.piece.size = m.markSizes[n]
	return f, true
}

// append appends the marks as JSON.
func (l *markList) append(dst []byte) []byte {
	b, _ := json.Marshal(l) // cannot fail for this type
	return append(append(dst, b...), '\n')
}

// appendMarks appends the content of all mark files of an ended match to dst, and returns the size
// of each.
func (m *match) appendMarks(dst []byte) (_ []byte, sizes []int64) {
	for n := 0; n*markedSegments < len(m.segments); n++ {
		before := len(dst)
		l := m.marks(n, len(m.segments))
		dst = l.append(dst)
		sizes = append(sizes, int64(len(dst)-before))
	}
	return dst, sizes
}
