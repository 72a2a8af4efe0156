package bus

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/teeyard/teeyard/fleet/bans"
	"github.com/teeyard/teeyard/internal/metrics"
	"github.com/teeyard/teeyard/web"
)

const (
	// spread is the time over which the servers of a fleet begin to read after a connection.
	spread = 500 * time.Millisecond
	// retryTime is the longest time between two attempts to send, and the first to read. The time
	// between two attempts to read grows up to maxRetry.
	retryTime = time.Second / 2
	maxRetry  = 4 * time.Second
	// maxPatience is the longest wait for an answer. The first one is ackTime. If many servers
	// start at once, answers take longer.
	maxPatience = 16 * time.Second
	// consumerTime limits the time until NATS sends new entries. If many servers connect at once,
	// it needs several seconds.
	consumerTime = 20 * time.Second
	// batch is how many entries are merged at once.
	batch = 256
)

// banFeed carries bans between a server and its fleet.
type banFeed struct {
	m      *Member
	shared *bans.Shared
	again  chan struct{} // read again, after a connection

	revision atomic.Uint64 // up to which the bucket is read
	created  time.Time     // of the bucket
	synced   atomic.Bool
	sent     atomic.Uint64
	refused  atomic.Uint64
	told     bool // of refused entries
}

func newBanFeed(m *Member) *banFeed {
	f := &banFeed{m: m, shared: m.cfg.Bans, again: make(chan struct{}, 1)}
	f.shared.Join(m.cfg.ID, m.cfg.BansFrom == "all", func(err error) { m.cfg.Log(true, err.Error()) })
	return f
}

func (f *banFeed) values() []web.Value {
	value := func(name string, kind metrics.Kind, help string, read func() float64) web.Value {
		return web.Value{Name: name, Kind: kind, Help: help, Read: read}
	}
	return []web.Value{
		value("fleet_bans_revision", metrics.Gauge, "Revision up to which the server knows the bans of the fleet.",
			func() float64 { return float64(f.revision.Load()) }),
		value("fleet_bans_entries", metrics.Gauge, "Entries of all servers and operators about bans.", func() float64 {
			n, _ := f.shared.Fleet()
			return float64(n)
		}),
		value("fleet_bans_unsent", metrics.Gauge, "Entries of this server that the fleet does not have yet.",
			func() float64 { return float64(len(f.shared.Pending())) }),
		value("fleet_bans_sent_total", metrics.Counter, "Entries of this server that the fleet has received.",
			func() float64 { return float64(f.sent.Load()) }),
		value("fleet_bans_refused_total", metrics.Counter, "Entries of others that are invalid or not allowed.",
			func() float64 { return float64(f.refused.Load()) }),
	}
}

// connected makes the feed read again.
func (f *banFeed) connected() {
	select {
	case f.again <- struct{}{}:
	default:
	}
}

// wait waits for some time, or for ctx.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// follow reads what others send, until ctx ends.
func (f *banFeed) follow(ctx context.Context) {
	pause, patience := retryTime, ackTime
	for ctx.Err() == nil {
		if !f.m.nc.IsConnected() {
			pause, patience = retryTime, ackTime
			select {
			case <-f.again:
			case <-ctx.Done():
			case <-time.After(retryTime):
			}
			continue
		}
		wait(ctx, rand.N(spread))
		err := f.read(ctx, patience)
		f.m.note(err)
		if err != nil {
			wait(ctx, pause/2+rand.N(pause/2))
			pause, patience = min(2*pause, maxRetry), min(2*patience, maxPatience)
		} else {
			pause, patience = retryTime, ackTime
		}
	}
}

