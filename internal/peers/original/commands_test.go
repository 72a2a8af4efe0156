//go:build peers

package original

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

const operatorSettings = "sv_rcon_password adminpw; sv_rcon_mod_password modpw; mod_command status 1; mod_command sv_map 1; mod_command ban 1"

// commandList waits until the server has sent its whole list of commands, and returns it.
func commandList(t *testing.T, c *client.Client, last string) map[string]string {
	t.Helper()
	var list []bridge.CommandInfo
	peers.Eventually(t, 20*time.Second, "the list of commands", func() bool {
		list = c.RconCommands()
		return slices.ContainsFunc(list, func(i bridge.CommandInfo) bool { return i.Name == last })
	})
	byName := map[string]string{}
	for _, i := range list {
		byName[i.Name] = i.Params
	}
	return byName
}

// documentedDifferences returns the rows of the table in docs/operate/from-teeworlds-server.md by
// name.
func documentedDifferences(t *testing.T) map[string][2]string {
	t.Helper()
	text := string(testenv.Must(os.ReadFile("../../../docs/operate/from-teeworlds-server.md")))
	rows := map[string][2]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_0-9]+)` \\| (.*?) \\| (.*?) \\| .* \\|$").FindAllStringSubmatch(text, -1) {
		cell := func(text string) string { return strings.ReplaceAll(strings.Trim(text, "`"), `\|`, "|") }
		rows[m[1]] = [2]string{cell(m[2]), cell(m[3])}
	}
	if len(rows) == 0 {
		t.Fatal("no table")
	}
	return rows
}

// TestCommandsAsInTheOriginal compares the commands and variables that both servers list to
// administrators and moderators, and the defaults and limits of the variables. What differs is
// in the table of docs/operate/from-teeworlds-server.md, with the reason.
func TestCommandsAsInTheOriginal(t *testing.T) {
	t.Parallel()
	peers.RequirePrograms(t, "teeworlds-server")
	original, ours := peers.StartOriginal(t, operatorSettings), peers.StartTeeyard(t, operatorSettings)
	a, b := peers.Operator(t, original, "adminpw"), peers.Operator(t, ours, "adminpw")
	theirs, own := commandList(t, a, "vote"), commandList(t, b, "vote")
	if len(theirs) < 90 {
		t.Fatalf("only %d commands", len(theirs))
	}
	known := documentedDifferences(t)
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		was, is := theirs[name], "no"
		if params, ok := own[name]; ok {
			is = params
		}
		row, listed := known[name]
		delete(known, name)
		switch {
		case was != is && (!listed || row != [2]string{show(was), show(is)}):
			t.Errorf("%s: the original has %q, ours %q, and from-teeworlds-server.md %q", name, show(was), show(is), row)
		case was == is && listed && row[0] == row[1]:
			t.Errorf("%s: no difference", name)
		}
		if was == is && listed {
			known[name] = row // its values may differ
		}
	}
	config := string(testenv.Must(os.ReadFile("../../../server/testdata/teeworlds-0.7.5.cfg")))
	// values runs a line on both servers at the same time and returns the values that it prints.
	values := func(line string, n int) (got [2][]string) {
		t.Helper()
		var wg sync.WaitGroup
		for i, c := range []*client.Client{a, b} {
			wg.Go(func() {
				lines, err := c.RconRun(t.Context(), line)
				for _, l := range lines {
					if _, v, ok := strings.Cut(l, "][Console]: Value: "); ok {
						got[i] = append(got[i], v)
					}
				}
				if err != nil || len(got[i]) != n {
					t.Errorf("%s: %q, %v", line, lines, err)
				}
			})
		}
		if wg.Wait(); t.Failed() {
			t.FailNow()
		}
		return got
	}
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		if params := theirs[name]; params != "?i" && params != "?r" || name == "change_map" || name == "pause" || name == "restart" {
			continue
		}
		if !regexp.MustCompile(`(?m)^` + name + ` `).MatchString(config) {
			t.Errorf("%s is not in server/testdata/teeworlds-0.7.5.cfg", name)
		}
		if theirs[name] != "?i" || own[name] != "?i" || name == "sv_port" {
			continue // texts, and what would end the connection or ask strangers
		}
		steps := []string{"", "-100000", "100000"}
		got := values(fmt.Sprintf("%[1]s; %[1]s -100000; %[1]s; %[1]s 100000; %[1]s", name), len(steps))
		steps = append(steps, got[0][0])
		last := values(fmt.Sprintf("%[1]s %[2]s; %[1]s", name, got[0][0]), 1)
		for i := range got {
			got[i] = append(got[i], last[i]...)
		}
		for n, set := range steps {
			now := [2]string{got[0][n], got[1][n]}
			row, listed := known[name]
			if now[0] != now[1] && (!listed || row != now) {
				t.Errorf("%s %s: %q in the original, ours %q, from-teeworlds-server.md %q", name, set, now[0], now[1], row)
			}
			if now[0] != now[1] {
				delete(known, name)
			}
		}
	}
	for name := range known {
		t.Errorf("from-teeworlds-server.md has %s, which does not differ", name)
	}
	a, b = peers.Operator(t, original, "modpw"), peers.Operator(t, ours, "modpw")
	x, y := commandList(t, a, "sv_map"), commandList(t, b, "sv_map")
	if _, ok := y["help"]; !ok {
		t.Error("moderators have no help")
	}
	if delete(y, "help"); !maps.Equal(x, y) || len(x) != 4 {
		t.Errorf("moderators have %q in the original, ours %q", x, y)
	}
}

