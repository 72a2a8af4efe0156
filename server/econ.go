package server

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/econ"
	"github.com/teeyard/teeyard/server/later"
	"github.com/teeyard/teeyard/server/logline"
)

// econHost is the server behind its external console. It implements econ.Host.
type econHost struct {
	*Server
	console *econ.Console            // nil if there is none
	client  int                      // whose line is running, -1 if none's
	refusal [econ.MaxClients]*string // what the console warned of in the last line of each client
	opening later.Job[econListeners]
	retryAt conn.Time // when it is tried again to open it, 0 for not
	giveUp  conn.Time // when no longer
}

// econListeners is what came of an attempt to open the external console.
type econListeners struct {
	all []econ.Listener
	err error
}

// The connections of teeworlds-server keep its port for a minute after it has ended: Linux
// shares a port with old connections only if these had SO_REUSEADDR, too.
const (
	econRetryInterval = 5 * time.Second
	econRetryTime     = 2 * time.Minute
)

// openEcon opens the external console if the settings want one. A server without it is better
// than none, so what keeps it from opening is printed.
func (s *Server) openEcon() {
	s.econ = econHost{Server: s, client: -1}
	v := &s.settings
	if v.EconPort == 0 {
		return
	}
	if v.EconPassword == "" {
		s.print(console.Warning, "econ", "ec_port has no effect without ec_password")
		return
	}
	if err := s.startEcon(listenEcon(v)); err != nil {
		s.print(console.Warning, "econ", fmt.Sprintf("couldn't open socket. port might already be in use: %v; the server keeps trying for %v", err, econRetryTime))
		s.retryEcon()
	}
}

// listenEcon opens the port of the external console.
func listenEcon(v *console.Settings) (l econListeners) {
	l.all, l.err = econ.Listen(context.Background(), strings.Trim(v.EconBindAddr, "[]"), v.EconPort)
	return l
}

// startEcon starts the external console, if its port could be opened.
func (s *Server) startEcon(l econListeners) error {
	if l.err != nil {
		return l.err
	}
	s.econ.console = econ.New(&s.econ, l.all...)
	for _, l := range l.all {
		s.print(console.Standard, "econ", fmt.Sprintf("bound to %s", l.Addr()))
	}
	return nil
}

// retryEcon tries again for some time to open the external console, if it is not open and is to be.
func (s *Server) retryEcon() {
	if v := &s.settings; s.econ.console == nil && v.EconPort != 0 && v.EconPassword != "" {
		s.econ.retryAt = conn.Time(s.transport.Now()).Add(econRetryInterval)
		s.econ.giveUp = s.econ.retryAt.Add(econRetryTime)
	}
}

// updateEcon opens the external console when that is tried again.
func (s *Server) updateEcon(now conn.Time) {
	e := &s.econ
	if l, ok := e.opening.Take(); ok {
		switch err := s.startEcon(l); {
		case err == nil:
			e.retryAt = 0
		case now >= e.giveUp:
			e.retryAt = 0
			s.print(console.Warning, "econ", fmt.Sprintf("couldn't open socket: %v; send SIGHUP to try again", err))
		default:
			e.retryAt = now.Add(econRetryInterval)
		}
	} else if e.retryAt != 0 && now >= e.retryAt && !e.opening.Running() {
		v := s.settings
		e.opening.Start(s.cfg.Background, func() econListeners { return listenEcon(&v) })
	}
}

// closeEcon closes the external console.
func (s *Server) closeEcon() {
	s.econ.opening.Then(func(opened econListeners) {
		for _, l := range opened.all {
			l.Close()
		}
	})
	s.econ.console.Close()
}

// printEcon sends a line to the clients of the external console.
func (s *Server) printEcon(level int, system, line string) {
	if level > s.settings.EconOutputLevel || !s.econ.console.HasReaders() {
		return
	}
	now := time.Now()
	out := s.dialect.AppendShort(nil, now, slogLevel(level), system, line)
	for s.dialect == logline.JSON && len(out) > econ.MaxLine { // cut, it would be no JSON
		excess := (len(out) - econ.MaxLine + 5) / 6 // a byte may have become six
		line = safetext.Truncate(line, max(0, len(line)-excess))
		out = s.dialect.AppendShort(out[:0], now, slogLevel(level), system, line)
	}
	s.econ.console.Print(string(out))
}

// cmdEconLogout is the command logout of the external console.
func (s *Server) cmdEconLogout(*console.Call) {
	if s.econ.console != nil && s.econ.client >= 0 {
		s.econ.console.Logout(s.econ.client)
	}
}

// Password implements econ.Host.
func (h *econHost) Password() string { return h.settings.EconPassword }

// LoginTime implements econ.Host.
func (h *econHost) LoginTime() time.Duration {
	return time.Duration(h.settings.EconAuthTimeout) * time.Second
}

// Wake implements econ.Host.
func (h *econHost) Wake() { h.transport.Wake() }

// Log implements econ.Host.
func (h *econHost) Log(e econ.Event, client int, loggedIn bool, line string) {
	level := console.Info
	switch {
	case e == econ.LoggedIn:
		level = console.Standard
		h.audit(h.econEntry("login", client, ""))
	case e == econ.Dropped && loggedIn:
		h.audit(h.econEntry("logout", client, ""))
	case e == econ.WrongPassword:
		who := h.econEntry("", client, "")
		who.Level = ""
		h.noteWrongPassword(who, "")
		return // the original logs no line
	}
	if loggedIn || h.access.Arrivals.MayLog(h.now) {
		h.print(level, "econ", line)
	}
}

// Run implements econ.Host. The caller is the operator, as in the original.
func (h *econHost) Run(client int, line string) {
	if mark := strings.TrimPrefix(line, "echo "); isEndMark(mark) {
		refusal := h.refusal[client]
		h.refusal[client] = nil
		h.lines.whenAnswered(func() {
			if refusal != nil && *refusal != "" {
				h.console.Send(client, refusalNote(*refusal))
			}
			h.console.Send(client, string(h.dialect.AppendShort(nil, time.Now(), slogLevel(console.Standard), "Console", mark)))
		})
		return
	}
	h.client = client
	h.print(console.Info, "server", fmt.Sprintf("cid=%d cmd=%s", client, logline.Quote(h.Server.console.Redact(line))))
	var done func(string)
	h.refusal[client], done = newRefusal()
	h.run(h.econEntry("command", client, line), console.Operator, done)
	h.client = -1
}

// Skipped implements econ.Host.
func (h *econHost) Skipped(client int, why string) {
	h.refusal[client] = &why
	h.print(console.Info, "server", fmt.Sprintf("cid=%d: %s", client, why))
}

// Refuse implements econ.Host.
func (h *econHost) Refuse(a netip.Addr) (text string, refused bool) {
	b, banned := h.access.Bans.Find(a)
	if !banned {
		return "", false
	}
	h.countDrop(dropBanned)
	if h.access.Bans.MayAnswer(&b) {
		text = h.access.Bans.Message(&b)
	}
	return text, true
}

// TooManyTries implements econ.Host. The ban is one for now: strangers cause it.
func (h *econHost) TooManyTries(a netip.Addr, reason string) {
	if h.settings.EconBanTime == 0 {
		return
	}
	duration := time.Duration(h.settings.EconBanTime) * time.Minute
	if _, err := h.access.Bans.AddForNow(a, duration, reason); err != nil && h.access.Arrivals.MayLog(h.now) {
		h.print(console.Standard, "net_ban", err.Error())
	}
}
