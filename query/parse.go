package query

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
)

// Errors of ParseReply6 and ParseReply7.
var (
	// ErrNoReply is returned for datagrams that are not server infos.
	ErrNoReply = errors.New("query: not a server info")
	// ErrReply is returned for malformed server infos.
	ErrReply = errors.New("query: bad server info")
)

// Reply is one datagram of an answer.
type Reply struct {
	Format Format
	Token  int32
	// ClientsOnly reports whether Info contains only clients.
	ClientsOnly bool
	// Part is the number of the datagram in FormatExtended6, and the index of its first client in
	// FormatLegacy64. In other formats it is 0.
	Part int
	Info Info
}

// ParseReply6 reads a connless datagram of 0.6. It accepts malformed numbers and leaves out a
// truncated client. The error wraps ErrNoReply or ErrReply.
func ParseReply6(datagram []byte) (Reply, error) {
	payload, ok := bytes.CutPrefix(datagram, []byte(Header6))
	if !ok {
		return Reply{}, ErrNoReply
	}
	var r Reply
	switch {
	case bytes.HasPrefix(payload, []byte(tagInfo)):
		r.Format = FormatPlain6
	case bytes.HasPrefix(payload, []byte(tagExtended)):
		r.Format = FormatExtended6
	case bytes.HasPrefix(payload, []byte(tagMore)):
		r.Format, r.ClientsOnly = FormatExtended6, true
	case bytes.HasPrefix(payload, []byte(tagLegacy)):
		r.Format = FormatLegacy64
	default:
		return Reply{}, ErrNoReply
	}
	var u packer.Unpacker
	u.Reset(payload[len(tagInfo):])
	r.Token = readNumber(&u)
	i := &r.Info
	if r.ClientsOnly {
		r.Part = int(readNumber(&u))
		u.String(packer.SanitizeNone)
		if r.Part <= 0 || r.Part >= maxExtendedDatagrams {
			return Reply{}, fmt.Errorf("%w: packet number %d is out of range", ErrReply, r.Part)
		}
	} else if err := r.parseInfo6(&u); err != nil {
		return Reply{}, err
	}
	if u.Err() != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrReply, u.Err())
	}
	for u.Len() > 0 && len(i.Clients) < MaxListed {
		c := Client{Name: readText(&u), Clan: readText(&u), Country: readNumber(&u), Score: readNumber(&u)}
		c.Spectator = readNumber(&u) == 0
		if r.Format == FormatExtended6 {
			u.String(packer.SanitizeNone)
		}
		if u.Err() != nil {
			break
		}
		if !r.ClientsOnly {
			c.Score = i.scoreFrom6(c.Score)
		}
		i.Clients = append(i.Clients, c)
	}
	if r.Format == FormatPlain6 && !slices.ContainsFunc(i.Clients, func(c Client) bool { return c.Name != "" }) {
		i.Clients = nil // a short answer; see ReplyEncoder.Short
	}
	return r, nil
}

// parseInfo6 reads the fields before the clients.
func (r *Reply) parseInfo6(u *packer.Unpacker) error {
	i := &r.Info
	i.Version, i.Name, i.Map = readText(u), readText(u), readText(u)
	if r.Format == FormatExtended6 {
		i.MapCRC, i.MapSize = uint32(readNumber(u)), uint32(readNumber(u))
	}
	i.GameType = readText(u)
	i.Password = readNumber(u)&1 != 0
	i.TimeScore = isTimeMode(i.GameType)
	if err := i.readCounts(u, readNumber); err != nil {
		return err
	}
	switch r.Format {
	case FormatExtended6:
		u.String(packer.SanitizeNone)
	case FormatLegacy64:
		r.Part = int(u.Int())
		if r.Part < 0 || r.Part >= MaxListed {
			return fmt.Errorf("%w: invalid index %d of the first client", ErrReply, r.Part)
		}
	case FormatPlain6:
		// A server with more slots than the format allows has its real counts in the name.
		if name, n, limit, ok := cutSizeSuffix(i.Name); ok && i.MaxClients == maxPlainSlots {
			i.Name, i.NumClients, i.MaxClients = name, max(n, i.NumClients), limit
			if i.MaxPlayers == maxPlainSlots {
				i.MaxPlayers = limit // also limited; the real number is unknown
			}
		}
	}
	return nil
}

