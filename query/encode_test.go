package query

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRequests parses requests in each format, and datagrams that are not requests.
func TestRequests(t *testing.T) {
	for in, want := range map[string]struct {
		r  Request
		ok bool
	}{
		Header6 + tagRequest + "\x42":                    {Request{FormatPlain6, 0x42}, true},
		Header6 + tagRequest + "\x42and more":            {Request{FormatPlain6, 0x42}, true},
		"xe\x12\x34\x00\x00" + tagRequest + "\x42":       {Request{FormatExtended6, 0x123442}, true},
		Header6 + tagLegacyRequest + "\xff":              {Request{FormatLegacy64, 0xff}, true},
		"xe\x12\x34\x00\x00" + tagLegacyRequest + "\x42": {Request{FormatLegacy64, 0x42}, true},
		Header6 + tagRequest:                             {},
		Header6 + tagInfo + "\x42":                       {},
		Header6:                                          {},
		"":                                               {},
	} {
		if r, ok := ParseRequest6([]byte(in)); r != want.r || ok != want.ok {
			t.Errorf("%q: %+v %v", in, r, ok)
		}
	}
	for in, ok := range map[string]bool{tagRequest + "\x05": true, tagRequest: false, tagRequest + "\x80": false, tagInfo + "\x05": false} {
		if _, got := ParseRequest7([]byte(in)); got != ok {
			t.Errorf("%q: %v", in, got)
		}
	}
}

// TestRules checks encoding rules that a round trip does not cover.
func TestRules(t *testing.T) {
	i := Info{Version: "0.7.5", Name: "yard", Map: "dm1", GameType: "DM", MaxClients: 64, MaxPlayers: 60, NumPlayers: 1,
		Clients: []Client{{Name: "fifteen letters and more", Country: -1, Score: 7}}}
	for _, c := range []struct {
		form   Format
		change func(*Info)
		want   string
	}{
		{FormatPlain6, func(*Info) {}, Header6 + tagInfo + "5\x000.6↔0.7.5\x00yard " +
			"[1/64]\x00dm1\x00DM\x000\x001\x0016\x001\x0016\x00fifteen letters\x00\x00-1\x007\x001\x00"},
		{FormatPlain6, func(i *Info) { i.MaxClients = 16 }, Header6 + tagInfo +
			"5\x000.6↔0.7.5\x00yard\x00dm1\x00DM\x000\x001\x0016\x001\x0016\x00fifteen letters\x00\x00-1\x007\x001\x00"},
		{FormatPlain6, func(i *Info) { i.GameType, i.Password = "sixteen letters and more", true }, Header6 +
			tagInfo + "5\x000.6↔0.7.5\x00yard [1/64]\x00dm1\x00sixteen letters \x001\x001\x0016\x001\x0016\x00fifteen letters\x00\x00-1\x007\x001\x00"},
		{FormatPlain6, func(i *Info) { i.TimeScore = true }, Header6 + tagInfo +
			"5\x000.6↔0.7.5\x00yard [1/64]\x00dm1\x00DM\x000\x001\x0016\x001\x0016\x00fifteen letters\x00\x00-1\x00-7\x001\x00"},
		{FormatPlain6, func(i *Info) { i.TimeScore, i.Clients[0].Score = true, NoTime }, Header6 + tagInfo +
			"5\x000.6↔0.7.5\x00yard [1/64]\x00dm1\x00DM\x000\x001\x0016\x001\x0016\x00fifteen letters\x00\x00-1\x00-9999\x001\x00"},
		{FormatExtended6, func(i *Info) { i.Version, i.MapCRC, i.MapSize = "0.6.5", 0xffffffff, 5805 }, Header6 +
			tagExtended + "5\x000.6.5\x00yard\x00dm1\x00-1\x005805\x00DM\x000\x001\x0060\x001\x0064\x00\x00fifteen letters\x00\x00-1\x007\x001\x00\x00"},
		{FormatLegacy64, func(i *Info) { i.Clients[0].Spectator, i.NumPlayers = true, 0 }, Header6 + tagLegacy +
			"5\x000.6↔0.7.5\x00yard\x00dm1\x00DM\x000\x000\x0060\x001\x0064\x00\x00fifteen letters\x00\x00-1\x007\x000\x00"},
		{Format7, func(i *Info) {}, tagInfo + "\x050.7.5\x00yard\x00\x00dm1\x00DM+\x00\x00\x00\x01\x3c\x01\x80\x01fifteen letters\x00\x00\x40\x07\x00"},
		{Format7, func(i *Info) {
			i.MaxPlayers, i.Password, i.TimeScore, i.SkillLevel, i.Hostname = 16, true, true, 1, "host"
			i.Clients[0].Bot = true
		}, tagInfo + "\x050.7.5\x00yard\x00host\x00dm1\x00DM\x00\x03\x01\x01\x10\x01\x80\x01fifteen letters\x00\x00\x40\x07\x02"},
	} {
		i := i
		i.Clients = append([]Client(nil), i.Clients...)
		c.change(&i)
		var a ReplyEncoder
		a.SetInfo(&i)
		if got := a.Append(nil, Request{Format: c.form, Token: 5}, 0); string(got) != c.want {
			t.Errorf("%v\n got %q\nwant %q", c.form, got, c.want)
		}
	}
}

