package app

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/teeyard/teeyard/event"
)

// TestJSONKeysOnce checks that no field of an event hides another, above all the time.
func TestJSONKeysOnce(t *testing.T) {
	for _, e := range append(event.All(),
		event.Disconnected{Text: "x", Again: 1}, event.Kill{Special: 1, KillerLeft: true}, event.RaceFinish{Time: 1500},
		event.VoteStart{Reason: "x", Time: 25 * time.Second},
	) {
		var out bytes.Buffer
		(&jsonPrinter{w: &out}).printEvent(e)
		keys := topLevelKeys(t, out.Bytes())
		slices.Sort(keys)
		if n := len(keys); n != len(slices.Compact(keys)) {
			t.Errorf("%T: a key twice in %s", e, out.Bytes())
		}
		var fields struct {
			Time         time.Time
			Seconds      float64
			Milliseconds int
		}
		if err := json.Unmarshal(out.Bytes(), &fields); err != nil || fields.Time.IsZero() {
			t.Errorf("%T: %v, %v", e, fields, err)
		}
		switch e := e.(type) {
		case event.VoteStart:
			if fields.Seconds != e.Time.Seconds() {
				t.Errorf("a vote of %v seconds", fields.Seconds)
			}
		case event.RaceFinish:
			if fields.Milliseconds != int(e.Time) {
				t.Errorf("a race of %v ms", fields.Milliseconds)
			}
		}
	}
}

// topLevelKeys returns the keys of a JSON object, with repetitions.
func topLevelKeys(t *testing.T, b []byte) (keys []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	if _, err := d.Token(); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		keys = append(keys, key.(string))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
	}
	return keys
}

// TestRounded checks that a time below the unit is not printed as zero.
func TestRounded(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "<1ms", 300 * time.Microsecond: "<1ms", time.Millisecond: "1ms", 1499 * time.Microsecond: "1ms", 56300 * time.Microsecond: "56ms",
	} {
		if got := roundedDuration(d, time.Millisecond); got != want {
			t.Errorf("%v is shown as %s, not %s", d, got, want)
		}
	}
	if got := roundedDuration(40*time.Microsecond, 100*time.Microsecond); got != "<100µs" {
		t.Errorf("40µs is shown as %s", got)
	}
}
