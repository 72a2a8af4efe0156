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
	// ErrNoReply means that a datagram is no server info at all.
	ErrNoReply = errors.New("query: not a server info")
	// ErrReply means that a server info is malformed.
	ErrReply = errors.New("query: bad server info")
)

// Reply is one datagram of an answer.
type Reply struct {
	Form  Form
	Token int32
	// More tells that Info has nothing but clients.
	More bool
	// Part is the number of the datagram in FormExtended6, and of the first client
	// in FormLegacy64; otherwise 0.
	Part int
	Info Info
}

// ParseReply6 reads a connless datagram of 0.6. It is as tolerant as it can be:
// numbers may be anything, and a client that is cut short is left out. The error
// wraps ErrNoReply or ErrReply.
func ParseReply6(datagram []byte) (Reply, error) {
	payload, ok := bytes.CutPrefix(datagram, []byte(Header6))
	if !ok {
		return Reply{}, ErrNoReply
	}
	var r Reply
	switch {
	case bytes.HasPrefix(payload, []byte(tagInfo)):
		r.Form = FormPlain6
	case bytes.HasPrefix(payload, []byte(tagExtended)):
		r.Form = FormExtended6
	case bytes.HasPrefix(payload, []byte(tagMore)):
		r.Form, r.More = FormExtended6, true
	case bytes.HasPrefix(payload, []byte(tagLegacy)):
		r.Form = FormLegacy64
	default:
		return Reply{}, ErrNoReply
	}
	var u packer.Unpacker
	u.Reset(payload[len(tagInfo):])
	r.Token = number(&u)
	i := &r.Info
	if r.More {
		r.Part = int(number(&u))
		u.String(packer.SanitizeNone)
		if r.Part <= 0 || r.Part >= maxPackets {
			return Reply{}, fmt.Errorf("%w: packet number %d", ErrReply, r.Part)
		}
	} else if err := r.head6(&u); err != nil {
		return Reply{}, err
	}
	if u.Err() != nil {
		return Reply{}, fmt.Errorf("%w: %w", ErrReply, u.Err())
	}
	for u.Len() > 0 && len(i.Clients) < MaxListed {
		c := Client{Name: text(&u), Clan: text(&u), Country: number(&u), Score: number(&u)}
		c.Spectator = number(&u) == 0
		if r.Form == FormExtended6 {
			u.String(packer.SanitizeNone)
		}
		if u.Err() != nil {
			break
		}
		if !r.More {
			c.Score = i.fromScore6(c.Score)
		}
		i.Clients = append(i.Clients, c)
	}
	return r, nil
}

// head6 reads the record before the clients.
func (r *Reply) head6(u *packer.Unpacker) error {
	i := &r.Info
	i.Version, i.Name, i.Map = text(u), text(u), text(u)
	if r.Form == FormExtended6 {
		i.MapCRC, i.MapSize = uint32(number(u)), uint32(number(u))
	}
	i.GameType = text(u)
	i.Password = number(u)&1 != 0
	i.TimeScore = timed(i.GameType)
	if err := i.readCounts(u, number); err != nil {
		return err
	}
	switch r.Form {
	case FormExtended6:
		u.String(packer.SanitizeNone)
	case FormLegacy64:
		r.Part = int(u.Int())
		if r.Part < 0 || r.Part >= MaxListed {
			return fmt.Errorf("%w: first client is number %d", ErrReply, r.Part)
		}
	case FormPlain6:
		// The true size of a server that the form has no room for.
		if name, n, limit, ok := cutNote(i.Name); ok && i.MaxClients == plainSlots {
			i.Name, i.NumClients, i.MaxClients = name, max(n, i.NumClients), limit
			if i.MaxPlayers == plainSlots {
				i.MaxPlayers = limit // cut too, and nothing better is known
			}
		}
	}
	return nil
}

// ParseReply7 reads the payload of a connless packet of 0.7, as ParseReply6 does.
func ParseReply7(payload []byte) (Reply, error) {
	rest, ok := bytes.CutPrefix(payload, []byte(tagInfo))
	if !ok {
		return Reply{}, ErrNoReply
	}
	r := Reply{Form: Form7}
	i := &r.Info
	var u packer.Unpacker
	u.Reset(rest)
	r.Token = u.Int()
	i.Version, i.Name, i.Hostname, i.Map, i.GameType = text(&u), text(&u), text(&u), text(&u), text(&u)
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
		c := Client{Name: text(&u), Clan: text(&u), Country: u.Int(), Score: u.Int()}
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

// text reads a text and makes it printable.
func text(u *packer.Unpacker) string { return clean(u.String(packer.SanitizeNone)) }

// number reads a decimal text as the original does: what is no digit ends it.
func number(u *packer.Unpacker) int32 {
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
	// The CRC may be written with or without sign.
	if v > 1<<31-1 && v < 1<<32 {
		return int32(uint32(v))
	}
	return int32(min(max(v, -1<<31), 1<<31-1))
}

// Merger puts the datagrams of one answer together. They may come in any order and
// more than once. The zero value is ready; it is for one form.
type Merger struct {
	info Info
	head bool
	// placed are the clients by their place in the list.
	placed map[int]Client
}

// perPacket is more than the clients that fit one datagram.
const perPacket = packet.MaxDatagram

// Add adds a datagram. It reports whether all is there now.
func (m *Merger) Add(r *Reply) bool {
	if !r.More && !m.head {
		m.info, m.head = r.Info, true
		m.info.Clients = nil
	}
	first := r.Part
	if r.Form == FormExtended6 {
		first *= perPacket
	}
	if m.placed == nil {
		m.placed = make(map[int]Client)
	}
	for n, c := range r.Info.Clients {
		if _, twice := m.placed[first+n]; !twice && len(m.placed) < MaxListed {
			m.placed[first+n] = c
		}
	}
	return m.Complete()
}

// Complete reports whether all announced clients are there. The plain form of 0.6
// never lists more than 16.
func (m *Merger) Complete() bool { return m.head && len(m.placed) >= m.info.NumClients }

// Info returns what is known, and false while the first datagram is missing.
func (m *Merger) Info() (Info, bool) {
	i := m.info
	for _, at := range slices.Sorted(maps.Keys(m.placed)) {
		c := m.placed[at]
		if at >= perPacket {
			// What these scores are is known from the first datagram only. No
			// other form comes this far.
			c.Score = i.fromScore6(c.Score)
		}
		i.Clients = append(i.Clients, c)
	}
	return i, m.head
}
