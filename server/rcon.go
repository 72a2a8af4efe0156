package server

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
)

// rconState is what a session has to do with the remote console.
type rconState struct {
	authed   bool
	level    console.Level
	toldNone bool     // that no password is set
	sent     string   // the last command announced
	listed   bool     // all commands were announced
	maps     []string // still to be announced
	lost     int      // lines of output for which there was no room
}

const (
	// trickleCommands is how many commands a session is told at once.
	trickleCommands = 16
	// maxRconLine is the longest line of output, in bytes.
	maxRconLine = 512
	// Output leaves this much of the connection alone, in chunks that wait for
	// acks and in bytes: a flood of lines must not cost an operator the seat.
	maxRconPending = conn.MaxUnacked / 2
	minRconRoom    = 8 << 10
)

// login takes a password, right or wrong.
func (c *session) login(password string) {
	s := c.srv
	admin, mod := s.settings.RconPassword, s.settings.RconModPassword
	switch {
	case admin == "" && mod == "":
		if !c.rcon.toldNone {
			c.rcon.toldNone = true
			c.rconLine("No rcon password set on server. Set sv_rcon_password and/or sv_rcon_mod_password to enable the remote console.")
		}
	case admin != "" && same(password, admin):
		c.rconLogin(console.LevelAdmin, "Admin authentication successful. Full remote console access granted.", "admin")
	case mod != "" && same(password, mod):
		c.rconLogin(console.LevelMod, "Moderator authentication successful. Limited remote console access granted.", "moderator")
	default:
		c.rconWrong()
	}
}

// same compares passwords in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func (c *session) rconLogin(level console.Level, text, who string) {
	s := c.srv
	s.tries.forget(c.peer.Addr())
	c.rcon = rconState{authed: true, level: level}
	if s.listsMaps(level) {
		c.rcon.maps = s.mapList()
	}
	c.host.RconAuth(true)
	c.rconLine(text)
	s.print(console.Standard, "server", fmt.Sprintf("ClientID=%d authed (%s)", c.id, who))
	if c.state >= stateReady {
		s.command(game.Command{Kind: game.CmdFlags, Player: c.id, Target: game.Nobody, Value: int32(game.FlagAdmin)})
	}
}

// rconWrong counts wrong passwords, and bans an address if nobody else can have
// said them.
func (c *session) rconWrong() {
	s := c.srv
	most := s.settings.RconMaxTries
	if most <= 0 || localhost(c.peer.Addr()) {
		c.rconLine("Wrong password.")
		return
	}
	n := s.tries.add(c.now, c.peer.Addr())
	c.rconLine(fmt.Sprintf("Wrong password %d/%d.", min(n, int(most)), most))
	if n < int(most) {
		return
	}
	const reason = "Too many remote console authentication tries"
	if s.settings.RconBanTime > 0 && c.accountable {
		if s.ban(c.now, c.peer.Addr(), time.Duration(s.settings.RconBanTime)*time.Minute, reason) == nil {
			s.tries.forget(c.peer.Addr())
			return
		}
	}
	c.drop(reason)
}

// rconLogout ends a session's rights.
func (c *session) rconLogout() {
	c.rcon = rconState{}
	c.host.RconAuth(false)
	c.rconLine("Logout successful.")
	c.srv.print(console.Standard, "server", fmt.Sprintf("ClientID=%d logged out", c.id))
	if c.state >= stateReady {
		c.srv.command(game.Command{Kind: game.CmdFlags, Player: c.id, Target: game.Nobody})
	}
}

// runRcon executes a line, if the session may.
func (c *session) runRcon(line string) {
	if !c.rcon.authed || len(line) > 255 {
		return
	}
	s := c.srv
	s.print(console.Info, "server", fmt.Sprintf("ClientID=%d rcon='%s'", c.id, s.console.Redact(line)))
	s.actor = c
	s.console.Execute(line, console.Caller{Level: c.rcon.level, Flags: console.Server, ID: int(c.id)})
	s.actor = nil
}

// rconLine sends a line of output, if the connection has room for it.
func (c *session) rconLine(line string) {
	if n, _ := c.conn.Pending(); n >= maxRconPending || c.conn.Room() < minRconRoom {
		c.rcon.lost++
		c.srv.count(dropRconLines)
		return
	}
	if len(line) > maxRconLine-1 {
		line = line[:maxRconLine-1]
	}
	c.host.RconLine(line)
}

// rconRest tells an operator, once there is room again, that there was more.
func (c *session) rconRest() {
	if c.rcon.lost == 0 {
		return
	}
	if n, _ := c.conn.Pending(); n >= maxRconPending/2 || c.conn.Room() < 2*minRconRoom {
		return
	}
	lost := c.rcon.lost
	c.rcon.lost = 0
	c.rconLine(fmt.Sprintf("(%d lines were left out: too many at once)", lost))
}

// print writes a line to the log and to everybody who is logged in and may
// read it.
func (s *Server) print(level int, system, line string) {
	if !s.heard(level) {
		return
	}
	line = oneLine(line)
	s.log(level, system, line)
	if level > int(s.settings.ConsoleOutputLevel) {
		return
	}
	// Moderators see only what moderators do.
	by, person := s.actorLevel()
	byMod := person && by == console.LevelMod
	if s.remote != nil {
		s.remote.print(line)
	}
	out := ""
	for _, c := range s.sessions {
		if c == nil || !c.rcon.authed || (c.rcon.level != console.LevelAdmin && !byMod) || c.dropping {
			continue
		}
		if out == "" {
			out = fmt.Sprintf("[%s][%s]: %s", time.Now().Format("15:04:05"), system, line)
		}
		c.rconLine(out)
	}
}

// trickle tells new operators the commands, some at a time.
func (s *Server) trickle() {
	for _, c := range s.sessions {
		if c == nil || !c.rcon.authed || int(c.id)&7 != int(s.clock.tick)&7 {
			continue
		}
		c.trickleMaps()
		if c.rcon.listed {
			continue
		}
		who := console.Caller{Level: c.rcon.level, Flags: console.Server}
		for range trickleCommands {
			e, ok := s.console.Next(c.rcon.sent, who)
			if !ok {
				c.rcon.listed = true
				break
			}
			c.host.RconCommand(&bridge.Command{Name: e.Name, Params: e.Params, Help: e.Help})
			c.rcon.sent = e.Name
		}
	}
}

// accessChanged tells moderators of a command that they may run from now on, or no
// more. Those whose list has not come to it yet will find out.
func (s *Server) accessChanged(e console.Entry) {
	if e.Flags&console.Server == 0 || e.Flags&console.Hidden != 0 {
		return
	}
	for _, c := range s.sessions {
		switch {
		case c == nil || !c.rcon.authed || c.rcon.level != console.LevelMod || !c.rcon.listed && c.rcon.sent < e.Name:
		case e.Level >= console.LevelMod:
			c.host.RconCommand(&bridge.Command{Name: e.Name, Params: e.Params, Help: e.Help})
		default:
			c.host.RconCommandGone(e.Name)
		}
	}
}

// ensureRconPassword makes a password up if the operator set none, so that a
// first-time operator can log in.
func (s *Server) ensureRconPassword() {
	if s.settings.RconPassword != "" || s.settings.RconModPassword != "" {
		return
	}
	const letters = "ABCDEFGHKLMNPRSTUVWXYZabcdefghjkmnopqt23456789"
	b := make([]byte, 6)
	rand.Read(b) // never fails
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	s.settings.RconPassword = string(b)
	s.print(console.Standard, "server", fmt.Sprintf("rcon password: %s (made up, since sv_rcon_password is not set)", b))
}
