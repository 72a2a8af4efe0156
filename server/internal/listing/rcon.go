package listing

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/transport"
)

// RunRcon implements halflife.Console. The caller has the same access as a player with the same
// password, and the log has the line as it has theirs.
func (h *HalfLife) RunRcon(peer transport.Peer, level int, line string, print func(text string), done func()) {
	h.answered++
	h.l.host.RunRcon(peer, level, line, print, done)
}

// onRcon logs refused requests for the remote console, as far as there is room.
func (h *HalfLife) onRcon(e halflife.RconEvent) {
	if e.Result == halflife.RconRan {
		return // RunRcon logs it
	}
	l := h.l
	if !l.access.Arrivals.MayLog(l.host.Now()) {
		return
	}
	text := fmt.Sprintf("rcon of %s: %s", e.Peer, e.Result)
	if e.Count > 1 {
		text += fmt.Sprintf(" (%s)", words.Count(e.Count, "time"))
	}
	l.print(console.Warning, "server", text)
	if e.Result != halflife.RconNotAllowed {
		l.host.LoginFailed(e.Peer)
	}
}

// checkSetting refuses invalid values of a setting while the server runs.
func (h *HalfLife) checkSetting(call *console.Call) {
	if h.responder == nil {
		return
	}
	value := h.l.console.Value(call.Name)
	_, err := parseNetworks(value)
	if call.Name == "sv_hl_legacy_queries" {
		_, err = halflife.ParseLegacyPolicy(value)
	}
	if err != nil {
		call.Refuse("server", "%s: %v", call.Name, err)
	}
}

// configure applies the settings. It prints invalid values, and turns off the service that they
// configure. Before the server runs, it does nothing.
func (h *HalfLife) configure(who console.Caller) {
	if h.responder == nil {
		return
	}
	v := &h.l.Settings
	printError := func(name string, err error) {
		h.l.host.Print(who, console.Warning, "server", fmt.Sprintf("%s: %v", name, err))
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
		usable = false // an empty list would allow all
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
	for _, p := range h.l.access.Logins.LevelPasswords() {
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
