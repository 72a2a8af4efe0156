package econ

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/logs"
	"github.com/teeyard/teeyard/server/logline"
)

// Print sends a line of the log to all clients that are logged in.
func (c *Console) Print(level int, system, line string) {
	if level > c.Settings.OutputLevel || !c.HasReaders() {
		return
	}
	now, dialect := time.Now(), c.cfg.Logs.Dialect()
	out := dialect.AppendShort(nil, now, logs.Level(level), system, line)
	for dialect == logline.JSON && len(out) > MaxLine { // cut, it would be no JSON
		excess := (len(out) - MaxLine + 5) / 6 // a byte may have become six
		line = safetext.Truncate(line, max(0, len(line)-excess))
		out = dialect.AppendShort(out[:0], now, logs.Level(level), system, line)
	}
	for _, cl := range c.clients {
		if cl != nil && cl.authed {
			cl.send(string(out))
		}
	}
}

// run runs a line of an operator.
func (c *Console) run(cl *client, line string) {
	if mark := strings.TrimPrefix(line, "echo "); console.IsEndMark(mark) {
		c.answerEndMark(cl, mark)
		return
	}
	c.host.Print(console.Info, "server", fmt.Sprintf("cid=%d cmd=%s", cl.id, logline.Quote(c.language.Redact(line))))
	warning := new(string)
	cl.warning = warning
	c.caller = cl
	c.host.Run(cl.entry("command", line), func(first string) { *warning = first })
	c.caller = nil
}

// answerEndMark repeats an end mark when the world has answered all lines.
func (c *Console) answerEndMark(cl *client, mark string) {
	warning := cl.warning
	cl.warning = nil
	c.host.WhenAnswered(func() {
		if c.clients[cl.id] != cl || !cl.authed {
			return
		}
		if warning != nil && *warning != "" {
			cl.send(console.RefusalNote(*warning))
		}
		cl.send(string(c.cfg.Logs.Dialect().AppendShort(nil, time.Now(), logs.Level(console.Standard), "Console", mark)))
	})
}

// skip logs that a line of an operator does not run.
func (c *Console) skip(cl *client, why string) {
	cl.warning = &why
	c.host.Print(console.Info, "server", fmt.Sprintf("cid=%d: %s", cl.id, why))
}

// log logs an event of a client. The log has only room for some lines about strangers.
func (c *Console) log(level int, loggedIn bool, line string) {
	if loggedIn || c.host.MayLog() {
		c.host.Print(level, "econ", line)
	}
}

// ban bans an address after too many wrong passwords, if ec_bantime is set.
func (c *Console) ban(a netip.Addr, reason string) {
	if c.Settings.BanTime == 0 {
		return
	}
	err := c.host.Ban(a, time.Duration(c.Settings.BanTime)*time.Minute, reason)
	if err != nil && c.host.MayLog() {
		c.host.Print(console.Standard, "net_ban", err.Error())
	}
}

// entry returns an entry of the audit log about the client.
func (cl *client) entry(event, command string) logs.Entry {
	id := cl.id
	e := logs.Entry{Event: event, Via: "econ", Level: console.LevelAdmin.String(), Client: &id, Command: command}
	if cl.addr.IsValid() {
		e.Addr = cl.addr.String()
	}
	return e
}
