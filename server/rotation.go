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
)

// rotation is what is known of the maps of sv_maprotation.
type rotation struct {
	problem  string      // which are missing, "" if none
	reported string      // the last problem that was printed
	checking chan string // the problem, when it is known; nil if nothing is being checked
	again    bool        // the value was set since that began
	next     conn.Time   // when they are looked for again, while some are missing
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
	r.reported = "" // of the old value
	if s.lookForRotation(); r.again {
		return
	}
	select { // who sets it is told, if the disk answers
	case r.problem = <-r.checking:
		r.checking, r.next, r.reported = nil, s.now.Add(rotationInterval), r.problem
		if r.problem != "" {
			call.Warn("server", "%s", r.problem)
		}
	case <-time.After(diskTimeout):
	}
}

// lookForRotation begins to look for the maps, or does so after the disk has answered about
// others.
func (s *Server) lookForRotation() {
	if s.rotation.again = s.rotation.checking != nil; s.rotation.again {
		return
	}
	found, value := make(chan string, 1), s.settings.MapRotation
	s.rotation.checking = found
	s.cfg.Background(func() { found <- s.rotationProblem(value) })
}

// updateRotation takes what was found out about the maps, and has missing ones looked for again.
func (s *Server) updateRotation(now conn.Time) {
	r := &s.rotation
	select {
	case problem := <-r.checking:
		r.checking, r.next = nil, now.Add(rotationInterval)
		if r.again {
			s.lookForRotation()
			return
		}
		if r.problem = problem; r.problem != "" && r.problem != r.reported {
			s.print(console.Warning, "server", r.problem)
		}
		r.reported = r.problem
	default:
		if r.problem != "" && r.checking == nil && now >= r.next {
			s.lookForRotation()
		}
	}
}
