package server

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bans"
	"github.com/teeyard/teeyard/server/console"
)

// defaultBanMinutes is the duration of a ban without one.
const defaultBanMinutes = 30

// maxBanMinutes is the longest ban with an end, a year as on DDNet-Server. The original has 31 days.
const maxBanMinutes = 525_600

func (s *Server) cmdBan(call *console.Call) {
	if isDigits(call.Arg(0)) {
		c := s.sessionArg(call)
		if c == nil {
			call.Warn("net_ban", "ban error (invalid client id)")
			return
		}
		s.banFor(call, bans.Ban{Net: c.person()}, 1)
		return
	}
	if b, ok := parseBan(call, "ban", call.Arg(0)); ok {
		s.banFor(call, b, 1)
	}
}

// cmdBanRange is how the original's bans_save writes the ban of a range.
func (s *Server) cmdBanRange(call *console.Call) {
	if b, ok := parseBan(call, "ban", call.Arg(0)+"-"+call.Arg(1)); ok {
		s.banFor(call, b, 2)
	}
}

// banFor bans for the minutes that are an argument of a command and the reason that follows.
func (s *Server) banFor(call *console.Call, b bans.Ban, argument int) {
	minutes := defaultBanMinutes
	if len(call.Args) > argument {
		minutes = min(max(call.Int(argument), 0), maxBanMinutes)
	}
	b.Duration, b.Reason = time.Duration(minutes)*time.Minute, cmp.Or(call.Cut(argument+1, "net_ban", "reason", maxBanReason), "No reason given")
	if !s.canBan(call, &b) {
		return
	}
	if err := s.addBan(call.Caller, s.now, b); err != nil {
		call.Warn("net_ban", "%v", err)
	}
	s.reportUnstored(call)
}

// parseBan returns the ban of what an argument of ban or unban names. It prints why there can
// be none.
func parseBan(call *console.Call, verb, arg string) (b bans.Ban, ok bool) {
	b, err := bans.Parse(strings.TrimSuffix(arg, "-"))
	switch {
	case err == nil:
		return b, true
	case errors.Is(err, bans.ErrRange):
		call.Warn("net_ban", "ban failed (invalid range)") // of unban, too
	case strings.Contains(arg, "-"):
		call.Warn("net_ban", "%s error (invalid range)", verb)
	default:
		call.Warn("net_ban", "%s error (invalid network address)", verb)
	}
	return b, false
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// canBan reports whether the caller of a command may ban somebody, and prints why not.
func (s *Server) canBan(call *console.Call, b *bans.Ban) bool {
	who := &call.Caller
	if who.ID < 0 && who.IsRemote() && b.Contains(who.Addr) {
		call.Warn("net_ban", "ban error (you can't ban yourself)")
		return false
	}
	_, decides := s.votes.Deciding()
	for _, c := range s.sessions {
		if c == nil || !c.isIn(b) {
			continue
		}
		if int(c.id) == who.ID {
			call.Warn("net_ban", "ban error (you can't ban yourself)")
			return false
		}
		if c.isProtected(who) || decides && c.rcon.authed {
			call.Warn("net_ban", "ban error (command denied)")
			return false
		}
	}
	return true
}

// cmdUnban lifts a ban. What is banned may also be as bans prints it, with all that follows.
// cmdUnbanRange is unban as older servers and DDNet have it for ranges.
func (s *Server) cmdUnbanRange(call *console.Call) { s.unban(call, call.Arg(0)+"-"+call.Arg(1)) }

func (s *Server) cmdUnban(call *console.Call) { s.unban(call, call.Arg(0)) }

func (s *Server) unban(call *console.Call, target string) {
	list := s.bans.list()
	target, _, _ = strings.Cut(target, " banned ")
	target = strings.TrimSpace(strings.ReplaceAll(target, "'", ""))
	if isDigits(target) {
		i, err := strconv.Atoi(target)
		if err != nil || i >= len(list) {
			call.Warn("net_ban", "unban failed (invalid index)")
			return
		}
		s.bans.store.Remove(list[i])
		call.Print("net_ban", "unbanned index %d (%s)", i, quoteTarget(&list[i]))
		s.reportUnstored(call)
		return
	}
	b, ok := parseBan(call, "unban", target)
	if !ok {
		return
	}
	i := slices.IndexFunc(list, b.SameTarget)
	if i < 0 {
		call.Warn("net_ban", "unban failed (invalid entry)")
		return
	}
	s.bans.store.Remove(b)
	call.Print("net_ban", "unbanned %s %s", quoteTarget(&b), banTerms(list[i], s.bans.clock()))
	s.reportUnstored(call)
}

func (s *Server) cmdUnbanAll(call *console.Call) {
	s.bans.clear()
	call.Print("net_ban", "unbanned all entries")
	s.reportUnstored(call)
}

func (s *Server) cmdBans(call *console.Call) {
	now, list := s.bans.clock(), s.bans.list()
	for i, b := range list {
		call.Print("net_ban", "#%d %s banned %s", i, quoteTarget(&b), banTerms(b, now))
	}
	plural := "s"
	if len(list) == 1 {
		plural = ""
	}
	call.Print("net_ban", "%d ban%s", len(list), plural)
}

// cmdBansSave writes the bans as commands that exec runs.
func (s *Server) cmdBansSave(call *console.Call) {
	name, err := console.CleanPath(call.Arg(0))
	if err == nil && !slices.Contains([]string{"", ".cfg", ".txt"}, path.Ext(name)) {
		err = errors.New("the name must end in .cfg or .txt")
	}
	if err == nil {
		err = s.replaceFile(name, appendBans(nil, s.bans.list(), s.bans.clock(), s.cfg.DDNet), func() error { return s.checkBanList(name) })
	}
	if errors.Is(err, console.ErrLater) {
		call.Print("net_ban", "saving banlist to '%s': %v", call.Arg(0), err)
		return
	}
	if err != nil {
		call.Warn("net_ban", "failed to save banlist to '%s': %v", call.Arg(0), err)
		return
	}
	call.Print("net_ban", "saved banlist to '%s'", call.Arg(0))
}
