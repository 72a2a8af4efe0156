package server

import (
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/query"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/later"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// halfLife is the server's side of the Half-Life protocol, for trackers, panels and remote
// consoles. It implements halflife.Game and halflife.Console.
type halfLife struct {
	server    *Server
	responder *halflife.Server
	answered  int // requests, with those whose answer comes later
	info      query.Info

	registrar     *halflife.Registrar // nil without masters
	registered    int
	announced     string    // announcedState when masters were told last
	nextUpdate    conn.Time // when update does something again
	masterSetting string    // the value of sv_hl_master that was resolved
	masters       []transport.Peer
	lookup        later.Job[masterLookup]
	nextLookup    conn.Time // while a master is missing, 0 for never
	cancelLookup  context.CancelFunc
}

// open creates the responder.
func (h *halfLife) open(s *Server) (err error) {
	h.server = s
	h.responder, err = halflife.NewServer(halflife.ServerConfig{
		Game: h, Console: h, Send: h.send, Bans: s.access.Bans.Store,
		IsPlayer: h.isPlayerAddr, OwnAddrs: []transport.Peer{s.Addr()}, OnRcon: h.onRcon,
	})
	return err
}

func (h *halfLife) send(to transport.Peer, b []byte) {
	h.answered++
	h.server.transport.Send(to, b)
}

// handle handles a datagram of the protocol. It returns false if it is for nobody.
func (h *halfLife) handle(now conn.Time, peer transport.Peer, b []byte) bool {
	if h.registrar != nil && h.registrar.Feed(int64(now), peer, b) {
		return true
	}
	if h.server.settings.HalfLife == 0 || wire.ParseRequest(b).Kind == wire.RequestNone {
		return false
	}
	before := h.answered
	h.responder.Feed(int64(now), peer, b)
	if h.answered == before {
		h.server.countDrop(dropHalfLife)
	}
	return true
}

// isPlayerAddr reports whether a player has proven to be at an address.
func (h *halfLife) isPlayerAddr(a netip.Addr) bool {
	for _, c := range h.server.sessions {
		if c != nil && c.addrProven && c.peer.Addr() == a {
			return true
		}
	}
	return false
}

// Info implements halflife.Game.
func (h *halfLife) Info() wire.Info {
	s, q := h.server, &h.info
	s.fillQueryInfo(q)
	i := wire.Info{
		Name: q.Name, Map: q.Map, Dir: "teeworlds", Game: "Teeworlds " + q.GameType,
		Players: q.NumClients, Max: q.MaxClients, Bots: s.bots.count(), Password: q.Password,
		OS: osLetters[runtime.GOOS], Mod: &wire.Mod{URL: "https://www.teeworlds.com/", Version: 1, ClientDLL: true},
		Version: q.Version, Port: s.Addr().Port(), Keywords: strings.ToLower(q.GameType),
	}
	external := s.settings.ExternalPort > 0 && s.settings.ExternalPort <= 0xffff
	if external {
		i.Port = uint16(s.settings.ExternalPort)
	}
	// A server behind a router that has another port does not know which address to tell. Nor does
	// one that listens on all addresses, which halflife leaves out.
	if addr := s.Addr(); !external || !transport.IsLAN(addr.Addr()) {
		i.Address = netip.AddrPortFrom(addr.Addr(), i.Port).String()
	}
	return i
}

// osLetters are the protocol's letters of operating systems, Linux aside.
var osLetters = map[string]byte{"windows": 'w', "darwin": 'm'}

// Players implements halflife.Game. It returns the players whom Info, which is called
// before it, has found.
func (h *halfLife) Players(dst []wire.Player) []wire.Player {
	s, n := h.server, 0
	now, listed := s.now, s.listedSeats()
	for id, c := range s.sessions {
		pid := game.PlayerID(id)
		if !listed.Has(pid) && !s.bots.has(pid) || n >= len(h.info.Clients) {
			continue
		}
		q := &h.info.Clients[n]
		n++
		p := wire.Player{Index: id, Name: q.Name, Score: q.Score, Bot: q.Bot}
		if h.info.TimeScore {
			p.Score = max(p.Score, 0) // tools read it without a sign
		}
		if c != nil {
			p.Time = now.Sub(c.connectedAt)
		} else {
			p.Time = now.Sub(s.bots.seatedAt[id])
		}
		dst = append(dst, p)
	}
	return dst
}

// halfLifeRules are the integer variables that are rules of the protocol.
var halfLifeRules = func() []string {
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
func (h *halfLife) Rules(dst []wire.Rule) []wire.Rule {
	for _, name := range halfLifeRules {
		dst = append(dst, wire.Rule{Name: name, Value: h.server.console.Value(name)})
	}
	v := &h.server.settings
	return append(dst,
		wire.Rule{Name: "sv_gametype", Value: strings.ToLower(h.info.GameType)},
		wire.Rule{Name: "sv_hostname", Value: v.Hostname},
		wire.Rule{Name: "sv_map", Value: h.info.Map},
		wire.Rule{Name: "sv_maprotation", Value: v.MapRotation},
	)
}

// RunRcon implements halflife.Console. The caller has the same access as a player with the
// same password, and the line is logged as theirs are.
func (h *halfLife) RunRcon(peer transport.Peer, level int, line string, print func(text string), done func()) {
	h.answered++
	h.server.RunFor(&Operator{Level: console.Level(level), Via: "halflife", Addr: peer.AddrPort}, line, print, func(warning string) {
		if warning != "" {
			print(refusalNote(warning))
		}
		done()
	})
}

// onRcon logs requests for the remote console that are refused, as far as there is room.
func (h *halfLife) onRcon(e halflife.RconEvent) {
	if e.Result == halflife.RconRan {
		return // logged by RunRcon
	}
	if !h.server.access.Arrivals.MayLog(h.server.now) {
		return
	}
	text := fmt.Sprintf("rcon of %s: %s", e.Peer, e.Result)
	if e.Count > 1 {
		text += fmt.Sprintf(" (%s)", words.Count(e.Count, "time"))
	}
	h.server.print(console.Warning, "server", text)
	if e.Result != halflife.RconNotAllowed {
		h.server.audit(auditEntry{Event: "login_failed", Via: "halflife", Addr: e.Peer.String()})
	}
}

// checkSetting refuses values of settings that make no sense.
func (h *halfLife) checkSetting(call *console.Call) {
	value := h.server.console.Value(call.Name)
	_, err := parseNetworks(value)
	if call.Name == "sv_hl_legacy_queries" {
		_, err = halflife.ParseLegacyPolicy(value)
	}
	if err != nil {
		call.Refuse("server", "%s: %v", call.Name, err)
	}
}

// configure applies the settings. Values that make no sense are printed and turn off what
// they are about.
func (h *halfLife) configure(who console.Caller) {
	s := h.server
	v := &s.settings
	printError := func(name string, err error) {
		s.printFor(who, console.Warning, "server", fmt.Sprintf("%s: %v", name, err))
	}
	var set halflife.Settings
	var err error
	if set.Legacy, err = halflife.ParseLegacyPolicy(v.HalfLifeLegacy); err != nil {
		printError("sv_hl_legacy_queries", err)
		set.Legacy = halflife.LegacyOff
	}
	r := &set.Rcon
	usable := v.HalfLifeRcon != 0
	if r.AllowedNets, err = parseNetworks(v.HalfLifeRconAllow); err != nil {
		printError("sv_hl_rcon_allow", err)
		usable = false // an empty list would allow everybody
	}
	if r.UnbannableNets, err = parseNetworks(v.HalfLifeRconExempt); err != nil {
		printError("sv_hl_rcon_exempt", err)
	}
	if r.MaxFailures = v.HalfLifeRconFailures; r.MaxFailures == 0 {
		r.MaxFailures = -1
	}
	if r.BanTime = time.Duration(v.HalfLifeRconBanTime) * time.Minute; r.BanTime == 0 {
		r.BanTime = -1
	}
	for _, p := range s.access.Logins.LevelPasswords() {
		if p.Password == "" || !usable {
			continue
		}
		if err := wire.CheckPassword(p.Password); err != nil {
			printError(p.Variable+" does not open the remote console of sv_hl_rcon", err)
			continue
		}
		r.Passwords = append(r.Passwords, halflife.RconPassword{Password: p.Password, Level: int(p.Level)})
	}
	if err := h.responder.SetSettings(set); err != nil {
		printError("sv_hl", err)
	}
}

// parseNetworks parses networks and addresses separated by commas.
func parseNetworks(list string) (nets []netip.Prefix, err error) {
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		net, err := netip.ParsePrefix(word)
		if err != nil {
			a, err := netip.ParseAddr(word)
			if err != nil {
				return nil, fmt.Errorf("%q is not a network", word)
			}
			net = netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen())
		}
		nets = append(nets, net.Masked())
	}
	return nets, nil
}

