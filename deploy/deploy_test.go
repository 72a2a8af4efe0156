// Package deploy tests the files for deploying a server.
package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestUnit checks the unit of a single server.
func TestUnit(t *testing.T) {
	checkUnit(t, "teeyard.service", "teeyard.service", "StateDirectory=teeyard", "WorkingDirectory=/var/lib/teeyard")
}

// TestTemplateUnit checks the unit of one server among many: each has its folder, port and name in
// the log, and the time to end its match.
func TestTemplateUnit(t *testing.T) {
	const start = `ExecStart=/usr/local/bin/teeyard serve --dir /var/lib/teeyard-%i "sv_port %i" "sv_term_drain 1180"`
	checkUnit(t, "teeyard@.service", "teeyard@8303.service", "StateDirectory=teeyard-%i", "WorkingDirectory=/var/lib/teeyard-%i", "SyslogIdentifier=teeyard-%i",
		"TimeoutStopSec=20min", start)
	// Apart from these lines, and the comments, the units are equal.
	settings := func(name string) (lines []string) {
		for line := range strings.Lines(string(testenv.Must(os.ReadFile(name)))) {
			own := regexp.MustCompile(`^(#|Description|ExecStart|TimeoutStopSec|StateDirectory|WorkingDirectory|SyslogIdentifier)`)
			if !own.MatchString(line) {
				lines = append(lines, line)
			}
		}
		return lines
	}
	one, many := settings("teeyard.service"), settings("teeyard@.service")
	testenv.Check(t, len(one) > 40 && slices.Equal(one, many), "the units differ:\n%s\n%s", one, many)
}

// checkUnit checks a unit with systemd-analyze, if that is installed. systemd must know every line,
// and the unit must leave the server few rights on the machine.
func checkUnit(t *testing.T, file, name string, lines ...string) {
	t.Helper()
	unit := string(testenv.Must(os.ReadFile(file)))
	for _, line := range append(lines, "Type=notify", "WatchdogSec=30", "DynamicUser=yes", "ProtectSystem=strict", "NoNewPrivileges=yes",
		"CapabilityBoundingSet=", "ExecReload=/bin/kill -HUP $MAINPID") {
		testenv.Check(t, strings.Contains(unit, "\n"+line+"\n"), "the unit has no %s", line)
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("systemd is not installed")
		return
	}
	const program = "/usr/local/bin/teeyard"
	testenv.Check(t, strings.Count(unit, program) == 1, "%s is not once in the unit", program)
	path := filepath.Join(t.TempDir(), name)
	testenv.NoError(t, os.WriteFile(path, []byte(strings.Replace(unit, program, testenv.Must(os.Executable()), 1)), 0o600))
	if out, err := exec.Command(analyze, "verify", path).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("verify: %v\n%s", err, out)
	}
	// The unit has 1.3 of 10 points of exposure. A service without these lines has 9.6.
	if out, err := exec.Command(analyze, "security", "--offline=true", "--threshold=20", path).CombinedOutput(); err != nil {
		t.Errorf("security: %v\n%s", err, out)
	}
}

// TestDockerfile checks that the image contains little besides the program, does not run it as
// root, and has a health check.
func TestDockerfile(t *testing.T) {
	text := string(testenv.Must(os.ReadFile("Dockerfile")))
	_, image, found := strings.Cut(text, "\nFROM scratch\n")
	testenv.Check(t, found && !strings.Contains(image, "\nFROM"), "the image is not from scratch")
	testenv.Check(t, !strings.Contains(image, "\nRUN"), "RUN needs a shell, and the image has none")
	for _, want := range []string{`(?m)^USER [1-9]\d*:[1-9]\d*$`, `(?m)^HEALTHCHECK .* CMD \["/teeyard", "health"\]$`,
		`(?m)^ENTRYPOINT \["/teeyard", "serve"\]$`, `(?m)^EXPOSE 8303/udp 8303/tcp$`, `(?m)^ENV TEEYARD_HTTP=0\.0\.0\.0:8303$`,
		`(?m)^ENV TEEYARD_DIR=/data$`} {
		testenv.Check(t, regexp.MustCompile(want).MatchString(image), "no line is like %s", want)
	}
	for _, m := range regexp.MustCompile(`(?m)^COPY (?:--\S+ )*(\S+) (\S+)$`).FindAllStringSubmatch(image, -1) {
		testenv.Check(t, strings.HasPrefix(m[1], "/"), "%s is not copied from the build", m[0])
	}
}

// TestCompose checks that the compose file fits the other files, and that all files with YAML have
// its indentation.
func TestCompose(t *testing.T) {
	files, err := filepath.Glob("k8s/*/*.yaml")
	testenv.NoError(t, err)
	more, err := filepath.Glob("k8s/*/*/*.yaml")
	testenv.NoError(t, err)
	testenv.Check(t, len(files) > 3 && len(more) > 1, "%d and %d files", len(files), len(more))
	for _, name := range slices.Concat([]string{"compose.yaml", "fleet-compose.yaml"}, files, more) {
		for i, line := range strings.Split(string(testenv.Must(os.ReadFile(name))), "\n") {
			spaces := len(line) - len(strings.TrimLeft(line, " "))
			testenv.Check(t, spaces%2 == 0 && !strings.Contains(line, "\t") && strings.TrimRight(line, " ") == line, "%s: line %d: %q", name, i+1, line)
		}
	}
	text := string(testenv.Must(os.ReadFile("compose.yaml")))
	for _, want := range []string{"dockerfile: deploy/Dockerfile", "- 8303:8303/udp\n", "- 8303:8303/tcp\n", "read_only: true", "cap_drop: [ALL]",
		"teeyard:/data", "targets: [teeyard:8303]", "file: ./grafana.json"} {
		testenv.Check(t, strings.Contains(text, want), "there is no %s", want)
	}
}
