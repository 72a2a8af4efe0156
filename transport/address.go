package transport

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"unicode"
)

// ErrAddress is returned for a server address that is malformed or has an unknown scheme.
var ErrAddress = errors.New("bad address")

// Address is the address of a server, in any form that users, master servers and links use. See
// ParseAddress.
type Address struct {
	// Scheme is the part before "://", in lower case. Scheme is empty if there is none.
	Scheme string
	// Host is a name or an IP address, without brackets.
	Host string
	// Port is 0 if the address has none.
	Port uint16
	// Path is the rest after host and port, with its slash. Only addresses of web servers have one.
	Path string
}

// Schemes of game servers. Master servers put a protocol version between schemePrefix and
// schemeSuffix. Links for the games' own clients use the other schemes, also without slashes.
const (
	schemePrefix = "tw-"
	schemeSuffix = "+udp"
	// SchemeDDNet and SchemeTeeworlds are the schemes of links for the clients of DDNet and
	// Teeworlds.
	SchemeDDNet     = "ddnet"
	SchemeTeeworlds = "teeworlds"
	schemeUDP       = "udp"
)

// ParseAddress parses "host", "host:port", "1.2.3.4:port", "[::1]:port", "::1", or one of these
// after a scheme and "://", such as "tw-0.7+udp://1.2.3.4:8303/". ParseAddress ignores surrounding
// white space and the case of the scheme. The error wraps ErrAddress.
func ParseAddress(s string) (Address, error) {
	fail := func(why string) (Address, error) { return Address{}, fmt.Errorf("%w: %q %s", ErrAddress, s, why) }
	var a Address
	rest := strings.TrimSpace(s)
	if scheme, behind, ok := cutScheme(rest); ok {
		if strings.ContainsFunc(scheme, notInScheme) || scheme == "" {
			return fail("has an invalid scheme")
		}
		a.Scheme, rest = strings.ToLower(scheme), behind
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest, a.Path = rest[:i], rest[i:]
	}
	if strings.ContainsFunc(rest, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("\"'\\@,;<>|", r)
	}) {
		return fail("has a character that is not allowed in a server address")
	}
	if ip, err := netip.ParseAddr(rest); err == nil && !strings.ContainsAny(ip.Zone(), "[]") {
		a.Host = ip.String()
		return a, nil
	}
	port := ""
	switch inner, bracketed := strings.CutPrefix(rest, "["); {
	case bracketed:
		var ok bool
		if a.Host, port, ok = strings.Cut(inner, "]"); !ok {
			return fail("has no closing bracket")
		}
		if ip, err := netip.ParseAddr(a.Host); err != nil || ip.Is4() {
			return fail("has brackets without an IPv6 address")
		}
		if port != "" && port[0] != ':' {
			return fail("has brackets that are not followed by :PORT")
		}
	case strings.Count(rest, ":") > 1:
		return fail("has too many colons; write an IPv6 address with a port as [::1]:8303")
	default:
		i := strings.IndexByte(rest+":", ':')
		a.Host, port = rest[:i], rest[i:]
	}
	if a.Host == "" {
		return fail("has no host")
	}
	if port != "" {
		n, err := strconv.ParseUint(port[1:], 10, 16)
		if err != nil || n == 0 {
			return fail("has a port that is not a number from 1 to 65535")
		}
		a.Port = uint16(n)
	}
	return a, nil
}

// notInScheme reports whether a character cannot be in a scheme.
func notInScheme(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("+-.", r)
}

// cutScheme splits an address after its scheme, if it has one.
func cutScheme(s string) (scheme, rest string, ok bool) {
	if scheme, rest, ok = strings.Cut(s, "://"); ok {
		return scheme, rest, true
	}
	// "ddnet:1.2.3.4:8303" is a link, but "ddnet:8303" is a host in the local network.
	if scheme, rest, ok = strings.Cut(s, ":"); ok && strings.Trim(rest, "0123456789") != "" {
		ok = strings.EqualFold(scheme, SchemeDDNet) || strings.EqualFold(scheme, SchemeTeeworlds)
		return scheme, rest, ok
	}
	return "", s, false
}

// Version returns the protocol version in the scheme of a master server's address, such as "0.7".
// For other schemes it returns "".
func (a Address) Version() string {
	if v, ok := strings.CutPrefix(a.Scheme, schemePrefix); ok {
		if v, ok = strings.CutSuffix(v, schemeSuffix); ok {
			return v
		}
	}
	return ""
}

// IsWebSocket reports whether the scheme is ws or wss.
func (a Address) IsWebSocket() bool { return a.Scheme == "ws" || a.Scheme == "wss" }

// IsWeb reports whether the scheme is http or https.
func (a Address) IsWeb() bool { return a.Scheme == "http" || a.Scheme == "https" }

// IsGame reports whether the address is for datagrams: it has no scheme, or the scheme of a game
// server.
func (a Address) IsGame() bool {
	switch a.Scheme {
	case "", SchemeDDNet, SchemeTeeworlds, schemeUDP:
		return true
	}
	return a.Version() != ""
}

// CheckGame returns nil if the address is for datagrams. Otherwise the error wraps ErrAddress and
// suggests a valid form.
func (a Address) CheckGame() error {
	fail := func(why string) error { return fmt.Errorf("%w: %q %s", ErrAddress, a.String(), why) }
	switch {
	case a.IsWebSocket():
		return fail("is a WebSocket address; a game connection needs the server's UDP port: write HOST:PORT")
	case a.IsWeb():
		return fail("is a web page; a game connection needs the server's UDP port: write HOST:PORT")
	case !a.IsGame():
		return fail("has an unknown scheme; write HOST:PORT, tw-0.7+udp://HOST:PORT or ddnet://HOST:PORT")
	case strings.Trim(a.Path, "/") != "":
		return fail("has a path after the port; write HOST:PORT")
	}
	return nil
}

// HostPort returns "host:port", or "host" without a port, with brackets around IPv6 addresses.
func (a Address) HostPort() string {
	switch {
	case a.Port != 0:
		return net.JoinHostPort(a.Host, strconv.Itoa(int(a.Port)))
	case strings.Contains(a.Host, ":"):
		return "[" + a.Host + "]"
	}
	return a.Host
}

// String returns the address in a form that ParseAddress accepts.
func (a Address) String() string {
	if a.Scheme == "" {
		return a.HostPort() + a.Path
	}
	return a.Scheme + "://" + a.HostPort() + a.Path
}
