//go:build peers

package original

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/query"
)

// econScript are the actions of clients at the external console. Each step names a client and the
// bytes that it sends. "DIAL HOST" connects first, "CLOSE" closes the connection, "WAIT" waits 6 s.
var econScript = []struct{ client, does string }{
	{"a", "DIAL 127.0.0.1"},
	{"a", "wrong\n"},
	{"a", "\n\n"},
	{"a", "hel"},
	{"a", "lo\n"},
	{"a", "status\n"},
	{"a", "sv_name foo; sv_name\r\n"},
	{"a", "sv_name\r\nno\n"},
	{"a", "echo a\x01b\n"},
	{"a", "echo \"a\x00b\"\nsv_name\n"},
	{"a", "echo " + strings.Repeat("x", 200) + "\n"},
	{"a", "say hi\n"},
	{"a", "ban 1.2.3.4 5 x\nbans\nunban 1.2.3.4\n"},
	{"a", "ban 1.2.3.4 5 x\nban 1.2.3.4 6 y\nban foo\nban 9\nban 127.0.0.1\nbans\nunban_all\n"},
	{"b", "DIAL 127.0.0.1"},
	{"b", "hello\r\necho x\r\necho y\r\n"},
	{"c", "DIAL 127.0.0.1"},
	{"c", "hello\r"},
	{"c", "echo x\r"},
	{"c", "CLOSE"},
	{"b", "logout\r\n"},
	{"b", "DIAL 127.0.0.1"},
	{"b", "\r\nhello\n\rsv_name\n\rsv_name\n\r"},
	{"b", "CLOSE"},
	{"b", "DIAL 127.0.0.1"},
	{"b", "hello\nmod_command status 1; mod_status\n"},
	{"b", "ec_output_level 0\nsay quiet\nno\n"},
	{"b", "logout\n"},
	{"a", "ec_output_level 2\n"},
	{"b", "DIAL 127.0.0.1"},
	{"c", "DIAL 127.0.0.1"},
	{"d", "DIAL 127.0.0.1"},
	{"e", "DIAL 127.0.0.1"},
	{"b", "CLOSE"},
	{"c", "CLOSE"},
	{"d", "1\n2\n3\nhello\n"},
	{"d", "DIAL 127.0.0.7"},
	{"d", "1\n2\n3\nhello\n"},
	{"d", "DIAL 127.0.0.7"},
	{"d", "WAIT"},
	{"d", "DIAL 127.0.0.7"},
	{"d", "DIAL 127.0.0.7"},
	{"d", "DIAL 127.0.0.8"},
	{"d", "WAIT"},
	{"a", "shutdown\n"},
}

// The script leaves out some differences. Our server hides passwords in lines and values, and shows
// a question mark for bytes that are not UTF-8. It does not cut the log line about a command at 255
// bytes, and rejects every login while the password is empty. It counts wrong passwords of an
// address over several connections, except from loopback. It answers a line of more than 1399
// bytes, where the original closes the connection.

// TestEconTranscript compares every byte that clients of the external console get.
func TestEconTranscript(t *testing.T) {
	t.Parallel()
	peers.RequirePrograms(t, "teeworlds-server")
	var want, got []string
	t.Run("servers", func(t *testing.T) { // returns when both servers are done
		t.Run("original", func(t *testing.T) {
			t.Parallel()
			want = econTranscript(t, peers.StartOriginal)
		})
		t.Run("ours", func(t *testing.T) {
			t.Parallel()
			got = econTranscript(t, peers.StartTeeyard)
		})
	})
	if t.Failed() {
		return
	}
	for i, step := range econScript {
		// Our server also has help, and lets moderators use it.
		if strings.ReplaceAll(got[i], "[Console]: help, logout, ", "[Console]: logout, ") != want[i] {
			t.Errorf("step %d, %s %.40q: clients get\n%s\nand not\n%s", i, step.client, step.does, got[i], want[i])
		}
	}
}

