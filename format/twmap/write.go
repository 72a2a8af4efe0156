package twmap

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/teeyard/teeyard/format/datafile"
)

// Bytes returns the map as a data file of version 4. Bytes returns an error if a layer's tiles do
// not match its size, or if the map has more items or data blocks than a file can hold. Equal maps
// give equal bytes within one version of the Go toolchain.
func (m *Map) Bytes() ([]byte, error) {
	w := &mapWriter{m: m}
	w.out.AddItem(itemVersion, 0, []int32{1})
	w.addInfo()
	w.addImages()
	w.addEnvelopes()
	if err := w.addGroups(); err != nil {
		return nil, err
	}
	for i, s := range m.Sounds {
		data, size := int32(None), int32(0)
		if !s.External {
			data, size = w.out.AddBlock(s.Data), int32(len(s.Data))
		}
		w.out.AddItem(itemSound, uint16(i), []int32{1, boolToInt(s.External), w.addString(s.Name), data, size})
	}
	for _, e := range m.UnknownItems {
		w.out.AddItem(e.Type, e.ID, e.Ints)
	}
	b, err := w.out.Bytes()
	if err != nil {
		return nil, fmt.Errorf("twmap: %w", err)
	}
	return b, nil
}

type mapWriter struct {
	m      *Map
	out    datafile.Writer
	layers int
}

