package main

import (
	_ "embed"
	"math"

	"github.com/teeyard/teeyard/format/twmap"
)

//go:embed teeyard1.txt
var teeyard1Text string

// Indices of the map's envelopes.
const (
	envWind        = 0
	envSunRotation = 1
)

// teeyard1 builds the default map: a yard on a summer day, with a tunnel below and a pit of spikes
// in the middle.
func teeyard1() (*twmap.Map, error) {
	game, err := twmap.ParseTiles(teeyard1Text, legend)
	if err != nil {
		return nil, err
	}
	pictures := new(imageList)
	m := &twmap.Map{
		Info:      twmap.Info{Author: "Teeyard", Version: "1", Credits: "Images: the Teeworlds team", License: "MIT"},
		Envelopes: yardEnvelopes(),
	}
	m.Groups = append(yardSky(pictures), yardMeadow(pictures), yardGround(pictures, game))
	m.Images = pictures.images
	return m, nil
}

// yardEnvelopes returns the envelopes that move the parts of yardSky.
func yardEnvelopes() []twmap.Envelope {
	return []twmap.Envelope{{
		// Clouds move eight tiles to the right and back in six minutes.
		Name: "wind", Version: 1, Channels: 3,
		Points: []twmap.EnvPoint{
			{Time: 0, Curve: 4},
			{Time: 180_000, Curve: 4, Values: [4]int32{8 * twmap.TileSize}},
			{Time: 360_000, Curve: 4},
		},
	}, {
		Name: "sun", Version: 1, Channels: 3,
		Points: []twmap.EnvPoint{
			{Time: 0, Curve: 1},
			{Time: 300_000, Curve: 1, Values: [4]int32{0, 0, 360 << 10}},
		},
	}}
}

// yardSky returns the background: sky, sun, clouds and mountains. Positions are in tiles, relative
// to the middle of the screen with the camera at the origin.
func yardSky(a *imageList) []twmap.Group {
	sky := twmap.NewQuadLayer("Sky", twmap.None,
		twmap.NewQuad(-60, -40, 120, 40).Shaded(twmap.Color{R: 62, G: 132, B: 214, A: 255}, twmap.Color{R: 142, G: 202, B: 246, A: 255}),
		twmap.NewQuad(-60, 0, 120, 30).Shaded(twmap.Color{R: 142, G: 202, B: 246, A: 255}, twmap.Color{R: 250, G: 240, B: 214, A: 255}),
	)
	// Sunbeams that fade out and rotate around the sun.
	const sunX, sunY, reach, beamCount = 11.5, -6.0, 34.0, 9
	at := func(angle float64) twmap.Point {
		return twmap.Point{
			X: int32((sunX + reach*math.Cos(angle)) * twmap.TileSize),
			Y: int32((sunY + reach*math.Sin(angle)) * twmap.TileSize),
		}
	}
	beams := twmap.NewQuadLayer("Beams", twmap.None)
	for i := range beamCount {
		angle := 2 * math.Pi * float64(i) / beamCount
		q := twmap.NewQuad(sunX, sunY, 0, 0).Shaded(twmap.Color{R: 255, G: 250, B: 214, A: 84}, twmap.Color{R: 255, G: 250, B: 214})
		q.Points[2], q.Points[3] = at(angle-0.13), at(angle+0.13)
		beams.Quads = append(beams.Quads, q.Moving(envSunRotation, 0))
	}
	sun := twmap.NewQuadLayer("Sun", a.index("sun"), twmap.NewQuad(sunX-4, sunY-4, 8, 8))

	cloud := func(x, y, w, h float64, alpha, offset int32) twmap.Quad {
		c := twmap.Color{R: 255, G: 255, B: 255, A: alpha}
		return twmap.NewQuad(x, y, w, h).Shaded(c, c).Moving(envWind, offset)
	}
	high := twmap.NewGroup("Clouds", 6, 4,
		twmap.NewQuadLayer("Clouds", a.index("bg_cloud2"), cloud(-24, -11, 16, 8, 170, 0), cloud(20, -3, 14, 7, 150, 90_000)),
		twmap.NewQuadLayer("Clouds", a.index("bg_cloud3"), cloud(-6, -13, 7, 3.5, 160, 40_000), cloud(5, -1, 8, 4, 130, 200_000)),
	)
	near := twmap.NewGroup("Clouds", 14, 10,
		twmap.NewQuadLayer("Clouds", a.index("bg_cloud1"), cloud(-16, -5, 22, 11, 225, 120_000), cloud(34, -6, 20, 10, 225, 0)),
		twmap.NewQuadLayer("Clouds", a.index("bg_cloud3"), cloud(16, -9, 11, 5.5, 215, 60_000), cloud(-30, -10, 10, 5, 215, 250_000)),
	)

	haze := twmap.Color{R: 214, G: 230, B: 246, A: 255}
	far := twmap.NewQuadLayer("Mountains", a.index("mountains"))
	front := twmap.NewQuadLayer("Mountains", a.index("mountains"))
	for i := -2; i < 4; i++ {
		q := twmap.NewQuad(float64(i)*26-9, -3, 26, 13).Shaded(twmap.Color{R: 186, G: 212, B: 255, A: 255}, haze)
		if i%2 != 0 {
			q = q.Mirrored()
		}
		far.Quads = append(far.Quads, q)
		q = twmap.NewQuad(float64(i)*34, -1, 34, 17).Shaded(twmap.Color{R: 224, G: 236, B: 250, A: 255}, twmap.Color{R: 176, G: 206, B: 176, A: 255})
		if i%2 == 0 {
			q = q.Mirrored()
		}
		front.Quads = append(front.Quads, q)
	}
	return []twmap.Group{
		twmap.NewGroup("Sky", 0, 0, sky),
		twmap.NewGroup("Sun", 2, 2, beams, sun),
		high,
		twmap.NewGroup("Range", 10, 10, far),
		near,
		twmap.NewGroup("Hills", 20, 20, front),
	}
}

