package access_test

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
)

// TestLevelPasswordsAsLogins checks that all logins of auth_list can be changed and removed, as on
// DDNet-Server.
func TestLevelPasswordsAsLogins(t *testing.T) {
	salt := []byte("\x00\x11\x22\x33\x44\x55\x66\x77")
	hash := md5.Sum(append([]byte("hashed"), salt...))
	hashed := hex.EncodeToString(hash[:]) + " " + hex.EncodeToString(salt)
	long := strings.Repeat("p", 40)
	h := newTestHost(t, access.Config{})
	h.run("sv_rcon_password one; sv_rcon_mod_password two; auth_add alice admin pw")
	for _, step := range []struct {
		line, says string
		list       []string
		logins     map[string]string // "name password": level
	}{
		{"auth_change default_admin admin new", "key updated", []string{"default_admin admin", "default_mod moderator", "alice admin"},
			map[string]string{" one": "", " new": "admin", "default_admin new": "admin", " two": "moderator"}},
		{"auth_change default_admin admin " + long, "key updated", []string{"default_mod moderator", "default_admin admin", "alice admin"},
			map[string]string{" new": "", " " + long: "admin", "default_admin " + long: "admin"}},
		{"auth_change_p default_admin admin " + hashed, "key updated", []string{"default_mod moderator", "default_admin admin", "alice admin"},
			map[string]string{" " + long: "", " hashed": "admin"}},
		{"auth_change default_mod helper low", "key updated", []string{"default_mod helper", "default_admin admin", "alice admin"},
			map[string]string{" two": "", " low": "helper", "default_mod low": "helper"}},
		{"auth_change_p default_mod mod " + hashed, "key updated", []string{"default_mod moderator", "default_admin admin", "alice admin"},
			map[string]string{"default_mod hashed": "moderator", " hashed": "admin"}},
		{"auth_add default_mod mod x", "ident already exists", []string{"default_mod moderator", "default_admin admin", "alice admin"}, nil},
		{"auth_remove default_mod", "key removed, all users logged out", []string{"default_admin admin", "alice admin"},
			map[string]string{"default_mod hashed": ""}},
		{"auth_remove default_mod", "ident couldn't be found", []string{"default_admin admin", "alice admin"}, nil},
		{"sv_rcon_password again", "", []string{"default_admin admin", "alice admin"}, map[string]string{" hashed": "", " again": "admin"}},
		{"auth_remove default_admin", "key removed, all users logged out", []string{"alice admin"}, map[string]string{" again": "", "alice pw": "admin"}},
		{"auth_add default_admin admin back", "key added", []string{"default_admin admin", "alice admin"},
			map[string]string{" back": "admin", "default_admin back": "admin"}},
	} {
		log := h.run(step.line)
		testenv.Check(t, strings.HasSuffix(strings.TrimSpace(log), step.says), "%s: %s", step.line, log)
		var got []string
		for line := range strings.Lines(h.run("auth_list")) {
			got = append(got, strings.TrimPrefix(strings.TrimSpace(line), "[auth]: "))
		}
		slices.Sort(got)
		slices.Sort(step.list)
		testenv.Check(t, slices.Equal(got, step.list), "%s: the list is %q", step.line, got)
		for login, level := range step.logins {
			name, password, _ := strings.Cut(login, " ")
			got := ""
			if _, l, right := h.Logins.Check(name, password); right {
				got = l.String()
			}
			testenv.Check(t, got == level, "%s: %q opens level %q", step.line, login, got)
		}
	}
	testenv.Check(t, h.Settings.RconPassword == "", "sv_rcon_password is kept")
	testenv.Check(t, h.Logins.AnyOfLevel() && h.Logins.Any() && h.Logins.Generate() == "", "there is no login")
}

// TestChangesLogOut checks that operators with a login that changes are logged out, and no others.
func TestChangesLogOut(t *testing.T) {
	h := newTestHost(t, access.Config{})
	h.run("sv_rcon_password one; sv_rcon_mod_password two; auth_add alice admin pw")
	h.clients = append(h.clients, access.Client{ID: 9, Operator: true, Login: "alice"})
	h.takeTold()
	for _, step := range []struct {
		line string
		told string
	}{
		{"sv_rcon_password one", ""},
		{"sv_rcon_password new", "logout 0: key update"},
		{`sv_rcon_mod_password ""`, "logout 1: key removal"},
		{"auth_change default_admin admin two", "logout 0: key update"},
		{"auth_change default_admin mod two", "logout 0: key update"},
		{"auth_remove default_admin", "logout 0: key removal"},
		{"auth_change alice mod pw2", "logout 9: key update"},
		{"auth_add bob helper pw", ""},
		{"auth_remove bob", ""},
		{"auth_remove alice", "logout 9: key removal; names false"},
		{"auth_add bob helper pw", "names true"},
	} {
		h.run(step.line)
		told := strings.Join(h.takeTold(), "; ")
		testenv.Check(t, told == step.told, "%s: %s", step.line, told)
	}
}

// TestGeneratedPassword checks that a server without a password gets one that opens it.
func TestGeneratedPassword(t *testing.T) {
	h := newTestHost(t, access.Config{})
	testenv.Check(t, !h.Logins.Any(), "there is a login")
	password := h.Logins.Generate()
	login, level, right := h.Logins.Check("", password)
	testenv.Check(t, len(password) == 13 && right && level == console.LevelAdmin && login == "default_admin",
		"%q opens %q, %v, %v", password, login, level, right)
	testenv.Check(t, h.Logins.Generate() == "", "there are two passwords")
	_, _, right = h.Logins.Check("", "")
	testenv.Check(t, !right, "an empty password opens the server")
}

// TestLoginsAreBounded checks that there is a limit for logins.
func TestLoginsAreBounded(t *testing.T) {
	h := newTestHost(t, access.Config{})
	for i := range 1024 {
		log := h.run(fmt.Sprintf("auth_add l%d helper x", i))
		testenv.Require(t, log == "[auth]: key added\n", "login %d: %s", i, log)
	}
	log := h.run("auth_add another helper x")
	testenv.Check(t, strings.Contains(log, "there are already 1024 logins"), "%s", log)
}
