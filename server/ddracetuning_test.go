package server_test

import (
	"math"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
)

// TestTuneLines checks that the commands that carry a tuning to the next map make the same one,
// also below 0.
func TestTuneLines(t *testing.T) {
	s, made := ddrace.DefaultSettings(), ddrace.DefaultSettings()
	s.Release, made.Release = 20, 20
	s.Tuning[ddrace.Gravity], s.Tuning[ddrace.HookLength], s.Tuning[ddrace.AirFriction] = -50, 12345, -105
	s.Tuning[ddrace.HookDragAccel], s.Tuning[ddrace.GroundElasticityY] = math.MinInt32, -7
	for _, line := range server.TuneLines(&s.Tuning) {
		words := strings.Fields(line)
		_, fault, known := made.Command(words[0], words[1:])
		testenv.Check(t, known && (fault == "" || words[1] == "hook_drag_accel"), "%s: %s", line, fault)
	}
	testenv.Check(t, made.Tuning == s.Tuning, "made %v of %v", made.Tuning, s.Tuning)
}
