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
	"commanded": {mapName: "pit", players: 3, ticks: 3000, style: style{spectate: true, admin: true, ready: true}, settings: []string{"sv_scorelimit 3"}},
}

// TestRecorded plays recorded matches on our server: what clients see must have
// the same hashes. For what differs in plain words run TestMatches.
func TestRecorded(t *testing.T) {
	for name, s := range kept {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name+".match")
			if *update {
				s.seed = 1
				rec, err := play(t, s)
				if err != nil {
					t.Fatal(err)
				}
				if err := rec.save(path); err != nil {
					t.Fatal(err)
				}
				t.Log(account(rec))
			}
			rec, want := open(t, path)
			got := hashes(again(t, rec))
			if len(got) != len(want) {
				t.Fatalf("%d players, want %d", len(got), len(want))
			}
			for i := range want {
				if same := common(got[i], want[i]); same < len(want[i]) {
					t.Errorf("player %d sees another match than on the original from round %d of %d on", i, same, len(want[i]))
				}
			}
		})
	}
}

func open(t *testing.T, path string) (*record, [][]uint32) {
	t.Helper()
	rec, want, err := load(path)
	if err != nil {
		t.Fatalf("%v (play it on the original: TEEYARD_PEERS=1 go test -run TestRecorded -record)", err)
	}
	return rec, want
}

// common is how many hashes are the same up to the first other one.
func common(got, want []uint32) int {
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			return i
		}
	}
	return len(want)
}

// TestNotices makes sure that a small difference is seen.
func TestNotices(t *testing.T) {
	rec, want := open(t, filepath.Join("testdata", "one.match"))
	theirs := again(t, rec)
	rec.seen = theirs
	if r := compare(rec, theirs); r.same != r.ticks || r.ticks < 1000 {
		t.Fatalf("%d of %d rounds are like themselves", r.same, r.ticks)
	}
	at := len(rec.steps) / 2
	rec.steps[at].input.Jump = !rec.steps[at].input.Jump
	rec.steps[at].input.TargetX += 40
	ours := again(t, rec)
	r := compare(rec, ours)
	if r.same == r.ticks || len(r.differences) == 0 {
		t.Error("another input made no difference")
	}
	if same := common(hashes(ours)[0], want[0]); same == len(want[0]) {
		t.Error("another input made no difference to the hashes")
	}
}
