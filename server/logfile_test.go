package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/econ"
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

// content returns what is in a file. The server must have closed it.
func (d *logDisk) content(name string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.files[name]; f != nil {
		return f.String()
	}
	return "no file"
}

// TestLogFile: logfile names a file in dumps/, as in the original, in the dialect of the log.
func TestLogFile(t *testing.T) {
	var d logDisk
	ts := newTestServerWith(t, Config{OpenLog: d.open}, "logfile evening; sv_gametype nope")
	ts.srv.Execute("echo one; logfile sub/other; log_dialect ddnet; echo two; logfile \"\"; echo three; logfile evening; log_dialect tw07; echo four")
	ts.srv.Execute("logfile ../outside")
	ts.srv.Execute("logfile " + strings.ReplaceAll(os.TempDir(), `\`, "/") + "/outside")
	if got := ts.srv.settings.LogFile; got != "evening" {
		t.Errorf("after names that are refused, logfile is %q", got)
	}
	ts.srv.Execute("logfile \"\"; logfile_timestamp 1; logfile stamped; echo five")
	ts.srv.Shutdown(ts.now, "")
	evening, other := d.content("dumps/evening.txt"), d.content("dumps/sub/other.txt")
	for _, want := range []string{"][server]: version 0.7 ", "][Console]: one\n", "][Console]: four\n", "failed to open '../outside' for logging: the file is outside the folder dumps", "files outside the server's folder"} {
		if !strings.Contains(evening, want) {
			t.Errorf("%q is missing in\n%s", want, evening)
		}
	}
	if strings.Contains(evening, "three") || !strings.Contains(other, " I Console: two\n") || len(d.files) != 3 {
		t.Errorf("%d files\n%s\nother\n%s", len(d.files), evening, other)
	}
	for name := range d.files {
		if stamp, ok := strings.CutPrefix(name, "dumps/stamped"); ok {
			if _, err := time.Parse("2006-01-02_15-04-05.txt", stamp); err != nil {
				t.Error(err)
			}
		}
	}
	if ts = newTestServerWith(t, Config{OpenLog: d.open}, "logfile ../outside"); ts.srv.settings.LogFile != "" || !strings.Contains(ts.log.String(), "failed to open '../outside'") {
		t.Errorf("refused at the start, logfile is %q", ts.srv.settings.LogFile)
	}
	var ofDDNet logDisk
	ts = newTestServerWith(t, Config{OpenLog: ofDDNet.open, DDNet: true}, "logfile logs/server.log")
	ts.srv.Execute("logfile autoexec_server.cfg; echo one")
	ts.srv.ReopenLogs()
	ts.srv.Execute("logfile logs/server.log; echo two")
	ts.srv.Shutdown(ts.now, "")
	main, others := ofDDNet.content("logs/server.log"), ofDDNet.content("dumps/autoexec_server.cfg.txt")
	testenv.Check(t, len(ofDDNet.files) == 2 && strings.Contains(main, "version 0.7") && strings.Contains(main, "Console]: two") && strings.Contains(others, "one"), "as DDNet-Server: %q", ofDDNet.files)
	bad := logDisk{err: errors.New("no room")}
	ts = newTestServerWith(t, Config{OpenLog: bad.open}, "logfile evening")
	if !strings.Contains(ts.log.String(), "[engine/logfile]: failed to open 'dumps/evening.txt' for logging: no room\n") {
		t.Error(ts.log.String())
	}
}

// TestAuditLog: what operators do is written with who did it and from where, without
// passwords, and nobody who uses the server can turn that off.
func TestAuditLog(t *testing.T) {
	var d logDisk
	ts := newTestServerWith(t, Config{OpenLog: d.open}, "sv_audit_log audit.jsonl; sv_rcon_mod_password modpw; mod_command status 1; add_vote greet say hi; sv_vote_kick_bantime 0")
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
	ts.srv.econ.Log(econ.WrongPassword, 2, false, "cid=2 wrong password")
	ts.srv.econ.Log(econ.LoggedIn, 2, true, "cid=2 authed")
	ts.srv.econ.Run(2, "echo c; ec_password secret1")
	for i, result := range []string{"no", "yes"} { // decided by the operator, not by who called it
		ts.idle(61*50, boss, mod)
		mod.Send(&msg7.ClCallVote{Type: []byte("option"), Value: []byte("greet"), Reason: []byte("x")})
		ts.idle(10, boss, mod)
		if i == 0 {
			boss.Rcon("vote " + result)
		} else {
			ts.srv.econ.Run(2, "vote "+result)
		}
		ts.idle(10, boss, mod)
	}
	boss.Rcon("logout")
	ts.idle(10, boss, mod)
	ts.srv.reload(console.ReadConfiguration(nil, nil)) // after something has moved the files away
	ts.srv.Shutdown(ts.now, "")
	var got []string
	for line := range strings.Lines(d.content("audit.jsonl")) {
		var e auditEntry
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
		"login_failed|econ||||", "login|econ|admin|||", "command|econ|admin|||echo c; ec_password ***",
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

// TestLogsThatCannotBeOpened: a log that cannot be opened at the start is a problem, and is
// tried again with the others.
func TestLogsThatCannotBeOpened(t *testing.T) {
	d := logDisk{err: errors.New("no room")}
	outside := strings.ReplaceAll(os.TempDir(), `\`, "/") + "/outside"
	ts := newTestServerWith(t, Config{OpenLog: d.open}, "sv_audit_log audit.jsonl; logfile "+outside)
	const problem = "sv_audit_log 'audit.jsonl' could not be opened, so the actions of operators are not logged: no room"
	if p := ts.srv.Problems(); len(p) != 1 || p[0] != problem {
		t.Errorf("problems %q", p)
	}
	ts.log.Reset()
	if ts.srv.Execute("status"); !strings.Contains(ts.log.String(), problem) {
		t.Errorf("status says\n%s", ts.log.String())
	}
	ts.srv.Execute(`sv_audit_log ""; sv_audit_log other`)
	if n := strings.Count(ts.log.String(), "can be set only in the configuration"); n != 2 || ts.srv.settings.AuditLog != "audit.jsonl" {
		t.Errorf("refused %d times, the setting is %q", n, ts.srv.settings.AuditLog)
	}
	ts.log.Reset()
	ts.step(1000)
	if strings.Contains(ts.log.String(), "audit.jsonl") {
		t.Errorf("it is said again that it cannot be opened:\n%s", ts.log.String())
	}
	d.err = nil
	ts.step(2 * auditRetryInterval)
	if p := ts.srv.Problems(); len(p) != 0 || ts.srv.auditLog.queue == nil {
		t.Errorf("problems %q, although the disk has room", p)
	}
	ts.srv.ReopenLogs()
	ts.srv.audit(auditEntry{Event: "login"})
	ts.srv.print(console.Standard, "server", "hello")
	if p := ts.srv.Problems(); len(p) != 0 {
		t.Errorf("problems %q", p)
	}
	ts.srv.Shutdown(ts.now, "")
	if a, l := d.content("audit.jsonl"), d.content(outside); !strings.Contains(a, "login") || !strings.Contains(l, "hello") {
		t.Errorf("the logs have %q and %q", a, l)
	}
}

// TestLateLog: a log file that opens late does not take the place of one that was asked for
// after it.
func TestLateLog(t *testing.T) {
	var d logDisk
	ts := newTestServerWith(t, Config{OpenLog: d.open})
	late, closed := make(chan struct{}), make(chan struct{}, 1)
	ts.srv.cfg.Background = func(f func()) { go f() }
	ts.srv.cfg.OpenLog = func(name string) (io.WriteCloser, error) {
		if name == "dumps/first.txt" {
			<-late
			return countedFile{testenv.Must(d.open(name)), closed}, nil
		}
		return d.open(name)
	}
	ts.srv.Execute("logfile first")
	ts.srv.Execute("logfile second")
	for ts.srv.logFile.name == "" { // this machine is slow
		(<-ts.srv.tasks.queue)()
	}
	close(late)
	(<-ts.srv.tasks.queue)()
	if name := ts.srv.logFile.name; name != "dumps/second.txt" {
		t.Errorf("the log file is %q", name)
	}
	select {
	case <-closed:
	case <-time.After(30 * time.Second):
		t.Error("the file that came too late stays open")
	}
	ts.srv.Shutdown(ts.now, "")
}

func hostOf(addr string) string {
	if ap, err := netip.ParseAddrPort(addr); err == nil {
		return ap.Addr().String()
	}
	return addr
}

// TestReopenOnAStuckDisk: however often the logs are opened again, each waits once for a disk
// that does not answer, and is open when it does.
func TestReopenOnAStuckDisk(t *testing.T) {
	var d logDisk
	ts := newTestServerWith(t, Config{OpenLog: d.open}, "sv_audit_log audit.jsonl; logfile evening")
	free := make(chan struct{})
	var opens atomic.Int32
	ts.srv.cfg.Background = func(f func()) { go f() }
	ts.srv.cfg.OpenLog = func(name string) (io.WriteCloser, error) {
		opens.Add(1)
		<-free
		return d.open(name)
	}
	for range 5 {
		ts.srv.reload(console.ReadConfiguration(nil, nil))
	}
	if n := strings.Count(ts.log.String(), "[engine/logfile]: still waiting for the disk to open 'evening'\n"); opens.Load() != 2 || n != 4 {
		t.Errorf("%d files are being opened, said %d times in\n%s", opens.Load(), n, ts.log.String())
	}
	ts.srv.print(console.Standard, "server", "to the old file")
	close(free)
	for range 2 {
		(<-ts.srv.tasks.queue)()
	}
	if l := &ts.srv.logFile; l.name != "dumps/evening.txt" || l.opens != 6 || len(l.opening) != 0 {
		t.Errorf("the log file is %+v", l)
	}
	ts.srv.Shutdown(ts.now, "")
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
		ts.session(p).audit("command", "game", long)
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

// countedFile counts how often it is closed.
type countedFile struct {
	io.WriteCloser
	closed chan struct{}
}

func (f countedFile) Close() error {
	f.closed <- struct{}{}
	return f.WriteCloser.Close()
}
