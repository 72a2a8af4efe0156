package server_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/console"
)

// TestVariablesAsReleased compares the console with testdata/variables.txt, the table of variables
// of the released server 0.7.5. The test lists the intended differences.
func TestVariablesAsReleased(t *testing.T) {
	table := map[string]string{}
	for line := range strings.Lines(string(testenv.Must(os.ReadFile("testdata/variables.txt")))) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			table[strings.Fields(line)[0]] = line
		}
	}
	for _, line := range []string{
		"sv_player_slots 8 0 128", // 128 players, as on DDNet-Server 20
		"sv_max_clients 8 1 128",
		"sv_max_clients_per_ip 4 1 128",
		"sv_vote_kick_min 0 0 128",
		"dbg_dummies 0 0 128",
		`sv_register "0" 64`,    // no server announces itself without being told to
		`sv_map "teeyard1" 128`, // dm1 comes with Teeworlds
	} {
		table[strings.Fields(line)[0]] = line
	}
	c := newTestServerWith(t, server.Config{}).Language()
	for name, line := range table {
		wantAllowed, wantDefault := releasedValues(t, line)
		if allowed, byDefault := c.Values(name); allowed != wantAllowed || byDefault != wantDefault {
			t.Errorf("%s: have %q by default, allowed are %q; want %q and %q", name, byDefault, allowed, wantDefault, wantAllowed)
		}
	}
	for e, ok := c.Next("", console.Operator); ok; e, ok = c.Next(e.Name, console.Operator) {
		if allowed, _ := c.Values(e.Name); allowed != "" && (len(e.Help) == 0 || len(e.Help) > 95) {
			t.Errorf("%s: help of %d bytes", e.Name, len(e.Help))
		}
	}
}

// releasedValues returns what [console.Console.Values] should return for a line of the table.
func releasedValues(t *testing.T, line string) (allowed, byDefault string) {
	t.Helper()
	_, rest, _ := strings.Cut(line, " ")
	if i := strings.LastIndexByte(rest, '"'); i >= 0 {
		size, err := strconv.Atoi(strings.TrimSpace(rest[i+1:]))
		testenv.NoError(t, err)
		return fmt.Sprintf("text of at most %d bytes", size-1), rest[:i+1]
	}
	var value, least, most int
	_, err := fmt.Sscan(rest, &value, &least, &most)
	testenv.NoError(t, err)
	switch byDefault = strconv.Itoa(value); {
	case least == most:
		return "a number", byDefault
	case most == 0:
		return fmt.Sprintf("at least %d", least), byDefault
	}
	return fmt.Sprintf("%d to %d", least, most), byDefault
}
