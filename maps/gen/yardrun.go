package main

import (
	_ "embed"

	"github.com/teeyard/teeyard/format/twmap"
)

//go:embed yardrun.txt
var yardrunText string

// Tiles of races in the game layer.
const (
	raceStart           = 33
	raceFinish          = 34
	raceFirstCheckpoint = 35
)

// yardrun builds a race course from left to right: over steps and two pits of spikes, through a low
// passage, and past three checkpoints.
func yardrun() (*twmap.Map, error) {
	game, err := twmap.ParseTiles(yardrunText, legend)
	if err != nil {
		return nil, err
	}
	pictures := new(imageList)
	w, h := game.Width, game.Height
	spike := twmap.NewTileLayer("Spikes", w, h, pictures.index("generic_deathtiles"))
	drawSpikes(spike, game)
	ground := twmap.NewTileLayer("Ground", w, h, pictures.index("grass_main"))
	earth.Apply(ground, hasIndex(game, twmap.Solid))
	stone := twmap.NewTileLayer("Stone", w, h, pictures.index("generic_unhookable"))
	drawUnhookable(stone, game)
	m := &twmap.Map{
		Info:      twmap.Info{Author: "Teeyard", Version: "1", Credits: "Images: the Teeworlds team", License: "MIT"},
		Envelopes: yardEnvelopes(),
	}
	m.Groups = append(yardSky(pictures), twmap.NewGroup("Game", 100, 100, spike, drawCourse(game), ground, stone, game))
	m.Images = pictures.images
	return m, nil
}

// drawCourse draws the lines of a course, since clients do not. Above the lowest tile of each line
// is a band that fades out: green at the start, yellow at checkpoints and chequered at the finish.
func drawCourse(game *twmap.TileLayer) *twmap.QuadLayer {
	const height = 12 // of the bands, in tiles
	course := twmap.NewQuadLayer("Course", twmap.None)
	for x := range game.Width {
		for y := range game.Height {
			line := game.At(x, y).Index
			if line < raceStart || y+1 < game.Height && game.At(x, y+1).Index == line {
				continue
			}
			top := y + 1
			for top > 0 && top > y+1-height && game.At(x, top-1).Index == line {
				top--
			}
			fx, fy, fh := float64(x), float64(top), float64(y+1-top)
			switch line {
			case raceStart:
				course.Quads = append(course.Quads, band(fx, fy, 1, fh, twmap.Color{R: 90, G: 230, B: 110, A: 170}))
			case raceFinish:
				for row := range 2 * (y + 1 - top) {
					for col := range 2 {
						shade := int32(20)
						if (row+col)%2 == 0 {
							shade = 245
						}
						alpha := int32(40 + 190*row/(2*(y+1-top)))
						c := twmap.Color{R: shade, G: shade, B: shade, A: alpha}
						course.Quads = append(course.Quads, twmap.NewQuad(fx+float64(col)/2, fy+float64(row)/2, 0.5, 0.5).Shaded(c, c))
					}
				}
			default:
				if line < raceFirstCheckpoint+25 {
					course.Quads = append(course.Quads, band(fx+0.25, fy, 0.5, fh, twmap.Color{R: 250, G: 210, B: 80, A: 150}))
				}
			}
		}
	}
	return course
}

// band returns a quad that fades out towards the top.
func band(x, y, w, h float64, c twmap.Color) twmap.Quad {
	faded := c
	faded.A = 0
	return twmap.NewQuad(x, y, w, h).Shaded(faded, c)
}
