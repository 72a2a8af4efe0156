package listing

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/halflife"
	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// halfLifeMasters registers the server at the masters of sv_hl_master.
type halfLifeMasters struct {
	l            *Listing
	setting      string // the value of sv_hl_master whose addresses are known
	lookup       later.Job[masterLookup]
	cancelLookup context.CancelFunc
	nextLookup   conn.Time // while a master is missing, 0 for never
	peers        []transport.Peer
	registrar    *halflife.Registrar // nil without masters
	registered   int                 // at how many masters
	announced    string              // the last announcement for masters
	nextAdvance  conn.Time
}

// masterLookup has the addresses of masters, and an error if a name has no address.
type masterLookup struct {
	peers   []transport.Peer
	missing error
}

// lookupRetry is the time until the next lookup of masters if one was not found.
const lookupRetry = time.Minute

// advance does the work that is due for masters, without waiting.
func (m *halfLifeMasters) advance(now conn.Time) {
	if now < m.nextAdvance {
		return
	}
	m.nextAdvance = now.Add(time.Second)
	if wanted := m.l.Settings.HalfLifeMaster; wanted != m.setting {
		m.setting = wanted
		m.unregister()
		m.resolve()
	}
	if found, done := m.lookup.Take(); done {
		if m.registerAt(found); found.missing != nil {
			m.nextLookup = now.Add(lookupRetry)
		}
	}
	if m.nextLookup != 0 && now >= m.nextLookup {
		m.resolve()
	}
	if m.registrar == nil {
		return
	}
	if news := m.announcement(); news != m.announced {
		m.announced = news
		m.registrar.InfoChanged(int64(now))
	}
	m.registrar.Advance(int64(now))
	if n := m.registrar.NumRegistered(); n != m.registered {
		m.registered = n
		m.l.print(console.Standard, "register", fmt.Sprintf("on the lists of %s", words.Count(n, "Half-Life master")))
	}
}

// announcement returns the part of the info that masters get at once when it changes.
func (m *halfLifeMasters) announcement() string {
	match := m.l.host.Match()
	return fmt.Sprint(match.Map.Name, "\x00", match.Rules.MaxClients, "\x00", m.l.needsPassword())
}

func (m *halfLifeMasters) heartbeat() wire.Heartbeat {
	return wire.Heartbeat{Info: m.l.HalfLife.Info(), Region: wire.RegionAll}
}

// resolve begins to look up the addresses of the masters.
func (m *halfLifeMasters) resolve() {
	m.nextLookup = 0
	list := m.setting
	if strings.Trim(list, ", ") == "" {
		return
	}
	var ctx context.Context
	ctx, m.cancelLookup = context.WithCancel(context.Background())
	m.lookup.Start(later.Go, func() (found masterLookup) {
		for name := range strings.SplitSeq(list, ",") {
			if name = strings.TrimSpace(name); name == "" {
				continue
			}
			peer, err := udp.Resolve(ctx, name, halflife.DefaultMasterPort)
			if err != nil {
				found.missing = err
				continue
			}
			found.peers = append(found.peers, peer)
		}
		return found
	})
}

// registerAt registers the server at the masters that were found.
func (m *halfLifeMasters) registerAt(found masterLookup) {
	if found.missing != nil {
		m.l.print(console.Warning, "register", fmt.Sprintf("sv_hl_master: %v", found.missing))
	}
	if slices.Equal(found.peers, m.peers) {
		return
	}
	m.peers = found.peers
	m.registrar = halflife.NewRegistrar(halflife.RegistrarConfig{Masters: found.peers, Heartbeat: m.heartbeat, Send: m.l.transport.Send})
}

// unregister ends the registration at all masters.
func (m *halfLifeMasters) unregister() {
	if m.cancelLookup != nil {
		m.cancelLookup()
		m.cancelLookup, m.lookup, m.nextLookup = nil, later.Job[masterLookup]{}, 0
	}
	if m.registrar != nil {
		m.registrar.Close()
		m.registrar, m.peers, m.registered = nil, nil, 0
	}
}
