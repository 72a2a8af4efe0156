package server

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// TestMapListOfOperators checks that operators' clients are told which maps there are,
// as sv_maplist says.
func TestMapListOfOperators(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{
		"dm1.map", "ctf5.map", "mine.map", "sub/deep.map", "sub/dm1.map", ".hidden.map", "readme.txt", "a/b/c/d/e/too_deep.map", ".sub/x.map", "teeyard1.map",
	} {
		files["maps/"+name] = &fstest.MapFile{Data: []byte("x")}
	}
	delete(files, "maps/teeyard1.map") // the embedded one is played
	tn := newTestNetworkWith(t, netsim.Link{}, 1, Config{Files: files}, "sv_rcon_mod_password modpw")
	listed := func(password string) []string {
		t.Helper()
		p := tn.join(len(tn.players)+1, "boss")
		var names []string
		p.onMessage = func(m testclient.Message) {
			if m, ok := m.(*msg7.MaplistEntryAdd); ok {
				names = append(names, string(m.Name))
			}
		}
		p.login(password)
		tn.run(3 * time.Second)
		if len(p.rconCommands) == 0 {
			t.Error("no commands were listed")
		}
		return names
	}
	if got := listed("adminpw"); !slices.Equal(got, []string{"ctf5", "dm1", "mine", "sub/deep", "sub/dm1", "teeyard1", "testbox"}) {
		t.Errorf("all maps are %q", got)
	}
	if got := listed("modpw"); len(got) != 0 {
		t.Errorf("who may not change maps is told of %q", got)
	}
	tn.srv.Execute("mod_command sv_map 1; sv_maplist standard")
	if got := listed("modpw"); !slices.Equal(got, []string{"ctf5", "dm1"}) {
		t.Errorf("standard maps are %q", got)
	}
	tn.srv.Execute("sv_maplist none")
	if got := listed("adminpw"); len(got) != 0 {
		t.Errorf("no maps are %q", got)
	}
	tn.srv.Execute("sv_maplist all")
	for i := range 200 {
		files["maps/many"+strings.Repeat("y", i)+".map"] = &fstest.MapFile{}
	}
	if got := listed("adminpw"); len(got) != 207 {
		t.Errorf("of many maps %d are listed", len(got))
	}
}

// TestModeratorsAreToldOfTheirCommands checks that moderators' clients are told when
// they may run a command, or no longer.
func TestModeratorsAreToldOfTheirCommands(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{}, 1, "sv_rcon_mod_password modpw")
	p := tn.join(1, "mod")
	var seen []string
	p.onMessage = func(m testclient.Message) {
		switch m := m.(type) {
		case *msg7.RconCmdAdd:
			seen = append(seen, "+"+string(m.Name))
		case *msg7.RconCmdRem:
			seen = append(seen, "-"+string(m.Name))
		}
	}
	tn.srv.Execute("mod_command status 1")
	p.login("modpw")
	tn.run(3 * time.Second)
	tn.srv.Execute("mod_command say 1; mod_command say 1; mod_command status 0; mod_command ec_port 1")
	tn.run(time.Second)
	if want := []string{"+logout", "+status", "+say", "-status"}; !slices.Equal(seen, want) {
		t.Errorf("told %q, not %q", seen, want)
	}
}
