package twmap

import (
	"fmt"

	"github.com/teeyard/teeyard/format/datafile"
)

const (
	maxCompatTileVersion     = 3 // newest uncompressed tile layer
	maxCompatEnvelopeVersion = 2 // newest envelope without tangents
	curveSmooth              = 4
	formatRGB                = 0
	formatRGBA               = 1
)

// Compatible returns a copy of a map file without features that old programs cannot read.
// Compressed tile layers (version 4) become uncompressed. Bézier curves become smooth curves
// without tangents. RGB images become RGBA. If the map has none of these features, Compatible
// returns nil. Everything else is copied unchanged, without decompressing or checking it.
//
// Layers and images are decompressed one at a time. Together they may have as many bytes as
// Config.MaxDecoded allows by default.
func Compatible(b []byte) ([]byte, error) {
	f, err := datafile.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("twmap: %w", err)
	}
	c := converter{parser: parser{f: f, budget: defaultMaxDecoded(len(b))}, blocks: map[int32]conversion{}}
	pointInts := intsPerPoint(f.ItemsOf(itemEnvelope))
	changed := pointInts != intsPerOldPoint
	for i, it := range f.Items() {
		ints := it.Ints()
		switch {
		case it.Type == itemLayer && it.Len() >= 15 && it.Int(1) == layerTiles && it.Int(3) > maxCompatTileVersion:
			ints[3] = maxCompatTileVersion
			err = c.convert(it.Int(14), conversion{decompressTiles, it.Int(4), it.Int(5)}, i)
		case it.Type == itemImage && c.isRGBImage(it):
			ints = ints[:6] // all fields of version 1, whose images are RGBA
			ints[0] = 1
			err = c.convert(it.Int(5), conversion{addAlpha, it.Int(1), it.Int(2)}, i)
		case it.Type == itemEnvelope && it.Int(0) > maxCompatEnvelopeVersion:
			ints[0] = maxCompatEnvelopeVersion
		case it.Type == itemEnvPoints && it.ID == 0:
			ints = withoutTangents(ints, pointInts)
		}
		if err != nil {
			return nil, err
		}
		c.out.AddItem(it.Type, it.ID, ints)
	}
	if !changed && len(c.blocks) == 0 {
		return nil, nil
	}
	for i := range f.NumBlocks() {
		if err := c.copyBlock(int32(i)); err != nil {
			return nil, err
		}
	}
	out, err := c.out.Bytes()
	if err != nil {
		return nil, fmt.Errorf("twmap: %w", err)
	}
	return out, nil
}

// converter copies the blocks of a file and converts some of them.
type converter struct {
	parser
	out    datafile.Writer
	blocks map[int32]conversion // by block number
}

// conversion determines how to convert a block.
type conversion struct {
	kind          conversionKind
	width, height int32
}

type conversionKind uint8

const (
	decompressTiles conversionKind = iota
	addAlpha
)

// convert makes copyBlock convert a block. i is the number of the item, for errors.
func (c *converter) convert(block int32, how conversion, i int) error {
	if block < 0 || int(block) >= c.f.NumBlocks() {
		return fmt.Errorf("%w: item %d refers to block %d; the file has %d", ErrFormat, i, block, c.f.NumBlocks())
	}
	if before, ok := c.blocks[block]; ok && before != how {
		return fmt.Errorf("%w: item %d shares block %d with an item of another size", ErrFormat, i, block)
	}
	c.blocks[block] = how
	return nil
}

// copyBlock adds a block to the new file.
func (c *converter) copyBlock(i int32) error {
	how, ok := c.blocks[i]
	if !ok {
		c.out.CopyBlock(c.f, int(i))
		return nil
	}
	if how.kind == decompressTiles {
		tiles, err := c.readTiles(i, how.width, how.height, maxCompatTileVersion+1, "tiles of block", int(i))
		if err != nil {
			return err
		}
		c.out.AddBlock(appendTiles(make([]byte, 0, 4*len(tiles)), tiles))
		return nil
	}
	rgb, err := c.readBlock(i, "image of block", int(i))
	if err != nil {
		return err
	}
	rgba := make([]byte, 0, len(rgb)/3*4)
	for ; len(rgb) >= 3; rgb = rgb[3:] {
		rgba = append(rgba, rgb[0], rgb[1], rgb[2], 0xff)
	}
	c.out.AddBlock(rgba)
	return nil
}

// isRGBImage reports whether an image item contains RGB pixels. Images made in code can have the
// RGB format by accident, so the size is checked too.
func (c *converter) isRGBImage(it datafile.Item) bool {
	pixels := int64(it.Int(1)) * int64(it.Int(2))
	return it.Int(0) >= 2 && it.Int(3) == 0 && it.Len() > 6 && it.Int(6) == formatRGB &&
		pixels > 0 && int64(c.f.BlockSize(int(it.Int(5)))) == 3*pixels
}

// withoutTangents converts envelope points of perPoint integers each to the old layout.
func withoutTangents(points []int32, perPoint int) []int32 {
	out := make([]int32, 0, len(points)/perPoint*intsPerOldPoint)
	for ; len(points) >= perPoint; points = points[perPoint:] {
		at := len(out)
		out = append(out, points[:intsPerOldPoint]...)
		out[at+1] = min(out[at+1], curveSmooth)
	}
	return out
}
