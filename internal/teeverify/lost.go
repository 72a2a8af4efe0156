package teeverify

import (
	"slices"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/ddrace"
)

const (
	// maxSearched is the number of lost tees after which searches are limited: a difference that
	// follows an unknown command is no longer searched, because searches are slow.
	maxSearched = 20
	// maxLost is the number of lost tees after which the verification gives up.
	maxLost = 1000
)

// lose handles a difference that an unknown command may explain. It goes back to before the
// difference and marks the tee as lost, so that the tee follows the recording instead of the
// simulation. It reports false if there was no such command.
func (t *match) lose(d *Difference) bool {
	if d.cause == "" || len(t.res.Lost) >= maxLost {
		return false
	}
	t.res.Lost = append(t.res.Lost, Lost{Tick: d.Tick, Client: d.Client, Cause: d.cause, Since: d.since})
	t.back(t.before(d.Tick))
	return true
}

// isLost reports whether a tee becomes lost in this tick.
func (t *match) isLost(id int) bool {
	if t.cfg.NoSearch && t.cause != "" && len(t.res.Lost) < maxLost {
		t.res.Lost = append(t.res.Lost, Lost{t.world.Tick(), id, t.cause, t.causeTick})
		return true
	}
	return slices.ContainsFunc(t.res.Lost, func(l Lost) bool { return l.Tick == t.world.Tick() && l.Client == id })
}

// spawned reports whether a tee spawned in this tick.
func spawned(events []ddrace.Event, id int) bool {
	return slices.ContainsFunc(events, func(e ddrace.Event) bool { return e.Kind == ddrace.EventSpawn && int(e.Tee) == id })
}

// lead moves a lost tee to its recorded position. At its next spawn, if that is in the recorded
// position, the tee is compared again.
func (t *match) lead(id int, want *teehistorian.Point, spawned bool) {
	c, tee := &t.clients[id], t.world.AliveTee(id)
	if c.lost && spawned {
		c.lost = false
		t.res.TeeTicks++
		return
	}
	c.lost = true
	if want == nil {
		t.world.Die(id, ddrace.WeaponGame)
		return
	}
	t.res.NotCompared++
	if tee != nil {
		put(tee, *want)
	}
}
