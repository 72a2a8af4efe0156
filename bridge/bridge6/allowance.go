package bridge6

import "github.com/teeyard/teeyard/game"

// rate is how much of something a client may have: a burst at once, and one more
// each so many ticks.
type rate struct{ burst, ticks int32 }

// The session limits what becomes a command. These are for what the host does by
// itself: to look for who is meant by a name, and to answer.
var (
	// replyRate is for whispers, and for answers to what cannot be done.
	replyRate = rate{16, 10}
	// changeRate is for looks: DDNet's client repeats what was not heard.
	changeRate = rate{4, game.TickRate}
)

// allowance is what is left of a rate: the tick at which it would be whole again.
type allowance int32

// take takes one, if there is one. Without a world there is none.
func (a *allowance) take(w *game.World, r rate) bool {
	if w == nil {
		return false
	}
	whole := max(int32(*a), w.Tick())
	if whole-w.Tick() > (r.burst-1)*r.ticks {
		return false
	}
	*a = allowance(whole + r.ticks)
	return true
}
