package recordfile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestFullFile fills a file up to its limit. Records beyond the limit are rejected, and the records
// in the file can be read.
func TestFullFile(t *testing.T) {
	const magic = "test\n"
	record := End(append(Begin(nil), "body"...), 0)
	errFile := errors.New("no such file")
	cfg := File{
		Path: filepath.Join(t.TempDir(), "file"), Magic: magic, MaxRecord: 10, ErrFile: errFile,
		MaxFile: int64(len(magic) + 3*len(record)),
	}
	f := Open(cfg)
	for range 3 {
		testenv.NoError(t, f.Append(record))
	}
	err := f.Append(record)
	testenv.Check(t, errors.Is(err, errFile), "one record more: %v", err)

	n := 0
	_, err = Open(cfg).Update(true, func() {}, func(body []byte) bool { n++; return string(body) == "body" })
	testenv.Check(t, err == nil && n == 3, "%d records are read, %v", n, err)
}

// TestDamaged cuts a file and flips its bits. All undamaged records must be read. The file must be
// rejected, or the damage reported and the bad bytes kept before the next write. Only a cut between
// two records goes unnoticed.
func TestDamaged(t *testing.T) {
	const magic = "test\n"
	var bodies []string
	whole := []byte(magic)
	ends := []int{len(whole)}
	for i := range 8 {
		body := fmt.Sprintf("body %d%s", i, strings.Repeat("x", 3*i))
		bodies = append(bodies, body)
		at := len(whole)
		whole = End(append(Begin(whole), body...), at)
		ends = append(ends, len(whole))
	}
	errFile := errors.New("no such file")
	for d := range testenv.Damaged(whole, 60) {
		path, said := filepath.Join(t.TempDir(), "file"), ""
		testenv.NoError(t, os.WriteFile(path, d.File, 0o600))
		f := Open(File{Path: path, Magic: magic, MaxRecord: 100, MaxFile: 1 << 20, ErrFile: errFile, Report: func(s string) { said += s }})
		var got []string
		var good []byte
		_, err := f.Update(true, func() { got, good = nil, nil }, func(body []byte) bool {
			got = append(got, string(body))
			good = End(append(Begin(good), body...), len(good))
			return true
		})
		if !d.Cut && d.At < len(magic) {
			testenv.Check(t, errors.Is(err, errFile), "%v: %v", d, err)
			continue
		}
		testenv.NoError(t, err)
		var want []string
		for i, body := range bodies {
			if d.Cut && ends[i+1] <= d.At || !d.Cut && (d.At < ends[i] || d.At >= ends[i+1]) {
				want = append(want, body)
			}
		}
		testenv.Check(t, slices.Equal(got, want), "%v: %q", d, got)
		if f.Damaged > 0 {
			testenv.NoError(t, f.Replace(good))
		}
		testenv.NoError(t, f.Append(End(append(Begin(nil), "more"...), 0)))
		isWhole := d.Cut && (slices.Contains(ends, d.At) || d.At < len(magic))
		testenv.Check(t, (said == "") == isWhole, "%v: said %q", d, said)
		tail, _ := os.ReadFile(path + ".tail")
		damaged, _ := os.ReadFile(path + ".damaged")
		testenv.Check(t, isWhole || len(tail) > 0 && bytes.HasSuffix(d.File, tail) || bytes.Equal(damaged, d.File), "%v: the bad bytes were not kept", d)
		got = nil
		_, err = Open(File{Path: path, Magic: magic, MaxRecord: 100, MaxFile: 1 << 20, ErrFile: errFile}).Update(true, func() {}, func(body []byte) bool {
			got = append(got, string(body))
			return true
		})
		testenv.Check(t, err == nil && slices.Equal(got, append(want, "more")), "%v, written again: %q, %v", d, got, err)
	}
}
