package console

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestDDNetConfiguration checks that a few lines list the settings of a DDNet configuration that
// have no effect. Other names that do not exist are listed with their places.
func TestDDNetConfiguration(t *testing.T) {
	files := fstest.MapFS{"dd.cfg": {Data: []byte(
		"sv_rescue 1\nSV_Rescue 1\nsv_resque 1\naccess_level super 2\naccess_level nosuch 2\naccess_level echo 2\n" +
			"access_level exec 1\nsv_score_folder records\n")}}
	b := newTestConsole(t, Config{KeepUnknown: true, Files: files})
	b.ExecuteFile("dd.cfg", Operator)
	b.Start()
	want := []string{
		"[console]: executing 'dd.cfg'",
		"[Console]: dd.cfg:5: No such command: 'nosuch'.",
		"[Console]: access_level was set for 2 commands; access_status 1 and access_status 2 list them", "[Console]: dd.cfg:3: No such command: sv_resque.",
		"[Console]: DDNet names without effect here: sv_score_folder (DDNet-Server 16.4 ignores it, too)",
		"[Console]: DDNet names without effect here: super, sv_rescue (only in DDRace)",
	}
	if !slices.Equal(b.lines, want) {
		t.Errorf("printed %q", b.lines)
	}
	b.lines = nil
	testenv.NoError(t, b.Reload(ReadConfiguration(files, []string{"-f", "dd.cfg"})))
	slices.Sort(b.lines)
	if slices.Sort(want); !slices.Equal(b.lines, want) {
		t.Errorf("again, printed %q", b.lines)
	}
	b.lines = nil
	b.expect(t, "sv_rescue 1", Operator, "[Console]: sv_rescue has no effect here (only in DDRace)")
	b.ExecuteFile("dd.cfg", Operator)
	if got := strings.Join(b.lines, "\n"); strings.Contains(got, "sv_rescue has") && strings.Count(got, "sv_rescue has") > 1 ||
		strings.Contains(got, "sv_score_folder") {
		t.Errorf("executed again, it prints %q", b.lines)
	}
	for line, ok := range map[string]bool{"echo a; sv_server_type Novice": true, "sv_server_type Novice; echo a": true,
		"sv_server_type Novice": false, "sv_server_type a; sv_dnsbl 1": false} {
		if err := b.Check(line, Operator); (err == nil) != ok {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestNamesOfDDNet checks that no name is in two groups, and that all are DDNet's.
func TestNamesOfDDNet(t *testing.T) {
	var all []string
	for _, file := range []string{"testdata/ddnet16.txt", "testdata/ddnet20.txt"} {
		names := strings.Fields(string(testenv.Must(os.ReadFile(file))))
		if len(names) < 350 || !slices.IsSorted(names) {
			t.Fatalf("%s: %d names", file, len(names))
		}
		all = append(all, names...)
	}
	slices.Sort(all)
	groups := append(slices.Clone(ddnetGroups[:]), ddnetGroup{inModes, ddnetModes})
	seen := map[string]string{}
	for _, g := range groups {
		for _, name := range g.names {
			if seen[name] != "" {
				t.Errorf("%s: %s, and %s", name, seen[name], g.why)
			}
			seen[name] = g.why
			if _, found := slices.BinarySearch(all, name); !found {
				t.Errorf("%s is none of DDNet's", name)
			}
		}
	}
}
