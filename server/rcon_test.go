package server

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// operator is a player with a remote console.
type operator struct {
	*player
	lines    []string
	commands []string
	on, off  int
	settings msg7.SvServerSettings
	gameInfo msg7.SvGameInfo
	motd     string
	tuning   [32]int32
	info     string // server name
}

func (a *arena) operator(ip int, name string) *operator {
	a.t.Helper()
	o := &operator{player: a.join(ip, name)}
	o.onMessage = func(m msg7.Message) {
		switch m := m.(type) {
		case *msg7.RconLine:
			o.lines = append(o.lines, string(m.Line))
		case *msg7.RconCmdAdd:
			o.commands = append(o.commands, string(m.Name))
		case *msg7.RconAuthOn:
			o.on++
		case *msg7.RconAuthOff:
			o.off++
		case *msg7.SvServerSettings:
			o.settings = *m
		case *msg7.SvGameInfo:
			o.gameInfo = *m
		case *msg7.SvMotd:
			o.motd = string(m.Message)
		case *msg7.SvTuneParams:
			o.tuning = m.Params
		case *msg7.ServerInfo:
			o.info = string(m.Record.Name)
		}
	}
	a.until(5*time.Second, "playing", func() bool { return o.State() == client.Playing })
	return o
}

// rcon runs a line and returns what it printed.
func (o *operator) rcon(a *arena, line string) string {
	a.t.Helper()
	before := len(o.lines)
	o.Send(a.now(), &msg7.RconCmd{Command: []byte(line)})
	a.run(200 * time.Millisecond)
	return strings.Join(o.lines[before:], "\n")
}

func (o *operator) login(a *arena, password string) {
	a.t.Helper()
	o.Send(a.now(), &msg7.RconAuth{Password: []byte(password)})
	a.run(200 * time.Millisecond)
}

func TestRcon(t *testing.T) {
	a := newArena(t, netsim.Link{Delay: time.Millisecond}, 5, "sv_rcon_mod_password modpw; mod_command status 1")
	o := a.operator(1, "boss")
	if out := o.rcon(a, "status"); out != "" {
		t.Errorf("status without login printed %q", out)
	}
	o.login(a, "wrong")
	if got := o.lines[len(o.lines)-1]; got != "Wrong password 1/3." {
		t.Errorf("wrong password: %q", got)
	}
	o.login(a, "adminpw")
	if o.on != 1 || !strings.HasPrefix(o.lines[2-1], "Admin authentication successful. Full") {
		t.Fatalf("login: on %d, lines %q", o.on, o.lines)
	}
	a.run(3 * time.Second)
	for _, want := range []string{"status", "say", "shutdown", "change_map", "tune", "sv_name", "sv_scorelimit"} {
		if !slices.Contains(o.commands, want) {
			t.Errorf("command %s was not announced; %d were", want, len(o.commands))
		}
	}
	if !slices.IsSorted(o.commands) {
		t.Error("commands come unsorted")
	}
	if slices.Contains(o.commands, "ec_port") {
		t.Error("ec_port was announced")
	}

	second := a.join(2, "pal")
	a.until(2*time.Second, "playing", func() bool { return second.State() == client.Playing })
	out := o.rcon(a, "status")
	for _, want := range []string{"id=0 addr=10.0.1.1:50000 client=705 name='boss' score=0 (Admin)", "id=1 addr=10.0.1.2:50000 client=705 name='pal' score=0"} {
		if !strings.Contains(out, want) {
			t.Errorf("status lacks %q:\n%s", want, out)
		}
	}

	o.rcon(a, `say "hello all"`)
	if got := second.heard[-1]; len(got) != 1 || got[0] != "hello all" {
		t.Errorf("pal heard %q", got)
	}
	o.rcon(a, `sv_name "the new name"`)
	if o.info != "the new name" {
		t.Errorf("SERVERINFO says %q", o.info)
	}
	if out := o.rcon(a, "sv_name"); !strings.HasSuffix(out, "Value: the new name") {
		t.Errorf("sv_name prints %q", out)
	}
	o.rcon(a, "sv_scorelimit 7; sv_timelimit 3")
	if o.gameInfo.ScoreLimit != 7 || o.gameInfo.TimeLimit != 3 {
		t.Errorf("game info %+v", o.gameInfo)
	}
	o.rcon(a, "sv_player_slots 5; sv_teambalance_time 0")
	if o.settings.PlayerSlots != 5 || o.settings.TeamBalance {
		t.Errorf("settings %+v", o.settings)
	}
	o.rcon(a, "sv_motd hi there")
	if o.motd != "hi there" {
		t.Errorf("motd %q", o.motd)
	}
	if out := o.rcon(a, "nonsense"); !strings.Contains(out, "No such command: nonsense.") {
		t.Errorf("nonsense: %q", out)
	}

	mod := a.operator(3, "mod")
	mod.login(a, "modpw")
	if out := mod.rcon(a, "status"); !strings.Contains(out, "name='mod'") {
		t.Errorf("a moderator's status: %q", out)
	}
	if out := mod.rcon(a, "shutdown"); !strings.Contains(out, "Access for command shutdown denied.") {
		t.Errorf("a moderator's shutdown: %q", out)
	}
	if out := mod.rcon(a, "logout"); mod.off != 1 || !strings.Contains(out, "Logout successful.") {
		t.Errorf("logout: off %d, %q", mod.off, out)
	}

	o.rcon(a, `kick 1 "too loud"`)
	if second.Err() == nil || !strings.Contains(second.Err().Error(), "Kicked (too loud)") {
		t.Errorf("the kicked one sees %v", second.Err())
	}
	o.rcon(a, "shutdown")
	if !a.srv.shutdownRequested {
		t.Error("shutdown does not stop the server")
	}
}

