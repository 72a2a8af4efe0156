package halflife_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/halflife"
)

// testVectors are the datagrams in testdata/vectors.txt by name, recorded from real programs. It
// notes which of them a test used.
type testVectors struct {
	t    testing.TB
	b    map[string][]byte
	used map[string]bool
}

func loadVectors(t testing.TB) *testVectors {
	t.Helper()
	f, err := os.Open("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v := &testVectors{t: t, b: make(map[string][]byte), used: make(map[string]bool)}
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := strings.Fields(s.Text())
		if len(fields) < 2 || fields[0][0] == '#' {
			continue
		}
		if v.b[fields[0]], err = hex.DecodeString(fields[1]); err != nil {
			t.Fatalf("%s: %v", fields[0], err)
		}
	}
	return v
}

func (v *testVectors) get(name string) []byte {
	v.t.Helper()
	b, ok := v.b[name]
	if !ok {
		v.t.Fatalf("there is no vector %s", name)
	}
	v.used[name] = true
	return b
}

// checkBytes checks that bytes equal a vector.
func (v *testVectors) checkBytes(name string, got []byte) {
	v.t.Helper()
	if want := v.get(name); !bytes.Equal(got, want) {
		v.t.Errorf("%s:\n got %x\nwant %x", name, got, want)
	}
}

var sampleInfo = halflife.Info{
	Address: "127.0.0.1:8303", Name: "Tee Wars", Map: "dm1", Dir: "teeworlds", Game: "Teeworlds 0.7 DM",
	Players: 2, Max: 16, Protocol: 47, Type: 'd', OS: 'l',
}

var samplePlayers = []halflife.Player{
	{Index: 1, Name: "nameless tee", Score: 5, Time: 61500 * time.Millisecond},
	{Index: 2, Name: "brainy", Score: -2, Time: 3605250 * time.Millisecond},
}

var sampleRules = []halflife.Rule{{"sv_gametype", "dm"}, {"sv_scorelimit", "20"}, {"sv_password", "0"}}

var (
	tenServer        = netip.MustParseAddrPort("10.1.2.3:27015")
	documentedServer = netip.MustParseAddrPort("192.0.2.9:8303")
)