// ParseReply7 reads the payload of a connless packet of 0.7. The error wraps ErrNoReply or
// ErrReply.
func ParseReply7(payload []byte) (Reply, error) {
	rest, ok := bytes.CutPrefix(payload, []byte(tagInfo))
	if !ok {
		return Reply{}, ErrNoReply
	}
	r := Reply{Format: Format7}
	i := &r.Info
	var u packer.Unpacker
	u.Reset(rest)
	r.Token = u.Int()
	i.Version, i.Name, i.Hostname, i.Map, i.GameType = readText(&u), readText(&u), readText(&u), readText(&u), readText(&u)
	flags := u.Int()
	i.Password, i.TimeScore = flags&1 != 0, flags&2 != 0
	i.SkillLevel = int(u.Int())
	if err := i.readCounts(&u, (*packer.Unpacker).Int); err != nil {
		return Reply{}, err
	}
	if u.Err() != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrReply, u.Err())
	}
	for u.Len() > 0 && len(i.Clients) < MaxListed {
		c := Client{Name: readText(&u), Clan: readText(&u), Country: u.Int(), Score: u.Int()}
		kind := u.Int()
		if u.Err() != nil {
			break
		}
		c.Spectator, c.Bot = kind&1 != 0, kind&2 != 0
		i.Clients = append(i.Clients, c)
	}
	return r, nil
}

// readCounts reads the four counts.
func (i *Info) readCounts(u *packer.Unpacker, read func(*packer.Unpacker) int32) error {
	for _, n := range [...]*int{&i.NumPlayers, &i.MaxPlayers, &i.NumClients, &i.MaxClients} {
		v := read(u)
		if v < 0 {
			return fmt.Errorf("%w: count %d", ErrReply, v)
		}
		*n = min(int(v), MaxListed)
	}
	return nil
}

// readText reads a text and makes it safe to show.
func readText(u *packer.Unpacker) string { return safeText(u.String(packer.SanitizeNone)) }

// readNumber reads the decimal digits at the beginning of a text, as the original does.
func readNumber(u *packer.Unpacker) int32 {
	s := strings.TrimLeft(string(u.String(packer.SanitizeNone)), " ")
	s, negative := strings.CutPrefix(s, "-")
	v := int64(0)
	for _, c := range []byte(s) {
		if c < '0' || c > '9' || v > 1<<32 {
			break
		}
		v = v*10 + int64(c-'0')
	}
	if negative {
		v = -v
	}
	// The CRC may be written with or without a sign.
	if v > 1<<31-1 && v < 1<<32 {
		return int32(uint32(v))
	}
	return int32(min(max(v, -1<<31), 1<<31-1))
}

// ReplyMerger merges the datagrams of an answer in one format. The datagrams may arrive in any
// order and more than once. The zero value is ready to use.
type ReplyMerger struct {
	info     Info
	haveInfo bool
	// clients maps indexes in the list to clients.
	clients map[int]Client
}

// indexStride is the distance between the first indexes of two datagrams. The stride is larger than
// the number of clients that fit into a datagram.
const indexStride = packet.MaxDatagram

// Add adds a datagram. It reports whether the answer is complete.
func (m *ReplyMerger) Add(r *Reply) bool {
	if !r.ClientsOnly && !m.haveInfo {
		m.info, m.haveInfo = r.Info, true
		m.info.Clients = nil
	}
	first := r.Part
	if r.Format == FormatExtended6 {
		first *= indexStride
	}
	if m.clients == nil {
		m.clients = make(map[int]Client)
	}
	for n, c := range r.Info.Clients {
		if _, twice := m.clients[first+n]; !twice && len(m.clients) < MaxListed {
			m.clients[first+n] = c
		}
	}
	return m.Complete()
}

// Complete reports whether all NumClients clients have arrived. FormatPlain6 never lists more than
// 16.
func (m *ReplyMerger) Complete() bool { return m.haveInfo && len(m.clients) >= m.info.NumClients }

// Info returns the info so far. ok is false while the first datagram is missing.
func (m *ReplyMerger) Info() (Info, bool) {
	i := m.info
	for _, at := range slices.Sorted(maps.Keys(m.clients)) {
		c := m.clients[at]
		if at >= indexStride {
			// The first datagram decides whether scores are times. Indexes this high occur only
			// in FormatExtended6.
			c.Score = i.scoreFrom6(c.Score)
		}
		i.Clients = append(i.Clients, c)
	}
	return i, m.haveInfo
}
