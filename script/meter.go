package script

import (
	"errors"
	"math/bits"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
)

// meter counts what a script uses, besides the steps that the virtual machine counts.
//
// With the costs of version 1 it only guards against endless logs. Work is everything that
// those costs do not count. A log with too much work is not run further, because no server could
// have played it. A new match never uses version 1.
type meter struct {
	version int // of the costs
	work    uint64

	clock   game.HookClock // nil if there is none
	started uint32         // beat at which the call of the hook began
	beat    uint32         // last beat seen
	began   int64          // processor time at which the call began, 0 if not measured
	took    int64          // processor time of the call, as far as it was measured
	room    int64          // processor time that the call may take
	stopAt  uint64         // steps at which the log stops the call, 0 for never
	stopped uint64         // steps at which the clock stopped the call
	fault   error          // why a log is not run further
}

// maxBeats is how many beats a call of a hook may last on systems without processor times. The
// limits on steps end a call much earlier, unless the table of costs is wrong or the machine is
// fifty times slower than usual.
const maxBeats = 10

// maxWork is the most work in a tick with the costs of version 1.
const maxWork = 1 << 27

// errOvertime unwinds a script that the clock has stopped.
var errOvertime = errors.New("it took too long")

// ErrWork is the error of a log whose script does more work than any server has time for.
var ErrWork = errors.New("script: more work than any server has time for")

// old charges steps that only version 1 counts.
func (v *vm) old(steps uint64) {
	if v.meter.version == firstCosts {
		v.r.RequireCPU(steps)
	}
}

// pay charges steps that version 1 does not count. A script can be stopped here.
func (v *vm) pay(steps uint64) {
	m := &v.meter
	if m.version == firstCosts {
		if m.work += steps; m.work > maxWork {
			panic(ErrWork)
		}
		return
	}
	if steps == 0 {
		return
	}
	if m.clock != nil {
		if beat := m.clock.Beats(); beat != m.beat && m.late(beat) {
			m.stopped = v.r.UsedResources().Cpu + steps
			panic(errOvertime)
		}
	}
	if m.stopAt != 0 && v.r.UsedResources().Cpu+steps >= m.stopAt {
		panic(errOvertime)
	}
	v.r.RequireCPU(steps)
}

// payItems charges the steps for n items.
func (v *vm) payItems(c cost, n int) { v.pay(c.each * uint64(n)) }

// payBytes charges the steps for n bytes of text.
func (v *vm) payBytes(c cost, n int) { v.pay(c.bytesCost(n)) }

// payKeys charges the steps for sorting keys.
func (v *vm) payKeys(c cost, keys []rt.Value) {
	size := 0
	for _, k := range keys {
		if s, ok := k.TryString(); ok {
			size += len(s)
		}
	}
	rounds := uint64(bits.Len(uint(len(keys))))
	v.pay(c.each*uint64(len(keys)) + rounds*(uint64(len(keys))+c.bytesCost(size)))
}

// needs charges memory that version 1 does not count.
func (v *vm) needs(bytes int) {
	if v.meter.version != firstCosts {
		v.r.RequireBytes(bytes)
	}
}
