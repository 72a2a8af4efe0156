package query

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/protocol/packet"
)

// capturedDatagrams reads the captured datagrams of an answer.
func capturedDatagrams(t testing.TB, name string) [][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/" + name + "-?.bin")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no datagrams of %s: %v", name, err)
	}
	var all [][]byte
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// TestGolden parses the captured answers of real servers and encodes the same bytes again.
func TestGolden(t *testing.T) {
	infos := map[string]Info{}
	for _, c := range []struct {
		name  string
		r     Request
		count int
	}{
		{"ddnet-plain", Request{FormatPlain6, 0x42}, 1},
		{"ddnet-extended", Request{FormatExtended6, 0x123442}, 2},
		{"ddnet-legacy64", Request{FormatLegacy64, 0x42}, 3},
		{"ddnet-7", Request{Format7, 5}, 1},
		{"teeworlds-7", Request{Format7, 5}, 1},
	} {
		datagrams := capturedDatagrams(t, c.name)
		if len(datagrams) != c.count {
			t.Fatalf("%s: %d datagrams", c.name, len(datagrams))
		}
		var m ReplyMerger
		for n, b := range datagrams {
			parse := ParseReply6
			if c.r.Format == Format7 {
				b, parse = b[packet.ConnlessHeaderSize:], ParseReply7
				datagrams[n] = b
			}
			r, err := parse(b)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if r.Format != c.r.Format || r.Token != c.r.Token {
				t.Errorf("%s: form %v token %x", c.name, r.Format, r.Token)
			}
			m.Add(&r)
		}
		info, ok := m.Info()
		if !ok || m.Complete() != (c.r.Format != FormatPlain6) {
			t.Errorf("%s: not complete: %+v", c.name, info)
		}
		infos[c.name] = info
		var a ReplyEncoder
		a.SetInfo(&info)
		if a.NumDatagrams(c.r.Format) != len(datagrams) {
			t.Errorf("%s: %d datagrams", c.name, a.NumDatagrams(c.r.Format))
			continue
		}
		for n, want := range datagrams {
			if d := cmp.Diff(string(want), string(a.Append(nil, c.r, n))); d != "" {
				t.Errorf("%s, datagram %d, -captured +ours\n%s", c.name, n, d)
			}
		}
	}

	// All formats carry the same info.
	full := infos["ddnet-extended"]
	if full.Name != "capture server" || full.Map != "dm1" || full.MapSize != 5805 || full.MapCRC != 0xf2159e6e || !full.TimeScore ||
		full.NumPlayers != 60 || full.MaxPlayers != 64 || full.NumClients != 60 || full.MaxClients != 64 || len(full.Clients) != 60 || full.Password {
		t.Errorf("DDNet: %+v", full)
	}
	for n, c := range full.Clients {
		if !strings.HasPrefix(c.Name, "käpt'n bot") || c.Country != -1 || c.Score != NoTime || c.Spectator {
			t.Errorf("client %d: %+v", n, c)
		}
	}
	for _, name := range []string{"ddnet-legacy64", "ddnet-7"} {
		if d := cmp.Diff(full.Clients, infos[name].Clients); d != "" {
			t.Errorf("%s lists other clients: %s", name, d)
		}
	}
	plain := infos["ddnet-plain"]
	if plain.Name != full.Name || plain.NumClients != 60 || plain.MaxClients != 64 || plain.MaxPlayers != 64 {
		t.Errorf("plain: %+v", plain)
	}
	if d := cmp.Diff(full.Clients[:16], plain.Clients); d != "" {
		t.Errorf("plain lists other clients: %s", d)
	}
	tw := infos["teeworlds-7"]
	if tw.Version != "0.7.5" || tw.Hostname != "example.test" || !tw.Password || tw.SkillLevel != 2 || tw.GameType != "CTF" ||
		tw.NumPlayers != 7 || tw.NumClients != 10 || !tw.Clients[1].Spectator || tw.Clients[1].Clan != "Zuschauer" {
		t.Errorf("teeworlds: %+v", tw)
	}
}
