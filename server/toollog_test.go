package server

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/transport"
)

// eveningMap has both flags on one screen, and a place to die with them.
func eveningMap() fs.FS {
	l := testenv.Must(twmap.ParseTiles(strings.Join([]string{
		"########################",
		"#......................#",
		"#......................#",
		"#R.1.s..h........2.B..x#",
		"########################",
	}, "\n"), map[byte]uint8{
		'.': twmap.Air, '#': twmap.Solid, 'x': twmap.Death, 's': twmap.PickupShotgun, 'h': twmap.PickupHealth,
		'R': twmap.SpawnRed, 'B': twmap.SpawnBlue, '1': twmap.FlagStandRed, '2': twmap.FlagStandBlue,
	}))
	m := twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, l)}}
	return fstest.MapFS{"maps/evening.map": {Data: testenv.Must(m.Bytes())}}
}

// evening is a server on which a match of ctf is played, with all that programs of operators
// look for in its log.
type evening struct {
	*econTest
	players []*testclient.Client
}

// join adds a player of any kind.
func (ev *evening) join(kind testclient.Config, addr, name string) *testclient.Client {
	ev.tb.Helper()
	c := ev.joinAs(kind, transport.MustParsePeer(addr), name)
	ev.players = append(ev.players, c)
	return c
}

// until runs ticks in which a player has an input, until ok.
func (ev *evening) until(what string, c *testclient.Client, in msg7.PlayerInput, ok func() bool) {
	ev.tb.Helper()
	for n := 0; !ok(); n++ {
		if n == 90*50 {
			f := ev.srv.world.Frame()
			ev.tb.Fatalf("after 90 s still not: %s; %+v, %+v", what, f.Game, f.Characters)
		}
		for _, p := range ev.players {
			p.KeepAlive()
		}
		if c != nil {
			if in.Fire != 0 {
				in.Fire = 2 + ev.srv.clock.tick%32
			}
			ev.input(c, in)
		}
		ev.step(1)
	}
	if c != nil {
		ev.input(c, msg7.PlayerInput{TargetX: in.TargetX})
	}
}

// wait runs ticks.
func (ev *evening) wait(n int) {
	until := ev.srv.clock.tick + int32(n)
	ev.until("time", nil, msg7.PlayerInput{}, func() bool { return ev.srv.clock.tick >= until })
}

