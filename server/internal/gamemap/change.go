package gamemap

import (
	"cmp"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
	"github.com/teeyard/teeyard/server/internal/modhost"
)

// plan is what follows the map that is played. Of several maps that are asked for, the last one
// counts.
type plan struct {
	load    *load // the last one, nil if there is none
	reload  bool  // the file of this map must be read again
	restart bool  // this map must get a new world
	// asked is the map of change_map until it is read. Then it becomes next, the map after the end
	// of the match. likely is the next map of the rotation, while the scoreboard at the end of a
	// match is shown.
	asked, next, likely string
	// voted is the map that a vote has asked for. Its players read if the map cannot be loaded.
	voted string
}

// load is a map that is being read.
type load struct {
	setting string // the value of sv_map
	wanted  modhost.Choice
	began   conn.Time // when the map was asked for
	reading later.Job[result]
	result  // once it is there
}

// result is a map, or why it could not be read.
type result struct {
	m   *Map
	err error
}

// ready reports whether the map was read, or could not be.
func (l *load) ready() bool { return l.waitReady(0) }

// waitReady is ready that waits up to a time.
func (l *load) waitReady(limit time.Duration) bool {
	if r, read := l.reading.Wait(limit); read {
		l.result = r
	}
	return !l.reading.Running()
}

// fail ends a load.
func (l *load) fail(err error) {
	l.reading, l.err = later.Job[result]{}, fmt.Errorf("sv_map %q: %w", l.setting, err)
}

const (
	// loadPatience is how long another map waits for a map that is being read. maxLoadTime is how
	// long a map may take.
	loadPatience = 5 * time.Second
	maxLoadTime  = 30 * time.Second
	// maxReads is how many maps are read at once. All but one of them hang.
	maxReads = 4
)

// load begins to read a map.
func (m *Maps) load(now conn.Time, setting string) *load {
	l := &load{setting: setting, wanted: m.cfg.Rules.Wanted(), began: now}
	if !m.reads.Enter() {
		l.fail(errStuckDisk)
		return l
	}
	wanted, resetFile, done := l.wanted, m.Settings.ResetFile, l.reading.Begin()
	m.cfg.Background(func() {
		read, err := m.read(setting, wanted, resetFile)
		m.reads.Leave()
		done(result{read, err})
		m.cfg.Wake()
	})
	return l
}

// waitForLoad reports whether a load is still waited for. It gives up a load that has taken too
// long, because that may never end.
func (p *plan) waitForLoad(now conn.Time, wanted string) bool {
	l := p.load
	if l == nil || l.ready() {
		return false
	}
	limit := loadPatience
	if wanted == "" || wanted == l.setting {
		limit = maxLoadTime
	}
	if now < l.began.Add(limit) {
		return true
	}
	l.fail(errStuckDisk)
	return false
}

// wanted returns the map that must be read, "" for none. atOnce reports whether the game changes to
// it at once.
func (m *Maps) wanted() (setting string, atOnce bool) {
	p := &m.plan
	if p.reload || m.Settings.Map != m.played.Setting {
		return m.Settings.Map, true
	}
	return cmp.Or(p.asked, p.next, p.likely), false
}

// Change carries out the plan, as far as maps are read. Call it between two ticks.
func (m *Maps) Change(now conn.Time) {
	p := &m.plan
	if p.restart || m.host.Tick() >= game.MaxTick {
		p.restart = false
		if m.played.Rules.Choice != m.cfg.Rules.Wanted() {
			m.ReadAgain()
		} else if err := m.host.Play(m.played); err != nil {
			m.print(console.Warning, err.Error())
		}
	}
	setting, atOnce := m.wanted()
	switch {
	case p.waitForLoad(now, setting):
		return // one at a time
	case setting == "" && !atOnce:
		p.load = nil
		return
	case p.load == nil || p.load.setting != setting || p.load.wanted != m.cfg.Rules.Wanted():
		if p.load = m.load(now, setting); !p.load.ready() {
			return
		}
	}
	switch {
	case atOnce:
		m.changeAtOnce(setting)
	case p.asked == "": // the map waits for the end of the match
	case p.load.err != nil:
		m.print(console.Warning, fmt.Sprintf("change_map: %v", p.load.err))
		m.voteFailed(setting)
		p.load, p.asked = nil, ""
	default:
		p.next, p.asked = setting, ""
		m.host.EndMatch()
	}
}

