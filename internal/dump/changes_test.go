package dump

import (
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
)

// TestChanges compares the differences of snapshots with the counts in their records.
func TestChanges(t *testing.T) {
	for _, name := range []string{golden.Join, golden.Join6} {
		snapshots, moved := 0, 0
		d := New(Config{Changes: true}, func(r *Record) {
			var counts map[string]any
			for _, f := range r.Fields {
				switch f.Name {
				case "snapshot":
					counts = map[string]any{}
					for _, c := range f.Value.(Fields) {
						counts[c.Name] = c.Value
					}
				case "changes":
					snapshots++
					got := map[string]int{}
					for _, c := range f.Value.(Fields) {
						switch c.Name[0] {
						case '+':
							got["new"]++
						case '-':
							got["gone"]++
						default:
							got["changed"]++
							if l := c.Value.(Fields); len(l) == 0 {
								t.Errorf("%s %d: %s has no difference", name, r.Datagram, c.Name)
							} else if strings.HasPrefix(c.Name, "Character ") && l[0].Name != "" {
								moved++
							}
						}
					}
					for what, n := range got {
						if counts[what] != n {
							t.Errorf("%s %d: %d %s, but the record counts %v", name, r.Datagram, n, what, counts[what])
						}
					}
				}
			}
		})
		for _, g := range capture(t, name) {
			d.Feed(&g)
		}
		if snapshots < 100 || moved < 40 {
			t.Errorf("%s: %d snapshots, %d with a character that moved", name, snapshots, moved)
		}
	}
}