// play plays the match.
func (ev *evening) play(console *econClient) {
	run := func(line string) {
		go io.WriteString(console.Conn, line+"\n")
		ev.settle()
	}
	ann := ev.join(client07, "192.0.2.10:50001", "ann")
	ben := ev.join(client06DDNet, "192.0.2.20:50002", "ben' x='")
	carl := ev.join(client07, "[2001:db8::30]:50003", "carl: c")
	carrier := func(flag game.Team, want int32) func() bool {
		return func() bool { return ev.srv.world.Frame().Game.FlagCarrier[flag] == want }
	}
	ann.Say("good evening")
	ben.Say("hi: there")
	ben.Say("/nothing") // only ben gets the reply
	ann.Send(&msg7.ClSay{Mode: msg7.ChatTeam, Target: -1, Message: []byte("our team")})
	ann.Send(&msg7.ClSay{Mode: msg7.ChatWhisper, Target: 1, Message: []byte("psst")})
	ev.wait(2)
	run("say welcome; broadcast welcome")
	ann.Login("adminpw")
	ev.wait(2)
	ann.Rcon("status")
	carl.Login("wrong")
	carl.Login("modpw")
	ev.wait(2)
	run("status")
	carl.Send(&msg7.ClSetTeam{Team: msg7.TeamSpectators})
	ev.wait(4)

	carl.Rcon("logout")
	ev.wait(2)

	const dropped, atStand = -1, -2 // as carriers
	left, right := msg7.PlayerInput{Direction: -1, TargetX: -100}, msg7.PlayerInput{Direction: 1, TargetX: 100}
	aim := msg7.PlayerInput{TargetX: 100, Fire: 1, WantedWeapon: int32(game.WeaponLaser) + 1}
	ev.until("ben has the red flag", ben, left, carrier(game.TeamRed, 1))
	ev.until("ann kills ben", ann, aim, carrier(game.TeamRed, dropped))
	ev.until("ann brings it back", ann, right, carrier(game.TeamRed, atStand))
	ev.until("ann has the blue flag", ann, right, carrier(game.TeamBlue, 0))
	ev.until("ann has brought it home", ann, left, carrier(game.TeamBlue, atStand))
	ann.Send(&msg7.ClSetTeam{Team: msg7.TeamSpectators})
	ev.wait(2)
	ev.until("ben has the red flag again", ben, left, carrier(game.TeamRed, 1))
	ben.Send(&msg6.ClKill{})
	ev.until("nobody fetches it", nil, right, carrier(game.TeamRed, atStand))
	ann.Send(&msg7.ClSetTeam{Team: msg7.TeamRed})
	ev.wait(100)
	ev.until("ben falls", ben, right, func() bool {
		return !slices.ContainsFunc(ev.srv.world.Frame().Characters, func(c game.CharacterState) bool { return c.Player == 1 })
	})
	ev.wait(100)

	call := func(p *testclient.Client, kind, value, reason string, force bool) {
		p.Send(p.Pick(&msg6.ClCallVote{Type: []byte(kind), Value: []byte(value), Reason: []byte(reason)},
			&msg7.ClCallVote{Type: []byte(kind), Value: []byte(value), Reason: []byte(reason), Force: force}))
		ev.wait(2)
	}
	call(ben, "option", "fun", "why not", false)
	ann.Send(&msg7.ClVote{Vote: 1})
	ev.wait(2)
	call(ben, "kick", "2", "rude", false)
	ann.Send(&msg7.ClVote{Vote: -1})
	ev.wait(2)
	call(ann, "spectate", "1", "", false)
	run("vote no")
	call(ann, "option", "fun", "because", true)
	call(ben, "option", "fun", "", false)
	run("vote yes")

	run("ban 203.0.113.9 5 spam")
	run("ban 203.0.113.9 6 much spam")
	run("ban 203.0.113.9 0 enough")
	run("ban 203.0.113.16-203.0.113.31 0 a network")
	run("ban nobody")
	run("bans; unban 203.0.113.9; unban 0; unban 0")
	run("ban 198.51.100.7 1 a minute")
	ev.wait(61 * 50)
	run("ban 1 5 rude")
	run("unban_all")
	run("kick 2 good night")
	run("kick 9; sv_scorelimit; nonsense")
	run("sv_gametype tdm; reload")
	ev.wait(4)
	ann.Ready().StartInfo("ann").EnterGame()
	ev.wait(4)
	ann.Say("good night")
	ann.Close("quit")
	ev.wait(2)
}

// playEvening plays an evening. It returns the server's standard output, and the lines for a client
// of the external console.
func playEvening(t *testing.T, dialect string) (stdout, econ string) {
	var out bytes.Buffer
	var v logline.DialectVar
	v.Set(testenv.Must(logline.ParseDialect(dialect)))
	cfg := Config{Files: eveningMap(), Log: slog.New(logline.NewDialect(&out, slog.LevelDebug, &v)), Dialect: &v,
		Mods: []func() game.Mod{func() game.Mod { return armed{} }}}
	inEconTestWith(t, cfg, "sv_map evening; sv_gametype ctf; sv_scorelimit 0; sv_warmup 0; sv_countdown 0; sv_spamprotection 0; sv_vote_kick_bantime 0; "+
		"sv_rcon_mod_password modpw; ec_output_level 2; log_join_details 1; add_vote fun say fun; log_dialect "+dialect, func(et *econTest) {
		ev := &evening{econTest: et}
		console := et.connect("127.0.0.1")
		console.say("hello\n")
		ev.play(console)
		et.settle()
		console.mu.Lock()
		defer console.mu.Unlock()
		econ = strings.ReplaceAll(console.got.String(), "\n\x00\x00", "\n")
	})
	return out.String(), econ
}

var logTimes = regexp.MustCompile(`(?m)^\[[0-9a-f]{8}\]|(\d{4}-\d\d-\d\d.)?\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?`)

