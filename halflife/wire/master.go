package wire

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"net/netip"

	"github.com/teeyard/teeyard/internal/safetext"
)

// ListFormat is a request format for the list of a master server.
type ListFormat uint8

// The formats of list requests.
const (
	// ListSteam is '1' with a region, the last address of the previous page, and a filter. Steam
	// and Xash3D masters support it.
	ListSteam ListFormat = iota
	// ListBatch is 'e' with the number at the end of the previous page.
	ListBatch
	// ListID is '1' with that number in three bytes, and a filter. Old server browsers send it.
	ListID
	// ListAll is 'c'. The answer is one datagram, without pages.
	ListAll
)

// String returns the lower-case name, such as "steam".
func (f ListFormat) String() string {
	return [...]string{"steam", "batch", "id", "all"}[f&3]
}

// RegionAll stands for all regions of the world.
const RegionAll = 0xff

// ListRequest requests servers from a master.
type ListRequest struct {
	// Format is the request format.
	Format ListFormat
	// ID is the number at the end of the previous page, 0 for the first page. Masters keep it below
	// 2^24. Used by ListBatch and ListID.
	ID uint32
	// After is the last address of the previous page. The zero value requests the first page. Used
	// by ListSteam.
	After netip.AddrPort
	// Region is 0 for US east, 1 US west, 2 South America, 3 Europe, 4 Asia, 5 Australia, 6 Middle
	// East, 7 Africa or 255 all. Used by ListSteam.
	Region byte
	// Filter selects servers. HasFilter reports whether the request has a filter, since some
	// programs send it only for the first page. Used by ListSteam and ListID.
	Filter    Filter
	HasFilter bool
}

const (
	requestListAll         = 'c'
	requestListBatch       = 'e'
	requestListSteam       = '1'
	requestMasterChallenge = 'q'
	messageHeartbeat       = '0'
	messageShutdown        = 'b'
)

// AppendListRequest appends a request to a master. Requests to masters have no header.
func AppendListRequest(dst []byte, r *ListRequest) []byte {
	switch r.Format {
	case ListAll:
		return append(dst, requestListAll)
	case ListBatch:
		return binary.LittleEndian.AppendUint32(append(dst, requestListBatch), r.ID)
	case ListID:
		dst = binary.LittleEndian.AppendUint32(append(dst, requestListSteam), r.ID&0xffffff)
		if r.HasFilter {
			dst = append(r.Filter.Append(dst), 0)
		}
		return dst
	}
	dst = append(dst, requestListSteam, r.Region)
	if r.After.IsValid() {
		dst = r.After.AppendTo(dst)
	} else {
		dst = append(dst, "0.0.0.0:0"...)
	}
	return append(r.Filter.Append(append(dst, 0)), 0)
}

// ParseListRequest reads a list request. ok is false for other datagrams.
func ParseListRequest(b []byte) (r ListRequest, ok bool) {
	if len(b) == 0 {
		return r, false
	}
	switch b[0] {
	case requestListAll:
		r.Format = ListAll
		return r, len(b) == 1 || b[1] == '\n' || b[1] == 0
	case requestListBatch:
		if len(b) < 5 {
			return r, false
		}
		r.Format, r.ID = ListBatch, binary.LittleEndian.Uint32(b[1:])
		return r, true
	case requestListSteam:
	default:
		return r, false
	}
	if len(b) >= 5 && b[4] == 0 {
		r.Format, r.ID = ListID, binary.LittleEndian.Uint32(b[1:])
		if rest := beforeNUL(b[5:]); len(rest) > 0 {
			r.Filter, r.HasFilter = ParseFilter(rest), true
		}
		return r, true
	}
	r.Format = ListSteam
	if len(b) < 3 {
		return r, false
	}
	r.Region = b[1]
	address := beforeNUL(b[2:])
	r.After, ok = parseCursor(address)
	if rest := b[2+len(address):]; len(rest) > 1 {
		r.Filter, r.HasFilter = ParseFilter(beforeNUL(rest[1:])), true
	}
	return r, ok
}

// parseCursor reads the address in a Steam request. The port ends at the first byte that is not a
// digit, since quakestat appends a stray byte. An empty address requests the first page.
func parseCursor(b []byte) (netip.AddrPort, bool) {
	if len(b) == 0 {
		return netip.AddrPort{}, true
	}
	host, digits, found := bytes.Cut(b, []byte{':'})
	if !found || len(host) > len("255.255.255.255") {
		return netip.AddrPort{}, false
	}
	ip, err := netip.ParseAddr(string(host))
	port := parseCount(digits)
	if err != nil || !ip.Is4() || port > 65535 {
		return netip.AddrPort{}, false
	}
	if port == 0 && ip.IsUnspecified() {
		return netip.AddrPort{}, true
	}
	return netip.AddrPortFrom(ip, uint16(port)), true
}

