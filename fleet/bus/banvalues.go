package bus

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/teeyard/teeyard/fleet/bans"
)

const (
	// maxEntry is the size of the largest entry about bans, in bytes.
	maxEntry = 4096
	// maxSnapshot is the size of the largest snapshot after it is expanded, in bytes.
	maxSnapshot = 64 << 20
)

// errEntry is returned for an entry that is not about the target that its key names, or too large.
var errEntry = errors.New("the entry does not fit its key")

// BanKey returns the key of an entry: ORIGIN.p.ADDRESS-BITS for a network, and
// ORIGIN.r.FIRST-LAST for a range, with addresses in hexadecimal digits.
func BanKey(e *bans.Entry) string {
	nets := e.Ban.Networks()
	if len(nets) == 1 {
		return fmt.Sprintf("%s.p.%s-%d", e.Origin, hex.EncodeToString(nets[0].Addr().AsSlice()), nets[0].Bits())
	}
	first, last := e.Ban.Ends()
	return fmt.Sprintf("%s.r.%s-%s", e.Origin, hex.EncodeToString(first.AsSlice()), hex.EncodeToString(last.AsSlice()))
}

// marshalEntry returns the value of an entry.
func marshalEntry(e *bans.Entry) []byte {
	b, err := json.Marshal(e)
	if err != nil {
		panic(err) // entries have only valid addresses and times
	}
	return b
}

// parseEntry parses the value of a key. The origin is in the key, since NATS checks that one.
func parseEntry(key string, value []byte) (e bans.Entry, err error) {
	if len(value) > maxEntry {
		return e, errEntry
	}
	if err := json.Unmarshal(value, &e); err != nil {
		return e, err
	}
	e.Origin, _, _ = strings.Cut(key, ".")
	e.Ban.Origin, e.Ban.Made, e.Ban.Temporary = "", 0, false
	if first, last := e.Ban.Ends(); !first.IsValid() || !last.IsValid() || CheckName("origin", e.Origin) != nil || e.Made <= 0 || BanKey(&e) != key {
		return e, errEntry
	}
	return e, nil
}

// snapshot is all entries up to a revision of the bucket.
type snapshot struct {
	Revision uint64          `json:"revision"`
	Entries  []snapshotEntry `json:"entries"`
}

type snapshotEntry struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// marshal returns the snapshot as a compressed value.
func (s *snapshot) marshal() ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	err := errors.Join(json.NewEncoder(w).Encode(s), w.Close())
	return b.Bytes(), err
}

// parseSnapshot parses a value of marshal.
func parseSnapshot(value []byte) (s snapshot, err error) {
	r, err := gzip.NewReader(bytes.NewReader(value))
	if err != nil {
		return s, err
	}
	return s, json.NewDecoder(io.LimitReader(r, maxSnapshot)).Decode(&s)
}