// lookupRetry is the time until masters are looked up again if one was not found.
const lookupRetry = time.Minute

// update does what is due about masters, without waiting for anything.
func (h *halfLife) update(now conn.Time) {
	if now < h.nextUpdate {
		return
	}
	h.nextUpdate = now.Add(time.Second)
	if wanted := h.server.settings.HalfLifeMaster; wanted != h.masterSetting {
		h.masterSetting = wanted
		h.unregister()
		h.resolveMasters()
	}
	if l, done := h.lookup.Take(); done {
		if h.registerAt(l); l.missing != nil {
			h.nextLookup = now.Add(lookupRetry)
		}
	}
	if h.nextLookup != 0 && now >= h.nextLookup {
		h.resolveMasters()
	}
	if h.registrar == nil {
		return
	}
	if said := h.announcedState(); said != h.announced {
		h.announced = said
		h.registrar.InfoChanged(int64(now))
	}
	h.registrar.Advance(int64(now))
	if n := h.registrar.NumRegistered(); n != h.registered {
		h.registered = n
		h.server.print(console.Standard, "register", fmt.Sprintf("on the lists of %s", words.Count(n, "Half-Life master")))
	}
}

// announcedState returns what masters are told at once when it changes.
func (h *halfLife) announcedState() string {
	return fmt.Sprint(h.server.gameMap.Name, "\x00", h.server.rules.MaxClients, "\x00", h.server.access.Settings.Password != "")
}