// List is a page of a master's list.
type List struct {
	// Format is ListAll, ListBatch or ListSteam. Answers to ListID requests have the format
	// ListBatch.
	Format ListFormat
	// Next is the number to request the next page with, 0 on the last page. Used by ListBatch.
	Next uint32
	// End reports whether the page is marked as the last. Used by ListSteam.
	End bool
	// Servers are the entries, all with IPv4 addresses.
	Servers []netip.AddrPort
}

// MaxEntries is how many servers fit into a datagram in the longest format.
const MaxEntries = 231

// entrySize is the size of an entry in bytes: a 4-byte address and a port. The port is the only
// big-endian number of the protocol.
const entrySize = 6

// AppendList appends a page in the format l.Format.
func AppendList(dst []byte, l *List) []byte {
	dst = append(dst, header...)
	switch l.Format {
	case ListAll:
		dst = append(dst, kindServers, '\n')
	case ListSteam:
		dst = append(dst, kindServerPage, '\n')
	default:
		// A line feed here would make quakestat read entries as the page number and repeat its
		// request forever.
		dst = binary.LittleEndian.AppendUint32(append(dst, kindServerPage, '\r'), l.Next)
	}
	for _, s := range l.Servers {
		dst = appendEntry(dst, s)
	}
	if l.Format == ListSteam && l.End {
		dst = append(dst, 0, 0, 0, 0, 0, 0)
	}
	return dst
}

func appendEntry(dst []byte, s netip.AddrPort) []byte {
	ip := s.Addr().Unmap()
	if !ip.Is4() {
		return dst
	}
	four := ip.As4()
	return binary.BigEndian.AppendUint16(append(dst, four[:]...), s.Port())
}

// ParseList reads a page. It does not check the addresses.
func ParseList(b []byte) (l List, err error) {
	if len(b) < 6 {
		return l, formatError("list", b)
	}
	var entries []byte
	switch {
	case messageKind(b) == kindServers:
		l.Format, entries = ListAll, b[6:]
	case messageKind(b) == kindServerPage && b[5] == '\r' && len(b) >= 10:
		l.Format, l.Next, entries = ListBatch, binary.LittleEndian.Uint32(b[6:]), b[10:]
	case messageKind(b) == kindServerPage && b[5] == '\n':
		l.Format, entries = ListSteam, b[6:]
	default:
		return l, formatError("list", b)
	}
	if len(entries)%entrySize != 0 {
		return l, formatError("list of whole entries", b)
	}
	l.Servers = make([]netip.AddrPort, 0, len(entries)/entrySize)
	for e := entries; len(e) > 0; e = e[entrySize:] {
		s := netip.AddrPortFrom(netip.AddrFrom4([4]byte(e)), binary.BigEndian.Uint16(e[4:]))
		if l.Format == ListSteam && s.Port() == 0 && s.Addr().IsUnspecified() {
			l.End = true
			break
		}
		l.Servers = append(l.Servers, s)
	}
	return l, nil
}

// Heartbeat is the message with which a game server registers with a master.
type Heartbeat struct {
	// Challenge is the challenge that the master sent.
	Challenge uint32
	// Info describes the server.
	Info Info
	// Region is a region as in ListRequest.
	Region byte
	// Product is the name of the product; empty means Info.Dir.
	Product string
}

// heartbeatProtocol is the protocol version that masters of Half-Life expect.
const heartbeatProtocol = 48

// AppendMasterChallengeRequest appends a server's request for a challenge of a master ('q').
func AppendMasterChallengeRequest(dst []byte) []byte { return append(dst, requestMasterChallenge) }

// ParseMasterChallengeRequest reports whether a datagram requests a challenge. echo is a number
// that the answer must repeat, or 0. Xash3D sends one.
func ParseMasterChallengeRequest(b []byte) (echo uint32, ok bool) {
	if len(b) == 0 || b[0] != requestMasterChallenge {
		return 0, false
	}
	if len(b) == 6 && b[1] == 0xff {
		return binary.LittleEndian.Uint32(b[2:]), true
	}
	return 0, len(b) == 1 || b[1] == '\n' || b[1] == 0
}

