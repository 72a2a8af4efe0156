package gamemap

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

// rotation looks for the maps of sv_maprotation.
type rotation struct {
	problem  string            // names the missing maps, "" if none are
	reported later.Trouble     // as printed last
	checking later.Job[string] // finds the problem
	again    bool              // the value was set since checking began
	next     conn.Time         // when missing maps are looked for again
}

// rotationInterval is the time after which missing maps are looked for again: an operator may have
// copied them.
const rotationInterval = 30 * time.Second

// Problem names the maps of sv_maprotation that are missing, "" if none are.
func (m *Maps) Problem() string { return m.rotation.problem }

// TakeProblem is Problem for a caller that prints it. It is not printed again.
func (m *Maps) TakeProblem() string {
	m.rotation.reported.Note(m.rotation.problem)
	return m.rotation.problem
}

// rotationProblem returns which maps of a value of sv_maprotation are missing, "" if none are.
// Other goroutines call it.
func (m *Maps) rotationProblem(value string) string {
	var missing []string
	for _, name := range console.SplitNames(value) {
		if quoted := "'" + safetext.Line(name) + "'"; !slices.Contains(missing, quoted) && !m.Has(name) {
			missing = append(missing, quoted)
		}
	}
	switch len(missing) {
	case 0:
		return ""
	case 1:
		name := strings.Trim(missing[0], "'")
		return fmt.Sprintf("sv_maprotation: map %s is missing, so the game stays on the map before it: copy it to %s in the "+
			"server's folder, or remove it", missing[0], mapFile(name))
	}
	return fmt.Sprintf("sv_maprotation: maps %s are missing, so the game stays on the map before the first of them: copy "+
		"them to maps/ in the server's folder, or remove them", strings.Join(missing, ", "))
}

// checkRotation is called after sv_maprotation was set. Before the start it warns at once, with the
// place in a file. Later the check runs beside the game, so that a slow disk does not stop it.
func (m *Maps) checkRotation(call *console.Call) {
	r := &m.rotation
	if m.played == nil {
		if r.problem = m.rotationProblem(m.Settings.Rotation); r.problem != "" {
			call.Warn("server", "%s", r.problem)
		}
		return
	}
	r.reported = later.Trouble{} // that was about the old value
	if m.lookForRotation(); r.again {
		return
	}
	problem, found := r.checking.Wait(diskTimeout) // the caller gets the answer, if the disk is fast
	if !found {
		return
	}
	r.problem, r.next = problem, m.host.Now().Add(rotationInterval)
	if r.reported.Note(problem); problem != "" {
		call.Warn("server", "%s", problem)
	}
}

// lookForRotation begins to look for the maps. If the disk has not answered about others yet, it
// looks afterwards.
func (m *Maps) lookForRotation() {
	if m.rotation.again = m.rotation.checking.Running(); m.rotation.again {
		return
	}
	value := m.Settings.Rotation
	m.rotation.checking.Start(m.cfg.Background, func() string { return m.rotationProblem(value) })
}

// UpdateRotation prints which maps are missing when that is known, and looks for them again.
func (m *Maps) UpdateRotation(now conn.Time) {
	r := &m.rotation
	problem, found := r.checking.Take()
	switch {
	case found:
		if r.next = now.Add(rotationInterval); r.again {
			m.lookForRotation()
			return
		}
		if r.problem = problem; r.reported.Note(problem) && problem != "" {
			m.print(console.Warning, problem)
		}
	case r.problem != "" && !r.checking.Running() && now >= r.next:
		m.lookForRotation()
	}
}
