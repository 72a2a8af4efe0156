package script

import "fmt"

// A log is not run further if its hooks take longer than the match did, because no server could
// have played it. A server that keeps up needs a small part of this time.
const (
	logTime     = 5_000_000_000 // nanoseconds that hooks may take in any case
	logTickTime = 20_000_000    // nanoseconds for each tick
)

// beginTimed begins a call of a hook. Config.Nanoseconds measures calls that are not inside another
// one.
func (m *Mod) beginTimed() (began int64) {
	if m.vm.calls == 0 && m.cfg.Nanoseconds != nil {
		began = m.cfg.Nanoseconds()
	}
	return began
}

// endTimed ends a call that beginTimed began.
func (m *Mod) endTimed(began int64) {
	if began == 0 {
		return
	}
	if m.hookTime += m.cfg.Nanoseconds() - began; m.hookTime > logTime+m.hookTicks*logTickTime && m.fault == nil {
		m.fault = fmt.Errorf("%w: %s takes longer than the match", ErrWork, m.cfg.Name)
	}
}
