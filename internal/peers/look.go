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

// Shot takes a picture of the screen. If TEEYARD_SHOTS names a folder, it is
// kept there under the test's and the given name.
func (d *Display) Shot(name string) *image.NRGBA {
	d.t.Helper()
	b, err := os.ReadFile(d.memory)
	if err != nil {
		d.t.Fatal(err)
	}
	img, err := parseDump(b)
	if err != nil {
		d.t.Fatal(err)
	}
	if dir := os.Getenv("TEEYARD_SHOTS"); dir != "" {
		err := SavePNG(filepath.Join(dir, strings.ReplaceAll(d.t.Name(), "/", "_")+"-"+name+".png"), img)
		if err != nil {
			d.t.Fatal(err)
		}
	}
	return img
}

var errDump = errors.New("peers: not the screen dump that was expected")

// parseDump reads an X window dump (xwd) of 32 bits per pixel, blue first, as
// Xvfb keeps its screen in.
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
	at := field(headerSize) + colorSize*field(colors)
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

// SavePNG writes a picture.
func SavePNG(path string, img image.Image) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, img), f.Close())
}

// Share is the part of a picture's pixels, 0 to 1, for which is holds. Only the
// rectangle counts; an empty one stands for the whole picture.
func Share(img *image.NRGBA, in image.Rectangle, is func(r, g, b uint8) bool) float64 {
	if in.Empty() {
		in = img.Bounds()
	}
	in = in.Intersect(img.Bounds())
	n := 0
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			if c := img.NRGBAAt(x, y); is(c.R, c.G, c.B) {
				n++
			}
		}
	}
	return float64(n) / float64(max(in.Dx()*in.Dy(), 1))
}

// Hearts is the rectangle of the HUD in which the client shows the health.
var Hearts = image.Rect(10, 10, 268, 36)

// Red tells whether a pixel is of a full heart.
func Red(r, g, b uint8) bool { return r > 180 && g < 70 && b < 80 }

// Black tells whether a pixel is as good as black.
func Black(r, g, b uint8) bool { return r < 12 && g < 12 && b < 12 }
