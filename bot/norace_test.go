//go:build !race

package bot_test

// raceEnabled tells whether the race detector is built in.
const raceEnabled = false
