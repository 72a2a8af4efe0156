// Package testenv reports how the tests are run, and has helpers for the tests of many packages.
package testenv

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"
)

// Full reports whether tests with a short and a full form run in full: with all seeds, all
// mutations and long times. scripts/full sets TEEYARD_FULL=1 for that.
func Full() bool { return os.Getenv("TEEYARD_FULL") == "1" }

// RequireExactAllocs skips a test that counts allocations if the race detector is compiled in,
// because the detector itself allocates.
func RequireExactAllocs(tb testing.TB) {
	tb.Helper()
	if Race {
		tb.Skip("the race detector allocates")
	}
}

// Allocated returns the number of bytes that f allocates, including garbage.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// AtOnce lets n parallel tests of a package run at the same time, and half as many with the race
// detector. It is for the TestMain of packages whose tests mostly wait.
func AtOnce(n int) {
	if Race {
		n /= 2
	}
	flag.Set("test.parallel", strconv.Itoa(n))
}

// OneGoroutine skips a long test that starts no goroutine if the race detector is compiled in,
// which would find nothing. With [Full] the test runs nevertheless.
func OneGoroutine(tb testing.TB) {
	tb.Helper()
	if Race && !Full() {
		tb.Skip("has one goroutine")
	}
}

// InCI reports whether tests that take long run, as in CI (with [Peers]) and with [Full].
func InCI() bool { return Peers || Full() }

// Amount returns how much of a long test runs: few, or many in CI (with [Peers]) and with [Full].
func Amount[T any](few, many T) T {
	if InCI() {
		return many
	}
	return few
}

// Long skips a test that takes a processor a second or more, except in CI. There it runs with
// [Peers], and with the race detector.
func Long(tb testing.TB) {
	tb.Helper()
	if !InCI() && !Race {
		tb.Skip("takes long; -tags peers runs it")
	}
}

// OnlyFull leaves a test to scripts/full, because it takes long and CI has a shorter test of the
// same subject.
func OnlyFull(tb testing.TB) {
	tb.Helper()
	if Peers && !Full() {
		tb.Skip("only scripts/full runs it") // scripts/steps looks for it
	}
}

// OtherBuild skips a test that builds programs for other processors, unless CI runs it (with
// [Peers]): the standard library alone takes a processor half a minute.
func OtherBuild(tb testing.TB) {
	tb.Helper()
	if !InCI() {
		tb.Skip("builds for other processors; -tags peers runs it")
	}
}
