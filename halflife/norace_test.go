//go:build !race

package halflife_test

const raceEnabled = false
