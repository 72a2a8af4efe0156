package wire_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/halflife/wire"
)

// TestParseRcon parses requests in the notations of other programs.
func TestParseRcon(t *testing.T) {
	for line, want := range map[string][3]string{
		`rcon 12 "a b" c d`:                      {"12", "a b", "c d"},
		`rcon 12 "" c`:                           {"12", "", "c"},
		`rcon 12 pw`:                             {"12", "pw", ""},
		`rcon 12 pw "x" {1}`:                     {"12", "pw", `"x" {1}`},
		`rcon 12`:                                {},
		`rcon`:                                   {},
		`rcon x pw c`:                            {},
		`rcon -1 pw c`:                           {},
		`rcon 99999999999 p`:                     {},
		`rcon 12 "open`:                          {},
		`rcon2 12 pw c`:                          {},
		"rcon 12 pw " + strings.Repeat("x", 900): {"12", "pw", strings.Repeat("x", 900)}, // the server reports the length
	} {
		r, err := wire.ParseRcon([]byte("\xff\xff\xff\xff" + line))
		got := [3]string{}
		if err == nil {
			got = [3]string{fmt.Sprint(r.Challenge), string(r.Password), string(r.Command)}
		}
		if got != want {
			t.Errorf("%.40s: %q, %v", line, got, err)
		}
	}
	for _, bad := range [][2]string{{"a\"b", "x"}, {"", "x"}, {"pw", "x\ny"}, {"pw", "x\x00"}, {"pw", strings.Repeat("x", 500)}} {
		if b, err := wire.AppendRcon([]byte("kept"), 1, bad[0], bad[1]); err == nil || string(b) != "kept" {
			t.Errorf("%q: %q, %v", bad, b, err)
		}
	}
}

// TestUnspecifiedAddress checks that an unspecified address is not sent.
func TestUnspecifiedAddress(t *testing.T) {
	for address, want := range map[string]string{
		"": "", "0.0.0.0:8303": "", "[::]:8303": "", "10.0.0.1:8303": "10.0.0.1:8303", "example.org:8303": "example.org:8303", "0.0.0.1:8303": "0.0.0.1:8303",
	} {
		i := wire.Info{Address: address, Name: "x"}
		for _, b := range [][]byte{wire.AppendInfo(nil, &i), wire.AppendDetails(nil, &i), wire.AppendInfostring(nil, &i)} {
			if got, _, err := wire.ParseInfo(b); got.Address != want || got.Name != "x" || err != nil {
				t.Errorf("%q: %q tells %q, %v", address, b, got.Address, err)
			}
		}
		if b := wire.AppendInfostring(nil, &i); bytes.Contains(b, []byte(`\address\`)) != (want != "") {
			t.Errorf("%q: %q", address, b)
		}
	}
}

// TestAnswersAreNoRequests checks that a server does not mistake an answer for a request.
func TestAnswersAreNoRequests(t *testing.T) {
	i := wire.Info{Address: "10.0.0.1:27015", Name: "x", Map: "y", Dir: "z", Game: "g", Players: 'n', Max: 'f', Bots: 'o', Protocol: 'n'}
	players := make([]wire.Player, 'l')
	for _, b := range [][]byte{
		wire.AppendPong(nil), wire.AppendInfo(nil, &i), wire.AppendDetails(nil, &i), wire.AppendA2SInfo(nil, &i),
		wire.AppendInfostring(nil, &i), wire.AppendPlayers(nil, players, wire.MaxDatagram),
		wire.AppendA2SPlayers(nil, players, wire.MaxDatagram),
		wire.AppendRules(nil, make([]wire.Rule, 'n'), wire.MaxDatagram), wire.AppendA2SChallenge(nil, 0x6f666e69),
		wire.AppendRconChallenge(nil, 123456789), wire.AppendRefused(nil, "rcon"), wire.AppendPrint(nil, "ist"),
		wire.AppendMasterChallenge(nil, 1, 0), wire.AppendMasterChallenge(nil, 1, 2),
	} {
		if r := wire.ParseRequest(b); r.Kind != wire.RequestNone {
			t.Errorf("%q is request %d", b, r.Kind)
		}
	}
}
