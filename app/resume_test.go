package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestResumeAfterKill kills a server during a match. The player returns to the next server and
// keeps the score.
func TestResumeAfterKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	port := testenv.Must(peers.FreePort())
	file := filepath.Join(dir, "resume-"+strconv.Itoa(port)+".state")
	serve := func() (*exec.Cmd, *bufio.Scanner) {
		cmd := teeyard(t, "serve", "--dir", dir, "bindaddr 127.0.0.1; sv_bots 0; sv_resume 1; sv_http 0; sv_port "+strconv.Itoa(port))
		log := bufio.NewScanner(testenv.Must(cmd.StdoutPipe()))
		testenv.NoError(t, cmd.Start())
		limit := time.AfterFunc(3*time.Minute, func() { cmd.Process.Kill() })
		t.Cleanup(func() { limit.Stop(); cmd.Process.Kill(); cmd.Wait() })
		for log.Scan() && !strings.Contains(log.Text(), "using port") {
		}
		return cmd, log
	}
	join := func() *client.Client {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		c, err := client.Dial(ctx, "127.0.0.1:"+strconv.Itoa(port), client.Config{Name: "dora"})
		testenv.NoError(t, err)
		t.Cleanup(c.Close)
		return c
	}
	score := func(c *client.Client) (n int32) {
		self := c.Self()
		c.WithView(func(v *game.View) {
			for _, p := range v.Frame.Players {
				if p.ID == self {
					n = p.Score
				}
			}
		})
		return n
	}

	first, _ := serve()
	c := join()
	testenv.Eventually(t, "the player has died", func() bool {
		c.Kill()
		return score(c) < 0
	})
	had := score(c)
	since := time.Now()
	testenv.Eventually(t, "the match is stored", func() bool {
		var saved struct{ Time int64 }
		b, _ := os.ReadFile(file)
		_, b, _ = bytes.Cut(b, []byte(" ")) // after the checksum
		head, _, _ := bytes.Cut(b, []byte("\n"))
		return json.Unmarshal(head, &saved) == nil && saved.Time > since.UnixMilli()
	})
	had = min(had, score(c))
	testenv.NoError(t, first.Process.Kill())
	first.Wait()

	_, log := serve()
	c = join()
	for log.Scan() && !strings.Contains(log.Text(), "client is back after a restart. cid=0 addr=127.0.0.1:") {
		testenv.Require(t, !strings.Contains(log.Text(), "not resumed"), "%s", log.Text())
	}
	testenv.Eventually(t, "the player has the score again", func() bool { return score(c) == had })
	testenv.NoError(t, log.Err())
	// The next log begins where the killed server's log ended, and verifies.
	var logs []string
	testenv.Eventually(t, "there are two logs", func() bool {
		logs = testenv.Must(filepath.Glob(filepath.Join(dir, "replays", "*.twreplay")))
		return len(logs) == 2
	})
	testenv.Eventually(t, "the log can be read", func() bool {
		f, r, err := openReplay(logs[1])
		if err == nil {
			f.Close()
		}
		return err == nil && r.Header().State != nil
	})
	out, err := teeyard(t, append([]string{"replay", "verify"}, logs...)...).CombinedOutput()
	var exit *exec.ExitError
	testenv.Check(
		t,
		errors.As(err, &exit) && exit.ExitCode() == exitCutOff && strings.Count(string(out), ", good up to tick ") == 2,
		"verify: %v\n%s",
		err,
		out,
	)
}
