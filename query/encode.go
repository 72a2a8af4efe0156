package query

import (
	"slices"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
)

// ReplyEncoder encodes the answers to all requests while a server's Info stays the same. The first
// request for a format encodes its answer. After that an answer is a copy without an allocation.
// The zero value describes an empty server.
//
// A ReplyEncoder is not safe for concurrent use.
type ReplyEncoder struct {
	// Short leaves out the list of clients and thus most of an answer. DDNet's servers do so under
	// many requests, and DDNet's client (16.4) then shows the counts. Clients of 0.6.5 drop a
	// FormatPlain6 answer that lists fewer clients than it counts, so that format keeps entries
	// without names. Format7 is not shortened.
	Short bool

	info    *Info
	replies [NumFormats]encodedReply
}

// encodedReply holds the datagrams of a format, each without the bytes up to its token.
type encodedReply struct {
	valid bool
	b     []byte
	ends  []int
}

// maxBody is the longest body in bytes. With the header, the tag and the longest token it has the
// maximum length that the original programs accept.
const maxBody = packet.MaxConnlessPayload - len(tagInfo) - len("16777215\x00")

// SetInfo sets the info of the answers. The encoder reads it at the first request for each format,
// so it must not change until the next SetInfo. SetInfo is cheap. A server can call it at the first
// request of every tick.
func (a *ReplyEncoder) SetInfo(info *Info) {
	a.info = info
	for f := range a.replies {
		a.replies[f].valid = false
	}
}

// NumDatagrams returns how many datagrams answer a request for the format.
func (a *ReplyEncoder) NumDatagrams(f Format) int { return len(a.reply(f).ends) }

// MaxSize returns the maximum size in bytes of the answer to a request, for a Budget.
func (a *ReplyEncoder) MaxSize(f Format) int {
	r := a.reply(f)
	return len(r.b) + len(r.ends)*(len(Header6)+len(tagInfo)+len("16777215\x00"))
}

// Append appends datagram n of the answer to a request; n is below NumDatagrams. For 0.6 it appends
// a whole datagram, for 0.7 the payload of a connless packet.
func (a *ReplyEncoder) Append(dst []byte, r Request, n int) []byte {
	rec := a.reply(r.Format)
	start := 0
	if n > 0 {
		start = rec.ends[n-1]
	}
	tag := tagInfo
	switch {
	case r.Format == FormatExtended6 && n == 0:
		tag = tagExtended
	case r.Format == FormatExtended6:
		tag = tagMore
	case r.Format == FormatLegacy64:
		tag = tagLegacy
	}
	if r.Format == Format7 {
		dst = packer.AppendInt(append(dst, tag...), r.Token)
	} else {
		dst = append(append(dst, Header6...), tag...)
		dst = appendNumber(dst, int(r.Token))
	}
	return append(dst, rec.b[start:rec.ends[n]]...)
}

func (a *ReplyEncoder) reply(f Format) *encodedReply {
	r := &a.replies[f]
	if !r.valid {
		info := a.info
		if info == nil {
			info = new(Info)
		}
		r.valid, r.b, r.ends = true, r.b[:0], r.ends[:0]
		switch f {
		case FormatPlain6:
			r.encodePlain6(info, a.Short)
		case FormatExtended6:
			r.encodeExtended6(info, a.Short)
		case FormatLegacy64:
			r.encodeLegacy64(info, a.Short)
		case Format7:
			r.encode7(info)
		}
	}
	return r
}

// endDatagram marks the end of a datagram.
func (r *encodedReply) endDatagram() { r.ends = append(r.ends, len(r.b)) }

// maxPlainSlots is the maximum number of slots in 0.6. Clients hide servers with more.
const maxPlainSlots = 16

