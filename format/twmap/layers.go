package twmap

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/teeyard/teeyard/format/datafile"
)

const quadBytes = 38 * 4

func (p *parser) parseTileLayer(it datafile.Item, i int) (Layer, error) {
	if it.Len() < 15 {
		return nil, fmt.Errorf("%w: tile layer %d has %d fields, want 15", ErrFormat, i, it.Len())
	}
	l := &TileLayer{
		Flags:    it.Int(2),
		Version:  it.Int(3),
		Kind:     TileKind(it.Int(6)),
		Color:    Color{it.Int(7), it.Int(8), it.Int(9), it.Int(10)},
		ColorEnv: it.Int(11), ColorEnvOffset: it.Int(12),
		Image: it.Int(13),
	}
	w, h := int64(it.Int(4)), int64(it.Int(5))
	if w <= 0 || h <= 0 {
		return nil, fmt.Errorf("%w: tile layer %d is %d×%d tiles", ErrFormat, i, w, h)
	}
	l.Width, l.Height = int(w), int(h)
	special := 15
	if l.Version >= 3 {
		l.Name = intsToString(it, 15, 3)
		special = 18
	}
	var err error
	if !p.cfg.GameOnly || l.Kind&KindGame != 0 { // layers of DDNet's kinds have only filler tiles
		if l.Tiles, err = p.readTiles(it.Int(14), it.Int(4), it.Int(5), l.Version, "tile layer", i); err != nil {
			return nil, err
		}
	}
	if l.Kind&^KindGame != 0 {
		l.DDNetData = new([5][]byte)
		for k := range l.DDNetData {
			if special+k >= it.Len() || l.Kind&(KindTele<<k) == 0 {
				continue
			}
			if l.DDNetData[k], err = p.readTileData(it.Int(special+k), w, h, ddnetKinds[k].DDNetTileSize(), "tile layer", i); err != nil {
				return nil, err
			}
		}
	}
	return l, nil
}

// readTiles reads the tiles of a layer of the given version from a data block.
func (p *parser) readTiles(block, width, height, version int32, what string, i int) (tiles []Tile, err error) {
	if width <= 0 || height <= 0 {
		return nil, fmt.Errorf("%w: %s %d is %d×%d tiles", ErrFormat, what, i, width, height)
	}
	data, err := p.readTileData(block, int64(width), int64(height), 4, what, i) // runs are never longer
	if err != nil {
		return nil, err
	}
	// Compare the declared size with the data before computing or allocating anything.
	count := int64(width) * int64(height)
	if version < 4 && int64(len(data))/4 < count {
		return nil, fmt.Errorf("%w: %s %d is %d×%d tiles, but its data has %d bytes", ErrFormat, what, i, width, height, len(data))
	}
	if version >= 4 && int64(len(data))/4*256 < count {
		return nil, fmt.Errorf("%w: %s %d is %d×%d tiles; its %d bytes of runs are too few for that", ErrFormat, what, i, width, height, len(data))
	}
	if version < 4 {
		return tilesIn(data, int(count)), nil
	}
	if err := p.takeBudget(4*count, what, i); err != nil {
		return nil, err
	}
	if tiles, err = decodeTileRuns(data, int(count)); err != nil {
		return nil, fmt.Errorf("%w: %s %d (%d×%d): %w", ErrFormat, what, i, width, height, err)
	}
	p.returnBudget(min(len(data), 4*int(count)))
	return tiles, nil
}

// maxSpare is the number of surplus bytes that a layer's data may have after its last tile. Known
// maps have none, but other programs accept them.
const maxSpare = 64 << 10

// readTileData reads the data block of a layer with size bytes per tile. readTileData refuses a
// much larger block before decompressing it: a small layer must not use up the memory budget for
// large layers.
func (p *parser) readTileData(block int32, width, height int64, size int, what string, i int) ([]byte, error) {
	has := int64(p.f.BlockSize(int(block)))
	if (has-maxSpare)/int64(size) > width*height {
		return nil, fmt.Errorf("%w: %s %d is %d×%d tiles of %d bytes, but its data has %d bytes", ErrFormat, what, i, width, height, size, has)
	}
	return p.readBlock(block, what, i)
}

