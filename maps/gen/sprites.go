package main

import "github.com/teeyard/teeyard/format/twmap"

// sprite is a picture of w by h tiles in a tileset, with its top left tile at column sx, row sy.
type sprite struct {
	image        string
	sx, sy, w, h int
}

// The sprites of the decorations. Each sprite is at the same place in the tilesets of 0.6 and 0.7.
var (
	tree      = sprite{"grass_doodads", 0, 6, 5, 5}
	globe     = sprite{"grass_doodads", 0, 11, 5, 5}
	hedge     = sprite{"jungle_doodads", 6, 0, 9, 3}
	bush      = sprite{"jungle_doodads", 8, 3, 4, 2}
	lawn      = sprite{"jungle_doodads", 0, 7, 3, 1}
	tuft      = sprite{"jungle_doodads", 3, 7, 2, 1}
	sprouts   = sprite{"jungle_doodads", 0, 8, 3, 1}
	stalks    = sprite{"jungle_doodads", 3, 8, 2, 1}
	fern      = sprite{"jungle_doodads", 0, 9, 2, 2}
	totem     = sprite{"jungle_doodads", 9, 5, 3, 6}
	chest     = sprite{"jungle_doodads", 7, 14, 4, 2}
	crossed   = sprite{"desert_doodads", 3, 1, 4, 2}
	fence     = sprite{"desert_doodads", 7, 1, 4, 2}
	boulder   = sprite{"desert_doodads", 8, 5, 3, 2}
	rock      = sprite{"desert_doodads", 11, 5, 2, 2}
	props     = sprite{"desert_doodads", 13, 4, 3, 3}
	lantern   = sprite{"generic_lamps", 1, 0, 1, 2}
	hanging   = sprite{"generic_lamps", 2, 2, 2, 4}
	wallLampL = sprite{"generic_lamps", 3, 0, 2, 2}
	wallLampR = sprite{"generic_lamps", 5, 0, 2, 2}
	redBulbs  = sprite{"winter_doodads", 0, 10, 8, 2}
	blueBulbs = sprite{"winter_doodads", 0, 12, 8, 2}
	fewBulbs  = sprite{"winter_doodads", 0, 14, 4, 2}
)

// decoration is a sprite whose bottom left tile is at column x, row bottom.
type decoration struct {
	sprite    sprite
	x, bottom int
	mirror    bool
}

// decorLayers collects the layers of decorations: one per tileset, in order of first use.
type decorLayers struct {
	album         *imageList
	name          string
	width, height int
	color         twmap.Color
	layers        []*twmap.TileLayer
}

func (s *decorLayers) add(items ...decoration) {
	for _, p := range items {
		w := p.sprite
		s.layer(s.album.index(w.image)).Stamp(p.x, p.bottom-w.h+1, w.sx, w.sy, w.w, w.h, p.mirror)
	}
}

func (s *decorLayers) layer(image int32) *twmap.TileLayer {
	for _, l := range s.layers {
		if l.Image == image {
			return l
		}
	}
	l := twmap.NewTileLayer(s.name, s.width, s.height, image)
	l.Flags = 1 // clients show the layer only with high detail
	l.Color = s.color
	s.layers = append(s.layers, l)
	return l
}

// appendTo appends the layers to a group.
func (s *decorLayers) appendTo(g *twmap.Group) {
	for _, l := range s.layers {
		g.Layers = append(g.Layers, l)
	}
}

// imageList assigns indices to a map's images in order of first use.
type imageList struct{ images []twmap.Image }

var imageSizes = map[string][2]int32{
	"bg_cloud1": {2048, 1024}, "bg_cloud2": {2048, 1024}, "bg_cloud3": {1024, 512},
	"mountains": {1024, 512}, "sun": {512, 512},
}

func (a *imageList) index(name string) int32 {
	for i, img := range a.images {
		if img.Name == name {
			return int32(i)
		}
	}
	size, ok := imageSizes[name]
	if !ok {
		size = [2]int32{1024, 1024} // a tileset
	}
	a.images = append(a.images, twmap.ExternalImage(name, size[0], size[1]))
	return int32(len(a.images) - 1)
}
