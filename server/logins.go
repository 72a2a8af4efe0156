package server

import (
	"crypto/md5"
	crand "crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// Operators of DDNet have logins to the remote console with names: auth_add. Some clients send a name with the
// password; without one, the passwords of the levels count.

// rconLogin is such a login. Of its password there is only DDNet's hash, as auth_add_p takes it. It stays in memory.
type rconLogin struct {
	name  string
	level console.Level
	salt  [8]byte
	hash  [md5.Size]byte // of the password and the salt
}

const (
	maxRconLogins    = 1024
	maxRconLoginName = 63 // bytes
	maxLevelPassword = 31 // bytes, of sv_rcon_password and so on
	maxSentLogin     = 32 // bytes of a name or password that clients send at most
)

// hashRconPassword returns DDNet's hash of a password.
func hashRconPassword(password string, salt [8]byte) [md5.Size]byte {
	return md5.Sum(append([]byte(password), salt[:]...))
}

// has reports whether a password is that of the login. Its time does not depend on what is wrong.
func (l *rconLogin) has(password string) bool {
	hash := hashRconPassword(password, l.salt)
	return subtle.ConstantTimeCompare(hash[:], l.hash[:]) == 1
}

// loginCommands are DDNet's commands for logins.
func (s *Server) loginCommands() []console.Command {
	const lasting, secret = console.Server | console.Lasting, console.Server | console.Lasting | console.Secret
	return []console.Command{
		{Name: "auth_add", Params: "s[ident] s[level] r[pw]", Help: "Add a named login for the remote console (levels: admin, moderator, helper)", Flags: secret, Run: s.cmdAuthAdd},
		{Name: "auth_add_p", Params: "s[ident] s[level] s[hash] s[salt]", Help: "Add a login by the hash and salt of its password", Flags: secret, Run: s.cmdAuthAdd},
		{Name: "auth_change", Params: "s[ident] s[level] r[pw]", Help: "Change level and password of a login", Flags: secret, Run: s.cmdAuthChange},
		{Name: "auth_change_p", Params: "s[ident] s[level] s[hash] s[salt]", Help: "Change level and password of a login, by the hash and salt of the password", Flags: secret, Run: s.cmdAuthChange},
		{Name: "auth_remove", Params: "s[ident]", Help: "Remove a login", Flags: lasting, Run: s.cmdAuthRemove},
		{Name: "auth_list", Help: "List the logins to the remote console", Flags: console.Server, Run: s.cmdAuthList},
	}
}

// loginArgs returns the login that the arguments describe. It prints what is wrong if it is nil.
func loginArgs(call *console.Call) *rconLogin {
	l := &rconLogin{name: call.Arg(0)}
	switch level := strings.ToLower(call.Arg(1)); {
	case level == "admin":
		l.level = console.LevelAdmin
	case strings.HasPrefix(level, "mod"):
		l.level = console.LevelMod
	case level == "helper":
		l.level = console.LevelHelper
	default:
		call.Warn("auth", `level can be one of {"admin", "mod(erator)", "helper"}`)
		return nil
	}
	if l.name == "" || len(l.name) > maxRconLoginName {
		call.Warn("auth", "the name of a login must have 1 to %d bytes", maxRconLoginName)
		return nil
	}
	if n := len(l.name); n > maxSentLogin {
		call.Warn("auth", "%s: the name has %d bytes; clients send at most %d", l.name, n, maxSentLogin)
	}
	if !strings.HasSuffix(call.Name, "_p") {
		if call.Arg(2) == "" {
			call.Warn("auth", "a login needs a password")
			return nil
		}
		crand.Read(l.salt[:]) // never fails
		l.hash = hashRconPassword(call.Arg(2), l.salt)
		if n := len(call.Arg(2)); n > maxSentLogin {
			call.Warn("auth", "%s: the password has %d bytes; clients send at most %d", l.name, n, maxSentLogin)
		}
		return l
	}
	if !decodeHex(l.hash[:], call.Arg(2)) {
		call.Warn("auth", "Malformed password hash: %d hexadecimal digits", 2*len(l.hash))
		return nil
	}
	if !decodeHex(l.salt[:], call.Arg(3)) {
		call.Warn("auth", "Malformed salt hash: %d hexadecimal digits", 2*len(l.salt))
		return nil
	}
	return l
}

// decodeHex decodes as many bytes as there are in dst.
func decodeHex(dst []byte, text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && copy(dst, b) == len(dst) && len(b) == len(dst)
}

// findLogin returns the index of the login of a name, -1 if there is none.
func (s *Server) findLogin(name string) int {
	return slices.IndexFunc(s.logins, func(l rconLogin) bool { return l.name == name })
}

// mayHandle reports whether an operator may make or change logins of a level, and says so if not: nobody
// gets more access than they have.
func mayHandle(call *console.Call, level console.Level) bool {
	if level < call.Caller.Level {
		call.Warn("auth", "access denied: logins of level %s need an operator of that level or above", level)
		return false
	}
	return true
}

func (s *Server) cmdAuthAdd(call *console.Call) {
	l := loginArgs(call)
	if l == nil || !mayHandle(call, l.level) {
		return
	}
	i := s.findLogin(l.name)
	switch {
	case i >= 0 && call.Console.Reloading():
		if old := &s.logins[i]; old.level == l.level && (old.salt == l.salt && old.hash == l.hash || call.Name == "auth_add" && old.has(call.Arg(2))) {
			return
		}
		s.changeLogin(call, i, l)
	case i >= 0 || s.levelPassword(l.name) != nil:
		call.Warn("auth", "ident already exists")
	case len(s.logins) == maxRconLogins:
		call.Warn("auth", "there are already %d logins; no more are possible", maxRconLogins)
	default:
		s.logins = append(s.logins, *l)
		call.Print("auth", "key added")
		s.sendRconTypes()
	}
}

// changeLogin changes a login. Who is in with it has to log in again.
func (s *Server) changeLogin(call *console.Call, i int, to *rconLogin) {
	s.logins[i] = *to
	s.endLogins(call, to.name, "key update")
	call.Print("auth", "key updated")
}

func (s *Server) cmdAuthChange(call *console.Call) {
	i, p := s.findLogin(call.Arg(0)), s.levelPassword(call.Arg(0))
	if i < 0 && p == nil {
		call.Warn("auth", "ident couldn't be found")
		return
	}
	l := loginArgs(call)
	switch {
	case l == nil:
	case p != nil:
		if mayHandle(call, min(l.level, p.level)) {
			s.changeLevelPassword(call, p, l)
		}
	case mayHandle(call, min(l.level, s.logins[i].level)):
		s.changeLogin(call, i, l)
	}
}

// changeLevelPassword changes the password of a level. One of which only the hash is known, or that is to give another
// level, becomes a login of the same name.
func (s *Server) changeLevelPassword(call *console.Call, p *rconPassword, to *rconLogin) {
	password := call.Arg(2)
	isPlain := to.level == p.level && !strings.HasSuffix(call.Name, "_p") && len(password) <= maxLevelPassword
	if !isPlain {
		password = ""
	}
	s.setLevelPassword(p, password)
	if !isPlain {
		s.logins = slices.DeleteFunc(s.logins, func(l rconLogin) bool { return l.name == p.key })
		s.logins = append(s.logins, *to)
	}
	s.endLogins(call, p.key, "key update")
	call.Print("auth", "key updated")
}

// setLevelPassword sets the variable with the password of a level. Those who are logged in with it stay.
func (s *Server) setLevelPassword(p *rconPassword, password string) {
	s.levelPasswords[p.level] = password
	s.console.Execute(p.name+" "+console.Quote(password), console.Operator)
}

func (s *Server) cmdAuthRemove(call *console.Call) {
	name := call.Arg(0)
	i, p := s.findLogin(name), s.levelPassword(name)
	switch {
	case i < 0 && p == nil:
		call.Warn("auth", "ident couldn't be found")
		return
	case p != nil:
		if !mayHandle(call, p.level) {
			return
		}
		s.setLevelPassword(p, "")
	case !mayHandle(call, s.logins[i].level):
		return
	default:
		s.logins = slices.Delete(s.logins, i, i+1)
	}
	s.endLogins(call, name, "key removal")
	call.Print("auth", "key removed, all users logged out")
	s.sendRconTypes()
}

func (s *Server) cmdAuthList(call *console.Call) {
	for _, p := range s.rconPasswords() {
		if p.password != "" {
			call.Print("auth", "%s %s", p.key, p.level)
		} else if i := s.findLogin(p.key); i >= 0 {
			call.Print("auth", "%s %s", p.key, s.logins[i].level)
		}
	}
	for i := range s.logins {
		if l := &s.logins[i]; !s.isLevelKey(l.name) {
			call.Print("auth", "%s %s", l.name, l.level)
		}
	}
}

// endLogins logs out who is logged in with a name.
func (s *Server) endLogins(call *console.Call, name, reason string) {
	for _, c := range s.sessions {
		if c != nil && c.rcon.authed && c.rcon.key == name {
			c.logout(call.Caller, reason)
		}
	}
}

// endLevelLogins logs out who is logged in with the password of a level that has changed, as DDNet-Server
// does: mostly it has become known to others.
func (s *Server) endLevelLogins(call *console.Call) {
	for i, p := range s.rconPasswords() {
		if p.password == s.levelPasswords[i] {
			continue
		}
		s.levelPasswords[i] = p.password
		if l := s.findLogin(p.key); l >= 0 && p.password != "" {
			s.logins = slices.Delete(s.logins, l, l+1) // see changeLevelPassword
		}
		reason := "key update"
		if p.password == "" {
			reason = "key removal"
		}
		s.endLogins(call, p.key, reason)
	}
}

// hasNamedLogins reports whether there are logins with names, for which clients of DDNet ask, besides the passwords of
// the levels.
func (s *Server) hasNamedLogins() bool {
	return slices.ContainsFunc(s.logins, func(l rconLogin) bool { return !s.isLevelKey(l.name) })
}

// sendRconTypes tells all clients whether there are logins with names, if that has changed.
func (s *Server) sendRconTypes() {
	named := s.hasNamedLogins()
	if named == s.namedLogins {
		return
	}
	s.namedLogins = named
	for _, c := range s.sessions {
		if c != nil && c.state > stateAuth {
			c.bridge.SendRconType(named)
		}
	}
}

// loginLevel returns the access to the remote console that a name and a password give, and as whose.
func (s *Server) loginLevel(name, password string) (key string, level console.Level, right bool) {
	if name == "" {
		return s.rconLevel(password)
	}
	if p := s.levelPassword(name); p != nil {
		return p.key, p.level, equalPasswords(password, p.password)
	}
	nobody := rconLogin{}
	l := &nobody // so that guesses of names take as long
	if i := s.findLogin(name); i >= 0 {
		l = &s.logins[i]
	}
	return l.name, l.level, l.has(password) && l != &nobody
}

// levelPassword returns the password of a level that has a name in DDNet, nil if there is none.
func (s *Server) levelPassword(name string) *rconPassword {
	for _, p := range s.rconPasswords() {
		if p.key == name && p.password != "" {
			return &p
		}
	}
	return nil
}

// isLevelKey reports whether the password of a level has a name, if there is one.
func (s *Server) isLevelKey(name string) bool {
	list := s.rconPasswords()
	return slices.ContainsFunc(list[:], func(p rconPassword) bool { return p.key == name })
}

// account returns the name with which an operator has logged in, "" if it was the password of the level.
func (c *session) account() string {
	if !c.rcon.authed || c.server.isLevelKey(c.rcon.key) {
		return ""
	}
	return safetext.Line(c.rcon.key)
}

// accountSuffix returns the end of log lines about an operator who has logged in with a name.
func (c *session) accountSuffix() string {
	if name := c.account(); name != "" {
		return fmt.Sprintf(" key=%s", logline.Quote(name))
	}
	return ""
}
