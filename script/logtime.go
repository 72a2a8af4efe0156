package script

import "fmt"

// A log is not run further when its hooks take longer than the match did: no server could have played it. A server
// that keeps up needs a small part of this time.
const (
	logTime     = 5_000_000_000 // nanoseconds that hooks may take in any case
	logTickTime = 20_000_000    // and for each tick
)

// beginTimed begins a call of a hook. Config.Nanoseconds measures those that are not within another one.
func (m *Mod) beginTimed() (began int64) {
	if m.vm.calls == 0 && m.cfg.Nanoseconds != nil {
		began = m.cfg.Nanoseconds()
	}
	return began
}

// endTimed ends it.
func (m *Mod) endTimed(began int64) {
	if began == 0 {
		return
	}
	if m.hookTime += m.cfg.Nanoseconds() - began; m.hookTime > logTime+m.hookTicks*logTickTime && m.fault == nil {
		m.fault = fmt.Errorf("%w: %s takes longer than the match", ErrWork, m.cfg.Name)
	}
}
