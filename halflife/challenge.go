package halflife

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"github.com/teeyard/teeyard/halflife/internal/cookie"
	"github.com/teeyard/teeyard/internal/limit"
)

// Rate is how much is allowed per second, and how much at once. The unit depends on
// what it limits. Zeros stand for the default.
type Rate struct {
	PerSecond float64
	Burst     float64
}

// orDefault returns r with the values of standard for zeros.
func (r Rate) orDefault(standard Rate) limit.Rate {
	return limit.Rate{PerSecond: cmp.Or(r.PerSecond, standard.PerSecond), Burst: cmp.Or(r.Burst, standard.Burst)}
}

// limitSize is the size of limiters and sets, in addresses or networks.
const limitSize = 4096

// The kinds of challenges. Programs request one once and keep it: for the queries of a
// list with A2S, until they exit with rcon.
var (
	a2sChallenge   = cookie.Kind{ID: 'a', Window: time.Minute, Value: a2sChallengeFrom}
	rconChallenges = cookie.Kind{ID: 'r', Window: time.Hour, Value: rconChallengeFrom}
)

// a2sChallengeFrom makes a challenge of random bits, other than the values that stand
// for none.
func a2sChallengeFrom(raw uint64) uint32 {
	if c := uint32(raw); c != 0 && c != NoChallenge {
		return c
	}
	return 0x5eed
}

// rconChallengeFrom makes a challenge of random bits, in the range that all programs
// support.
func rconChallengeFrom(raw uint64) uint32 {
	return minRconChallenge + uint32(raw%(maxRconChallenge-minRconChallenge+1))
}

// containsAddr reports whether one of the networks contains an address.
func containsAddr(nets []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(nets, func(n netip.Prefix) bool { return n.Contains(a.WithZone("")) })
}