// toolPatterns are what programs of operators look for, the dialects that they are for, and
// whether they read standard output instead of the external console.
var toolPatterns = []struct {
	program, dialects string
	stdout            bool
	patterns          []string
}{
	{"twlog", "tw07 ddnet", true, []string{
		`(?i)player has entered the game\. ClientID=([\d]+) addr=[^\d]{0,2}([\d]{1,3}\.[\d]{1,3}\.[\d]{1,3}\.[\d]{1,3})[^\d]{0,2}`,
		`(?i)player is ready\. ClientID=([\d]+) addr=[^\d]{0,2}([\d]{1,3}\.[\d]{1,3}\.[\d]{1,3}\.[\d]{1,3})[^\d]{0,2}`,
		`(?i)id=([\d]+) addr=([a-fA-F0-9\.\:\[\]]+):([\d]+) version=(\d+) name='(.{0,20})' clan='(.{0,16})' country=([-\d]+)$`,
		`id=([\d]+) addr=([a-fA-F0-9\.\:\[\]]+) reason='(.*)'$`,
		`chat: (\d+):-?\d+:(.+): (.+)`,
	}},
	{"TeeworldsEconVPNDetection", "tw07 tw06 ddnet", false, []string{
		`(?i)player has entered the game\. ClientID=([\d]+) addr=[^\d]{0,2}([\d]{1,3}\.[\d]{1,3}\.[\d]{1,3}\.[\d]{1,3})[^\d]{0,2}`,
		`(?i)player is ready\. ClientID=([\d]+) addr=[^\d]{0,2}([\d]{1,3}\.[\d]{1,3}\.[\d]{1,3}\.[\d]{1,3})[^\d]{0,2}`,
		`(?i)id=([\d]+) addr=([a-fA-F0-9\.\:\[\]]+):([\d]+) version=(\d+) name='(.{0,20})' clan='(.{0,16})' country=([-\d]+)$`,
	}},
	{"TeeworldsEconDiscordModerationBot", "tw07 tw06", false, []string{
		`\[([\d -:]+)\]\[([^:]+)\]: (id=[\d]+ addr=.+)$`,
		`'([\d]{1,2}):(.*)' voted kick '([\d]{1,2}):(.*)' reason='(.{1,20})' cmd='(.*)' force=([\d])`,
		`'([\d]{1,2}):(.*)' voted spectate '([\d]{1,2}):(.*)' reason='(.{1,20})' cmd='(.*)' force=([\d])`,
		`'([\d]{1,2}):(.*)' voted option '(.+)' reason='(.{1,20})' cmd='(.+)' force=([\d])`,
		`ClientID=(\d+) authed \((.*)\)`,
		`ClientID=(\d+) rcon='(.*)'$`,
		`\[(?:chat|teamchat)\]: .*?([-\d]+):[-\d]+:(.{1,16}): (.*)$`,
		`\[net_ban\]: (.*error.*)$`,
		`forcing vote yes$`,
		`forcing vote no$`,
		`id=([\d]+) addr=([a-fA-F0-9\.\:\[\]]+):([\d]+) version=(\d+) name='(.{0,20})' clan='(.{0,16})' country=([-\d]+)$`,
		`id=([\d]+) addr=([a-fA-F0-9\.\:\[\]]+) reason='(.*)'$`,
		`\[net_ban\]: banned '(.*)' for ([\d]+) minute[s]? \((.*)\)$`,
		`\[net_ban\]: '(.*)' banned for ([\d]+) minute[s]? \((.*)\)$`,
		`\[net_ban\]: unbanned index [\d]+ \('(.+)'\)`,
		`\[net_ban\]: unbanned '(.+)'`,
		`\[net_ban\]: ban '(.+)' expired$`,
		`\[net_ban\]: unbanned all entries$`,
	}},
	{"teeworlds-econ-js", "tw06", false, []string{
		`^\[server\]: player has entered the game. ClientID=([0-9a-f]+) addr=(.+?):([0-9]+)$`,
		`^\[game\]: leave player='([0-9]+):(.+?)'$`,
		`^\[game\]: team_join player='([0-9]+):(.+?)' team=([0-9-]+)$`,
		`^\[(teamchat|chat)\]: ([0-9]+):([0-9-]+):(.+?): (.*)$`,
		`^\[chat\]: \*\*\* (.*)$`,
		`^\[game\]: kill killer='([0-9]+):(.+?)' victim='([0-9]+)+:(.+?)' weapon=([0-9-]+) special=[0-9]+$`,
		`^\[game\]: flag_grab player='([0-9]+):(.+?)'$`,
		`^\[game\]: flag_return$`,
		`^\[game\]: flag_capture player='([0-9]+):(.+?)'$`,
		`^\[net_ban\]: banned '([^']+)' for ([0-9]+) minutes? \((.+?)\)$`,
		`^\[net_ban\]: '([^']+)' banned for life \((.+?)\)$`,
		`^\[game\]: pickup player='([0-9]+):(.+?)' item=(2|3)+\/([0-9]+)$`,
		`^\[Server\]: id=([0-9]+) addr=(.+?):([0-9]+) name='(.+?)' score=([0-9-]+).*?(\(Admin\))?$`,
		`^\[Console\]: (No such command.*)$`,
	}},
	{"TeeworldsEconMod", "tw07 tw06", true, []string{
		`\[server\]: version (0\.\d) `,
		`\[server\]: netversion (0\.7) `,
		`\[server\]: client dropped. cid=(\d+) `,
		`\[server\]: player is ready. ClientID=(\S+) addr=(.*?):`,
		`\[game\]: team_join player='(\d+):(.*)'.*(?:=|>)(-?\d)$`,
		`\[server\]: ('.*' voted (?:spectate|kick) '.+' reason='(.+)' cmd=')`,
		`\[chat\]: \*\*\* The (blue|red) flag was captured by '(.*)' \((.*) seconds\)$`,
		`\[game\]: start (match|round) type='(.*)'`,
		`\[game\]: flag_grab player='(\d+):(.*)'`,
		`\[game\]: flag_capture player='(?P<id>-?\d{1,2}):(?P<name>.*)' team=(?P<team>-?\d{1,2}) time=(?P<time>\d+\.\d{2})$`,
		`\[game\]: kill killer='(?P<k_id>-?\d{1,2}):(?P<k_team>-?\d{1,2}):(?P<k_name>.*)' ` +
			`victim='(?P<v_id>-?\d{1,2}):(?P<v_team>-?\d{1,2}):(?P<v_name>.+?)' weapon=(?P<weapon>-?\d) special=(\d)$`,
	}},
	{"teeworlds-prometheus-exporter", "tw07", false, []string{
		`\[.*\]\[chat\]: .*`,
		`\[.*\]\[game\]: kill killer=.*`,
		`\[.*\]\[game\]: flag_capture player=.*`,
	}},
	{"teeworlds-econ (Go)", "ddnet", false, []string{
		`net_ban: banned '(.*)' for \d+ minute`,
		`net_ban: (ban error)`,
		`server: (invalid client id to kick)`,
		`\((Kicked \(good night\))|'(Kicked.*)'`,
	}},
	{"teeworlds-nats bridge", "ddnet", false, []string{
		`^(\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) (I|E) ([a-z]+): (.*)`,
		`chat: (\d+:-?\d+:([^:]+: .+))$`,
	}},
	{"older bots", "tw07 tw06", false, []string{`(maps/.*) crc is`}},
	{"DDNet's integration tests (of today; 16.4 has ClientID)", "ddnet", false,
		[]string{`server: player has entered the game. ClientId=(\d+)`, `chat: (0:.*)`}},
}

