package msg6

import (
	"github.com/teeyard/teeyard/protocol/packer"
	"pgregory.net/rapid"
)

// drawString yields a string that survives the wire unchanged: without NUL, clean
// in the given way, and within the limit.
func drawString(t *rapid.T, label, sanitize string, limit int) []byte {
	s := []byte(rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[ -~]{0,40}`),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	).Draw(t, label))
	mode := map[string]packer.SanitizeMode{"lax": packer.SanitizeLax, "cc": packer.SanitizeCC, "strict": packer.SanitizeStrict}[sanitize]
	if limit == 0 {
		limit = len(s)
	}
	s = mode.Sanitize(s)
	s = packer.AppendStringLimit([]byte{}, s, limit)
	return s[:len(s)-1]
}

func drawBytes(t *rapid.T, label string, limit int64) []byte {
	return append([]byte{}, rapid.SliceOfN(rapid.Byte(), 0, int(limit)).Draw(t, label)...)
}

func drawRaw(t *rapid.T, label string, n int) []byte {
	return rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, label)
}

func drawInts(t *rapid.T, label string, limit int) []int32 {
	return rapid.SliceOfN(rapid.Int32(), 0, limit).Draw(t, label)
}

func drawMissing(t *rapid.T, limit int) int {
	return rapid.OneOf(rapid.Just(0), rapid.IntRange(0, limit)).Draw(t, "missing")
}

func drawInput(t *rapid.T) Input {
	m := Input{
		AckTick:      rapid.Int32().Draw(t, "ack"),
		IntendedTick: rapid.Int32().Draw(t, "intended"),
		Size:         rapid.OneOf(rapid.Just[int32](40), rapid.Int32Range(-5, 515), rapid.Int32Max(0)).Draw(t, "size"),
	}
	m.Missing = rapid.OneOf(rapid.Just(0), rapid.IntRange(0, m.Count())).Draw(t, "missing")
	for i := range m.Count() - m.Missing {
		m.Words[i] = rapid.Int32().Draw(t, "word")
	}
	return m
}

func drawObjectEx(t *rapid.T) Ex {
	var o Ex
	copy(o.UUID[:], drawRaw(t, "uuid", len(o.UUID)))
	return o
}

func fixSnap(m *Snap) { m.Part %= m.Parts }