// tilesIn returns the first n tiles of data. The tiles take over the memory of data: a tile has
// four bytes, as in the file.
func tilesIn(data []byte, n int) []Tile {
	return unsafe.Slice((*Tile)(unsafe.Pointer(unsafe.SliceData(data))), n)[:n:n]
}

// decodeTileRuns decodes the tile data of version 4. The skip field of each tile is its number of
// repetitions.
func decodeTileRuns(data []byte, n int) ([]Tile, error) {
	tiles := make([]Tile, 0, n)
	for len(tiles) < n {
		if len(data) < 4 {
			return nil, fmt.Errorf("the runs end after %d tiles", len(tiles))
		}
		t := Tile{Index: data[0], Flags: data[1], Reserved: data[3]}
		for range min(int(data[2])+1, n-len(tiles)) {
			tiles = append(tiles, t)
		}
		data = data[4:]
	}
	return tiles, nil
}

// appendTileRuns is the inverse of decodeTileRuns, with runs as long as possible.
func appendTileRuns(dst []byte, tiles []Tile) []byte {
	for i := 0; i < len(tiles); {
		t := tiles[i]
		t.Skip = 0
		n := 1
		for n < 256 && i+n < len(tiles) && sameTile(tiles[i+n], t) {
			n++
		}
		dst = append(dst, t.Index, t.Flags, byte(n-1), t.Reserved)
		i += n
	}
	return dst
}

func sameTile(a, b Tile) bool {
	return a.Index == b.Index && a.Flags == b.Flags && a.Reserved == b.Reserved
}

func (p *parser) parseQuadLayer(it datafile.Item, i int) (Layer, error) {
	if it.Len() < 7 {
		return nil, fmt.Errorf("%w: quad layer %d has %d fields, want 7", ErrFormat, i, it.Len())
	}
	l := &QuadLayer{Flags: it.Int(2), Version: it.Int(3), Image: it.Int(6)}
	if l.Version >= 2 {
		l.Name = intsToString(it, 7, 3)
	}
	if p.cfg.GameOnly {
		return l, nil
	}
	n := int64(it.Int(4))
	if n == 0 {
		return l, nil
	}
	data, err := p.readBlock(it.Int(5), "quad layer", i)
	if err != nil {
		return nil, err
	}
	if n < 0 || n*quadBytes > int64(len(data)) {
		return nil, fmt.Errorf("%w: quad layer %d has %d quads in %d bytes", ErrFormat, i, n, len(data))
	}
	if err := p.takeBudget(n*quadBytes, "quad layer", i); err != nil {
		return nil, err
	}
	l.Quads = make([]Quad, n)
	for j := range l.Quads {
		for k, v := range l.Quads[j].fields() {
			*v = int32(binary.LittleEndian.Uint32(data[j*quadBytes+4*k:]))
		}
	}
	p.returnBudget(min(len(data), int(n)*quadBytes))
	return l, nil
}

// fields returns a quad's numbers in file order.
func (q *Quad) fields() [38]*int32 {
	var out [38]*int32
	n := 0
	add := func(vs ...*int32) { n += copy(out[n:], vs) }
	for i := range q.Points {
		add(&q.Points[i].X, &q.Points[i].Y)
	}
	for i := range q.Colors {
		c := &q.Colors[i]
		add(&c.R, &c.G, &c.B, &c.A)
	}
	for i := range q.TexCoords {
		add(&q.TexCoords[i].X, &q.TexCoords[i].Y)
	}
	add(&q.PosEnv, &q.PosEnvOffset, &q.ColorEnv, &q.ColorEnvOffset)
	return out
}

func (p *parser) parseSoundLayer(it datafile.Item, i int) (Layer, error) {
	// version, type, flags | version, sources, data, sound, name
	l := &SoundLayer{
		Flags: it.Int(2), Version: it.Int(3), Count: it.Int(4), Sound: it.Int(6),
		Name: intsToString(it, 7, 3), Deprecated: it.Int(1) == layerSoundsDeprecated,
	}
	if it.Len() < 7 {
		return nil, fmt.Errorf("%w: sound layer %d has %d fields, want 7", ErrFormat, i, it.Len())
	}
	if p.cfg.GameOnly || l.Count == 0 {
		return l, nil
	}
	var err error
	l.Sources, err = p.readBlock(it.Int(5), "sound layer", i)
	return l, err
}
