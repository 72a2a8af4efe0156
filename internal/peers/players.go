package peers

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
)

// DDNetRelease is the DDNet release that our 0.6 clients announce.
const DDNetRelease = 16040

// Dial joins a server with our client until the test ends.
func Dial(t testing.TB, s *Server, cfg client.Config) *client.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if cfg.Maps == nil {
		cfg.Maps = client.NewMaps(t.TempDir())
	}
	c, err := client.Dial(ctx, s.Addr.String(), cfg)
	if err != nil {
		t.Fatalf("%s: %v\n%s", cfg.Name, err, Tail(s.Output(), 2000))
	}
	t.Cleanup(c.Close)
	return c
}

// Operator joins a server and logs in at the remote console.
func Operator(t testing.TB, s *Server, password string) *client.Client {
	t.Helper()
	c, err := client.Dial(t.Context(), s.Addr.String(), client.Config{Name: "operator"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	go func() {
		for range c.Events(t.Context()) {
		}
	}()
	Eventually(t, 20*time.Second, "in the game", func() bool { return c.Self() >= 0 })
	if err := c.RconLogin(password); err != nil {
		t.Fatal(err)
	}
	Eventually(t, 20*time.Second, "logged in", func() bool { return len(c.RconCommands()) > 0 })
	return c
}

// RunTeeyard runs our program with an rcon password in the environment.
func RunTeeyard(t testing.TB, password string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, Program(t), args...)
	cmd.Env = append(os.Environ(), "TEEYARD_RCON_PASSWORD="+password)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
