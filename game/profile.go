package game

import (
	"strings"
	"unicode/utf8"
)

// The maximum lengths of the strings of a [Profile], in bytes.
const (
	MaxNameLen     = 15
	MaxClanLen     = 11
	MaxSkinPartLen = 23
)

// cutString returns a copy of s up to its first NUL and at most n bytes, without
// splitting a code point.
func cutString(s string, n int) string {
	if i := strings.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	if len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.Clone(s)
}

// CutName returns the part of a name that fits into a profile: at most MaxNameLen bytes, up to the
// first NUL, without splitting a code point.
func CutName(name string) string { return cutString(name, MaxNameLen) }

// sanitize limits a profile to valid values.
func (p *Profile) sanitize() {
	p.Name = strings.TrimLeftFunc(p.Name, isInvisible)
	if p.Name = CutName(p.Name); p.Name == "" {
		p.Name = "(1)"
	}
	p.Clan = cutString(p.Clan, MaxClanLen)
	for i := range p.Skin.PartNames {
		p.Skin.PartNames[i] = cutString(p.Skin.PartNames[i], MaxSkinPartLen)
	}
}