// TestVectors compares encoders and parsers with the datagrams of real programs.
func TestVectors(t *testing.T) {
	v := loadVectors(t)
	equal := func(name string, got, want any) {
		t.Helper()
		if d := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b })); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	requests := func(want halflife.RequestKind, names ...string) {
		t.Helper()
		for _, name := range names {
			if got := halflife.ParseRequest(v.get(name)); got.Kind != want || got.Challenge != halflife.NoChallenge {
				t.Errorf("%s: request %+v, want kind %v", name, got, want)
			}
		}
	}
	info := func(name string, form halflife.InfoFormat, want halflife.Info) {
		t.Helper()
		got, f, err := halflife.ParseInfo(v.get(name))
		if err != nil || f != form {
			t.Errorf("%s: form %v, error %v", name, f, err)
		}
		equal(name, got, want)
	}

	// Text requests.
	requests(halflife.RequestPing, "Q.ping.req", "Q.ping.req.nonul", "Q.ping.req.i")
	requests(halflife.RequestInfo, "Q.info.req")
	requests(halflife.RequestDetails, "Q.details.req", "Q.details.req.nonul")
	requests(halflife.RequestPlayers, "Q.players.req", "Q.players.req.nonul")
	requests(halflife.RequestRules, "Q.rules.req", "Q.rules.req.nonul")
	requests(halflife.RequestInfostring, "Q.infostring.req")
	requests(halflife.RequestRconChallenge, "R.chal.req", "R.chal.req.xqf", "R.chal.req.bare")
	for name, kind := range map[string]halflife.RequestKind{
		"Q.ping.req": halflife.RequestPing, "Q.info.req": halflife.RequestInfo, "Q.details.req": halflife.RequestDetails,
		"Q.players.req": halflife.RequestPlayers, "Q.rules.req": halflife.RequestRules, "Q.infostring.req": halflife.RequestInfostring,
	} {
		v.checkBytes(name, halflife.AppendTextRequest(nil, kind))
	}
	v.checkBytes("Q.ping.rep", halflife.AppendPong(nil))
	for _, name := range []string{"Q.ping.rep", "Q.ping.rep.xash", "Q.ping.rep.xash.text"} {
		if !halflife.IsPong(v.get(name)) {
			t.Errorf("%s is no pong", name)
		}
	}

	// Text answers.
	v.checkBytes("Q.info.rep", halflife.AppendInfo(nil, &sampleInfo))
	v.checkBytes("Q.details.rep", halflife.AppendDetails(nil, &sampleInfo))
	v.checkBytes("Q.infostring.rep", halflife.AppendInfostring(nil, &sampleInfo))
	mod := sampleInfo
	mod.Mod = &halflife.Mod{URL: "http://teeworlds.com/", Version: 1, ClientDLL: true}
	v.checkBytes("Q.details.rep.mod", halflife.AppendDetails(nil, &mod))
	brief := sampleInfo
	brief.Type, brief.OS = 0, 0
	info("Q.info.rep", halflife.FormatInfo, brief)
	info("Q.details.rep", halflife.FormatDetails, sampleInfo)
	info("Q.details.rep.mod", halflife.FormatDetails, mod)
	info("Q.details.rep.seed", halflife.FormatDetails, sampleInfo)
	info("Q.infostring.rep", halflife.FormatInfostring, sampleInfo)
	info("Q.infostring.rep.bad", halflife.FormatInfostring, sampleInfo)
	v.checkBytes("Q.players.rep", halflife.AppendPlayers(nil, samplePlayers, halflife.MaxDatagram))
	v.checkBytes("Q.players.rep.empty", halflife.AppendPlayers(nil, nil, halflife.MaxDatagram))
	v.checkBytes("Q.rules.rep", halflife.AppendRules(nil, sampleRules, halflife.MaxDatagram))
	v.checkBytes("Q.rules.rep.empty", halflife.AppendRules(nil, nil, halflife.MaxDatagram))
	for _, name := range []string{"Q.players.rep", "Q.players.rep.zerobased", "A.player.rep"} {
		want := append([]halflife.Player(nil), samplePlayers...)
		if name != "Q.players.rep" { // some servers count from 0; AppendPlayers counts from 1
			want[0].Index, want[1].Index = 0, 1
		}
		got, err := halflife.ParsePlayers(v.get(name))
		equal(name, err, nil)
		equal(name, got, want)
	}
	for _, name := range []string{"Q.rules.rep", "A.rules.rep"} {
		got, err := halflife.ParseRules(v.get(name))
		equal(name, err, nil)
		equal(name, got, sampleRules)
	}

	// Split answers.
	whole := v.get("Q.rules.rep")
	for style, name := range map[halflife.SplitStyle]string{halflife.SplitGoldSrc: "S.gold.rules.", halflife.SplitSource: "S.source.rules."} {
		for i, n := range []string{"0", "1", "2"} {
			v.checkBytes(name+n, halflife.AppendPart(nil, style, 2, whole, i, 20))
		}
		var j halflife.PartAssembler
		for _, n := range []string{"2", "0"} {
			if got := j.Feed(1, tenServer, v.get(name+n)); got != nil {
				t.Errorf("%s: complete without all parts: %x", name, got)
			}
		}
		equal(name, j.Feed(2, tenServer, v.get(name+"1")), whole)
	}

	// A2S.
	const challenge = 0x22d5a14b
	requests(halflife.RequestA2SInfo, "A.info.req")
	requests(halflife.RequestA2SPlayers, "A.player.req")
	requests(halflife.RequestA2SRules, "A.rules.req")
	requests(halflife.RequestA2SChallenge, "A.getchal.req")
	v.checkBytes("A.getchal.req", halflife.AppendA2SRequest(nil, halflife.RequestA2SChallenge, 0))
	v.checkBytes("A.info.req", halflife.AppendA2SRequest(nil, halflife.RequestA2SInfo, halflife.NoChallenge))
	v.checkBytes("A.player.req", halflife.AppendA2SRequest(nil, halflife.RequestA2SPlayers, halflife.NoChallenge))
	v.checkBytes("A.rules.req", halflife.AppendA2SRequest(nil, halflife.RequestA2SRules, halflife.NoChallenge))
	for name, kind := range map[string]halflife.RequestKind{
		"A.info.req.chal": halflife.RequestA2SInfo, "A.player.req.chal": halflife.RequestA2SPlayers, "A.rules.req.chal": halflife.RequestA2SRules,
	} {
		equal(name, halflife.ParseRequest(v.get(name)), halflife.Request{Kind: kind, Challenge: challenge})
		v.checkBytes(name, halflife.AppendA2SRequest(nil, kind, challenge))
	}
	v.checkBytes("A.chal.rep", halflife.AppendA2SChallenge(nil, challenge))
	c, err := halflife.ParseA2SChallenge(v.get("A.chal.rep"))
	if c != challenge || err != nil {
		t.Errorf("A.chal.rep: %x, %v", c, err)
	}
	a2s := sampleInfo
	a2s.Address, a2s.Protocol, a2s.Version = "", 48, "0.7.5"
	v.checkBytes("A.info.rep.p48", halflife.AppendA2SInfo(nil, &a2s))
	info("A.info.rep.p48", halflife.FormatA2S, a2s)
	a2s.Protocol, a2s.AppID, a2s.Port, a2s.Keywords = halflife.A2SProtocol, halflife.DefaultAppID, 8303, "dm,vanilla"
	v.checkBytes("A.info.rep.p17", halflife.AppendA2SInfo(nil, &a2s))
	info("A.info.rep.p17", halflife.FormatA2S, a2s)
	v.checkBytes("A.rules.rep", halflife.AppendRules(nil, sampleRules, halflife.MaxDatagram))

	// Rcon.
	const number = 1871834725
	v.checkBytes("R.chal.rep", halflife.AppendRconChallenge(nil, number))
	n, err := halflife.ParseRconChallenge(v.get("R.chal.rep"))
	if n != number || err != nil {
		t.Errorf("R.chal.rep: %d, %v", n, err)
	}
	for name, command := range map[string]string{"R.exec.req": "status", "R.exec.req.hltv": "status", "R.exec.req.xqf": "status", "R.exec.req.empty": ""} {
		r, err := halflife.ParseRcon(v.get(name))
		if err != nil || r.Challenge != number || string(r.Password) != "s3cret" || string(r.Command) != command {
			t.Errorf("%s: %d %q %q, %v", name, r.Challenge, r.Password, r.Command, err)
		}
	}
	for name, command := range map[string]string{"R.exec.req": "status", "R.exec.req.empty": ""} {
		b, err := halflife.AppendRcon(nil, number, "s3cret", command)
		equal(name, err, nil)
		v.checkBytes(name, b)
	}
	for name, text := range map[string]string{
		"R.print.rep": "hostname:  Tee Wars\n", "R.print.rep.empty": "", "R.badpw.rep": "Bad rcon_password.\n",
		"R.nopw.rep":   "Bad rcon_password.\nNo password set for this server.\n",
		"R.nopriv.rep": "Bad rcon_password.\nNo privilege.\n",
		"R.banned.rep": "You have been banned from this server.\n",
	} {
		got, err := halflife.ParsePrint(v.get(name))
		if err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if name != "R.banned.rep" {
			v.checkBytes(name, halflife.AppendPrint(nil, text))
		}
	}
	for name, text := range map[string]string{"R.nochal.rep": "No challenge for your address.\n", "R.badchal.rep.hlds": "Bad challenge.\n"} {
		got, err := halflife.ParseRefused(v.get(name))
		if err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		v.checkBytes(name, halflife.AppendRefused(nil, text))
	}

	// Requests to masters.
	for name, want := range map[string]halflife.ListRequest{
		"M.c.req":          {Format: halflife.ListAll},
		"M.c.req.qw":       {Format: halflife.ListAll},
		"M.e.req.first":    {Format: halflife.ListBatch},
		"M.e.req.next":     {Format: halflife.ListBatch, ID: 7},
		"M.1.req.hlm":      {Format: halflife.ListID},
		"M.1.req.hlm.next": {Format: halflife.ListID, ID: 7},
		"M.1.req.hlm.filter": {Format: halflife.ListID, HasFilter: true,
			Filter: halflife.Filter{Dir: "teeworlds", Map: "dm1", NotEmpty: true, NotFull: true, Dedicated: true, Linux: true}},
		"M.1.req.steam":            {Format: halflife.ListSteam, Region: halflife.RegionAll, HasFilter: true},
		"M.1.req.steam.filter":     {Format: halflife.ListSteam, Region: 3, HasFilter: true, Filter: halflife.Filter{Dir: "teeworlds"}},
		"M.1.req.steam.next.qstat": {Format: halflife.ListSteam, Region: halflife.RegionAll, After: tenServer},
	} {
		got, ok := halflife.ParseListRequest(v.get(name))
		if !ok {
			t.Errorf("%s is no request", name)
		}
		equal(name, got, want)
		if name != "M.c.req.qw" && name != "M.1.req.steam.next.qstat" { // other programs write these differently
			v.checkBytes(name, halflife.AppendListRequest(nil, &want))
		}
	}
	for name, want := range map[string]halflife.List{
		"M.d.rep":            {Format: halflife.ListAll, Servers: []netip.AddrPort{tenServer, documentedServer}},
		"M.f.rep.more":       {Format: halflife.ListBatch, Next: 7, Servers: []netip.AddrPort{tenServer}},
		"M.f.rep.last":       {Format: halflife.ListBatch, Servers: []netip.AddrPort{documentedServer}},
		"M.f.rep.empty":      {Format: halflife.ListBatch, Servers: []netip.AddrPort{}},
		"M.f.rep.cookieonly": {Format: halflife.ListBatch, Next: 0x4bdd38, Servers: []netip.AddrPort{}},
		"M.f.rep.steam.more": {Format: halflife.ListSteam, Servers: []netip.AddrPort{tenServer}},
		"M.f.rep.steam.last": {Format: halflife.ListSteam, End: true, Servers: []netip.AddrPort{documentedServer}},
		// Misread like this, the page does no harm.
		"M.f.rep.lf.to.hlm.bad": {Format: halflife.ListSteam, End: true, Servers: []netip.AddrPort{tenServer}},
		"M.d.rep.bad":           {Format: halflife.ListAll, Servers: []netip.AddrPort{tenServer, documentedServer}},
	} {
		got, err := halflife.ParseList(v.get(name))
		equal(name, err, nil)
		equal(name, got, want)
		if name != "M.d.rep.bad" {
			v.checkBytes(name, halflife.AppendList(nil, &want))
		}
	}

	// Heartbeats.
	v.checkBytes("H.q", halflife.AppendMasterChallengeRequest(nil))
	for name, want := range map[string]uint32{"H.q": 0, "H.q.xash": 0x11223344} {
		if echo, ok := halflife.ParseMasterChallengeRequest(v.get(name)); !ok || echo != want {
			t.Errorf("%s: %x, %v", name, echo, ok)
		}
	}
	for name, echo := range map[string]uint32{"H.s": 0, "H.s.xash": 0x11223344} {
		v.checkBytes(name, halflife.AppendMasterChallenge(nil, 123456789, echo))
		if c, err := halflife.ParseMasterChallenge(v.get(name)); c != 123456789 || err != nil {
			t.Errorf("%s: %d, %v", name, c, err)
		}
	}
	beat := halflife.Heartbeat{Challenge: 123456789, Region: halflife.RegionAll, Product: "teeworlds", Info: halflife.Info{
		Protocol: 48, Players: 2, Max: 16, Dir: "teeworlds", Map: "dm1", Type: 'd', OS: 'l', Version: "0.7.5"}}
	v.checkBytes("H.0", halflife.AppendHeartbeat(nil, &beat))
	got, err := halflife.ParseHeartbeat(v.get("H.0"))
	equal("H.0", err, nil)
	equal("H.0", got, beat)
	beat = halflife.Heartbeat{Challenge: 123456789, Region: halflife.RegionAll, Product: "valve", Info: halflife.Info{
		Protocol: 49, Players: 2, Max: 16, Dir: "valve", Map: "crossfire", Type: 'd', OS: 'w', Version: "0.21", Password: true}}
	got, err = halflife.ParseHeartbeat(v.get("H.0.xash"))
	equal("H.0.xash", err, nil)
	equal("H.0.xash", got, beat)
	v.checkBytes("H.b", halflife.AppendShutdown(nil))
	if !halflife.IsShutdown(v.get("H.b")) {
		t.Error("H.b is no shutdown")
	}

	for name := range v.b {
		if !v.used[name] {
			t.Errorf("vector %s was not used", name)
		}
	}
}
