package game

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestLayout checks that the state of a mode has the same bytes as in a world of 64 players.
func TestLayout(t *testing.T) {
	type per struct {
		Runs [MaxPlayers]struct {
			Time int32
			By   PlayerID
		}
		Sets  [2]PlayerMask
		Team  [64]uint8
		Last  PlayerID
		Moved PerPlayer[bool]
	}
	type few struct {
		Runs [64]struct {
			Time int32
			By   int8
		}
		Sets  [2]uint64
		Team  [64]uint8
		Last  int8
		Moved [64]bool
	}
	var now, restored per
	var old few
	for i := range 64 {
		now.Runs[i].Time, now.Runs[i].By, now.Team[i], now.Moved[i] = int32(i)<<20, PlayerID(i-1), uint8(200+i), i%3 == 0
		old.Runs[i].Time, old.Runs[i].By, old.Team[i], old.Moved[i] = int32(i)<<20, int8(i-1), uint8(200+i), i%3 == 0
	}
	now.Sets, old.Sets = [2]PlayerMask{{Low: 1 << 63}, {Low: 0x1234567890}}, [2]uint64{1 << 63, 0x1234567890}
	now.Last, old.Last = Nobody, -1
	l := new(declared).layout(&now)
	all := testenv.Must(binary.Append(nil, binary.LittleEndian, &now))
	want := testenv.Must(binary.Append(nil, binary.LittleEndian, &old))
	got := l.shrink(bytes.Clone(all))
	testenv.Require(t, bytes.Equal(got, want) && l.size == len(want), "%d bytes, not %d:\n%x\n%x", len(got), len(want), got, want)
	b := make([]byte, len(all))
	l.expand(b, want)
	testenv.Must(binary.Decode(b, binary.LittleEndian, &restored))
	testenv.Check(t, restored == now, "restored: %+v", restored)
	testenv.Check(t, new(declared).layout(new(int32)) == nil && new(declared).layout([]int8{1, 2}) == nil, "a state without players has a layout")
}
