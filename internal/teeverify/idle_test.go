package teeverify_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/internal/teeverify"
	"github.com/teeyard/teeyard/internal/testenv"
)

// idling returns a recording in which two tees come to rest, do nothing for some ticks, and play
// on. If wrong is set, one of them is in another position at the end. Then follow as many ticks
// without a record as later says.
func idling(t *testing.T, ticks, later int32, wrong bool) []byte {
	t.Helper()
	tr := room()
	world := ddrace.New(ddrace.Config{Map: testenv.Must(ddrace.NewMap(&tr, ddrace.DefaultSettings())), Seed: [2]uint64{3, 4}})
	var out bytes.Buffer
	w := testenv.Must(teehistorian.NewWriter(&out, teehistorian.Header{MapName: "room", PRNG: "pcg-xsh-rr:0000000000000003:0000000000000004"}))
	write := func(rec teehistorian.Record) {
		t.Helper()
		testenv.NoError(t, w.Write(&rec))
	}
	const players, rest, active = 2, 200, 20
	for id := range int32(players) {
		write(teehistorian.Record{Kind: teehistorian.Join, Client: id})
		write(teehistorian.Record{Kind: teehistorian.Extra, ID: teehistorian.ExtraReady, Data: []byte{byte(id)}})
		world.Enter(int(id), false)
	}
	there := false
	end := rest + ticks + active
	for world.Tick() < end {
		var inputs []ddrace.PlayerInput
		for id := range players {
			if world.Tick() >= end-active {
				in := ddrace.Input{Direction: 1, TargetX: world.Tick(), Jump: world.Tick()%4 == 0}
				inputs = append(inputs, ddrace.PlayerInput{Player: id, Input: in})
				write(teehistorian.Record{Kind: teehistorian.InputDiff, Tick: world.Tick(), Client: int32(id), Input: toRecorded(&in)})
			}
		}
		world.Step(inputs)
		for id := range players {
			tee := world.Tee(id)
			if tee == nil {
				continue
			}
			rec := teehistorian.Record{Kind: teehistorian.Moved, Tick: world.Tick(), Client: int32(id),
				Pos: teehistorian.Point{X: int32(tee.Core.Pos.X), Y: int32(tee.Core.Pos.Y)}}
			if !there {
				rec.Kind = teehistorian.New
			}
			if wrong && world.Tick() == end {
				rec.Pos.X++
			}
			write(rec)
		}
		there = there || world.Tee(0) != nil
	}
	write(teehistorian.Record{Kind: teehistorian.Join, Tick: end + later, Client: players})
	write(teehistorian.Record{Kind: teehistorian.Finish, Tick: end + later})
	testenv.NoError(t, w.Flush())
	return out.Bytes()
}

// TestIdle checks that ticks without a record are run, up to a limit.
func TestIdle(t *testing.T) {
	const ticks = 20_000
	res := verify(t, idling(t, ticks, 0, false), false)
	testenv.Check(t, res.Difference == nil && res.End == nil && res.TeeTicks > 2*ticks, "%v, %v, %d places", res.Difference, res.End, res.TeeTicks)

	file := idling(t, 0, math.MaxInt32-1000, false)
	testenv.Check(t, len(file) < 10_000, "%d bytes", len(file))
	res = verify(t, file, false)
	testenv.Check(t, errors.Is(res.End, teeverify.ErrIdle) && res.Difference == nil && res.TeeTicks > 400, "%v, %v, %d places", res.End, res.Difference,
		res.TeeTicks)
}

// TestDifferenceAfterIdle checks that a search does not rerun all ticks without a record for each
// input that it tries.
func TestDifferenceAfterIdle(t *testing.T) {
	const ticks = 20_000
	calls := 0
	res := testenv.Must(teeverify.Verify(teeverify.Config{File: bytes.NewReader(idling(t, ticks, 0, true)), Terrain: room(),
		Progress: func(int32) { calls++ }}))
	testenv.Check(t, res.Difference != nil && res.Tried() > 10, "%v; %d inputs were tried", res.Difference, res.Tried())
	testenv.Check(t, calls >= ticks/100 && calls < 2*ticks/100, "%d calls for %d ticks", calls, ticks)
}
