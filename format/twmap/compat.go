package twmap

// MakeCompatible converts features that old programs cannot read: compressed tile
// layers (version 4) become uncompressed, Bézier curves become smooth curves without
// tangents, and RGB images become RGBA. It reports whether it changed anything. The
// game layer's content stays the same.
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
	maxCompatTileVersion     = 3 // the newest uncompressed tile layer
	maxCompatEnvelopeVersion = 2 // the newest envelope without tangents
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

// hasRGBPixels reports whether an image has RGB pixels. An image made in code can have
// that format by accident, so the size is checked too.
func (img *Image) hasRGBPixels() bool {
	n := int64(img.Width) * int64(img.Height)
	return img.Format == formatRGB && img.Pixels != nil && n*3 == int64(len(img.Pixels))
}