// read reads until ctx or the connection ends. It waits for each answer no longer than patience.
func (f *banFeed) read(ctx context.Context, patience time.Duration) error {
	bucket := f.m.fleet.bans()
	js, err := f.m.nc.JetStream(nats.MaxWait(patience))
	if err != nil {
		return err
	}
	call, cancel := context.WithTimeout(f.m.line(), patience)
	defer cancel()
	info, err := js.StreamInfo(stream(bucket), nats.Context(call))
	if errors.Is(err, nats.ErrStreamNotFound) {
		return nil // Run creates it soon
	} else if err != nil {
		return err
	}
	if !info.Created.Equal(f.created) || info.State.LastSeq < f.revision.Load() {
		f.revision.Store(0)
		f.shared.Forgotten()
		if err := f.readSnapshot(js, info.State.LastSeq); err != nil {
			return fmt.Errorf("the snapshot of the bans: %w", err)
		}
		f.created = info.Created
	}
	msgs := make(chan *nats.Msg, batch)
	ended := make(chan struct{})
	defer close(ended)
	reading, stop := context.WithCancel(f.m.line())
	defer stop()
	late := time.AfterFunc(consumerTime, stop)
	// Without a subject, since nats-server 2.9 counts the messages of one by looking at all keys.
	sub, err := js.Subscribe("", func(m *nats.Msg) {
		select {
		case msgs <- m:
		case <-ended:
		}
	}, nats.BindStream(stream(bucket)), nats.OrderedConsumer(), nats.StartSequence(f.revision.Load()+1), nats.Context(reading))
	late.Stop()
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	if pending, err := sub.InitialConsumerPending(); err == nil && pending == 0 {
		f.sync()
	}
	due := time.NewTicker(time.Second)
	defer due.Stop()
	for {
		select {
		case m := <-msgs:
			f.receive(m, msgs)
		case <-due.C:
			f.merge(nil) // what was too far ahead may count now
			if !f.m.nc.IsConnected() || !sub.IsValid() {
				return nil
			}
		case <-f.again:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// receive merges a message and those that wait behind it.
func (f *banFeed) receive(m *nats.Msg, more <-chan *nats.Msg) {
	var entries []bans.Entry
	synced, revision := false, uint64(0)
	for {
		if meta, err := m.Metadata(); err == nil {
			revision = meta.Sequence.Stream
			synced = synced || meta.NumPending == 0
		}
		if len(m.Data) > 0 { // not the mark of a deleted key: removals are entries
			e, err := parseEntry(m.Subject[len(subject(f.m.fleet.bans(), "")):], m.Data)
			if err != nil {
				f.refuse(m.Subject, err)
			} else {
				entries = append(entries, e)
			}
		}
		if len(entries) >= batch {
			break
		}
		select {
		case m = <-more:
			continue
		default:
		}
		break
	}
	f.merge(entries)
	f.revision.Store(max(revision, f.revision.Load()))
	if synced {
		f.sync()
	}
}

// merge merges entries, and logs bans of others that came after the start.
func (f *banFeed) merge(entries []bans.Entry) {
	added, refused := f.shared.Receive(entries)
	for _, err := range refused {
		f.refuse("a ban", err)
	}
	if !f.synced.Load() {
		return
	}
	for _, e := range added {
		f.m.cfg.Log(false, fmt.Sprintf("%s is banned by %s: %s", e.Ban.Target(), e.Origin, e.Ban.Reason))
	}
}

// refuse counts an entry that does not count, and logs the first one.
func (f *banFeed) refuse(what string, err error) {
	f.refused.Add(1)
	if !f.told {
		f.told = true
		f.m.cfg.Log(true, fmt.Sprintf("%s does not count; teeyard_fleet_bans_refused_total counts more of them: %v", what, err))
	}
}

// sync shares what the fleet does not have, after everything that it has was read.
func (f *banFeed) sync() {
	f.shared.Synced()
	if !f.synced.Swap(true) {
		n, _ := f.shared.Fleet()
		f.m.cfg.Log(false, fmt.Sprintf("the fleet has %d entries about bans", n))
	}
}

// readSnapshot begins with all entries up to some revision, if there is a snapshot of this bucket.
// It returns an error if NATS does not answer.
func (f *banFeed) readSnapshot(js nats.JetStreamContext, last uint64) error {
	kv, err := js.KeyValue(f.m.fleet.snapshots())
	if errors.Is(err, nats.ErrBucketNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	value, err := kv.Get("bans")
	if errors.Is(err, nats.ErrKeyNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	s, refused, err := parseSnapshot(value.Value())
	switch {
	case err != nil:
		f.m.cfg.Log(true, fmt.Sprintf("the snapshot of the bans is left out: %v", err))
		return nil
	case s.revision > last:
		return nil // it is of a bucket that was lost
	case refused > 0:
		f.refuse("the snapshot of the bans", errEntry)
	}
	f.merge(s.entries)
	f.revision.Store(s.revision)
	return nil
}

// send sends the entries of this server until ctx ends. It repeats what NATS does not acknowledge.
func (f *banFeed) send(ctx context.Context) {
	for ctx.Err() == nil {
		if f.synced.Load() && f.m.nc.IsConnected() {
			f.sendPending(ctx)
		}
		var retry <-chan time.Time // never, while there is nothing to send
		if !f.synced.Load() || len(f.shared.Pending()) > 0 {
			retry = time.After(retryTime)
		}
		select {
		case <-f.shared.Wake():
		case <-retry:
		case <-ctx.Done():
		}
	}
}

func (f *banFeed) sendPending(ctx context.Context) {
	for _, e := range f.shared.Pending() {
		if ctx.Err() != nil {
			return
		}
		call, cancel := context.WithTimeout(f.m.line(), ackTime)
		_, err := f.m.js.Publish(subject(f.m.fleet.bans(), BanKey(&e)), marshalEntry(&e), nats.Context(call))
		cancel()
		if err != nil {
			f.m.note(err)
			return
		}
		f.sent.Add(1)
		f.shared.Acknowledge(e)
	}
}
