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

// ruleInts and ruleBools list the rules in the order of the format. Rules that came later follow
// if they are not the default, which further bits of the set of ruleBools say.
func ruleInts(r *game.Rules) [12]*int32 {
	return [...]*int32{&r.Warmup, &r.Countdown, &r.ScoreLimit, &r.TimeLimit, &r.MatchesPerMap, &r.PlayerSlots, &r.MaxClients,
		&r.TournamentMode, &r.RespawnDelayTDM, &r.TeamBalanceTime, &r.InactiveTime, &r.InactiveAction}
}

func ruleBools(r *game.Rules) [12]*bool {
	return [...]*bool{&r.MapRotation, &r.MatchSwap, &r.Powerups, &r.TeamDamage, &r.ReadyMode, &r.SpamProtection,
		&r.InactiveSpecKick, &r.SilentSpectators, &r.StrictSpectate, &r.PureTuning, &r.VoteKick, &r.VoteSpectate}
}

func appendRules(dst []byte, r *game.Rules) []byte {
	for _, v := range ruleInts(r) {
		dst = appendInt(dst, *v)
	}
	dst = appendInt(dst, r.VoteKickMin)
	var set uint64
	for i, v := range ruleBools(r) {
		if *v {
			set |= 1 << i
		}
	}
	if r.InfoChangeDelay == defaultInfoChangeDelay {
		return binary.AppendUvarint(dst, set)
	}
	return appendInt(binary.AppendUvarint(dst, set|hasInfoChangeDelay), r.InfoChangeDelay)
}

var defaultInfoChangeDelay = game.DefaultRules().InfoChangeDelay

// hasInfoChangeDelay is the bit after those of ruleBools.
const hasInfoChangeDelay = 1 << 12

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
	for _, v := range ruleInts(r) {
		*v = s.int()
	}
	r.VoteKickMin = s.int()
	set := s.uvarint()
	for i, v := range ruleBools(r) {
		*v = set>>i&1 != 0
	}
	if r.InfoChangeDelay = defaultInfoChangeDelay; set&hasInfoChangeDelay != 0 {
		r.InfoChangeDelay = s.int()
	}
	if set>>(len(ruleBools(r))+1) != 0 {
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
