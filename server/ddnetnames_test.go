package server_test

import (
	"os"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
)

// TestAllNamesOfDDNet checks the names of variables and commands that DDNet-Server 16.4 and 20.1
// list. While it plays DDRace, this server has each of them, or a reason why not.
func TestAllNamesOfDDNet(t *testing.T) {
	ts := newTestServerWith(t, ddraceConfig(), "sv_map race; sv_gametype ddrace; sv_ddnet_physics 20")
	has := func(name string) bool {
		_, inConsole := ts.Language().Lookup(name, console.Operator)
		_, inChat := ts.Chat().Find(name)
		return inConsole || inChat
	}
	names := strings.Fields(string(testenv.Must(os.ReadFile("console/testdata/ddnet16.txt"))) +
		string(testenv.Must(os.ReadFile("console/testdata/ddnet20.txt"))))
	for _, name := range names {
		why, isDDNet := console.DDNetReason(name)
		switch needs := strings.HasSuffix(why, "only in DDRace") || strings.HasSuffix(why, "in the chat"); {
		case !has(name) && (!isDDNet || needs):
			t.Errorf("%s is missing", name)
		case has(name) && isDDNet && !needs && name != "add_sqlserver":
			t.Errorf("%s is there, but %s", name, why)
		}
	}
}
