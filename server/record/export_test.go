package record

// Limits of the queue of demos, for tests.
const (
	MaxDemoOpens = maxDemoOpens
	DemoQueue    = demoQueue
)

// SetIdle sets how long the match has been without players, in ticks.
func (r *Recorder) SetIdle(ticks int32) { r.replay.header.IdleTicks = ticks }

// NumDemos returns how many demos are recorded.
func (r *Recorder) NumDemos() int { return len(r.demos.files) }

// NumBatches returns how many batches of demos exist.
func (r *Recorder) NumBatches() int { return r.demos.writer.made }
