package wire

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/teeyard/teeyard/internal/safetext"
)

// Info is a server's description of itself. Strings over the protocol's limits are cut when they
// are sent.
type Info struct {
	// Address is the server's address as "ip:port", or empty if the server does not know it. An
	// unspecified IP address (0.0.0.0 or ::) is not sent. Many servers send a private address,
	// 0.0.0.0 or "LOOPBACK", so clients use the source address of the answer instead.
	Address string
	// Name is the name of the server, at most 63 bytes.
	Name string
	// Map is the name of the map, at most 31 bytes.
	Map string
	// Dir is the folder of the game without slashes, such as "valve", at most 31 bytes. Client
	// programs filter by it.
	Dir string
	// Game is the display name of the game, at most 63 bytes.
	Game string
	// Players is the number of players, bots included. Max is the number of slots, and Bots the
	// number of bots. A2S carries counts up to 255. The text formats carry at most 127, since
	// clients read them as signed bytes.
	Players, Max, Bots int
	// Protocol is the version of the network protocol, 0..255. The text formats send 0 as 47, the
	// version of Half-Life when they were in use.
	Protocol int
	// Type is 'd' for a dedicated server, 'l' for one that runs within a client, or 'p' for a
	// proxy. 0 is sent as 'd'.
	Type byte
	// OS is 'l' for Linux, 'w' for Windows or 'm' for macOS. 0 is sent as 'l'.
	OS byte
	// Password reports whether joining needs a password.
	Password bool
	// Secure reports whether the server runs an anti-cheat system.
	Secure bool
	// LAN reports whether the server is for the local network. Only the infostring format has this
	// field.
	LAN bool
	// Mod is set unless the game is Half-Life itself. Only the text formats have this field.
	Mod *Mod

	// Only A2S carries the fields below.

	// Version is the version of the server, at most 31 bytes.
	Version string
	// AppID is the Steam id of the game. A2S carries its low 16 bits and, as GameID, all of it.
	// Clients derive the split style of long answers from AppID and Protocol. All of them derive
	// SplitSource if the low byte of AppID is at least 80h and Protocol is not 48.
	AppID uint64
	// Port is the port of the game. 0 leaves it out.
	Port uint16
	// SteamID is the server's account. 0 leaves it out.
	SteamID uint64
	// TVPort and TVName are the port and name of the spectator proxy. A TVPort of 0 leaves both
	// out.
	TVPort uint16
	TVName string
	// Keywords are tags to filter by, separated by commas, at most 127 bytes.
	Keywords string
}

// Mod describes a modification of Half-Life, or any other game.
type Mod struct {
	// URL is the mod's page, and Download the address of its files; each has at most 63 bytes.
	URL, Download string
	// Version is the mod's version, and Size the size of its download in bytes.
	Version, Size int32
	// ServerOnly reports whether clients need no files of the mod. ClientDLL reports whether they
	// need its client library.
	ServerOnly, ClientDLL bool
}

// Maximum lengths of strings in bytes.
const (
	maxName     = 63
	maxMap      = 31
	maxDir      = 31
	maxGame     = 63
	maxAddress  = 47
	maxVersion  = 31
	maxKeywords = 127
	maxURL      = 63
)

// maxTextCount is the highest count that all clients read correctly.
const maxTextCount = 127

// textProtocol is the protocol version of Half-Life when it used the text formats.
const textProtocol = 47

// sentAddress returns the address to send, or "" if it is unspecified. Real servers send
// unspecified addresses, but no client can reach them.
func (i *Info) sentAddress() string {
	if a, err := netip.ParseAddrPort(i.Address); err == nil && a.Addr().IsUnspecified() {
		return ""
	}
	return i.Address
}