// TestEveningLogs plays a match with all that programs of operators look for, in each
// dialect. Golden files have the lines, and what the patterns of the programs find in them.
// -update writes them.
func TestEveningLogs(t *testing.T) {
	stdout, econ := map[string]string{}, map[string]string{}
	for _, dialect := range []string{"tw07", "tw06", "ddnet", "json"} {
		stdout[dialect], econ[dialect] = playEvening(t, dialect)
		got := "# standard output\n" + stdout[dialect] + "# external console\n" + econ[dialect]
		checkGolden(t, "log."+dialect+".txt", logTimes.ReplaceAllString(got, "TIME"))
	}
	var found strings.Builder
	for _, v := range toolPatterns {
		for _, dialect := range strings.Fields(v.dialects) {
			fmt.Fprintf(&found, "# %s, log_dialect %s\n", v.program, dialect)
			text := econ[dialect]
			if v.stdout {
				text = stdout[dialect]
			}
			for _, pattern := range v.patterns {
				fmt.Fprintf(&found, "\n%s\n", pattern)
				re, matches := regexp.MustCompile(pattern), 0
				for line := range strings.Lines(text) {
					if m := re.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
						matches++
						fmt.Fprintf(&found, "\t%q\n", m[1:])
					}
				}
				if matches == 0 {
					found.WriteString("\tnothing\n")
				}
			}
			found.WriteString("\n")
		}
	}
	checkGolden(t, "patterns.txt", logTimes.ReplaceAllString(found.String(), "TIME"))
}

// checkGolden compares a text with a file of testdata.
func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		testenv.Check(t, os.MkdirAll("testdata", 0o755) == nil && os.WriteFile(path, []byte(got), 0o644) == nil, "cannot write %s", path)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	a, b := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("%s, line %d:\n%s\nand not\n%s", name, i+1, b[i], a[i])
		}
	}
	t.Fatalf("%s has %d lines and not %d", name, len(b), len(a))
}
