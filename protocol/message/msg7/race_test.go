//go:build race

package msg7

const raceEnabled = true
