package app

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/teeyard/teeyard/server"
)

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run() error {
	fmt.Println(versionText())
	return nil
}

// versionText describes the source and the toolchain of this program. "go install" of a tagged
// version and "go run" do not record the commit.
func versionText() string {
	commit, changed := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if i := strings.LastIndexByte(info.Main.Version, '-'); len(info.Main.Version)-i == 13 {
			commit = info.Main.Version[i+1:] // of an untagged version
		}
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
