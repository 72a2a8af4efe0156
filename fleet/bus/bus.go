// Package bus connects the servers of a fleet, and the operators, over NATS.
//
// A [Member] is a server in the fleet: it reports its state every few seconds, for everybody who
// may read it. An [Operator] reads that. Neither needs the other to be there, and a game goes on
// without NATS.
//
// With the fleet F and the server ID, the state is in the key ID of the bucket F_servers, which
// keeps it in memory for [PresenceAge]. Bans are in the bucket F_bans, see [BanKey]. The bucket
// F_snap has all of them in one value, so that the start of many servers is fast. The streams
// F_EVENTS and F_AUDIT have what happens in the games and what operators do.
package bus

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// maxName is the longest name of a fleet, a server, a tag or an operator, in bytes.
const maxName = 64

// CheckName returns an error for a name of a fleet, a server, a tag or an operator that has
// characters other than letters, digits, - and _.
func CheckName(what, name string) error {
	valid := func(r rune) bool {
		return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if name == "" || len(name) > maxName || strings.TrimFunc(name, valid) != "" || strings.ContainsFunc(name, func(r rune) bool { return !valid(r) }) {
		return fmt.Errorf("%s %q: use 1 to %d letters, digits, - and _", what, name, maxName)
	}
	return nil
}

// fleet is the name of a fleet. Its methods name the buckets.
type fleet string

func (f fleet) servers() string   { return string(f) + "_servers" }
func (f fleet) bans() string      { return string(f) + "_bans" }
func (f fleet) snapshots() string { return string(f) + "_snap" }

func (f fleet) events() string { return string(f) + "_EVENTS" }
func (f fleet) audits() string { return string(f) + "_AUDIT" }

// event returns the subject of a kind of events of a server.
func (f fleet) event(id, kind string) string { return fmt.Sprintf("%s.event.%s.%s", f, id, kind) }

// audit returns the subject of the audit log of a server.
func (f fleet) audit(id string) string { return fmt.Sprintf("%s.audit.%s", f, id) }

// stream returns the stream of a bucket.
func stream(bucket string) string { return "KV_" + bucket }

// subject returns the subject of a key in a bucket.
func subject(bucket, key string) string { return "$KV." + bucket + "." + key }

// buckets returns the buckets of the fleet.
func (f fleet) buckets() []nats.KeyValueConfig {
	return []nats.KeyValueConfig{
		{Bucket: f.servers(), Description: "state of the servers", Storage: nats.MemoryStorage, TTL: PresenceAge},
		{Bucket: f.bans(), Description: "bans of each origin", Storage: nats.FileStorage},
		{Bucket: f.snapshots(), Description: "all bans in one value", Storage: nats.FileStorage},
	}
}

// dedupTime is how long a stream remembers the ids of its messages.
const dedupTime = 2 * time.Minute

// streams returns the streams of the fleet besides the buckets.
func (f fleet) streams() []nats.StreamConfig {
	return []nats.StreamConfig{
		{
			Name: f.events(), Description: "events of the games", Subjects: []string{f.event("*", ">")},
			MaxAge: 7 * 24 * time.Hour, MaxBytes: 1 << 30, Discard: nats.DiscardOld, Duplicates: dedupTime,
		},
		{
			Name: f.audits(), Description: "actions of operators, and addresses of players", Subjects: []string{f.audit("*")},
			MaxAge: 30 * 24 * time.Hour, MaxBytes: 1 << 30, Discard: nats.DiscardOld, Duplicates: dedupTime,
		},
	}
}

// errMissing is returned if a bucket or stream does not exist and cannot be created.
var errMissing = errors.New("it does not exist, and this user cannot create it")

// prepare creates the buckets and streams that do not exist.
func (f fleet) prepare(js nats.JetStreamContext) error {
	for _, b := range f.buckets() {
		_, err := js.KeyValue(b.Bucket)
		if errors.Is(err, nats.ErrBucketNotFound) {
			if _, err = js.CreateKeyValue(&b); err != nil {
				err = fmt.Errorf("%w: %w", errMissing, err)
			}
		}
		if err != nil {
			return fmt.Errorf("bucket %s: %w", b.Bucket, err)
		}
	}
	for _, s := range f.streams() {
		_, err := js.StreamInfo(s.Name)
		if errors.Is(err, nats.ErrStreamNotFound) {
			if _, err = js.AddStream(&s); err != nil {
				err = fmt.Errorf("%w: %w", errMissing, err)
			}
		}
		if err != nil {
			return fmt.Errorf("stream %s: %w", s.Name, err)
		}
	}
	return nil
}

const (
	// callTime limits an operator's wait for an answer of NATS.
	callTime = 5 * time.Second
	// ackTime is a server's, which tries again. While NATS restarts, answers are lost.
	ackTime = 2 * time.Second
)
