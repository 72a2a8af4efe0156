package query

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
)

// exchange simulates a whole query in memory. A server parses the request. A browser parses the
// answers, out of order and twice.
func exchange(t *rapid.T, i *Info, f Format) (Info, []int) {
	var a ReplyEncoder
	a.SetInfo(i)
	want := Request{Format: f, Token: rapid.Int32Range(0, f.MaxToken()).Draw(t, "token")}
	b := AppendRequest(nil, want)
	got, ok := ParseRequest6(b)
	if f == Format7 {
		got, ok = ParseRequest7(b)
	} else if kind, _ := packet.Classify(b); kind != packet.KindConnless6 {
		t.Fatalf("request %x is %v", b, kind)
	}
	if !ok || got != want {
		t.Fatalf("request %x: %+v %v", b, got, ok)
	}
	order := make([]int, a.NumDatagrams(f))
	for n := range order {
		order[n] = n
	}
	order = rapid.Permutation(append(order, order...)).Draw(t, "order")
	var m ReplyMerger
	var sizes []int
	total, complete := 0, false
	for _, n := range order {
		b := a.Append(nil, got, n)
		parse := ParseReply6
		if f == Format7 {
			parse = ParseReply7
		}
		r, err := parse(b)
		if err != nil {
			t.Fatalf("answer %q: %v", b, err)
		}
		if r.Format != f || r.Token != want.Token {
			t.Fatalf("answer %q: form %v token %d", b, r.Format, r.Token)
		}
		complete = m.Add(&r)
		sizes = append(sizes, len(r.Info.Clients))
		if limit := packet.MaxConnlessPayload + len(Header6); len(b) > limit {
			t.Fatalf("%d bytes are more than %d", len(b), limit)
		}
		total += len(b)
	}
	if total > 2*a.MaxSize(f) {
		t.Fatalf("%d bytes were to be %d", total/2, a.MaxSize(f))
	}
	out, ok := m.Info()
	if !ok || !complete && f != FormatPlain6 && len(i.Clients) <= maxLegacySlots {
		t.Fatalf("not complete after all: %+v of %v", out, sizes)
	}
	return out, sizes
}

// checkSameInfo compares the fields that a format carries.
func checkSameInfo(t *rapid.T, got, want Info, lost ...string) {
	t.Helper()
	want.Version = got.Version
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Info{}, lost...), cmpopts.IgnoreFields(Client{}, "Bot")); d != "" {
		t.Fatalf("-want +got\n%s", d)
	}
}

func TestExtended(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := drawInfo(t)
		got, _ := exchange(t, &i, FormatExtended6)
		if i.GameType == "DDraceNetwork" && got.GameType != i.GameType {
			t.Fatalf("gametype %q", got.GameType)
		}
		checkSameInfo(t, got, i, "Hostname", "SkillLevel")
	})
}

func TestLegacy64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := drawInfo(t)
		got, sizes := exchange(t, &i, FormatLegacy64)
		for _, n := range sizes {
			if n > maxLegacyClients {
				t.Fatalf("%d clients in a datagram", n)
			}
		}
		if len(got.Clients) != min(len(i.Clients), maxLegacySlots) || got.NumClients > maxLegacySlots || got.MaxClients > maxLegacySlots {
			t.Fatalf("%d clients, %d of %d", len(got.Clients), got.NumClients, got.MaxClients)
		}
		if i.MaxClients <= maxLegacySlots {
			checkSameInfo(t, got, i, "Hostname", "SkillLevel", "MapCRC", "MapSize")
		}
	})
}

func TestPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := drawInfo(t)
		i.Name = drawText(t, "short name", maxName-len(" [1024/1024]"))
		if _, _, _, ok := cutSizeSuffix(i.Name); ok {
			t.Skip("a name like a note")
		}
		got, _ := exchange(t, &i, FormatPlain6)
		if len(got.Clients) != min(len(i.Clients), maxPlainSlots) {
			t.Fatalf("%d clients", len(got.Clients))
		}
		if i.MaxClients <= maxPlainSlots {
			checkSameInfo(t, got, i, "Hostname", "SkillLevel", "MapCRC", "MapSize")
			return
		}
		if got.Name != i.Name || got.NumClients != i.NumClients || got.MaxClients != i.MaxClients {
			t.Fatalf("%q %d/%d instead of %q %d/%d", got.Name, got.NumClients, got.MaxClients, i.Name, i.NumClients, i.MaxClients)
		}
		// Old clients must see a free slot exactly if the server has one.
		var a ReplyEncoder
		a.SetInfo(&i)
		r, err := ParseReply6(a.Append(nil, Request{}, 0))
		if err != nil {
			t.Fatal(err)
		}
		var raw [4]int
		rest := a.replies[FormatPlain6].b
		var u packer.Unpacker
		u.Reset(rest)
		for range 5 {
			u.String(packer.SanitizeNone)
		}
		for n := range raw {
			raw[n] = int(readNumber(&u))
		}
		if raw[3] > maxPlainSlots || raw[1] > raw[3] || raw[0] > raw[2] || raw[2] > raw[3] {
			t.Fatalf("counts %v of %+v", raw, r.Info)
		}
		if full, shown := i.NumClients >= i.MaxClients, raw[2] >= raw[3]; full != shown {
			t.Fatalf("full is %v, shown %v: %v", full, shown, raw)
		}
	})
}

