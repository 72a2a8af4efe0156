// Package maps contains the maps of Teeyard. A server can run without any map files.
//
// The .map files are built from the descriptions in maps/gen:
//
//	go run ./maps/gen
package maps

import _ "embed"

//go:generate go run ./gen -dir .

var (
	//go:embed teeyard1.map
	teeyard1 []byte
	//go:embed testbox.map
	testbox []byte
	//go:embed yardrun.map
	yardrun []byte
)

// Map is an embedded map file.
type Map struct {
	// Name is the map's name as sent to clients, without extension.
	Name string
	// Data is the content of the .map file. It must not be changed.
	Data []byte
}

// Default returns the default map of a server.
func Default() Map { return Map{"teeyard1", teeyard1} }

// All returns all embedded maps, the default one first. teeyard1 is a deathmatch map for 2 to 16
// players. testbox is a small map with every kind of entity, for tests. yardrun is a race course.
func All() []Map {
	return []Map{Default(), {"testbox", testbox}, {"yardrun", yardrun}}
}

// Find returns the embedded map with the given name.
func Find(name string) (Map, bool) {
	for _, m := range All() {
		if m.Name == name {
			return m, true
		}
	}
	return Map{}, false
}
