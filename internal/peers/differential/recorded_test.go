package differential

import (
	"flag"
	"path/filepath"
	"testing"
)

var update = flag.Bool("record", false, "play the matches of testdata anew on the original, with TEEYARD_PEERS=1")

// kept are the matches in testdata. They need no original to be compared with,
// so that every platform can be.
var kept = map[string]setup{
	"one":       {mapName: "teeyard1", players: 1, ticks: 3000, style: style{spectate: true}},
	"four":      {mapName: "pit", players: 4, ticks: 6000, style: style{peaceful: true}},
	"eight":     {mapName: "teeyard1", players: 8, ticks: 1500},
	"coming":    {mapName: "pit", players: 5, ticks: 3000, style: style{coming: true, spectate: true}},
	"commanded": {mapName: "pit", players: 3, ticks: 3000, style: style{spectate: true, admin: true, ready: true}, settings: []string{"sv_scorelimit 3"}},
}

// TestRecorded plays recorded matches on our server: what clients see must have
// the same hashes. For what differs in plain words run TestMatches.
func TestRecorded(t *testing.T) {
	for name, s := range kept {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", name+".match")
			if *update {
				s.seed = 1
				rec := play(t, s)
				if err := rec.save(path); err != nil {
					t.Fatal(err)
				}
				t.Log(account(rec))
			}
			rec := open(t, path)
			seen := again(t, rec.record)
			for i, want := range rec.hashes {
				got := hashes(rec.record, i, seen[i], rec.ticks[i])
				if same := common(got, want); same < len(want) {
					t.Errorf("player %d sees another match than on the original from round %d of %d on", i, same, len(want))
				}
			}
		})
	}
}

func open(t *testing.T, path string) *keptRecord {
	t.Helper()
	rec, err := load(path)
	if err != nil {
		t.Fatalf("%v (play it on the original: TEEYARD_PEERS=1 go test -run TestRecorded -record)", err)
	}
	return rec
}

// common is how many hashes are the same up to the first other one.
func common(got, want []uint32) int {
	for i := range want {
		if got[i] != want[i] {
			return i
		}
	}
	return len(want)
}

// TestNotices makes sure that a small difference is seen.
func TestNotices(t *testing.T) {
	rec := open(t, filepath.Join("testdata", "one.match"))
	rec.seen = again(t, rec.record)
	if r := compare(rec.record, rec.seen); r.same != r.ticks || r.ticks < 1000 {
		t.Fatalf("%d of %d rounds are like themselves", r.same, r.ticks)
	}
	at := len(rec.steps) / 2
	rec.steps[at].input.Jump = !rec.steps[at].input.Jump
	rec.steps[at].input.TargetX += 40
	ours := again(t, rec.record)
	if r := compare(rec.record, ours); r.same == r.ticks || len(r.differences) == 0 {
		t.Error("another input made no difference")
	}
	got := hashes(rec.record, 0, ours[0], rec.ticks[0])
	if same := common(got, rec.hashes[0]); same == len(got) {
		t.Error("another input made no difference to the hashes")
	}
}