func Test7(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := drawInfo(t)
		got, _ := exchange(t, &i, Format7)
		if n := min(len(i.Clients), maxSlots7); len(got.Clients) != n || got.NumClients != n {
			t.Fatalf("%d clients, %d listed", got.NumClients, len(got.Clients))
		}
		// A client of 0.7 accepts the record.
		var a ReplyEncoder
		a.SetInfo(&i)
		var u packer.Unpacker
		u.Reset(a.Append(nil, Request{Format: Format7, Token: 5}, 0)[len(tagInfo):])
		u.Int()
		var rec msg7.InfoRecord
		if err := rec.Unpack(&u); err != nil {
			t.Fatal(err)
		}
		for range rec.Clients {
			var c msg7.InfoClient
			if err := c.Unpack(&u); err != nil {
				t.Fatal(err)
			}
		}
		if u.Len() != 0 {
			t.Fatalf("%d bytes too many", u.Len())
		}
		if i.MaxClients > maxSlots7 {
			return
		}
		if got.GameType != i.GameType && (got.GameType != i.GameType+"+" || i.MaxPlayers <= maxPlainSlots) {
			t.Fatalf("mode %q", got.GameType)
		}
		for n, c := range i.Clients {
			if len(got.Clients[n].Name) < len(c.Name) {
				return // shortened
			}
			if got.Clients[n].Bot != c.Bot {
				t.Fatal("a bot is none")
			}
		}
		if diff := len(a.replies[Format7].b); diff < 900 {
			checkSameInfo(t, got, i, "GameType", "MapCRC", "MapSize")
		}
	})
}

// TestRecord7 compares the record with the message that connected clients get.
func TestRecord7(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := drawInfo(t)
		i.Version, i.GameType, i.TimeScore = "0.7.5", "MOD", false
		n := i.wireCounts(i.clientCount(), maxSlots7)
		rec := msg7.InfoRecord{
			Version: []byte(i.Version), Name: []byte(i.Name), Hostname: []byte(i.Hostname), Map: []byte(i.Map), GameType: []byte(i.GameType),
			Flags: msg7.ServerInfoFlags(boolToInt(i.Password)), SkillLevel: int32(i.SkillLevel),
			Players: int32(n[0]), PlayerSlots: int32(n[1]), Clients: int32(n[2]), MaxClients: int32(n[3]),
		}
		if d := cmp.Diff(rec.Append(nil), i.appendRecord7(nil, i.clientCount())); d != "" {
			t.Fatal(d)
		}
	})
}

func TestAnswersDoNotAllocate(t *testing.T) {
	testenv.RequireExactAllocs(t)
	i := Info{Version: "0.7.5", Name: "a server with quite a long name of its own", Map: "dm1", GameType: "DM", MaxClients: 64, MaxPlayers: 64}
	for range 64 {
		i.Clients = append(i.Clients, Client{Name: "nameless tee", Clan: "clan", Country: -1, Score: 100})
	}
	var a ReplyEncoder
	out := make([]byte, 0, packet.MaxDatagram)
	requests := make([][]byte, NumFormats)
	for f := range requests {
		requests[f] = AppendRequest(nil, Request{Format: Format(f), Token: 77})
	}
	answer := func() {
		for f, b := range requests {
			r, ok := ParseRequest6(b)
			if f == int(Format7) {
				r, ok = ParseRequest7(b)
			}
			if !ok {
				t.Fatal("no request")
			}
			for n := range a.NumDatagrams(r.Format) {
				out = a.Append(out[:0], r, n)
			}
		}
	}
	a.SetInfo(&i)
	answer()
	if n := testing.AllocsPerRun(100, answer); n != 0 {
		t.Errorf("%v allocations per answer", n)
	}
	if n := testing.AllocsPerRun(100, func() { a.SetInfo(&i); answer() }); n != 0 {
		t.Errorf("%v allocations per tick", n)
	}
}
