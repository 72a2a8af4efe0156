//go:build race

package bridge6

const raceEnabled = true
