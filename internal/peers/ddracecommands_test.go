package peers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// commandScript is as teamScript, with the commands of a player's own race and view.
var commandScript = slices.Concat(
	prefixed("0 /settings ", "", "votes", "teams", "cheats", "collision", "hooking", "endlesshooking", "hitting", "oldlaser", "me", "pause", "scores", "nothing"),
	prefixed("0 /", "saytime", "saytime racer 1", "saytime nobody", "saytimeall",
		"timer", "timer both", "timer none", "timer sundial", "timer default"),
	[]string{fmt.Sprint("0 walk ", atStart+3)},
	prefixed("0 /", "time", "saytime", "saytime racer 0", "saytime racer 1", "saytimeall",
		"r", "rescue", "tp", "tp nobody", "me waits",
		"showall", "showall", "showall 1", "showall 1", "showothers 0", "showothers", "specteam", "specteam 0", "ninjajetpack", "ninjajetpack", "kill"),
	[]string{"1 /saytime racer 0", "0 kill", "wait"},
	prefixed("0 /", "pause", "pause", "pause racer 1", "pause racer 1", "pause nobody", "spec"),
	[]string{"wait", "1 /spec", "wait", "1 kill", "1 /kill", "1 /spec", "1 /spec", "1 /spec", "1 /pause",
		"2 /spec", "wait", "2 /team 3", "2 /spec", "2 /pause", "2 /spec", "wait", "2 /spec racer 1", "2 /spec racer 1", "wait"},
	prefixed("0 /", "team 5", "practice", "r", "tp", "tp nobody", "tp racer 1", "teleport"),
	[]string{"0 rename Anna", "1 rename Anna", "2 rename \u0410nna", "3 rename /x", "3 rename /x", "0 rename racer", "0 /saytime Anna", "2 rename Anna"},
)

func prefixed(prefix string, lines ...string) (all []string) {
	for _, line := range lines {
		all = append(all, strings.TrimSpace(prefix+line))
	}
	return all
}

// TestCommandsAsDDNet has players type DDRace's commands on DDNet-Server 16.4 and on ours.
func TestCommandsAsDDNet(t *testing.T) {
	t.Parallel()
	compareLines(t, commandScript)
}
