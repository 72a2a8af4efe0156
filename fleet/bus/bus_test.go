package bus

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

func TestCheckName(t *testing.T) {
	for name, valid := range map[string]bool{
		"ger": true, "vm-8303": true, "A_1": true, strings.Repeat("a", maxName): true,
		"": false, "a.b": false, "a b": false, "*": false, ">": false, "ä": false, strings.Repeat("a", maxName+1): false,
	} {
		testenv.Check(t, (CheckName("it", name) == nil) == valid, "%q: %v", name, CheckName("it", name))
	}
}

// TestDelay checks that the attempts of many servers to connect are spread, and rare in the end.
func TestDelay(t *testing.T) {
	for attempt, most := range map[int]time.Duration{0: firstDelay, 3: shortDelay, 19: shortDelay, 23: 16 * time.Second, 24: maxDelay, 1000: maxDelay} {
		seen := map[time.Duration]bool{}
		for range 100 {
			d := delay(attempt)
			testenv.Check(t, d >= most/2 && d < most, "attempt %d: %v", attempt, d)
			seen[d] = true
		}
		testenv.Check(t, len(seen) > 50, "attempt %d has %d different delays", attempt, len(seen))
	}
}

// TestReporter checks that a server reports changes within a second, and itself every ten.
func TestReporter(t *testing.T) {
	gist := uint64(1)
	cfg := Config{
		ID: "a", Port: 8303, Tags: []string{"eu"}, Gist: func() uint64 { return gist },
		Status: func() []byte { return []byte(`{"program":"teeyard 1.2.3","info":{"map":{"name":"dm1"}}}`) },
	}
	start := time.UnixMilli(1_000_000)
	r := reporter{cfg: &cfg, started: start}
	reports := func(at time.Duration) bool {
		b, err := r.due(start.Add(at), "192.0.2.7")
		testenv.NoError(t, err)
		if b == nil {
			return false
		}
		s, err := parseServer(b, start.Add(at).Add(-10*time.Minute))
		testenv.NoError(t, err)
		testenv.Check(t, s.ID == "a" && s.Address == "192.0.2.7:8303" && s.Version() == "1.2.3" && s.Skew == 10*time.Minute && s.Info.Map.Name == "dm1",
			"%+v", s)
		return true
	}
	for _, step := range []struct {
		at   time.Duration
		want bool
		then uint64 // the new gist
	}{
		{0, true, 1},
		{3 * time.Second, false, 2},
		{4 * time.Second, true, 3},
		{4500 * time.Millisecond, false, 3},
		{5 * time.Second, true, 3},
		{14 * time.Second, false, 3},
		{15 * time.Second, true, 3},
	} {
		testenv.Check(t, reports(step.at) == step.want, "after %v: want %v", step.at, step.want)
		gist = step.then
	}
}

// TestStatusKeepsUnknown checks that a report keeps all of /status.json.
func TestStatusKeepsUnknown(t *testing.T) {
	s, err := parseServer([]byte(`{"id":"a","status":{"values":{"x":1}}}`), time.Now())
	testenv.NoError(t, err)
	b, err := json.Marshal(s.Presence)
	testenv.NoError(t, err)
	testenv.Check(t, strings.Contains(string(b), `"values":{"x":1}`), "%s", b)
}
