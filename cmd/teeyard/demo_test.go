package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/teeyard/teeyard/format/demo"
)

// FuzzDemo shows anything that may be a demo, in all forms.
func FuzzDemo(f *testing.F) {
	names, err := filepath.Glob("../../format/demo/testdata/*.demo")
	if err != nil || len(names) == 0 {
		f.Fatal(names, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 8000)])
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		open := func() *demo.Reader {
			r, err := demo.NewReader(bytes.NewReader(file))
			if err != nil {
				t.Skip()
			}
			return r
		}
		for _, json := range []bool{false, true} {
			play := demoPlayCmd{JSON: json}
			w := bufio.NewWriter(io.Discard)
			play.play(t.Context(), open(), w)
		}
		info, err := readDemoInfo(open())
		if err != nil {
			t.Fatal(err)
		}
		info.print(io.Discard)
	})
}
