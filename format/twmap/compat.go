package twmap

// MakeCompatible turns what only newer programs read into what all do: compressed tile
// layers (version 4) become plain ones, Bézier curves smooth ones without
// tangents, and images without alpha get one. It reports whether there was
// anything to turn. What the game is played on stays the same.
func (m *Map) MakeCompatible() bool {
	changed := false
	for _, g := range m.Groups {
		for _, l := range g.Layers {
			if l, ok := l.(*TileLayer); ok && l.Version > maxCompatTileVersion {
				l.Version = maxCompatTileVersion
				changed = true
			}
		}
	}
	for i := range m.Envelopes {
		changed = m.Envelopes[i].makeCompatible() || changed
	}
	for i := range m.Images {
		changed = m.Images[i].makeCompatible() || changed
	}
	return changed
}

const (
	maxCompatTileVersion     = 3 // the newest tile layer that is a plain grid
	maxCompatEnvelopeVersion = 2 // the newest envelope whose points have no tangents
	curveSmooth              = 4
	formatRGB                = 0
	formatRGBA               = 1
)

func (e *Envelope) makeCompatible() bool {
	if e.Version <= maxCompatEnvelopeVersion {
		return false
	}
	e.Version = maxCompatEnvelopeVersion
	for i := range e.Points {
		p := &e.Points[i]
		p.Curve = min(p.Curve, curveSmooth)
		p.Tangents = [16]int32{}
	}
	return true
}

func (img *Image) makeCompatible() bool {
	if !img.hasRGBPixels() {
		return false
	}
	rgba := make([]byte, 0, len(img.Pixels)/3*4)
	for p := img.Pixels; len(p) >= 3; p = p[3:] {
		rgba = append(rgba, p[0], p[1], p[2], 0xff)
	}
	img.Format, img.Pixels = formatRGBA, rgba
	return true
}

// hasRGBPixels reports whether an image has pixels, and no alpha. One that was made in code may
// have the format by accident: its size tells.
func (img *Image) hasRGBPixels() bool {
	n := int64(img.Width) * int64(img.Height)
	return img.Format == formatRGB && img.Pixels != nil && n*3 == int64(len(img.Pixels))
}
