//go:build race

package huffman

const raceEnabled = true
