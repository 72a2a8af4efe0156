package teeverify_test

import (
	"bytes"
	"testing"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/internal/testenv"
)

// changed returns a recording in which client 1 runs an unknown command in tick 119. From the next
// tick up to its death, its tee is in other positions.
func changed(t *testing.T, file []byte, command string) []byte {
	t.Helper()
	r := testenv.Must(teehistorian.NewReader(bytes.NewReader(file)))
	var out bytes.Buffer
	w := testenv.Must(teehistorian.NewWriter(&out, *r.Header()))
	moved, told := false, command == ""
	for rec := (teehistorian.Record{}); r.Next(&rec) == nil; {
		of := rec.Client == 1 && (rec.Kind == teehistorian.Moved || rec.Kind == teehistorian.New || rec.Kind == teehistorian.Old)
		if rec.Tick >= 119 && !told && rec.Kind <= teehistorian.InputDiff {
			testenv.NoError(t, w.Write(&teehistorian.Record{Kind: teehistorian.Command, Tick: rec.Tick, Client: 1, Name: command, Flags: 4}))
			told = true
		}
		if rec.Tick >= 120 && rec.Tick <= 150 && of {
			moved = true
			rec.Pos.X++
		}
		testenv.NoError(t, w.Write(&rec))
	}
	testenv.NoError(t, w.Flush())
	testenv.Check(t, moved, "the tee is not there")
	return out.Bytes()
}

// TestLost checks that a tee that moved after an unknown command is not compared up to its next
// spawn, and that all other tees are.
func TestLost(t *testing.T) {
	file := recording(t, 300)
	whole := verify(t, file, true)
	for _, noSearch := range []bool{false, true} {
		res := verify(t, changed(t, file, "warp"), noSearch)
		testenv.Check(t, res.Difference == nil && len(res.Lost) == 1 && res.Ticks == whole.Ticks, "%v, lost %v, %d ticks", res.Difference, res.Lost, res.Ticks)
		if len(res.Lost) == 1 {
			l := res.Lost[0]
			testenv.Check(t, l.Tick == 120 && l.Client == 1 && l.Cause == "warp" && l.Since == 119, "%+v", l)
		}
		testenv.Check(t, res.NotCompared >= 30 && res.NotCompared < 60 && res.TeeTicks+res.NotCompared == whole.TeeTicks,
			"%d places compared, %d not, of %d", res.TeeTicks, res.NotCompared, whole.TeeTicks)
		if res = verify(t, changed(t, file, ""), noSearch); res.Difference == nil || len(res.Lost) > 0 {
			t.Errorf("nothing explains it, and yet: %v, lost %v", res.Difference, res.Lost)
		}
	}
}
