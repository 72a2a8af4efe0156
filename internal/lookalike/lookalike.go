// Package lookalike finds names that readers take for each other, such as "Tee" and "Тее" with
// letters of Cyrillic. It knows what DDNet-Server 16.4 knows.
package lookalike

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
)

//go:embed lookalikes.txt
var table string

// skeletons has what the characters of the table look like.
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

// Skeleton returns what a name looks like: two names with the same skeleton can be taken for each
// other. Spaces and what shows nothing or only marks other characters are left out.
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
