package listing

import (
	"net/netip"
	"slices"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/query"
)

// GameVersion is the release that the server behaves like.
const GameVersion = "0.7.5"

// vanillaSlots is the number of player slots of an original server.
const vanillaSlots = 16

// browsers holds the replies to server browsers. They are made at most once a tick, because any
// program may ask.
type browsers struct {
	world  *game.World
	tick   int32
	info   query.Info
	full   query.ReplyEncoder
	short  query.ReplyEncoder // without the list of players
	budget *query.Budget      // for addresses that may be forged
}

// update makes the replies anew if a tick has passed.
func (l *Listing) update() {
	b, w := &l.browsers, l.host.Match().World
	if b.world == w && b.tick == w.Tick() {
		return
	}
	b.world, b.tick = w, w.Tick()
	l.FillInfo(&b.info)
	b.full.SetInfo(&b.info)
	b.short.SetInfo(&b.info)
}

// Reply returns the reply to a server browser whose address is proven.
func (l *Listing) Reply() *query.ReplyEncoder {
	l.update()
	return &l.browsers.full
}

// UnprovenReply returns the reply to a server browser in a format. The address may be forged and
// the reply is longer than the request, so a budget limits the bytes. Beyond it, the reply has no
// list of players, and then it is nil.
func (l *Listing) UnprovenReply(now conn.Time, to netip.Addr, f query.Format) *query.ReplyEncoder {
	l.update()
	b := &l.browsers
	switch b.budget.Spend(int64(now), to, b.full.MaxSize(f), b.short.MaxSize(f)) {
	case query.SizeFull:
		return &b.full
	case query.SizeShort:
		return &b.short
	}
	return nil
}

// isProven reports whether an address has been proven recently, or belongs to a player.
func (l *Listing) isProven(now int64, a netip.Addr) bool {
	return l.access.Arrivals.IsProven(conn.Time(now), a) || l.host.IsPlayer(a)
}

// listed returns the seats that are shown: all but kept ones with newcomers in their places, who
// may still take them back. They are valid until the next call.
func (l *Listing) listed(m *Match) []Seat {
	l.seats = l.host.AppendSeats(l.seats[:0])
	excess := -int(m.Rules.MaxClients)
	for i := range l.seats {
		if !l.seats[i].Bot {
			excess++
		}
	}
	l.seats = slices.DeleteFunc(l.seats, func(s Seat) bool {
		if s.Held && excess > 0 {
			excess--
			return true
		}
		return false
	})
	return l.seats
}

// ServerInfo returns the description of the server for its clients.
func (l *Listing) ServerInfo() bridge.ServerInfo {
	m := l.host.Match()
	i := l.serverInfo(&m, l.listed(&m))
	i.GameType = l.GameType()
	return i
}

// serverInfo is ServerInfo for seats that are shown, with the name of the mode as game type.
func (l *Listing) serverInfo(m *Match, seats []Seat) bridge.ServerInfo {
	players := 0
	for i := range seats {
		if p, seated := m.World.Player(seats[i].ID); seats[i].Bot || seated && p.Team != game.TeamSpectators {
			players++
		}
	}
	return bridge.ServerInfo{
		TimeScore: m.World.GameFlags()&game.GameFlagRace != 0,
		Version:   GameVersion, Name: l.Settings.Name, Hostname: l.Settings.Hostname,
		Map: m.Map.Name, GameType: m.World.ModeName(),
		NeedsPassword: l.needsPassword(), SkillLevel: int32(l.Settings.SkillLevel),
		Players: int32(players), PlayerSlots: m.Rules.PlayerSlots,
		Clients: int32(len(seats)), MaxClients: int32(max(len(seats), int(m.Rules.MaxClients))),
	}
}

func (l *Listing) needsPassword() bool { return l.access.Settings.Password != "" }

// GameType returns the game type for clients. They discard the info of a server that has an
// original mode and more slots than the original, so such a server gives its mode another name.
func (l *Listing) GameType() string {
	m := l.host.Match()
	if m.Rules.PlayerSlots > vanillaSlots && m.World.GameFlags()&game.GameFlagRace == 0 {
		return m.World.ModeName() + "+"
	}
	return m.World.ModeName()
}

// FillInfo fills q with the description of the server for server browsers. It reuses the list of
// clients in q.
func (l *Listing) FillInfo(q *query.Info) { l.fill(q) }

// fill is FillInfo. It returns the seats of the clients in q. They are valid until the next call.
func (l *Listing) fill(q *query.Info) []Seat {
	m := l.host.Match()
	seats := l.listed(&m)
	i := l.serverInfo(&m, seats)
	*q = query.Info{
		Version: i.Version, Name: i.Name, Hostname: i.Hostname,
		Map: i.Map, MapCRC: m.Map.CRC, MapSize: uint32(len(m.Map.File)), MapSHA256: m.Map.SHA256,
		GameType: i.GameType, TimeScore: i.TimeScore, Password: i.NeedsPassword, SkillLevel: int(i.SkillLevel),
		NumPlayers: int(i.Players), MaxPlayers: int(i.PlayerSlots), NumClients: int(i.Clients), MaxClients: int(i.MaxClients),
		Clients: q.Clients[:0],
	}
	for _, seat := range seats {
		p, seated := m.World.Player(seat.ID)
		about := query.Client{
			Name: p.Profile.Name, Clan: p.Profile.Clan, Country: p.Profile.Country, Score: p.Score,
			Spectator: p.Team == game.TeamSpectators || !seated, Bot: seat.Bot,
		}
		if i.TimeScore {
			about.Score = timeScore(p.Score)
		}
		if !seat.Bot && !seat.InGame {
			about.Name, about.Clan, about.Country = "(connecting)", "", -1
		}
		q.Clients = append(q.Clients, about)
	}
	return seats
}

// timeScore returns the score of a race for server browsers.
func timeScore(ms int32) int32 {
	if ms == game.NoRaceTime {
		return query.NoTime
	}
	return ms / 1000
}