// AppendMasterChallenge appends a master's challenge ('s'), and the echo unless it is 0.
func AppendMasterChallenge(dst []byte, challenge, echo uint32) []byte {
	dst = append(append(dst, header...), kindMasterChallenge, '\n') // engines read the word up to the line feed
	dst = binary.LittleEndian.AppendUint32(dst, challenge)
	if echo != 0 {
		dst = binary.LittleEndian.AppendUint32(dst, echo)
	}
	return dst
}

// ParseMasterChallenge reads a master's challenge.
func ParseMasterChallenge(b []byte) (challenge uint32, err error) {
	if messageKind(b) != kindMasterChallenge || len(b) < 10 || b[5] != '\n' {
		return 0, formatError("master challenge", b)
	}
	return binary.LittleEndian.Uint32(b[6:]), nil
}

// AppendHeartbeat appends a heartbeat ('0').
func AppendHeartbeat(dst []byte, h *Heartbeat) []byte {
	i := &h.Info
	dst = append(dst, messageHeartbeat, '\n')
	p := infoString(dst)
	p.addNumber("protocol", cmp.Or(i.Protocol, heartbeatProtocol))
	p.addNumber("challenge", int(h.Challenge))
	p.addNumber("players", i.Players)
	p.addNumber("max", i.Max)
	p.addNumber("bots", i.Bots)
	p.addText("gamedir", i.Dir, maxDir)
	p.addText("map", i.Map, maxMap)
	p.addByte("type", cmp.Or(i.Type, 'd'))
	p.addBool("password", i.Password)
	p.addByte("os", cmp.Or(i.OS, 'l'))
	p.addBool("secure", i.Secure)
	p.addBool("lan", i.LAN)
	p.addText("version", i.Version, maxVersion)
	p.addNumber("region", int(h.Region))
	p.addText("product", cmp.Or(h.Product, i.Dir), maxDir)
	return append(p, '\n')
}

// maxPairs is how many pairs of a heartbeat or filter are read.
const maxPairs = 64

// ParseHeartbeat reads a heartbeat. Without a challenge it returns an error. It ignores unknown
// keys and values longer than 127 bytes.
func ParseHeartbeat(b []byte) (h Heartbeat, err error) {
	if len(b) < 3 || b[0] != messageHeartbeat || b[1] != '\n' {
		return h, formatError("heartbeat", b)
	}
	h.Region = RegionAll
	i, ok, n := &h.Info, false, 0
	body := firstLine(b[2:])
	if len(body) == 0 || body[0] != '\\' {
		return h, formatError("heartbeat", b)
	}
	forEachPair(body, func(key, value []byte) {
		if n++; n > maxPairs || len(value) > 127 {
			return
		}
		switch string(key) {
		case "challenge":
			h.Challenge, ok = parseUint32(value)
		case "protocol":
			i.Protocol = parseCount(value)
		case "players":
			i.Players = min(parseCount(value), 255)
		case "max":
			i.Max = min(parseCount(value), 255)
		case "bots":
			i.Bots = min(parseCount(value), 255)
		case "gamedir":
			i.Dir = safetext.Line(value)
		case "map":
			i.Map = safetext.Line(value)
		case "type":
			i.Type = firstLetter(value)
		case "password":
			i.Password = parseCount(value) != 0
		case "os":
			i.OS = firstLetter(value)
		case "secure":
			i.Secure = parseCount(value) != 0
		case "lan":
			i.LAN = parseCount(value) != 0
		case "version":
			i.Version = safetext.Line(value)
		case "region":
			h.Region = byte(min(parseCount(value), RegionAll))
		case "product":
			h.Product = safetext.Line(value)
		}
	})
	if !ok {
		return h, formatError("heartbeat with a challenge", b)
	}
	return h, nil
}

// firstLetter returns the first letter of a value in lower case, or 0 if there is none.
func firstLetter(b []byte) byte {
	if len(b) == 0 || !isGraphic(b[0]) {
		return 0
	}
	return lowerASCII(b[0])
}

// AppendShutdown appends the message with which a server leaves a master's list ('b').
func AppendShutdown(dst []byte) []byte { return append(dst, messageShutdown, '\n') }

// IsShutdown reports whether a datagram is a shutdown message.
func IsShutdown(b []byte) bool {
	return len(b) > 0 && b[0] == messageShutdown && (len(b) == 1 || b[1] == '\n')
}
