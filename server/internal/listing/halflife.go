package listing

import (
	"net/netip"
	"runtime"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/transport"
)

// HalfLife is the server's side of the Half-Life protocol, for trackers, panels and remote
// consoles. It implements halflife.Game and halflife.Console.
type HalfLife struct {
	l         *Listing
	responder *halflife.Server // nil before open
	answered  int              // requests, with those that get their answer later
	info      query.Info
	seats     []Seat // of the clients in info
	masters   halfLifeMasters
}

// open creates the responder.
func (h *HalfLife) open() (err error) {
	l := h.l
	h.responder, err = halflife.NewServer(halflife.ServerConfig{
		Game: h, Console: h, Send: h.send, Bans: l.access.Bans.Store,
		IsPlayer: l.host.IsPlayer, OwnAddrs: []transport.Peer{l.transport.LocalAddr()}, OnRcon: h.onRcon,
	})
	return err
}

func (h *HalfLife) send(to transport.Peer, b []byte) {
	h.answered++
	h.l.transport.Send(to, b)
}

// feed handles a datagram of the protocol. taken is false if it is neither from a master nor a
// request.
func (h *HalfLife) feed(now conn.Time, peer transport.Peer, b []byte) (taken, answered bool) {
	if r := h.masters.registrar; r != nil && r.Feed(int64(now), peer, b) {
		return true, true
	}
	if h.l.Settings.HalfLife == 0 || wire.ParseRequest(b).Kind == wire.RequestNone {
		return false, false
	}
	before := h.answered
	h.responder.Feed(int64(now), peer, b)
	return true, h.answered != before
}

// Info implements halflife.Game.
func (h *HalfLife) Info() wire.Info {
	l, q := h.l, &h.info
	h.seats = l.fill(q)
	bots := 0
	for i := range h.seats {
		if h.seats[i].Bot {
			bots++
		}
	}
	addr := l.transport.LocalAddr()
	i := wire.Info{
		Name: q.Name, Map: q.Map, Dir: "teeworlds", Game: "Teeworlds " + q.GameType,
		Players: q.NumClients, Max: q.MaxClients, Bots: bots, Password: q.Password,
		OS: osLetters[runtime.GOOS], Mod: &wire.Mod{URL: "https://www.teeworlds.com/", Version: 1, ClientDLL: true},
		Version: q.Version, Port: addr.Port(), Keywords: strings.ToLower(q.GameType),
	}
	external := l.Settings.ExternalPort > 0 && l.Settings.ExternalPort <= 0xffff
	if external {
		i.Port = uint16(l.Settings.ExternalPort)
	}
	// A server behind a router with another port does not know its address outside. Nor does a
	// server that listens on all addresses; halflife leaves out such an address.
	if !external || !transport.IsLAN(addr.Addr()) {
		i.Address = netip.AddrPortFrom(addr.Addr(), i.Port).String()
	}
	return i
}

// osLetters are the protocol's letters of operating systems, Linux aside.
var osLetters = map[string]byte{"windows": 'w', "darwin": 'm'}

// Players implements halflife.Game. It returns the players that Info has found just before.
func (h *HalfLife) Players(dst []wire.Player) []wire.Player {
	now := h.l.host.Now()
	for i, seat := range h.seats {
		q := &h.info.Clients[i]
		p := wire.Player{Index: int(seat.ID), Name: q.Name, Score: q.Score, Bot: q.Bot, Time: now.Sub(seat.Since)}
		if h.info.TimeScore {
			p.Score = max(p.Score, 0) // tools read it without a sign
		}
		dst = append(dst, p)
	}
	return dst
}

// publicRules are the integer variables that are rules of the protocol.
var publicRules = func() []string {
	names := []string{
		"sv_bot_skill", "sv_bots", "sv_high_bandwidth", "sv_max_clients_per_ip", "sv_skill_level", "sv_vote_kick_bantime",
		"sv_vote_spectate_rejoindelay",
	}
	for _, rule := range game.RuleSettings() {
		if rule.Name != "" {
			names = append(names, rule.Name)
		}
	}
	slices.Sort(names)
	return names
}()

// Rules implements halflife.Game.
func (h *HalfLife) Rules(dst []wire.Rule) []wire.Rule {
	c := h.l.console
	for _, name := range publicRules {
		dst = append(dst, wire.Rule{Name: name, Value: c.Value(name)})
	}
	return append(dst,
		wire.Rule{Name: "sv_gametype", Value: strings.ToLower(h.info.GameType)},
		wire.Rule{Name: "sv_hostname", Value: h.l.Settings.Hostname},
		wire.Rule{Name: "sv_map", Value: h.info.Map},
		wire.Rule{Name: "sv_maprotation", Value: c.Configured("sv_maprotation")},
	)
}
