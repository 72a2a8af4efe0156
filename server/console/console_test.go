package console

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/internal/safetext"
)

// testConsole is a console with a few variables, and its output.
type testConsole struct {
	*Console
	lines                                 []string
	warmup, port, clients                 int
	name, hostname, modPassword, password string
	ecPort                                int
	saved                                 map[string]string
}

func newTestConsole(t testing.TB, cfg Config) *testConsole {
	t.Helper()
	b := &testConsole{saved: map[string]string{}}
	cfg.Output = func(_ Caller, level int, system, line string) {
		if level > Standard {
			system = fmt.Sprint(system, level)
		}
		b.lines = append(b.lines, fmt.Sprintf("[%s]: %s", system, line))
	}
	cfg.WriteFile = func(name string, content []byte) error {
		b.saved[name] = string(content)
		return nil
	}
	cfg.Now = func() time.Time { return time.Date(2024, 2, 3, 4, 5, 6, 0, time.UTC) }
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.Console = c
	for _, v := range []IntVar{
		{Name: "sv_warmup", Value: &b.warmup, Min: -1, Max: 1000, Flags: Server | Save},
		{Name: "sv_port", Value: &b.port, Default: 8303, Flags: Server | Save},
		{Name: "sv_max_clients", Value: &b.clients, Default: 8, Min: 1, Max: 64, Flags: Server | Save},
		{Name: "ec_port", Value: &b.ecPort, Flags: Econ | Save},
	} {
		if err := c.RegisterInt(v); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range []StringVar{
		{Name: "sv_name", Value: &b.name, Default: "unnamed server", Size: 128, Flags: Server | Save},
		{Name: "sv_hostname", Value: &b.hostname, Size: 128, Flags: Server | Save},
		{Name: "sv_rcon_mod_password", Value: &b.modPassword, Size: 32, Flags: Server | Save | Secret},
		{Name: "password", Value: &b.password, Size: 32, Flags: Server | Save | Secret},
	} {
		if err := c.RegisterString(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Register(Command{Name: "logout", Flags: Server | Basic, Run: func(call *Call) { call.Print("server", "bye %d", call.Caller.ID) }}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *testConsole) take() []string {
	l := b.lines
	b.lines = nil
	return l
}

func (b *testConsole) expect(t *testing.T, line string, who Caller, want ...string) {
	t.Helper()
	b.take()
	b.Execute(line, who)
	if diff := cmp.Diff(want, b.take()); diff != "" {
		t.Errorf("%s: (-want +got)\n%s", line, diff)
	}
}

// The released server printed language.golden for language.cfg.
func TestLanguageAsReleased(t *testing.T) {
	golden, err := os.ReadFile("testdata/language.golden")
	if err != nil {
		t.Fatal(err)
	}
	b := newTestConsole(t, Config{Files: os.DirFS(".")})
	if !b.ExecuteFile("testdata/language.cfg", Operator) {
		t.Fatal(b.take())
	}
	// This console adds the place to each warning, and has more warnings.
	var lines []string
	place := regexp.MustCompile(`^(\[\w+\]: )testdata/\w+\.cfg:\d+: (.*)$`)
	for _, line := range b.take()[1:] {
		if m := place.FindStringSubmatch(line); m != nil {
			if line = m[1] + m[2]; m[1] == "[config]: " || strings.HasSuffix(line, "is not a number") || strings.HasSuffix(line, "is left out") {
				continue
			}
		}
		lines = append(lines, line)
	}
	got := strings.Join(lines, "\n") + "\n"
	// Four differences are ours: the hint about paths does not name a storage.cfg, a string is not
	// cut inside a character, a password is not shown, and an argument that is not a number does
	// not change a variable.
	want := strings.NewReplacer(
		"[Console]: Value: 12\n[Console]: Value: 0\n", "[Console]: Value: 1000\n[Console]: Value: 1000\n",
		"Info: only relative paths starting from the ones you specify in 'storage.cfg' are allowed",
		"Info: only relative paths inside the storage directories are allowed",
		"[Console]: Value: 0123456789012345678901234567890\n", "[Console]: Value: ***\n",
		"[Console]: Value: äääääääääääääää\xc3\n", "[Console]: Value: ***\n",
		"\xc3\n", "\n",
	).Replace(string(golden))
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("(-released +ours)\n%s", diff)
	}
	if want := strings.Repeat("ä", 15); b.modPassword != want {
		t.Errorf("the password is %q, want %q", b.modPassword, want)
	}
}

func TestAccess(t *testing.T) {
	b := newTestConsole(t, Config{})
	mod := Caller{Level: LevelMod, Flags: Server, ID: 3}
	admin := Caller{Level: LevelAdmin, Flags: Server, ID: 2}

	b.expect(t, "echo x", mod, "[Console]: Access for command echo denied.")
	b.expect(t, "ECHO x; logout", mod, "[Console]: Access for command ECHO denied.", "[server]: bye 3")
	b.expect(t, "ec_port 1", mod, "[Console]: No such command: ec_port.")
	b.expect(t, "ec_port", admin, "[Console]: No such command: ec_port.")
	b.expect(t, "ec_port", Operator, "[Console]: Value: 0")
	b.expect(t, "echo x", Caller{}, "[Console]: No such command: echo.")

	b.expect(t, "mod_command echo 1; mod_command toggle 1", admin,
		"[Console]: moderator access for 'echo' is now enabled", "[Console]: moderator access for 'toggle' is now enabled")
	b.expect(t, "echo x", mod, "[Console]: x")
	// A command that runs others does not lend its access.
	b.expect(t, "toggle sv_warmup 1 2", mod, "[Console]: Access for command sv_warmup denied.")
	b.expect(t, "mod_status", admin, "[Console]: echo, logout, toggle")
	helper := Caller{Level: LevelHelper, Flags: Server}
	b.expect(t, "toggle sv_warmup 1 2", helper, "[Console]: Access for command toggle denied.")
	b.expect(t, "access_level toggle 2", admin, "[Console]: moderator access for 'toggle' is now enabled",
		"[Console]: helper access for 'toggle' is now enabled")
	b.expect(t, "toggle sv_warmup 1 2", helper, "[Console]: Access for command sv_warmup denied.")
	b.expect(t, "access_status 2", admin, "[Console]: logout, toggle")
	b.expect(t, "logout", helper, "[server]: bye 0")
	b.expect(t, "mod_status", admin, "[Console]: echo, logout, toggle")
	if err := b.Register(Command{Name: "help", Params: "?s[command]", Flags: Server | Basic, Run: b.Help}); err != nil {
		t.Fatal(err)
	}
	b.expect(t, "help; help ECHO; help sv_p; help nothing", mod, "[Console]: echo, help, logout, toggle",
		"[Console]: help NAME explains a command; help sv_ lists the settings that begin with sv_",
		"[Console]: echo r[text]: Echo the text", "[Console]: No such command: sv_p.", "[Console]: No such command: nothing.")
	b.expect(t, "help ec_; help sv_po", Operator, "[Console]: ec_port", "[Console]: sv_port")
	b.Unregister("help")
	b.expect(t, "access_level togg 1; access_level nothing", admin,
		"[Console]: No such command: 'togg'. Commands that begin with it: toggle.", "[Console]: No such command: 'nothing'.")
	b.expect(t, "access_level toggle 1; access_level toggle", admin,
		"[Console]: moderator access for 'toggle' is now enabled", "[Console]: helper access for 'toggle' is now disabled",
		"[Console]: moderator access for 'toggle' is enabled", "[Console]: helper access for 'toggle' is disabled")

	var names []string
	for e, ok := b.Next("", mod); ok; e, ok = b.Next(e.Name, mod) {
		names = append(names, e.Name)
	}
	if want := []string{"echo", "logout", "toggle"}; !slices.Equal(names, want) {
		t.Errorf("a moderator is told of %v, want %v", names, want)
	}
	names = nil
	for e, ok := b.Next("", Operator); ok; e, ok = b.Next(e.Name, Operator) {
		names = append(names, e.Name)
	}
	if !slices.IsSorted(names) || !slices.Contains(names, "ec_port") || len(names) != 17 {
		t.Errorf("the operator is told of %v", names)
	}
	// A list goes on where it was even if the name is gone or was never there.
	if e, ok := b.Next("echp", mod); !ok || e.Name != "logout" {
		t.Errorf("after echp comes %v", e.Name)
	}
}

func TestCheck(t *testing.T) {
	b := newTestConsole(t, Config{})
	mod := Caller{Level: LevelMod, Flags: Server, ID: 3}
	for _, test := range []struct {
		line string
		who  Caller
		ok   bool
	}{
		{"echo x", Operator, true},
		{"ECHO x; sv_name; ec_port 1", Operator, true},
		{"", Operator, false},
		{"# echo x", Operator, false},
		{"; echo x", Operator, false},
		{"echo x; ; nonsense", Operator, true}, // never comes to that
		{"nonsense", Operator, false},
		{"echo x; nonsense", Operator, false},
		{"echo", Operator, false},
		{`echo "x`, Operator, false},
		{"toggle sv_warmup 1", Operator, false},
		{"echo " + strings.Repeat("x", MaxLine), Operator, false},
		{"logout", mod, true},
		{"logout; echo x", mod, false},
		{"ec_port 1", mod, false},
	} {
		err := b.Check(test.line, test.who)
		if (err == nil) != test.ok || err != nil && !errors.Is(err, ErrLine) {
			t.Errorf("%.40q: %v", test.line, err)
		}
	}
	if len(b.lines) != 0 || b.ecPort != 0 {
		t.Errorf("something was run: %q", b.lines)
	}
}

func TestAccessChanged(t *testing.T) {
	var got []Entry
	b := newTestConsole(t, Config{AccessChanged: func(e Entry, _ Level) { got = append(got, e) }})
	b.Execute("mod_command exec 1; mod_command exec 1; mod_command exec; mod_command exec 0", Operator)
	if len(got) != 2 || got[0].Name != "exec" || got[0].Level != LevelMod || got[1].Level != LevelAdmin || got[0].Params != "r[file]" {
		t.Errorf("told of %+v", got)
	}
}

func TestStore(t *testing.T) {
	b := newTestConsole(t, Config{})
	var ran []string
	err := b.Register(Command{Name: "change_map", Params: "?r[map]", Flags: Server | Store, Run: func(call *Call) {
		ran = append(ran, fmt.Sprint(call.Arg(0), call.Caller.ID))
		if call.Arg(0) == "b" {
			b.Execute("change_map c", call.Caller)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	b.Execute("change_map a; echo x; CHANGE_MAP b", Caller{Flags: Server, ID: 5})
	b.expect(t, "change_map \"", Operator, "[Console]: Invalid arguments... Usage: change_map ?r[map]")
	if len(ran) != 0 {
		t.Fatalf("ran before the start: %v", ran)
	}
	b.Start()
	b.Execute("change_map d", Operator)
	if want := []string{"a5", "b5", "c5", "d-1"}; !slices.Equal(ran, want) {
		t.Errorf("ran %v, want %v", ran, want)
	}

	b = newTestConsole(t, Config{})
	for range maxWaiting + 5 {
		b.Execute("save_config x", Operator)
	}
	if n := len(b.take()); n != 5 {
		t.Errorf("%d complaints about a full queue, want 5", n)
	}
}

func TestHooks(t *testing.T) {
	b := newTestConsole(t, Config{})
	var seen []string
	hook := func(call *Call) { seen = append(seen, fmt.Sprintf("%s=%d", call.Name, b.clients)) }
	if err := b.After("SV_max_clients", hook); err != nil {
		t.Fatal(err)
	}
	if err := b.After("sv_nothing", hook); !errors.Is(err, ErrUnknown) {
		t.Errorf("hook on nothing: %v", err)
	}
	b.Execute("sv_max_clients; sv_max_clients 9; sv_max_clients 9; sv_max_clients 99; toggle sv_max_clients 64 3", Operator)
	want := []string{"sv_max_clients=9", "sv_max_clients=9", "sv_max_clients=64", "sv_max_clients=3"}
	if !slices.Equal(seen, want) {
		t.Errorf("hook saw %v, want %v", seen, want)
	}
}

func TestRegisterErrors(t *testing.T) {
	b := newTestConsole(t, Config{})
	run := func(*Call) {}
	x, s := 0, ""
	for _, tc := range []struct {
		err  error
		want error
	}{
		{b.Register(Command{Name: "", Run: run}), ErrCommand},
		{b.Register(Command{Name: "two words", Run: run}), ErrCommand},
		{b.Register(Command{Name: "a;b", Run: run}), ErrCommand},
		{b.Register(Command{Name: strings.Repeat("x", 65), Run: run}), ErrCommand},
		{b.Register(Command{Name: "x"}), ErrCommand},
		{b.Register(Command{Name: "x", Params: "?", Run: run}), ErrCommand},
		{b.Register(Command{Name: "x", Params: "i[open", Run: run}), ErrCommand},
		{b.Register(Command{Name: "x", Params: "r i", Run: run}), ErrCommand},
		{b.Register(Command{Name: "x", Params: "q", Run: run}), ErrCommand},
		{b.Register(Command{Name: "ECHO", Flags: Server, Run: run}), ErrDuplicate},
		{b.RegisterInt(IntVar{Name: "x", Flags: Server}), ErrCommand},
		{b.RegisterInt(IntVar{Name: "x", Flags: Server, Value: &x, Default: 5, Max: 4}), ErrCommand},
		{b.RegisterString(StringVar{Name: "x", Flags: Server, Value: &s}), ErrCommand},
		{b.RegisterString(StringVar{Name: "x", Flags: Server, Size: 5}), ErrCommand},
	} {
		if !errors.Is(tc.err, tc.want) {
			t.Errorf("got %v, want %v", tc.err, tc.want)
		}
	}
	// The same name for rcon and econ: who reaches both gets the later one.
	if err := b.Register(Command{Name: "logout", Flags: Econ, Run: func(call *Call) { call.Print("econ", "out") }}); err != nil {
		t.Fatal(err)
	}
	b.expect(t, "logout", Operator, "[econ]: out")
	b.expect(t, "logout", Caller{Flags: Server}, "[server]: bye 0")
}

func TestFiles(t *testing.T) {
	deep := fstest.MapFS{
		"big.cfg":   {Data: bytes.Repeat([]byte("#"), MaxFile+1)},
		"bom.cfg":   {Data: []byte("\ufeffecho bom")},
		"long.cfg":  {Data: []byte(strings.Repeat("x", MaxLine+1) + "\necho after")},
		"nul.cfg":   {Data: []byte("echo a\x00b\necho c")},
		"dir/a.cfg": {Data: []byte("sv_port x\nnonsense\n\nsv_max_clients 100;exec b.cfg\n")},
	}
	for i := range 30 {
		deep[fmt.Sprintf("n%d.cfg", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "exec n%d.cfg\n", i+1)}
		deep[fmt.Sprintf("w%d.cfg", i)] = &fstest.MapFile{Data: bytes.Repeat(fmt.Appendf(nil, "exec w%d.cfg\n", i+1), 50)}
	}
	b := newTestConsole(t, Config{Files: deep})
	for _, name := range []string{"../x.cfg", "dir/../../x", "/big.cfg", `..\x`, "c:/x", "", ".", "a\x00b"} {
		if b.ExecuteFile(name, Operator) {
			t.Errorf("%q was opened", name)
		}
	}
	b.expect(t, "exec big.cfg", Operator, "[console]: failed to open 'big.cfg'", "[console]: Info: the file is larger than 1048576 bytes")
	b.expect(t, "exec bom.cfg", Operator, "[console]: executing 'bom.cfg'", "[Console]: bom")
	b.expect(t, "exec long.cfg", Operator, "[console]: executing 'long.cfg'",
		"[Console]: long.cfg:1: Line of 32769 bytes is too long; at most 32768 are allowed.", "[Console]: after")
	b.expect(t, `echo "`+strings.Repeat("x", MaxCommand)+`"`, Operator,
		"[Console]: echo: the command has 2054 bytes; at most 2047 are allowed", "[Console]: Invalid arguments... Usage: echo r[text]")
	b.expect(t, "exec nul.cfg", Operator, "[console]: executing 'nul.cfg'", "[Console]: a", "[Console]: c")
	b.expect(t, `exec .\dir/../bom.cfg`, Operator, `[console]: executing '.\dir/../bom.cfg'`, "[Console]: bom")

	b.Execute("exec n0.cfg", Operator)
	if got := b.take(); len(got) != maxDepth+1 || !strings.Contains(got[maxDepth], "too many nested files") {
		t.Errorf("nested files: %q", got)
	}
	b.Execute("exec w0.cfg", Operator) // 50^16 commands if nothing stopped it
	if got := b.take(); len(got) > maxCommands+5 || !strings.HasSuffix(got[len(got)-1], ": Too many commands.") {
		t.Errorf("wide files printed %d lines, the last %q", len(got), got[len(got)-1])
	}
	b.expect(t, "echo again", Operator, "[Console]: again")

	b.expect(t, "exec dir/a.cfg", Operator,
		"[console]: executing 'dir/a.cfg'",
		"[Console]: dir/a.cfg:1: sv_port: 'x' is not a number",
		"[Console]: dir/a.cfg:2: No such command: nonsense.",
		"[config]: dir/a.cfg:4: sv_max_clients: 100 is out of range (1 to 64); using 64",
		"[console]: dir/a.cfg:4: failed to open 'b.cfg'",
	)
	if b.port != 8303 {
		t.Errorf("the port is %d after a word instead of a number", b.port)
	}
}

func TestArgs(t *testing.T) {
	b := newTestConsole(t, Config{Files: fstest.MapFS{"other.cfg": {Data: []byte("sv_port 2")}}})
	if err := b.ExecuteArgs([]string{"-s", "sv_max_clients 3;sv_warmup 4", "-f", "other.cfg", "--silent", "-d", "nonsense x", "logout"}); err != nil {
		t.Error(err)
	}
	if b.port != 2 || b.clients != 3 || b.warmup != 4 {
		t.Errorf("%+v", b)
	}
	b.take()
	for _, test := range []struct {
		args []string
		err  string
	}{
		{[]string{"sv_port", "20111"}, `put quotes around sv_port and its value: "sv_port 20111"`},
		{[]string{"sv_name", "my server"}, `put quotes around sv_name and its value: "sv_name my server"`},
		{[]string{"sv_port", "sv_name x"}, "sv_port has no value; put quotes around the name and the value"},
		{[]string{"sv_name x", "sv_port"}, "sv_port has no value; put quotes around the name and the value"},
		{[]string{"save_config", "mine"}, `put quotes around save_config and its value: "save_config mine"`},
		{[]string{"exec"}, "exec has no value; put quotes around the name and the value"},
		{[]string{"20111"}, `"20111" is not a console command; write one as in "sv_port 8304"`},
		{[]string{"-p", "20111"}, `"-p" is not a console command; write one as in "sv_port 8304"`},
		{[]string{"+sv_port 20111"}, `"+sv_port 20111" is not a console command; write one as in "sv_port 8304"`},
		{[]string{"help"}, `"help" is not a console command; write one as in "sv_port 8304"`},
		{[]string{"sv_port=20111"}, `"sv_port=20111": write a space before the value: "sv_port 20111"`},
		{[]string{"sv_prot 20111"}, "no such command: sv_prot; is it sv_port?"},
		{[]string{"sv_warmup 4; SV_MAXCLIENTS 4"}, "no such command: SV_MAXCLIENTS; is it sv_max_clients?"},
		{[]string{"sv_port 2o111"}, "sv_port: '2o111' is not a number"},
		{[]string{"sv_warmup 5; sv_port abc; sv_warmup 6"}, "sv_port: 'abc' is not a number"},
		{[]string{"-f"}, "-f without a file"},
		{[]string{"-f", "missing.cfg"}, "failed to open 'missing.cfg': open missing.cfg: file does not exist"},
		{[]string{"exec missing.cfg"}, "failed to open 'missing.cfg': open missing.cfg: file does not exist"},
		{[]string{"-f", "../x"}, "failed to open '../x': path leaves the storage directory"},
	} {
		if err := b.ExecuteArgs(test.args); err == nil || err.Error() != test.err {
			t.Errorf("%q: error %v, want %s", test.args, err, test.err)
		}
	}
	if printed := b.take(); len(printed) > 0 {
		t.Errorf("errors are printed, too: %q", printed)
	}
	if b.port != 2 || b.warmup != 5 {
		t.Errorf("port %d, warmup %d", b.port, b.warmup)
	}
}

// TestArgsOfMods: what no command has yet may be a mod's, and is an error when the mods are there
// and do not have it.
func TestArgsOfMods(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		err  string // "" if there is none
	}{
		"variable":               {[]string{"sv_koth_time 3"}, ""},
		"before another":         {[]string{"sv_koth_time 3", "sv_warmup 1"}, ""},
		"in one argument":        {[]string{"sv_warmup 1; SV_KOTH_TIME 3"}, ""},
		"command":                {[]string{"koth_go"}, ""},
		"almost a variable":      {[]string{"sv_koth_tme 3"}, "no such command: sv_koth_tme; is it sv_koth_time?"},
		"almost the server's":    {[]string{"sv_koth_time 3", "sv_prot 3"}, "no such command: sv_prot; is it sv_port?"},
		"old":                    {[]string{"sv_rcon_ban_time 3"}, "no such command: sv_rcon_ban_time; is it sv_rcon_bantime?"},
		"one word":               {[]string{"nonsense"}, `"nonsense" is not a console command; write one as in "sv_port 8304"`},
		"no number":              {[]string{"sv_koth_time x"}, "sv_koth_time: 'x' is not a number"},
		"two arguments":          {[]string{"sv_koth_time", "3"}, `put quotes around sv_koth_time and its value: "sv_koth_time 3"`},
		"of another server":      {[]string{"sv_of_others 5"}, ""},
		"of DDNet":               {[]string{"sv_rescue 1"}, ""},
		"in a file":              {[]string{"-f", "mod.cfg"}, ""},
		"in a file, and no more": {[]string{"exec mod.cfg"}, ""},
	} {
		b := newTestConsole(t, Config{KeepUnknown: true,
			Files: fstest.MapFS{"mod.cfg": {Data: []byte("sv_koth_time 3\nsv_rounds_per_map 2\nsv_prot 5\nmore\nsv_koth_tme 1\n")}}})
		var bantime int
		noErrors(t, b.RegisterInt(IntVar{Name: "sv_rcon_bantime", Flags: Server, Value: &bantime, Max: 100}),
			b.RegisterInt(IntVar{Name: "sv_matches_per_map", Flags: Server, Value: &bantime, Max: 100}))
		err := b.ExecuteArgs(test.args)
		koth, gone := 60, false
		if err == nil {
			noErrors(t, b.RegisterInt(IntVar{Name: "sv_koth_time", Flags: Server, Value: &koth, Default: 60, Min: 1, Max: 100}),
				b.Register(Command{Name: "koth_go", Flags: Server, Run: func(*Call) { gone = true }}))
			b.RunUnknown("sv_koth_time")
			b.RunUnknown("koth_go")
			err = b.CheckArgs()
		}
		if got := fmt.Sprint(err); test.err != got && (test.err != "" || err != nil) || err != nil && !errors.As(err, new(*ArgumentError)) {
			t.Errorf("%s: %v, want %q", name, err, test.err)
		}
		if want := strings.Contains(strings.ToLower(fmt.Sprint(test.args)), "sv_koth_time 3]") || strings.Contains(name, "file") ||
			name == "before another" || name == "in one argument"; err == nil && (koth == 3) != want || gone != (name == "command") {
			t.Errorf("%s: the variable is %d, the command ran: %v", name, koth, gone)
		}
		b.take()
		if b.Start(); strings.Contains(name, "file") {
			want := []string{
				"[Console]: mod.cfg:2: No such command: sv_rounds_per_map. Is it sv_matches_per_map?",
				"[Console]: mod.cfg:3: No such command: sv_prot. Is it sv_port?",
				"[Console]: mod.cfg:4: No such command: more.", "[Console]: mod.cfg:5: No such command: sv_koth_tme. Is it sv_koth_time?",
			}
			if got := b.take(); !slices.Equal(got, want) {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

func noErrors(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestSuggestions: who may not run a command is not told of it, and a line asks for few.
func TestSuggestions(t *testing.T) {
	b := newTestConsole(t, Config{})
	b.Start()
	b.expect(t, "sv_prot 1", Operator, "[Console]: No such command: sv_prot. Is it sv_port?")
	b.expect(t, "exho 1", Operator, "[Console]: No such command: exho.")
	mod := Operator
	mod.Level = LevelMod
	b.expect(t, "sv_prot 1", mod, "[Console]: No such command: sv_prot.")
	b.Execute(strings.Repeat("sv_prot;", 40), Operator)
	if n := strings.Count(strings.Join(b.take(), "\n"), "Is it"); n != maxSuggestions {
		t.Errorf("%d suggestions for one line", n)
	}
}

// TestSimilar checks that a mistyped name gets a suggestion, and a name of other servers none.
func TestSimilar(t *testing.T) {
	names := []string{"sv_port", "sv_motd", "sv_max_clients", "ban", "echo"}
	for name, want := range map[string]string{
		"sv_prot": "sv_port", "sv_por": "sv_port", "sv_portt": "sv_port", "SV_POET": "sv_port",
		"sv_maxclients": "sv_max_clients", "sv_max_cleints": "sv_max_clients",
		"sv_mode": "", "sv_max_players": "", "bann": "", "exho": "", "": "", "sv_rcon_helper_password": "", strings.Repeat("x", 1000): "",
	} {
		if got := Similar(name, names); got != want {
			t.Errorf("%q is similar to %q, want %q", name, got, want)
		}
	}
}

func TestSaveConfig(t *testing.T) {
	b := newTestConsole(t, Config{})
	b.Start()
	b.Execute(`sv_name "a \"quoted\" \\ name"; sv_port 9; sv_warmup 0; ec_port 7`, Operator)
	b.expect(t, "save_config", Operator, "[config]: saved config to 'configs/config_2024-02-03_04-05-06.cfg'")
	b.expect(t, "save_config mine", Operator, "[config]: saved config to 'configs/mine.cfg'")
	b.expect(t, "save_config mine.cfg", Operator, "[config]: saved config to 'configs/mine.cfg'")
	for _, bad := range []string{"../x", "/../../x", "a/../../x", `..\x`, "c:x"} {
		b.Execute("save_config "+bad, Operator)
	}
	if len(b.saved) != 2 {
		t.Errorf("files written: %v", b.saved)
	}
	want := "# Teeyard\nec_port 7\nsv_name \"a \\\"quoted\\\" \\\\ name\"\nsv_port 9\n"
	if got := b.saved["configs/mine.cfg"]; got != want {
		t.Errorf("saved\n%s\nwant\n%s", got, want)
	}
}

// Any string that can be set is the same again after saving and loading.
func TestSaveLoad(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`[ -~äé世]{0,140}`).Draw(rt, "text")
		a := newTestConsole(t, Config{})
		a.Execute("sv_name "+Quote(text), Operator)
		if a.name != safetext.Truncate(text, 127) {
			rt.Fatalf("set %q, have %q", text, a.name)
		}
		file := a.AppendConfig(nil)
		b := newTestConsole(t, Config{Files: fstest.MapFS{"c.cfg": {Data: file}}})
		b.ExecuteFile("c.cfg", Operator)
		if lines := b.take(); len(lines) != 1 || b.name != a.name {
			rt.Fatalf("saved %q, loaded %q, %q, from\n%s", a.name, b.name, lines, file)
		}
	})
}

func TestRedact(t *testing.T) {
	b := newTestConsole(t, Config{})
	for line, want := range map[string]string{
		"status":                                 "status",
		"sv_rcon_mod_password secret":            "sv_rcon_mod_password ***",
		"sv_rcon_mod_password":                   "sv_rcon_mod_password",
		"say x; SV_rcon_mod_password a;echo b":   "say x; SV_rcon_mod_password ***;echo b",
		"toggle x; exec sv_rcon_PassWord secret": "toggle x; exec sv_rcon_PassWord ***",
		"ban 1.2.3.4 60 posted the password":     "ban 1.2.3.4 60 posted the password",
		"say my password was here; kick 1":       "say my password was here; kick 1",
		`add_vote "a b" "password x; say hi"`:    `add_vote "a b" "password ***`,
		"passwordd x; exec sv_passwords y":       "passwordd ***; exec sv_passwords ***",
		"add_vote a password x":                  "add_vote a password ***",
		"sv_other_password x; say password":      "sv_other_password ***; say password",
		`  password "a;b";status`:                "  password ***;status",
		`password "a;b"; echo c`:                 "password ***; echo c",
		"auth_ad bob admin secret; say auth_x y": "auth_ad ***; say auth_x ***",
	} {
		if got := b.Redact(line); got != want {
			t.Errorf("%q is logged as %q, want %q", line, got, want)
		}
	}
}

func TestOutputIsOneBoundedLine(t *testing.T) {
	b := newTestConsole(t, Config{})
	b.print(Operator, Info, "x", "a\r\nb\nc\x00d")
	b.print(Operator, Standard, "x", strings.Repeat("ä", MaxOutput))
	got := b.take()
	if got[0] != "[x1]: a b c" || len(got[1]) != len("[x]: ")+MaxOutput-1 {
		t.Errorf("%q, %d bytes", got[0], len(got[1]))
	}
}

func TestNumbers(t *testing.T) {
	for s, want := range map[string]int{"": 0, "12": 12, " -7x": -7, "+3": 3, "x": 0, "-": 0, "99999999999": 1<<31 - 1,
		"-99999999999999999999": -1 << 31, "1.9": 1} {
		if got := parseInt(s); got != want {
			t.Errorf("int %q: %d, want %d", s, got, want)
		}
	}
	for s, want := range map[string]float64{"": 0, "1.5": 1.5, "-.5x": -0.5, ".": 0, "2e2": 200, "2e": 2, "1e+": 1, "0x10": 0, "inf": 0, "nan": 0, "3.": 3} {
		if got := parseFloat(s); got != want {
			t.Errorf("float %q: %v, want %v", s, got, want)
		}
	}
}

// TestWordsAreNoNumbers: "kick bob" does not kick the player with the id 0.
func TestWordsAreNoNumbers(t *testing.T) {
	b := newTestConsole(t, Config{})
	if err := b.Register(Command{Name: "kick", Params: "i[id] ?r[reason]", Flags: Server,
		Run: func(call *Call) { call.Print("server", "kicked %d", call.Int(0)) }}); err != nil {
		t.Fatal(err)
	}
	if err := b.Register(Command{Name: "tune", Params: "s[what] f[value]", Flags: Server,
		Run: func(call *Call) { call.Print("server", "%v", call.Float(1)) }}); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"kick bob": "[Console]: kick: 'bob' is not a number", "kick 1st": "[Console]: kick: '1st' is not a number",
		"kick 1.5": "[Console]: kick: '1.5' is not a number",
		`kick ""`:  "[Console]: kick: '' is not a number", "kick 1-2": "[Console]: kick: '1-2' is not a number",
		"kick +3 x": "[server]: kicked 3", `kick " 3"`: "[server]: kicked 3", "kick 99999999999": "[server]: kicked 2147483647",
		"tune a .5": "[server]: 0.5", "tune a 2e2": "[server]: 200", "tune a inf": "[Console]: tune: 'inf' is not a number",
		"tune a b": "[Console]: tune: 'b' is not a number", "tune a 1,5": "[Console]: tune: '1,5' is not a number",
	} {
		b.expect(t, line, Operator, want)
		if err := b.Check(line, Operator); (err != nil) != strings.HasSuffix(want, "is not a number") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestLeftOver: what a command has no parameter for does not vanish without a word.
func TestLeftOver(t *testing.T) {
	b := newTestConsole(t, Config{})
	b.expect(t, "logout now; sv_warmup 5 7 ; sv_warmup", Operator,
		"[Console]: logout: 'now' is left out", "[server]: bye -1", "[Console]: sv_warmup: '7' is left out", "[Console]: Value: 5")
	b.expect(t, `echo "hello" everybody`, Operator, "[Console]: echo: 'everybody' is left out", "[Console]: hello")
	b.expect(t, `password "my" secret`, Operator, "[Console]: password: '***' is left out")
	b.expect(t, "echo hello  ; sv_warmup 6 # a comment", Operator, "[Console]: hello")
}

func FuzzExecute(f *testing.F) {
	data, err := os.ReadFile("testdata/language.cfg")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		b := newTestConsole(t, Config{Files: fstest.MapFS{"a": {Data: []byte(line)}, "b": {Data: []byte("exec a\nexec a")}}})
		b.Check(line, Operator)
		if len(b.lines) > 0 {
			t.Fatalf("a check printed %q", b.lines)
		}
		b.Execute(line, Operator)
		b.Execute(line, Caller{Level: LevelMod, Flags: Server})
		b.ExecuteFile("b", Operator)
		b.ExecuteArgs([]string{line, "-f", line})
		b.Start()
		b.Redact(line)
		for _, l := range b.lines {
			if len(l) > MaxOutput+20 || strings.ContainsAny(l, "\r\n\x00") {
				t.Fatalf("printed %q", l)
			}
		}
		if b.clients < 1 || b.clients > 64 || b.warmup < -1 || b.warmup > 1000 {
			t.Fatalf("out of range: %d, %d", b.clients, b.warmup)
		}
		if len(b.name) > 127 || len(b.modPassword) > 31 {
			t.Fatalf("too long: %q, %q", b.name, b.modPassword)
		}
	})
}

func TestValueAndLookup(t *testing.T) {
	b := newTestConsole(t, Config{})
	b.Execute("sv_warmup 7", Operator)
	for name, want := range map[string]string{"SV_WARMUP": "7", "ec_port": "0", "echo": "", "nothing": ""} {
		if got := b.Value(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	mod := Caller{Level: LevelMod, Flags: Server, ID: 3, Addr: netip.MustParseAddr("192.0.2.1")}
	if e, ok := b.Lookup("Echo", mod); !ok || e.Name != "echo" || e.Level != LevelAdmin {
		t.Errorf("%+v, %v", e, ok)
	}
	if _, ok := b.Lookup("ec_port", mod); ok {
		t.Error("a moderator reaches ec_port")
	}
	operator := Operator
	if !mod.IsRemote() || operator.IsRemote() {
		t.Error("who is remote?")
	}
}

// TestWhatIsNoVariable checks that only variables have values and can be toggled.
func TestWhatIsNoVariable(t *testing.T) {
	b := newTestConsole(t, Config{})
	for _, name := range []string{"nothing", "echo", "sv_name"} {
		if got, want := b.Value(name), map[string]string{"sv_name": "unnamed server"}[name]; got != want {
			t.Errorf("%s has the value %q, not %q", name, got, want)
		}
	}
	b.expect(t, "toggle nothing 1 2; toggle echo 1 2; toggle sv_name 1 2", Operator,
		"[Console]: No such command: 'nothing'.", "[Console]: Invalid command: 'echo'.", "[Console]: Invalid command: 'sv_name'.")
}
