package twmap_test

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/format/datafile"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestDamaged cuts maps and flips their bits. A cut is always an error. A flipped bit in the data of a layer is one,
// too, since its blocks have checksums; in the tables and items, which have none, it may be a map with another meaning. That is what the
// SHA-256 is for by which clients and recordings name maps.
func TestDamaged(t *testing.T) {
	for _, name := range []string{"plain.map", "switch.map"} {
		whole := testenv.Must(os.ReadFile(filepath.Join("..", "..", "internal", "teeverify", "testdata", name)))
		first := testenv.Must(twmap.Parse(whole))
		blocks, content := dataStart(whole), blocksOf(whole)
		for d := range testenv.Damaged(whole, 3000) {
			m, err := twmap.Parse(d.File)
			isFormat := errors.Is(err, datafile.ErrFormat) || errors.Is(err, datafile.ErrNoBlock) ||
				errors.Is(err, twmap.ErrFormat) || errors.Is(err, twmap.ErrTooLarge)
			testenv.Check(t, err == nil || isFormat, "%s, %v: %v", name, d, err)
			if err == nil {
				// The data is the same if the bit is one that does not matter to the compression, or is in a block of no layer.
				isSame := reflect.DeepEqual(blocksOf(d.File), content) || slices.ContainsFunc(blocksOf(d.File), func(b []byte) bool { return b == nil })
				testenv.Check(t, !d.Cut && (d.At < blocks || isSame) && m.SHA256 != first.SHA256, "%s, %v: it is a map", name, d)
			}
		}
	}
}

// dataStart returns where the blocks of a map begin, behind tables and items. Their size is the last number of the header.
func dataStart(file []byte) int { return len(file) - int(binary.LittleEndian.Uint32(file[32:])) }

// blocksOf returns the content of all blocks, nil for those that cannot be read.
func blocksOf(file []byte) (all [][]byte) {
	f := testenv.Must(datafile.Parse(file))
	for n := range f.NumBlocks() {
		b, _ := f.Block(n, 1<<20)
		all = append(all, b)
	}
	return all
}
