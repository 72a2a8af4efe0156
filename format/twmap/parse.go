package twmap

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"unsafe"

	"github.com/teeyard/teeyard/format/datafile"
)

// Config contains the parameters of Parse. The zero value is ready to use.
type Config struct {
	// MaxDecoded limits the memory of the parsed map in bytes. 0 means 64 MiB plus 64 times the
	// length of the file, but at most 512 MiB. That is enough for the largest known maps, whose
	// empty layers compress by a factor of hundreds.
	MaxDecoded int
	// GameOnly skips embedded images, sounds, quads, and the tiles of all layers except the game
	// layer and DDNet's kinds. The rest is enough for a server. Such a map cannot be written again.
	GameOnly bool
}

// Parse reads a map with the default Config. The result does not refer to b.
func Parse(b []byte) (*Map, error) { return Config{}.Parse(b) }

// Parse reads a map. The result does not refer to b.
func (c Config) Parse(b []byte) (*Map, error) {
	f, err := datafile.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("twmap: %w", err)
	}
	budget := c.MaxDecoded
	if budget <= 0 {
		budget = defaultMaxDecoded(len(b))
	}
	p := parser{
		f:      f,
		cfg:    c,
		budget: budget,
		m:      &Map{Size: len(b), CRC: crc32.ChecksumIEEE(b), SHA256: sha256.Sum256(b)},
	}
	for _, step := range []func() error{p.checkVersion, p.parseInfo, p.parseImages, p.parseSounds, p.parseEnvelopes, p.parseGroups, p.parseUnknownItems} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p.m, nil
}

// defaultMaxDecoded is the default of Config.MaxDecoded for a file of n bytes.
func defaultMaxDecoded(n int) int { return min(64<<20+64*n, 512<<20) }

type parser struct {
	f      *datafile.File
	cfg    Config
	budget int // bytes left
	m      *Map
}

// takeBudget subtracts n bytes from the budget before they are allocated.
func (p *parser) takeBudget(n int64, what string, i int) error {
	if n > int64(p.budget) {
		return fmt.Errorf("%w: %s %d needs %d bytes; %d are left", ErrTooLarge, what, i, n, p.budget)
	}
	p.budget -= int(n)
	return nil
}

// readBlock reads the data block that item i refers to. For -1 it returns nil. Errors name the item
// by its kind, what, and by i.
func (p *parser) readBlock(ref int32, what string, i int) ([]byte, error) {
	if ref == None {
		return nil, nil
	}
	b, err := p.f.Block(int(ref), p.budget)
	if err != nil {
		if errors.Is(err, datafile.ErrLimit) {
			err = fmt.Errorf("%w: %w", ErrTooLarge, err)
		}
		return nil, fmt.Errorf("twmap: %s %d: %w", what, i, err)
	}
	if err := p.takeBudget(int64(len(b)), what, i); err != nil {
		return nil, err
	}
	if p.f.Version() == 3 {
		b = bytes.Clone(b) // the block points into the file
	}
	return b, nil
}

// returnBudget returns n bytes to the budget after a block was converted and freed. Only converted
// bytes are returned. The budget then also limits the time: a map cannot cause large blocks to be
// decompressed for small layers again and again.
func (p *parser) returnBudget(n int) { p.budget += n }

const (
	// maxText limits a name, or a text about the map, in bytes. The original's texts have up to 128
	// bytes.
	maxText = 64 << 10
	// maxSettings and settingsPerByte limit the settings, in bytes and in bytes per byte of the
	// file. An ordinary text does not compress to less than a tenth; a text made for the purpose
	// compresses to a thousandth.
	maxSettings     = 256 << 10
	settingsPerByte = 32
)

// checkSize returns an error if the data block of a text declares more than the allowed bytes.
// checkSize does so before the block is decompressed.
func (p *parser) checkSize(ref int32, most int, what string, i int) error {
	if size := p.f.BlockSize(int(ref)); size > most {
		return fmt.Errorf("%w: %s %d has %d bytes; the limit is %d", ErrTooLarge, what, i, size, most)
	}
	return nil
}

