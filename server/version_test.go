package server_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
)

func TestBuildVersion(t *testing.T) {
	for module, want := range map[string][2]string{
		"v0.1.0": {"0.1.0", "0.1.0"}, "v1.3.0-rc.1": {"1.3.0-rc.1", "1.3.0-rc.1"},
		"": {server.Release + "+devel", server.Release + "+devel"}, "(devel)": {server.Release + "+devel", server.Release + "+devel"},
		"v0.0.0-20261122231500-0123456789ab":         {server.Release + "+0123456", server.Release + "+0123456789ab"},
		"v1.2.1-0.20261122231500-0123456789ab+dirty": {server.Release + "+0123456.dirty", server.Release + "+0123456789ab.dirty"},
		"v1.3.0-rc.1.0.20261122231500-0123456789ab":  {server.Release + "+0123456", server.Release + "+0123456789ab"},
		"v0.1.0+dirty": {"0.1.0+dirty", "0.1.0+dirty"},
	} {
		if short, long := server.BuildVersion(module, 7), server.BuildVersion(module, 12); short != want[0] || long != want[1] {
			t.Errorf("%s is %q and %q, want %q", module, short, long, want)
		}
	}
}

// TestRelease compares the release with the newest section of the changelog.
func TestRelease(t *testing.T) {
	changelog := testenv.Must(os.ReadFile("../CHANGELOG.md"))
	m := regexp.MustCompile(`(?m)^## (\d+\.\d+\.\d+)`).FindSubmatch(changelog)
	if m == nil || string(m[1]) != server.Release {
		t.Errorf("server.Release is %s, the newest release in CHANGELOG.md is %q", server.Release, m)
	}
}
