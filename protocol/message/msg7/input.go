package msg7

import "github.com/teeyard/teeyard/protocol/packer"

// MaxInputWords is the largest number of integers in an INPUT.
const MaxInputWords = 128

// Input is the player's input for a tick, and acknowledges snapshots. It is sent when the input
// changes, and at least every 40 ms.
//
// Sent by the client, not vital, flushed at once; system message 20, INPUT.
type Input struct {
	// Tick of the last snapshot received, -1 for none; the server uses it as base.
	AckTick int32
	// Tick that the input is for.
	IntendedTick int32
	// Size of the input in bytes: SizePlayerInput×4. At most 515. As in the original, it need not
	// be a multiple of 4, and a negative size counts as 0.
	Size int32
	// The input, Count integers; the others are 0.
	Words [MaxInputWords]int32
	// ms to subtract from the measured latency; servers clamp it to 0..50.
	PingCorrection int32
	// Number of integers missing at the end, of Words and PingCorrection. The original client sends
	// all of them; some others do not.
	Missing int
}

// Count returns the number of Words that are sent, 0 to MaxInputWords.
func (m *Input) Count() int {
	return int(min(max(m.Size/4, 0), MaxInputWords))
}

// SetPlayer sets Size and Words to a player's input.
func (m *Input) SetPlayer(in *PlayerInput) {
	m.Size = SizePlayerInput * 4
	m.Words = [MaxInputWords]int32{}
	in.PutInts(m.Words[:])
}

// Player reads the player's input from the first Words, regardless of Size, as the original server
// does. Player returns an error if a value is out of range.
func (m *Input) Player(in *PlayerInput) error {
	return in.ReadInts(m.Words[:SizePlayerInput])
}

// Append appends the message, id first, and returns the extended slice.
func (m *Input) Append(dst []byte) []byte {
	dst = packer.AppendInt(dst, int32(IDInput))
	dst = packer.AppendInt(dst, m.AckTick)
	dst = packer.AppendInt(dst, m.IntendedTick)
	dst = packer.AppendInt(dst, m.Size)
	n := m.Count()
	if m.Missing > 0 {
		return packer.AppendInts(dst, m.Words[:max(n+1-m.Missing, 0)])
	}
	dst = packer.AppendInts(dst, m.Words[:n])
	return packer.AppendInt(dst, m.PingCorrection)
}

// Unpack reads the message from u, whose position must be after the id. Only the first three
// integers are required; missing Words and PingCorrection become 0.
func (m *Input) Unpack(u *packer.Unpacker) error {
	m.AckTick = u.Int()
	m.IntendedTick = u.Int()
	m.Size = u.Int()
	if u.Err() != nil || m.Size/4 > MaxInputWords {
		return version.NewFieldError("INPUT", "Size", m.Size, u)
	}
	n, read := m.Count(), 0
	for read < n {
		v := u.Int()
		if u.Err() != nil {
			break
		}
		m.Words[read] = v
		read++
	}
	clear(m.Words[read:])
	m.PingCorrection = u.Int()
	m.Missing = n - read
	if u.Err() != nil {
		m.Missing++
	}
	return nil
}
