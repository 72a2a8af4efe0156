package access_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
)

// banLines returns lines about bans without their system.
func banLines(log string) string { return strings.ReplaceAll(log, "[net_ban]: ", "") }

// TestBansAsInTheOriginal compares the output of the commands about bans with teeworlds-server
// 0.7.5. See also TestBanCommands of internal/peers.
func TestBansAsInTheOriginal(t *testing.T) {
	h := newTestHost(t, access.Config{})
	run := func(line, want string) {
		t.Helper()
		if got := banLines(h.run(line)); got != want {
			t.Errorf("%s:\n%swant\n%s", line, got, want)
		}
	}
	h.clients = append(h.clients, access.Client{ID: 7, Addr: addr(0x0102)}, access.Client{ID: 8, Addr: addr(0x0200)})
	run("ban 10.0.1.0-10.0.1.20 5 a range", "banned '10.0.1.0' - '10.0.1.20' for 5 minutes (a range)\n")
	want := []string{"drop 7: You have been banned for 5 minutes (a range)"}
	if told := h.takeTold(); !slices.Equal(told, want) {
		t.Errorf("%q", told)
	}
	run("ban 10.0.1.0-10.0.1.20 0 renewed", "'10.0.1.0' - '10.0.1.20' banned for life (renewed)\n")
	run("ban 10.9.9.9 5 one", "banned '10.9.9.9' for 5 minutes (one)\n")
	run("ban [2001:db8::1] 4 v6", "banned '2001:db8::1' for 4 minutes (v6)\n")
	run("ban 10.0.1.4-10.0.1.7 3 within", "banned '10.0.1.4' - '10.0.1.7' for 3 minutes (within)\n")
	run("bans", "#0 '2001:db8::1' banned for 4 minutes (v6)\n#1 '10.9.9.9' banned for 5 minutes (one)\n"+
		"#2 '10.0.1.4' - '10.0.1.7' banned for 3 minutes (within)\n#3 '10.0.1.0' - '10.0.1.20' banned for life (renewed)\n4 bans\n")
	run("unban foo", "unban error (invalid network address)\n")
	run("unban foo-bar", "unban error (invalid range)\n")
	run("unban 10.0.1.20-10.0.1.0", "ban failed (invalid range)\n")
	run("unban 10.0.1.0-10.0.1.19", "unban failed (invalid entry)\n")
	run("unban 10.0.1.0", "unban failed (invalid entry)\n")
	run("unban 4", "unban failed (invalid index)\n")
	run("unban 99999999999999999999", "unban failed (invalid index)\n")
	run("unban '4'", "unban failed (invalid index)\n")
	run("unban -1", "unban error (invalid range)\n")
	run("unban 10.0.1.4-10.0.1.7", "unbanned '10.0.1.4' - '10.0.1.7' for 3 minutes (within)\n")
	if _, banned := h.Bans.Find(addr(0x0105)); !banned {
		t.Error("the larger range has a hole")
	}
	run("unban 2", "unbanned index 2 ('10.0.1.0' - '10.0.1.20')\n")
	run("ban foo", "ban error (invalid network address)\n")
	run("ban foo-bar", "ban error (invalid range)\n")
	run("ban 10.0.0.2-10.0.0.1", "ban failed (invalid range)\n")
	run("ban 10.0.0.1-2001:db8::1", "ban failed (invalid range)\n")
	run("ban 127.0.0.0-127.0.0.9", "ban failed (localhost)\n")
	run("ban 99", "ban error (invalid client id)\n")
	h.log.Reset()
	h.now = h.now.Add(4*time.Minute + 2*time.Second)
	h.Bans.Tick()
	testenv.Check(t, h.log.String() == "[net_ban]: ban '2001:db8::1' expired\n", "%s", h.log.String())
}

