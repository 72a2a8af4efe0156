package app

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// FuzzDemo shows any input that may be a demo in all output forms.
func FuzzDemo(f *testing.F) {
	names, err := filepath.Glob("../format/demo/testdata/*.demo")
	if err != nil || len(names) == 0 {
		f.Fatal(names, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 8000)])
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		open := func() *demo.Reader {
			r, err := demo.NewReader(bytes.NewReader(file))
			if err != nil {
				t.Skip()
			}
			return r
		}
		for _, json := range []bool{false, true} {
			play := demoPlayCmd{JSON: json}
			w := bufio.NewWriter(io.Discard)
			play.play(t.Context(), open(), w)
		}
		info, err := readDemoInfo(open())
		if err != nil {
			t.Fatal(err)
		}
		info.print(io.Discard)
	})
}

// TestDemoInfoPlayers checks that a player whose snapshot comes before the join message counts
// once.
func TestDemoInfoPlayers(t *testing.T) {
	var file bytes.Buffer
	w, err := demo.NewWriter(&file, demo.Header{NetVersion: msg7.NetVersion, Type: "server"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b snapshot.Builder
	write := func(tick int32, players ...string) {
		b.Reset()
		for id, name := range players {
			var o msg7.DeClientInfo
			message.StrToInts(o.Name[:], []byte(name))
			o.PutInts(b.Add(msg7.TypeDeClientInfo, id, msg7.SizeDeClientInfo))
			(&msg7.PlayerInfo{Score: tick}).PutInts(b.Add(msg7.TypePlayerInfo, id, msg7.SizePlayerInfo))
		}
		var s snapshot.Snapshot
		b.Finish(&s)
		w.Snapshot(tick, &s)
	}
	write(100, "alice")
	write(150, "alice", "bob")
	w.Message((&msg7.DeClientEnter{Name: []byte("bob"), ClientID: 1}).Append(nil))
	write(200, "alice", "carl")
	write(250, "alice")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := demo.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	info, err := readDemoInfo(r)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range info.Players {
		got = append(got, fmt.Sprintf("%s %v %v %d", p.Name, p.Since, p.Played, p.Score))
	}
	if want := []string{"alice 0 3 250", "bob 1 1 150", "carl 2 1 200"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
