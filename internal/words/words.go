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

// Count returns a number with a noun, such as "1 line", "2 lines" and "0 entries". The noun is
// given in the singular. In a noun of several words, the last word gets the plural.
func Count[N Integer](n N, noun string) string {
	if n != 1 {
		noun = plural(noun)
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Clause returns Count with a verb in the fitting form, such as "1 line is missing".
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
