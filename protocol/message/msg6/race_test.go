//go:build race

package msg6

const raceEnabled = true
