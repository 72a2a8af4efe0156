package master

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

// DefaultList is the URL of the list of DDNet's first master.
const DefaultList = "https://master1.ddnet.org/ddnet/15/servers.json"

// MaxList is the maximum length of the list of an HTTP master in bytes. MaxServers is the maximum
// number of servers in any list.
const (
	MaxList    = 32 << 20
	MaxServers = 20000
)

// Errors of this package.
var (
	// ErrList is returned for malformed lists.
	ErrList = errors.New("master: bad list")
	// ErrNoAnswer is returned when no master answers.
	ErrNoAnswer = errors.New("master: no answer")
	// ErrConfig is returned for an invalid Config.
	ErrConfig = errors.New("master: bad configuration")
)

// Server is an entry of a list.
type Server struct {
	// Addrs are the addresses of the server, at least one.
	Addrs []Addr
	// Info is the server's info, nil if it is missing or malformed.
	Info *query.Info
	// Location is a continent such as "eu", or a continent and country such as "as:cn". It may be
	// empty.
	Location string
	// Community is the name of a community. It may be empty.
	Community string
}

// Addr is an address of a server and the protocol version on it.
type Addr struct {
	Peer    transport.Peer
	Version query.Versions
}

// parseAddr reads an address such as "tw-0.6+udp://1.2.3.4:8303".
func parseAddr(s string) (Addr, bool) {
	a, err := transport.ParseAddress(s)
	if err != nil || a.Version() == "" || a.Port == 0 {
		return Addr{}, false
	}
	version, err := query.AddressVersions(a)
	if err != nil {
		return Addr{}, false
	}
	ip, err := netip.ParseAddr(a.Host)
	return Addr{transport.UDPPeer(ip.Unmap(), a.Port), version}, err == nil
}

// ParseList reads the list of an HTTP master. skipped counts the entries that were left out because
// no address was recognised. An entry with a malformed info stays, with a nil Info. The error wraps
// ErrList.
func ParseList(b []byte) (servers []Server, skipped int, err error) {
	var list struct {
		Servers *[]json.RawMessage `json:"servers"`
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, 0, fmt.Errorf("%w: %w", ErrList, err)
	}
	if list.Servers == nil {
		return nil, 0, fmt.Errorf("%w: the field \"servers\" is missing", ErrList)
	}
	for _, raw := range *list.Servers {
		var entry struct {
			Addresses []json.RawMessage `json:"addresses"`
			Location  json.RawMessage   `json:"location"`
			Community json.RawMessage   `json:"community"`
			Info      json.RawMessage   `json:"info"`
		}
		var s Server
		if json.Unmarshal(raw, &entry) == nil && len(servers) < MaxServers {
			for _, a := range entry.Addresses {
				if addr, ok := parseAddr(plainString(a)); ok && len(s.Addrs) < maxAddrs {
					s.Addrs = append(s.Addrs, addr)
				}
			}
		}
		if len(s.Addrs) == 0 {
			skipped++
			continue
		}
		s.Location, s.Community = plainString(entry.Location), plainString(entry.Community)
		if i, err := query.ParseJSON(entry.Info); err == nil {
			s.Info = &i
		}
		servers = append(servers, s)
	}
	return servers, skipped, nil
}

// maxAddrs limits the addresses that are kept per server.
const maxAddrs = 16

// plainString reads a JSON string of at most 64 printable ASCII characters. Other values become
// empty.
func plainString(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil || len(s) > 64 || !isGraphic(s) {
		return ""
	}
	return s
}

// isGraphic reports whether all characters of a text are printable ASCII without spaces.
func isGraphic(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c > '~' })
}

// Fetch downloads the list of an HTTP master. A nil client means http.DefaultClient. Addresses of
// local networks are left out unless the master, or the proxy in front of it, is in one. The error
// wraps ErrList or comes from the client.
func Fetch(ctx context.Context, client *http.Client, url string) (servers []Server, skipped int, err error) {
	if client == nil {
		client = http.DefaultClient
	}
	var from netip.AddrPort // of the last host after redirects
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
		from, _ = netip.ParseAddrPort(c.Conn.RemoteAddr().String())
	}})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, fmt.Errorf("master: %w", err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, fmt.Errorf("master: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		// The status text of the response could contain control characters.
		return nil, 0, fmt.Errorf("%w: %s: HTTP status %d %s", ErrList, url, resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, MaxList+1))
	if err != nil {
		return nil, 0, fmt.Errorf("master: %w", err)
	}
	if len(b) > MaxList {
		return nil, 0, fmt.Errorf("%w: %s: more than %d MiB", ErrList, url, MaxList>>20)
	}
	servers, skipped, err = ParseList(b)
	if !transport.IsLAN(from.Addr().Unmap()) {
		listed := len(servers)
		for i := range servers {
			servers[i].Addrs = slices.DeleteFunc(servers[i].Addrs, func(a Addr) bool { return transport.IsLAN(a.Peer.Addr()) })
		}
		servers = slices.DeleteFunc(servers, func(s Server) bool { return len(s.Addrs) == 0 })
		skipped += listed - len(servers)
	}
	return servers, skipped, err
}
