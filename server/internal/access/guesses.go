package access

import (
	"crypto/subtle"
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/conn"
)

// GuessRate is for the wrong passwords of all addresses together, for each password; see
// limit.Guesses.
var GuessRate = limit.Rate{PerSecond: 10, Burst: 50}

const (
	// rconForgetTime is the time without a wrong password after which a person's wrong passwords
	// are forgotten.
	rconForgetTime = 10 * time.Minute
	// operatorTime and guestTime are how long persons who knew the password of the remote console
	// or of the game have tries of their own.
	operatorTime = 30 * 24 * time.Hour
	guestTime    = 7 * 24 * time.Hour
	// The sizes of tables, in addresses or networks.
	passwordsTracked = 1024
	operatorsTracked = 64
	guestsTracked    = 4096
)

// TooManyTries is the reason of a ban for wrong passwords of the remote console.
const TooManyTries = "Too many remote console authentication tries"

// Clients get these texts about their passwords.
const (
	// TooManyGuesses is about a password that is not checked, because others have tried too many.
	TooManyGuesses = "Too many wrong passwords, wait a moment"
	WrongPassword  = "Wrong password"
)

// Guesses limits wrong passwords of the game and of the remote console, per person and of all
// together.
type Guesses struct {
	// Rcon limits wrong passwords of the remote console, and Game wrong passwords of the game.
	Rcon, Game *limit.Guesses
	settings   *Settings
	failed     *limit.Failures // of the remote console, by person
	bans       *Bans
}

func newGuesses(s *Settings, b *Bans) *Guesses {
	failed := limit.NewFailures(passwordsTracked, rconForgetTime)
	failed.Renew = true
	return &Guesses{
		Rcon:     limit.NewGuesses(GuessRate, operatorsTracked, operatorTime),
		Game:     limit.NewGuesses(GuessRate, guestsTracked, guestTime),
		settings: s, failed: failed, bans: b,
	}
}

// TryGame checks a password of the game from an address. Proven says that datagrams from the
// address cannot be forged. It returns "", TooManyGuesses or WrongPassword.
func (g *Guesses) TryGame(now conn.Time, a netip.Addr, proven bool, password string) (refusal string) {
	switch want := g.settings.Password; {
	case want == "":
	case !g.Game.Allow(int64(now), a, proven):
		return TooManyGuesses
	case !equalPasswords(password, want):
		g.Game.Wrong(int64(now), a, proven)
		return WrongPassword
	default:
		g.Game.Right(int64(now), a, proven)
	}
	return ""
}

// MayTryRcon reports whether a password of the remote console may be checked now.
func (g *Guesses) MayTryRcon(now conn.Time, a netip.Addr, proven bool) bool {
	return g.Rcon.Allow(int64(now), a, proven)
}

// RightRcon forgets the wrong passwords that came from an address.
func (g *Guesses) RightRcon(now conn.Time, a netip.Addr, proven bool) {
	g.failed.Forget(limit.Person(a))
	g.Rcon.Right(int64(now), a, proven)
}

// WrongRcon counts a wrong password of the remote console. It returns the number of the person's
// wrong passwords, or 0 if any number of them is allowed. If these are too many and the address is
// proven, it bans the person and returns the ban.
func (g *Guesses) WrongRcon(now conn.Time, a netip.Addr, proven bool) (tries int, ban *bans.Ban) {
	g.Rcon.Wrong(int64(now), a, proven)
	most, minutes := g.settings.RconMaxTries, g.settings.RconBanTime
	if most <= 0 || isLocalhost(a) {
		return 0, nil
	}
	person := limit.Person(a)
	if tries = g.failed.Add(int64(now), person); tries < most || minutes <= 0 || !proven {
		return tries, nil
	}
	b, err := g.bans.AddForNow(a, time.Duration(minutes)*time.Minute, TooManyTries)
	if err != nil {
		return tries, nil
	}
	g.failed.Forget(person)
	return tries, &b
}

// equalPasswords reports whether passwords are equal, in constant time.
func equalPasswords(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
