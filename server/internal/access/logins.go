package access

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/subtle"
	"slices"

	"github.com/teeyard/teeyard/server/console"
)

const (
	maxLogins    = 1024
	maxLoginName = 63 // bytes
	maxPassword  = 31 // bytes, of the game or a level
	maxSentLogin = 32 // bytes of a name or password that clients send at most
)

// login is a login with a name, made by auth_add. Its password is known only by DDNet's hash, the
// form that auth_add_p takes. Logins stay in memory.
type login struct {
	name  string
	level console.Level
	salt  [8]byte
	hash  [md5.Size]byte // of the password and the salt
}

// hashPassword returns DDNet's hash of a password.
func hashPassword(password string, salt [8]byte) [md5.Size]byte {
	return md5.Sum(append([]byte(password), salt[:]...))
}

// has reports whether a password is the login's. Its time does not depend on the difference.
func (l *login) has(password string) bool {
	hash := hashPassword(password, l.salt)
	return subtle.ConstantTimeCompare(hash[:], l.hash[:]) == 1
}

// Logins is the logins to the remote console: the passwords of the levels, and DDNet's logins with
// names. Some clients send a name with the password. Without a name, the passwords of the levels
// count.
type Logins struct {
	host     Host
	settings *Settings
	named    []login
	// lastPasswords are the passwords of the levels as PasswordsChanged saw them last.
	lastPasswords [3]string
	namesExpected bool // the last value for Host.ExpectNames
}

// LevelPassword is the password of a level, "" for none.
type LevelPassword struct {
	Variable string // its name
	Login    string // its name as a login in DDNet
	Password string
	Level    console.Level
}

// LevelPasswords returns the passwords of all levels.
func (l *Logins) LevelPasswords() [3]LevelPassword {
	v := l.settings
	return [...]LevelPassword{
		{"sv_rcon_password", "default_admin", v.RconPassword, console.LevelAdmin},
		{"sv_rcon_mod_password", "default_mod", v.RconModPassword, console.LevelMod},
		{"sv_rcon_helper_password", "default_helper", v.RconHelperPassword, console.LevelHelper},
	}
}

// IsOfLevel reports whether a login stands for a level's password.
func IsOfLevel(login string) bool {
	return login == "default_admin" || login == "default_mod" || login == "default_helper"
}

// levelPassword returns the password of a level that is set and has a name as a login, or nil.
func (l *Logins) levelPassword(name string) *LevelPassword {
	for _, p := range l.LevelPasswords() {
		if p.Login == name && p.Password != "" {
			return &p
		}
	}
	return nil
}

// index returns the index of the login with a name, or -1.
func (l *Logins) index(name string) int {
	return slices.IndexFunc(l.named, func(x login) bool { return x.name == name })
}

// Any reports whether there is a password or login at all.
func (l *Logins) Any() bool { return l.AnyOfLevel() || len(l.named) > 0 }

// AnyOfLevel reports whether a password without a name can open the remote console.
func (l *Logins) AnyOfLevel() bool {
	v := l.settings
	return v.RconPassword != "" || v.RconModPassword != "" || v.RconHelperPassword != "" ||
		slices.ContainsFunc(l.named, func(x login) bool { return IsOfLevel(x.name) })
}

// ExpectNames reports whether there are logins with names besides the passwords of the levels.
// DDNet's clients ask for a name then.
func (l *Logins) ExpectNames() bool {
	return slices.ContainsFunc(l.named, func(x login) bool { return !IsOfLevel(x.name) })
}

// Check returns the login and the level that a name and a password open. The name may be "".
func (l *Logins) Check(name, password string) (opened string, level console.Level, right bool) {
	if name == "" {
		return l.checkLevels(password)
	}
	if p := l.levelPassword(name); p != nil {
		return p.Login, p.Level, equalPasswords(password, p.Password)
	}
	x, i := &login{}, l.index(name) // so that guesses of names take as long
	if i >= 0 {
		x = &l.named[i]
	}
	return x.name, x.level, x.has(password) && i >= 0
}

// checkLevels is Check for a password without a name.
func (l *Logins) checkLevels(password string) (opened string, level console.Level, right bool) {
	for _, p := range l.LevelPasswords() {
		if p.Password != "" && equalPasswords(password, p.Password) {
			return p.Login, p.Level, true
		}
	}
	for i := range l.named { // instead of the password of a level, see changeLevelPassword
		if x := &l.named[i]; IsOfLevel(x.name) && x.has(password) {
			return x.name, x.level, true
		}
	}
	return "", 0, false
}

// Generate sets a random password for administrators and returns it. If a password or login exists,
// it returns "".
func (l *Logins) Generate() (password string) {
	if l.Any() {
		return ""
	}
	const letters = "abcdefghijkmnpqrstuvwxyz23456789" // 32, without those that look alike
	b := make([]byte, 13)                              // 65 bits
	rand.Read(b)                                       // never fails
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	l.settings.RconPassword = string(b)
	l.lastPasswords[console.LevelAdmin] = string(b)
	return string(b)
}

// PasswordsChanged logs out the operators with the password of a level that has changed, as
// DDNet-Server does: usually others have learned the password. Call it when the variable of such a
// password is set.
func (l *Logins) PasswordsChanged(call *console.Call) {
	for i, p := range l.LevelPasswords() {
		if p.Password == l.lastPasswords[i] {
			continue
		}
		l.lastPasswords[i] = p.Password
		if x := l.index(p.Login); x >= 0 && p.Password != "" {
			l.named = slices.Delete(l.named, x, x+1) // see changeLevelPassword
		}
		reason := "key update"
		if p.Password == "" {
			reason = "key removal"
		}
		l.logOut(call, p.Login, reason)
	}
}

// logOut logs out the operators with a login.
func (l *Logins) logOut(call *console.Call, login, reason string) {
	for c := range l.host.Clients() {
		if c.Operator && c.Login == login {
			l.host.Logout(c.ID, call.Caller, reason)
		}
	}
}

// tellNames tells the clients whether there are logins with names, if that has changed.
func (l *Logins) tellNames() {
	if names := l.ExpectNames(); names != l.namesExpected {
		l.namesExpected = names
		l.host.ExpectNames(names)
	}
}
