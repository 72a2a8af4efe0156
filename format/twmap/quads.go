package twmap

// TileSize is the edge length of a tile in the units of Point.
const TileSize = 32 << 10

// NewQuadLayer returns a quad layer that draws from an image, or from none if image is None.
func NewQuadLayer(name string, image int32, quads ...Quad) *QuadLayer {
	return &QuadLayer{Name: name, Image: image, Quads: quads, Version: 2}
}

// NewQuad returns an upright white rectangle that shows the whole image. The top left corner of the
// quad is at (x, y). All numbers are in tiles.
func NewQuad(x, y, w, h float64) Quad {
	at := func(x, y float64) Point { return Point{int32(x * TileSize), int32(y * TileSize)} }
	return Quad{
		Points:    [5]Point{at(x, y), at(x+w, y), at(x, y+h), at(x+w, y+h), at(x+w/2, y+h/2)},
		Colors:    [4]Color{White, White, White, White},
		TexCoords: [4]Point{{0, 0}, {1024, 0}, {0, 1024}, {1024, 1024}},
		PosEnv:    None, ColorEnv: None,
	}
}

// Shaded returns the quad with a vertical color gradient.
func (q Quad) Shaded(top, bottom Color) Quad {
	q.Colors = [4]Color{top, top, bottom, bottom}
	return q
}

// Mirrored returns the quad with its image mirrored left to right.
func (q Quad) Mirrored() Quad {
	t := &q.TexCoords
	t[0], t[1], t[2], t[3] = t[1], t[0], t[3], t[2]
	return q
}

// Moving returns the quad moved by a position envelope. The envelope starts at the given offset in
// ms.
func (q Quad) Moving(envelope, offset int32) Quad {
	q.PosEnv, q.PosEnvOffset = envelope, offset
	return q
}