// changeAtOnce changes to the map that was read. If that fails, the game stays on its map.
func (m *Maps) changeAtOnce(setting string) {
	p := &m.plan
	l := p.load
	p.load, p.reload = nil, false
	err := l.err
	if err == nil {
		err = m.host.Play(l.m)
	}
	if err == nil {
		*p = plan{}
		return
	}
	m.print(console.Warning, fmt.Sprintf("failed to load map. mapname='%s': %v", setting, err))
	m.voteFailed(setting)
	m.Settings.Map = m.played.Setting
	if m.hasListings() {
		m.ReadList() // the map may be gone
	}
}

// Voted calls run. That runs the console line that a vote has decided on. If the line asks for a
// map that cannot be loaded, players read that the vote had no effect.
func (m *Maps) Voted(run func()) {
	before, _ := m.wanted()
	run()
	if wanted, _ := m.wanted(); wanted != before {
		m.plan.voted = wanted
	}
}

// voteFailed tells players that a map could not be loaded, if a vote has asked for it.
func (m *Maps) voteFailed(setting string) {
	if p := &m.plan; p.voted != "" && p.voted == setting {
		p.voted = ""
		m.cfg.Votes.HadNoEffect()
	}
}

// changeAfterMatch makes a map the next one, instead of the next in the rotation, and ends the
// match when it is read. It returns an error of the map that shows within diskTimeout, and prints
// later errors.
func (m *Maps) changeAfterMatch(setting string) error {
	if err := checkName(setting); err != nil {
		return err
	}
	if p := &m.plan; p.load == nil || p.load.ready() {
		l := m.load(m.host.Now(), setting)
		if l.waitReady(diskTimeout) && l.err != nil {
			return l.err
		}
		p.load = l
	}
	m.Settings.Map, m.plan.reload = m.played.Setting, false // this was asked for before
	m.plan.asked = setting
	return nil
}

// Restart plans a new world on the same map.
func (m *Maps) Restart() { m.plan.restart = true }

// ReadAgain plans a new world on what the file of the map contains now.
func (m *Maps) ReadAgain() {
	p := &m.plan
	if p.reload = true; p.load != nil && p.load.ready() {
		p.load = nil
	}
}

// ReadAhead has the next map of the rotation read while the scoreboard is shown. MatchBegan ends
// that.
func (m *Maps) ReadAhead() {
	m.plan.likely = ""
	if next := m.nextInRotation(); next != m.played.Setting {
		m.plan.likely = next
	}
}

// MatchBegan is called when a match or a round begins on the map that is played.
func (m *Maps) MatchBegan() { m.plan.likely = "" }

// Rotate sets sv_map to the map of change_map, or else to the next one of sv_maprotation.
func (m *Maps) Rotate() {
	if next := m.Next(); next != "" {
		m.Settings.Map, m.plan.asked, m.plan.next = next, "", ""
		m.host.Print(console.Debug, "game", fmt.Sprintf("rotating map to %s", next))
	}
}

// cmdChangeMap ends the match, and changes the map after its scoreboard. DDRace has no such end, so
// the map changes at once.
func (m *Maps) cmdChangeMap(call *console.Call) {
	name := call.Arg(0)
	if name != "" {
		if err := m.changeAfterMatch(name); err != nil {
			call.Warn("server", "change_map: %v", err)
			return
		}
	}
	next := cmp.Or(name, m.Next())
	switch {
	case m.host.IsDDRace():
		m.changeFromDDRace(call, cmp.Or(next, m.played.Setting))
		return
	case next != "":
		call.Print("server", "the match ends now; map '%s' follows in about 10 seconds", next)
	default:
		call.Print("server", "the match ends now; another one on this map follows in about 10 seconds (sv_maprotation is empty)")
	}
	if name == "" { // nothing is to be read before
		m.host.EndMatch()
	}
}

// changeFromDDRace changes to a map at once, as DDNet's servers do.
func (m *Maps) changeFromDDRace(call *console.Call, name string) {
	m.plan.asked = ""
	if m.Settings.Map = name; name == m.played.Setting {
		m.ReadAgain()
	}
	call.Print("server", "changing to map '%s'", name)
}
