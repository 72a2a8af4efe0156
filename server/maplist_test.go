package server

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// Operators' clients are told which maps there are, as sv_maplist says.
func TestMapList(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{
		"dm1.map", "ctf5.map", "mine.map", "sub/deep.map", "sub/dm1.map", ".hidden.map", "readme.txt", "a/b/c/d/e/too_deep.map", ".sub/x.map", "teeyard1.map",
	} {
		files["maps/"+name] = &fstest.MapFile{Data: []byte("x")}
	}
	delete(files, "maps/teeyard1.map") // the embedded one is played
	a := newArenaWith(t, netsim.Link{}, 1, func(cfg *Config) { cfg.Files = files }, "sv_rcon_mod_password modpw")
	listed := func(password string) []string {
		t.Helper()
		p := a.join(len(a.players)+1, "boss")
		var names []string
		commands := 0
		p.onMessage = func(m msg7.Message) {
			switch m := m.(type) {
			case *msg7.MaplistEntryAdd:
				names = append(names, string(m.Name))
			case *msg7.RconCmdAdd:
				commands++
			}
		}
		a.until(5*time.Second, "playing", func() bool { return p.State() == client.Playing })
		p.Send(a.now(), &msg7.RconAuth{Password: []byte(password)})
		a.run(3 * time.Second)
		if commands == 0 {
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
	a.srv.Execute("mod_command sv_map 1; sv_maplist standard")
	if got := listed("modpw"); !slices.Equal(got, []string{"ctf5", "dm1"}) {
		t.Errorf("standard maps are %q", got)
	}
	a.srv.Execute("sv_maplist none")
	if got := listed("adminpw"); len(got) != 0 {
		t.Errorf("no maps are %q", got)
	}
	a.srv.Execute("sv_maplist all")
	for i := range 200 {
		files["maps/many"+strings.Repeat("y", i)+".map"] = &fstest.MapFile{}
	}
	if got := listed("adminpw"); len(got) != 207 {
		t.Errorf("of many maps %d are listed", len(got))
	}
}

// Moderators learn of commands that they may run from now on, or no more.
func TestModeratorsCommands(t *testing.T) {
	a := newArena(t, netsim.Link{}, 1, "sv_rcon_mod_password modpw")
	p := a.join(1, "mod")
	var seen []string
	p.onMessage = func(m msg7.Message) {
		switch m := m.(type) {
		case *msg7.RconCmdAdd:
			seen = append(seen, "+"+string(m.Name))
		case *msg7.RconCmdRem:
			seen = append(seen, "-"+string(m.Name))
		}
	}
	a.until(5*time.Second, "playing", func() bool { return p.State() == client.Playing })
	a.srv.Execute("mod_command status 1")
	p.Send(a.now(), &msg7.RconAuth{Password: []byte("modpw")})
	a.run(3 * time.Second)
	a.srv.Execute("mod_command say 1; mod_command say 1; mod_command status 0; mod_command ec_port 1")
	a.run(time.Second)
	if want := []string{"+logout", "+status", "+say", "-status"}; !slices.Equal(seen, want) {
		t.Errorf("told %q, not %q", seen, want)
	}
}
