package peers

import (
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
)

// Screenshot returns a copy of the screen. If TEEYARD_SHOTS names a folder, it also writes the
// picture there, to a file named after the test and the given name.
func (d *Display) Screenshot(name string) *image.NRGBA {
	d.t.Helper()
	img := d.Capture()
	if dir := os.Getenv("TEEYARD_SHOTS"); dir != "" {
		err := SavePNG(filepath.Join(dir, strings.ReplaceAll(d.t.Name(), "/", "_")+"-"+name+".png"), img)
		if err != nil {
			d.t.Fatal(err)
		}
	}
	return img
}

// Capture returns a copy of the screen.
func (d *Display) Capture() *image.NRGBA {
	d.t.Helper()
	b, err := os.ReadFile(d.xwdFile)
	if err != nil {
		d.t.Fatal(err)
	}
	img, err := parseDump(b)
	if err != nil {
		d.t.Fatal(err)
	}
	return img
}

var errDump = errors.New("peers: not an X window dump of 32 bits per pixel")

// parseDump parses an X window dump (xwd) with 32 bits per pixel, blue first. Xvfb keeps its screen
// in a file of this format.
func parseDump(b []byte) (*image.NRGBA, error) {
	const fields = 25
	if len(b) < 4*fields {
		return nil, errDump
	}
	field := func(i int) int { return int(binary.BigEndian.Uint32(b[4*i:])) }
	const (
		headerSize, version, width, height = 0, 1, 4, 5
		byteOrder, bitsPerPixel, stride    = 7, 11, 12
		colors, colorSize                  = 19, 12
	)
	w, h, line := field(width), field(height), field(stride)
	at := field(headerSize) + colorSize*field(colors) // offset of the first pixel
	if field(version) != 7 || field(byteOrder) != 0 || field(bitsPerPixel) != 32 || line < 4*w || at > len(b) || len(b)-at < line*h {
		return nil, errDump
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		from, to := b[at+y*line:][:4*w], img.Pix[y*img.Stride:][:4*w]
		for x := 0; x < len(from); x += 4 {
			to[x], to[x+1], to[x+2], to[x+3] = from[x+2], from[x+1], from[x], 255
		}
	}
	return img, nil
}

// SavePNG writes an image to a file.
func SavePNG(path string, img image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, img), f.Close())
}

// PixelShare returns the share of a rectangle's pixels for which hasColor returns true, from 0 to
// 1. An empty rectangle stands for the whole image.
func PixelShare(img *image.NRGBA, in image.Rectangle, hasColor func(r, g, b uint8) bool) float64 {
	if in.Empty() {
		in = img.Bounds()
	}
	in = in.Intersect(img.Bounds())
	n := 0
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			if c := img.NRGBAAt(x, y); hasColor(c.R, c.G, c.B) {
				n++
			}
		}
	}
	return float64(n) / float64(max(in.Dx()*in.Dy(), 1))
}

// HealthBar is the rectangle of the screen in which clients show the tee's health.
var HealthBar = image.Rect(10, 10, 268, 36)

// IsHeart reports whether a pixel has the colour of a full heart.
func IsHeart(r, g, b uint8) bool { return r > 170 && g < 90 && b < 100 }

// IsBlack reports whether a pixel is almost black.
func IsBlack(r, g, b uint8) bool { return r < 12 && g < 12 && b < 12 }
