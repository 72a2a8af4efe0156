package server_test

import (
	"os"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
)

// TestAllNamesOfDDNet checks that each variable and command that DDNet-Server 16.4 lists is one of
// this server while it plays DDRace, in the console or the chat, or has a reason why it has no
// effect.
func TestAllNamesOfDDNet(t *testing.T) {
	ts := newTestServerWith(t, ddraceConfig(), "sv_map race; sv_gametype ddrace")
	has := func(name string) bool {
		_, inConsole := ts.Language().Lookup(name, console.Operator)
		_, inChat := ts.Chat().Find(name)
		return inConsole || inChat
	}
	for _, name := range strings.Fields(string(testenv.Must(os.ReadFile("console/testdata/ddnet16.txt")))) {
		why, isDDNet := console.DDNetReason(name)
		switch needs := strings.HasSuffix(why, "only in DDRace") || strings.HasSuffix(why, "in the chat"); {
		case !has(name) && (!isDDNet || needs):
			t.Errorf("%s is missing", name)
		case has(name) && isDDNet && !needs && name != "add_sqlserver":
			t.Errorf("%s is there, but %s", name, why)
		}
	}
}
