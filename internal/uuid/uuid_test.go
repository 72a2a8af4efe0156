package uuid

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestFormat checks version and variant of many UUIDs, and the time in them.
func TestFormat(t *testing.T) {
	random := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	// The time is the one in appendix A.6 of RFC 9562.
	begin := "017f22e2-79b0-7"
	timed := regexp.MustCompile(`^` + begin + `[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	at := time.UnixMilli(0x017f22e279b0)
	seen := map[string]bool{}
	for range 200 {
		for id, form := range map[string]*regexp.Regexp{Random(): random, At(at): timed} {
			if !form.MatchString(id) || seen[id] {
				t.Errorf("%s is wrong or not new", id)
			}
			seen[id] = true
		}
	}
	if !strings.HasPrefix(At(at), begin) || At(at) >= At(at.Add(time.Millisecond)) {
		t.Error("the order is not the order of times")
	}
}
