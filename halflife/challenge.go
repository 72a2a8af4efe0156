package halflife

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"github.com/teeyard/teeyard/halflife/internal/cookie"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/limit"
)

// Rate is a token bucket: PerSecond units are added each second, up to Burst units. The field that
// uses it names the unit. Zero fields mean the default.
type Rate struct {
	PerSecond float64
	Burst     float64
}

// orDefault returns r with zero fields replaced by the fields of standard.
func (r Rate) orDefault(standard Rate) limit.Rate {
	return limit.Rate{PerSecond: cmp.Or(r.PerSecond, standard.PerSecond), Burst: cmp.Or(r.Burst, standard.Burst)}
}

// limitSize is the capacity of limiters and sets, in addresses or networks.
const limitSize = 4096

// a2sChallenge and rconChallenges are valid for at least a minute and an hour. Client programs
// reuse a challenge: with A2S for all servers of a list, with rcon until the program exits.
var (
	a2sChallenge   = cookie.Kind{ID: 'a', Window: time.Minute, Value: a2sChallengeFrom}
	rconChallenges = cookie.Kind{ID: 'r', Window: time.Hour, Value: rconChallengeFrom}
)

// a2sChallengeFrom derives a challenge from random bits. The challenge is never 0 or
// wire.NoChallenge, since both stand for a missing challenge.
func a2sChallengeFrom(raw uint64) uint32 {
	if c := uint32(raw); c != 0 && c != wire.NoChallenge {
		return c
	}
	return 0x5eed
}

// rconChallengeFrom derives a challenge from random bits, in the range that all client programs
// accept.
func rconChallengeFrom(raw uint64) uint32 {
	return wire.MinRconChallenge + uint32(raw%(wire.MaxRconChallenge-wire.MinRconChallenge+1))
}

// containsAddr reports whether one of the networks contains the address.
func containsAddr(nets []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(nets, func(n netip.Prefix) bool { return n.Contains(a.WithZone("")) })
}
