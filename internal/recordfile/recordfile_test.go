package recordfile

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestFullFile fills a file up to its limit. What is over it is refused, and what is in the file can be read.
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