// TestTune: a standard mode resets what the tuning was changed to at once.
func TestTune(t *testing.T) {
	a := newArena(t, netsim.Link{Delay: time.Millisecond}, 5)
	o := a.operator(1, "boss")
	if o.tuning[12] != 50 {
		t.Fatalf("gravity is %d", o.tuning[12])
	}
	o.login(a, "adminpw")
	if out := o.rcon(a, "tune gravity 0.25"); !strings.Contains(out, "gravity changed to 0.25") {
		t.Errorf("tune prints %q", out)
	}
	a.run(time.Second)
	if o.tuning[12] != 50 {
		t.Errorf("gravity %d after tune in a pure mode", o.tuning[12])
	}
	if out := o.rcon(a, "tune nothing 1"); !strings.Contains(out, "No such tuning parameter") {
		t.Errorf("tune nothing prints %q", out)
	}
}

func TestChangeMap(t *testing.T) {
	a := newArena(t, netsim.Link{Delay: time.Millisecond}, 5)
	o := a.operator(1, "boss")
	spec := a.operator(2, "watcher")
	spec.Send(a.now(), &msg7.ClSetTeam{Team: msg7.TeamSpectators})
	a.run(time.Second)
	o.login(a, "adminpw")
	if out := o.rcon(a, "change_map nowhere"); !strings.Contains(out, "map not found") {
		t.Errorf("change_map nowhere prints %q", out)
	}
	if a.srv.gameMap.Name != "teeyard1" {
		t.Fatalf("map is %q", a.srv.gameMap.Name)
	}
	o.rcon(a, "sv_map testbox")
	a.run(2 * time.Second)
	if a.srv.gameMap.Name != "testbox" || o.State() != client.Playing || spec.State() != client.Playing {
		t.Fatalf("map %q, clients %v and %v (%v)", a.srv.gameMap.Name, o.State(), spec.State(), o.Err())
	}
	if a.srv.teamOf(1) != -1 || a.srv.teamOf(0) != 0 {
		t.Errorf("teams after the change: %d, %d", a.srv.teamOf(0), a.srv.teamOf(1))
	}
	if out := o.rcon(a, "status"); !strings.Contains(out, "name='watcher'") {
		t.Errorf("rcon after the change: %q", out)
	}
	if s := o.Stats(); s.CRCFailures+s.BadDelta+s.BadMessage > 0 {
		t.Errorf("stats %+v", s)
	}
	// change_map ends the match first and takes its ten seconds.
	o.rcon(a, "change_map teeyard1")
	a.until(15*time.Second, "the old map again", func() bool { return a.srv.gameMap.Name == "teeyard1" && o.State() == client.Playing })
}

// TestPasswordsAreNotLogged: whatever an operator does with the passwords, the log
// has none of them.
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
