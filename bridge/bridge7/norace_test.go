//go:build !race

package bridge7

const raceEnabled = false
