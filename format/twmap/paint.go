package twmap

import (
	"fmt"
	"strings"
)

// White is the color that leaves an image unchanged.
var White = Color{255, 255, 255, 255}

// NewTileLayer returns an empty tile layer that uses an image, in the layout that all clients can
// read.
func NewTileLayer(name string, width, height int, image int32) *TileLayer {
	return &TileLayer{
		Name: name, Width: width, Height: height,
		Color: White, ColorEnv: None, Image: image,
		Tiles:   make([]Tile, width*height),
		Version: 3,
	}
}

// NewGameLayer returns an empty game layer.
func NewGameLayer(width, height int) *TileLayer {
	l := NewTileLayer("Game", width, height, None)
	l.Kind = KindGame
	return l
}

// Set sets the tile at column x and row y. Positions outside of the layer are ignored.
func (l *TileLayer) Set(x, y int, index, flags uint8) {
	if x >= 0 && y >= 0 && x < l.Width && y < l.Height {
		l.Tiles[y*l.Width+x] = Tile{Index: index, Flags: flags}
	}
}

// Fill sets all tiles of a rectangle to the given index.
func (l *TileLayer) Fill(x, y, w, h int, index uint8) {
	for j := range h {
		for i := range w {
			l.Set(x+i, y+j, index, 0)
		}
	}
}

// Stamp copies a rectangle of w by h tiles from the tileset to the layer: from column sx and row sy
// to column x and row y. With mirror set, it is mirrored left to right. The empty tile 0 is not
// copied.
func (l *TileLayer) Stamp(x, y, sx, sy, w, h int, mirror bool) {
	for j := range h {
		for i := range w {
			index := uint8((sy+j)*16 + sx + i)
			switch {
			case index == 0:
			case mirror:
				l.Set(x+w-1-i, y+j, index, FlipV)
			default:
				l.Set(x+i, y+j, index, 0)
			}
		}
	}
}

// ParseTiles returns a game layer from a drawing in text, with a line per row and a character per
// tile. The legend maps characters to tile indices. All lines must have the same length.
func ParseTiles(text string, legend map[byte]uint8) (*TileLayer, error) {
	rows := strings.Split(strings.TrimRight(text, "\n"), "\n")
	l := NewGameLayer(len(rows[0]), len(rows))
	for y, row := range rows {
		if len(row) != l.Width {
			return nil, fmt.Errorf("twmap: row %d has %d tiles, the first has %d", y, len(row), l.Width)
		}
		for x := range len(row) {
			index, ok := legend[row[x]]
			if !ok {
				return nil, fmt.Errorf("twmap: row %d, column %d: %q is not in the legend", y, x, row[x])
			}
			l.Set(x, y, index, 0)
		}
	}
	return l, nil
}

// ExternalImage returns an image that clients load from their own mapres folder. Width and height
// should match the file, in pixels.
func ExternalImage(name string, width, height int32) Image {
	return Image{Name: name, Width: width, Height: height, External: true, Format: 1}
}

// NewGroup returns a group that moves with the camera by the given percentages: 100 for the plane
// of the game, less for backgrounds.
func NewGroup(name string, parallaxX, parallaxY int32, layers ...Layer) Group {
	return Group{Name: name, ParallaxX: parallaxX, ParallaxY: parallaxY, Layers: layers, Version: 3}
}
