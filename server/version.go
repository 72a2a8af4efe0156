package server

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// Release is the version of this source code, without a "v": the newest section of CHANGELOG.md.
const Release = "0.1.0"

// modulePath is the path of the module that this package is part of.
const modulePath = "github.com/teeyard/teeyard"

// Program returns the name and version of the running program, such as "teeyard 0.1.0". A build of
// a commit without a tag adds the first 12 digits of the commit: "teeyard 0.1.0+0123456789ab". If
// another program contains this package, " in ", its package path and its version follow.
func Program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "teeyard " + Release
	}
	name := "teeyard " + buildVersion(ownVersion(info), 12)
	if info.Main.Path != modulePath {
		name += fmt.Sprintf(" in %s %s", info.Path, info.Main.Version)
	}
	return name
}

// Version returns the version that players and operators see, such as "0.1.0". A build of a commit
// without a tag adds the first 7 digits of the commit: "0.1.0+0123456".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Release
	}
	return buildVersion(ownVersion(info), 7)
}

// ownVersion returns the version that Go recorded for the module of this package.
func ownVersion(info *debug.BuildInfo) string {
	if i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == modulePath }); i >= 0 {
		return info.Deps[i].Version
	}
	return info.Main.Version
}

// pseudoVersion matches the version that Go gives a commit without a tag. The commit is the first
// group, "+dirty" the second one if files had been changed.
var pseudoVersion = regexp.MustCompile(`^v.*[-.]\d{14}-([0-9a-f]{12})(\+dirty)?$`)

// buildVersion returns the version of a build with a number of digits of the commit. A module's
// version is "(devel)" or empty if Go did not record it.
func buildVersion(module string, digits int) string {
	switch m := pseudoVersion.FindStringSubmatch(module); {
	case m != nil:
		return Release + "+" + m[1][:digits] + strings.ReplaceAll(m[2], "+", ".")
	case module == "" || module == "(devel)":
		return Release + "+devel"
	}
	return strings.TrimPrefix(module, "v")
}