// TestEconRcon runs commands through "teeyard rcon" on the external consoles of both servers.
func TestEconRcon(t *testing.T) {
	peers.RequirePrograms(t, "teeworlds-server")
	run := func(start func(testing.TB, string) *peers.Server) string {
		addr := peers.FreeAddr(t)
		s := start(t, fmt.Sprintf("ec_bindaddr 127.0.0.1; ec_port %d; ec_password hello; ec_output_level 0; console_output_level 2", addr.Port()))
		awaitNobody(t, s)
		text, err := peers.RunTeeyard(t, "hello", "rcon", addr.String(), "--protocol", "econ",
			"sv_name a yard; sv_name", "echo a; echo b", "ban 203.0.113.9 5 spam", "bans", "no such command")
		if err == nil {
			t.Error("the last one is refused, but all is well")
		}
		return econTime.ReplaceAllString(text, "[TIME]")
	}
	const want = `[TIME][Console]: Value: a yard
[TIME][Console]: a
[TIME][Console]: b
[TIME][net_ban]: banned '203.0.113.9' for 5 minutes (spam)
[TIME][net_ban]: #0 '203.0.113.9' banned for 5 minutes (spam)
[TIME][net_ban]: 1 ban
[TIME][Console]: No such command: no.
teeyard: refused: "no such command": No such command: no.
`
	for name, start := range map[string]func(testing.TB, string) *peers.Server{"original": peers.StartOriginal, "ours": peers.StartTeeyard} {
		if got := run(start); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// econTranscript runs the script and returns what all clients got in each step.
func econTranscript(t *testing.T, start func(testing.TB, string) *peers.Server) (transcript []string) {
	addr := peers.FreeAddr(t)
	s := start(t, fmt.Sprintf("ec_bindaddr 127.0.0.1; ec_port %d; ec_password hello; ec_auth_timeout 5; ec_bantime 5; console_output_level 2", addr.Port()))
	awaitNobody(t, s)
	conns := map[string]net.Conn{}
	for i, step := range econScript {
		switch host, dials := strings.CutPrefix(step.does, "DIAL "); {
		case dials:
			if c := conns[step.client]; c != nil {
				c.Close()
			}
			d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}}
			c, err := d.DialContext(t.Context(), "tcp", addr.String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			conns[step.client] = c
		case step.does == "CLOSE":
			conns[step.client].Close()
			delete(conns, step.client)
		case step.does == "WAIT":
			time.Sleep(6 * time.Second)
		default:
			if _, err := io.WriteString(conns[step.client], step.does); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
		}
		awaitLoop(t, s)
		got := map[string]*string{}
		var wg sync.WaitGroup
		for name, c := range conns {
			text := new(string)
			got[name] = text
			quiet := 250 * time.Millisecond
			if i == len(econScript)-1 {
				quiet = 20 * time.Second // until the server closes the connection
			}
			wg.Go(func() { *text = readQuiet(c, quiet) })
		}
		wg.Wait()
		var all strings.Builder
		for _, name := range slices.Sorted(maps.Keys(got)) {
			fmt.Fprintf(&all, "%s: %q\n", name, *got[name])
		}
		text := econTime.ReplaceAllString(all.String(), "[TIME]")
		transcript = append(transcript, econPort.ReplaceAllString(text, "$1:PORT"))
	}
	return transcript
}

var (
	econTime = regexp.MustCompile(`\[\d\d:\d\d:\d\d\]`)
	econPort = regexp.MustCompile(`(127\.0\.0\.\d+):\d+`)
)

// awaitNobody waits until the client that waited for the server's start has left. The external
// console must not get the log lines about it. The server's console_output_level is 2.
func awaitNobody(t *testing.T, s *peers.Server) {
	t.Helper()
	peers.Eventually(t, 20*time.Second, "nobody is there", func() bool { return strings.Contains(s.Output(), "leave player='0:") })
}

// awaitLoop waits until the server has answered two queries. In between it has read its external
// console, also on a busy machine. The server may be about to end.
func awaitLoop(t *testing.T, s *peers.Server) {
	t.Helper()
	sock, err := query.Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer sock.Close()
	target := []query.Target{{Addr: s.Addr, Versions: query.Version7}}
	for n := 0; n < 2 && s.Running(); n++ {
		if err := query.AskAll(t.Context(), sock, query.Config{SettleTime: 1}, target, func(query.Result) {}); err != nil {
			t.Fatal(err)
		}
	}
}

// readQuiet reads until no data comes for the given time, and appends EOF if the connection ended.
func readQuiet(c net.Conn, quiet time.Duration) string {
	var got strings.Builder
	b := make([]byte, 64<<10)
	for {
		c.SetReadDeadline(time.Now().Add(quiet))
		n, err := c.Read(b)
		got.Write(b[:n])
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return got.String()
		case err != nil: // the original may reset the connection
			return got.String() + "EOF"
		}
	}
}
