package testenv

// reporter is the part of testing.TB that Check and Require use.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Check reports a failure unless ok holds.
func Check(t reporter, ok bool, format string, args ...any) {
	t.Helper()
	if !ok {
		t.Errorf(format, args...)
	}
}

// Require is Check for what the rest of the test depends on.
func Require(t reporter, ok bool, format string, args ...any) {
	t.Helper()
	if !ok {
		t.Fatalf(format, args...)
	}
}

// NoError ends the test if a call that it depends on failed.
func NoError(t reporter, err error) {
	if err != nil {
		t.Helper() // not before: it allocates
		t.Fatalf("%v", err)
	}
}

// Must returns the value of a call that prepares a test. It panics if the call failed.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
