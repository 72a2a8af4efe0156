//go:build !race

package twmap

const raceEnabled = false
