package admin

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/web/admin/internal/api"
)

// TestActions uses the whole API as an administrator.
func TestActions(t *testing.T) {
	w := newWorld(t)
	a, b := w.join("10.0.0.7", "alice"), w.join("10.0.0.8", `b"o;b`)
	w.run(2 * time.Second)
	v := w.signedIn("127.0.0.1", "adminpw")
	do := func(method, path, body string, code int, text string) {
		t.Helper()
		v.expect(method, path, body, code, text)
	}
	players := get[api.Players](v, "/players").Players
	if len(players) != 2 || players[1].Name != `b"o;b` || players[1].Address != "10.0.0.8" || players[1].State != "in game" ||
		!players[1].Since.Before(w.time()) {
		t.Errorf("%+v", players)
	}
	const other = `"name":"alice"`
	do("POST", "/players/1/kick", `{"reason":"x",`+other+`}`, 409, `the id 1 now belongs to \"b\\\"o;b\"`)
	do("POST", "/players/9/kick", `{}`, 404, "no player has the id 9")
	do("POST", "/players/1/mute", `{"seconds":60,"reason":"loud\"; shutdown"}`, 200, "seconds=60")
	do("POST", "/players/1/unmute", "", 200, "unmuted addr=10.0.0.8")
	do("POST", "/players/1/unmute", "", 409, "no player from 10.0.0.8 is muted")
	do("POST", "/players/1/team", `{"team":-1}`, 200, "moved client 1 to team -1")
	do("POST", "/players/1/team", `{"team":"red"}`, 200, "moved client 1 to team 0")
	do("POST", "/players/1/team", `{"team":"spectators"}`, 200, "moved client 1 to team -1")
	for _, bad := range []string{"2", `"green"`, "-2", "1.5", "null", "{}"} {
		do("POST", "/players/1/team", `{"team":`+bad+`}`, 400, "")
	}
	w.run(1100 * time.Millisecond)
	if p := get[api.Players](v, "/players").Players[1]; p.Team != game.TeamSpectators {
		t.Errorf("moved to %d", p.Team)
	}
	do("POST", "/players/0/kick", `{"reason":"a; \"shutdown\"",`+other+`}`, 200, `{"output":[]}`)
	do("POST", "/players/1/ban", `{"minutes":5,"reason":"bad \\ \"manners\""}`, 200, "banned '10.0.0.8' for 5 minutes (bad")
	w.run(1100 * time.Millisecond)
	if a.Reason != `Kicked (a; "shutdown")` || b.Reason != `You have been banned for 5 minutes (bad \ "manners")` {
		t.Errorf("they are told %q, %q", a.Reason, b.Reason)
	}
	visits := get[api.History](v, "/history").Visits
	if len(visits) != 2 || visits[0].Name != `b"o;b` || visits[0].Reason != b.Reason || visits[0].Until.IsZero() || visits[1].Address != "10.0.0.7" {
		t.Errorf("%+v", visits)
	}
	do("GET", "/bans", "", 200, `{"target":"10.0.0.8","until":"20`)
	do("POST", "/bans", `{"target":"20.0.0.0/8","minutes":0,"reason":"all"}`, 200, "banned '20.0.0.0/8' for life (all)")
	do("POST", "/bans", `{"target":"nobody","minutes":0}`, 409, "invalid network address")
	do("POST", "/bans", `{"target":"127.0.0.1","minutes":0}`, 409, "can't ban yourself")
	do("DELETE", "/bans?target=20.0.0.0%2F8", "", 200, "unbanned")
	do("DELETE", "/bans?target=20.0.0.0%2F8", "", 409, "")
	if bans := get[api.Bans](v, "/bans").Bans; len(bans) != 1 {
		t.Errorf("%+v", bans)
	}

	do("POST", "/votes", `{"text":"Map; \"box\"","command":"change_map testbox"}`, 200, "added option")
	do("POST", "/votes", `{"text":"bad","command":"nonsense"}`, 409, "skipped invalid command")
	option := api.VoteOption{Text: `Map; "box"`, Command: "change_map testbox"}
	if votes := get[api.Votes](v, "/votes"); len(votes.Options) != 1 || votes.Options[0] != option || votes.Running != nil {
		t.Errorf("%+v", votes)
	}
	do("POST", "/votes/running", `{"yes":true}`, 409, "no vote is running")
	do("DELETE", "/votes?text=Map%3B+%22box%22", "", 200, "removed option")

	do("PUT", "/maps/rotation", `{"maps":["teeyard1","testbox"]}`, 200, `{"output":[]}`)
	if m := get[api.Maps](v, "/maps"); m.Map != "teeyard1" || m.GameType != "DM" || m.Next != "testbox" ||
		!slices.Equal(m.Rotation, []string{"teeyard1", "testbox"}) ||
		!slices.Contains(m.Maps, "other") {
		t.Errorf("%+v", m)
	}
	do("POST", "/maps", `{"map":"nowhere"}`, 409, "change_map")
	do("POST", "/maps", `{"map":"testbox"}`, 200, "in about 10 seconds")
	do("POST", "/maps", `{"map":"testbox","now":true}`, 200, "changing to map 'testbox'")
	w.run(time.Second)
	do("GET", "/maps", "", 200, `"map":"testbox"`)

	do("PUT", "/settings/sv_scorelimit", `{"value":"5"}`, 200, `{"value":"5","output":[]}`)
	do("PUT", "/settings/sv_scorelimit", `{"value":"5000"}`, 409, "out of range (0 to 1000); using 1000")
	do("PUT", "/settings/sv_scorelimit", `{"value":"many"}`, 409, "not a number")
	do("PUT", "/settings/sv_motd", `{"value":"a \"quoted\"; line # \\"}`, 200, `{"value":"a \"quoted\"; line # \\"`)
	do("PUT", "/settings/sv_name", `{"value":""}`, 200, `{"value":""`)
	do("PUT", "/settings/password", `{"value":"game"}`, 200, `{"value":"***"`)
	settings := map[string]api.Setting{}
	for _, s := range get[api.SettingsList](v, "/settings").Settings {
		settings[s.Name] = s
	}
	if s := settings["sv_scorelimit"]; s.Value != "1000" || s.Default != "20" || *s.Min != 0 || *s.Max != 1000 || !s.Number ||
		s.Help != "Score limit (0 = none)" {
		t.Errorf("%+v", s)
	}
	if s := settings["sv_rcon_password"]; s.Value != "***" || !s.Secret || settings["ec_password"].Name != "" || settings["sv_gametype"].Default != "dm" {
		t.Errorf("%+v %+v", s, settings["sv_gametype"])
	}
	do(
		"POST",
		"/command",
		`{"line":"sv_scorelimit; nonsense"}`,
		200,
		`{"output":["Value: 1000","No such command: nonsense."],"warning":"No such command: nonsense."}`,
	)
	do("GET", "/commands", "", 200, `{"name":"kick","params":"i[id] ?r[reason]","help":"Kick player`)

	w.Execute("say hello")
	w.run(20 * time.Millisecond)
	log := get[api.Log](v, "/log?system=chat")
	if n := len(log.Lines); n != 1 || !strings.HasSuffix(log.Lines[0].Text, "hello") || log.Next <= log.Lines[0].Seq {
		t.Errorf("%+v", log)
	}
	if warnings := get[api.Log](v, "/log?level=warn&text=NONSENSE&limit=1").Lines; len(warnings) != 1 || warnings[0].Level != "warn" ||
		warnings[0].Text != "No such command: nonsense." {
		t.Errorf("%+v", warnings)
	}
	if rest := get[api.Log](v, "/log?from="+json.Number(uintText(log.Next)).String()); len(rest.Lines) != 0 {
		t.Errorf("%+v", rest)
	}
	w.run(2 * time.Minute)
	samples := get[api.Samples](v, "/samples")
	minutes := get[api.Samples](v, "/samples?step=60")
	if n := len(samples.Samples); n < 100 || len(minutes.Samples) < 2 || samples.Samples[n-1].Time.Sub(samples.Samples[n-2].Time) != time.Second ||
		minutes.Step != 60 {
		t.Errorf("%d and %d samples", n, len(minutes.Samples))
	}
	do("POST", "/tokens", `{"name":"site","level":"moderator"}`, 200, `{"token":"teeyard_`)
	do("GET", "/tokens", "", 200, `{"tokens":[{"name":"site","level":"moderator","created":"2023-`)
	do("DELETE", "/tokens?name=site", "", 200, "{}")
	do("DELETE", "/tokens?name=site", "", 404, "not found")

	for _, line := range []string{
		`"level":"admin","addr":"127.0.0.1:4000","command":"kick 0 \"a; \\\"shutdown\\\"\""`, `"command":"ban 1 5 \"bad`, `"command":"muteid 1 60 `,
		`"command":"set_team 1 -1 0"`,
		`"command":"sv_scorelimit \"5\""`, `"command":"password ***"`,
		`"event":"token_added","via":"http","level":"admin","addr":"127.0.0.1:4000","command":"site (moderator)"`,
		`"event":"token_removed"`,
	} {
		w.expectAudit(line)
	}
	if n := strings.Count(w.audit.String(), "shutdown"); n != 2 {
		t.Errorf("%d lines with shutdown, which nobody wanted to run", n)
	}
}

