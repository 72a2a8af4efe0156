package admin

import (
	"crypto/sha256"
	"encoding/json"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestDamagedTokens checks that a truncated token file is an error, and that after any bit flip
// each token still has an expiry and its level. The file has no checksum, so a date may change.
func TestDamagedTokens(t *testing.T) {
	until := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	hash := sha256.Sum256([]byte("a"))
	whole := testenv.Must(
		json.Marshal([]token{{Name: "ci", Level: "moderator", Hash: hash[:], Expires: until}, {Name: "page", Level: "helper", Hash: hash[:], Expires: until}}),
	)
	for d := range testenv.Damaged(whole, 10_000) {
		var got tokens
		if got.parse(d.File) != nil {
			continue
		}
		testenv.Check(t, !d.Cut, "%v: it counts", d)
		for _, one := range got.byHash {
			testenv.Check(t, !one.Expires.IsZero() && (one.Level == "moderator" || one.Level == "helper"), "%v: %+v", d, one)
		}
	}
}