// TestBansSave checks that a file of bans_save makes the same bans when it is executed, also after
// other commands in reasons.
func TestBansSave(t *testing.T) {
	h := newTestHost(t, access.Config{})
	for i, reason := range []string{"plain", `"a; ban 10.2.0.1 # b"`, `say \"x\"`, `back\\slash`, `"  spaces  "`, "ends # here"} {
		h.run(fmt.Sprintf("ban 10.1.0.%d %d %s", i, 10*i, reason))
	}
	h.run("ban 10.3.0.1-10.3.0.9 7 range; ban 10.4.0.0/16 0 network; ban 2001:db8::1 9 v6; ban 2001:db8::2-2001:db8::9 8 v6 range; bans_save lists/saved.cfg")
	contains := func(name string, lines ...string) {
		t.Helper()
		for _, line := range lines {
			testenv.Check(t, strings.Contains(string(h.files[name].Data), line), "%s lacks %s:\n%s", name, line, h.files[name].Data)
		}
	}
	// The original reads no networks, and addresses of IPv6 in brackets only.
	contains("lists/saved.cfg", "ban 10.4.0.0-10.4.255.255 -1 network\n", "ban [2001:db8::1] 9 v6\n", "ban [2001:db8::2]-[2001:db8::9] 8 v6 range\n")
	want := strings.Replace(h.run("bans"), "'10.4.0.0/16'", "'10.4.0.0' - '10.4.255.255'", 1)
	testenv.Check(t, strings.Count(want, "\n") == 11, "the bans are\n%s", want)

	other := newTestHost(t, access.Config{DDNet: true})
	other.files["saved.cfg"] = h.files["lists/saved.cfg"]
	if log := other.run("exec saved.cfg"); strings.Contains(log, "saved.cfg:") {
		t.Errorf("executing it: %s", log)
	}
	if got := other.run("bans"); got != want {
		t.Errorf("executed, it makes\n%sand not\n%s", got, want)
	}
	// DDNet-Server reads ranges in ban_range only.
	other.run("bans_save ddnet.cfg")
	h.files["ddnet.cfg"] = other.files["ddnet.cfg"]
	contains("ddnet.cfg", "ban_range 10.4.0.0 10.4.255.255 -1 network\n", "ban_range [2001:db8::2] [2001:db8::9] 8 v6 range\n", "ban [2001:db8::1] 9 v6\n")
	other.run("unban_all; exec ddnet.cfg")
	if got := other.run("bans"); got != want {
		t.Errorf("the list for DDNet-Server makes\n%sand not\n%s", got, want)
	}
	// A network and the same range are one ban.
	h.run("exec lists/saved.cfg; bans_save again.cfg")
	testenv.Check(t, len(h.Bans.List()) == 10, "executed again: %v", h.Bans.List())
	contains("again.cfg", "ban 10.4.0.0-10.4.255.255 -1 network\n")
	other.run("unban 10.4.0.0/16")
	testenv.Check(t, !strings.Contains(other.run("bans"), "10.4.0.0"), "the range is still banned")
	// As 0.7.5 writes ranges, and for life.
	other.files["old.cfg"] = &fstest.MapFile{Data: []byte("ban_range 10.3.0.1 10.3.0.9 7 old\nban [2001:db8:0:0:0:0:0:1] -1 for ever and ever\n")}
	other.run("unban_all; exec old.cfg")
	testenv.Check(t, banLines(other.run("bans")) == "#0 '2001:db8::1' banned for life (for ever and ever)\n"+
		"#1 '10.3.0.1' - '10.3.0.9' banned for 7 minutes (old)\n2 bans\n", "an old list makes\n%s", other.log.String())
	for _, name := range []string{"../x.cfg", "bans.json", "maps/dm1.map", ""} {
		log := other.run(`bans_save "` + name + `"`)
		testenv.Check(t, strings.Contains(log, "failed to save banlist to '"+name+"'"), "%q: %s", name, log)
	}
}

// TestBansSaveReplaces checks that bans_save replaces lists of bans and no other files.
func TestBansSaveReplaces(t *testing.T) {
	for content, replaces := range map[string]bool{
		"ban 10.3.0.1-10.3.0.9 7 range\nban 10.4.0.0/16 -1 \"a; b\"\nban 2001:db8::1 9 v6\n": true,
		"ban_range 10.3.0.1 10.3.0.9 7 old\nban [2001:db8:0:0:0:0:0:1] -1 for ever\n":        true,
		"":                                true,
		"sv_name \"my server\"\n":         false,
		"add_path $USERDIR\n":             false,
		"ban 10.0.0.1 7 x\nsv_name a\n":   false,
		"ban 10.0.0.1\n":                  false,
		"ban nobody 5 minutes\n":          false,
		"ban_range 10.0.0.1 10.0.0.2\n":   false,
		"ban 10.0.0.2-10.0.0.1 7 range\n": false,
	} {
		h := newTestHost(t, access.Config{})
		h.files["x.cfg"] = &fstest.MapFile{Data: []byte(content)}
		log := h.run("ban 10.9.9.9 5 rude; bans_save x.cfg")
		replaced := strings.HasPrefix(string(h.files["x.cfg"].Data), "ban 10.9.9.9 5 ")
		testenv.Check(t, replaced == replaces && strings.Contains(log, "exists and is not a list of bans") != replaces,
			"%q: replaced %v\n%s", content, replaced, log)
	}
}

