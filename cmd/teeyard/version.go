package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/teeyard/teeyard/server"
)

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run() error {
	fmt.Println(versionText())
	return nil
}

// versionText says what this program was built from and with. Builds of a folder without
// a repository and "go run" have no commit.
func versionText() string {
	commit, changed := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				commit = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = " with changes"
			}
		}
	}
	return fmt.Sprintf("%s\ncommit %s%s\n%s %s/%s", server.Program(), commit, changed, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
