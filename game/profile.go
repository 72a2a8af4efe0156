package game

import (
	"strings"
	"unicode/utf8"
)

// The sizes of a profile's strings, in bytes.
const (
	MaxName     = 15
	MaxClan     = 11
	MaxSkinPart = 23
)

// cut returns a copy of s up to its first NUL and at most n bytes, not ending
// within a code point.
func cut(s string, n int) string {
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

// sanitize brings a profile into bounds.
func (p *Profile) sanitize() {
	p.Name = strings.TrimLeftFunc(p.Name, invisible)
	if p.Name = cut(p.Name, MaxName); p.Name == "" {
		p.Name = "(1)"
	}
	p.Clan = cut(p.Clan, MaxClan)
	for i := range p.Skin.Part {
		p.Skin.Part[i] = cut(p.Skin.Part[i], MaxSkinPart)
	}
}
