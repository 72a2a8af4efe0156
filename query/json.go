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

// MaxJSON is the longest record in bytes that HTTP masters accept.
const MaxJSON = 32 << 10

// ErrJSON is returned for malformed records from HTTP masters. DDNet's client hides such servers
// too.
var ErrJSON = errors.New("query: bad server record")

// jsonInfo is an Info in the JSON format of HTTP masters. Required fields are pointers.
type jsonInfo struct {
	MaxClients *int         `json:"max_clients"`
	MaxPlayers *int         `json:"max_players"`
	Passworded *bool        `json:"passworded"`
	GameType   *string      `json:"game_type"`
	Name       *string      `json:"name"`
	Map        *jsonMap     `json:"map"`
	Version    *string      `json:"version"`
	ScoreKind  string       `json:"client_score_kind,omitempty"`
	Login      *bool        `json:"requires_login,omitempty"`
	Clients    []jsonClient `json:"clients"`
}

type jsonMap struct {
	Name   *string `json:"name"`
	SHA256 string  `json:"sha256,omitempty"`
	CRC    string  `json:"crc,omitempty"`
	Size   uint32  `json:"size,omitempty"`
}

type jsonClient struct {
	Name     *string `json:"name"`
	Clan     *string `json:"clan"`
	Country  *int32  `json:"country"`
	Score    *int32  `json:"score"`
	IsPlayer *bool   `json:"is_player"`
	AFK      *bool   `json:"afk,omitempty"`
}

// AppendJSON appends the record for an HTTP master. If it would exceed MaxJSON bytes, clients at
// the end of the list are left out.
func AppendJSON(dst []byte, i *Info) []byte {
	n := i.wireCounts(i.clientCount(), MaxListed)
	texts := []string{safeText(i.GameType), safeText(i.Name), safeText(i.Map), safeText(i.Version)}
	no := false
	r := jsonInfo{
		MaxClients: &n[3], MaxPlayers: &n[1], Passworded: &i.Password, GameType: &texts[0], Name: &texts[1],
		Map: &jsonMap{Name: &texts[2], Size: i.MapSize}, Version: &texts[3], ScoreKind: "points", Login: &no, Clients: []jsonClient{},
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
	for c := range min(len(i.Clients), MaxListed) {
		c := i.Clients[c]
		c.Name, c.Clan = safeText(c.Name), safeText(c.Clan)
		player := !c.Spectator
		if i.TimeScore && c.Score == NoTime {
			c.Score = noTime6
		}
		rc := jsonClient{Name: &c.Name, Clan: &c.Clan, Country: &c.Country, Score: &c.Score, IsPlayer: &player}
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
			panic(err) // values of these types never fail
		}
		if out := bytes.TrimRight(b.Bytes(), "\n"); len(out) <= MaxJSON || len(r.Clients) == 0 {
			return append(dst, out...)
		}
		r.Clients = r.Clients[:len(r.Clients)*3/4]
	}
}

// ParseJSON reads a record of an HTTP master. The error wraps ErrJSON.
func ParseJSON(b []byte) (Info, error) {
	var r jsonInfo
	if err := json.Unmarshal(b, &r); err != nil {
		return Info{}, fmt.Errorf("%w: %w", ErrJSON, err)
	}
	switch {
	case r.MaxClients == nil, r.MaxPlayers == nil, r.Passworded == nil, r.GameType == nil, r.Name == nil,
		r.Map == nil || r.Map.Name == nil, r.Version == nil, r.Clients == nil:
		return Info{}, fmt.Errorf("%w: a required field is missing", ErrJSON)
	case len(r.Clients) > MaxListed:
		return Info{}, fmt.Errorf("%w: %d clients", ErrJSON, len(r.Clients))
	}
	i := Info{
		Version: safeText(*r.Version), Name: safeText(*r.Name), Map: safeText(*r.Map.Name), MapSize: r.Map.Size, GameType: safeText(*r.GameType),
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
	// Servers that do not set client_score_kind write times as in 0.6.
	old := r.ScoreKind == ""
	i.TimeScore = r.ScoreKind == "time" || old && isTimeMode(i.GameType)
	for n, c := range r.Clients {
		if c.Name == nil || c.Clan == nil || c.Country == nil || c.Score == nil || c.IsPlayer == nil {
			return Info{}, fmt.Errorf("%w: client %d: a required field is missing", ErrJSON, n)
		}
		client := Client{
			Name: safeText(*c.Name), Clan: safeText(*c.Clan), Country: *c.Country, Score: *c.Score,
			Spectator: !*c.IsPlayer, AFK: c.AFK != nil && *c.AFK,
		}
		switch {
		case old:
			client.Score = i.scoreFrom6(client.Score)
		case i.TimeScore && client.Score == noTime6:
			client.Score = NoTime
		}
		if *c.IsPlayer {
			i.NumPlayers++
		}
		i.Clients = append(i.Clients, client)
	}
	if i.MaxClients > 1<<20 || i.MaxPlayers > i.MaxClients || i.NumPlayers > i.MaxPlayers || i.NumClients > i.MaxClients {
		return Info{}, fmt.Errorf("%w: inconsistent counts: %d of %d players, %d of %d clients", ErrJSON,
			i.NumPlayers, i.MaxPlayers, i.NumClients, i.MaxClients)
	}
	i.MaxPlayers, i.MaxClients = min(i.MaxPlayers, MaxListed), min(i.MaxClients, MaxListed)
	return i, nil
}
