package server

import (
	"crypto/md5"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/server/console"
)

// TestNamedLogins: logins of auth_add and auth_add_p open the remote console with the name and the
// password, and neither with others; who is logged in with one that is changed or removed has to
// log in again.
func TestNamedLogins(t *testing.T) {
	salt := []byte("\x00\x11\x22\x33\x44\x55\x66\x77")
	hash := md5.Sum(append([]byte("bobpw"), salt...))
	bob := " moderator " + hex.EncodeToString(hash[:]) + " " + hex.EncodeToString(salt)
	var d logDisk
	ts := newTestServerWith(t, Config{OpenLog: d.open}, "sv_audit_log audit.jsonl; auth_add alice admin two words; auth_add_p bob"+
		bob+"; auth_add cat Helper x; auth_add dog god y; sv_rcon_max_tries 0")
	p := ts.joinAs(client06DDNet, local(1), "p")
	c := ts.session(p)
	for _, try := range []struct {
		name, password, key string
		level               console.Level
	}{
		{"", "adminpw", "default_admin", console.LevelAdmin}, {"default_admin", "adminpw", "default_admin", console.LevelAdmin},
		{"alice", "two words", "alice", console.LevelAdmin}, {"bob", "bobpw", "bob", console.LevelMod}, {"cat", "x", "cat", console.LevelHelper},
		{"alice", "bobpw", "", 0}, {"alice", "", "", 0}, {"alice", "adminpw", "", 0}, {"", "two words", "", 0},
		{"nobody", "adminpw", "", 0}, {"nobody", "", "", 0},
		{"dog", "y", "", 0}, {"default_mod", "", "", 0}, {"Alice", "two words", "", 0},
	} {
		c.rcon = rconState{}
		c.OnRconAuth(try.name, try.password)
		ts.idle(60, p)
		if c.rcon.key != try.key || c.rcon.authed != (try.key != "") || c.rcon.level != try.level {
			t.Errorf("%q with %q: %+v", try.name, try.password, c.rcon)
		}
	}
	log := ts.log.String()
	if !strings.Contains(log, "[server]: ClientID=0 authed (admin) key='alice'\n") ||
		!strings.Contains(log, "[server]: ClientID=0 authed (admin)\n") || strings.Contains(log, "two words") {
		t.Errorf("the log has\n%s", log)
	}

	login := func(name, password string) {
		t.Helper()
		c.rcon = rconState{}
		c.OnRconAuth(name, password)
		ts.idle(60, p)
		testenv.Check(t, c.rcon.authed, "%s cannot log in", name)
		p.RconLines = nil
	}
	login("bob", "bobpw")
	ts.log.Reset()
	ts.srv.Execute("auth_change bob king bobnew; auth_change bob mod \"\"")
	if log := ts.log.String(); !c.rcon.authed || !strings.Contains(log, "level can be one of") || !strings.Contains(log, "a login needs a password") {
		t.Errorf("after changes that cannot be, bob is logged in: %v, log:\n%s", c.rcon.authed, log)
	}
	ts.srv.Execute("auth_change alice admin new")
	testenv.Check(t, c.rcon.authed, "bob is logged out since alice has another password")
	ts.srv.Execute("auth_change bob helper bobnew")
	ts.idle(4, p)
	if c.rcon.authed || !slices.Contains(p.RconLines, "Logged out by key update.") {
		t.Errorf("bob has another password and reads %q", p.RconLines)
	}
	login("bob", "bobnew")
	testenv.Check(t, c.rcon.level == console.LevelHelper, "bob is %s", c.rcon.level)
	ts.srv.Execute("auth_change_p bob" + bob + "; auth_remove cat; auth_remove cat")
	testenv.Check(t, !c.rcon.authed, "bob is still logged in")
	login("bob", "bobpw")
	ts.srv.Execute("auth_remove bob")
	testenv.Check(t, !c.rcon.authed, "bob is still logged in")

	ts.log.Reset()
	ts.srv.Execute("auth_list; auth_add alice mod x; auth_add default_admin mod x; auth_add_p eve mod 00 00; auth_add_p eve mod " +
		hex.EncodeToString(hash[:]) + " 00; auth_change eve mod x; auth_add eve mod \"\"; auth_add \"\" mod x")
	if want := `[auth]: default_admin admin
[auth]: alice admin
[auth]: ident already exists
[auth]: ident already exists
[auth]: Malformed password hash: 32 hexadecimal digits
[auth]: Malformed salt hash: 16 hexadecimal digits
[auth]: ident couldn't be found
[auth]: a login needs a password
[auth]: the name of a login must have 1 to 63 bytes
`; ts.log.String() != want {
		t.Errorf("%s", ts.log.String())
	}

	// A moderator who may use the commands cannot grant more than the access of moderators.
	mod := console.Caller{Level: console.LevelMod, Flags: console.Server, ID: -1}
	ts.srv.Execute("mod_command auth_add 1; mod_command auth_change 1; mod_command auth_remove 1")
	for line, denied := range map[string]bool{"auth_add eve admin x": true, "auth_change alice mod x": true,
		"auth_remove alice": true, "auth_add fred mod x": false} {
		ts.srv.lines.execute(line, mod, func(warning string) {
			testenv.Check(t, strings.HasPrefix(warning, "access denied") == denied, "%s: %q", line, warning)
		})
	}
	login("alice", "new")
	c.runRcon("auth_add gina mod secretword")
	for i := range 1024 + 5 {
		ts.srv.Execute("auth_add l" + hex.EncodeToString([]byte{byte(i >> 8), byte(i)}) + " mod x")
	}
	ts.log.Reset()
	ts.srv.Execute("auth_list")
	testenv.Check(t, strings.Count(ts.log.String(), "\n") == 1+1024, "logins:\n%s", ts.log)
	ts.srv.Shutdown(ts.now, "")
	if audit := d.content("audit.jsonl"); strings.Contains(audit+ts.log.String(), "secretword") ||
		!strings.Contains(audit, `"account":"alice","addr":"127.0.0.1:1","command":"auth_add ***"`) {
		t.Errorf("the audit log has\n%s", audit)
	}
}

