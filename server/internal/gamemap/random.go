package gamemap

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

// randomMap is a map that is being looked for, while the ranks are asked.
type randomMap struct {
	finding later.Job[string] // its name, "" for none
	asker   game.PlayerID     // the caller of the vote, or Nobody
	none    string            // the answer if there is none
}

// randomTime is how long the ranks may take for an answer.
const randomTime = 10 * time.Second

// cmdRandomMap changes to another map that players may vote for: one that has a number of stars in
// the ranks, or one that the caller of the vote has not finished.
func (m *Maps) cmdRandomMap(call *console.Call) {
	f := randomFilter{stars: -1, unfinished: call.Name == "random_unfinished_map"}
	if len(call.Args) > 0 {
		f.stars = int32(call.Int(0))
	}
	if f.stars > 5 {
		f.stars = -1
	}
	by := bridge.PlayerIDOf(int32(call.Caller.ID))
	if caller, decides := m.cfg.Votes.Deciding(); decides {
		by = caller
	}
	names := slices.DeleteFunc(m.cfg.Votes.Maps(), func(name string) bool { return name == m.played.Setting })
	rand.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
	r := &m.random
	r.asker, r.none = by, "No maps found on this server!"
	if f.unfinished {
		r.none = "You have no more unfinished maps on this server!"
	}
	if by >= 0 {
		f.player = m.cfg.Players.Name(by)
	}
	f.ranks, f.origin = m.host.Ranks()
	switch {
	case len(names) == 0:
		r.finding.Start(later.Now, func() string { return "" })
	case f.ranks == nil || f.stars < 0 && !f.unfinished:
		r.finding.Start(later.Now, func() string { return names[0] })
	default:
		r.finding.Start(m.cfg.Background, func() string { return f.first(names) })
	}
	m.TickRandom()
}

// randomFilter is what a random map must be like.
type randomFilter struct {
	stars      int32 // negative for any number
	unfinished bool  // by the player
	player     string
	ranks      Ranks
	origin     game.RankOrigin
}

// first returns the first name of a map that fits, "" for none. Another goroutine calls it, because
// ranks may take long.
func (f *randomFilter) first(names []string) string {
	if i := slices.IndexFunc(names, f.fits); i >= 0 {
		return names[i]
	}
	return ""
}

// fits reports whether a map fits.
func (f *randomFilter) fits(name string) bool {
	if f.stars >= 0 {
		if a := f.ask(name, game.RankRequest{Op: game.RankMapInfo, Name: name}); a.Info == nil || a.Info.Name != name || a.Info.Stars != f.stars {
			return false
		}
	}
	if f.unfinished {
		if a := f.ask(name, game.RankRequest{Op: game.RankBest, Name: f.player}); a.Err != "" || a.Own != nil {
			return false
		}
	}
	return true
}

// ask asks the ranks about a map.
func (f *randomFilter) ask(name string, r game.RankRequest) game.RankAnswer {
	r.Map, r.By = name, game.Nobody
	var asking later.Job[game.RankAnswer]
	f.ranks.Submit(&r, f.origin, asking.Begin())
	a, answered := asking.Wait(randomTime)
	if !answered {
		a.Err = "too late"
	}
	return a
}

// TickRandom changes to a random map when it was found. Call it in each tick.
func (m *Maps) TickRandom() {
	r := &m.random
	name, found := r.finding.Take()
	switch {
	case !found:
	case name == "":
		m.cfg.Votes.ForgetMapVote()
		m.print(console.Standard, "no random map: "+r.none)
		if r.asker >= 0 {
			m.cfg.Players.Reply(r.asker, r.none)
		}
	default:
		m.console.Execute("change_map "+console.Quote(name), console.Operator)
	}
}
