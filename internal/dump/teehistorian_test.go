package dump

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
)

// TestTeehistorian explains a recording of DDNet-Server, and one with records that the first one
// lacks.
func TestTeehistorian(t *testing.T) {
	f := testenv.Must(os.Open("../../format/teehistorian/testdata/team.teehistorian.gz"))
	defer f.Close()
	recorded := testenv.Must(io.ReadAll(testenv.Must(gzip.NewReader(f))))
	var made bytes.Buffer
	w := testenv.Must(teehistorian.NewWriter(&made, teehistorian.Header{MapName: "a\x1bb"}))
	for _, rec := range []teehistorian.Record{
		{Kind: teehistorian.Extra, ID: teehistorian.ExtraJoin7, Data: []byte{1}},
		{Kind: teehistorian.Message, Client: 1, Data: packer.AppendInt(nil, int32(msg7.IDClKill))},
		{Kind: teehistorian.Message, Client: 2, Data: packer.AppendInt(nil, int32(msg6.IDClKill))},
		{Kind: teehistorian.Extra, ID: teehistorian.ExtraTeam, Data: []byte{1}},
		{Kind: teehistorian.Extra, ID: teehistorian.ExtraTeam, Data: []byte{1, 2, 3}},
		{Kind: teehistorian.Extra, ID: [16]byte{1}, Data: []byte{1, 2, 3}},
		{Kind: teehistorian.Command, Client: -1, Flags: 4, Name: "say", Args: []string{"\x1b[2J"}},
		{Kind: teehistorian.Finish},
	} {
		testenv.NoError(t, w.Write(&rec))
	}
	testenv.NoError(t, w.Flush())
	for name, c := range map[string]struct {
		file   []byte
		faults int
		want   []string
	}{
		"recorded": {recorded, 0, []string{
			"map=Tsunami ", `gun_speed=140000`, " game Cl_StartInfo bytes=25 tick=0 client=0 Profile={Name=\"bot 1\"",
			" new bytes=6 tick=1 client=1 x=944 y=5872 offset=", " command team bytes=12 tick=47 client=1 flags=128 args=[3] ",
			" extra player-team bytes=20 tick=47 client=1 team=3 ", " extra auth-login bytes=34 tick=20 client=1 level=3 text=default_admin ",
			" game Cl_Kill ", " input diff bytes=", " drop bytes=18 tick=780 client=2 reason=\"Server shutdown\"", " finish bytes=1 ",
		}},
		"made": {made.Bytes(), 2, []string{
			`map="a\x1bb"`, " game Cl_Kill bytes=4 tick=0 client=1 ", " game Cl_Kill bytes=4 tick=0 client=2 ",
			" extra player-team bytes=19 tick=0 client=1 team=0 offset=", " extra unknown ", `args=["\x1b[2J"]`, "!! 1 bytes too many",
		}},
	} {
		var text, js []byte
		d := New(Config{}, func(r *Record) { text, js = r.AppendText(text), r.AppendJSON(js) })
		testenv.NoError(t, d.ReadTeehistorian(bytes.NewReader(c.file)))
		checkSafe(t, text, js)
		for _, want := range c.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no %q in\n%.3000s", name, want, text)
			}
		}
		if d.Stats().Faults != c.faults {
			t.Errorf("%s: %d faults", name, d.Stats().Faults)
		}
	}
}