// appendCommon appends the fields at the beginning of info and details.
func (i *Info) appendCommon(dst []byte) []byte {
	dst = appendString(dst, i.sentAddress(), maxAddress)
	dst = appendString(dst, i.Name, maxName)
	dst = appendString(dst, i.Map, maxMap)
	dst = appendString(dst, i.Dir, maxDir)
	dst = appendString(dst, i.Game, maxGame)
	return append(dst, clampToByte(i.Players, maxTextCount), clampToByte(i.Max, maxTextCount), clampToByte(cmp.Or(i.Protocol, textProtocol), 255))
}

// AppendInfo appends the answer to "info" (S2A_INFO, 'C').
func AppendInfo(dst []byte, i *Info) []byte {
	return i.appendCommon(append(append(dst, header...), kindInfo))
}

// AppendDetails appends the answer to "details" (S2A_INFO_DETAILED, 'm'). The answer ends with the
// count of bots, as in the answers of real servers.
func AppendDetails(dst []byte, i *Info) []byte {
	dst = i.appendCommon(append(append(dst, header...), kindDetails))
	dst = append(dst, cmp.Or(i.Type, 'd'), cmp.Or(i.OS, 'l'))
	dst = appendBool(dst, i.Password)
	dst = appendBool(dst, i.Mod != nil)
	if m := i.Mod; m != nil {
		dst = appendString(dst, m.URL, maxURL)
		dst = appendString(dst, m.Download, maxURL)
		dst = append(dst, 0) // formerly the version of Half-Life; must be empty
		dst = binary.LittleEndian.AppendUint32(dst, uint32(m.Version))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(m.Size))
		dst = appendBool(dst, m.ServerOnly)
		dst = appendBool(dst, m.ClientDLL)
	}
	dst = appendBool(dst, i.Secure)
	return append(dst, clampToByte(i.Bots, maxTextCount))
}

// The bits of the A2S_INFO byte that lists the optional fields.
const (
	extraPort     = 0x80
	extraSteamID  = 0x10
	extraTV       = 0x40
	extraKeywords = 0x20
	extraGameID   = 0x01
)

// AppendA2SInfo appends the answer to A2S_INFO ('I'). A Protocol of 0 is sent as 0.
func AppendA2SInfo(dst []byte, i *Info) []byte {
	dst = append(append(dst, header...), kindA2SInfo, clampToByte(i.Protocol, 255))
	dst = appendString(dst, i.Name, maxName)
	dst = appendString(dst, i.Map, maxMap)
	dst = appendString(dst, i.Dir, maxDir)
	dst = appendString(dst, i.Game, maxGame)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(i.AppID))
	dst = append(dst, clampToByte(i.Players, 255), clampToByte(i.Max, 255), clampToByte(i.Bots, 255), cmp.Or(i.Type, 'd'), cmp.Or(i.OS, 'l'))
	dst = appendBool(dst, i.Password)
	dst = appendBool(dst, i.Secure)
	dst = appendString(dst, i.Version, maxVersion)
	extra := len(dst)
	dst = append(dst, 0)
	if i.Port != 0 {
		dst[extra] |= extraPort
		dst = binary.LittleEndian.AppendUint16(dst, i.Port)
	}
	if i.SteamID != 0 {
		dst[extra] |= extraSteamID
		dst = binary.LittleEndian.AppendUint64(dst, i.SteamID)
	}
	if i.TVPort != 0 {
		dst[extra] |= extraTV
		dst = appendString(binary.LittleEndian.AppendUint16(dst, i.TVPort), i.TVName, maxName)
	}
	if i.Keywords != "" {
		dst[extra] |= extraKeywords
		dst = appendString(dst, i.Keywords, maxKeywords)
	}
	if i.AppID != 0 {
		dst[extra] |= extraGameID
		dst = binary.LittleEndian.AppendUint64(dst, i.AppID)
	}
	if dst[extra] == 0 {
		return dst[:extra]
	}
	return dst
}

// InfoFormat is a message format of an Info.
type InfoFormat uint8

// The message formats of an Info.
const (
	// FormatInfo is the answer to "info".
	FormatInfo InfoFormat = iota + 1
	// FormatDetails is the answer to "details".
	FormatDetails
	// FormatA2S is the answer to A2S_INFO.
	FormatA2S
	// FormatInfostring is the answer to "infostring".
	FormatInfostring
)