func show(params string) string {
	if params == "" {
		return "none"
	}
	return params
}

// banScript is commands about bans, of which both servers print the same.
var banScript = []string{
	"bans", "ban 1.2.3.4 5 one", "ban 1.2.3.4 6 renewed", "ban 1.2.3.4", "ban 1.2.3.0-1.2.3.9 7 a range", "ban 1.2.3.0-1.2.3.9 0 renewed",
	"ban 1.2.0.0-1.2.255.255 44640 the longest of the original", "ban 5.6.7.8 -5 negative", "ban 9.9.9.9 1 x", "bans",
	"unban foo", "unban foo-bar", "unban 1.2.3.9-1.2.3.0", "ban 1.2.3.9-1.2.3.0", "ban 1.2.3.4-1.2.3.4", "unban 1.2.3.0-1.2.3.8", "unban 1.2.3.0",
	"unban 99", "unban -1", "unban 1.2.3.4-",
	"ban foo", "ban foo-bar", "ban 99", "ban 64", "ban 127.0.0.1", "ban 126.0.0.0-128.0.0.0 5 all", "ban", "unban",
	"unban 1.2.3.0-1.2.3.9", "unban 2", "unban 0", "bans", "unban_all", "bans",
	"ban 1.1.1.1 0 first; ban 1.1.1.2 0 second; ban 1.1.1.3 5 third; bans", "bans_save saved.cfg", "unban_all", "exec saved.cfg", "bans",
}

// TestBanCommands compares what the commands about bans print.
func TestBanCommands(t *testing.T) {
	t.Parallel()
	peers.RequirePrograms(t, "teeworlds-server")
	ours := peers.StartTeeyard(t, operatorSettings)
	a, b := peers.Operator(t, peers.StartOriginal(t, operatorSettings), "adminpw"), peers.Operator(t, ours, "adminpw")
	run := func(c *client.Client, line string) (out []string) {
		lines, err := c.RconRun(t.Context(), line)
		testenv.NoError(t, err)
		for _, l := range lines {
			// On a slow disk ours goes on meanwhile.
			if before, _, slow := strings.Cut(l, ": the disk is slow"); slow {
				peers.Eventually(t, 20*time.Second, "the bans are written", func() bool { return strings.Contains(ours.Output(), "saved.cfg: written") })
				l = strings.Replace(before, "saving", "saved", 1)
			}
			if i := strings.Index(l, "]["); i >= 0 {
				out = append(out, strings.Replace(l[i+1:], "Usage: unban r[", "Usage: unban s[", 1)) // from-teeworlds-server.md
			}
		}
		return out
	}
	for _, line := range banScript {
		if x, y := run(a, line), run(b, line); !slices.Equal(x, y) {
			t.Errorf("%s: the original prints\n%s\nours\n%s", line, strings.Join(x, "\n"), strings.Join(y, "\n"))
		}
	}
}
