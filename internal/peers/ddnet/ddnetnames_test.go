//go:build peers

package ddnet

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
)

// TestNamesAsDDNet makes DDNet-Server 16.4 list its variables and commands, and a player write
// /cmdlist on both servers. Our list of DDNet's names must be complete, and every name that we lack
// must have a reason in console.DDNetReason.
func TestNamesAsDDNet(t *testing.T) {
	t.Parallel()
	const settings = "sv_map teams"
	file := teamsMap(t)
	// join makes a player join and write /cmdlist, and returns the names in the answer.
	join := func(s *peers.Server) (chat []string) {
		time.Sleep(500 * time.Millisecond) // the player before has left
		r := joinRacer(t, s, 0)
		time.Sleep(300 * time.Millisecond)
		for len(r.lines) > 0 {
			<-r.lines
		}
		testenv.Check(t, r.Say("/cmdlist") == nil, "cannot write")
		time.Sleep(500 * time.Millisecond)
		for len(r.lines) > 0 {
			chat = append(chat, strings.Split(<-r.lines, ", ")...)
		}
		return chat
	}
	home := t.TempDir()
	data := filepath.Join(home, ".local", "share", "ddnet")
	peers.WriteFile(t, filepath.Join(data, "maps", "teams.map"), file)
	peers.WriteFile(t, filepath.Join(data, "autoexec_server.cfg"), nil) // replaces Debian's
	theirs := peers.StartDDNetIn(t, home, settings+"; access_status 0") // access_status 0 prints all commands
	folder := t.TempDir()
	peers.WriteFile(t, filepath.Join(folder, "maps", "teams.map"), file)
	ours := peers.StartTeeyardIn(t, folder, settings+"; sv_gametype ddrace")
	theirChat := join(theirs)
	var theirCommands []string
	for line := range strings.Lines(theirs.Output()) {
		if _, names, ok := strings.Cut(strings.TrimSpace(line), "chatresp: "); ok && !strings.HasPrefix(names, "No such") {
			theirCommands = append(theirCommands, strings.Split(names, ", ")...)
		}
	}
	ourChat := join(ours)

	known := strings.Fields(string(testenv.Must(os.ReadFile("../../../server/console/testdata/ddnet16.txt"))))
	for _, name := range theirCommands {
		testenv.Check(t, slices.Contains(known, name), "DDNet-Server has %s, which is not in the list", name)
	}
	for _, name := range known {
		// Left out are commands of the external console, commands that only players have, and
		// commands that Debian's build lacks.
		testenv.Check(t, slices.Contains(theirCommands, name) || strings.HasPrefix(name, "ec_") || slices.Contains(theirChat, name) ||
			slices.Contains([]string{"dbg_dummies", "dbg_stress", "dbg_stress_network", "sv_use_upnp"}, name), "DDNet-Server has no %s", name)
	}
	for _, name := range theirChat {
		why, _ := console.DDNetReason(name)
		testenv.Check(t, slices.Contains(ourChat, name), "players have no /%s (%s)", name, why)
	}
	testenv.Check(t, len(theirChat) > 40 && len(theirCommands) > 300, "%d and %d names", len(theirChat), len(theirCommands))
	t.Logf("%d names of the console, %d of the chat (ours: %d)", len(theirCommands), len(theirChat), len(ourChat))
}