func uintText(n uint64) string { b, _ := json.Marshal(n); return string(b) }

// TestLevels checks that moderators may do, and see, the same as at the remote console.
func TestLevels(t *testing.T) {
	w := newWorld(t, `add_vote "secret" "password hidden"`)
	w.join("10.0.0.7", "alice")
	w.run(2 * time.Second)
	v := w.signedIn("198.51.100.1", "modpw")
	const denied = "does not allow this"
	for _, c := range [][3]string{
		{"POST", "/players/0/kick", `{}`}, {"POST", "/players/0/ban", `{"minutes":1}`}, {"POST", "/players/0/mute", `{"seconds":1}`},
		{"POST", "/players/0/unmute", ""}, {"POST", "/players/0/team", `{"team":-1}`}, {"GET", "/bans", ""},
		{"POST", "/bans", `{"target":"1.2.3.4","minutes":1}`},
		{"DELETE", "/bans?target=1.2.3.4", ""}, {"POST", "/votes", `{"text":"a","command":"b"}`}, {"DELETE", "/votes?text=secret", ""},
		{"POST", "/votes/running", `{"yes":true}`}, {"POST", "/maps", `{"map":"testbox"}`}, {"PUT", "/maps/rotation", `{"maps":[]}`},
		{"PUT", "/settings/sv_name", `{"value":"x"}`}, {"PUT", "/settings/sv_rcon_password", `{"value":"x"}`}, {"GET", "/tokens", ""},
		{"POST", "/tokens", `{"name":"a","level":"admin"}`}, {"DELETE", "/tokens?name=a", ""},
	} {
		v.expect(c[0], c[1], c[2], 403, denied)
		w.run(100 * time.Millisecond)
	}
	v.expect("POST", "/players/0/mute", `{"seconds":1}`, 403, `an administrator can allow it with \"access_level muteid 1\"`)
	v.expect("POST", "/command", `{"line":"sv_name x; mod_command sv_name 1"}`, 200, `"warning":"Access for command sv_name denied."`)
	if p := get[api.Players](v, "/players").Players; len(p) != 1 || p[0].Address != "" {
		t.Errorf("%+v", p)
	}
	if h := get[api.History](v, "/history").Visits; len(h) != 1 || h[0].Address != "" {
		t.Errorf("%+v", h)
	}
	if o := get[api.Votes](v, "/votes").Options; len(o) != 1 || o[0].Command != "" {
		t.Errorf("%+v", o)
	}
	if m := get[api.Maps](v, "/maps"); len(m.Maps) != 0 || m.Map != "teeyard1" {
		t.Errorf("%+v", m)
	}
	if s := get[api.SettingsList](v, "/settings").Settings; len(s) != 0 {
		t.Errorf("%+v", s)
	}
	w.Execute("say hello")
	w.run(20 * time.Millisecond)
	for _, l := range get[api.Log](v, "/log?limit=4096").Lines {
		if l.System != "chat" {
			t.Errorf("a moderator reads %+v", l)
		}
	}
	w.Execute("mod_command kick 1; mod_command status 1; mod_command show_ips 1; mod_command sv_scorelimit 1; mod_command password 1")
	w.run(time.Second)
	if p := get[api.Players](v, "/players").Players; len(p) != 1 || p[0].Address != "10.0.0.7" {
		t.Errorf("%+v", p)
	}
	if s := get[api.SettingsList](v, "/settings").Settings; len(s) != 2 || s[1].Name != "sv_scorelimit" {
		t.Errorf("%+v", s)
	}
	v.expect("PUT", "/settings/sv_scorelimit", `{"value":"7"}`, 200, `"7"`)
	v.expect("POST", "/players/0/kick", `{}`, 200, "output")
	w.expectAudit(`"level":"moderator","addr":"198.51.100.1:4000","command":"kick 0 \"\""`)
}

