package admin

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestDocs runs the examples of docs/admin.md with curl.
func TestDocs(t *testing.T) {
	for _, program := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("needs " + program)
		}
	}
	page := string(testenv.Must(os.ReadFile("../../docs/admin.md")))
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(strings.ReplaceAll(page, "\r\n", "\n"), -1)
	testenv.Require(t, len(blocks) == 3, "%d examples", len(blocks))
	w := newWorld(t, "sv_rcon_password secret")
	w.join("10.0.0.7", "alice")
	s := httptest.NewServer(w.rooms)
	defer s.Close()
	run := func(script string) string {
		t.Helper()
		script = strings.ReplaceAll(script, "http://localhost:8303", s.URL)
		script = strings.ReplaceAll(script, "-m 2", "-m 0.3")
		c := exec.Command("sh", "-e", "-c", script)
		c.Dir = t.TempDir()
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s\n%s: %v", script, out, err)
		}
		return string(out)
	}
	token := regexp.MustCompile(`"token":"(\w[\w-]+)"`).FindStringSubmatch(run(blocks[0][1]))
	testenv.Require(t, token != nil, "no token")
	before := "TOKEN=" + token[1] + "\n"
	out := run(before + blocks[1][1])
	for _, want := range []string{`"name":"alice"`, "banned '10.0.0.7' for 30 minutes (spam)", "unbanned", `{"value":"10","output":[]}`, "in about 10 seconds", `"step":60`} {
		if !strings.Contains(out, want) {
			t.Errorf("%q lacks %q", out, want)
		}
	}
	header, _, _ := strings.Cut(blocks[1][1], "\n")
	if out := run(before + header + "\n" + blocks[2][1]); !strings.Contains(out, "retry: 3000") {
		t.Errorf("the stream is %q", out)
	}
}
