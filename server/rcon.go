package server

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/access"
	"github.com/teeyard/teeyard/server/internal/gamemap"
	"github.com/teeyard/teeyard/server/logline"
)

const (
	// commandsPerTick is the number of commands that a session is sent at once.
	commandsPerTick = 16
	// maxRconLine is the longest line of output, in bytes.
	maxRconLine = 512
	// Lines are dropped beyond so many unacknowledged chunks, or when less than so many
	// bytes of the resend buffer are free, so that a flood of lines does not end an
	// operator's connection.
	maxRconPending = conn.MaxUnacked / 2
	minRconRoom    = 8 << 10
)

// login checks a password for the remote console. The name is mostly empty.
func (c *session) login(name, password string) {
	s := c.server
	switch key, level, right := s.access.Logins.Check(name, password); {
	case c.limits.loginBarred:
		c.sendRconLine(access.TooManyTries)
	case !s.access.Logins.Any():
		if !c.rcon.noPasswordSent {
			c.rcon.noPasswordSent = true
			c.sendRconLine("No rcon password set on server. Set sv_rcon_password and/or sv_rcon_mod_password to enable the remote console.")
		}
	case !s.access.Guesses.MayTryRcon(s.now, c.peer.Addr(), c.addrProven):
		s.countDrop(dropFlood)
		c.sendRconLine(access.TooManyGuesses + ".")
	case !right:
		c.rejectRconPassword()
	case level == console.LevelAdmin:
		c.grantRcon(key, level, "Admin authentication successful. Full remote console access granted.")
	case level == console.LevelMod:
		c.grantRcon(key, level, "Moderator authentication successful. Limited remote console access granted.")
	default:
		c.grantRcon(key, level, "Helper authentication successful. Limited remote console access granted.")
	}
}

// grantRcon gives a session access to the remote console.
func (c *session) grantRcon(key string, level console.Level, text string) {
	s := c.server
	s.access.Guesses.RightRcon(s.now, c.peer.Addr(), c.addrProven)
	c.rcon = rconState{authed: true, level: level, key: key}
	c.rcon.showAddresses = level == console.LevelAdmin && s.logs.Dialect() != logline.DDNet // whose log hides them
	s.record.Login(c.id, c.historyLogin())
	if s.maps.MayList(level) {
		c.rcon.listing = new(gamemap.Listing)
		s.maps.ReadList()
	}
	c.bridge.SendRconAuthStatus(true)
	c.sendRconLine(text)
	s.print(console.Standard, "server", fmt.Sprintf("ClientID=%d authed (%s)%s", c.id, level, c.accountSuffix()))
	s.logs.Audit(c.auditEntry("login", "game", ""))
	s.observe(event.RconLogin{Player: eventSource{s}.EventPlayer(c.id), Admin: level == console.LevelAdmin,
		Moderator: level == console.LevelMod, Helper: level == console.LevelHelper})
	if c.state >= stateReady {
		s.queueCommand(game.Command{Kind: game.CmdPlayerFlags, Player: c.id, Target: game.Nobody, Value: int32(game.PlayerFlagAdmin)})
	}
}

// rejectRconPassword counts a wrong password of a person. Too many of them drop the client
// and, if the address is proven, ban the person.
func (c *session) rejectRconPassword() {
	s := c.server
	who := c.auditEntry("", "game", "")
	who.Level = ""
	s.noteWrongPassword(who, fmt.Sprintf("ClientID=%d addr=%s wrong rcon password", c.id, c.peer))
	tries, ban := s.countWrongRcon(c.peer.Addr(), c.addrProven)
	most := s.access.Settings.RconMaxTries
	if tries == 0 {
		c.sendRconLine("Wrong password.")
		return
	}
	c.sendRconLine(fmt.Sprintf("Wrong password %d/%d.", min(tries, most), most))
	switch {
	case tries < most:
	case ban != nil:
		c.drop(s.access.Bans.Message(ban))
	default:
		c.drop(access.TooManyTries)
	}
}

