package logline

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"regexp"
	"strings"
	"testing"
)

// toolLines are the lines that programs of operators look for, in each dialect. Those of
// TW07 are from teeworlds-server 0.7.5.
var toolLines = []struct{ system, tw07, tw06, ddnet string }{
	{"server", "version 0.7 802f1be60a05665f", "netversion 0.7 802f1be60a05665f", "version 0.7 802f1be60a05665f"},
	{"server", "netversion 0.6 626fce9a778df4d4", "version 0.6 626fce9a778df4d4", "netversion 0.6 626fce9a778df4d4"},
	{"server", "player is ready. ClientID=10 addr=192.0.2.1:8", "player is ready. ClientID=10 addr=192.0.2.1:8",
		"player is ready. ClientID=10 addr=<{192.0.2.1:8}>"},
	{"server", "player has entered the game. ClientID=0 addr=[2001:db8::1]:8",
		"player has entered the game. ClientID=0 addr=[2001:db8::1]:8", "player has entered the game. ClientID=0 addr=<{[2001:db8::1]:8}>"},
	{"server", "client dropped. cid=0 addr=192.0.2.1:8 reason='bye addr=x'",
		"client dropped. cid=0 addr=192.0.2.1:8 reason='bye addr=x'", "client dropped. cid=0 addr=<{192.0.2.1:8}> reason='bye addr=x'"},
	{"server", "ClientID=0 authed (admin)", "ClientID=0 authed (admin)", "ClientID=0 authed with key=default_admin (admin)"},
	{"server", "ClientID=0 authed (moderator) key='a b'", "ClientID=0 authed (moderator) key='a b'", "ClientID=0 authed with key=a b (moderator)"},
	{"server", "ClientID=0 logged out by key removal key='a b'", "ClientID=0 logged out by key removal key='a b'",
		"ClientID=0 with key=a b logged out by key removal"},
	{"server", "ClientID=0 logged out", "ClientID=0 logged out", "ClientID=0 logged out"},
	{"server", "ClientID=0 rcon='say 1 authed (admin)'", "ClientID=0 rcon='say 1 authed (admin)'", "ClientID=0 rcon='say 1 authed (admin)'"},
	{"server", "ClientID=0 rcon='say addr=x ClientID=1'", "ClientID=0 rcon='say addr=x ClientID=1'", "ClientID=0 rcon='say addr=x ClientID=1'"},
	{"server", "id=1 addr=192.0.2.1:8 client=705 name='a client=b' score=3 (Admin)",
		"id=1 addr=192.0.2.1:8 name='a client=b' score=3 (Admin)", "id=1 addr=<{192.0.2.1:8}> client=705 name='a client=b' score=3 (Admin)"},
	{"chat", "1:3:a:b: hi: 1:2:c: x", "3:-2:a:b: hi: 1:2:c: x", "3:-2:a:b: hi: 1:2:c: x"},
	{"teamchat", "2:-1:3:bob: hi", "3:-1:bob: hi", "3:-1:bob: hi"},
	{"chat", "*** 1:2:bob: hi", "*** 1:2:bob: hi", "*** 1:2:bob: hi"},
	{"game", "team_join player='0:a' team=0", "team_join player='0:a' team=0", "team_join player='0:a' team=0"},
	{"game", "team_join player='0:a->b' team=0->-1", "team_join player='0:a->b' m_Team=-1", "team_join player='0:a->b' m_Team=-1"},
	{"game", "leave player='0:a'", "leave player='0:a'", "leave player='0:a'"},
	{"game", "kill killer='0:0:a:victim=' victim='11:-1:b' weapon=3 special=0",
		"kill killer='0:a:victim=' victim='11:b' weapon=3 special=0", "kill killer='0:a:victim=' victim='11:b' weapon=3 special=0"},
	{"game", "kill killer='-1:0:' victim='1:0:b' weapon=-1 special=0", "kill killer='-1:' victim='1:b' weapon=-1 special=0",
		"kill killer='-1:' victim='1:b' weapon=-1 special=0"},
	{"game", "pickup player='0:a' item=2", "pickup player='0:a' item=2/0", "pickup player='0:a' item=2/0"},
	{"game", "flag_grab player='0:a' team=1", "flag_grab player='0:a'", "flag_grab player='0:a'"},
	{"game", "flag_capture player='0:a' team=1 time=4.20", "flag_capture player='0:a'", "flag_capture player='0:a'"},
	{"game", "flag_return", "flag_return", "flag_return"},
	{"game", "start match type='CTF' teamplay='1'", "start round type='CTF' teamplay='1'", "start round type='CTF' teamplay='1'"},
	{"net_ban", "banned '192.0.2.1' for 5 minutes (addr=x)", "banned '192.0.2.1' for 5 minutes (addr=x)", "banned '192.0.2.1' for 5 minutes (addr=x)"},
}

