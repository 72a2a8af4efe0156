package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/logs"
)

// logDisk has the log files of a server.
type logDisk struct {
	mu    sync.Mutex
	files map[string]*bytes.Buffer
	stuck chan struct{} // writes wait for it to be closed, if it is set
	err   error
}

type logDiskFile struct {
	d    *logDisk
	name string
}

func (d *logDisk) open(name string) (io.WriteCloser, error) {
	if d.err != nil {
		return nil, d.err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files == nil {
		d.files = map[string]*bytes.Buffer{}
	}
	if d.files[name] == nil {
		d.files[name] = &bytes.Buffer{}
	}
	return logDiskFile{d, name}, nil
}

func (f logDiskFile) Write(b []byte) (int, error) {
	if f.d.stuck != nil {
		<-f.d.stuck
	}
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return f.d.files[f.name].Write(b)
}

func (logDiskFile) Close() error { return nil }

// content returns the content of a file. The server must have closed it.
func (d *logDisk) content(name string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.files[name]; f != nil {
		return f.String()
	}
	return "no file"
}

// TestAuditLog checks that actions of operators are logged with their author and address, without
// passwords, and that no remote operator can turn that off.
func TestAuditLog(t *testing.T) {
	var d logDisk
	ts := newTestServerWith(t, Config{OpenLog: d.open},
		"sv_audit_log audit.jsonl; sv_rcon_mod_password modpw; mod_command status 1; add_vote greet say hi; sv_vote_kick_bantime 0")
	boss, mod := ts.join(local(1), "the boss\x1b"), ts.join(ip(7), "mod")
	boss.Login("adminpw")
	mod.Login("guess")
	mod.Login("modpw")
	testenv.Check(t, errors.Is(ts.srv.LogIn(&Operator{Via: "http", Addr: netip.MustParseAddrPort("198.51.0.2:0")}, "guess"), ErrLogin), "a guess")
	ts.idle(10, boss, mod)
	boss.Rcon("sv_rcon_helper_password secret1; echo a").Rcon("sv_audit_log \"\"").Rcon("sv_audit_log other")
	mod.Rcon("status").Rcon("shutdown")
	boss.Send(&msg7.ClCallVote{Type: []byte("option"), Value: []byte("greet"), Reason: []byte("x"), Force: true})
	ts.idle(10, boss, mod)
	hl := hlClient{ts, public(1)}
	hl.rcon("adminpw", "echo b")
	hl.rcon("guess", "echo b")
	mod.Send(&msg7.ClCallVote{Type: []byte("option"), Value: []byte("greet"), Reason: []byte("x")})
	boss.Send(&msg7.ClVote{Vote: 1})
	ts.idle(10, boss, mod)
	for i, result := range []string{"no", "yes"} { // decided by the operator, not by the caller
		ts.idle(61*50, boss, mod)
		mod.Send(&msg7.ClCallVote{Type: []byte("option"), Value: []byte("greet"), Reason: []byte("x")})
		ts.idle(10, boss, mod)
		if i == 0 {
			boss.Rcon("vote " + result)
		} else {
			econHost{ts.srv}.Run(logs.Entry{Event: "command", Via: "econ", Level: "admin", Command: "vote " + result}, nil)
		}
		ts.idle(10, boss, mod)
	}
	boss.Rcon("logout")
	ts.idle(10, boss, mod)
	ts.srv.reload(console.ReadConfiguration(nil, nil)) // after something has moved the files away
	ts.srv.Shutdown(ts.now, "")
	var got []string
	for line := range strings.Lines(d.content("audit.jsonl")) {
		var e logs.Entry
		testenv.NoError(t, json.Unmarshal([]byte(line), &e))
		if time.Since(e.Time) > time.Minute {
			t.Errorf("%v", e.Time)
		}
		if e.Via == "game" && (e.Client == nil || e.Addr == "") {
			t.Errorf("who? %s", line)
		}
		got = append(got, strings.Join([]string{e.Event, e.Via, e.Level, e.Name, hostOf(e.Addr), e.Command + e.Result}, "|"))
	}
	want := []string{
		"login|game|admin|the boss|127.0.0.1|", "login_failed|game||mod|10.0.0.7|", "login|game|moderator|mod|10.0.0.7|", "login_failed|http|||198.51.0.2|",
		"command|game|admin|the boss|127.0.0.1|sv_rcon_helper_password ***; echo a",
		`command|game|admin|the boss|127.0.0.1|sv_audit_log ""`,
		"command|game|admin|the boss|127.0.0.1|sv_audit_log other",
		"command|game|moderator|mod|10.0.0.7|status", "command|game|moderator|mod|10.0.0.7|shutdown",
		"vote_forced|vote|admin|the boss|127.0.0.1|say hi",
		"command|halflife|admin||198.51.0.1|echo b", "login_failed|halflife|||198.51.0.1|",
		"vote_passed|vote||mod|10.0.0.7|say hi",
		"command|game|admin|the boss|127.0.0.1|vote no", "vote_forced|game|admin|the boss|127.0.0.1|say hino",
		"command|econ|admin|||vote yes", "vote_forced|econ|admin|||say hiyes",
		"command|game|admin|the boss|127.0.0.1|logout", "logout|game|admin|the boss|127.0.0.1|",
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("the audit log has\n%s\nwant\n%s", g, w)
	}
	if strings.Contains(d.content("audit.jsonl"), "secret1") || len(d.files) != 1 {
		t.Errorf("%d files, %s", len(d.files), d.content("audit.jsonl"))
	}
	if n := strings.Count(ts.log.String(), "sv_audit_log can be set only in the configuration, before the server starts"); n != 2 {
		t.Errorf("said %d times", n)
	}
}

func hostOf(addr string) string {
	if ap, err := netip.ParseAddrPort(addr); err == nil {
		return ap.Addr().String()
	}
	return addr
}

// TestLogsOnAStuckDisk: a disk that takes nothing costs lines, not the game.
func TestLogsOnAStuckDisk(t *testing.T) {
	d := logDisk{stuck: make(chan struct{})}
	ts := newTestServerWith(t, Config{OpenLog: d.open}, "sv_audit_log audit.jsonl; logfile evening; sv_spamprotection 0")
	p := ts.join(local(1), "boss")
	p.Login("adminpw")
	ts.idle(10, p)
	long := strings.Repeat("x", 200)
	for i := range 8000 {
		ts.srv.logs.Audit(ts.session(p).auditEntry("command", "game", long))
		ts.srv.print(console.Standard, "server", long)
		if i%100 == 0 {
			ts.idle(1, p)
		}
	}
	if ts.session(p) == nil {
		t.Fatalf("dropped: %s", p.Reason)
	}
	close(d.stuck)
	ts.srv.Shutdown(ts.now, "")
	for _, name := range []string{"audit.jsonl", "dumps/evening.txt"} {
		if got := d.content(name); !strings.Contains(got, " lines are missing here: the reader was too slow") || len(got) > 3<<20 {
			t.Errorf("%s has %d bytes, and does not say how many lines are missing", name, len(got))
		}
	}
}

// TestVotesWithoutEffect: when a vote has passed whose command fails or changes nothing, the
// log and the audit log say so.
func TestVotesWithoutEffect(t *testing.T) {
	var d logDisk
	ts := newTestServerWith(t, Config{OpenLog: d.open}, "sv_audit_log audit.jsonl; sv_spamprotection 0; sv_scorelimit 20",
		`add_vote good "say hi"`, `add_vote many "sv_scorelimit 30"`, `add_vote same "sv_scorelimit 20"`, `add_vote team "set_team 60 -1"`,
		`add_vote where "change_map nowhere"`, `add_vote range "say a; sv_scorelimit 99999"`, `add_vote swap swap_teams`, `add_vote file "exec gone.cfg"`)
	a := ts.join(local(1), "a")
	ts.idle(60, a)
	for _, c := range [][2]string{
		{"good", ""}, {"same", "sv_scorelimit has this value already"}, {"many", ""}, {"team", "invalid client id"},
		{"where", "change_map: sv_map \"nowhere\": map not found"}, {"range", "sv_scorelimit: 99999 is out of range"},
		{"swap", "swap_teams: DM has no teams"}, {"file", "failed to open 'gone.cfg'"},
	} {
		ts.log.Reset()
		a.Send(&msg7.ClCallVote{Type: []byte("option"), Value: []byte(c[0])})
		ts.idle(60, a)
		_, said, found := strings.Cut(ts.log.String(), "[server]: a vote passed without effect. cmd='")
		if found != (c[1] != "") || !strings.Contains(said, c[1]) {
			t.Errorf("%s: the log has %q", c[0], ts.log.String())
		}
	}
	ts.log.Reset()
	if ts.srv.Execute("swap_teams; sv_scorelimit 1000"); strings.Contains(ts.log.String(), "no teams") || strings.Contains(ts.log.String(), "a vote") {
		t.Errorf("an operator is told %q", ts.log.String())
	}
	ts.srv.Shutdown(ts.now, "")
	if audit := d.content("audit.jsonl"); strings.Count(audit, "vote_passed") != 8 || strings.Count(audit, `"result":"failed"`) != 6 {
		t.Errorf("the audit log has\n%s", audit)
	}
}

// TestAuditCopy checks that Config.Audit receives the actions of operators, clients that come and
// go, and bans with their operator, also without an audit log.
func TestAuditCopy(t *testing.T) {
	var got []string
	ts := newTestServerWith(t, Config{Audit: func(entry []byte) {
		var e logs.Entry
		testenv.NoError(t, json.Unmarshal(entry, &e))
		by := ""
		if e.By != nil {
			by = e.By.Level + " " + e.By.Name
		}
		got = append(got, strings.Join([]string{e.Event, e.Via, e.Name, hostOf(e.Addr), e.Command + e.Target, e.Reason, by}, "|"))
	}}, "sv_vote_kick_bantime 0")
	boss, p := ts.join(ip(1), "boss"), ts.join(ip(7), "p")
	boss.Login("adminpw")
	ts.idle(10, boss, p)
	boss.Rcon("sv_map dm2")
	ts.idle(100, boss, p)
	boss.Rcon("ban 1 5 spam")
	ts.idle(10, boss, p)
	ts.srv.Execute("ban 10.0.0.8 0 rude")
	boss.Rcon("unban 10.0.0.7")
	ts.idle(10, boss, p)
	boss.Rcon("unban_all")
	ts.idle(10, boss, p)
	want := strings.Join([]string{
		"joined|server|boss|10.0.0.1|||", "joined|server|p|10.0.0.7|||",
		"login|game|boss|10.0.0.1|||", "command|game|boss|10.0.0.1|sv_map dm2||",
		"command|game|boss|10.0.0.1|ban 1 5 spam||", "banned|game|||10.0.0.7|spam|admin boss",
		"left|server|p|10.0.0.7||You have been banned for 5 minutes (spam)|",
		"banned|server|||10.0.0.8|rude|",
		"command|game|boss|10.0.0.1|unban 10.0.0.7||", "unbanned|game|||10.0.0.7||admin boss",
		"command|game|boss|10.0.0.1|unban_all||", "unbanned|game|||10.0.0.8||admin boss",
	}, "\n")
	testenv.Check(t, strings.Join(got, "\n") == want, "received\n%s\nwant\n%s", strings.Join(got, "\n"), want)
}
