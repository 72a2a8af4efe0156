package certificate

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/acme"
)

// hostName matches a DNS name in lower case. Only servers with HTTPS need the 200 kB for it.
var hostName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)
})

// maxNames limits the names of a certificate. Each costs the CA a connection.
const maxNames = 10

// ParseNames parses a list of DNS names and IP addresses, separated by commas. An IPv6 address may
// be in brackets. If public is set, it accepts only names that a public CA can reach.
func ParseNames(list string, public bool) ([]string, error) {
	var names []string
	for word := range strings.SplitSeq(list, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		if addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(word, "["), "]")); err == nil {
			addr = addr.Unmap()
			if addr.Zone() != "" || public && !isPublic(addr) {
				return nil, fmt.Errorf("%q is not a public address; use the address under which players on the internet reach this server", word)
			}
			word = addr.String()
		} else if word = strings.TrimSuffix(word, "."); !hostName().MatchString(word) || len(word) > 253 {
			return nil, fmt.Errorf("%q is not a name such as yard.example or an IP address; write no https:// and no port, and xn-- for other letters", word)
		} else if public && !strings.Contains(word, ".") {
			return nil, fmt.Errorf("%q is a name of your own network; use a name that is public, such as yard.example", word)
		}
		if !slices.Contains(names, word) {
			names = append(names, word)
		}
	}
	if len(names) > maxNames {
		return nil, fmt.Errorf("%d names; use at most %d", len(names), maxNames)
	}
	return names, nil
}

// shared is the address space between a provider and its customers (RFC 6598).
var shared = netip.MustParsePrefix("100.64.0.0/10")

func isPublic(a netip.Addr) bool {
	return a.IsGlobalUnicast() && !a.IsPrivate() && !shared.Contains(a)
}

// isAddress reports whether a name is an IP address.
func isAddress(name string) bool {
	_, err := netip.ParseAddr(name)
	return err == nil
}

// identifiers returns names for an order.
func identifiers(names []string) []acme.AuthzID {
	ids := make([]acme.AuthzID, len(names))
	for i, name := range names {
		ids[i] = acme.AuthzID{Type: "dns", Value: name}
		if isAddress(name) {
			ids[i].Type = "ip"
		}
	}
	return ids
}
