package differential

import (
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
)

// The original draws random numbers for the places where players of survival modes appear
// and for shuffled teams. A library that is preloaded into it draws them in its stead:
// the numbers that our world draws, but from a later one on. When the match begins, our
// world draws until it has the last number of the original.

var (
	diceDir  string // "" until the library is compiled
	diceFile = sync.OnceValues(func() (string, error) {
		var err error
		if diceDir, err = os.MkdirTemp("", "teeyard"); err != nil {
			return "", err
		}
		path := filepath.Join(diceDir, "dice.so")
		if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", path, "testdata/dice.c").CombinedOutput(); err != nil {
			return "", &exec.Error{Name: string(out), Err: err}
		}
		return path, nil
	})
)

// serverSeed returns the seed of the server that replays a match.
func (m *match) serverSeed() uint64 { return m.Config.Seed | 1 }

// diceEnv returns the environment in which the original draws the numbers of our first
// world, and keeps the last in a file.
func (m *match) diceEnv(t testing.TB, lastFile string) []string {
	t.Helper()
	peers.RequirePrograms(t, "gcc")
	library, err := diceFile()
	if err != nil {
		t.Fatal(err)
	}
	worldSeed := m.serverSeed()*6364136223846793005 + 1442695040888963407 // as the server does
	return []string{"LD_PRELOAD=" + library, "DICE_SEED=" + strconv.FormatUint(worldSeed, 10), "DICE_LAST=" + lastFile}
}

// readDice returns the last number that the original drew.
func readDice(file string) (uint32, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	return binary.NativeEndian.Uint32(b), nil
}

// dice is a mod that has our world draw the numbers that the original draws.
type dice struct {
	t    testing.TB
	last uint32 // that the original drew before the match
	draw bool   // at the next start of a match
}

// Start does nothing.
func (*dice) Start(*game.Tx) {}

// OnRoundStart draws until the last number of the original.
func (d *dice) OnRoundStart(ctx *game.Ctx) {
	const limit = math.MaxInt32 // numbers have 31 bits; the largest one becomes 0
	for n := 0; d.draw; n++ {
		d.draw = ctx.Rand(limit) != int(d.last)%limit
		if n > 1<<16 {
			d.t.Error("the original drew other random numbers than our world")
			d.draw = false
		}
	}
}
