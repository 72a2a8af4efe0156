package console

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/internal/testenv"
)

// TestDDNetConfiguration checks that a configuration of DDNet is told in few lines what of it has no
// effect, and that other names that do not exist are named with their places.
func TestDDNetConfiguration(t *testing.T) {
	if !slices.IsSorted(ddnetNames) {
		t.Fatal("the names are not sorted")
	}
	files := fstest.MapFS{"dd.cfg": {Data: []byte(
		"sv_rescue 1\nSV_Rescue 1\nsv_resque 1\naccess_level super 2\naccess_level nosuch 2\nsv_score_folder records\n")}}
	b := newTestConsole(t, Config{KeepUnknown: true, Files: files})
	b.ExecuteFile("dd.cfg", Operator)
	b.Start()
	want := []string{
		"[console]: executing 'dd.cfg'",
		"[Console]: dd.cfg:5: No such command: 'nosuch'.", "[Console]: dd.cfg:3: No such command: sv_resque.",
		"[Console]: of DDNet, without effect here: super, sv_rescue, sv_score_folder",
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
	b.expect(t, "sv_rescue 1", Operator, "[Console]: No such command: sv_rescue.")
	for i := range 30 {
		b.ignore(strings.Repeat("x", i))
	}
	b.lines = nil
	if b.reportDDNet(); len(b.lines) != 3 {
		t.Errorf("printed %q", b.lines)
	}
}
