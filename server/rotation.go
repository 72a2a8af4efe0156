package server

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
)

// rotation is what is known of the maps of sv_maprotation.
type rotation struct {
	problem  string            // names the missing maps, "" if none are
	reported later.Trouble     // as printed last
	checking later.Job[string] // finds the problem
	again    bool              // the value was set since checking began
	next     conn.Time         // when missing maps are looked for again
}

// rotationInterval is the time after which missing maps are looked for again: an operator may
// have copied them.
const rotationInterval = 30 * time.Second

// rotationProblem returns which maps of a value of sv_maprotation are missing, "" if none are.
// It is called by other goroutines.
func (s *Server) rotationProblem(value string) string {
	var missing []string
	for _, name := range splitNames(value) {
		if quoted := "'" + safetext.Line(name) + "'"; !slices.Contains(missing, quoted) && !s.hasMap(name) {
			missing = append(missing, quoted)
		}
	}
	switch len(missing) {
	case 0:
		return ""
	case 1:
		name := strings.Trim(missing[0], "'")
		return fmt.Sprintf("sv_maprotation: map %s is missing, so the game stays on the map before it: copy it to %s in the server's folder, or remove it", missing[0], mapFile(name))
	}
	return fmt.Sprintf("sv_maprotation: maps %s are missing, so the game stays on the map before the first of them: copy them to maps/ in the server's folder, or remove them", strings.Join(missing, ", "))
}

// hasMap reports whether there is a map that a value of sv_map names.
func (s *Server) hasMap(setting string) bool {
	if checkMapName(setting) != nil {
		return false
	}
	if _, err := fs.Stat(s.cfg.Files, mapFile(setting)); !errors.Is(err, fs.ErrNotExist) {
		return true // changing to it says what is wrong with it
	}
	_, embedded := maps.Find(setting)
	return embedded
}

// checkRotation is called after sv_maprotation was set. Before the start it warns at once, which
// tells the place in a file; later the game does not wait for a slow disk.
func (s *Server) checkRotation(call *console.Call) {
	r := &s.rotation
	if !s.started {
		if r.problem = s.rotationProblem(s.settings.MapRotation); r.problem != "" {
			call.Warn("server", "%s", r.problem)
		}
		return
	}
	r.reported = later.Trouble{} // that was about the old value
	if s.lookForRotation(); r.again {
		return
	}
	problem, found := r.checking.Wait(diskTimeout) // the caller gets the answer, if the disk is fast
	if !found {
		return
	}
	r.problem, r.next = problem, s.now.Add(rotationInterval)
	if r.reported.Note(problem); problem != "" {
		call.Warn("server", "%s", problem)
	}
}

// lookForRotation begins to look for the maps, or does so after the disk has answered about
// others.
func (s *Server) lookForRotation() {
	if s.rotation.again = s.rotation.checking.Running(); s.rotation.again {
		return
	}
	value := s.settings.MapRotation
	s.rotation.checking.Start(s.cfg.Background, func() string { return s.rotationProblem(value) })
}

// updateRotation prints which maps are missing when that is known, and looks for them again.
func (s *Server) updateRotation(now conn.Time) {
	r := &s.rotation
	problem, found := r.checking.Take()
	switch {
	case found:
		if r.next = now.Add(rotationInterval); r.again {
			s.lookForRotation()
			return
		}
		if r.problem = problem; r.reported.Note(problem) && problem != "" {
			s.print(console.Warning, "server", problem)
		}
	case r.problem != "" && !r.checking.Running() && now >= r.next:
		s.lookForRotation()
	}
}

// splitNames returns the names in a setting that lists some.
func splitNames(setting string) []string {
	return strings.FieldsFunc(setting, func(r rune) bool { return strings.ContainsRune(";, \t", r) })
}
