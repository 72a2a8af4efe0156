package differential

import (
	"fmt"
	"slices"
	"testing"
)

func TestSolo(t *testing.T) {
	for _, m := range []string{"dm1", "teeyard1", "testbox", "dm7"} {
		t.Run(m, func(t *testing.T) {
			t.Parallel()
			check(t, setup{mapName: m, players: 1, ticks: 1500, seed: 1})
		})
	}
}

// check plays on the original and replays on ours.
func check(t *testing.T, s setup) {
	t.Helper()
	rec, err := play(t, s)
	if err != nil {
		t.Fatal(err)
	}
	r := compare(rec, again(t, rec))
	t.Logf("%d of %d rounds the same (%.3f %%), %d of %d objects, %d messages; first difference %d; %v",
		r.same, r.ticks, 100*float64(r.same)/float64(max(r.ticks, 1)), r.alike, r.objects, r.messages, r.first, r.kinds)
	if r.ticks == 0 {
		t.Error("nothing was compared")
	}
	for _, d := range r.differences {
		t.Error(d)
	}
	if testing.Verbose() {
		t.Log(account(rec))
	}
}

// account tells what happened in a match.
func account(rec *record) string {
	n := map[string]int{}
	for i := range rec.seen[0] {
		for _, it := range rec.seen[0][i].items {
			n[fmt.Sprint(it.key.Type())]++
		}
	}
	var keys []string
	for k := range n {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	out := ""
	for _, k := range keys {
		out += fmt.Sprintf("%s:%d ", k, n[k])
	}
	return out
}
