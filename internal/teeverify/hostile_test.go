package teeverify_test

import (
	"bytes"
	"testing"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/internal/teeverify"
	"github.com/teeyard/teeyard/internal/testenv"
)

// commanded returns a recording in which clients run all commands that change tees, with
// meaningless arguments. One client is in the game, and the others have impossible ids.
func commanded(t testing.TB) []byte {
	t.Helper()
	r := testenv.Must(teehistorian.NewReader(bytes.NewReader(recording(t, 60))))
	var out bytes.Buffer
	w := testenv.Must(teehistorian.NewWriter(&out, *r.Header()))
	told := false
	for rec := (teehistorian.Record{}); r.Next(&rec) == nil; {
		if rec.Tick >= 40 && !told && rec.Kind <= teehistorian.InputDiff {
			told = true
			for _, name := range []string{
				"kill", "lock", "unlock", "pause", "spec", "r", "tp", "save", "tele", "totele", "totelecp", "kill_pl", "set_team_ddr",
				"freezehammer", "force_pause", "force_unpause", "tune", "ninjajetpack", "move_raw", "addweapon", "warp",
			} {
				for _, client := range []int32{-1, 0, 63, 64, 127} {
					for _, flags := range []int32{0, 4, 128} {
						for _, args := range [][]string{nil, {""}, {"me"}, {"-1"}, {"64", "64"}, {"0", "-2147483648"}, {"2147483647", "0"}} {
							testenv.NoError(t, w.Write(&teehistorian.Record{Kind: teehistorian.Command, Tick: rec.Tick, Client: client, Name: name,
								Flags: flags, Args: args}))
						}
					}
				}
			}
		}
		testenv.NoError(t, w.Write(&rec))
	}
	testenv.NoError(t, w.Flush())
	testenv.Check(t, told, "there is no such tick")
	return out.Bytes()
}

// verifyHostile verifies some ticks of a file that need not be a recording.
func verifyHostile(t *testing.T, file []byte) {
	for _, noSearch := range []bool{true, false} {
		_, _ = teeverify.Verify(teeverify.Config{File: bytes.NewReader(file), Terrain: room(), NoSearch: noSearch, SearchWork: 1e7, Ticks: 200})
	}
}

// TestHostileCommands checks that commands cannot make the simulation panic.
func TestHostileCommands(t *testing.T) { verifyHostile(t, commanded(t)) }

// TestFarPlaces checks that a tee that is moved between the ends of the world does not check all
// tiles on its way.
func TestFarPlaces(t *testing.T) {
	r := testenv.Must(teehistorian.NewReader(bytes.NewReader(changed(t, recording(t, 300), "warp"))))
	var out bytes.Buffer
	w := testenv.Must(teehistorian.NewWriter(&out, *r.Header()))
	for rec := (teehistorian.Record{}); r.Next(&rec) == nil; {
		if rec.Client == 1 && rec.Kind == teehistorian.Moved && rec.Tick > 120 && rec.Tick < 150 {
			rec.Pos.X += (rec.Tick%2*2 - 1) * 1e9
		}
		testenv.NoError(t, w.Write(&rec))
	}
	testenv.NoError(t, w.Flush())
	led := 0
	testenv.Must(teeverify.Verify(teeverify.Config{File: &out, Terrain: room(), Ticks: 140, OnTick: func(w *ddrace.World, _ []ddrace.Event) error {
		if tee := w.Tee(1); tee != nil && (tee.Pos.X > 1e8 || tee.Pos.X < -1e8) {
			led++
			testenv.Check(t, tee.PrevPos == tee.Pos, "it is to come from %v to %v", tee.PrevPos, tee.Pos)
		}
		return nil
	}}))
	testenv.Check(t, led > 0, "the tee is not led")
}

// TestManyInputs checks that a search tries a client's inputs for one tick only once, however many
// there are.
func TestManyInputs(t *testing.T) {
	const players, ticks, inputs = 3, 24, 100
	r := testenv.Must(teehistorian.NewReader(bytes.NewReader(changed(t, recording(t, 160), ""))))
	var out bytes.Buffer
	w := testenv.Must(teehistorian.NewWriter(&out, *r.Header()))
	for rec := (teehistorian.Record{}); r.Next(&rec) == nil; {
		testenv.NoError(t, w.Write(&rec))
		for range inputs {
			if rec.Kind == teehistorian.InputDiff && rec.Tick > 100 {
				testenv.NoError(t, w.Write(&rec))
			}
		}
	}
	testenv.NoError(t, w.Flush())
	res := verify(t, out.Bytes(), false)
	testenv.Check(t, res.Difference != nil && res.Tried() > 0 && res.Tried() <= players*(ticks+1), "%v; %d inputs were tried", res.Difference, res.Tried())
}

// TestSearchIsBounded checks the limit of search work, with a file that has many differences which
// inputs explain.
func TestSearchIsBounded(t *testing.T) {
	var repeats []teeverify.Repeat
	for i := range int32(12) {
		repeats = append(repeats, teeverify.Repeat{Tick: 100 + 60*i, Client: int(i % 3)})
	}
	file := recording(t, 900, repeats...)
	res := testenv.Must(teeverify.Verify(teeverify.Config{File: bytes.NewReader(file), Terrain: room()}))
	all := len(res.Repeated)
	testenv.Check(t, res.Difference == nil && !res.GaveUp && all > 4, "%v; %d inputs explain it", res.Difference, all)
	res = testenv.Must(teeverify.Verify(teeverify.Config{File: bytes.NewReader(file), Terrain: room(), SearchWork: 1e5}))
	testenv.Check(t, res.Difference != nil && res.GaveUp && len(res.Repeated) > 0 && len(res.Repeated) < all,
		"%v; %d of %d inputs explain it", res.Difference, len(res.Repeated), all)
}

// FuzzVerify checks that no file makes the simulation panic.
func FuzzVerify(f *testing.F) {
	f.Add(recording(f, 60))
	f.Add(commanded(f))
	f.Fuzz(verifyHostile)
}
