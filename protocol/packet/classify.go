package packet

// Kind is the apparent protocol of a datagram from an unknown address.
type Kind uint8

const (
	KindDrop      Kind = iota // not a supported protocol
	KindHalfLife              // Half-Life query, rcon or master
	KindConnless7             // 0.7 connectionless packet
	KindConnless6             // 0.6 connectionless packet, plain or extended ("xe")
	KindControl7              // 0.7 control message
	KindControl6              // 0.6 control message
	// KindData is a packet with chunks. Only the connection of its address shows its version. From
	// an address without a connection, it can only be 0.6: a packet with 0.6.5's token, or the
	// answer to a challenge.
	KindData
)

var kindNames = [...]string{"drop", "half-life", "connless 0.7", "connless 0.6", "control 0.7", "control 0.6", "data"}

// String returns the kind's name for counters and logs.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown kind"
}

// Classify determines the protocol of a datagram from its first bytes. Use it only for addresses
// without a connection; otherwise the connection's version decides. The DropReason is DropNone
// unless the kind is KindDrop.
//
// Both versions use the same bit for connectionless packets. Where one version has its control bit,
// the other has its compression bit or an unused bit. 0.7's control bit is unused in 0.6, so it is
// checked first.
func Classify(b []byte) (Kind, DropReason) {
	switch {
	case len(b) > MaxDatagram:
		return KindDrop, DropTooLong
	case len(b) < 3:
		return KindDrop, DropTooShort
	}
	const connless, control7, control6 = 0x20, 0x04, 0x10
	switch {
	case len(b) >= 4 && b[0]&b[1]&b[2]&b[3] == 0xff:
		switch {
		case len(b) == 4:
			return KindDrop, DropTooShort
		case b[4] != 0xff:
			return KindHalfLife, DropNone
		case len(b) < 6:
			return KindDrop, DropTooShort
		}
		return KindConnless6, DropNone
	case b[0]&connless != 0 && b[0]&3 == 1:
		if len(b) < ConnlessHeaderSize {
			return KindDrop, DropTooShort
		}
		return KindConnless7, DropNone
	case b[0]&connless != 0:
		if len(b) < 6 {
			return KindDrop, DropTooShort
		}
		return KindConnless6, DropNone
	case b[0]&control7 != 0:
		if len(b) < HeaderSize+1 {
			return KindDrop, DropTooShort
		}
		return KindControl7, DropNone
	case b[0]&control6 != 0 && b[2] == 0:
		// With chunks, it is compressed data of 0.7.
		if len(b) < 4 {
			return KindDrop, DropTooShort
		}
		return KindControl6, DropNone
	}
	return KindData, DropNone
}

// IsClearly6 reports whether a datagram that is not connectionless has a format that only 0.6
// writes: a bit that 0.7 does not use, or a control packet. Like IsClearly7, it explains why a
// datagram does not fit its connection.
func IsClearly6(b []byte) bool {
	return len(b) >= HeaderSize6 && b[0]&wire6Unused == 0 &&
		(b[0]&(wire6Compressed|wire6Resend) != 0 || b[0]&wire6Control != 0 && b[2] == 0)
}

// IsClearly7 reports whether a datagram that is not connectionless has a format that only 0.7
// writes: a control packet, or compressed chunks.
func IsClearly7(b []byte) bool {
	return len(b) >= HeaderSize && b[0]&(wire6Compressed|wire6Resend) == 0 &&
		(b[0]&wire6Unused != 0 || b[0]&wire6Control != 0 && b[2] != 0)
}
