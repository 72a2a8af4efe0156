package app

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestAddresses passes a server's address to every command, as masters, links and users write it. A
// scheme that names a protocol version selects that version.
func TestAddresses(t *testing.T) {
	testenv.Long(t)
	t.Parallel()
	port, econ := strconv.Itoa(testenv.Must(peers.FreePort())), strconv.Itoa(testenv.Must(peers.FreePort()))
	dir, key := t.TempDir(), "?key=a-Key-of-the-operator"
	testenv.NoError(t, os.WriteFile(filepath.Join(dir, keyFile), []byte(key[len("?key="):]), 0o600))
	srv := teeyard(
		t,
		"serve",
		"--dir",
		dir,
		"bindaddr 127.0.0.1; sv_port "+port+"; sv_bots 0; sv_rcon_password secret; sv_max_clients 32; sv_max_clients_per_ip 32; ec_port "+
			econ+"; ec_password secret",
	)
	testenv.NoError(t, srv.Start())
	t.Cleanup(func() { srv.Process.Kill(); srv.Wait() })
	host := "127.0.0.1:" + port
	expectAnswer(t, host)

	commands := map[string]struct {
		slow bool
		args []string // with ADDRESS for the address
		// want is the expected output, with VERSION for the protocol.
		want string
	}{
		"query":  {false, []string{"query", "ADDRESS", "--json"}, `"protocols":\[VERSION\]`},
		"join":   {true, []string{"join", "ADDRESS", "--name", "anna", "--cache", "-"}, `in the game as anna`},
		"bots":   {true, []string{"bots", "ADDRESS", "--count", "1", "--skill", "0", "--duration", "500ms"}, `protocol +BOTS +1 bot`},
		"rcon":   {false, []string{"rcon", "ADDRESS", "sv_map"}, `teeyard1`},
		"game":   {false, []string{"rcon", "--protocol", "game", "ADDRESS", "sv_map"}, `teeyard1`},
		"health": {false, []string{"health", "ADDRESS"}, `ok`},
		"watch":  {false, []string{"watch", "--no-open", "ADDRESS"}, `^http://` + regexp.QuoteMeta(host) + `/?\n$`},
	}
	const both, older, newer = `"0.6","0.7"`, `"0.6"`, `"0.7"`
	spellings := map[string]string{ // and the protocols that a query uses
		"HOST": both, "  HOST/ ": both, "udp://HOST": both, "teeworlds://HOST/": both, "teeworlds:HOST": both,
		"tw-0.7+udp://HOST": newer, " TW-0.7+udp://HOST/\n": newer,
		"tw-0.6+udp://HOST/": older, "ddnet://HOST/": older, "DDNet:HOST": older,
	}
	run := func(t *testing.T, address string, args []string) (string, error) {
		args = append([]string(nil), args...)
		for i, a := range args {
			args[i] = strings.ReplaceAll(a, "ADDRESS", address)
		}
		cmd := teeyard(t, args...)
		cmd.Env = append(os.Environ(), "TEEYARD_RCON_PASSWORD=secret")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for name, c := range commands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for spelling, protocols := range spellings {
				// All commands parse addresses with the same function.
				once := c.slow || name != "query" && !testenv.InCI()
				if once && protocols == both && spelling != "  HOST/ " {
					continue
				}
				spoken := map[string]string{both: `0\.[67]`, older: `0\.6`, newer: `0\.7`}[protocols]
				want := regexp.MustCompile(strings.NewReplacer("VERSION", protocols, "BOTS", spoken).Replace(c.want))
				t.Run(strings.TrimSpace(spelling), func(t *testing.T) {
					if c.slow {
						t.Parallel()
					}
					address := strings.ReplaceAll(spelling, "HOST", host)
					if out, err := run(t, address, c.args); err != nil || !want.MatchString(out) {
						t.Errorf("%q: %v, %s; want %v", address, err, out, want)
					}
				})
			}
			for address, why := range map[string]string{
				"tw-0.5+udp://" + host:    "version 0.5",
				"ddnet-15+quic://" + host: "unknown scheme",
				"tw-0.7+udp://":           "no host",
				"tw-0.7+udp://[::1":       "bracket",
			} {
				page := name == "health" || name == "watch" // works with any version
				if out, err := run(t, address, c.args); err == nil != (page && why == "version 0.5") || !page && !strings.Contains(out, why) {
					t.Errorf("%q: %v, %s; want %q", address, err, out, why)
				}
			}
		})
	}
	t.Run("econ", func(t *testing.T) {
		t.Parallel()
		for address, want := range map[string]string{
			" 127.0.0.1:" + econ + "/": "teeyard1", "TCP://127.0.0.1:" + econ: "teeyard1",
			"tw-0.7+udp://" + host: "not the address of an external console", "127.0.0.1": "no default port",
		} {
			if out, err := run(t, address, []string{"rcon", "--protocol", "econ", "ADDRESS", "sv_map"}); (err == nil) != (want == "teeyard1") ||
				!strings.Contains(out, want) {
				t.Errorf("%q: %v, %s", address, err, out)
			}
		}
	})
	t.Run("websocket", func(t *testing.T) {
		t.Parallel()
		for address, args := range map[string][]string{
			" WS://" + host + "/" + key + " ": commands["join"].args, "ws://" + host + key: commands["rcon"].args,
			"ws://127.0.0.1:" + port + "/" + key: commands["game"].args,
		} {
			t.Run(args[0], func(t *testing.T) {
				t.Parallel()
				if out, err := run(t, address, args); err != nil || !strings.Contains(out, "teeyard1") {
					t.Errorf("%q: %v, %s", args, err, out)
				}
			})
		}
		for _, name := range []string{"query", "bots"} {
			if out, err := run(t, "ws://"+host, commands[name].args); err == nil || !strings.Contains(out, "needs the server's UDP port") {
				t.Errorf("%s: %v, %s", name, err, out)
			}
		}
	})
	t.Run("conflict", func(t *testing.T) {
		t.Parallel()
		for _, name := range []string{"join", "bots"} {
			if out, err := run(t, "ddnet://"+host, append(commands[name].args, "--protocol", "0.7")); err == nil ||
				!strings.Contains(out, "names version 0.6, but") {
				t.Errorf("%s: %v, %s", name, err, out)
			}
		}
	})
	t.Run("browse", func(t *testing.T) {
		t.Parallel()
		// This master does not exist. The error names the attempts.
		l := testenv.Must(net.ListenPacket("udp", "127.0.0.1:0"))
		t.Cleanup(func() { l.Close() })
		silent := l.LocalAddr().String()
		for spelling, want := range map[string]string{
			"HOST":                 silent + " (as 0.6) or " + silent + " (as 0.7)",
			" TW-0.6+udp://HOST/ ": "at " + silent + " (as 0.6);", "tw-0.7+udp://HOST": "at " + silent + " (as 0.7);",
			"tw-0.5+udp://HOST": "version 0.5", "ws://HOST": "http or https URL", "HTTP://127.0.0.1:1/servers.json ": "refused",
		} {
			t.Run(strings.TrimSpace(spelling), func(t *testing.T) {
				t.Parallel()
				if out, err := run(t, strings.ReplaceAll(spelling, "HOST", silent), []string{"browse", "ADDRESS"}); err == nil || !strings.Contains(out, want) {
					t.Errorf("%v, %s; want %q", err, out, want)
				}
			})
		}
		t.Run("halflife", func(t *testing.T) {
			t.Parallel()
			if out, err := run(t, "  "+silent+"/", []string{"browse", "--halflife", "ADDRESS"}); err == nil ||
				!strings.Contains(out, "no Half-Life master answers at "+silent) {
				t.Errorf("%v, %s", err, out)
			}
		})
	})
}
