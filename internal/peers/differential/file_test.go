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
	Hashes   [][]uint32 // by player and round
}

type fileStep struct {
	Player   int
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

func hashes(seen [][]sight) [][]uint32 {
	out := make([][]uint32, len(seen))
	for i := range seen {
		for j := range seen[i] {
			out[i] = append(out[i], seen[i][j].hash())
		}
	}
	return out
}

// save keeps a record of a match that was played on the original.
func (rec *record) save(path string) error {
	f := file{
		Map: rec.mapName, Players: rec.players, Ticks: rec.ticks, Seed: rec.seed, Settings: rec.settings,
		Start: rec.start, Inputs: rec.inputs, Hashes: hashes(rec.seen),
	}
	f.MapFile, _ = mapFile(rec.mapName)
	last := rec.start
	for _, tick := range rec.rounds {
		f.Rounds = append(f.Rounds, tick-last)
		last = tick
	}
	last = rec.start
	for i := range rec.steps {
		st := &rec.steps[i]
		s := fileStep{Player: st.player, Window: st.window - last, Ahead: st.intended - st.window, Messages: st.messages}
		st.input.Put(s.Input[:])
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

// load reads a record. The hashes stand for what was seen.
func load(path string) (*record, [][]uint32, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, nil, err
	}
	var f file
	if err := gob.NewDecoder(io.LimitReader(z, 64<<20)).Decode(&f); err != nil {
		return nil, nil, err
	}
	rec := &record{
		setup: setup{mapName: f.Map, mapFile: f.MapFile, players: f.Players, ticks: f.Ticks, seed: f.Seed, settings: f.Settings},
		start: f.Start, inputs: f.Inputs,
	}
	last := f.Start
	for _, d := range f.Rounds {
		last += d
		rec.rounds = append(rec.rounds, last)
	}
	last = f.Start
	for i := range f.Steps {
		s := &f.Steps[i]
		last += s.Window
		st := step{player: s.Player, window: last, intended: last + s.Ahead, messages: s.Messages}
		if err := st.input.Take(s.Input[:]); err != nil {
			return nil, nil, err
		}
		rec.steps = append(rec.steps, st)
	}
	return rec, f.Hashes, nil
}
