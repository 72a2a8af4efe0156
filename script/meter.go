package script

import (
	"errors"
	"math/bits"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
)

// meter counts what a script uses besides the steps that the virtual machine counts.
//
// With the costs of version 1 it only keeps an eye on a script: what those costs do not count is counted
// as work, and a log in which there is too much of it is not run further, since no server could have played
// it. Such a script never plays a new match.
type meter struct {
	version int // of the costs
	work    uint64

	clock   game.HookClock // nil without one
	started uint32         // the beat at which the call of the hook began
	beat    uint32         // the last one that was seen
	began   int64          // the processor time at which the call began, 0 if it is not measured
	took    int64          // the processor time that it has taken, as far as it is measured
	room    int64          // the processor time that the call may take
	stopAt  uint64         // the steps at which the log says that the call was stopped, 0 if it does not
	stopped uint64         // those at which the clock has stopped it
	fault   error          // why a log is not run further
}

// maxBeats is how long a call of a hook may take where the system tells no processor time: the limits on steps end it
// much earlier, unless the table of costs is wrong about something, or the machine is a fiftieth as fast as it should be.
const maxBeats = 10

// maxWork is the most work in a tick with the costs of version 1.
const maxWork = 1 << 27

// errOvertime unwinds a script that the clock has stopped.
var errOvertime = errors.New("it took too long")

// ErrWork is the error of a log whose script does work for which no server has time.
var ErrWork = errors.New("script: more work than any server has time for")

// old takes steps that only version 1 counts.
func (v *vm) old(steps uint64) {
	if v.meter.version == firstCosts {
		v.r.RequireCPU(steps)
	}
}

// pay takes steps that version 1 does not count. It is where a script can be stopped.
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

// payItems takes the steps for n items of a function.
func (v *vm) payItems(c cost, n int) { v.pay(c.each * uint64(n)) }

// payBytes takes the steps for n bytes of text.
func (v *vm) payBytes(c cost, n int) { v.pay(c.bytesCost(n)) }

// payKeys takes the steps of sorting keys.
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

// needs takes memory that version 1 does not count.
func (v *vm) needs(bytes int) {
	if v.meter.version != firstCosts {
		v.r.RequireBytes(bytes)
	}
}
