//go:build race

package physics

// raceEnabled tells whether the race detector, which allocates, is compiled in.
const raceEnabled = true
