package teehistorian_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestDamaged truncates recordings and flips single bits. Everything before the damage must be
// read. Truncation is always an error that names the byte, even between two records. A flipped bit
// is an error unless the file then has a different meaning: the format has no checksums.
func TestDamaged(t *testing.T) {
	for name, whole := range recordings(t) {
		records, err := read(whole)
		testenv.Require(t, err == io.EOF, "%s: %v", name, err)
		for d := range testenv.Damaged(whole, 300) {
			got, err := read(d.File)
			if d.Cut {
				sentinel, place := teehistorian.ErrCutOff, fmt.Sprintf("after byte %d", d.At)
				if d.At == 0 {
					sentinel, place = teehistorian.ErrFormat, "empty"
				}
				testenv.Check(t, errors.Is(err, sentinel) && strings.Contains(err.Error(), place), "%s, %v: %v", name, d, err)
				isBeginning := slices.EqualFunc(got, records[:len(got)], func(a, b teehistorian.Record) bool { return reflect.DeepEqual(a, b) })
				testenv.Check(t, isBeginning, "%s, %v: other records", name, d)
				continue
			}
			if err != io.EOF {
				isNamed := strings.Contains(err.Error(), "byte") || strings.Contains(err.Error(), "header")
				testenv.Check(t, isNamed, "%s, %v: %v", name, d, err)
				continue
			}
			testenv.Check(t, d.At < strings.Index(string(whole), "\x00") || len(got) > 0, "%s, %v: no records", name, d)
		}
		_, err = read(append(whole, 0))
		testenv.Check(t, errors.Is(err, teehistorian.ErrFormat) && strings.Contains(err.Error(), fmt.Sprintf("after byte %d", len(whole))),
			"%s with a byte more: %v", name, err)
	}
}

// TestFramesNameDamage checks that NextFrame ends with the same error as Next. The last frame must
// not hide the reason.
func TestFramesNameDamage(t *testing.T) {
	whole := recordings(t)["walk"]
	for d := range testenv.Damaged(whole, 300) {
		_, want := read(d.File)
		r, err := teehistorian.NewReader(strings.NewReader(string(d.File)))
		for err == nil {
			_, err = r.NextFrame()
		}
		testenv.Check(t, err.Error() == want.Error(), "%v: Next ends with %v, NextFrame with %v", d, want, err)
	}
}
