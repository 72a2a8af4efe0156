package twmap

import (
	"fmt"

	"github.com/teeyard/teeyard/format/datafile"
)

// WithSettings returns a map file with other settings (see Info). Everything else is copied
// unchanged, without decompressing or checking it.
func WithSettings(b []byte, settings []string) ([]byte, error) {
	f, err := datafile.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("twmap: %w", err)
	}
	var out datafile.Writer
	for i := range f.NumBlocks() {
		out.CopyBlock(f, i)
	}
	block := int32(None)
	if len(settings) > 0 {
		block = out.AddBlock(settingsBlock(settings))
	}
	found := false
	for _, it := range f.Items() {
		ints := it.Ints()
		if it.Type == itemInfo && it.ID == 0 {
			found = true
			ints = withSettingsBlock(ints, block)
		}
		out.AddItem(it.Type, it.ID, ints)
	}
	if !found {
		out.AddItem(itemInfo, 0, withSettingsBlock([]int32{1}, block))
	}
	file, err := out.Bytes()
	if err != nil {
		return nil, fmt.Errorf("twmap: %w", err)
	}
	return file, nil
}

// withSettingsBlock returns an info item that refers to another block of settings.
func withSettingsBlock(info []int32, block int32) []int32 {
	for len(info) < infoInts {
		info = append(info, None)
	}
	info[infoInts-1] = block
	return info
}
