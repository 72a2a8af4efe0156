package dump

import (
	"testing"

	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/protocol/message/schema"
)

// TestTunings compares the names and defaults of the schema with the physics.
func TestTunings(t *testing.T) {
	vanilla, race := physics.DefaultTuning(), ddrace.DefaultTuning()
	for _, test := range []struct {
		version string
		values  []int32
		name    func(i int) string
	}{
		{"msg7", vanilla[:], physics.TuneParamName},
		{"msg6", race[:], ddrace.TuneParamName},
	} {
		s, err := schema.Load(test.version)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Tunings) != len(test.values) {
			t.Fatalf("%s: %d tunings for %d parameters", test.version, len(s.Tunings), len(test.values))
		}
		for i, got := range s.Tunings {
			if got.Name != test.name(i) || got.Default != test.values[i] {
				t.Errorf("%s: parameter %d is %s %d, want %s %d", test.version, i, got.Name, got.Default, test.name(i), test.values[i])
			}
		}
	}
}
