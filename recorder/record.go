package recorder

import (
	"iter"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Record contains the data of one tick for a demo. The zero value is ready to use, and a Record can
// be reused.
type Record struct {
	Tick int32
	// Keyframe reports whether readers can begin here.
	Keyframe bool
	Snapshot snapshot.Snapshot
	messages messageList
}

// Messages returns the messages since the previous record, in order. The messages were sent before
// the snapshot was made, but follow it in a demo. Readers that begin here need them, and clients
// show them with this tick.
func (r *Record) Messages() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		from := 0
		for _, to := range r.messages.ends {
			if !yield(r.messages.buf[from:to]) {
				return
			}
			from = to
		}
	}
}

// Append appends the encoded chunks of the record.
func (r *Record) Append(dst []byte, e *demo.Encoder) []byte {
	if r.Keyframe {
		e.Keyframe()
	}
	dst = e.AppendSnapshot(dst, r.Tick, &r.Snapshot)
	for m := range r.Messages() {
		dst = e.AppendMessage(dst, m)
	}
	return dst
}

// WriteTo writes the record to a demo.
func (r *Record) WriteTo(w *demo.Writer) error {
	if r.Keyframe {
		w.Encoder().Keyframe()
	}
	if err := w.Snapshot(r.Tick, &r.Snapshot); err != nil {
		return err
	}
	for m := range r.Messages() {
		if err := w.Message(m); err != nil {
			return err
		}
	}
	return nil
}

// messageList collects messages. It implements bridge.Sender.
type messageList struct {
	buf  []byte
	ends []int
}

// Queue implements bridge.Sender.
func (l *messageList) Queue(payload []byte, _ bool) {
	l.buf = append(l.buf, payload...)
	l.ends = append(l.ends, len(l.buf))
}

// FlushSoon implements bridge.Sender.
func (l *messageList) FlushSoon() {}

func (l *messageList) reset() { l.buf, l.ends = l.buf[:0], l.ends[:0] }