// TestPlainCounts checks the counts that browsers show while a big server fills up.
func TestPlainCounts(t *testing.T) {
	for n, shown := range map[int]int{0: 0, 15: 15, 16: 15, 17: 15, 31: 15, 32: 16} {
		var a ReplyEncoder
		a.SetInfo(&Info{MaxClients: 32, MaxPlayers: 32, Clients: slices.Repeat([]Client{{Name: "tee"}}, n)})
		r, err := ParseReply6(a.Append(nil, Request{}, 0))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Info.Clients) != min(n, 16) {
			t.Errorf("%d clients: %d listed", n, len(r.Info.Clients))
		}
		if got := (&Info{NumClients: n, MaxClients: 32}).wireCounts(shown, maxPlainSlots); got[2] != shown || r.Info.NumClients != n {
			t.Errorf("%d clients: %v, read as %d", n, got, r.Info.NumClients)
		}
	}
}

// TestShortAnswers checks that short answers carry the same info without the list. FormatPlain6
// keeps the entries that clients of 0.6 require, and ParseReply6 does not mistake them for players.
func TestShortAnswers(t *testing.T) {
	for _, clients := range []int{0, 1, 15, 16, 64} {
		i := crowdedInfo(clients)
		full, short := ReplyEncoder{}, ReplyEncoder{Short: true}
		full.SetInfo(i)
		short.SetInfo(i)
		for _, f := range []Format{FormatPlain6, FormatExtended6, FormatLegacy64} {
			b := short.Append(nil, Request{Format: f, Token: 5}, 0)
			got, err := ParseReply6(b)
			want, _ := ParseReply6(full.Append(nil, Request{Format: f, Token: 5}, 0))
			want.Info.Clients = nil
			if d := cmp.Diff(want, got); d != "" || err != nil || short.NumDatagrams(f) != 1 || len(b) > short.MaxSize(f) {
				t.Errorf("%v, %d clients: %v, %d datagrams\n%s", f, clients, err, short.NumDatagrams(f), d)
			}
			if limit := 100; f != FormatPlain6 && len(b) > limit || f == FormatPlain6 && len(b) > limit+16*6 {
				t.Errorf("%v, %d clients: %d bytes", f, clients, len(b))
			}
		}
		// The original expects as many entries as the count says, with five texts each.
		b := short.Append(nil, Request{Format: FormatPlain6, Token: 5}, 0)
		texts := strings.Split(string(b[len(Header6)+len(tagInfo):]), "\x00")
		texts = texts[:len(texts)-1]
		if n, err := strconv.Atoi(texts[8]); err != nil || len(texts) != 10+5*n {
			t.Errorf("%d clients, but %d texts", n, len(texts))
		}
	}
}