// TestTokens checks that a token works until it expires or is removed, also after a restart, and
// that the file does not contain the token itself.
func TestTokens(t *testing.T) {
	w := newWorld(t)
	v := w.signedIn("127.0.0.1", "adminpw")
	make := func(body string) *visitor {
		t.Helper()
		_, answer := v.ask("POST", "/tokens", body)
		var out api.TokenText
		testenv.NoError(t, json.Unmarshal([]byte(answer), &out))
		if b := testenv.Must(os.ReadFile(w.tokens)); out.Token == "" || strings.Contains(string(b), out.Token) {
			t.Fatalf("%s: %s", answer, b)
		}
		program := w.visitor("198.51.100.9")
		program.header.Set("Authorization", "Bearer "+out.Token)
		return program
	}
	boss, site := make(`{"name":"boss","level":"admin"}`), make(`{"name":"site","level":"moderator","days":2}`)
	boss.expect("GET", "/me", "", 200, `{"level":"admin","name":"boss"`)
	site.expect("GET", "/me", "", 200, `{"level":"moderator","name":"site"`)
	boss.expect("POST", "/command", `{"line":"sv_scorelimit 9"}`, 200, "output")
	w.expectAudit(`"via":"http","level":"admin","name":"boss","addr":"198.51.100.9:4000","command":"sv_scorelimit 9"`)
	for _, body := range []string{`{"name":"a b","level":"admin"}`, `{"name":"","level":"admin"}`, `{"name":"x","level":"god"}`,
		`{"name":"x","level":"admin","days":-1}`} {
		v.expect("POST", "/tokens", body, 400, "error")
	}
	v.expect("POST", "/tokens", `{"name":"boss","level":"admin"}`, 409, "a token with this name already exists")
	if info := testenv.Must(os.Stat(w.tokens)); info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("others may read the file: %v", info.Mode())
	}
	// Another server with the same file.
	var again tokens
	again.init(w.tokens)
	if again.err != nil || len(again.list()) != 2 || again.list()[1].Expires.IsZero() {
		t.Errorf("%v %+v", again.err, again.list())
	}
	w.pass(3 * 24 * time.Hour)
	site.expect("GET", "/me", "", 401, "does not exist or has expired")
	boss.expect("GET", "/me", "", 200, "boss")
	w.signedIn("127.0.0.1", "adminpw").expect("DELETE", "/tokens?name=boss", "", 200, "{}")
	boss.expect("GET", "/me", "", 401, "does not exist or has expired")
	for name, header := range map[string]string{"no scheme": "teeyard_x", "another scheme": "Basic YTpi", "nothing": "Bearer", "long": "Bearer teeyard_" +
		strings.Repeat("x", 5000)} {
		site.header = http.Header{"Authorization": {header}}
		if code, _ := site.ask("GET", "/players", ""); code != 401 {
			t.Errorf("%s: %d", name, code)
		}
	}
	for _, content := range []string{"{}", "[", `[{"name":"a","level":"admin","sha256":"AAAA"}]`, `[{"name":"a","level":"god","sha256":"` +
		strings.Repeat("A", 43) + `="}]`, strings.Repeat(" ", maxTokensFile+1)} {
		testenv.NoError(t, os.WriteFile(w.tokens, []byte(content), 0o600))
		var damaged tokens
		damaged.init(w.tokens)
		_, err := damaged.add("new", "admin", time.Now(), time.Time{})
		if kept := testenv.Must(os.ReadFile(w.tokens)); damaged.err == nil || err == nil || string(kept) != content {
			t.Errorf("%.40s: %v, %v", content, damaged.err, err)
		}
	}
}

// FuzzTokens reads damaged token files. They must not let a client in.
func FuzzTokens(f *testing.F) {
	f.Add([]byte(`[{"name":"a","level":"admin","sha256":"` + strings.Repeat("A", 43) + `=","created":"2026-11-22T15:34:22Z"}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > maxTokensFile {
			return
		}
		var all tokens
		all.init("")
		err := all.parse(b)
		for _, one := range all.list() {
			if _, ok := console.ParseLevel(one.Level); err != nil || !ok || len(one.Hash) != 32 {
				t.Errorf("%+v, %v", one, err)
			}
		}
	})
}