// countWrongRcon counts a wrong password for the remote console. It returns the number of the
// person's wrong passwords, or 0 if any number of them is allowed, and the ban if these were too
// many. The person's clients play on, but can no longer try passwords.
func (s *Server) countWrongRcon(a netip.Addr, proven bool) (tries int, ban *bans.Ban) {
	tries, ban = s.access.Guesses.WrongRcon(s.now, a, proven)
	if ban == nil {
		return tries, nil
	}
	person := limit.Person(a)
	for _, o := range s.sessions {
		if o != nil && o.person() == person {
			o.limits.loginBarred = true
		}
	}
	return tries, ban
}

// logout ends a session's access to the remote console. The reason is empty if it wants that
// itself.
func (c *session) logout(who console.Caller, reason string) {
	c.server.logs.Audit(c.auditEntry("logout", "game", ""))
	told, line := "Logout successful.", fmt.Sprintf("ClientID=%d logged out", c.id)
	if reason != "" {
		told, line = "Logged out by "+reason+".", line+" by "+reason
	}
	line += c.accountSuffix()
	c.rcon = rconState{}
	c.server.record.Login(c.id, c.historyLogin())
	c.bridge.SendRconAuthStatus(false)
	c.sendRconLine(told)
	c.server.printFor(who, console.Standard, "server", line)
	c.server.observe(event.RconLogin{Player: eventSource{c.server}.EventPlayer(c.id)})
	if c.state >= stateReady {
		c.server.queueCommand(game.Command{Kind: game.CmdPlayerFlags, Player: c.id, Target: game.Nobody})
	}
}

// runRcon executes a line of the remote console, if the session has access.
func (c *session) runRcon(line string) {
	if !c.rcon.authed {
		return
	}
	if console.IsEndMark(line) {
		if c.rcon.endMark != "" { // the client waits for both
			c.sendRconLine(c.rcon.endMark)
		}
		c.rcon.endMark = line
		c.sendPendingLines()
		return
	}
	s := c.server
	s.print(console.Info, "server", fmt.Sprintf("ClientID=%d rcon=%s", c.id, logline.Quote(s.console.Redact(line))))
	var done func(string)
	c.rcon.refusal, done = newRefusal()
	s.run(c.auditEntry("command", "game", line), c.caller(console.Server), done)
}

// newRefusal returns the variable for the first warning of a line, and the function to call with
// it.
func newRefusal() (*string, func(warning string)) {
	refusal := new(string)
	return refusal, func(warning string) { *refusal = warning }
}

// caller returns the session as a caller of commands with one of the flags.
func (c *session) caller(flags console.Flag) console.Caller {
	return console.Caller{Level: c.rcon.level, Flags: flags, ID: int(c.id), Addr: c.peer.Addr()}
}

// sendRconLine sends a line of the remote console, or drops it if the connection is full.
func (c *session) sendRconLine(line string) {
	if n, _ := c.conn.Unacked(); n >= maxRconPending || c.conn.FreeResendBuffer() < minRconRoom {
		c.rcon.droppedLines++
		c.server.countDrop(dropRconLines)
		return
	}
	if len(line) > maxRconLine-1 {
		line = line[:maxRconLine-1]
	}
	c.bridge.SendRconLine(line)
}

// sendPendingLines tells an operator how many lines were dropped, and that the output has
// ended, when there is room again.
func (c *session) sendPendingLines() {
	if c.rcon.droppedLines == 0 && c.rcon.skippedLines == 0 && c.rcon.endMark == "" {
		return
	}
	if n, _ := c.conn.Unacked(); n >= maxRconPending/2 || c.conn.FreeResendBuffer() < 2*minRconRoom {
		return
	}
	if c.server.lines.areAsked() {
		return // the answers come with the tick
	}
	if lost := c.rcon.droppedLines; lost > 0 {
		c.sendRconLine(fmt.Sprintf("(%s not shown: too many at once)", words.Clause(lost, "line", "was", "were")))
	}
	if skipped := c.rcon.skippedLines; skipped > 0 {
		c.sendRconLine(fmt.Sprintf("(%d of your lines did not run: %s)", skipped, tooManyRconLines))
	}
	if c.rcon.endMark != "" {
		if refusal := c.rcon.refusal; refusal != nil && *refusal != "" {
			c.sendRconLine(console.RefusalNote(*refusal))
		}
		c.sendRconLine(c.rcon.endMark)
		c.rcon.refusal = nil
	}
	c.rcon.droppedLines, c.rcon.skippedLines, c.rcon.endMark = 0, 0, ""
}

