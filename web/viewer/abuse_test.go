package viewer

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// header returns the header of a demo without a map.
func header() []byte {
	return (&demo.Header{NetVersion: msg7.NetVersion, MapName: "m", Type: "server"}).Append(nil, 0)
}

// evilDemos are demos that demand much memory, time or ticks.
func evilDemos() [][]byte {
	var b snapshot.Builder
	var big, other snapshot.Snapshot
	for id := range 1000 {
		copy(b.Add(msg7.TypeProjectile, id, msg7.SizeProjectile), []int32{int32(id), 1 << 30, -1 << 31, 1<<31 - 1, 3, 5})
	}
	b.Finish(&big)
	b.Reset()
	for id := range 64 {
		copy(
			b.Add(msg7.TypeCharacter, id, msg7.SizeCharacter),
			[]int32{1, 1<<31 - 1, -1 << 31, 1<<31 - 1, 1<<31 - 1, 1 << 30, 1, 3, 63, 5, 1 << 30, -1 << 31, 9, 99, 9, 1, 1, 1, 5, 5, 9, 31},
		)
	}
	b.Finish(&other)

	var all [][]byte
	// Snapshots that change completely, and only one keyframe.
	e := demo.NewEncoder(&demo.Header{NetVersion: msg7.NetVersion})
	file := header()
	for i := range int32(2000) {
		s := &big
		if i%2 != 0 {
			s = &other
		}
		chunk := e.AppendSnapshot(nil, 10+i%100, s)
		file = append(file, chunk...)
	}
	all = append(all, file)
	// Only the first and the last tick.
	e = demo.NewEncoder(&demo.Header{NetVersion: msg7.NetVersion})
	file = append(header(), e.AppendSnapshot(nil, 0, &other)...)
	e.Keyframe()
	file = append(file, e.AppendSnapshot(nil, 1<<31-2, &other)...)
	all = append(all, file)
	// A million markers of one tick each.
	e = demo.NewEncoder(&demo.Header{NetVersion: msg7.NetVersion})
	file = append(header(), e.AppendSnapshot(nil, 5, &big)...)
	all = append(all, append(file, bytes.Repeat([]byte{0x81}, 1_000_000)...))
	// Many messages.
	e = demo.NewEncoder(&demo.Header{NetVersion: msg7.NetVersion})
	file = append(header(), e.AppendSnapshot(nil, 6, &other)...)
	kill := e.AppendMessage(nil, (&msg7.SvKillMsg{Killer: 1, Victim: 2}).Append(nil))
	for range 100_000 {
		file = append(append(file, 0x81), kill...)
	}
	return append(all, file)
}

// TestAbuse opens broken and demanding demos. The page's memory stays limited, and it throws only
// its own errors.
func TestAbuse(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	file := record(t, 16, 1500)
	r := testenv.Must(demo.NewReader(bytes.NewReader(file)))
	chunks := file[len(r.Header().Append(nil, 0))+len(r.Map()):]
	files := evilDemos()
	for range 40 {
		b := append(header(), chunks[:min(len(chunks), 60_000)]...)
		for range 1 + random.IntN(20) {
			switch at := len(header()) + random.IntN(len(b)-len(header())-1000); random.IntN(3) {
			case 0:
				b[at] = byte(random.Uint32())
			case 1:
				b[at] ^= 1 << random.IntN(8)
			default:
				b = append(b[:at:at], b[at+random.IntN(50):]...)
			}
		}
		files = append(files, b)
	}
	var all []byte
	for _, b := range files {
		all = append(binary.BigEndian.AppendUint32(all, uint32(len(b))), b...)
	}
	p := openPage(t, map[string][]byte{"/files": all})
	p.Allow("404") // for files that only a server could convert
	got := call[struct{ Files, Opened, Ready, MostInts, MostEvents int }](p, "match.js", "abuse('/files', 1)")
	if got.Files != len(files) || got.Opened < 40 || got.Ready < 10*got.Opened {
		t.Errorf("%+v of %d files", got, len(files))
	}
	if got.MostInts > 20<<20 || got.MostEvents > 20_000 {
		t.Errorf("it keeps %d integers and %d events", got.MostInts, got.MostEvents)
	}
	t.Logf("%+v", got)
}

// TestLongMatch watches an hour of a match, of which the page keeps a part.
func TestLongMatch(t *testing.T) {
	const hour = 60 * 60 * 50
	p := openPage(t, map[string][]byte{"/segment": segment(t, record(t, 16, 1500), 10)})
	got := call[struct{ Loads, Open, Ints, Events, Objects int }](p, "match.js", "watchLong('/segment', 180000)")
	if got.Loads < hour/100 || got.Loads > hour/100+20 {
		t.Errorf("%d pieces were loaded", got.Loads)
	}
	if got.Open > 18 || got.Ints > 8<<20 || got.Events > 20_000 || got.Objects > 2000 {
		t.Errorf("it keeps %+v", got)
	}
	t.Logf("%+v", got)
}