// TestBanRights checks whom operators may ban: not themselves, nor operators of the same level or
// above. A vote may ban no operator at all.
func TestBanRights(t *testing.T) {
	h := newTestHost(t, access.Config{})
	h.run("mod_command ban 1; mod_command muteid 1")
	admin, mod := h.caller(0), h.caller(1)
	mod.Level = console.LevelMod
	outside := console.Caller{Level: console.LevelMod, Flags: console.Server, ID: -1, Addr: addr(9)}
	const denied, self = "ban error (command denied)", "ban error (you can't ban yourself)"
	for _, test := range []struct {
		who    console.Caller
		target string
		vote   bool
		want   string
	}{
		{admin, "0", false, self}, {mod, "10.0.0.0/24", false, denied}, {mod, "0", false, denied}, {outside, "1", false, denied},
		{outside, "10.0.0.9", false, self}, {admin, "1", false, "banned '10.0.0.1'"}, {mod, "5", false, "banned '10.0.0.5'"},
		{console.Operator, "0", false, "banned '10.0.0.0'"}, {console.Operator, "0", true, denied}, {console.Operator, "5", true, "banned '10.0.0.5'"},
		{admin, "6", false, "ban error (invalid client id)"},
	} {
		h.byVote = test.vote
		h.run("unban_all")
		log := banLines(h.runAs(test.who, "ban "+test.target+" 5"))
		testenv.Check(t, strings.HasPrefix(log, test.want), "client %d bans %s: %s", test.who.ID, test.target, log)
	}
	testenv.Check(t, strings.Contains(h.runAs(mod, "muteid 0 60"), "mute denied: client 0 is an operator"), "%s", h.log.String())
	testenv.Check(t, strings.Contains(h.runAs(mod, "muteid 1 60"), "[mutes]: addr=10.0.0.1 seconds=60 name='mod'\n"), "%s", h.log.String())
}

// TestLongBans checks that bans last up to a year, also in lists of DDNet-Server.
func TestLongBans(t *testing.T) {
	h, other := newTestHost(t, access.Config{DDNet: true}), newTestHost(t, access.Config{DDNet: true})
	h.run("ban 10.0.1.1 525600 a year; ban_range 10.0.2.1 10.0.2.9 525600 a year; ban 10.0.3.1 525601 more; ban 10.0.4.1 44641 more; bans_save x.cfg")
	want := h.run("bans")
	for _, line := range []string{"'10.0.1.1' banned for 525600 minutes (a year)",
		"'10.0.2.1' - '10.0.2.9' banned for 525600 minutes (a year)", "'10.0.3.1' banned for 525600 minutes (more)",
		"'10.0.4.1' banned for 44641 minutes (more)"} {
		testenv.Check(t, strings.Contains(want, line), "bans lacks %q:\n%s", line, want)
	}
	other.files["x.cfg"] = h.files["x.cfg"]
	other.run("exec x.cfg; bans_save x.cfg")
	lines := func(h *testHost) []string { return slices.Sorted(strings.Lines(string(h.files["x.cfg"].Data))) }
	testenv.Check(t, slices.Equal(lines(other), lines(h)), "a saved list becomes %q, was %q", lines(other), lines(h))
}

// brokenStore cannot store bans while there is an error.
type brokenStore struct {
	bans.Store
	err error
}

func (s *brokenStore) Stored(time.Duration) error { return s.err }

// TestUnstoredBans checks that the caller of each command, and once the log, learn of bans that are
// not stored, and that these are in force.
func TestUnstoredBans(t *testing.T) {
	store := &brokenStore{Store: bans.New(nil), err: errors.New("no space left")}
	h := newTestHost(t, access.Config{Bans: store, Clock: time.Now})
	const unstored = "[net_ban]: no space left (in force while this server runs; it keeps trying to store them)\n"
	for _, line := range []string{"ban 10.9.9.9 5", "unban 10.9.9.9", "ban 10.9.9.8 5", "unban_all", "ban 10.9.9.7 5"} {
		testenv.Check(t, strings.HasSuffix(h.run(line), unstored), "%s: %s", line, h.log.String())
	}
	testenv.Check(t, len(h.Bans.List()) == 1, "%v", h.Bans.List())
	tick := func(want string) {
		t.Helper()
		h.log.Reset()
		h.Bans.Tick()
		testenv.Check(t, h.log.String() == want, "%s", h.log.String())
	}
	tick("") // the callers know
	store.err = errors.New("read-only file system")
	tick("[net_ban]: read-only file system (in force while this server runs; it keeps trying to store them)\n")
	tick("")
	store.err = nil
	tick("[net_ban]: all bans are stored now\n")
}