// TestPasswordsEndLogins checks that a new password of a level ends the logins with the old one,
// and no others.
func TestPasswordsEndLogins(t *testing.T) {
	ts := newTestServer(t, nil, "sv_rcon_password one; sv_rcon_mod_password two; auth_add alice admin pw")
	admin, mod, alice := ts.joinAs(client06DDNet, local(1), "admin"), ts.joinAs(client07, local(2), "mod"), ts.joinAs(client06DDNet, local(3), "alice")
	ts.session(admin).OnRconAuth("", "one")
	ts.session(mod).OnRconAuth("", "two")
	ts.session(alice).OnRconAuth("alice", "pw")
	for _, step := range []struct {
		line       string
		admin, mod bool
	}{
		{"sv_rcon_password one; sv_rcon_password; sv_rcon_helper_password three", true, true},
		{"sv_rcon_password new", false, true},
		{"sv_rcon_mod_password \"\"", false, false},
	} {
		ts.srv.Execute(step.line)
		ts.idle(4, admin, mod, alice)
		if a, m := ts.session(admin).rcon.authed, ts.session(mod).rcon.authed; a != step.admin || m != step.mod {
			t.Errorf("after %s: admin %v, moderator %v", step.line, a, m)
		}
	}
	testenv.Check(t, ts.session(alice).rcon.authed, "alice has to log in again")
	testenv.Check(t, slices.Contains(admin.RconLines, "Logged out by key update.") && slices.Contains(mod.RconLines, "Logged out by key removal."),
		"they read %q, %q", admin.RconLines, mod.RconLines)
	ts.session(admin).OnRconAuth("", "new")
	testenv.Check(t, ts.session(admin).rcon.authed, "the new password does not work")
}

// TestClientsAskForNames: clients of DDNet are told whether there are logins with names, as they
// join and when that changes.
func TestClientsAskForNames(t *testing.T) {
	ts := newTestServer(t, nil, "auth_add alice admin pw")
	p := ts.client(client06DDNet, local(1))
	var told []int32
	p.OnMessage = func(m testclient.Message) {
		if m, ok := m.(*msg6.RconType); ok {
			told = append(told, m.NameRequired)
		}
	}
	p.Dial().Connect().Join("p")
	ts.idle(4, p)
	ts.srv.Execute("auth_add bob admin pw; auth_remove alice")
	ts.idle(4, p)
	testenv.Check(t, slices.Equal(told, []int32{1}), "told %v", told)
	ts.srv.Execute("auth_remove bob; auth_add bob admin pw")
	ts.idle(4, p)
	testenv.Check(t, slices.Equal(told, []int32{1, 0, 1}), "told %v", told)
}

// TestLoginsOpenAServer checks that a server with logins generates no password.
func TestLoginsOpenAServer(t *testing.T) {
	ts := newTestServer(t, nil, "sv_rcon_password \"\"; auth_add alice admin pw")
	testenv.Check(t, ts.srv.access.Settings.RconPassword == "", "the password %q", ts.srv.access.Settings.RconPassword)
}
