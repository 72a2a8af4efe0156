package differential

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/gob"
	"hash/fnv"
	"io"
	"os"

	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// file is a record as it is kept: of what clients saw only the hashes.
type file struct {
	Map      string
	MapFile  []byte
	Players  int
	Ticks    int
	Seed     uint64
	Settings []string
	Start    int32
	Inputs   []int
	Rounds   []int32 // as differences
	Steps    []fileStep
	Seen     [][]int32  // by player: ticks of snapshots, as differences
	Hashes   [][]uint32 // of them
}

type fileStep struct {
	Player   int
	Action   int
	Window   int32 // since the step before
	Ahead    int32 // intended - window
	Input    [msg7.SizePlayerInput]int32
	Messages [][]byte
}

// hash stands for everything that was seen in a round.
func (s *sight) hash() uint32 {
	h := fnv.New32a()
	var b []byte
	add := func(v int32) { b = binary.LittleEndian.AppendUint32(b, uint32(v)) }
	add(s.tick)
	for i := range s.items {
		add(int32(s.items[i].key))
		for _, v := range s.items[i].ints {
			add(v)
		}
	}
	for _, m := range s.messages {
		add(int32(len(m)))
		b = append(b, m...)
	}
	h.Write(b)
	return h.Sum32()
}

// hashes are those of the rounds that a player saw on the original.
func hashes(rec *record, player int, seen []sight, ticks []int32) []uint32 {
	byTick := make(map[int32]*sight, len(seen))
	for i := range seen {
		byTick[seen[i].tick] = &seen[i]
	}
	theirs := make([]sight, len(ticks))
	for i, tick := range ticks {
		theirs[i].tick = tick
	}
	out := make([]uint32, len(ticks))
	for i, fresh := range first(rec.rounds, theirs) {
		s := byTick[ticks[i]]
		if s == nil {
			continue
		}
		if fresh {
			bare := *s
			bare.messages = nil
			s = &bare
		}
		out[i] = s.hash()
	}
	return out
}

func ticksOf(seen []sight) []int32 {
	out := make([]int32, len(seen))
	for i := range seen {
		out[i] = seen[i].tick
	}
	return out
}

// differences and sums are each other's inverse.
func differences(list []int32, last int32) []int32 {
	out := make([]int32, len(list))
	for i, v := range list {
		out[i], last = v-last, v
	}
	return out
}

func sums(list []int32, last int32) []int32 {
	out := make([]int32, len(list))
	for i, d := range list {
		last += d
		out[i] = last
	}
	return out
}

// save keeps a record of a match that was played on the original.
func (rec *record) save(path string) error {
	f := file{
		Map: rec.mapName, Players: rec.players, Ticks: rec.ticks, Seed: rec.seed, Settings: rec.settings,
		Start: rec.start, Inputs: rec.inputs, Rounds: differences(rec.rounds, rec.start),
	}
	f.MapFile, _ = mapFile(rec.mapName)
	for i, seen := range rec.seen {
		ticks := ticksOf(seen)
		f.Seen = append(f.Seen, differences(ticks, rec.start))
		f.Hashes = append(f.Hashes, hashes(rec, i, seen, ticks))
	}
	last := rec.start
	for i := range rec.steps {
		st := &rec.steps[i]
		s := fileStep{Player: st.player, Action: int(st.action), Window: st.window - last, Ahead: st.intended - st.window, Messages: st.messages}
		st.input.PutInts(s.Input[:])
		f.Steps = append(f.Steps, s)
		last = st.window
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(z).Encode(&f); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// keptRecord is a record without what was seen, of which there are hashes.
type keptRecord struct {
	*record
	ticks  [][]int32
	hashes [][]uint32
}

func load(path string) (*keptRecord, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	var f file
	if err := gob.NewDecoder(io.LimitReader(z, 64<<20)).Decode(&f); err != nil {
		return nil, err
	}
	rec := &keptRecord{hashes: f.Hashes, record: &record{
		setup: setup{mapName: f.Map, mapFile: f.MapFile, players: f.Players, ticks: f.Ticks, seed: f.Seed, settings: f.Settings},
		start: f.Start, inputs: f.Inputs, rounds: sums(f.Rounds, f.Start),
	}}
	for _, seen := range f.Seen {
		rec.ticks = append(rec.ticks, sums(seen, f.Start))
	}
	last := f.Start
	for i := range f.Steps {
		s := &f.Steps[i]
		last += s.Window
		st := step{player: s.Player, action: action(s.Action), window: last, intended: last + s.Ahead, messages: s.Messages}
		if err := st.input.ReadInts(s.Input[:]); err != nil {
			return nil, err
		}
		rec.steps = append(rec.steps, st)
	}
	return rec, nil
}