// TestBansCanBeLifted checks that each line of the command bans can lift its ban, and no other, by
// its number, its target and its whole text. The bans come from commands and from the server
// itself.
func TestBansCanBeLifted(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 0))
		addr := func() netip.Addr {
			a := netip.AddrFrom4([4]byte{byte(1 + rng.IntN(3)), 2, byte(rng.IntN(2)), byte(rng.IntN(256))})
			switch rng.IntN(6) {
			case 0:
				return netip.AddrFrom16(a.As16()) // as an address of IPv6
			case 1, 2:
				b := [16]byte{0x20, 1, 0xd, 0xb8, 0, byte(rng.IntN(2)), 0, byte(rng.IntN(2))}
				b[15] = byte(rng.IntN(256))
				return netip.AddrFrom16(b)
			case 3:
				return netip.AddrFrom16([16]byte{0xfe, 0x80, 15: byte(rng.IntN(256))}).WithZone("eth0")
			}
			return a
		}
		h := newTestHost(t, access.Config{})
		for range 30 {
			a, b := addr(), addr()
			bits := 8 + rng.IntN(a.BitLen()-7)
			reason := []string{"", "x", "it's '1.2.3.4' banned for life", "a - b", "' - '", "#7"}[rng.IntN(6)]
			line := ""
			switch minutes := rng.IntN(3) * 5; rng.IntN(7) {
			case 0:
				line = fmt.Sprintf("ban %s %d %q", a, minutes, reason)
			case 1:
				line = fmt.Sprintf("ban %s/%d %d %q", a.WithZone(""), bits, minutes, reason)
			case 2:
				line = fmt.Sprintf("ban %s-%s %d %q", a, b, minutes, reason)
			case 3:
				h.Bans.Store.Add(bans.Ban{Net: netip.PrefixFrom(a.WithZone(""), bits), Duration: time.Duration(minutes) * time.Minute}) // as addip
			case 4:
				line = fmt.Sprintf("ban_range %s %s %d %q", a, b, minutes, reason)
			case 5:
				line = fmt.Sprintf("ban [%s]-[%s] %d %q", a, b, minutes, reason)
			case 6:
				h.Bans.AddForNow(a.WithZone("").Unmap(), time.Minute, reason)
			}
			h.run(line)
		}
		lines := func() []string {
			all := strings.Split(strings.TrimSpace(banLines(h.run("bans"))), "\n")
			return all[:len(all)-1]
		}
		for all := lines(); len(all) > 0; all = lines() {
			line := all[rng.IntN(len(all))]
			number, text, _ := strings.Cut(strings.TrimPrefix(line, "#"), " ")
			target, _, _ := strings.Cut(text, " banned ")
			unban := []string{number, target, strings.ReplaceAll(strings.ReplaceAll(target, "'", ""), " ", ""), text}[rng.IntN(4)]
			without := func(all []string) (rest []string) { // without numbers
				for _, l := range all {
					_, text, _ := strings.Cut(l, " ")
					rest = append(rest, text)
				}
				return rest
			}
			want := without(all)
			i := slices.Index(want, text)
			want = slices.Delete(want, i, i+1)
			said := h.run("unban " + unban)
			if got := without(lines()); !slices.Equal(got, want) {
				t.Fatalf("seed %d: unban %s, of the line\n%s\nprints\n%s", seed, unban, line, said)
			}
		}
	}
}

// fleetStore is a store that another server of the fleet changes.
type fleetStore struct {
	*bans.List
	arrived bool
}

func (f *fleetStore) Arrived() bool {
	arrived := f.arrived
	f.arrived = false
	return arrived
}

// TestFleetBan checks that a ban of another server drops the clients that it hits at once, but not
// those of temporary bans and bans from the remote console alone.
func TestFleetBan(t *testing.T) {
	store := &fleetStore{List: bans.New(nil)}
	h := newTestHost(t, access.Config{Bans: store})
	for i, b := range []bans.Ban{{}, {Temporary: true, Duration: time.Hour}, {RconOnly: true}} {
		b.Net = netip.PrefixFrom(addr(100+i), 32)
		h.clients = append(h.clients, access.Client{ID: 10 + i, Addr: b.Net.Addr()})
		testenv.NoError(t, store.Add(b))
	}
	h.Bans.Tick()
	testenv.Check(t, len(h.takeTold()) == 0, "clients are dropped without a reason")
	store.arrived = true
	h.Bans.Tick()
	want := []string{"drop 10: You have been banned for life (No reason given)"}
	told := h.takeTold()
	testenv.Check(t, slices.Equal(told, want), "%q, want %q", told, want)
}
