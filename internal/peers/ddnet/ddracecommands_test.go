//go:build peers

package ddnet

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/internal/testenv"
)

// commandScript is written like teamScript and adds the commands about a player's own race and
// view.
var commandScript = slices.Concat(
	prefixed("0 /settings ", "", "votes", "teams", "cheats", "collision", "hooking", "endlesshooking", "hitting", "oldlaser", "me", "pause", "scores",
		"nothing"),
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

// practiceScript is written like teamScript and has the practice commands of DDNet 20.
var practiceScript = slices.Concat(
	prefixed("0 /", "practicecmdlist", "unpractice", "rescuemode", "back", "lasttp", "tc", "telecursor", "tpxy 1 1", "solo", "jetpack", "invincible",
		"totele 1", "setswitch 1",
		"team 5", "unpractice", "practice", "practice", "back", "lasttp", "r", "tp nobody", "tc nobody", "tpxy x 1", "tpxy 1 x", "tpxy ~ ~-1", "lasttp",
		"rescuemode", "rescuemode manual", "rescuemode manual", "rescuemode list", "rescuemode Auto", "rescuemode other", "totele 1", "totelecp 1",
		"setswitch 1", "addweapon 9", "addweapon 2",
		"removeweapon 2", "solo", "unsolo", "deep", "undeep", "livefreeze", "unlivefreeze", "weapons", "unweapons", "shotgun", "unshotgun", "grenade",
		"ungrenade", "laser", "unlaser",
		"rifle", "unrifle", "ninja", "unninja", "jetpack", "unjetpack", "setjumps 5", "infjump", "uninfjump", "endless", "unendless", "invincible",
		"invincible 0", "collision", "hookcollision",
		"hitothers", "hitothers all", "hitothers laser", "hitothers x"),
	[]string{"1 /team 5", "wait", "1 /team 5", "1 /unpractice", "wait", "0 /team 6", "0 /lock", "0 /practice", fmt.Sprint("0 walk ", atStart+3),
		"0 /unpractice"},
)

func prefixed(prefix string, lines ...string) (all []string) {
	for _, line := range lines {
		all = append(all, strings.TrimSpace(prefix+line))
	}
	return all
}

// TestCommandsAsDDNet runs commandScript on DDNet-Server 16.4 and on our server and compares the
// chat.
func TestCommandsAsDDNet(t *testing.T) {
	t.Parallel()
	compareLines(t, commandScript)
}

// TestPracticeAsDDNet20 runs practiceScript on our server and compares the chat with a recording of
// DDNet-Server 20.1. TEEYARD_GOLDEN=1 makes a new recording; then the DDNet-Server found first in
// PATH must be 20.1.
func TestPracticeAsDDNet20(t *testing.T) {
	t.Parallel()
	const golden = "testdata/practice-20.txt"
	file := teamsMap(t)
	if os.Getenv("TEEYARD_GOLDEN") == "1" {
		lines := playLines(t, startDDNetOn(t, file), practiceScript)
		testenv.NoError(t, os.WriteFile(golden, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	}
	isTeam := func(line string) bool { return strings.Contains(line, " joined team ") } // worded as in 16.4
	want := strings.Split(strings.TrimSuffix(string(testenv.Must(os.ReadFile(golden))), "\n"), "\n")
	got := playLines(t, startTeeyardOn(t, file, "; sv_ddnet_physics 20"), practiceScript)
	if diff := cmp.Diff(slices.DeleteFunc(want, isTeam), slices.DeleteFunc(got, isTeam)); diff != "" {
		t.Errorf("(-DDNet-Server, +ours):\n%s", diff)
	}
}
