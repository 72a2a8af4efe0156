package bus

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// maxWaiting is how many messages wait at most to be sent, and maxWaitingBytes their size.
	maxWaiting      = 8192
	maxWaitingBytes = 4 << 20
	// outboxBatch is how many messages wait for their acknowledgements at once.
	outboxBatch = 64
	// lastTime is how long the end of a server waits for its last messages.
	lastTime = time.Second
)

// letter is a message that waits to be sent.
type letter struct {
	size int // about the size of the message, in bytes
	// expires is when the message is dropped unsent, zero for never.
	expires time.Time
	// write returns the subject and the body. The goroutine that sends calls it once.
	write func() (subject string, body []byte, err error)

	msg *nats.Msg // of write, nil before
}

// outbox sends messages to a stream, the oldest first. It repeats those that NATS does not
// acknowledge. Each has an id, so the stream drops what comes twice within two minutes.
type outbox struct {
	m    *Member
	name string // in the ids, besides the server and its start
	wake chan struct{}

	mu      sync.Mutex
	waiting []*letter // the first ones may be on their way
	size    int

	last          uint64 // number of the last message that was written
	sent, dropped atomic.Uint64
}

func newOutbox(m *Member, name string) *outbox {
	return &outbox{m: m, name: name, wake: make(chan struct{}, 1)}
}

// add adds a message. It never waits: if the outbox is full, it drops and counts the message.
func (o *outbox) add(l *letter) {
	o.mu.Lock()
	full := len(o.waiting) >= maxWaiting || o.size+l.size > maxWaitingBytes
	if !full {
		o.waiting = append(o.waiting, l)
		o.size += l.size
	}
	o.mu.Unlock()
	if full {
		o.dropped.Add(1)
		return
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// next returns the oldest messages, and drops those that are too late.
func (o *outbox) next(now time.Time) (batch []*letter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := o.waiting[:0]
	for _, l := range o.waiting {
		if !l.expires.IsZero() && now.After(l.expires) {
			o.size -= l.size
			o.dropped.Add(1)
			continue
		}
		kept = append(kept, l)
	}
	clear(o.waiting[len(kept):])
	o.waiting = kept
	if len(kept) == 0 {
		o.waiting = nil // and so is the room of a long queue
	}
	return append(batch, kept[:min(len(kept), outboxBatch)]...)
}

func (o *outbox) isWaiting() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.waiting) > 0
}

// remove removes the first n messages, except for those that have to be sent again.
func (o *outbox) remove(n int, again []*letter) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, l := range o.waiting[:n] {
		o.size -= l.size
	}
	copy(o.waiting[n-len(again):], again)
	clear(o.waiting[:n-len(again)])
	o.waiting = o.waiting[n-len(again):]
	for _, l := range again {
		o.size += l.size
	}
}

// run sends messages until ctx ends, and then those that are left, if NATS is there.
func (o *outbox) run(ctx context.Context) {
	for ctx.Err() == nil {
		for o.m.nc.IsConnected() && ctx.Err() == nil {
			if more, err := o.send(o.m.line()); err != nil {
				o.m.note(err)
				wait(ctx, retryTime)
			} else if !more {
				break
			}
		}
		var retry <-chan time.Time // never, while there is nothing to send
		if o.isWaiting() {
			retry = time.After(retryTime)
		}
		select {
		case <-o.wake:
		case <-retry:
		case <-ctx.Done():
		}
	}
	last, cancel := context.WithTimeout(o.m.line(), lastTime)
	defer cancel()
	for o.m.nc.IsConnected() {
		if more, err := o.send(last); !more || err != nil {
			return
		}
	}
}

// send sends the oldest messages, and waits for their acknowledgements. It reports whether there
// are more.
func (o *outbox) send(ctx context.Context) (more bool, err error) {
	batch := o.next(time.Now())
	if len(batch) == 0 {
		return false, nil
	}
	acks := make([]nats.PubAckFuture, len(batch))
	for i, l := range batch {
		if l.msg == nil {
			o.write(l)
		}
		if l.msg == nil {
			continue // it cannot be sent
		}
		if acks[i], err = o.m.js.PublishMsgAsync(l.msg); err != nil {
			break
		}
	}
	ctx, cancel := context.WithTimeout(ctx, ackTime)
	defer cancel()
	var again []*letter
	for i, l := range batch {
		if l.msg == nil {
			o.dropped.Add(1)
			continue
		}
		if acks[i] != nil {
			select {
			case <-acks[i].Ok():
				o.sent.Add(1)
				continue
			case err = <-acks[i].Err():
			case <-ctx.Done():
				err = nats.ErrTimeout
			}
		}
		again = append(again, l)
	}
	o.remove(len(batch), again)
	return true, err
}

// write makes the message of a letter.
func (o *outbox) write(l *letter) {
	subject, body, err := l.write()
	l.write = nil
	if err != nil {
		o.m.note(err)
		return
	}
	o.last++
	l.msg = nats.NewMsg(subject)
	l.msg.Data = body
	l.msg.Header.Set(nats.MsgIdHdr, o.m.cfg.ID+"-"+strconv.FormatInt(o.m.reporter.started.UnixMilli(), 10)+"-"+o.name+strconv.FormatUint(o.last, 10))
}