// encodePlain6 lists at most maxPlainSlots clients and appends the real counts to the name. The
// answer shows a free slot exactly if the server has one, since some browsers only join servers
// with free slots.
func (r *encodedReply) encodePlain6(i *Info, short bool) {
	count := i.clientCount()
	shown := count
	if count >= maxPlainSlots {
		shown = maxPlainSlots - 1
		if count >= i.MaxClients {
			shown = maxPlainSlots
		}
	}
	r.b = appendVersion(r.b, "0.6", i.Version)
	if i.MaxClients <= maxPlainSlots {
		r.b = appendText(r.b, i.Name, maxName)
	} else {
		var note [32]byte
		n := appendSizeSuffix(note[:0], count, min(i.MaxClients, MaxListed))
		r.b = appendText(r.b, i.Name, maxName-len(n))
		r.b = append(append(r.b[:len(r.b)-1], n...), 0)
	}
	r.b = appendText(r.b, i.Map, maxMap)
	r.appendCounts6(i, i.wireCounts(shown, maxPlainSlots))
	if short {
		for range shown {
			r.b = append(r.b, "\x00\x00\x00\x001\x00"...) // a player; empty numbers mean 0
		}
		r.endDatagram()
		return
	}
	for c := range min(len(i.Clients), maxPlainSlots) {
		r.b = i.appendClient6(r.b, &i.Clients[c])
	}
	r.endDatagram()
}

// appendSizeSuffix appends " [n/max]".
func appendSizeSuffix(dst []byte, n, limit int) []byte {
	dst = strconv.AppendInt(append(dst, " ["...), int64(n), 10)
	dst = strconv.AppendInt(append(dst, '/'), int64(limit), 10)
	return append(dst, ']')
}

// appendCounts6 appends the game type, the flags and the counts.
func (r *encodedReply) appendCounts6(i *Info, counts [4]int) {
	r.b = appendText(r.b, i.GameType, maxGameType)
	r.b = appendNumber(r.b, boolToInt(i.Password))
	for _, n := range counts {
		r.b = appendNumber(r.b, n)
	}
}

func (r *encodedReply) encodeExtended6(i *Info, short bool) {
	r.b = appendVersion(r.b, "0.6", i.Version)
	r.b = appendText(r.b, i.Name, maxName)
	r.b = appendText(r.b, i.Map, maxMap)
	r.b = appendNumber(r.b, int(int32(i.MapCRC))) // signed, as in the original
	r.b = appendNumber(r.b, int(int32(i.MapSize)))
	r.appendCounts6(i, i.wireCounts(i.clientCount(), MaxListed))
	r.b = append(r.b, 0)
	start := 0
	for c := range min(i.listed(short), MaxListed) {
		before := len(r.b)
		r.b = append(i.appendClient6(r.b, &i.Clients[c]), 0)
		if len(r.b)-start <= maxBody {
			continue
		}
		if len(r.ends) == maxExtendedDatagrams-1 {
			r.b = r.b[:before]
			break
		}
		// The next datagram begins with this client.
		r.b = r.b[:before]
		r.endDatagram()
		start = before
		r.b = append(appendNumber(r.b, len(r.ends)), 0)
		r.b = append(i.appendClient6(r.b, &i.Clients[c]), 0)
	}
	r.endDatagram()
}

// Limits of FormatExtended6 and FormatLegacy64.
const (
	maxExtendedDatagrams = 64
	maxLegacyClients     = 24
	maxLegacySlots       = 64
)

func (r *encodedReply) encodeLegacy64(i *Info, short bool) {
	r.b = appendVersion(r.b, "0.6", i.Version)
	r.b = appendText(r.b, i.Name, maxName)
	r.b = appendText(r.b, i.Map, maxMap)
	r.appendCounts6(i, i.wireCounts(i.clientCount(), maxLegacySlots))
	prefix := len(r.b)
	r.b = packer.AppendInt(r.b, 0)
	start, first := 0, 0
	for c := range min(i.listed(short), maxLegacySlots) {
		before := len(r.b)
		r.b = i.appendClient6(r.b, &i.Clients[c])
		if len(r.b)-start <= maxBody && c-first < maxLegacyClients {
			continue
		}
		r.b = r.b[:before]
		r.endDatagram()
		start, first = before, c
		r.b = append(r.b, r.b[:prefix]...)
		r.b = packer.AppendInt(r.b, int32(c))
		r.b = i.appendClient6(r.b, &i.Clients[c])
	}
	r.endDatagram()
}

