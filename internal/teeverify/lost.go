package teeverify

import (
	"slices"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/ddrace"
)

const (
	// maxSearched is how many tees are lost before differences that something else may explain are no
	// longer searched for inputs, which takes long.
	maxSearched = 20
	// maxLost is how many are lost before the recording is given up.
	maxLost = 1000
)

// lose goes back to before a difference that something may explain that was not followed, to go on with a
// tee that is only put where the recording has it. It reports whether there is such a thing.
func (t *match) lose(d *Difference) bool {
	if d.cause == "" || len(t.res.Lost) >= maxLost {
		return false
	}
	t.res.Lost = append(t.res.Lost, Lost{Tick: d.Tick, Client: d.Client, Cause: d.cause, Since: d.since})
	t.back(t.before(d.Tick))
	return true
}

// isLost reports whether a tee is one that has just been lost.
func (t *match) isLost(id int) bool {
	if t.cfg.NoSearch && t.cause != "" && len(t.res.Lost) < maxLost {
		t.res.Lost = append(t.res.Lost, Lost{t.world.Tick(), id, t.cause, t.causeTick})
		return true
	}
	return slices.ContainsFunc(t.res.Lost, func(l Lost) bool { return l.Tick == t.world.Tick() && l.Client == id })
}

// spawned reports whether a tee has just spawned.
func spawned(events []ddrace.Event, id int) bool {
	return slices.ContainsFunc(events, func(e ddrace.Event) bool { return e.Kind == ddrace.EventSpawn && int(e.Tee) == id })
}

// lead puts a lost tee where the recording has it. From its next spawn on, if that is
// where the recording has it, it is as good as the others.
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
