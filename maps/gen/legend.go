package main

import "github.com/teeyard/teeyard/format/twmap"

// legend maps the characters of the text files to tile indices.
var legend = map[byte]uint8{
	'.': twmap.Air,
	'#': twmap.Solid,
	'=': twmap.Unhookable,
	'x': twmap.Death,
	'S': twmap.Spawn,
	'R': twmap.SpawnRed,
	'B': twmap.SpawnBlue,
	'r': twmap.FlagStandRed,
	'b': twmap.FlagStandBlue,
	'a': twmap.PickupArmor,
	'h': twmap.PickupHealth,
	's': twmap.PickupShotgun,
	'g': twmap.PickupGrenade,
	'l': twmap.PickupLaser,
	'n': twmap.PickupNinja,
	'>': raceStart,
	'<': raceFinish,
	'1': raceFirstCheckpoint,
	'2': raceFirstCheckpoint + 1,
	'3': raceFirstCheckpoint + 2,
}

// hasIndex returns a function that reports whether a tile of the layer has the index.
func hasIndex(l *twmap.TileLayer, index uint8) func(x, y int) bool {
	return func(x, y int) bool { return l.At(x, y).Index == index }
}
