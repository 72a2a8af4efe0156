package access

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/server/console"
)

// commands are DDNet's commands for logins.
func (l *Logins) commands() []console.Command {
	const lasting, secret = console.Server | console.Lasting, console.Server | console.Lasting | console.Secret
	return []console.Command{
		{Name: "auth_add", Params: "s[ident] s[level] r[pw]",
			Help: "Add a named login for the remote console (levels: admin, moderator, helper)", Flags: secret, Run: l.cmdAdd},
		{Name: "auth_add_p", Params: "s[ident] s[level] s[hash] s[salt]",
			Help: "Add a login by the hash and salt of its password", Flags: secret, Run: l.cmdAdd},
		{Name: "auth_change", Params: "s[ident] s[level] r[pw]", Help: "Change level and password of a login", Flags: secret, Run: l.cmdChange},
		{Name: "auth_change_p", Params: "s[ident] s[level] s[hash] s[salt]",
			Help: "Change level and password of a login, by the hash and salt of the password", Flags: secret, Run: l.cmdChange},
		{Name: "auth_remove", Params: "s[ident]", Help: "Remove a login", Flags: lasting, Run: l.cmdRemove},
		{Name: "auth_list", Help: "List the logins to the remote console", Flags: console.Server, Run: l.cmdList},
	}
}

// loginArgs returns the login that the arguments describe. If they describe none, it returns nil
// and warns.
func loginArgs(call *console.Call) *login {
	l := &login{name: call.Arg(0)}
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
	if l.name == "" || len(l.name) > maxLoginName {
		call.Warn("auth", "the name of a login must have 1 to %d bytes", maxLoginName)
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
		rand.Read(l.salt[:]) // never fails
		l.hash = hashPassword(call.Arg(2), l.salt)
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

// decodeHex decodes exactly as many bytes as dst has.
func decodeHex(dst []byte, text string) bool {
	b, err := hex.DecodeString(text)
	return err == nil && copy(dst, b) == len(dst) && len(b) == len(dst)
}

// mayHandle reports whether an operator may make or change logins of a level, and warns if not. No
// operator can give more access than the operator's own.
func mayHandle(call *console.Call, level console.Level) bool {
	if level < call.Caller.Level {
		call.Warn("auth", "access denied: logins of level %s need an operator of that level or above", level)
		return false
	}
	return true
}

func (l *Logins) cmdAdd(call *console.Call) {
	x := loginArgs(call)
	if x == nil || !mayHandle(call, x.level) {
		return
	}
	i := l.index(x.name)
	switch {
	case i >= 0 && call.Console.Reloading():
		if old := &l.named[i]; old.level == x.level && (old.salt == x.salt && old.hash == x.hash || call.Name == "auth_add" && old.has(call.Arg(2))) {
			return
		}
		l.changeLogin(call, i, x)
	case i >= 0 || l.levelPassword(x.name) != nil:
		call.Warn("auth", "ident already exists")
	case len(l.named) == maxLogins:
		call.Warn("auth", "there are already %d logins; no more are possible", maxLogins)
	default:
		l.named = append(l.named, *x)
		call.Print("auth", "key added")
		l.tellNames()
	}
}

// changeLogin changes a login. Operators with it must log in again.
func (l *Logins) changeLogin(call *console.Call, i int, to *login) {
	l.named[i] = *to
	l.logOut(call, to.name, "key update")
	call.Print("auth", "key updated")
}

func (l *Logins) cmdChange(call *console.Call) {
	i, p := l.index(call.Arg(0)), l.levelPassword(call.Arg(0))
	if i < 0 && p == nil {
		call.Warn("auth", "ident couldn't be found")
		return
	}
	x := loginArgs(call)
	switch {
	case x == nil:
	case p != nil:
		if mayHandle(call, min(x.level, p.Level)) {
			l.changeLevelPassword(call, p, x)
		}
	case mayHandle(call, min(x.level, l.named[i].level)):
		l.changeLogin(call, i, x)
	}
}

// changeLevelPassword changes the password of a level. It becomes a login with the same name if
// only the hash of the new password is known, or if the login gets another level.
func (l *Logins) changeLevelPassword(call *console.Call, p *LevelPassword, to *login) {
	password := call.Arg(2)
	isPlain := to.level == p.Level && !strings.HasSuffix(call.Name, "_p") && len(password) <= maxPassword
	if !isPlain {
		password = ""
	}
	l.setLevelPassword(call, p, password)
	if !isPlain {
		l.named = slices.DeleteFunc(l.named, func(x login) bool { return x.name == p.Login })
		l.named = append(l.named, *to)
	}
	l.logOut(call, p.Login, "key update")
	call.Print("auth", "key updated")
}

// setLevelPassword sets the variable with the password of a level. Operators with it stay logged
// in.
func (l *Logins) setLevelPassword(call *console.Call, p *LevelPassword, password string) {
	l.lastPasswords[p.Level] = password
	call.Console.Execute(p.Variable+" "+console.Quote(password), console.Operator)
}

func (l *Logins) cmdRemove(call *console.Call) {
	name := call.Arg(0)
	i, p := l.index(name), l.levelPassword(name)
	switch {
	case i < 0 && p == nil:
		call.Warn("auth", "ident couldn't be found")
		return
	case p != nil:
		if !mayHandle(call, p.Level) {
			return
		}
		l.setLevelPassword(call, p, "")
	case !mayHandle(call, l.named[i].level):
		return
	default:
		l.named = slices.Delete(l.named, i, i+1)
	}
	l.logOut(call, name, "key removal")
	call.Print("auth", "key removed, all users logged out")
	l.tellNames()
}

func (l *Logins) cmdList(call *console.Call) {
	for _, p := range l.LevelPasswords() {
		if p.Password != "" {
			call.Print("auth", "%s %s", p.Login, p.Level)
		} else if i := l.index(p.Login); i >= 0 {
			call.Print("auth", "%s %s", p.Login, l.named[i].level)
		}
	}
	for i := range l.named {
		if x := &l.named[i]; !IsOfLevel(x.name) {
			call.Print("auth", "%s %s", x.name, x.level)
		}
	}
}
