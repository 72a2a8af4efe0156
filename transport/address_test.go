package transport_test

import (
	"errors"
	"testing"

	"github.com/teeyard/teeyard/transport"
)

// TestParseAddress reads addresses in the forms that users, master servers and links use.
func TestParseAddress(t *testing.T) {
	for in, want := range map[string]struct {
		text, version string // of the parsed address
		game          bool
	}{
		"localhost":                        {"localhost", "", true},
		"LocalHost:8304":                   {"LocalHost:8304", "", true},
		"  example.org:8303\n":             {"example.org:8303", "", true},
		"\u00a0example.org\t":              {"example.org", "", true},
		"1.2.3.4":                          {"1.2.3.4", "", true},
		"::1":                              {"[::1]", "", true},
		"[::1]":                            {"[::1]", "", true},
		"[2001:db8::1]:8304":               {"[2001:db8::1]:8304", "", true},
		"fe80::1%lo":                       {"[fe80::1%lo]", "", true},
		"example.org:8303/":                {"example.org:8303/", "", true},
		"tw-0.7+udp://1.2.3.4:8303":        {"tw-0.7+udp://1.2.3.4:8303", "0.7", true},
		"tw-0.6+udp://[::1]:8303/":         {"tw-0.6+udp://[::1]:8303/", "0.6", true},
		" TW-0.7+UDP://example.org/ ":      {"tw-0.7+udp://example.org/", "0.7", true},
		"tw-0.7+udp://::1":                 {"tw-0.7+udp://[::1]", "0.7", true},
		"tw-0.5+udp://1.2.3.4:8303":        {"tw-0.5+udp://1.2.3.4:8303", "0.5", true},
		"udp://example.org":                {"udp://example.org", "", true},
		"ddnet://example.org:8303/":        {"ddnet://example.org:8303/", "", true},
		"DDNET:example.org:8303":           {"ddnet://example.org:8303", "", true},
		"ddnet:[::1]:8303":                 {"ddnet://[::1]:8303", "", true},
		"teeworlds:1.2.3.4":                {"teeworlds://1.2.3.4", "", true},
		"ddnet:8303":                       {"ddnet:8303", "", true}, // a host named ddnet
		"ws://example.org":                 {"ws://example.org", "", false},
		"WSS://example.org/tee":            {"wss://example.org/tee", "", false},
		"https://example.org/a/b.json?c#d": {"https://example.org/a/b.json?c#d", "", false},
		"tw-0.7+tcp://example.org":         {"tw-0.7+tcp://example.org", "", false},
		"ddnet-15+quic://1.2.3.4:8303#ab":  {"ddnet-15+quic://1.2.3.4:8303#ab", "", false},
		"example.org:8303/x":               {"example.org:8303/x", "", false},
	} {
		a, err := transport.ParseAddress(in)
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		if err := a.CheckGame(); a.String() != want.text || a.Version() != want.version || (err == nil) != want.game {
			t.Errorf("%q is parsed as %q of version %q, %v", in, a, a.Version(), err)
		}
		if again, err := transport.ParseAddress(a.String()); again != a || err != nil {
			t.Errorf("%q is parsed again as %+v, %v", a, again, err)
		}
	}
	for _, in := range []string{
		"", " ", ":8303", "a b", "a:0", "a:65536", "a:port", "a:", "a:1:2", "[::1", "[::1]x", "[::1]:", "[1.2.3.4]", "[]", "[a]",
		"tw-0.7+udp://", "tw-0.7+udp:///x", "tw-0.7+udp://:8303", "tw-0.7+udp://a:0", "://a", "a://b://c",
		"user@a", "a\x00b", `a"b`, `\\a\b`, "a;b", "::1]", "fe80::1%l]", "fe80::1%[l",
	} {
		if a, err := transport.ParseAddress(in); !errors.Is(err, transport.ErrAddress) {
			t.Errorf("%q is %+v, %v", in, a, err)
		}
	}
}

// FuzzParseAddress checks that a parsed address, written as a string, parses to the same address.
func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"tw-0.7+udp://[::1]:8303/", "ddnet:a:1", "ws://a/b?c", "fe80::1%lo"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := transport.ParseAddress(s)
		if err != nil {
			return
		}
		if b, err := transport.ParseAddress(a.String()); err != nil || a != b {
			t.Errorf("%q is %+v, then %+v, %v", s, a, b, err)
		}
	})
}
