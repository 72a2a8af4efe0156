package bans

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestDamagedFile cuts off a file of bans and flips its bits. A cut loses only the last line, and
// the loss is reported. A flipped bit is an error that names the line, or it changes one value. The
// file has no checksums, since operators may edit it.
func TestDamagedFile(t *testing.T) {
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	lines := []line{
		{Ban: Ban{Net: netip.MustParsePrefix("192.0.2.1/32"), Duration: time.Hour, Until: at.Add(time.Hour), Reason: "insulting others"}, At: at},
		{Ban: Ban{Net: netip.MustParsePrefix("2001:db8::/64"), Reason: "bots", RconOnly: true}, At: at},
		{Ban: Ban{Net: netip.MustParsePrefix("192.0.2.1/32")}, At: at, Removed: true},
	}
	whole := testenv.Must(encode(lines))
	for d := range testenv.Damaged(whole, 4000) {
		j := new(journal)
		got, err := j.parse(d.File)
		switch {
		case d.Cut:
			n := strings.Count(string(d.File), "\n")
			isWhole := d.At == 0 || whole[d.At-1] == '\n'
			isLine := whole[d.At] == '\n' // a line needs no line feed at its end
			testenv.Check(t, err == nil && (len(got) == n || isLine && len(got) == n+1) &&
				(j.torn == 0) == (isWhole || isLine), "%v: %d bans, %d bytes are torn, %v", d, len(got), j.torn, err)
		case err != nil:
			testenv.Check(t, strings.HasPrefix(err.Error(), "line "), "%v: %v", d, err)
		default:
			testenv.Require(t, len(got) == len(lines) && j.torn == 0, "%v: %d bans, %d bytes are torn", d, len(got), j.torn)
			for i := range got {
				a, b := &got[i], &lines[i]
				isSame := a.Until.IsZero() == b.Until.IsZero() && a.At.IsZero() == b.At.IsZero() &&
					a.Removed == b.Removed && a.RconOnly == b.RconOnly && (a.Reason == "") == (b.Reason == "")
				testenv.Check(t, isSame, "%v: %+v", d, a)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "bans.json")
	testenv.NoError(t, os.WriteFile(path, whole[:len(whole)-10], 0o600))
	l := testenv.Must(Open(path, nil))
	testenv.Check(t, l.Torn() > 0, "it is not said that a line is torn")
	testenv.NoError(t, l.Close())
}
