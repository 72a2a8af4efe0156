package bus

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bans"
	fleetbans "github.com/teeyard/teeyard/fleet/bans"
	"github.com/teeyard/teeyard/internal/testenv"
)

// randomSnapshot returns a snapshot with entries of all kinds.
func randomSnapshot(r *rand.Rand) (s snapshot) {
	s.revision = r.Uint64()
	targets := []string{"203.0.113.7", "203.0.0.0/16", "2001:db8::/32", "2001:db8::1", "10.0.0.1-10.0.0.9", "2001:db8::1-2001:db8::ffff"}
	for range r.IntN(50) {
		e := fleetbans.Entry{
			Origin: []string{"op-alice", "s1"}[r.IntN(2)], By: []string{"", "alice"}[r.IntN(2)], Made: fleetbans.Stamp(1 + r.Int64N(1e15)),
			Removed: r.IntN(2) == 0, Ban: testenv.Must(bans.Parse(targets[r.IntN(len(targets))])),
		}
		e.Ban.RconOnly, e.Ban.Reason = r.IntN(2) == 0, []string{"", "spam", "\x00ü"}[r.IntN(3)]
		if r.IntN(2) == 0 {
			e.Ban.Until = time.Unix(r.Int64N(1e10), r.Int64N(1e9)).UTC()
		}
		s.entries = append(s.entries, e)
	}
	return s
}

// TestSnapshot writes and reads snapshots. A damaged one is an error or has entries that fit their
// origins, without a panic.
func TestSnapshot(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		want := randomSnapshot(r)
		value := testenv.Must(want.marshal())
		got, refused, err := parseSnapshot(value)
		testenv.Check(t, err == nil && refused == 0 && got.revision == want.revision && fmt.Sprint(got.entries) == fmt.Sprint(want.entries) &&
			(len(want.entries) == 0 || reflect.DeepEqual(got.entries, want.entries)), "%v, %d refused\n%+v\nwant %+v", err, refused, got, want)

		raw := testenv.Must(io.ReadAll(testenv.Must(gzip.NewReader(bytes.NewReader(value)))))
		for range 20 {
			b := bytes.Clone(raw)
			if at := r.IntN(len(b)); r.IntN(2) == 0 {
				b = b[:at]
			} else {
				b[at] ^= 1 << r.IntN(8)
			}
			got, _, err := parseSnapshot(compress(b))
			for _, e := range got.entries {
				first, last := e.Ban.Ends()
				testenv.Check(t, err == nil && CheckName("origin", e.Origin) == nil && e.Made > 0 && first.IsValid() && last.IsValid(), "%+v", e)
			}
		}
	}
	for _, b := range []string{"", "{}", snapshotMark, snapshotMark + "\x00\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		_, _, err := parseSnapshot(compress([]byte(b)))
		testenv.Check(t, err == errSnapshot, "%q: %v", b, err)
	}
	_, _, err := parseSnapshot([]byte("plain"))
	testenv.Check(t, err == errSnapshot, "%v", err)
}

// compress compresses the content of a snapshot.
func compress(b []byte) []byte {
	var compressed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&compressed, gzip.NoCompression)
	w.Write(b)
	w.Close()
	return compressed.Bytes()
}
