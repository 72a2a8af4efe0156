package msg7

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

func drawMapHash(t *rapid.T) MapHash {
	var h MapHash
	if rapid.Bool().Draw(t, "hash") {
		h.Present = true
		copy(h.Sum[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "sum"))
	}
	return h
}

func drawInput(t *rapid.T) Input {
	m := Input{
		AckTick:      rapid.Int32().Draw(t, "ack"),
		IntendedTick: rapid.Int32().Draw(t, "intended"),
		Size:         rapid.OneOf(rapid.Just[int32](40), rapid.Int32Range(-5, 515), rapid.Int32Max(0)).Draw(t, "size"),
	}
	m.Missing = rapid.OneOf(rapid.Just(0), rapid.IntRange(0, m.Count()+1)).Draw(t, "missing")
	for i := range min(m.Count(), m.Count()+1-m.Missing) {
		m.Words[i] = rapid.Int32().Draw(t, "word")
	}
	if m.Missing == 0 {
		m.PingCorrection = rapid.Int32().Draw(t, "ping")
	}
	return m
}

func drawSvGameMsg(t *rapid.T) SvGameMsg {
	m := SvGameMsg{Kind: GameMsgKind(rapid.Int32Range(0, 10).Draw(t, "kind"))}
	for i := range m.Kind.Params() {
		m.Params[i] = rapid.Int32().Draw(t, "param")
	}
	return m
}

func drawSvVoteOptionListAdd(t *rapid.T) SvVoteOptionListAdd {
	m := SvVoteOptionListAdd{Descriptions: make([][]byte, 0, 2)}
	for range rapid.IntRange(0, 21).Draw(t, "options") {
		m.Descriptions = append(m.Descriptions, drawString(t, "description", "cc", maxVoteOptionBytes))
	}
	return m
}

// fixInfoRecord puts the numbers in order.
func fixInfoRecord(m *InfoRecord) {
	m.Clients = min(m.Clients, m.MaxClients)
	m.Players = min(m.Players, m.Clients)
	m.PlayerSlots = min(max(m.PlayerSlots, m.Players), m.MaxClients)
	if standardMode(m.GameType) {
		m.GameType = []byte("mod")
	}
}

func fixSnap(m *Snap) { m.Part %= m.Parts }
