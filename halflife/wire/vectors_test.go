package wire_test

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/halflifetest"
)

var (
	tenServer        = netip.MustParseAddrPort("10.1.2.3:27015")
	documentedServer = netip.MustParseAddrPort("192.0.2.9:8303")
)

// TestVectors compares encoders and parsers with the datagrams of real programs.
func TestVectors(t *testing.T) {
	v := halflifetest.Load(t)
	sampleInfo := halflifetest.Info()
	equal := func(name string, got, want any) {
		t.Helper()
		if d := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b })); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	requests := func(want wire.RequestKind, names ...string) {
		t.Helper()
		for _, name := range names {
			if got := wire.ParseRequest(v.Get(name)); got.Kind != want || got.Challenge != wire.NoChallenge {
				t.Errorf("%s: request %+v, want kind %v", name, got, want)
			}
		}
	}
	info := func(name string, form wire.InfoFormat, want wire.Info) {
		t.Helper()
		got, f, err := wire.ParseInfo(v.Get(name))
		if err != nil || f != form {
			t.Errorf("%s: form %v, error %v", name, f, err)
		}
		equal(name, got, want)
	}

	// Text requests.
	requests(wire.RequestPing, "Q.ping.req", "Q.ping.req.nonul", "Q.ping.req.i")
	requests(wire.RequestInfo, "Q.info.req")
	requests(wire.RequestDetails, "Q.details.req", "Q.details.req.nonul")
	requests(wire.RequestPlayers, "Q.players.req", "Q.players.req.nonul")
	requests(wire.RequestRules, "Q.rules.req", "Q.rules.req.nonul")
	requests(wire.RequestInfostring, "Q.infostring.req")
	requests(wire.RequestRconChallenge, "R.chal.req", "R.chal.req.xqf", "R.chal.req.bare")
	for name, kind := range map[string]wire.RequestKind{
		"Q.ping.req": wire.RequestPing, "Q.info.req": wire.RequestInfo, "Q.details.req": wire.RequestDetails,
		"Q.players.req": wire.RequestPlayers, "Q.rules.req": wire.RequestRules, "Q.infostring.req": wire.RequestInfostring,
	} {
		v.CheckBytes(name, wire.AppendTextRequest(nil, kind))
	}
	v.CheckBytes("Q.ping.rep", wire.AppendPong(nil))
	for _, name := range []string{"Q.ping.rep", "Q.ping.rep.xash", "Q.ping.rep.xash.text"} {
		if !wire.IsPong(v.Get(name)) {
			t.Errorf("%s is no pong", name)
		}
	}

	// Text answers.
	v.CheckBytes("Q.info.rep", wire.AppendInfo(nil, &sampleInfo))
	v.CheckBytes("Q.details.rep", wire.AppendDetails(nil, &sampleInfo))
	v.CheckBytes("Q.infostring.rep", wire.AppendInfostring(nil, &sampleInfo))
	mod := sampleInfo
	mod.Mod = &wire.Mod{URL: "http://teeworlds.com/", Version: 1, ClientDLL: true}
	v.CheckBytes("Q.details.rep.mod", wire.AppendDetails(nil, &mod))
	brief := sampleInfo
	brief.Type, brief.OS = 0, 0
	info("Q.info.rep", wire.FormatInfo, brief)
	info("Q.details.rep", wire.FormatDetails, halflifetest.Info())
	info("Q.details.rep.mod", wire.FormatDetails, mod)
	info("Q.details.rep.seed", wire.FormatDetails, halflifetest.Info())
	info("Q.infostring.rep", wire.FormatInfostring, halflifetest.Info())
	info("Q.infostring.rep.bad", wire.FormatInfostring, halflifetest.Info())
	v.CheckBytes("Q.players.rep", wire.AppendPlayers(nil, halflifetest.Players(), wire.MaxDatagram))
	v.CheckBytes("Q.players.rep.empty", wire.AppendPlayers(nil, nil, wire.MaxDatagram))
	v.CheckBytes("Q.rules.rep", wire.AppendRules(nil, halflifetest.Rules(), wire.MaxDatagram))
	v.CheckBytes("Q.rules.rep.empty", wire.AppendRules(nil, nil, wire.MaxDatagram))
	for _, name := range []string{"Q.players.rep", "Q.players.rep.zerobased", "A.player.rep"} {
		want := append([]wire.Player(nil), halflifetest.Players()...)
		if name != "Q.players.rep" { // some servers count from 0; AppendPlayers counts from 1
			want[0].Index, want[1].Index = 0, 1
		}
		got, err := wire.ParsePlayers(v.Get(name))
		equal(name, err, nil)
		equal(name, got, want)
	}
	for _, name := range []string{"Q.rules.rep", "A.rules.rep"} {
		got, err := wire.ParseRules(v.Get(name))
		equal(name, err, nil)
		equal(name, got, halflifetest.Rules())
	}

	// Split answers.
	whole := v.Get("Q.rules.rep")
	for style, name := range map[wire.SplitStyle]string{wire.SplitGoldSrc: "S.gold.rules.", wire.SplitSource: "S.source.rules."} {
		for i, n := range []string{"0", "1", "2"} {
			v.CheckBytes(name+n, wire.AppendPart(nil, style, 2, whole, i, 20))
		}
		var j wire.PartAssembler
		for _, n := range []string{"2", "0"} {
			if got := j.Feed(1, tenServer, v.Get(name+n)); got != nil {
				t.Errorf("%s: complete without all parts: %x", name, got)
			}
		}
		equal(name, j.Feed(2, tenServer, v.Get(name+"1")), whole)
	}

	// A2S.
	const challenge = 0x22d5a14b
	requests(wire.RequestA2SInfo, "A.info.req")
	requests(wire.RequestA2SPlayers, "A.player.req")
	requests(wire.RequestA2SRules, "A.rules.req")
	requests(wire.RequestA2SChallenge, "A.getchal.req")
	v.CheckBytes("A.getchal.req", wire.AppendA2SRequest(nil, wire.RequestA2SChallenge, 0))
	v.CheckBytes("A.info.req", wire.AppendA2SRequest(nil, wire.RequestA2SInfo, wire.NoChallenge))
	v.CheckBytes("A.player.req", wire.AppendA2SRequest(nil, wire.RequestA2SPlayers, wire.NoChallenge))
	v.CheckBytes("A.rules.req", wire.AppendA2SRequest(nil, wire.RequestA2SRules, wire.NoChallenge))
	for name, kind := range map[string]wire.RequestKind{
		"A.info.req.chal": wire.RequestA2SInfo, "A.player.req.chal": wire.RequestA2SPlayers, "A.rules.req.chal": wire.RequestA2SRules,
	} {
		equal(name, wire.ParseRequest(v.Get(name)), wire.Request{Kind: kind, Challenge: challenge})
		v.CheckBytes(name, wire.AppendA2SRequest(nil, kind, challenge))
	}
	v.CheckBytes("A.chal.rep", wire.AppendA2SChallenge(nil, challenge))
	c, err := wire.ParseA2SChallenge(v.Get("A.chal.rep"))
	if c != challenge || err != nil {
		t.Errorf("A.chal.rep: %x, %v", c, err)
	}
	a2s := sampleInfo
	a2s.Address, a2s.Protocol, a2s.Version = "", 48, "0.7.5"
	v.CheckBytes("A.info.rep.p48", wire.AppendA2SInfo(nil, &a2s))
	info("A.info.rep.p48", wire.FormatA2S, a2s)
	a2s.Protocol, a2s.AppID, a2s.Port, a2s.Keywords = halflife.A2SProtocol, halflife.DefaultAppID, 8303, "dm,vanilla"
	v.CheckBytes("A.info.rep.p17", wire.AppendA2SInfo(nil, &a2s))
	info("A.info.rep.p17", wire.FormatA2S, a2s)
	v.CheckBytes("A.rules.rep", wire.AppendRules(nil, halflifetest.Rules(), wire.MaxDatagram))

	// Rcon.
	const number = 1871834725
	v.CheckBytes("R.chal.rep", wire.AppendRconChallenge(nil, number))
	n, err := wire.ParseRconChallenge(v.Get("R.chal.rep"))
	if n != number || err != nil {
		t.Errorf("R.chal.rep: %d, %v", n, err)
	}
	for name, command := range map[string]string{"R.exec.req": "status", "R.exec.req.hltv": "status", "R.exec.req.xqf": "status", "R.exec.req.empty": ""} {
		r, err := wire.ParseRcon(v.Get(name))
		if err != nil || r.Challenge != number || string(r.Password) != "s3cret" || string(r.Command) != command {
			t.Errorf("%s: %d %q %q, %v", name, r.Challenge, r.Password, r.Command, err)
		}
	}
	for name, command := range map[string]string{"R.exec.req": "status", "R.exec.req.empty": ""} {
		b, err := wire.AppendRcon(nil, number, "s3cret", command)
		equal(name, err, nil)
		v.CheckBytes(name, b)
	}
	for name, text := range map[string]string{
		"R.print.rep": "hostname:  Tee Wars\n", "R.print.rep.empty": "", "R.badpw.rep": "Bad rcon_password.\n",
		"R.nopw.rep":   "Bad rcon_password.\nNo password set for this server.\n",
		"R.nopriv.rep": "Bad rcon_password.\nNo privilege.\n",
		"R.banned.rep": "You have been banned from this server.\n",
	} {
		got, err := wire.ParsePrint(v.Get(name))
		if err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if name != "R.banned.rep" {
			v.CheckBytes(name, wire.AppendPrint(nil, text))
		}
	}
	for name, text := range map[string]string{"R.nochal.rep": "No challenge for your address.\n", "R.badchal.rep.hlds": "Bad challenge.\n"} {
		got, err := wire.ParseRefused(v.Get(name))
		if err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		v.CheckBytes(name, wire.AppendRefused(nil, text))
	}

	// Requests to masters.
	for name, want := range map[string]wire.ListRequest{
		"M.c.req":          {Format: wire.ListAll},
		"M.c.req.qw":       {Format: wire.ListAll},
		"M.e.req.first":    {Format: wire.ListBatch},
		"M.e.req.next":     {Format: wire.ListBatch, ID: 7},
		"M.1.req.hlm":      {Format: wire.ListID},
		"M.1.req.hlm.next": {Format: wire.ListID, ID: 7},
		"M.1.req.hlm.filter": {Format: wire.ListID, HasFilter: true,
			Filter: wire.Filter{Dir: "teeworlds", Map: "dm1", NotEmpty: true, NotFull: true, Dedicated: true, Linux: true}},
		"M.1.req.steam":            {Format: wire.ListSteam, Region: wire.RegionAll, HasFilter: true},
		"M.1.req.steam.filter":     {Format: wire.ListSteam, Region: 3, HasFilter: true, Filter: wire.Filter{Dir: "teeworlds"}},
		"M.1.req.steam.next.qstat": {Format: wire.ListSteam, Region: wire.RegionAll, After: tenServer},
	} {
		got, ok := wire.ParseListRequest(v.Get(name))
		if !ok {
			t.Errorf("%s is no request", name)
		}
		equal(name, got, want)
		if name != "M.c.req.qw" && name != "M.1.req.steam.next.qstat" { // other programs write these differently
			v.CheckBytes(name, wire.AppendListRequest(nil, &want))
		}
	}
	for name, want := range map[string]wire.List{
		"M.d.rep":            {Format: wire.ListAll, Servers: []netip.AddrPort{tenServer, documentedServer}},
		"M.f.rep.more":       {Format: wire.ListBatch, Next: 7, Servers: []netip.AddrPort{tenServer}},
		"M.f.rep.last":       {Format: wire.ListBatch, Servers: []netip.AddrPort{documentedServer}},
		"M.f.rep.empty":      {Format: wire.ListBatch, Servers: []netip.AddrPort{}},
		"M.f.rep.cookieonly": {Format: wire.ListBatch, Next: 0x4bdd38, Servers: []netip.AddrPort{}},
		"M.f.rep.steam.more": {Format: wire.ListSteam, Servers: []netip.AddrPort{tenServer}},
		"M.f.rep.steam.last": {Format: wire.ListSteam, End: true, Servers: []netip.AddrPort{documentedServer}},
		// Misread like this, the page does no harm.
		"M.f.rep.lf.to.hlm.bad": {Format: wire.ListSteam, End: true, Servers: []netip.AddrPort{tenServer}},
		"M.d.rep.bad":           {Format: wire.ListAll, Servers: []netip.AddrPort{tenServer, documentedServer}},
	} {
		got, err := wire.ParseList(v.Get(name))
		equal(name, err, nil)
		equal(name, got, want)
		if name != "M.d.rep.bad" {
			v.CheckBytes(name, wire.AppendList(nil, &want))
		}
	}

	// Heartbeats.
	v.CheckBytes("H.q", wire.AppendMasterChallengeRequest(nil))
	for name, want := range map[string]uint32{"H.q": 0, "H.q.xash": 0x11223344} {
		if echo, ok := wire.ParseMasterChallengeRequest(v.Get(name)); !ok || echo != want {
			t.Errorf("%s: %x, %v", name, echo, ok)
		}
	}
	for name, echo := range map[string]uint32{"H.s": 0, "H.s.xash": 0x11223344} {
		v.CheckBytes(name, wire.AppendMasterChallenge(nil, 123456789, echo))
		if c, err := wire.ParseMasterChallenge(v.Get(name)); c != 123456789 || err != nil {
			t.Errorf("%s: %d, %v", name, c, err)
		}
	}
	beat := wire.Heartbeat{Challenge: 123456789, Region: wire.RegionAll, Product: "teeworlds", Info: wire.Info{
		Protocol: 48, Players: 2, Max: 16, Dir: "teeworlds", Map: "dm1", Type: 'd', OS: 'l', Version: "0.7.5"}}
	v.CheckBytes("H.0", wire.AppendHeartbeat(nil, &beat))
	got, err := wire.ParseHeartbeat(v.Get("H.0"))
	equal("H.0", err, nil)
	equal("H.0", got, beat)
	beat = wire.Heartbeat{Challenge: 123456789, Region: wire.RegionAll, Product: "valve", Info: wire.Info{
		Protocol: 49, Players: 2, Max: 16, Dir: "valve", Map: "crossfire", Type: 'd', OS: 'w', Version: "0.21", Password: true}}
	got, err = wire.ParseHeartbeat(v.Get("H.0.xash"))
	equal("H.0.xash", err, nil)
	equal("H.0.xash", got, beat)
	v.CheckBytes("H.b", wire.AppendShutdown(nil))
	if !wire.IsShutdown(v.Get("H.b")) {
		t.Error("H.b is no shutdown")
	}

	for _, name := range v.Unused() {
		t.Errorf("vector %s was not used", name)
	}
}
