package bans

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestLineAsJSON compares lines of the file with package json.
func TestLineAsJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	reasons := []string{"", "spam", `a "quote" \\`, "<b>&", "ü 雨 \u2028", "tab\tnul\x00", "half \xff", "\x7f"}
	when := func() time.Time {
		return []time.Time{{}, time.Unix(r.Int64N(1<<32), r.Int64N(1e9)).UTC(), time.Unix(r.Int64N(1<<32), 0).In(time.FixedZone("", 5400))}[r.IntN(3)]
	}
	for range 2000 {
		a := netip.AddrFrom4([4]byte{203, 0, 113, byte(r.IntN(200))})
		if r.IntN(2) == 0 {
			a = netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 15: byte(r.IntN(200))})
		}
		l := line{
			Ban: Ban{
				Duration: time.Duration(r.IntN(2) * r.IntN(1e9)), Until: when(), Reason: reasons[r.IntN(len(reasons))], RconOnly: r.IntN(2) == 0,
				Temporary: r.IntN(2) == 0, Origin: reasons[r.IntN(len(reasons))], Made: int64(r.IntN(2) * r.IntN(1e9)),
			},
			At: when(), Removed: r.IntN(2) == 0,
		}
		if l.Net = netip.PrefixFrom(a, r.IntN(a.BitLen()+1)); r.IntN(3) == 0 {
			l.Net, l.Range = netip.Prefix{}, Range{a, a.Next()}
		}
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		testenv.NoError(t, e.Encode(&l))
		got, err := l.append(nil)
		testenv.NoError(t, err)
		testenv.Check(t, bytes.Equal(got, want.Bytes()), "%s\nwant %s", got, want.Bytes())
	}
	_, err := (&line{At: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}).append(nil)
	testenv.Check(t, err != nil, "a time that JSON does not have is no error")
}
