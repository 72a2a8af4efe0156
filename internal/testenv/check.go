package testenv

// reporter is the part of testing.TB that Check and Require use.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Check reports a failure unless ok is true.
func Check(t reporter, ok bool, format string, args ...any) {
	t.Helper()
	if !ok {
		t.Errorf(format, args...)
	}
}

// Require is Check for conditions that the rest of the test depends on. It ends the test.
func Require(t reporter, ok bool, format string, args ...any) {
	t.Helper()
	if !ok {
		t.Fatalf(format, args...)
	}
}

// NoError ends the test if err is not nil.
func NoError(t reporter, err error) {
	if err != nil {
		t.Helper() // only here, because Helper allocates
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
