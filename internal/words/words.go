// Package words puts numbers into sentences.
package words

import (
	"fmt"
	"strings"
)

// Integer is a type of counts.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Count returns a number and what is counted, such as "1 line", "2 lines" and "0 entries". The noun
// is in the singular, and the last word of it if it has several.
func Count[N Integer](n N, noun string) string {
	if n != 1 {
		noun = plural(noun)
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Clause returns what Count does, and a verb in the form that fits, such as "1 line is missing".
func Clause[N Integer](n N, noun, singular, plural string) string {
	if n == 1 {
		plural = singular
	}
	return Count(n, noun) + " " + plural
}

func plural(noun string) string {
	stem, isY := strings.CutSuffix(noun, "y")
	switch {
	case noun == "":
		return ""
	case isY && stem != "" && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])):
		return stem + "ies"
	}
	for _, end := range []string{"s", "x", "z", "ch", "sh"} {
		if strings.HasSuffix(noun, end) {
			return noun + "es"
		}
	}
	return noun + "s"
}