func TestDialects(t *testing.T) {
	for _, l := range toolLines {
		of06 := "[" + l.system + "]: "
		if strings.HasPrefix(l.tw06, "id=") {
			of06 = "[Server]: " // status has always been so
		}
		for d, want := range map[Dialect]string{
			TW07:  "[2024-02-03 04:05:06][" + l.system + "]: " + l.tw07 + "|[04:05:06][" + l.system + "]: " + l.tw07,
			TW06:  "[65bdbb72]" + of06 + l.tw06 + "|" + of06 + l.tw06,
			DDNet: "2024-02-03 04:05:06 I " + l.system + ": " + l.ddnet + "|2024-02-03 04:05:06 I " + l.system + ": " + l.ddnet,
		} {
			got := d.AppendLong(nil, at, slog.LevelInfo, l.system, l.tw07)
			got = d.AppendShort(append(got, '|'), at, slog.LevelInfo, l.system, l.tw07)
			if string(got) != want {
				t.Errorf("%v:\n%s\nwant\n%s", d, got, want)
			}
		}
		var v map[string]string
		if err := json.Unmarshal(JSON.AppendShort(nil, at, slog.LevelWarn, l.system, l.tw07), &v); err != nil ||
			v["msg"] != l.tw07 || v["system"] != l.system || v["level"] != "WARN" || v["time"] == "" {
			t.Errorf("JSON: %v, %v", v, err)
		}
	}
	if d, err := ParseDialect("DDNet"); d != DDNet || err != nil {
		t.Errorf("%v, %v", d, err)
	}
	if _, err := ParseDialect("tw08"); err == nil || !strings.Contains(err.Error(), "tw07, tw06, ddnet, json") {
		t.Errorf("%v", err)
	}
}

