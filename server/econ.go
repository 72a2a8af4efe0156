package server

import (
	"net/netip"
	"time"

	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/econ"
	"github.com/teeyard/teeyard/server/internal/logs"
)

// econHost is the server behind its external console. It implements econ.Host.
type econHost struct{ s *Server }

// newEcon returns the external console of a server.
func newEcon(s *Server) *econ.Console {
	return econ.New(econ.Config{Host: econHost{s}, Logs: s.logs, Background: s.cfg.Background})
}

// Print implements econ.Host.
func (h econHost) Print(level int, system, line string) { h.s.print(level, system, line) }

// MayLog implements econ.Host.
func (h econHost) MayLog() bool { return h.s.access.Arrivals.MayLog(h.s.now) }

// Run implements econ.Host. The caller is the operator, as in the original.
func (h econHost) Run(e logs.Entry, done func(warning string)) { h.s.run(e, console.Operator, done) }

// WhenAnswered implements econ.Host.
func (h econHost) WhenAnswered(f func()) { h.s.lines.whenAnswered(f) }

// Refuse implements econ.Host.
func (h econHost) Refuse(a netip.Addr) (text string, refused bool) {
	b, banned := h.s.access.Bans.Find(a)
	if !banned {
		return "", false
	}
	h.s.countDrop(dropBanned)
	if h.s.access.Bans.MayAnswer(&b) {
		text = h.s.access.Bans.Message(&b)
	}
	return text, true
}

// Ban implements econ.Host. The ban does not wait for the disk, because strangers cause it.
func (h econHost) Ban(a netip.Addr, d time.Duration, reason string) error {
	_, err := h.s.access.Bans.AddForNow(a, d, reason)
	return err
}

// Wake implements econ.Host.
func (h econHost) Wake() { h.s.transport.Wake() }
