package bus

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

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
	revision uint64
	entries  []bans.Entry // the earliest first
}

// snapshotMark begins the content of a snapshot. It names the format, which is not JSON, since all
// servers of a fleet may read it at once on one machine.
const snapshotMark = "teeyard bans 1\n"

// Each entry begins with its flags.
const (
	flagRemoved = 1 << iota
	flagRconOnly
	flagRange
	flagIPv6
	flagUntil
)

// marshal returns the snapshot as a compressed value.
func (s *snapshot) marshal() ([]byte, error) {
	b := binary.AppendUvarint([]byte(snapshotMark), s.revision)
	b = binary.AppendUvarint(b, uint64(len(s.entries)))
	for i := range s.entries {
		b = appendEntry(b, &s.entries[i])
	}
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	_, err := w.Write(b)
	err = errors.Join(err, w.Close())
	return compressed.Bytes(), err
}

// appendEntry appends flags, stamp, origin, author, reason, end and addresses.
func appendEntry(b []byte, e *bans.Entry) []byte {
	var flags byte
	set := func(flag byte, on bool) {
		if on {
			flags |= flag
		}
	}
	first, last := e.Ban.Ends()
	set(flagRemoved, e.Removed)
	set(flagRconOnly, e.Ban.RconOnly)
	set(flagRange, e.Ban.Range.IsValid())
	set(flagIPv6, first.Is6())
	set(flagUntil, !e.Ban.Until.IsZero())
	b = binary.AppendVarint(append(b, flags), int64(e.Made))
	for _, text := range []string{e.Origin, e.By, e.Ban.Reason} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	if flags&flagUntil != 0 {
		b = binary.AppendVarint(b, e.Ban.Until.Unix())
		b = binary.AppendUvarint(b, uint64(e.Ban.Until.Nanosecond()))
	}
	b = append(b, first.AsSlice()...)
	if flags&flagRange != 0 {
		return append(b, last.AsSlice()...)
	}
	return append(b, byte(e.Ban.Net.Bits()))
}

// errSnapshot is returned for snapshots of another version, and for damaged ones.
var errSnapshot = errors.New("its format is unknown; write it again with teeyard-fleet bans snapshot")

// parseSnapshot parses a value of marshal. It returns the entries that fit their origins; refused
// is the number of the others.
func parseSnapshot(value []byte) (s snapshot, refused int, err error) {
	r, err := gzip.NewReader(bytes.NewReader(value))
	if err != nil {
		return s, 0, errSnapshot
	}
	b, err := io.ReadAll(io.LimitReader(r, maxSnapshot))
	if err != nil || !bytes.HasPrefix(b, []byte(snapshotMark)) {
		return s, 0, errSnapshot
	}
	in := reader{rest: b[len(snapshotMark):], texts: map[string]string{}}
	s.revision = in.number()
	n := in.number()
	if n > uint64(len(in.rest)) {
		return s, 0, errSnapshot
	}
	s.entries = make([]bans.Entry, 0, n)
	for range n {
		e, valid := in.entry()
		if in.failed {
			break
		}
		if !valid {
			refused++
			continue
		}
		s.entries = append(s.entries, e)
	}
	if in.failed || len(in.rest) > 0 {
		return snapshot{}, 0, errSnapshot
	}
	return s, refused, nil
}

// reader reads the parts of a snapshot. After its end, failed is true.
type reader struct {
	rest   []byte
	failed bool
	texts  map[string]string // origins and authors, which are few
}

func (r *reader) bytes(n uint64) (b []byte) {
	if n > uint64(len(r.rest)) {
		r.failed, r.rest = true, nil
		return nil
	}
	b, r.rest = r.rest[:n], r.rest[n:]
	return b
}

// byte returns the next byte, 0 at the end.
func (r *reader) byte() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.rest)
	r.bytes(uint64(max(n, 0)))
	r.failed = r.failed || n <= 0
	return v
}

func (r *reader) signed() int64 {
	v, n := binary.Varint(r.rest)
	r.bytes(uint64(max(n, 0)))
	r.failed = r.failed || n <= 0
	return v
}

// name returns a text that other entries also have.
func (r *reader) name() string {
	b := r.bytes(r.number())
	name, ok := r.texts[string(b)]
	if !ok {
		name = string(b)
		r.texts[name] = name
	}
	return name
}

func (r *reader) address(flags byte) netip.Addr {
	n := uint64(4)
	if flags&flagIPv6 != 0 {
		n = 16
	}
	a, _ := netip.AddrFromSlice(r.bytes(n))
	return a
}

// entry returns the next entry. It is not valid if it has no addresses, origin or stamp.
func (r *reader) entry() (e bans.Entry, valid bool) {
	flags := r.byte()
	e.Made = bans.Stamp(r.signed())
	e.Origin, e.By = r.name(), r.name()
	e.Ban.Reason = string(r.bytes(r.number()))
	e.Removed, e.Ban.RconOnly = flags&flagRemoved != 0, flags&flagRconOnly != 0
	if flags&flagUntil != 0 {
		seconds := r.signed()
		e.Ban.Until = time.Unix(seconds, int64(r.number()%1e9)).UTC()
	}
	first := r.address(flags)
	if flags&flagRange != 0 {
		e.Ban.Range.First, e.Ban.Range.Last = first, r.address(flags)
		valid = e.Ban.Range.IsValid()
	} else {
		e.Ban.Net = netip.PrefixFrom(first, int(r.byte()))
		valid = e.Ban.Net.IsValid()
	}
	return e, valid && CheckName("origin", e.Origin) == nil && e.Made > 0
}
