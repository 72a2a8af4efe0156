package query

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/teeyard/teeyard/protocol/packet"
)

// checkInfo checks the properties of every Info from the network.
func checkInfo(t *testing.T, i *Info) {
	t.Helper()
	texts := []string{i.Version, i.Name, i.Hostname, i.Map, i.GameType}
	for _, c := range i.Clients {
		texts = append(texts, c.Name, c.Clan)
	}
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
			t.Fatalf("text %q", s)
		}
	}
	for _, n := range []int{i.NumPlayers, i.MaxPlayers, i.NumClients, i.MaxClients, len(i.Clients)} {
		if n < 0 || n > MaxListed {
			t.Fatalf("count %d", n)
		}
	}
}

func FuzzReply6(f *testing.F) {
	for _, name := range []string{"ddnet-plain", "ddnet-extended", "ddnet-legacy64"} {
		for _, b := range capturedDatagrams(f, name) {
			f.Add(b)
		}
	}
	f.Add([]byte(Header6 + tagMore + "1\x0063\x00\x00a\x00b\x00-1\x00x\x001\x00\x00"))
	var m ReplyMerger
	var a ReplyEncoder
	f.Fuzz(func(t *testing.T, b []byte) {
		ParseRequest6(b)
		r, err := ParseReply6(b)
		if err != nil {
			return
		}
		checkInfo(t, &r.Info)
		m.Add(&r)
		if i, ok := m.Info(); ok {
			checkInfo(t, &i)
		} else if len(i.Clients) == MaxListed {
			m = ReplyMerger{}
		}
		// Any parsed info can be encoded.
		a.SetInfo(&r.Info)
		for form := range Format(NumFormats) {
			for n := range a.NumDatagrams(form) {
				b := a.Append(nil, Request{Format: form, Token: form.MaxToken()}, n)
				if len(b) > packet.MaxDatagram {
					t.Fatalf("%d bytes", len(b))
				}
				parse := ParseReply6
				if form == Format7 {
					parse = ParseReply7
				}
				if r, err := parse(b); err != nil || r.Token != form.MaxToken() {
					t.Fatalf("%q: %v", b, err)
				}
			}
		}
	})
}

func FuzzReply7(f *testing.F) {
	for _, name := range []string{"ddnet-7", "teeworlds-7"} {
		f.Add(capturedDatagrams(f, name)[0][packet.ConnlessHeaderSize:])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		ParseRequest7(b)
		if r, err := ParseReply7(b); err == nil {
			checkInfo(t, &r.Info)
		}
	})
}