// TestToolPatterns checks that the patterns of programs for operators match lines of their dialect.
func TestToolPatterns(t *testing.T) {
	for _, c := range []struct {
		program string
		dialect Dialect
		pattern string
		matches int
	}{
		{"twlog", TW07, `(?i)player has entered the game\. ClientID=([\d]+) addr=[^\d]{0,2}([\d\[][\d.a-f:\]]+)`, 1},
		{"twlog", DDNet, `(?i)player is ready\. ClientID=([\d]+) addr=[^\d]{0,2}(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})`, 1},
		{"twlog", DDNet, `chat: (\d+):-?\d+:(.+): (.+)`, 2},
		{"TeeworldsEconVPNDetection", TW07, `player is ready\. ClientID=([\d]+) addr=([^:]+)`, 1},
		{"TEDMB", TW07, `^\[\d\d:\d\d:\d\d\]\[server\]: ClientID=(\d+) authed \((.*)\)$`, 1},
		{"TEDMB", TW07, `rcon='(.*)'$`, 2},
		{"teeworlds-econ-js", TW06, `^\[server\]: player has entered the game. ClientID=([0-9]+) addr=(.+?):([0-9]+)$`, 1},
		{"teeworlds-econ-js", TW06, `^\[game\]: leave player='(\d+):.*'$`, 1},
		{"teeworlds-econ-js", TW06, `^\[game\]: team_join player='(\d+):(.*)' (team|m_Team)=(-?\d+)$`, 2},
		{"TeeworldsEconMod", TW06, `\[server\]: version 0\.6 `, 1},
		{"TeeworldsEconMod", TW07, `\[server\]: client dropped\. cid=(\d+)`, 1},
		{"TeeworldsEconMod", TW07, `\[game\]: kill killer='(-?\d+):(-?\d+):(.*)' victim='(\d+):(-?\d+):(.*)' weapon=(-?\d+)`, 2},
		{"TeeworldsEconMod", TW06, `\[game\]: start round type='`, 1},
		{"prometheus exporter", TW07, `\[.*\]\[chat\]: .*`, 2},
		{"prometheus exporter", TW07, `\[.*\]\[game\]: kill killer=.*`, 2},
		{"prometheus exporter", TW07, `\[.*\]\[game\]: flag_capture player=.*`, 1},
		{"nats bridge", DDNet, `^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (I|E) ([a-z]+): (\d+:-?\d+:([^:]+: .+))$`, 1},
	} {
		re, n := regexp.MustCompile(c.pattern), 0
		for _, l := range toolLines {
			if re.Match(c.dialect.AppendShort(nil, at, slog.LevelInfo, l.system, l.tw07)) {
				n++
			}
		}
		if n != c.matches {
			t.Errorf("%s: %d lines of %v match %s, want %d", c.program, n, c.dialect, c.pattern, c.matches)
		}
	}
}

// TestDialectChanges: a log takes another form from one line to the next.
func TestDialectChanges(t *testing.T) {
	var out bytes.Buffer
	var v DialectVar
	l := slog.New(NewDialect(&out, nil, &v)).With(SystemKey, "chat")
	for _, d := range []Dialect{TW07, JSON, DDNet} {
		v.Set(d)
		l.Info("1:0:a: b")
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || !strings.HasSuffix(lines[0], "][chat]: 1:0:a: b") || !strings.Contains(lines[1], `"msg":"1:0:a: b"`) ||
		!strings.HasSuffix(lines[2], " I chat: 0:-2:a: b") {
		t.Errorf("%q", lines)
	}
}

// FuzzDialects checks that a translation keeps the words of players, adds no line and few bytes.
func FuzzDialects(f *testing.F) {
	for _, l := range toolLines {
		f.Add(l.system, l.tw07)
	}
	f.Fuzz(func(t *testing.T, system, text string) {
		for d := TW07; d <= JSON; d++ {
			head := len(d.AppendLong(nil, at, slog.LevelInfo, "", ""))
			line := d.AppendLong(nil, at, slog.LevelInfo, system, text)
			if d == JSON {
				var l jsonLine
				if err := json.Unmarshal(line, &l); err != nil || l.Msg != string([]rune(text)) {
					t.Errorf("%s: %v", line, err)
				}
				continue // a byte takes up to six there
			}
			// The most that is added: " with key=default_moderator"; elsewhere " m_Team=" for "
			// team=", "round ", "/0", "net" and "<{}>".
			if n := head + len(system) + len(text) + len(" with key=default_moderator"); len(line) > n {
				t.Errorf("%v: %d bytes, want at most %d: %q", d, len(line), n, line)
			}
			if said := d.AppendShort(nil, at, slog.LevelInfo, "chat", "1:3:"+text); !bytes.HasSuffix(said, []byte(text)) {
				t.Errorf("%v: %q does not end with %q", d, said, text)
			}
			if strings.Count(system+text, "\n") < bytes.Count(line, []byte("\n")) {
				t.Errorf("%v: a new line in %q", d, line)
			}
		}
	})
}