var formatNames = map[InfoFormat]string{FormatInfo: "info", FormatDetails: "details", FormatA2S: "a2s", FormatInfostring: "infostring"}

// String returns the lower-case name, such as "details".
func (f InfoFormat) String() string { return cmp.Or(formatNames[f], "none") }

// ParseInfo reads an answer to info, details, A2S_INFO or infostring. Fields that old servers leave
// out stay zero, and additional fields of newer servers are ignored. Texts are safe to show. Counts
// are the unchecked numbers of the server, 0..255.
func ParseInfo(b []byte) (i Info, form InfoFormat, err error) {
	r := reader{b: b}
	switch messageKind(b) {
	case kindInfo, kindDetails:
		r.take(5)
		i.Address, i.Name, i.Map, i.Dir, i.Game = r.text(), r.text(), r.text(), r.text(), r.text()
		i.Players, i.Max = int(r.u8()), int(r.u8())
		form = FormatInfo
		if r.truncated {
			break
		}
		i.Protocol = int(r.u8()) // the oldest servers end here
		r.truncated = false
		if messageKind(b) == kindDetails {
			form = FormatDetails
			r.readDetails(&i)
		}
	case kindA2SInfo:
		form = FormatA2S
		r.take(5)
		r.readA2SInfo(&i)
	default:
		if i, err := parseInfostring(b); err == nil {
			return i, FormatInfostring, nil
		}
		return Info{}, 0, formatError("info", b)
	}
	if r.truncated {
		return Info{}, 0, formatError(form.String(), b)
	}
	return i, form, nil
}

// readDetails reads the fields that details has beyond info.
func (r *reader) readDetails(i *Info) {
	i.Type, i.OS = lowerASCII(r.u8()), lowerASCII(r.u8())
	i.Password = r.u8() != 0
	if r.u8() != 0 {
		m := &Mod{URL: r.text(), Download: r.text()}
		r.rawString()
		m.Version, m.Size = int32(r.u32()), int32(r.u32())
		m.ServerOnly, m.ClientDLL = r.u8() != 0, r.u8() != 0
		i.Mod = m
	}
	if r.truncated {
		return
	}
	i.Secure = r.u8() != 0
	i.Bots = int(r.u8())
	r.truncated = false
}

// shipAppID is the Steam id of The Ship, whose answer has three more bytes.
const shipAppID = 2400

// readA2SInfo reads an A2S_INFO answer.
func (r *reader) readA2SInfo(i *Info) {
	i.Protocol = int(r.u8())
	i.Name, i.Map, i.Dir, i.Game = r.text(), r.text(), r.text(), r.text()
	i.AppID = uint64(r.u16())
	i.Players, i.Max, i.Bots = int(r.u8()), int(r.u8()), int(r.u8())
	i.Type, i.OS = lowerASCII(r.u8()), lowerASCII(r.u8())
	i.Password, i.Secure = r.u8() != 0, r.u8() != 0
	if i.AppID == shipAppID {
		r.take(3)
	}
	if r.truncated {
		return
	}
	i.Version = r.text()
	extra := r.u8()
	if r.truncated {
		r.truncated = false
		return
	}
	if extra&extraPort != 0 {
		i.Port = r.u16()
	}
	if extra&extraSteamID != 0 {
		i.SteamID = r.u64()
	}
	if extra&extraTV != 0 {
		i.TVPort, i.TVName = r.u16(), r.text()
	}
	if extra&extraKeywords != 0 {
		i.Keywords = r.text()
	}
	if extra&extraGameID != 0 {
		if id := r.u64(); id != 0 {
			i.AppID = id
		}
	}
	r.truncated = false
}

const infostringHeader = "infostringresponse"

