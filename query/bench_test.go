package query

import (
	"net/netip"
	"testing"

	"github.com/teeyard/teeyard/protocol/packet"
)

// BenchmarkAnswer measures the work of a server per request: parsing it, the budget, and the answer
// of a full server.
func BenchmarkAnswer(b *testing.B) {
	i := crowdedInfo(64)
	for f := range Format(NumFormats) {
		b.Run(f.String(), func(b *testing.B) {
			var a ReplyEncoder
			a.SetInfo(i)
			budget := NewBudget(BudgetConfig{PerNetwork: 1 << 40, Total: 1 << 40})
			from := netip.MustParseAddr("192.0.2.1")
			ask := AppendRequest(nil, Request{Format: f, Token: 5})
			out := make([]byte, 0, packet.MaxDatagram)
			now := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				r, ok := ParseRequest6(ask)
				if f == Format7 {
					r, ok = ParseRequest7(ask)
				}
				now += 1000
				if !ok || budget.Spend(now, from, a.MaxSize(f), a.MaxSize(f)) != SizeFull {
					b.Fatal("no answer")
				}
				size := 0
				for n := range a.NumDatagrams(f) {
					out = a.Append(out[:0], r, n)
					size += len(out)
				}
				b.SetBytes(int64(size))
			}
		})
	}
}

// BenchmarkSet measures a tick in which a request in every format arrives.
func BenchmarkSet(b *testing.B) {
	i := crowdedInfo(64)
	var a ReplyEncoder
	b.ReportAllocs()
	for b.Loop() {
		a.SetInfo(i)
		for f := range Format(NumFormats) {
			a.NumDatagrams(f)
		}
	}
}
