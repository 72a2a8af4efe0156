package server

import (
	"fmt"
	"github.com/teeyard/teeyard/server/internal/access"
	"io/fs"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/gamemap"
	"github.com/teeyard/teeyard/server/internal/later"
	"github.com/teeyard/teeyard/transport"
)

func TestRcon(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: time.Millisecond}, 5, "sv_rcon_mod_password modpw; sv_rcon_helper_password helperpw; mod_command status 1")
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
	if info != "the new name" || gameInfo.ScoreLimit != 7 || gameInfo.TimeLimit != 3 || settings.PlayerSlots != 5 ||
		settings.TeamBalance || motd != "hi there" {
		t.Errorf("players are told of %q, %q, %+v, %+v", info, motd, gameInfo, settings)
	}
	prints(admin, "nonsense", "No such command: nonsense.")

	helper := tn.join(4, "helper")
	helper.login("helperpw")
	prints(helper, "say hello", "Access for command say denied.")
	prints(admin, "access_level say 2", "helper access for 'say' is now enabled")
	if helper.rcon("say from a helper"); !second.heard("from a helper") {
		t.Error("a helper may not say what they may say")
	}
	prints(helper, "status", "Access for command status denied.")
	prints(admin, "status", "name='helper' score=0 (Helper)")
	mod := tn.join(3, "mod")
	loggedOut := 0
	mod.onMessage = on(func(*msg7.RconAuthOff) { loggedOut++ })
	mod.login("modpw")
	prints(mod, "status", "name='mod'", "id=0 addr=XXX client")
	prints(mod, "show_ips 1", "Access for command show_ips denied.")
	prints(admin, "show_ips", "Value: 1")
	prints(admin, "show_ips 0; status", "id=0 addr=XXX client")
	prints(admin, "access_level show_ips 1; show_ips 1; status", "id=0 addr=10.0.1.1:50000 client")
	prints(mod, "status", "id=0 addr=XXX client")
	prints(mod, "show_ips 1; status", "id=0 addr=10.0.1.1:50000 client")
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

// TestAddressesForModerators checks who sees addresses: by default administrators alone, and in
// DDNet's dialect nobody in the game.
func TestAddressesForModerators(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{}, 1, "sv_rcon_mod_password modpw; mod_command status 1")
	statusOf := func(level console.Level) (out string) {
		o := &Operator{Level: level, Addr: netip.MustParseAddrPort("10.0.0.1:1")}
		tn.srv.RunFor(o, "status", func(line string) { out += line }, nil)
		return out
	}
	admin := tn.join(1, "boss")
	if out := statusOf(console.LevelAdmin); !strings.Contains(out, "addr=10.0.1.1:50000 ") {
		t.Errorf("an administrator outside the game sees %q", out)
	}
	if out := statusOf(console.LevelMod); !strings.Contains(out, "addr=XXX ") {
		t.Errorf("a moderator outside the game sees %q", out)
	}
	tn.srv.Execute("access_level show_ips 1; log_dialect ddnet")
	if out := statusOf(console.LevelMod); !strings.Contains(out, "addr=10.0.1.1:50000 ") {
		t.Errorf("a moderator who may run show_ips sees %q", out)
	}
	admin.login("adminpw")
	for _, one := range [][2]string{{"show_ips", "Value: 0"}, {"status", "addr=XXX"}, {"show_ips 1; status", "addr=10.0.1.1:50000"}} {
		if out := admin.rcon(one[0]); !strings.Contains(out, one[1]) {
			t.Errorf("%s: %q lacks %q", one[0], out, one[1])
		}
	}
}

// TestRconPasswordIsMadeUp checks that an operator who set no password can log in.
func TestRconPasswordIsMadeUp(t *testing.T) {
	ts := newTestServer(t, nil, `sv_rcon_password ""`)
	_, password, _ := strings.Cut(ts.log.String(), "rcon password: ")
	password, _, _ = strings.Cut(password, " ")
	if c := ts.join(ip(1), "admin").Login(password); len(password) != 13 ||
		strings.Trim(password, "abcdefghijkmnpqrstuvwxyz23456789") != "" || !ts.session(c).rcon.authed {
		t.Errorf("cannot log in with the password %q", password)
	}
}

