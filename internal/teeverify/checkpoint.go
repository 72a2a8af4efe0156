package teeverify

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/teeyard/teeyard/game/ddrace"
)

// checkpointInterval is the number of ticks between checkpoints. The older of two checkpoints is
// always more than maxSearch ticks back.
const checkpointInterval = 2 * maxSearch

// checkpoint is the state of a match between two ticks, to continue from.
type checkpoint struct {
	state
	world       []byte
	tick        int32
	next        int
	teeTicks    int
	notCompared int
}

// keep makes a checkpoint before a frame if one is due.
func (t *match) keep(next int) {
	n := len(t.checkpoints)
	if t.cfg.NoSearch || t.searching || n > 0 && t.world.Tick() < t.checkpoints[n-1].tick+checkpointInterval {
		return
	}
	if n == 2 {
		t.checkpoints = append(t.checkpoints[:0], t.checkpoints[1])
		t.frames = slices.Clone(t.frames[t.checkpoints[0].next-t.first:])
		t.first = t.checkpoints[0].next
	}
	c := checkpoint{state: t.state.clone(), tick: t.world.Tick(), next: next, teeTicks: t.res.TeeTicks, notCompared: t.res.NotCompared}
	var v visitor
	t.world.Visit(&v)
	c.world = v.b
	t.checkpoints = append(t.checkpoints, c)
}

// restore sets the match back to a checkpoint.
func (t *match) restore(c *checkpoint) {
	t.state, t.next = c.state.clone(), c.next
	t.res.TeeTicks, t.res.NotCompared, t.res.Difference, t.res.End = c.teeTicks, c.notCompared, nil, nil
	t.newWorld()
	t.world.Visit(&visitor{b: c.world, restores: true})
}

func (s *state) clone() state {
	c := *s
	for i := range c.saving {
		c.saving[i].ids = slices.Clone(c.saving[i].ids)
	}
	c.inputs, c.recent = slices.Clone(s.inputs), slices.Clone(s.recent)
	return c
}

// visitor saves the state of a world to b, or restores it.
type visitor struct {
	b        []byte
	restores bool
}

// Restores implements ddrace.Visitor.
func (v *visitor) Restores() bool { return v.restores }

// Tees implements ddrace.Visitor.
func (v *visitor) Tees() int { return ddrace.MaxTees }

// Int32s implements ddrace.Visitor.
func (v *visitor) Int32s(list []int32) {
	for i := range list {
		v.Int32(&list[i])
	}
}

func (v *visitor) bits(n uint64) uint64 {
	if !v.restores {
		v.b = binary.LittleEndian.AppendUint64(v.b, n)
		return n
	}
	n = binary.LittleEndian.Uint64(v.b)
	v.b = v.b[8:]
	return n
}

func (v *visitor) Int32(p *int32)   { *p = int32(v.bits(uint64(*p))) }
func (v *visitor) Int8(p *int8)     { *p = int8(v.bits(uint64(*p))) }
func (v *visitor) Uint8(p *uint8)   { *p = uint8(v.bits(uint64(*p))) }
func (v *visitor) Uint64(p *uint64) { *p = v.bits(*p) }
func (v *visitor) Float(p *float32) {
	*p = math.Float32frombits(uint32(v.bits(uint64(math.Float32bits(*p)))))
}
func (v *visitor) Vec(p *ddrace.Vec)                  { v.Float(&p.X); v.Float(&p.Y) }
func (v *visitor) Length(n, _ int) int                { return int(v.bits(uint64(n))) }
func (v *visitor) Within(string, int32, int32, int32) {}
func (v *visitor) Bool(p *bool) {
	n := uint64(0)
	if *p {
		n = 1
	}
	*p = v.bits(n) != 0
}
