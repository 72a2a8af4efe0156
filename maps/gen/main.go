// Command gen builds the embedded maps from the descriptions in this folder: a text file with the
// game layer, and Go code for the graphics.
//
//	go run ./maps/gen
//
// It writes a file only if the map has changed. The files and their checksums therefore do not
// depend on the compressor of the Go toolchain.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"reflect"

	"github.com/teeyard/teeyard/format/twmap"
)

// mapBuilders are the functions that build the maps, by name.
var mapBuilders = map[string]func() (*twmap.Map, error){
	"teeyard1": teeyard1,
	"testbox":  testbox,
	"yardrun":  yardrun,
}

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", "maps", "folder of the map files")
	flag.Parse()
	for name, build := range mapBuilders {
		if err := writeIfChanged(filepath.Join(*dir, name+".map"), build); err != nil {
			log.Fatalf("%s: %v", name, err)
		}
	}
}

func writeIfChanged(path string, build func() (*twmap.Map, error)) error {
	m, err := build()
	if err != nil {
		return err
	}
	b, err := m.Bytes()
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(path); err == nil {
		if same, err := sameMap(old, b); err == nil && same {
			return nil
		}
	}
	fmt.Printf("%s: %d bytes\n", path, len(b))
	return os.WriteFile(path, b, 0o666)
}

// sameMap reports whether two files contain the same map, regardless of compression.
func sameMap(a, b []byte) (bool, error) {
	x, err := twmap.Parse(a)
	if err != nil {
		return false, err
	}
	y, err := twmap.Parse(b)
	if err != nil {
		return false, err
	}
	x.Size, x.CRC, x.SHA256 = y.Size, y.CRC, y.SHA256
	return reflect.DeepEqual(x, y), nil
}