func boolToInt(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

func (w *mapWriter) addString(s string) int32 {
	return w.out.AddBlock(append([]byte(s), 0))
}

// addOptionalBlock adds a block and returns its number, or None if b is nil.
func (w *mapWriter) addOptionalBlock(b []byte) int32 {
	if b == nil {
		return None
	}
	return w.out.AddBlock(b)
}

func (w *mapWriter) addInfo() {
	in := w.m.Info
	ints := []int32{1}
	for _, s := range []string{in.Author, in.Version, in.Credits, in.License} {
		ref := int32(None)
		if s != "" {
			ref = w.addString(s)
		}
		ints = append(ints, ref)
	}
	if len(in.Settings) > 0 {
		ints = append(ints, w.out.AddBlock(settingsBlock(in.Settings)))
	}
	w.out.AddItem(itemInfo, 0, ints)
}

// infoInts is the number of integers in an info item with settings. The last one is the number of
// the settings' block.
const infoInts = 6

func settingsBlock(settings []string) (b []byte) {
	for _, s := range settings {
		b = append(append(b, s...), 0)
	}
	return b
}

func (w *mapWriter) addImages() {
	for i, img := range w.m.Images {
		name := w.addString(img.Name)
		data := w.addOptionalBlock(img.Pixels)
		// Version 1 is written by 0.6 editors and readable by every program. RGBA images do not
		// need the format field. Format 0 means RGB if the pixels are RGB, and is otherwise an
		// unset field.
		ints := []int32{1, img.Width, img.Height, boolToInt(img.External), name, data}
		if img.Format != formatRGBA && (img.Format != formatRGB || img.hasRGBPixels()) {
			ints[0] = 2
			ints = append(ints, img.Format)
		}
		w.out.AddItem(itemImage, uint16(i), ints)
	}
}

func (w *mapWriter) addEnvelopes() {
	tangents := slices.ContainsFunc(w.m.Envelopes, func(e Envelope) bool { return e.Version >= 3 })
	var points []int32
	n := int32(0)
	for i, e := range w.m.Envelopes {
		v := cmp.Or(e.Version, 2)
		ints := []int32{v, e.Channels, n, int32(len(e.Points))}
		ints = appendName(ints, e.Name, 8)
		if v >= 2 {
			ints = append(ints, boolToInt(e.Synchronized))
		}
		w.out.AddItem(itemEnvelope, uint16(i), ints)
		for _, p := range e.Points {
			points = append(points, p.Time, p.Curve)
			points = append(points, p.Values[:]...)
			if tangents {
				points = append(points, p.Tangents[:]...)
			}
		}
		n += int32(len(e.Points))
	}
	// Written even if empty, because the original requires it.
	w.out.AddItem(itemEnvPoints, 0, points)
}

func (w *mapWriter) addGroups() error {
	for i, g := range w.m.Groups {
		v := cmp.Or(g.Version, 3)
		ints := []int32{v, g.OffsetX, g.OffsetY, g.ParallaxX, g.ParallaxY, int32(w.layers), int32(len(g.Layers))}
		if v >= 2 {
			clip := []int32{0, 0, 0, 0, 0}
			if c := g.Clip; c != nil {
				clip = []int32{1, c.X, c.Y, c.W, c.H}
			}
			ints = append(ints, clip...)
		}
		if v >= 3 {
			ints = appendName(ints, g.Name, 3)
		}
		w.out.AddItem(itemGroup, uint16(i), ints)
		for _, l := range g.Layers {
			ints, err := w.encodeLayer(l)
			if err != nil {
				return fmt.Errorf("twmap: group %d %q: %w", i, g.Name, err)
			}
			w.out.AddItem(itemLayer, uint16(w.layers), ints)
			w.layers++
		}
	}
	return nil
}

// The first field of every layer item is a version that readers ignore and editors leave
// uninitialised or 0.
func (w *mapWriter) encodeLayer(l Layer) ([]int32, error) {
	switch l := l.(type) {
	case *TileLayer:
		return w.encodeTileLayer(l)
	case *QuadLayer:
		return w.encodeQuadLayer(l), nil
	case *SoundLayer:
		typ := int32(layerSounds)
		if l.Deprecated {
			typ = layerSoundsDeprecated
		}
		data := w.addOptionalBlock(l.Sources)
		return appendName([]int32{0, typ, l.Flags, l.Version, l.Count, data, l.Sound}, l.Name, 3), nil
	case *RawLayer:
		return l.Ints, nil
	}
	return nil, fmt.Errorf("%w: unknown layer %T", ErrFormat, l)
}

func (w *mapWriter) encodeTileLayer(l *TileLayer) ([]int32, error) {
	if l.Width <= 0 || l.Height <= 0 || len(l.Tiles) != l.Width*l.Height {
		return nil, fmt.Errorf("%w: tile layer %q is %d×%d tiles and has %d", ErrFormat, l.Name, l.Width, l.Height, len(l.Tiles))
	}
	v := cmp.Or(l.Version, 3)
	var data []byte
	if v >= 4 {
		data = appendTileRuns(nil, l.Tiles)
	} else {
		data = appendTiles(make([]byte, 0, 4*len(l.Tiles)), l.Tiles)
	}
	c := l.Color
	ints := []int32{
		0, layerTiles, l.Flags, v, int32(l.Width), int32(l.Height), int32(l.Kind),
		c.R, c.G, c.B, c.A, l.ColorEnv, l.ColorEnvOffset, l.Image, w.out.AddBlock(data),
	}
	if v >= 3 {
		ints = appendName(ints, l.Name, 3)
	}
	if l.DDNetData != nil {
		for _, b := range l.DDNetData {
			ints = append(ints, w.addOptionalBlock(b))
		}
	}
	return ints, nil
}

// appendTiles is the inverse of decodeTiles.
func appendTiles(dst []byte, tiles []Tile) []byte {
	for _, t := range tiles {
		dst = append(dst, t.Index, t.Flags, t.Skip, t.Reserved)
	}
	return dst
}

func (w *mapWriter) encodeQuadLayer(l *QuadLayer) []int32 {
	v := cmp.Or(l.Version, 2)
	data := make([]byte, 0, quadBytes*len(l.Quads))
	for i := range l.Quads {
		q := l.Quads[i]
		for _, f := range q.fields() {
			data = binary.LittleEndian.AppendUint32(data, uint32(*f))
		}
	}
	ref := w.out.AddBlock(data)
	ints := []int32{0, layerQuads, l.Flags, v, int32(len(l.Quads)), ref, l.Image}
	if v >= 2 {
		ints = appendName(ints, l.Name, 3)
	}
	return ints
}

// appendName packs a name into n integers; see intsToString. appendName cuts the name to fit with
// its NUL.
func appendName(dst []int32, name string, n int) []int32 {
	var buf [32]byte
	copy(buf[:4*n-1], name)
	for i := range n {
		v := binary.BigEndian.Uint32(buf[4*i:]) ^ 0x80808080
		if i == n-1 {
			v &= 0xffffff00 // the last character is an unencoded zero
		}
		dst = append(dst, int32(v))
	}
	return dst
}

// hasRGBPixels reports whether an image contains RGB pixels. Images made in code can have the RGB
// format by accident, so the size is checked too.
func (img *Image) hasRGBPixels() bool {
	n := int64(img.Width) * int64(img.Height)
	return img.Format == formatRGB && img.Pixels != nil && n*3 == int64(len(img.Pixels))
}
