package query

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// MaxJSON is the longest record in bytes that HTTP masters take.
const MaxJSON = 32 << 10

// ErrJSON means that a record of an HTTP master is malformed. DDNet's client hides
// such servers too.
var ErrJSON = errors.New("query: bad server record")

// record is an Info as HTTP masters have it. Pointers are for what must be there.
type record struct {
	MaxClients *int           `json:"max_clients"`
	MaxPlayers *int           `json:"max_players"`
	Passworded *bool          `json:"passworded"`
	GameType   *string        `json:"game_type"`
	Name       *string        `json:"name"`
	Map        *recordMap     `json:"map"`
	Version    *string        `json:"version"`
	ScoreKind  string         `json:"client_score_kind,omitempty"`
	Login      *bool          `json:"requires_login,omitempty"`
	Clients    []recordClient `json:"clients"`
}

type recordMap struct {
	Name   *string `json:"name"`
	SHA256 string  `json:"sha256,omitempty"`
	CRC    string  `json:"crc,omitempty"`
	Size   uint32  `json:"size,omitempty"`
}

type recordClient struct {
	Name     *string `json:"name"`
	Clan     *string `json:"clan"`
	Country  *int32  `json:"country"`
	Score    *int32  `json:"score"`
	IsPlayer *bool   `json:"is_player"`
	AFK      *bool   `json:"afk,omitempty"`
}

// AppendJSON appends the record for an HTTP master, at most MaxJSON bytes: of a
// server that is too crowded for that, clients at the end of the list are left out.
func AppendJSON(dst []byte, i *Info) []byte {
	n := i.numbers(i.count(), MaxListed)
	texts := []string{clean(i.GameType), clean(i.Name), clean(i.Map), clean(i.Version)}
	no := false
	r := record{
		MaxClients: &n[3], MaxPlayers: &n[1], Passworded: &i.Password, GameType: &texts[0], Name: &texts[1],
		Map: &recordMap{Name: &texts[2], Size: i.MapSize}, Version: &texts[3], ScoreKind: "points", Login: &no, Clients: []recordClient{},
	}
	if i.TimeScore {
		r.ScoreKind = "time"
	}
	if i.MapSHA256 != [32]byte{} {
		r.Map.SHA256 = hex.EncodeToString(i.MapSHA256[:])
	}
	if i.MapCRC != 0 {
		r.Map.CRC = fmt.Sprintf("%08x", i.MapCRC)
	}
	for c := range i.list(MaxListed) {
		c := i.Clients[c]
		c.Name, c.Clan = clean(c.Name), clean(c.Clan)
		player := !c.Spectator
		if i.TimeScore && c.Score == NoTime {
			c.Score = noTime6
		}
		rc := recordClient{Name: &c.Name, Clan: &c.Clan, Country: &c.Country, Score: &c.Score, IsPlayer: &player}
		if c.AFK {
			rc.AFK = &c.AFK
		}
		r.Clients = append(r.Clients, rc)
	}
	for {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(&r); err != nil {
			panic(err) // there is nothing in it that could fail
		}
		if out := bytes.TrimRight(b.Bytes(), "\n"); len(out) <= MaxJSON || len(r.Clients) == 0 {
			return append(dst, out...)
		}
		r.Clients = r.Clients[:len(r.Clients)*3/4]
	}
}

// ParseJSON reads the record of an HTTP master. The error wraps ErrJSON.
func ParseJSON(b []byte) (Info, error) {
	var r record
	if err := json.Unmarshal(b, &r); err != nil {
		return Info{}, fmt.Errorf("%w: %w", ErrJSON, err)
	}
	switch {
	case r.MaxClients == nil, r.MaxPlayers == nil, r.Passworded == nil, r.GameType == nil, r.Name == nil,
		r.Map == nil || r.Map.Name == nil, r.Version == nil, r.Clients == nil:
		return Info{}, fmt.Errorf("%w: something is missing", ErrJSON)
	case len(r.Clients) > MaxListed:
		return Info{}, fmt.Errorf("%w: %d clients", ErrJSON, len(r.Clients))
	}
	i := Info{
		Version: clean(*r.Version), Name: clean(*r.Name), Map: clean(*r.Map.Name), MapSize: r.Map.Size, GameType: clean(*r.GameType),
		Password: *r.Passworded, NumClients: len(r.Clients), MaxPlayers: *r.MaxPlayers, MaxClients: *r.MaxClients,
	}
	if crc, err := strconv.ParseUint(r.Map.CRC, 16, 32); err == nil {
		i.MapCRC = uint32(crc)
	}
	if len(r.Map.SHA256) == 2*len(i.MapSHA256) {
		if _, err := hex.Decode(i.MapSHA256[:], []byte(strings.ToLower(r.Map.SHA256))); err != nil {
			i.MapSHA256 = [32]byte{}
		}
	}
	// Servers that do not say it write times as 0.6 has them.
	old := r.ScoreKind == ""
	i.TimeScore = r.ScoreKind == "time" || old && timed(i.GameType)
	for n, c := range r.Clients {
		if c.Name == nil || c.Clan == nil || c.Country == nil || c.Score == nil || c.IsPlayer == nil {
			return Info{}, fmt.Errorf("%w: client %d lacks something", ErrJSON, n)
		}
		client := Client{Name: clean(*c.Name), Clan: clean(*c.Clan), Country: *c.Country, Score: *c.Score, Spectator: !*c.IsPlayer, AFK: c.AFK != nil && *c.AFK}
		switch {
		case old:
			client.Score = i.fromScore6(client.Score)
		case i.TimeScore && client.Score == noTime6:
			client.Score = NoTime
		}
		if *c.IsPlayer {
			i.NumPlayers++
		}
		i.Clients = append(i.Clients, client)
	}
	if i.MaxClients > 1<<20 || i.MaxPlayers > i.MaxClients || i.NumPlayers > i.MaxPlayers || i.NumClients > i.MaxClients {
		return Info{}, fmt.Errorf("%w: %d of %d play, %d of %d are there", ErrJSON, i.NumPlayers, i.MaxPlayers, i.NumClients, i.MaxClients)
	}
	i.MaxPlayers, i.MaxClients = min(i.MaxPlayers, MaxListed), min(i.MaxClients, MaxListed)
	return i, nil
}