// listed returns how many clients the answer lists.
func (i *Info) listed(short bool) int {
	if short {
		return 0
	}
	return len(i.Clients)
}

// appendClient6 appends a client in the format of 0.6.
func (i *Info) appendClient6(dst []byte, c *Client) []byte {
	dst = appendText(dst, c.Name, maxClientName)
	dst = appendText(dst, c.Clan, maxClan)
	dst = appendNumber(dst, int(c.Country))
	dst = appendNumber(dst, int(i.scoreTo6(c)))
	return appendNumber(dst, boolToInt(!c.Spectator))
}

// appendNumber appends a number in the format of 0.6, a decimal text.
func appendNumber(dst []byte, n int) []byte {
	return append(strconv.AppendInt(dst, int64(n), 10), 0)
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// maxSlots7 is the maximum number of slots that 0.7 browsers accept.
const maxSlots7 = 64

// encode7 lists all clients in one datagram, since browsers need all of them. It shortens names if
// they do not fit.
func (r *encodedReply) encode7(i *Info) {
	const limit = packet.MaxConnlessPayload - len(tagInfo) - packer.MaxIntLen
	n := min(len(i.Clients), maxSlots7)
	for _, nick := range [...]int{maxClientName, 8, 4, 1} {
		r.b = i.appendRecord7(r.b[:0], n)
		for c := range n {
			r.b = i.appendClient7(r.b, &i.Clients[c], nick)
		}
		if len(r.b) <= limit {
			break
		}
	}
	r.endDatagram()
}

// appendRecord7 appends the info without the list of clients, in the format of the 0.7 message
// SERVERINFO.
func (i *Info) appendRecord7(dst []byte, clients int) []byte {
	n := i.wireCounts(clients, maxSlots7)
	dst = appendVersion(dst, "0.7", i.Version)
	dst = appendText(dst, i.Name, maxName)
	dst = appendText(dst, i.Hostname, maxHostname)
	dst = appendText(dst, i.Map, maxMap)
	dst = appendText(dst, i.GameType, maxGameType)
	if n[1] > maxPlainSlots && slices.Contains(standardModes, i.GameType) {
		// Clients hide a server whose game type is one of the original's but which has more slots
		// than the original allows, so the name of the game type is changed.
		dst = append(dst[:len(dst)-1], "+\x00"...)
	}
	flags := boolToInt(i.Password) | boolToInt(i.TimeScore)<<1
	for _, v := range [...]int{flags, min(max(i.SkillLevel, 0), 2), n[0], n[1], n[2], n[3]} {
		dst = packer.AppendInt(dst, int32(v))
	}
	return dst
}

var standardModes = []string{"DM", "TDM", "CTF", "LMS", "LTS"}

func (i *Info) appendClient7(dst []byte, c *Client, limit int) []byte {
	dst = appendText(dst, c.Name, min(limit, maxClientName))
	dst = appendText(dst, c.Clan, min(limit, maxClan))
	dst = packer.AppendInt(dst, c.Country)
	dst = packer.AppendInt(dst, c.Score)
	return packer.AppendInt(dst, int32(boolToInt(c.Spectator)|boolToInt(c.Bot)<<1))
}

// cutSizeSuffix removes " [n/max]" from a name.
func cutSizeSuffix(name string) (rest string, n, limit int, ok bool) {
	at := strings.LastIndexByte(name, '[')
	if at < 0 || !strings.HasSuffix(name, "]") {
		return name, 0, 0, false
	}
	left, right, _ := strings.Cut(name[at+1:len(name)-1], "/")
	n, err1 := strconv.Atoi(left)
	limit, err2 := strconv.Atoi(right)
	if err1 != nil || err2 != nil || n < 0 || limit <= maxPlainSlots || limit > MaxListed || n > limit {
		return name, 0, 0, false
	}
	return strings.TrimSuffix(name[:at], " "), n, limit, true
}
