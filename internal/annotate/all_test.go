package annotate

import (
	"testing"

	"github.com/teeyard/teeyard/internal/golden"
)

// TestEveryDatagram explains each datagram of the joins. Each byte must appear exactly once, and no
// message may be unknown or have surplus bytes.
func TestEveryDatagram(t *testing.T) {
	for name, version := range map[string]int{golden.Join: 7, golden.Join6: 6} {
		for i, d := range golden.Datagrams(t, name) {
			lines, err := Datagram(d.B, Options{Version: version, Trailer: true, Delta: true})
			if err != nil {
				t.Fatalf("%s %d: %v", name, i+1, err)
			}
			if err := covers(lines, d.B); err != nil {
				t.Fatalf("%s %d: %v", name, i+1, err)
			}
			for _, l := range lines {
				switch l.Text {
				case "surplus bytes, ignored", "a message that is not in the tables", "ignored":
					t.Errorf("%s %d: % x: %s", name, i+1, l.Bytes, l.Text)
				}
			}
		}
	}
}
