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

// TestDamaged truncates maps and flips single bits. Truncation is always an error. A flipped bit in
// a layer's data is an error, too, because blocks have checksums. Tables and items have none, so a
// flipped bit there may give a different map. Clients and recordings therefore identify maps by
// SHA-256.
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
				// The data stays the same if the compression does not depend on the bit, or if no
				// layer uses the block.
				isSame := reflect.DeepEqual(blocksOf(d.File), content) || slices.ContainsFunc(blocksOf(d.File), func(b []byte) bool { return b == nil })
				testenv.Check(t, !d.Cut && (d.At < blocks || isSame) && m.SHA256 != first.SHA256, "%s, %v: parsed without an error", name, d)
			}
		}
	}
}

// dataStart returns the offset of the first block of a map, after tables and items. The last number
// of the header is the total size of the blocks.
func dataStart(file []byte) int { return len(file) - int(binary.LittleEndian.Uint32(file[32:])) }

// blocksOf returns the content of all blocks, nil for unreadable ones.
func blocksOf(file []byte) (all [][]byte) {
	f := testenv.Must(datafile.Parse(file))
	for n := range f.NumBlocks() {
		b, _ := f.Block(n, 1<<20)
		all = append(all, b)
	}
	return all
}