func (h *halfLife) heartbeat() wire.Heartbeat {
	return wire.Heartbeat{Info: h.Info(), Region: wire.RegionAll}
}

// resolveMasters begins to look up the addresses of the masters.
func (h *halfLife) resolveMasters() {
	h.nextLookup = 0
	list := h.masterSetting
	if strings.Trim(list, ", ") == "" {
		return
	}
	var ctx context.Context
	ctx, h.cancelLookup = context.WithCancel(context.Background())
	h.lookup.Start(later.Go, func() (l masterLookup) {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name == "" {
				continue
			}
			m, err := udp.Resolve(ctx, name, halflife.DefaultMasterPort)
			if err != nil {
				l.missing = err
				continue
			}
			l.masters = append(l.masters, m)
		}
		return l
	})
}

// masterLookup is the addresses of masters, and an error if one has none.
type masterLookup struct {
	masters []transport.Peer
	missing error
}

// registerAt registers at the masters that were found.
func (h *halfLife) registerAt(l masterLookup) {
	if l.missing != nil {
		h.server.print(console.Warning, "register", fmt.Sprintf("sv_hl_master: %v", l.missing))
	}
	if slices.Equal(l.masters, h.masters) {
		return
	}
	h.masters = l.masters
	h.registrar = halflife.NewRegistrar(halflife.RegistrarConfig{Masters: l.masters, Heartbeat: h.heartbeat, Send: h.server.transport.Send})
}

// unregister ends the registration at all masters.
func (h *halfLife) unregister() {
	if h.cancelLookup != nil {
		h.cancelLookup()
		h.cancelLookup, h.lookup, h.nextLookup = nil, later.Job[masterLookup]{}, 0
	}
	if h.registrar != nil {
		h.registrar.Close()
		h.registrar, h.masters, h.registered = nil, nil, 0
	}
}

// The commands that operators of Half-Life servers know.

func (s *Server) cmdAddIP(call *console.Call) {
	net, err := halflife.ParseNet(call.Arg(1))
	if err == nil && !s.access.Bans.MayBan(call, &bans.Ban{Net: net}) {
		return
	}
	b, err := halflife.AddIP(s.access.Bans.Store, call.Arg(0), call.Arg(1))
	if err != nil {
		call.Warn("net_ban", "%v", err)
		return
	}
	s.access.Bans.Apply(call.Caller, b)
	s.access.Bans.ReportUnstored(call)
}

func (s *Server) cmdRemoveIP(call *console.Call) {
	s.printLines(call, halflife.RemoveIP(s.access.Bans.Store, call.Arg(0), len(call.Args) > 1))
	s.access.Bans.ReportUnstored(call)
}

func (s *Server) cmdListIP(call *console.Call) {
	s.printLines(call, halflife.ListIP(s.access.Bans.Store, call.Arg(0)))
}

// banFile is the file that writeip writes, with its name on Half-Life servers.
const banFile = "listip.cfg"

func (s *Server) cmdWriteIP(call *console.Call) {
	if err := s.writeFile(banFile, halflife.WriteIP(s.access.Bans.Store)); err != nil {
		call.Warn("net_ban", "writeip: %v", err)
		return
	}
	call.Print("net_ban", "written: %s", banFile)
}

func (s *Server) printLines(call *console.Call, text string) {
	for line := range strings.Lines(text) {
		call.Print("net_ban", "%s", strings.TrimRight(line, "\n"))
	}
}