// tooManyRconLines is why lines of an operator did not run.
var tooManyRconLines = fmt.Sprintf("more than %g a second after a burst of %g", rconRate.PerSecond, rconRate.Burst)

// skipRcon leaves out a line that is beyond rconRate. The client is told how many there were.
func (c *session) skipRcon(line string) {
	c.server.countDrop(dropFlood)
	if c.rcon.authed && !console.IsEndMark(line) {
		c.rcon.skippedLines++
		c.rcon.refusal = &tooManyRconLines
	}
}

// printToOperators sends a line to the caller of the command that prints it, and to operators. What
// moderators and helpers do, operators of the same level or a higher one see too.
func (s *Server) printToOperators(who console.Caller, level int, system, line string) {
	if level > s.logs.Settings.OutputLevel {
		return
	}
	least := console.LevelAdmin
	if who.IsRemote() {
		least = who.Level
	}
	if who.Print != nil {
		if s.console.MayRun("show_ips", who) {
			who.Print(line)
		} else {
			who.Print(logline.HideAddresses(line))
		}
	}
	out, without := "", ""
	for _, c := range s.sessions {
		if c == nil || !c.rcon.authed || c.rcon.level > least || c.dropping {
			continue
		}
		if out == "" {
			out = string(logline.AppendShort(nil, time.Now(), system, line))
		}
		// As in DDNet-Server 16.4, administrators always see the addresses of bans and mutes.
		if c.rcon.showAddresses || c.rcon.level == console.LevelAdmin && !strings.Contains(line, "addr=") {
			c.sendRconLine(out)
			continue
		}
		if without == "" {
			without = logline.HideAddresses(out)
		}
		c.sendRconLine(without)
	}
}

// sendCommandLists sends new operators the list of commands and maps, some per tick.
func (s *Server) sendCommandLists() {
	s.maps.UpdateList()
	for _, c := range s.sessions {
		if c == nil || !c.rcon.authed || int(c.id)&7 != int(s.clock.tick)&7 {
			continue
		}
		if c.rcon.listing != nil {
			c.rcon.listing.Send(c.bridge)
		}
		if c.rcon.allListed {
			continue
		}
		who := c.caller(console.Server)
		for range commandsPerTick {
			e, ok := s.console.Next(c.rcon.lastListed, who)
			if !ok {
				c.rcon.allListed = true
				break
			}
			c.bridge.SendRconCommand(&bridge.CommandInfo{Name: e.Name, Params: e.Params, Help: e.Help})
			c.rcon.lastListed = e.Name
		}
	}
}

// sendAccessChange tells moderators and helpers about a command that they may run from now on, or
// no longer. Those whose list has not come to it yet will get it with the list.
func (s *Server) sendAccessChange(e console.Entry, before console.Level) {
	if e.Flags&console.Server == 0 || e.Flags&console.Hidden != 0 {
		return
	}
	for _, c := range s.sessions {
		if c == nil || !c.rcon.authed || !c.rcon.allListed && c.rcon.lastListed < e.Name {
			continue
		}
		switch could, can := before >= c.rcon.level, e.Level >= c.rcon.level; {
		case can == could:
		case can:
			c.bridge.SendRconCommand(&bridge.CommandInfo{Name: e.Name, Params: e.Params, Help: e.Help})
		default:
			c.bridge.SendRconCommandRemoved(e.Name)
		}
	}
}

// account returns the name of an operator's login, "" for the password of a level.
func (c *session) account() string {
	if !c.rcon.authed || access.IsOfLevel(c.rcon.key) {
		return ""
	}
	return safetext.Line(c.rcon.key)
}

// accountSuffix returns the end of log lines about an operator whose login has a name.
func (c *session) accountSuffix() string {
	if name := c.account(); name != "" {
		return fmt.Sprintf(" key=%s", logline.Quote(name))
	}
	return ""
}

// historyLogin returns the access to the remote console with the names of teehistorians.
func (c *session) historyLogin() recorder.TeehistorianLogin {
	if !c.rcon.authed {
		return recorder.TeehistorianLogin{}
	}
	return recorder.TeehistorianLogin{Level: 3 - int32(c.rcon.level), Name: c.rcon.key}
}
