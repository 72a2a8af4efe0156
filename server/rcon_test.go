package server

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

func TestRcon(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: time.Millisecond}, 5, "sv_rcon_mod_password modpw; mod_command status 1")
	admin := tn.join(1, "boss")
	loggedIn, info, motd := 0, "", ""
	var settings msg7.SvServerSettings
	var gameInfo msg7.SvGameInfo
	admin.onMessage = func(m testclient.Message) {
		switch m := m.(type) {
		case *msg7.RconAuthOn:
			loggedIn++
		case *msg7.SvServerSettings:
			settings = *m
		case *msg7.SvGameInfo:
			gameInfo = *m
		case *msg7.SvMotd:
			motd = string(m.Message)
		case *msg7.ServerInfo:
			info = string(m.Record.Name)
		}
	}
	prints := func(p *player, line string, want ...string) {
		t.Helper()
		out := p.rcon(line)
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%s: %q lacks %q", line, out, w)
			}
		}
	}
	if out := admin.rcon("status"); out != "" {
		t.Errorf("status without login printed %q", out)
	}
	admin.login("wrong")
	admin.login("adminpw")
	if l := admin.rconLines; loggedIn != 1 || len(l) < 2 || l[0] != "Wrong password 1/3." || !strings.HasPrefix(l[1], "Admin authentication successful. Full") {
		t.Fatalf("logged in %d times, lines %q", loggedIn, l)
	}
	tn.run(3 * time.Second)
	for _, want := range []string{"status", "say", "shutdown", "change_map", "tune", "sv_name", "sv_scorelimit"} {
		if !slices.Contains(admin.rconCommands, want) {
			t.Errorf("command %s was not announced; %d were", want, len(admin.rconCommands))
		}
	}
	if !slices.IsSorted(admin.rconCommands) || slices.Contains(admin.rconCommands, "ec_port") {
		t.Error("the commands are not sorted, or include ec_port")
	}

	second := tn.join(2, "pal")
	prints(admin, "status", "id=0 addr=10.0.1.1:50000 client=705 name='boss' score=0 (Admin)", "id=1 addr=10.0.1.2:50000 client=705 name='pal' score=0")
	prints(admin, `say "hello all"`)
	if got := second.chat[-1]; !slices.Equal(got, []string{"hello all"}) {
		t.Errorf("pal heard %q", got)
	}
	prints(admin, `sv_name "the new name"`)
	prints(admin, "sv_name", "Value: the new name")
	prints(admin, "sv_scorelimit 7; sv_timelimit 3; sv_player_slots 5; sv_teambalance_time 0; sv_motd hi there")
	if info != "the new name" || gameInfo.ScoreLimit != 7 || gameInfo.TimeLimit != 3 || settings.PlayerSlots != 5 || settings.TeamBalance || motd != "hi there" {
		t.Errorf("players are told of %q, %q, %+v, %+v", info, motd, gameInfo, settings)
	}
	prints(admin, "nonsense", "No such command: nonsense.")

	mod := tn.join(3, "mod")
	loggedOut := 0
	mod.onMessage = func(m testclient.Message) {
		if _, ok := m.(*msg7.RconAuthOff); ok {
			loggedOut++
		}
	}
	mod.login("modpw")
	prints(mod, "status", "name='mod'")
	prints(mod, "shutdown", "Access for command shutdown denied.")
	if prints(mod, "logout", "Logout successful."); loggedOut != 1 {
		t.Errorf("logged out %d times", loggedOut)
	}

	prints(admin, `kick 1 "too loud"`)
	if second.Err() == nil || !strings.Contains(second.Err().Error(), "Kicked (too loud)") {
		t.Errorf("the kicked player sees %v", second.Err())
	}
	if prints(admin, "shutdown"); !tn.srv.shutdown.requested {
		t.Error("shutdown does not stop the server")
	}
}

// TestRconPasswordIsMadeUp checks that an operator who set no password can log in.
func TestRconPasswordIsMadeUp(t *testing.T) {
	ts := newTestServer(t, nil, `sv_rcon_password ""`)
	_, password, _ := strings.Cut(ts.log.String(), "rcon password: ")
	password, _, _ = strings.Cut(password, " ")
	if c := ts.join(ip(1), "admin").Login(password); len(password) != 6 || !ts.session(c).rcon.authed {
		t.Errorf("cannot log in with the password %q", password)
	}
}