// readString reads a NUL-terminated string from a data block.
func (p *parser) readString(ref int32, what string, i int) (string, error) {
	if err := p.checkSize(ref, maxText, what, i); err != nil {
		return "", err
	}
	b, err := p.readBlock(ref, what, i)
	if err != nil {
		return "", err
	}
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b), nil
}

func (p *parser) checkVersion() error {
	it, ok := p.f.FindItem(itemVersion, 0)
	if !ok {
		return fmt.Errorf("%w: no version item", ErrFormat)
	}
	if v := it.Int(0); v != 1 {
		return fmt.Errorf("%w: map version %d, want 1", ErrFormat, v)
	}
	return nil
}

func (p *parser) parseInfo() error {
	it, ok := p.f.FindItem(itemInfo, 0)
	if !ok {
		return nil
	}
	in := &p.m.Info
	for i, s := range []*string{&in.Author, &in.Version, &in.Credits, &in.License} {
		if it.Len() < i+2 {
			return nil
		}
		var err error
		if *s, err = p.readString(it.Int(i+1), "info field", i); err != nil {
			return err
		}
	}
	if it.Len() < 6 {
		return nil
	}
	if err := p.checkSize(it.Int(5), maxSettings+settingsPerByte*p.m.Size, "info field", 4); err != nil {
		return err
	}
	b, err := p.readBlock(it.Int(5), "info field", 4)
	if err != nil {
		return err
	}
	// All lines share a copy of the text. Each line also costs a string header.
	lines := bytes.Count(b, []byte{0}) + 1
	if err := p.takeBudget(int64(len(b))+int64(lines)*int64(unsafe.Sizeof("")), "info field", 4); err != nil {
		return err
	}
	if len(b) > 0 {
		in.Settings = make([]string, 0, lines)
	}
	for text := string(b); text != ""; {
		var line string
		line, text, _ = strings.Cut(text, "\x00")
		in.Settings = append(in.Settings, line)
	}
	p.returnBudget(len(b))
	return nil
}

func (p *parser) parseImages() error {
	items := p.f.ItemsOf(itemImage)
	for i, it := range items {
		img := Image{Width: it.Int(1), Height: it.Int(2), External: it.Int(3) != 0, Format: 1}
		if it.Int(0) >= 2 {
			img.Format = it.Int(6)
		}
		if it.Len() < 6 {
			return fmt.Errorf("%w: image %d has %d fields, want 6", ErrFormat, i, it.Len())
		}
		var err error
		if img.Name, err = p.readString(it.Int(4), "image", i); err != nil {
			return err
		}
		if !img.External && !p.cfg.GameOnly {
			if img.Pixels, err = p.readBlock(it.Int(5), "image", i); err != nil {
				return err
			}
		}
		p.m.Images = append(p.m.Images, img)
	}
	return nil
}

func (p *parser) parseSounds() error {
	for i, it := range p.f.ItemsOf(itemSound) {
		// version, external, name, data, size
		s := Sound{External: it.Int(1) != 0}
		if it.Len() < 4 {
			return fmt.Errorf("%w: sound %d has %d fields, want 4", ErrFormat, i, it.Len())
		}
		var err error
		if s.Name, err = p.readString(it.Int(2), "sound", i); err != nil {
			return err
		}
		if !s.External && !p.cfg.GameOnly {
			if s.Data, err = p.readBlock(it.Int(3), "sound", i); err != nil {
				return err
			}
		}
		p.m.Sounds = append(p.m.Sounds, s)
	}
	return nil
}