// yardMeadow returns the hedge and the meadow behind the yard.
func yardMeadow(a *imageList) twmap.Group {
	jungle := a.index("jungle_doodads")
	region := func(q twmap.Quad, s sprite) twmap.Quad {
		const tile = 1024 / 16
		// Leave out one pixel on every side, since textures wrap when they are filtered.
		x0, y0 := int32(s.sx)*tile+1, int32(s.sy)*tile+1
		x1, y1 := x0+int32(s.w)*tile-2, y0+int32(s.h)*tile-2
		q.TexCoords = [4]twmap.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x0, Y: y1}, {X: x1, Y: y1}}
		return q
	}
	back := twmap.NewQuadLayer("Hedge", jungle)
	front := twmap.NewQuadLayer("Hedge", jungle)
	for i := range 16 {
		x := float64(i)*8 - 30
		lift := float64(i*i%5) * 0.5
		q := region(twmap.NewQuad(x, 10.4-lift, 13, 4.6), hedge).Shaded(twmap.Color{R: 214, G: 255, B: 255, A: 255},
			twmap.Color{R: 160, G: 230, B: 200, A: 255})
		back.Quads = append(back.Quads, q)
		q = region(twmap.NewQuad(x+4, 12.8, 12, 4), hedge).Shaded(twmap.Color{R: 190, G: 240, B: 190, A: 255}, twmap.Color{R: 120, G: 190, B: 130, A: 255})
		if i%2 == 0 {
			q = q.Mirrored()
		}
		front.Quads = append(front.Quads, q)
	}
	dark := twmap.Color{R: 40, G: 74, B: 34, A: 255}
	meadow := twmap.NewQuadLayer("Meadow", twmap.None,
		twmap.NewQuad(-60, 11.6, 200, 1.4).Shaded(twmap.Color{R: 40, G: 74, B: 34}, dark),
		twmap.NewQuad(-60, 13, 200, 4).Shaded(dark, dark),
		twmap.NewQuad(-60, 16.4, 200, 3).Shaded(twmap.Color{R: 96, G: 150, B: 70, A: 255}, twmap.Color{R: 60, G: 104, B: 52, A: 255}),
		twmap.NewQuad(-60, 19.4, 200, 42).Shaded(twmap.Color{R: 60, G: 104, B: 52, A: 255}, twmap.Color{R: 22, G: 44, B: 30, A: 255}),
	)
	return twmap.NewGroup("Meadow", 40, 40, back, meadow, front)
}

