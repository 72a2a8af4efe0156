package msg7

import "github.com/teeyard/teeyard/protocol/packer"

// SvVoteOptionListAdd adds several options to the client's list. The original server sends up to
// VoteOptionsPerMessage in a message.
//
// Sent by the server, vital; game message 12, Sv_VoteOptionListAdd.
type SvVoteOptionListAdd struct {
	// Texts of the options; sanitised with cc, each cut to 64 bytes on sending. Unpack reuses the
	// slice.
	Descriptions [][]byte
}

// maxVoteOptionBytes is the length at which the original cuts an option on sending.
const maxVoteOptionBytes = 64

// Append appends the message, id first, and returns the extended slice.
func (m *SvVoteOptionListAdd) Append(dst []byte) []byte {
	dst = packer.AppendInt(dst, int32(IDSvVoteOptionListAdd))
	dst = packer.AppendInt(dst, int32(len(m.Descriptions)))
	for _, s := range m.Descriptions {
		dst = packer.AppendStringLimit(dst, s, maxVoteOptionBytes)
	}
	return dst
}

// Unpack reads the message from u, whose position must be after the id. The slice grows with the
// strings present, not with their announced number.
func (m *SvVoteOptionListAdd) Unpack(u *packer.Unpacker) error {
	m.Descriptions = m.Descriptions[:0]
	n := u.Int()
	if n < 0 || u.Err() != nil {
		return version.NewFieldError("Sv_VoteOptionListAdd", "count", n, u)
	}
	for range n {
		s := u.String(packer.SanitizeCC)
		if u.Err() != nil {
			return version.NewFieldError("Sv_VoteOptionListAdd", "Descriptions", 0, u)
		}
		m.Descriptions = append(m.Descriptions, s)
	}
	return nil
}