// TestStandardModeResetsTuning checks that players are never told of tuning that the mode
// does not keep.
func TestStandardModeResetsTuning(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: time.Millisecond}, 5)
	p := tn.dial(1, player07)
	var gravities []int32
	p.onMessage = func(m testclient.Message) {
		if m, ok := m.(*msg7.SvTuneParams); ok {
			gravities = append(gravities, m.Params[12])
		}
	}
	tn.untilPlaying(p)
	p.login("adminpw")
	if out := p.rcon("tune gravity 0.25"); !strings.Contains(out, "gravity changed to 0.25") || !strings.Contains(out, "resetting tuning due to pure server") {
		t.Errorf("tune prints %q", out)
	}
	if out := p.rcon("tune gravity"); !strings.HasSuffix(out, "gravity 0.50") {
		t.Errorf("then tune prints %q", out)
	}
	if out := p.rcon("tune nothing 1"); !strings.Contains(out, "No such tuning parameter") {
		t.Errorf("tune nothing prints %q", out)
	}
	tn.run(time.Second)
	if len(gravities) == 0 || slices.ContainsFunc(gravities, func(g int32) bool { return g != 50 }) {
		t.Errorf("the player is told of gravities %v", gravities)
	}
}

func TestChangeMap(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: time.Millisecond}, 5)
	admin := tn.join(1, "boss")
	spec := tn.join(2, "watcher")
	spec.send(&msg7.ClSetTeam{Team: msg7.TeamSpectators})
	tn.run(time.Second)
	admin.login("adminpw")
	if out := admin.rcon("change_map nowhere"); !strings.Contains(out, "map not found") {
		t.Errorf("change_map nowhere prints %q", out)
	}
	if tn.srv.gameMap.Name != "teeyard1" {
		t.Fatalf("map is %q", tn.srv.gameMap.Name)
	}
	admin.rcon("sv_map testbox")
	tn.run(2 * time.Second)
	if tn.srv.gameMap.Name != "testbox" || admin.State() != client.Playing || spec.State() != client.Playing {
		t.Fatalf("map %q, clients %v and %v (%v)", tn.srv.gameMap.Name, admin.State(), spec.State(), admin.Err())
	}
	if tn.srv.teamOf(1) != -1 || tn.srv.teamOf(0) != 0 {
		t.Errorf("teams after the change: %d, %d", tn.srv.teamOf(0), tn.srv.teamOf(1))
	}
	if out := admin.rcon("status"); !strings.Contains(out, "name='watcher'") {
		t.Errorf("rcon after the change: %q", out)
	}
	if s := admin.Stats(); s.CRCFailures+s.BadDelta+s.BadMessage > 0 {
		t.Errorf("stats %+v", s)
	}
	// change_map ends the match first and takes its ten seconds.
	admin.rcon("change_map teeyard1")
	tn.until(15*time.Second, "the old map again", func() bool { return tn.srv.gameMap.Name == "teeyard1" && admin.State() == client.Playing })
}

// TestPasswordsAreNotLogged checks that the log has no password, whatever an operator
// does with them.
func TestPasswordsAreNotLogged(t *testing.T) {
	ts := newTestServer(t, nil, "console_output_level 2; sv_rcon_mod_password secret1; password secret2")
	k := hlClient{ts, public(1)}
	for line, want := range map[string]string{
		"sv_rcon_password":                               "Value: ***",
		"sv_rcon_mod_password":                           "Value: ***",
		"password":                                       "Value: ***",
		"password secret3; password":                     "Value: ***",
		"add_vote open password secret4":                 "added option 'open' 'password ***'",
		`add_vote locked "sv_rcon_mod_password secret5"`: "added option 'locked' 'sv_rcon_mod_password ***'",
		"add_vote bad \"passwordd secret6\"":             "skipped invalid command '***'",
	} {
		ts.now = ts.now.Add(time.Second)
		if got := k.rcon("adminpw", line); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	ts.now = ts.now.Add(time.Second)
	k.rcon("secret7", "status")
	for line := range strings.Lines(ts.log.String()) {
		if strings.Contains(line, "secret") || strings.Contains(line, "adminpw") {
			t.Errorf("logged: %s", line)
		}
	}
}
