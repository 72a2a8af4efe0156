package server

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/limit"
)

// TestBansAsInTheOriginal compares what the commands about bans print with teeworlds-server
// 0.7.5. See also TestBanCommands of internal/peers.
func TestBansAsInTheOriginal(t *testing.T) {
	ts := newTestServer(t, nil)
	run := func(line, want string) {
		t.Helper()
		ts.log.Reset()
		ts.srv.Execute(line)
		got := strings.ReplaceAll(ts.log.String(), "[net_ban]: ", "")
		if got != want {
			t.Errorf("%s:\n%swant\n%s", line, got, want)
		}
	}
	inside, outside := ts.join(ip(0x0102), "in the range"), ts.join(ip(0x0200), "not in it")
	run("ban 10.0.1.0-10.0.1.20 5 a range", "banned '10.0.1.0' - '10.0.1.20' for 5 minutes (a range)\n")
	ts.step(1)
	if !inside.Closed || outside.Closed || inside.Reason != "You have been banned for 5 minutes (a range)" {
		t.Errorf("%v %q, %v", inside.Closed, inside.Reason, outside.Closed)
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
	if !banned(ts.srv, ip(0x0105)) {
		t.Error("the larger range has a hole")
	}
	run("unban 2", "unbanned index 2 ('10.0.1.0' - '10.0.1.20')\n")
	run("ban foo", "ban error (invalid network address)\n")
	run("ban foo-bar", "ban error (invalid range)\n")
	run("ban 10.0.0.2-10.0.0.1", "ban failed (invalid range)\n")
	run("ban 10.0.0.1-2001:db8::1", "ban failed (invalid range)\n")
	run("ban 127.0.0.0-127.0.0.9", "ban failed (localhost)\n")
	run("ban 99", "ban error (invalid client id)\n")
	ts.log.Reset()
	ts.step(4*60*50 + 100)
	if got := strings.Count(ts.log.String(), "[net_ban]: ban '2001:db8::1' expired\n"); got != 1 || strings.Count(ts.log.String(), "expired") != 1 {
		t.Errorf("%d times in\n%s", got, ts.log.String())
	}
}

// TestBansSave: what bans_save writes makes the same bans when it is executed, also after other
// commands in reasons.
func TestBansSave(t *testing.T) {
	files := fstest.MapFS{}
	now := time.Unix(1e9, 0)
	newServer := func() *testServer {
		return newTestServerWith(t, Config{Files: files, Bans: bans.New(func() time.Time { return now }), WriteFile: func(name string, content []byte) error {
			files[name] = &fstest.MapFile{Data: content}
			return nil
		}})
	}
	ts := newServer()
	ts.srv.bans.clock = func() time.Time { return now }
	for i, reason := range []string{"plain", `"a; ban 10.2.0.1 # b"`, `say \"x\"`, `back\\slash`, `"  spaces  "`, "ends # here"} {
		ts.srv.Execute(fmt.Sprintf("ban 10.1.0.%d %d %s", i, 10*i, reason))
	}
	ts.srv.Execute("ban 10.3.0.1-10.3.0.9 7 range; ban 10.4.0.0/16 0 network; ban 2001:db8::1 9 v6; ban 2001:db8::2-2001:db8::9 8 v6 range; bans_save lists/saved.cfg")
	listed := func(ts *testServer) string {
		ts.log.Reset()
		ts.srv.Execute("bans")
		return ts.log.String()
	}
	// The original reads no networks, and addresses of IPv6 in brackets only.
	if saved := string(files["lists/saved.cfg"].Data); !strings.Contains(saved, "ban 10.4.0.0-10.4.255.255 -1 network\n") || !strings.Contains(saved, "ban [2001:db8::1] 9 v6\n") || !strings.Contains(saved, "ban [2001:db8::2]-[2001:db8::9] 8 v6 range\n") {
		t.Errorf("saved as\n%s", saved)
	}
	want := strings.Replace(listed(ts), "'10.4.0.0/16'", "'10.4.0.0' - '10.4.255.255'", 1)
	if strings.Count(want, "\n") != 11 {
		t.Errorf("the bans are\n%s", want)
	}
	other := newServer()
	other.srv.bans.clock = ts.srv.bans.clock
	other.log.Reset()
	if other.srv.Execute("exec lists/saved.cfg"); strings.Contains(other.log.String(), "saved.cfg:") {
		t.Errorf("executing it: %s", other.log.String())
	}
	if got := listed(other); got != want {
		t.Errorf("executed, it makes\n%sand not\n%sof\n%s", got, want, files["lists/saved.cfg"].Data)
	}
	saved := string(files["lists/saved.cfg"].Data)
	if other.srv.Execute("bans_save again.cfg"); string(files["again.cfg"].Data) != saved {
		t.Errorf("saved again as\n%s, not\n%s", files["again.cfg"].Data, saved)
	}
	// DDNet-Server reads ranges in ban_range only.
	files["ddnet.cfg"] = &fstest.MapFile{Data: appendBans(nil, ts.srv.bans.list(), now, true)}
	if saved := string(files["ddnet.cfg"].Data); !strings.Contains(saved, "ban_range 10.4.0.0 10.4.255.255 -1 network\n") || !strings.Contains(saved, "ban_range [2001:db8::2] [2001:db8::9] 8 v6 range\n") || !strings.Contains(saved, "ban [2001:db8::1] 9 v6\n") {
		t.Errorf("saved for DDNet-Server as\n%s", saved)
	}
	other.srv.Execute("unban_all; exec ddnet.cfg")
	if got := listed(other); got != want {
		t.Errorf("the list for DDNet-Server makes\n%sand not\n%s", got, want)
	}
	// A network and the same range are one ban.
	if ts.srv.Execute("exec lists/saved.cfg"); len(ts.srv.bans.list()) != 10 {
		t.Errorf("executed again: %v", ts.srv.bans.list())
	}
	if other.srv.Execute("unban 10.4.0.0/16"); strings.Contains(listed(other), "10.4.0.0") {
		t.Errorf("the range is still banned:\n%s", listed(other))
	}
	// As 0.7.5 writes ranges, and for life.
	files["old.cfg"] = &fstest.MapFile{Data: []byte("ban_range 10.3.0.1 10.3.0.9 7 old\nban [2001:db8:0:0:0:0:0:1] -1 for ever and ever\n")}
	other.srv.Execute("unban_all; exec old.cfg")
	if got := listed(other); !strings.Contains(got, "#0 '2001:db8::1' banned for life (for ever and ever)\n[net_ban]: #1 '10.3.0.1' - '10.3.0.9' banned for 7 minutes (old)\n[net_ban]: 2 bans\n") {
		t.Errorf("an old list makes\n%s", got)
	}
	for _, name := range []string{"../x.cfg", "bans.json", "maps/dm1.map", ""} {
		other.log.Reset()
		other.srv.Execute(`bans_save "` + name + `"`)
		if !strings.Contains(other.log.String(), "failed to save banlist to '"+name+"'") {
			t.Errorf("%q: %s", name, other.log.String())
		}
	}
	ts = newTestServer(t, files)
	ts.log.Reset()
	if ts.srv.Execute("bans_save x"); !strings.Contains(ts.log.String(), "failed to save banlist to 'x': the server has no folder to write to") {
		t.Error(ts.log.String())
	}
}

// TestBansCanBeLifted: every line that bans prints can be used to lift that ban, and no other:
// its number, what it says is banned, and its text as it is. The bans come from all commands,
// from a file and from the server itself.
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
		ts := newTestServer(t, nil)
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
				line = fmt.Sprintf("addip %d %s/%d", minutes, a.WithZone(""), bits)
			case 4:
				line = fmt.Sprintf("ban_range %s %s %d %q", a, b, minutes, reason)
			case 5:
				line = fmt.Sprintf("ban [%s]-[%s] %d %q", a, b, minutes, reason)
			case 6:
				ts.srv.bans.add(ts.now, bans.Ban{Net: limit.Person(a.WithZone("").Unmap()), Duration: time.Minute, Reason: reason, Temporary: true})
			}
			ts.srv.Execute(line)
		}
		lines := func() []string {
			ts.log.Reset()
			ts.srv.Execute("bans")
			all := strings.Split(strings.ReplaceAll(strings.TrimSpace(ts.log.String()), "[net_ban]: ", ""), "\n")
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
			ts.log.Reset()
			ts.srv.Execute("unban " + unban)
			said := ts.log.String()
			if got := without(lines()); !slices.Equal(got, want) {
				t.Fatalf("seed %d: unban %s, of the line\n%s\nprints\n%s", seed, unban, line, said)
			}
		}
	}
}