// AppendInfostring appends the answer to "infostring".
func AppendInfostring(dst []byte, i *Info) []byte {
	dst = append(append(append(dst, header...), infostringHeader...), 0)
	p := infoString(dst)
	p.addNumber("protocol", cmp.Or(i.Protocol, textProtocol))
	if address := i.sentAddress(); address != "" {
		p.addText("address", address, maxAddress)
	}
	p.addNumber("players", int(clampToByte(i.Players, maxTextCount)))
	p.addNumber("proxytarget", 0)
	p.addBool("lan", i.LAN)
	p.addNumber("max", int(clampToByte(i.Max, maxTextCount)))
	p.addNumber("bots", int(clampToByte(i.Bots, maxTextCount)))
	p.addText("gamedir", i.Dir, maxDir)
	p.addText("description", i.Game, maxGame)
	p.addText("hostname", i.Name, maxName)
	p.addText("map", i.Map, maxMap)
	p.addByte("type", cmp.Or(i.Type, 'd'))
	p.addBool("password", i.Password)
	p.addByte("os", cmp.Or(i.OS, 'l'))
	p.addBool("secure", i.Secure)
	if m := i.Mod; m != nil {
		p.addNumber("mod", 1)
		p.addNumber("modversion", int(m.Version))
		p.addBool("svonly", m.ServerOnly)
		p.addBool("cldll", m.ClientDLL)
	}
	return append(p, 0)
}

// parseInfostring reads an answer made by AppendInfostring. The NUL between its two strings may be
// missing.
func parseInfostring(b []byte) (i Info, err error) {
	pairs, ok := bytes.CutPrefix(b, []byte(header+infostringHeader))
	pairs = bytes.TrimPrefix(pairs, []byte{0})
	if !ok || !bytes.HasPrefix(pairs, []byte{'\\'}) {
		return i, formatError("infostring", b)
	}
	forEachPair(beforeNUL(pairs), func(key, value []byte) {
		switch {
		case equalFold(key, "protocol"):
			i.Protocol = parseCount(value)
		case equalFold(key, "address"):
			i.Address = safetext.Line(value)
		case equalFold(key, "players"):
			i.Players = parseCount(value)
		case equalFold(key, "max"):
			i.Max = parseCount(value)
		case equalFold(key, "bots"):
			i.Bots = parseCount(value)
		case equalFold(key, "lan"):
			i.LAN = parseCount(value) != 0
		case equalFold(key, "gamedir"):
			i.Dir = safetext.Line(value)
		case equalFold(key, "description"):
			i.Game = safetext.Line(value)
		case equalFold(key, "hostname"):
			i.Name = safetext.Line(value)
		case equalFold(key, "map"):
			i.Map = safetext.Line(value)
		case equalFold(key, "type") && len(value) > 0:
			i.Type = lowerASCII(value[0])
		case equalFold(key, "os") && len(value) > 0:
			i.OS = lowerASCII(value[0])
		case equalFold(key, "password"):
			i.Password = parseCount(value) != 0
		case equalFold(key, "secure"):
			i.Secure = parseCount(value) != 0
		case equalFold(key, "mod") && parseCount(value) != 0 && i.Mod == nil:
			i.Mod = new(Mod)
		case equalFold(key, "modversion") && i.Mod != nil:
			i.Mod.Version = int32(parseCount(value))
		case equalFold(key, "svonly") && i.Mod != nil:
			i.Mod.ServerOnly = parseCount(value) != 0
		case equalFold(key, "cldll") && i.Mod != nil:
			i.Mod.ClientDLL = parseCount(value) != 0
		}
	})
	return i, nil
}

// beforeNUL returns the bytes before the first NUL.
func beforeNUL(b []byte) []byte {
	before, _, _ := bytes.Cut(b, []byte{0})
	return before
}

// formatError returns an error with the kind of the expected message and the first bytes of the
// datagram.
func formatError(what string, b []byte) error {
	return fmt.Errorf("%w: expected %s, got %d bytes that begin with %q", ErrFormat, what, len(b), b[:min(len(b), 16)])
}
