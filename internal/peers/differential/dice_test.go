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

// In survival modes the original draws random numbers for spawn places and for shuffled teams. A
// library preloaded into the original draws them instead. Its numbers come from the same sequence
// as our world's, further along. When the match begins, our world draws numbers until it reaches
// the last one that the original drew.

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

// serverSeed returns the seed of our server when it replays the match.
func (m *match) serverSeed() uint64 { return m.Config.Seed | 1 }

// diceEnv returns the original's environment variables. With them it draws our first world's
// numbers, and writes the last one to a file.
func (m *match) diceEnv(t testing.TB, lastFile string) []string {
	t.Helper()
	peers.RequirePrograms(t, "gcc")
	library, err := diceFile()
	if err != nil {
		t.Fatal(err)
	}
	worldSeed := m.serverSeed()*6364136223846793005 + 1442695040888963407 // the derivation that our server uses
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

// dice is a mod that makes our world draw the original's numbers.
type dice struct {
	t    testing.TB
	last uint32 // the last number that the original drew before the match
	draw bool   // set to draw when the next match starts
}

func (*dice) Start(*game.Setup) {}

// OnRoundStart draws numbers until it reaches the original's last one.
func (d *dice) OnRoundStart(ctx *game.Ctx) {
	const limit = math.MaxInt32 // numbers have 31 bits; the remainder turns the largest one into 0
	for n := 0; d.draw; n++ {
		d.draw = ctx.Rand(limit) != int(d.last)%limit
		if n > 1<<16 {
			d.t.Error("the original drew other random numbers than our world")
			d.draw = false
		}
	}
}
