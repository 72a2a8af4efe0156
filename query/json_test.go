package query

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := drawInfo(t)
		for n := range i.Clients {
			i.Clients[n].AFK = n%3 == 0
		}
		copy(i.MapSHA256[:], rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "hash"))
		b := AppendJSON([]byte("x"), &i)
		if len(b) > MaxJSON+1 || b[0] != 'x' {
			t.Fatalf("%d bytes", len(b))
		}
		got, err := ParseJSON(b[1:])
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if d := cmp.Diff(i, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Info{}, "Hostname", "SkillLevel"),
			cmpopts.IgnoreFields(Client{}, "Bot")); d != "" {
			t.Fatal(d)
		}
	})
}

const sampleJSON = `{"max_clients":64,"max_players":60,"passworded":false,"game_type":"DDraceNetwork","name":"a\u001bserver","map":{"name":"Kobra","sha256":"` +
	`00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff","size":77,"url":"https://example.test"},"version":"0.6.4, 16.4",` +
	`"clients":[{"name":"a","clan":"b","country":276,"score":-120,"is_player":true,"skin":{"name":"x"}},` +
	`{"name":"c","clan":"","country":-1,"score":-9999,"is_player":false,"afk":true}]}`

func TestParseJSON(t *testing.T) {
	i, err := ParseJSON([]byte(sampleJSON))
	if err != nil {
		t.Fatal(err)
	}
	want := Info{
		Version: "0.6.4, 16.4", Name: "a server", Map: "Kobra", MapSize: 77, MapSHA256: i.MapSHA256, GameType: "DDraceNetwork", TimeScore: true,
		NumPlayers: 1, MaxPlayers: 60, NumClients: 2, MaxClients: 64,
		Clients: []Client{{Name: "a", Clan: "b", Country: 276, Score: 120}, {Name: "c", Country: -1, Score: NoTime, Spectator: true, AFK: true}},
	}
	if d := cmp.Diff(want, i); d != "" || i.MapSHA256[1] != 0xff {
		t.Errorf("%s %x", d, i.MapSHA256)
	}
	for what, change := range map[string][2]string{
		"a missing number":       {`"max_clients":64,`, ``},
		"a wrong type":           {`"passworded":false`, `"passworded":"no"`},
		"no map":                 {`"map":{"name":"Kobra"`, `"map":{"nom":"Kobra"`},
		"too many":               {`"max_clients":64`, `"max_clients":1`},
		"a client without score": {`"score":-120,`, ``},
		"a fraction":             {`"score":-120`, `"score":-120.5`},
		"a list that is none":    {`"clients":[`, `"clients":null,"x":[`},
		"no JSON":                {`{"max_clients"`, `{max_clients`},
	} {
		b := strings.Replace(sampleJSON, change[0], change[1], 1)
		if b == sampleJSON {
			t.Fatalf("%s changes nothing", what)
		}
		if _, err := ParseJSON([]byte(b)); !errors.Is(err, ErrJSON) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := ParseJSON([]byte(strings.Replace(sampleJSON, `"clients":[`, `"clients":[],"x":[`, 1))); err != nil {
		t.Errorf("an empty server: %v", err)
	}
}

func TestJSONFits(t *testing.T) {
	i := Info{MaxClients: MaxListed, MaxPlayers: MaxListed}
	for range MaxListed {
		i.Clients = append(i.Clients, Client{Name: strings.Repeat("\"", 15), Country: -1})
	}
	b := AppendJSON(nil, &i)
	got, err := ParseJSON(b)
	if err != nil || len(b) > MaxJSON || len(b) < MaxJSON/2 || len(got.Clients) == 0 {
		t.Errorf("%d bytes, %d clients: %v", len(b), len(got.Clients), err)
	}
}
