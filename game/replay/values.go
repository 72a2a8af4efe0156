package replay

import (
	"encoding/binary"

	"github.com/teeyard/teeyard/game"
)

// Numbers are varints of encoding/binary, zigzag encoded if they can be negative;
// texts start with their length.

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendInt(dst []byte, v int32) []byte { return binary.AppendVarint(dst, int64(v)) }

func appendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// appendRules writes the numbers of game.RuleSettings, then a set of bits for the switches. Further
// bits say which late rules follow, because they are not the default.
func appendRules(dst []byte, r *game.Rules) []byte {
	var set, bit uint64 = 0, 1
	var late []byte
	for _, s := range game.RuleSettings() {
		n := s.Value(r)
		switch {
		case s.Late:
			if n != s.Default {
				set |= bit
				late = appendInt(late, n)
			}
		case s.Number != nil:
			dst = appendInt(dst, n)
			continue
		case n != 0:
			set |= bit
		}
		bit <<= 1
	}
	return append(binary.AppendUvarint(dst, set), late...)
}

func appendTuning(dst []byte, t *game.Tuning) []byte {
	for _, v := range t {
		dst = appendInt(dst, v)
	}
	return dst
}

func appendProfile(dst []byte, p *game.Profile) []byte {
	dst = appendText(dst, p.Name)
	dst = appendText(dst, p.Clan)
	dst = appendInt(dst, p.Country)
	for i := range p.Skin.PartNames {
		dst = appendText(dst, p.Skin.PartNames[i])
		dst = appendBool(dst, p.Skin.UseCustomColors[i])
		dst = appendInt(dst, p.Skin.PartColors[i])
	}
	return dst
}

// fieldReader decodes values. After the first error failed is set and all further
// values are zero.
type fieldReader struct {
	b      []byte
	failed bool
}

func (s *fieldReader) fail() { s.b, s.failed = nil, true }

func (s *fieldReader) uvarint() uint64 {
	v, n := binary.Uvarint(s.b)
	if n <= 0 {
		s.fail()
		return 0
	}
	s.b = s.b[n:]
	return v
}

func (s *fieldReader) varint() int64 {
	v, n := binary.Varint(s.b)
	if n <= 0 {
		s.fail()
		return 0
	}
	s.b = s.b[n:]
	return v
}

// int decodes an int32.
func (s *fieldReader) int() int32 {
	v := s.varint()
	if v != int64(int32(v)) {
		s.fail()
		return 0
	}
	return int32(v)
}

func (s *fieldReader) byte() byte {
	if len(s.b) == 0 {
		s.fail()
		return 0
	}
	c := s.b[0]
	s.b = s.b[1:]
	return c
}

func (s *fieldReader) bool() bool {
	c := s.byte()
	if c > 1 {
		s.fail()
	}
	return c == 1
}

func (s *fieldReader) uint64() uint64 {
	if b := s.raw(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// raw returns n bytes of the input without copying.
func (s *fieldReader) raw(n int) []byte {
	if n < 0 || n > len(s.b) {
		s.fail()
		return nil
	}
	b := s.b[:n:n]
	s.b = s.b[n:]
	return b
}

func (s *fieldReader) readText() string { return string(s.readBytes()) }

// readBytes decodes a text without copying, nil for an empty one.
func (s *fieldReader) readBytes() []byte {
	n := s.uvarint()
	if n == 0 {
		return nil
	}
	if n > uint64(len(s.b)) {
		s.fail()
		return nil
	}
	return s.raw(int(n))
}

func (s *fieldReader) readRules(r *game.Rules) {
	var set uint64
	first := true
	for _, rule := range game.RuleSettings() {
		if rule.Number != nil && !rule.Late {
			rule.Set(r, s.int())
			continue
		}
		if first {
			set, first = s.uvarint(), false
		}
		has := set&1 != 0
		set >>= 1
		switch {
		case !rule.Late:
			*rule.Switch(r) = has
		case has:
			rule.Set(r, s.int())
		default:
			rule.Set(r, rule.Default)
		}
	}
	if set != 0 {
		s.fail()
	}
}

func (s *fieldReader) readTuning(t *game.Tuning) {
	for i := range t {
		t[i] = s.int()
	}
}

func (s *fieldReader) readProfile(p *game.Profile) {
	p.Name, p.Clan = s.readText(), s.readText()
	p.Country = s.int()
	for i := range p.Skin.PartNames {
		p.Skin.PartNames[i] = s.readText()
		p.Skin.UseCustomColors[i] = s.bool()
		p.Skin.PartColors[i] = s.int()
	}
}