// yardGround returns the group of the game layer.
func yardGround(a *imageList, game *twmap.TileLayer) twmap.Group {
	w, h := game.Width, game.Height
	white := twmap.White
	shade := twmap.Color{R: 178, G: 190, B: 184, A: 255}

	backdrop := twmap.NewTileLayer("Cave", w, h, a.index("grass_main"))
	cave.Apply(backdrop, yardCave)

	far := decorLayers{album: a, name: "Far", width: w, height: h, color: shade}
	far.add(
		decoration{hedge, 0, 26, false},
		decoration{tree, 55, 38, true},
		decoration{hedge, 70, 26, true},
		decoration{tree, 29, 38, false},
		decoration{fence, 17, 28, false},
	)
	back := decorLayers{album: a, name: "Doodads", width: w, height: h, color: white}
	back.add(
		// Left hill and its platforms.
		decoration{tree, 11, 20, false},
		decoration{crossed, 15, 20, false},
		decoration{fence, 8, 26, false},
		decoration{bush, 4, 24, false},
		decoration{tree, 18, 29, false},
		decoration{hanging, 15, 26, false},
		decoration{redBulbs, 10, 23, false},
		// Middle.
		decoration{fence, 38, 22, false},
		decoration{tree, 45, 22, true},
		decoration{bush, 40, 22, true},
		decoration{hanging, 42, 31, false},
		decoration{hanging, 45, 31, true},
		decoration{fewBulbs, 25, 19, false},
		decoration{lantern, 30, 15, false},
		decoration{lantern, 24, 15, false},
		// Right hill and its platforms.
		decoration{globe, 71, 26, false},
		decoration{fence, 65, 29, false},
		decoration{lantern, 77, 26, false},
		decoration{tree, 58, 23, false},
		decoration{bush, 60, 14, false},
		decoration{blueBulbs, 70, 21, false},
		decoration{crossed, 73, 18, true},
		decoration{boulder, 69, 9, false},
		decoration{wallLampR, 81, 13, false},
		decoration{wallLampL, 5, 11, false},
		// Tunnels and basin.
		decoration{totem, 33, 37, false},
		decoration{totem, 51, 37, true},
		decoration{chest, 79, 38, false},
		decoration{hanging, 8, 37, false},
		decoration{hanging, 67, 37, false},
		decoration{hanging, 74, 37, true},
		decoration{props, 62, 38, false},
		decoration{boulder, 4, 38, false},
		decoration{rock, 18, 38, false},
	)

	spike := twmap.NewTileLayer("Spikes", w, h, a.index("generic_deathtiles"))
	drawSpikes(spike, game)
	ground := twmap.NewTileLayer("Ground", w, h, a.index("grass_main"))
	earth.Apply(ground, hasIndex(game, twmap.Solid))
	for _, at := range [][2]int{{1, 33}, {85, 14}, {8, 30}, {73, 29}, {24, 44}, {54, 44}} {
		ground.Stamp(at[0], at[1], 0, 4, 2, 2, false) // the bones of a tee
	}
	stone := twmap.NewTileLayer("Stone", w, h, a.index("generic_unhookable"))
	drawUnhookable(stone, game)

	grass := decorLayers{album: a, name: "Grass", width: w, height: h, color: white}
	grass.add(
		decoration{lawn, 4, 24, false}, decoration{tuft, 8, 26, false}, decoration{sprouts, 10, 26, false},
		decoration{tuft, 17, 28, false}, decoration{lawn, 18, 28, false},
		decoration{lawn, 10, 20, false}, decoration{sprouts, 15, 20, true},
		decoration{tuft, 13, 8, false}, decoration{sprouts, 17, 8, false},
		decoration{lawn, 26, 24, false}, decoration{stalks, 30, 24, false},
		decoration{sprouts, 25, 15, false}, decoration{lawn, 28, 15, false},
		decoration{tuft, 26, 29, false}, decoration{sprouts, 58, 29, false},
		decoration{lawn, 38, 22, false}, decoration{stalks, 41, 22, false}, decoration{sprouts, 43, 22, false}, decoration{lawn, 47, 22, true},
		decoration{lawn, 58, 23, false}, decoration{tuft, 62, 23, false},
		decoration{sprouts, 58, 14, false}, decoration{lawn, 61, 14, false},
		decoration{tuft, 68, 9, false}, decoration{lawn, 72, 9, false},
		decoration{lawn, 70, 18, false}, decoration{stalks, 75, 18, false},
		decoration{lawn, 67, 29, true}, decoration{sprouts, 74, 26, false}, decoration{lawn, 70, 26, false},
		decoration{tuft, 4, 14, false}, decoration{stalks, 82, 19, false},
		decoration{lawn, 23, 38, false}, decoration{tuft, 14, 38, false}, decoration{stalks, 11, 37, false},
		decoration{lawn, 30, 37, false}, decoration{sprouts, 55, 37, false},
		decoration{lawn, 64, 38, false}, decoration{sprouts, 69, 38, false}, decoration{tuft, 76, 37, false},
		decoration{fern, 80, 38, false}, decoration{fern, 24, 38, true},
	)

	g := twmap.NewGroup("Game", 100, 100, backdrop)
	far.appendTo(&g)
	back.appendTo(&g)
	g.Layers = append(g.Layers, spike, ground, stone, game)
	grass.appendTo(&g)
	return g
}

// yardCave reports whether a tile is part of the dark earth behind the tunnels and the basin.
func yardCave(x, y int) bool {
	top := 33
	switch {
	case x < 23:
		top = 31
	case x < 31, x >= 57 && x < 65:
		top = 33
	case x < 35, x >= 53 && x < 57:
		top = 35
	case x < 53:
		top = 38
	case x >= 65:
		top = 31
	}
	return y >= top
}
