// Command brotli writes FILE.br beside each FILE, as small as possible or at another quality. The
// result depends only on the file and the version of the library.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"

	"github.com/andybalholm/brotli"
)

func main() {
	quality := flag.Int("quality", brotli.BestCompression, "0 is the fastest, 11 makes the smallest file")
	flag.Parse()
	for _, name := range flag.Args() {
		if err := compress(name, *quality); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func compress(name string, quality int) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	w := brotli.NewWriterOptions(&out, brotli.WriterOptions{Quality: quality, LGWin: 24})
	if _, err := w.Write(content); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(name+".br", out.Bytes(), 0o644)
}
