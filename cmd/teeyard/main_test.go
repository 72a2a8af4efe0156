package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/teeyard/teeyard/server"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"teeyard": main})
}

// TestScripts runs the program as a user does; see testdata.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", Setup: setup})
}

// setup gives every script a replay log of ten seconds.
func setup(env *testscript.Env) error {
	return writeReplay(filepath.Join(env.WorkDir, "match.twreplay"), server.Program())
}
