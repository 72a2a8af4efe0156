package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/teeyard/teeyard/server"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("TEEYARD_SERVE_CHILD"); dir != "" {
		serveChild(dir)
		return
	}
	testscript.Main(m, map[string]func(){"teeyard": main})
}

// TestScripts runs the program as a user does; see testdata.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", Setup: setup})
}

// setup gives every script free ports, a replay log of ten seconds and a capture of
// each version.
func setup(env *testscript.Env) error {
	if err := freePorts(env); err != nil {
		return err
	}
	for name, from := range map[string]string{"join.pcap": "teeworlds-0.7.5-dm1.pcap", "ddnet.pcap": "ddnet-16.4-dm1-over-0.6.pcap"} {
		capture, err := os.ReadFile(filepath.Join("../../internal/golden/testdata", from))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(env.WorkDir, name), capture, 0o600); err != nil {
			return err
		}
	}
	return writeReplay(filepath.Join(env.WorkDir, "match.twreplay"), server.Program())
}
