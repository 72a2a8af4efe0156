package twmap

// Plain turns what only newer programs read into what all do: compressed tile
// layers (version 4) become plain ones, Bézier curves smooth ones without
// tangents, and images without alpha get one. It reports whether there was
// anything to turn. What the game is played on stays the same.
func (m *Map) Plain() bool {
	changed := false
	for _, g := range m.Groups {
		for _, l := range g.Layers {
			if l, ok := l.(*TileLayer); ok && l.Version > maxPlainTiles {
				l.Version = maxPlainTiles
				changed = true
			}
		}
	}
	for i := range m.Envelopes {
		changed = m.Envelopes[i].plain() || changed
	}
	for i := range m.Images {
		changed = m.Images[i].plain() || changed
	}
	return changed
}

const (
	maxPlainTiles    = 3 // the newest tile layer that is a plain grid
	maxPlainEnvelope = 2 // the newest envelope whose points have no tangents
	curveSmooth      = 4
	formatRGB        = 0
	formatRGBA       = 1
)

func (e *Envelope) plain() bool {
	if e.Version <= maxPlainEnvelope {
		return false
	}
	e.Version = maxPlainEnvelope
	for i := range e.Points {
		p := &e.Points[i]
		p.Curve = min(p.Curve, curveSmooth)
		p.Tangents = [16]int32{}
	}
	return true
}

func (img *Image) plain() bool {
	if !img.rgb() {
		return false
	}
	rgba := make([]byte, 0, len(img.Pixels)/3*4)
	for p := img.Pixels; len(p) >= 3; p = p[3:] {
		rgba = append(rgba, p[0], p[1], p[2], 0xff)
	}
	img.Format, img.Pixels = formatRGBA, rgba
	return true
}

// rgb tells whether an image has pixels, and no alpha. One that was made in code may
// have the format by accident: its size tells.
func (img *Image) rgb() bool {
	n := int64(img.Width) * int64(img.Height)
	return img.Format == formatRGB && img.Pixels != nil && n*3 == int64(len(img.Pixels))
}