// TestStandardModeResetsTuning checks that players are never told of tuning that the mode
// does not keep.
func TestStandardModeResetsTuning(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: time.Millisecond}, 5)
	p := tn.dial(1, player07)
	var gravities []int32
	p.onMessage = on(func(m *msg7.SvTuneParams) { gravities = append(gravities, m.Params[12]) })
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

// TestChangeMap checks that change_map ends the match first, for ten seconds, and that players stay
// players and operators stay operators.
func TestChangeMap(t *testing.T) {
	tn := newTestNetwork(t, netsim.Link{Delay: time.Millisecond}, 5)
	admin := tn.join(1, "boss")
	admin.login("adminpw")
	if out := admin.rcon("change_map nowhere"); !strings.Contains(out, "map not found") {
		t.Errorf("change_map nowhere prints %q", out)
	}
	admin.rcon("change_map testbox")
	if tn.run(9 * time.Second); tn.srv.maps.Played().Name != "teeyard1" {
		t.Errorf("after 9 s the map is %s", tn.srv.maps.Played().Name)
	}
	tn.until(5*time.Second, "playing on the new map", func() bool { return tn.srv.maps.Played().Name == "testbox" && admin.State() == client.Playing })
	tn.run(time.Second)
	if out := admin.rcon("status"); !strings.Contains(out, "name='boss'") || tn.srv.teamOf(0) != 0 {
		t.Errorf("status after the change prints %q, the team is %d", out, tn.srv.teamOf(0))
	}
	checkStats(t, admin)
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
		"add_vote bad \"passwordd secret6\"":             "skipped invalid command 'passwordd ***'",
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
		p.onMessage = on(func(m *msg7.MaplistEntryAdd) { names = append(names, string(m.Name)) })
		p.login(password)
		tn.run(3 * time.Second)
		if len(p.rconCommands) == 0 {
			t.Error("no commands were listed")
		}
		return names
	}
	if got := listed("adminpw"); !slices.Equal(got, []string{"ctf5", "dm1", "mine", "sub/deep", "sub/dm1", "teeyard1", "testbox", "yardrun"}) {
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
	if got := listed("adminpw"); len(got) != 208 {
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
	tn.srv.Execute("mod_command say 1; mod_command say 1; mod_command status 0; mod_command ec_port 1; access_level say 2")
	tn.run(time.Second)
	if want := []string{"+help", "+logout", "+status", "+say", "-status"}; !slices.Equal(seen, want) {
		t.Errorf("told %q, not %q", seen, want)
	}
}

// TestEndOfRconOutput checks the mark with which our clients find the end of a command's output.
// The server repeats it after the output, even if that was cut, and does not log it. Other clients
// do not get it, and it needs a login.
func TestEndOfRconOutput(t *testing.T) {
	const mark = "end-0123456789abcdef"
	ts := newTestServer(t, nil, "console_output_level 2")
	p, other := ts.join(local(1), "admin"), ts.join(local(2), "other")
	p.Login("adminpw")
	other.Login("adminpw")
	ts.idle(300, p, other)
	p.Deaf = true // for a moment
	p.Rcon(strings.Repeat("tunes;", 40))
	p.Rcon(mark)
	ts.step(2)
	p.Deaf = false
	ts.idle(200, p, other)
	n := len(p.RconLines)
	if p.RconLines[n-1] != mark || !strings.Contains(p.RconLines[n-2], "lines were not shown") {
		t.Errorf("the output ends with %q", p.RconLines[n-2:])
	}
	p.Rcon("echo fine")
	p.Rcon(mark)
	ts.idle(2, p, other)
	if n := len(p.RconLines); p.RconLines[n-1] != mark || !strings.Contains(p.RconLines[n-2], "fine") {
		t.Errorf("the output ends with %q", p.RconLines[n-2:])
	}
	if strings.Contains(ts.log.String(), mark) || slices.Contains(other.RconLines, mark) {
		t.Errorf("others saw it: %q, %s", other.RconLines, ts.log.String())
	}
	stranger := ts.join(local(3), "stranger")
	stranger.Rcon(mark)
	ts.idle(2, stranger)
	if len(stranger.RconLines) > 0 {
		t.Errorf("a stranger got %q", stranger.RconLines)
	}
	p.Rcon(mark + "0")
	ts.idle(2, p)
	if last := p.RconLines[len(p.RconLines)-1]; !strings.Contains(last, "No such command: "+mark+"0.") {
		t.Errorf("another word: %q", last)
	}
}

// TestMapListFromASlowDisk: an operator who logs in does not make the players wait for the
// disk that the maps are on, and gets the list when it has been read.
func TestMapListFromASlowDisk(t *testing.T) {
	ts := newTestServer(t, fstest.MapFS{"maps/mine.map": {Data: []byte("x")}})
	var disk heldWork
	disk.hold(ts)
	p := ts.join(local(1), "boss")
	p.Login("adminpw")
	ts.idle(50, p)
	if n := p.Received[msg7.IDMaplistEntryAdd]; n != 0 {
		t.Errorf("%d maps were listed before the disk had answered", n)
	}
	disk.do(t, 1)
	ts.idle(50, p)
	if n := p.Received[msg7.IDMaplistEntryAdd]; n != 4 { // with the embedded ones
		t.Errorf("%d maps are listed", n)
	}
}

// TestSettingsForLater checks that a setting that takes effect later says so, and no other does.
func TestSettingsForLater(t *testing.T) {
	ts := newTestServer(t, nil, "sv_port 8304; sv_gametype dm")
	if strings.Contains(ts.log.String(), "is used") {
		t.Errorf("said at the start:\n%s", ts.log.String())
	}
	for _, c := range [][2]string{
		{"sv_port 9999", "[server]: sv_port takes effect when the server restarts\n"},
		{"sv_port", "[Console]: Value: 9999\n"},
		{"sv_gametype DM", "[server]: sv_gametype takes effect with the next map, or after reload\n"},
		{"sv_gametype nope", "[server]: sv_gametype 'nope' does not exist: the next map will play dm (game types: dm, tdm, ctf, lms, lts, race, mod)\n"},
	} {
		ts.log.Reset()
		if ts.srv.Execute(c[0]); ts.log.String() != c[1] {
			t.Errorf("%s: %q, want %q", c[0], ts.log.String(), c[1])
		}
	}
}

// stuckFS is a disk that answers about a file when it is freed.
type stuckFS struct {
	fs.FS
	freed map[string]chan struct{} // by name; others are not stuck
}

func (s stuckFS) Open(name string) (fs.File, error) {
	if c := s.freed[name]; c != nil {
		<-c
	}
	return s.FS.Open(name)
}

// TestExecFromAStuckDisk checks that exec does not make the game wait for a disk that does not
// answer. The lines run when it does. Meanwhile a few such commands are allowed.
func TestExecFromAStuckDisk(t *testing.T) {
	disk := stuckFS{fstest.MapFS{
		"x.cfg": {Data: []byte("echo from the file\nexec y.cfg")}, "y.cfg": {Data: []byte("exec x.cfg")},
		"big.cfg": {Data: make([]byte, console.MaxFile+1)},
	}, map[string]chan struct{}{"x.cfg": make(chan struct{}), "y.cfg": make(chan struct{})}}
	ts := newTestServer(t, disk)
	ts.background = later.Go
	k := hlClient{ts, public(1)}
	const reads = 4
	now := later.Now
	const later = "takes long to read; it runs as soon as it is read"
	for i := range reads + 1 {
		want := later
		if i == reads {
			want = "the disk does not answer"
		}
		if got := k.rcon("adminpw", "exec x.cfg"); !strings.Contains(got, want) {
			t.Errorf("exec %d: %q", i, got)
		}
	}
	ts.log.Reset()
	disk.freed["x.cfg"] <- struct{}{}
	(<-ts.srv.tasks.queue)()
	if got, want := ts.log.String(), "[console]: executing 'x.cfg'\n[Console]: from the file\n[console]: x.cfg:2: 'y.cfg' "+later+"\n"; got != want {
		t.Errorf("when the file is there: %q, want %q", got, want)
	}
	ts.log.Reset()
	disk.freed["y.cfg"] <- struct{}{}
	(<-ts.srv.tasks.queue)()
	if got, want := ts.log.String(), "[console]: executing 'y.cfg'\n"; got != want {
		t.Errorf("the file in the file: %q, want %q", got, want)
	}
	for _, c := range disk.freed {
		close(c)
	}
	ts.background = now
	testenv.Eventually(t, "all files are read", func() bool {
		ts.log.Reset()
		ts.srv.Execute("exec missing.cfg")
		return !strings.Contains(ts.log.String(), "the disk does not answer")
	})
	for _, c := range [][2]string{
		{"exec big.cfg", "[console]: failed to open 'big.cfg'\n[console]: Info: the file is larger than 1048576 bytes\n"},
		{"exec missing.cfg", "[console]: failed to open 'missing.cfg'\n"},
	} {
		ts.log.Reset()
		if ts.srv.Execute(c[0]); ts.log.String() != c[1] {
			t.Errorf("%s: %q, want %q", c[0], ts.log.String(), c[1])
		}
	}
}

// TestPasswordsOfStrangersAreLimited checks that many networks together cannot try many
// passwords, and that operators can log in meanwhile.
func TestPasswordsOfStrangersAreLimited(t *testing.T) {
	ts := newTestServer(t, nil)
	operator := ts.join(ip(1), "operator").Login("adminpw")
	ts.idle(100, operator)
	operator.Close("")
	ts.step(1)
	const seconds, perTick = 4, 5
	// All sites are of one block. It has a tenth of the rate of new sites.
	tried, most := 0, int(11*(access.GuessRate.Burst+seconds*access.GuessRate.PerSecond)/10)
	site := func(n int) transport.Peer {
		return transport.UDPPeer(netip.AddrFrom16([16]byte{0x20, 0x01, 4: byte(n >> 8), 5: byte(n), 15: 1}), 5000)
	}
	n := 0
	for range seconds * 50 {
		var guessers [perTick]*testclient.Client
		for i := range guessers {
			guessers[i] = ts.connect(site(n)).Login("guess")
			n++
		}
		ts.step(1)
		for _, p := range guessers {
			if len(p.RconLines) == 1 && strings.HasPrefix(p.RconLines[0], "Wrong password") {
				tried++
			}
			ts.session(p).drop("next")
			delete(ts.clients, p.Peer)
		}
	}
	if tried < most-2 || tried > most {
		t.Errorf("%d passwords of strangers were tried in %d s, want %d", tried, seconds, most)
	}
	ts.step(1)
	for addr := site(n).Addr(); ts.srv.access.Guesses.Rcon.Allow(int64(ts.now), addr, true); {
		ts.srv.access.Guesses.Rcon.Wrong(int64(ts.now), addr, true)
	}
	if p := ts.connect(site(n)).Login("adminpw"); ts.session(p).rcon.authed {
		t.Error("beyond the limit the right password is told from wrong ones")
	}
	for _, peer := range []transport.Peer{ip(1), local(1), public(1)} { // the last one is at a new address
		if p := ts.connect(peer).Login("adminpw"); !ts.session(p).rcon.authed {
			t.Errorf("%v cannot log in: %q", peer, p.RconLines)
		}
	}
}

// TestMapListChanges: operators' clients are told of maps that come and go while they are logged
// in.
func TestMapListChanges(t *testing.T) {
	files := fstest.MapFS{"maps/a.map": {Data: []byte("x")}, "maps/dm1.map": {Data: []byte("x")}}
	tn := newTestNetworkWith(t, netsim.Link{}, 1, Config{Files: files})
	p, other := tn.join(1, "boss"), tn.join(2, "nobody")
	var told []string
	othersTold := 0
	other.onMessage = func(m testclient.Message) {
		switch m.(type) {
		case *msg7.MaplistEntryAdd, *msg7.MaplistEntryRem:
			othersTold++
		}
	}
	p.onMessage = func(m testclient.Message) {
		switch m := m.(type) {
		case *msg7.MaplistEntryAdd:
			told = append(told, "+"+string(m.Name))
		case *msg7.MaplistEntryRem:
			told = append(told, "-"+string(m.Name))
		}
	}
	p.login("adminpw")
	expect := func(wait time.Duration, want ...string) {
		t.Helper()
		tn.run(wait)
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
		told = nil
	}
	expect(3*time.Second, "+a", "+dm1", "+teeyard1", "+testbox", "+yardrun")
	delete(files, "maps/a.map")
	files["maps/b.map"] = files["maps/dm1.map"]
	expect(gamemap.ListInterval+time.Second, "-a", "+b")
	expect(gamemap.ListInterval + time.Second)
	tn.srv.Execute("sv_maplist standard")
	expect(time.Second, "-b", "-teeyard1", "-testbox", "-yardrun")
	delete(files, "maps/dm1.map")
	tn.srv.Execute("sv_map dm1")
	expect(time.Second, "-dm1")
	if told := othersTold; told != 0 {
		t.Errorf("a player was told %d times", told)
	}
}

// TestRconLongLines checks that lines run as long as clients can send them: lines of the original
// are cut at 256 bytes, and its server runs commands of 1,023.
func TestRconLongLines(t *testing.T) {
	bothVersions(t, func(t *testing.T, kind testclient.Config) {
		ts := newTestServer(t, nil)
		p := ts.joinAs(kind, ip(1), "admin").Login("adminpw")
		sizes := []int{255, 256, 257, 300, 500, 900, client.MaxRconLine}
		if kind.Version == conn.V7 {
			sizes = append(sizes, 1300)
		}
		for _, size := range sizes {
			end := fmt.Sprintf("; sv_name n%d", size)
			line := "say " + strings.Repeat("\u0436", (size-4-len(end))/2)
			line += strings.Repeat("x", size-len(line)-len(end)) + end
			p.Rcon(line)
			ts.idle(4, p)
			if got, want := ts.srv.listing.Settings.Name, fmt.Sprintf("n%d", size); got != want {
				t.Errorf("a line of %d bytes did not run; the console says %q", len(line), p.RconLines)
			}
		}
	})
}

// TestRconLinesTooMany checks that an operator who sends too many lines at once is told how many
// did not run, and that programs hear of it, too.
func TestRconLinesTooMany(t *testing.T) {
	bothVersions(t, func(t *testing.T, kind testclient.Config) {
		ts := newTestServer(t, nil)
		p := ts.joinAs(kind, ip(1), "admin").Login("adminpw")
		ts.idle(100, p)
		p.RconLines = nil
		for range int(rconRate.Burst) + 40 {
			p.Rcon("sv_name x")
		}
		ts.idle(50, p)
		p.Rcon("end-0123456789abcdef")
		ts.idle(10, p)
		want := []string{"(40 of your lines did not run: more than 50 a second after a burst of 256)",
			"refused: more than 50 a second after a burst of 256", "end-0123456789abcdef"}
		if n := len(p.RconLines); n < 3 || !slices.Contains(p.RconLines, want[0]) || !slices.Equal(p.RconLines[n-2:], want[1:]) {
			t.Errorf("the console says %q", p.RconLines)
		}
		for range 20 {
			p.Login("wrong")
		}
		ts.idle(5, p)
		if got := p.RconLines; !slices.Contains(got, "Too many passwords at once, wait a moment.") && !p.Closed {
			t.Errorf("20 passwords at once: %q", got)
		}
		stranger := ts.joinAs(kind, ip(2), "stranger")
		for range 400 {
			stranger.Rcon("x")
		}
		ts.idle(50, stranger)
		if len(stranger.RconLines) > 0 {
			t.Errorf("who is not logged in is told %q", stranger.RconLines)
		}
	})
}

// TestCommandListIsSentInParts checks that a new operator gets the list of commands over many
// ticks, so that it does not fill the connection.
func TestCommandListIsSentInParts(t *testing.T) {
	ts := newTestServer(t, nil)
	p := ts.join(ip(1), "admin").Login("adminpw")
	listed := func() (n int) {
		for e, ok := ts.srv.console.Next("", ts.session(p).caller(console.Server)); ok &&
			e.Name <= ts.session(p).rcon.lastListed; e, ok = ts.srv.console.Next(e.Name, ts.session(p).caller(console.Server)) {
			n++
		}
		return n
	}
	for i := range 3 {
		before := listed()
		ts.idle(8, p)
		if n := listed() - before; n != commandsPerTick {
			t.Errorf("%d commands in 8 ticks, the %dth time", n, i+1)
		}
	}
}

// TestLinesOfTheConsoleAreCut checks how much of a long line of output operators get.
func TestLinesOfTheConsoleAreCut(t *testing.T) {
	bothVersions(t, func(t *testing.T, kind testclient.Config) {
		ts := newTestServer(t, nil)
		p := ts.joinAs(kind, ip(1), "admin").Login("adminpw")
		ts.idle(100, p)
		p.RconLines = nil
		p.Rcon("echo " + strings.Repeat("x", 700))
		ts.idle(4, p)
		longest := 0
		for _, line := range p.RconLines {
			longest = max(longest, len(line))
		}
		if longest != maxRconLine-1 {
			t.Errorf("the longest line has %d bytes", longest)
		}
	})
}

// TestTuningForAnotherMode checks that tuning that the running mode does not allow is kept for
// the mode that comes next.
func TestTuningForAnotherMode(t *testing.T) {
	ts := newTestServer(t, nil, "sv_gametype dm")
	ts.srv.Execute("sv_gametype mod; tune gravity 0.25")
	ts.step(2)
	gravity := physics.TuneParamIndex("gravity")
	testenv.Check(t, ts.srv.world.Tuning()[gravity] == 50, "the running mode has a gravity of %d", ts.srv.world.Tuning()[gravity])
	ts.srv.Execute("reload")
	ts.step(2)
	testenv.Check(t, ts.srv.world.Tuning()[gravity] == 25, "the next mode has a gravity of %d", ts.srv.world.Tuning()[gravity])
}

// TestSpectatorSlotsOfOldConfigurations checks that sv_spectator_slots sets how many may play.
func TestSpectatorSlotsOfOldConfigurations(t *testing.T) {
	ts := newTestServer(t, nil, "sv_max_clients 20")
	ts.srv.Execute("sv_spectator_slots 7")
	testenv.Check(t, ts.srv.rules.PlayerSlots == 13, "%d may play", ts.srv.rules.PlayerSlots)
	ts.log.Reset()
	ts.srv.Execute("sv_spectator_slots")
	testenv.Check(t, strings.Contains(ts.log.String(), "Value: 7\n"), "printed %q", ts.log.String())
}

// TestPauseWithoutANumberToggles checks that pause alone pauses the match, and goes on with it.
func TestPauseWithoutANumberToggles(t *testing.T) {
	ts := newTestServer(t, nil, "sv_warmup 0")
	p := ts.join(ip(1), "dora")
	for _, want := range []bool{true, false} {
		ts.srv.Execute("pause")
		ts.idle(200, p) // it goes on after a countdown
		if paused := ts.srv.world.Frame().Game.State&game.StatePaused != 0; paused != want {
			t.Errorf("paused: %v, not %v", paused, want)
		}
	}
}
