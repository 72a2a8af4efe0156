// Package lookalike finds names that readers take for each other, such as "Tee" and "Тее" with
// Cyrillic letters. Its table of characters is DDNet-Server 16.4's.
package lookalike

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
)

//go:embed lookalikes.txt
var table string

// skeletons maps each character of the table to the characters that it looks like.
var skeletons = sync.OnceValue(func() map[rune]string {
	m := make(map[rune]string, 8192)
	for line := range strings.Lines(table) {
		if looks, chars, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			for _, r := range chars {
				m[r] = looks
			}
		}
	}
	return m
})

// Skeleton returns the appearance of a name: two names with the same skeleton look alike. It leaves
// out spaces, invisible characters and marks on other characters.
func Skeleton(name string) string {
	m := skeletons()
	var b strings.Builder
	for _, r := range name {
		switch looks, ok := m[r]; {
		case ok:
			b.WriteString(looks)
		case r == '\u2800' || r == '\uFFFC' || unicode.In(r, unicode.C, unicode.M, unicode.Z):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