func (p *parser) parseEnvelopes() error {
	envs := p.f.ItemsOf(itemEnvelope)
	stride := intsPerPoint(envs)
	points, _ := p.f.FindItem(itemEnvPoints, 0)
	total := int64(points.Len() / stride)
	for i, it := range envs {
		e := Envelope{Version: it.Int(0), Channels: it.Int(1), Name: intsToString(it, 4, 8)}
		if e.Version >= 2 {
			e.Synchronized = it.Int(12) != 0
		}
		first, n := int64(it.Int(2)), int64(it.Int(3))
		if first < 0 || n < 0 || first+n > total {
			return fmt.Errorf("%w: envelope %d has points %d..%d of %d", ErrFormat, i, first, first+n, total)
		}
		if err := p.takeBudget(n*int64(unsafe.Sizeof(EnvPoint{})), "envelope", i); err != nil {
			return err
		}
		if n > 0 {
			e.Points = make([]EnvPoint, n)
		}
		for j := range e.Points {
			at := (int(first) + j) * stride
			pt := &e.Points[j]
			pt.Time, pt.Curve = points.Int(at), points.Int(at+1)
			for k := range pt.Values {
				pt.Values[k] = points.Int(at + 2 + k)
			}
			for k := range stride - intsPerOldPoint {
				pt.Tangents[k] = points.Int(at + intsPerOldPoint + k)
			}
		}
		p.m.Envelopes = append(p.m.Envelopes, e)
	}
	return nil
}

// intsPerOldPoint and intsPerTangentPoint are the number of integers of an envelope point without
// and with tangents.
const (
	intsPerOldPoint     = 6
	intsPerTangentPoint = 22
)

// intsPerPoint returns the number of integers per envelope point in a file with these envelopes. A
// single program writes the whole file, so one envelope of version 3 decides.
func intsPerPoint(envelopes []datafile.Item) int {
	if slices.ContainsFunc(envelopes, func(it datafile.Item) bool { return it.Int(0) >= 3 }) {
		return intsPerTangentPoint
	}
	return intsPerOldPoint
}

func (p *parser) parseGroups() error {
	layers := p.f.ItemsOf(itemLayer)
	taken := make([]bool, len(layers))
	for i, it := range p.f.ItemsOf(itemGroup) {
		g := Group{
			Version: it.Int(0),
			OffsetX: it.Int(1), OffsetY: it.Int(2),
			ParallaxX: it.Int(3), ParallaxY: it.Int(4),
		}
		first, n := int64(it.Int(5)), int64(it.Int(6))
		if first < 0 || n < 0 || first+n > int64(len(layers)) {
			return fmt.Errorf("%w: group %d has layers %d..%d of %d", ErrFormat, i, first, first+n, len(layers))
		}
		if g.Version >= 2 && it.Int(7) != 0 {
			g.Clip = &Rect{it.Int(8), it.Int(9), it.Int(10), it.Int(11)}
		}
		if g.Version >= 3 {
			g.Name = intsToString(it, 12, 3)
		}
		for j := int(first); j < int(first+n); j++ {
			if taken[j] {
				return fmt.Errorf("%w: group %d has layer %d, but so has an earlier group", ErrFormat, i, j)
			}
			taken[j] = true
			l, err := p.parseLayer(layers[j], j)
			if err != nil {
				return err
			}
			g.Layers = append(g.Layers, l)
		}
		p.m.Groups = append(p.m.Groups, g)
	}
	return nil
}

func (p *parser) parseLayer(it datafile.Item, i int) (Layer, error) {
	switch it.Int(1) {
	case layerTiles:
		return p.parseTileLayer(it, i)
	case layerQuads:
		return p.parseQuadLayer(it, i)
	case layerSounds, layerSoundsDeprecated:
		return p.parseSoundLayer(it, i)
	}
	return &RawLayer{Ints: it.Ints()}, nil
}

// parseUnknownItems keeps items of unknown types.
func (p *parser) parseUnknownItems() error {
	for _, it := range p.f.Items() {
		if it.Type > itemSound {
			p.m.UnknownItems = append(p.m.UnknownItems, UnknownItem{Type: it.Type, ID: it.ID, Ints: it.Ints()})
		}
	}
	return nil
}

// intsToString decodes a name packed into n integers of four characters each, the most significant
// first, with an offset of 128. The last character is always a NUL.
func intsToString(it datafile.Item, first, n int) string {
	if it.Len() < first+n {
		return ""
	}
	var buf [32]byte
	out := buf[:0]
	for i := range n {
		out = binary.BigEndian.AppendUint32(out, uint32(it.Int(first+i))^0x80808080)
	}
	out, _, _ = bytes.Cut(out[:4*n-1], []byte{0})
	return string(out)
}
