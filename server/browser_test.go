package server_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

// crowd lets 64 players join, with the longest names and clans.
func crowd(ts *testServer) {
	for i := range 64 {
		c := ts.Connect(local(1000 + i)).Info().Ready()
		c.Send(&msg7.ClStartInfo{Name: fmt.Appendf(nil, "nameless tee %02d", i), Clan: []byte("eleven char"), Country: 276})
		c.EnterGame()
	}
	ts.Step(2)
}

// stranger returns a peer that is in no local network, each n in a network of its own.
func stranger(n int) transport.Peer {
	return transport.UDPPeer(netip.AddrFrom4([4]byte{byte(20 + n>>16), byte(n >> 8), byte(n), 1}), 27005)
}

// answerSize returns how many bytes answer a datagram.
func answerSize(ts *testServer, from transport.Peer, b []byte) int {
	n := 0
	for _, a := range ts.Ask(from, b) {
		n += len(a)
	}
	return n
}

// TestFloodOfQueriesStarvesNobody lets 20 addresses that have echoed a token and 20 others
// ask once each during a flood of 10,000 queries of 0.6 a second from forged addresses.
func TestFloodOfQueriesStarvesNobody(t *testing.T) {
	testenv.OneGoroutine(t)
	ts := newTestServer(t, nil)
	crowd(ts)
	question := query.AppendRequest(nil, query.Request{Format: query.FormatExtended6})
	const askers = 20
	proven, other := func(i int) transport.Peer { return stranger(1000 + i) }, func(i int) transport.Peer { return stranger(2000 + i) }
	for i := range askers {
		if ts.AskInfo(proven(i), 5) == nil {
			t.Fatal("no answer to 0.7")
		}
	}
	full := answerSize(ts, proven(0), question)
	ts.Execute("sv_name \"a name of usual length\"")
	r := rand.New(rand.NewPCG(1, 1))
	nothing := func(transport.Peer, []byte) {}
	got := map[string]int{}
	before := ts.Bytes
	for tick := range 4 * 50 {
		send := ts.Deliver
		ts.Deliver = nothing
		for range 200 {
			ts.Feed(ts.Now(), stranger(5000+r.IntN(1<<21)), question)
		}
		ts.Deliver = send
		if i := tick/5 - askers; tick%5 == 0 && i >= 0 {
			for name, peer := range map[string]transport.Peer{"proven": proven(i), "other": other(i)} {
				switch n := answerSize(ts, peer, question); {
				case n > full/2:
					got[name+" full"]++
				case n > 0:
					got[name+" short"]++
				}
			}
		}
		ts.Step(1)
	}
	t.Logf("%v, %d bytes in 4 s", got, ts.Bytes-before)
	if got["proven full"] != askers || got["other full"]+got["other short"] != askers {
		t.Errorf("answers: %v", got)
	}
}

// TestAmplification measures how many bytes an address that may be forged gets for those it sends,
// with 64 players and the longest names, and compares with docs/operate/limits.md. With -v it
// prints a table.
func TestAmplification(t *testing.T) {
	testenv.OneGoroutine(t)
	ts := newTestServer(t, nil, "sv_name \""+strings.Repeat("name", 16)+"\"")
	crowd(ts)
	n := 0
	table := fmt.Sprintf("\n%-34s %5s %6s %6s\n", "query", "in", "out", "times")
	most := map[string]float64{}
	measure := func(group, what string, b []byte) {
		n++
		out := answerSize(ts, stranger(n), b)
		times := float64(out) / float64(len(b))
		table += fmt.Sprintf("%-34s %5d %6d %6.1f\n", group+", "+what, len(b), out, times)
		most[group] = max(most[group], times)
	}
	measure("0.7", "token", packet.AppendTokenRequest(nil, 5))
	measure("0.7", "info without its token", packet.AppendConnless(nil, 5, 6, query.AppendRequest(nil, query.Request{Format: query.Format7})))
	measure("0.6 connect", "token in header", packet.AppendConnect6(nil, packet.TokenInHeader, 5))
	measure("0.6 connect", "token in trailer", packet.AppendConnect6(nil, packet.TokenInTrailer, 5))
	measure("0.6 connect", "without token", packet.AppendConnect6(nil, packet.TokenAbsent, 0))
	formats := []query.Format{query.FormatPlain6, query.FormatExtended6, query.FormatLegacy64}
	for _, f := range formats {
		measure("0.6", f.String(), query.AppendRequest(nil, query.Request{Format: f}))
	}
	for _, policy := range []string{"off", "lan", "on"} {
		ts.Execute("sv_hl_legacy_queries " + policy)
		group := "Half-Life " + policy
		for kind, name := range [...]string{
			wire.RequestPing: "ping", wire.RequestInfo: "info", wire.RequestDetails: "details", wire.RequestPlayers: "players",
			wire.RequestRules: "rules", wire.RequestInfostring: "infostring", wire.RequestRconChallenge: "challenge rcon",
			wire.RequestA2SInfo: "A2S_INFO", wire.RequestA2SPlayers: "A2S_PLAYER", wire.RequestA2SRules: "A2S_RULES",
		} {
			b := wire.AppendTextRequest(nil, wire.RequestKind(kind))
			if len(b) == 0 {
				b = wire.AppendA2SRequest(nil, wire.RequestKind(kind), wire.NoChallenge)
			}
			if len(b) > 0 {
				measure(group, name, b)
			}
		}
	}
	ts.Step(5 * 50)
	// More than half of the budget at once.
	for i := range 2000 {
		ts.Ask(stranger(100_000+i), query.AppendRequest(nil, query.Request{Format: query.FormatExtended6}))
	}
	for _, f := range formats {
		measure("0.6 short", f.String(), query.AppendRequest(nil, query.Request{Format: f}))
	}
	t.Log(table)
	if most["0.7"] > 1 || most["Half-Life off"] > 1.2 || most["Half-Life lan"] > 1.2 {
		t.Errorf("more than docs/operate/limits.md says: %v", most)
	}
	text := string(testenv.Must(os.ReadFile("../docs/operate/limits.md")))
	for group, says := range map[string]struct {
		times  float64
		format string
	}{
		"0.6": {190, "| %v with 64 players and long names"}, "0.6 short": {16, "%v under a flood"},
		"0.6 connect": {21, "| clients of 0.6.4 and older that connect | %v |"}, "Half-Life on": {51, "| %v with `sv_hl_legacy_queries on`"},
	} {
		if times := most[group]; times > says.times || times < 0.75*says.times {
			t.Errorf("%s: up to %.1f times the bytes, not %v", group, times, says.times)
		}
		if want := fmt.Sprintf(says.format, says.times); !strings.Contains(text, want) {
			t.Errorf("docs/operate/limits.md does not say %q", want)
		}
	}
}
