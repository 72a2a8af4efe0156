package access

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

// maxBanMinutes is the longest ban with an end, a year as on DDNet-Server. The original has 31
// days.
const maxBanMinutes = 525_600

func (l *Bans) commands() []console.Command {
	const stored = console.Server | console.Store
	return []console.Command{
		{Name: "ban", Params: "s[id|ip|range] ?i[minutes] r[reason]",
			Help: "Ban client, ip or range (ip-ip) for x minutes for any reason", Flags: stored, Run: l.cmdBan},
		{Name: "unban", Params: "r[ip|range]", Help: "Unban ip, range (ip-ip) or ban entry by its index",
			Flags: stored, Run: func(call *console.Call) { l.unban(call, call.Arg(0)) }},
		{Name: "unban_all", Help: "Unban all entries", Flags: stored, Run: l.cmdUnbanAll},
		{Name: "bans", Help: "Show banlist", Flags: stored, Run: l.cmdBans},
		{Name: "bans_save", Params: "s[file]", Help: "Save banlist in a file, for exec", Flags: stored, Run: l.cmdBansSave},
		// The original's bans_save writes ban_range. Older servers and DDNet have both.
		{Name: "unban_range", Params: "s[first] s[last]", Help: "Unban a range", Flags: stored | console.Hidden, Run: func(call *console.Call) {
			l.unban(call, call.Arg(0)+"-"+call.Arg(1))
		}},
		{Name: "ban_range", Params: "s[first] s[last] ?i[minutes] r[reason]", Help: "Ban a range", Flags: stored | console.Hidden, Run: l.cmdBanRange},
	}
}

func (l *Bans) cmdBan(call *console.Call) {
	if isDigits(call.Arg(0)) {
		c, ok := find(l.host, call.Int(0))
		if !ok {
			call.Warn("net_ban", "ban error (invalid client id)")
			return
		}
		l.banFor(call, bans.Ban{Net: c.Person()}, 1)
		return
	}
	if b, ok := parseBan(call, "ban", call.Arg(0)); ok {
		l.banFor(call, b, 1)
	}
}

func (l *Bans) cmdBanRange(call *console.Call) {
	if b, ok := parseBan(call, "ban", call.Arg(0)+"-"+call.Arg(1)); ok {
		l.banFor(call, b, 2)
	}
}

// banFor adds a ban. An argument of the command is its minutes, and the next one its reason.
func (l *Bans) banFor(call *console.Call, b bans.Ban, argument int) {
	minutes := defaultBanMinutes
	if len(call.Args) > argument {
		minutes = min(max(call.Int(argument), 0), maxBanMinutes)
	}
	b.Duration = time.Duration(minutes) * time.Minute
	b.Reason = cmp.Or(call.Cut(argument+1, "net_ban", "reason", maxReason), "No reason given")
	if !l.MayBan(call, &b) {
		return
	}
	if err := l.Add(call.Caller, b); err != nil {
		call.Warn("net_ban", "%v", err)
	}
	l.ReportUnstored(call)
}

// parseBan returns a ban of the addresses that an argument of ban or unban names. It prints the
// reason if there can be none.
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

// MayBan reports whether the caller of a command may ban the clients that a ban hits. It prints
// the reason if not.
func (l *Bans) MayBan(call *console.Call, b *bans.Ban) bool {
	who := &call.Caller
	if who.ID < 0 && who.IsRemote() && b.Contains(who.Addr) {
		call.Warn("net_ban", "ban error (you can't ban yourself)")
		return false
	}
	for c := range l.host.Clients() {
		if !b.Contains(c.Addr) {
			continue
		}
		if c.ID == who.ID {
			call.Warn("net_ban", "ban error (you can't ban yourself)")
			return false
		}
		if c.IsProtected(who) || c.Operator && l.host.ByVote() {
			call.Warn("net_ban", "ban error (command denied)")
			return false
		}
	}
	return true
}

// unban removes a ban. The target is an index, addresses, or a whole line of the command bans.
func (l *Bans) unban(call *console.Call, target string) {
	list := l.List()
	target, _, _ = strings.Cut(target, " banned ")
	target = strings.TrimSpace(strings.ReplaceAll(target, "'", ""))
	if isDigits(target) {
		i, err := strconv.Atoi(target)
		if err != nil || i >= len(list) {
			call.Warn("net_ban", "unban failed (invalid index)")
			return
		}
		l.lift(&list[i])
		call.Print("net_ban", "unbanned index %d (%s)", i, quoteTarget(&list[i]))
		l.ReportUnstored(call)
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
	l.lift(&b)
	call.Print("net_ban", "unbanned %s %s", quoteTarget(&b), l.Terms(&list[i]))
	l.ReportUnstored(call)
}

// lift removes a ban.
func (l *Bans) lift(b *bans.Ban) {
	l.Store.Remove(*b)
	l.host.NoteBan(b, true)
}

func (l *Bans) cmdUnbanAll(call *console.Call) {
	for _, b := range l.Store.All() {
		l.lift(&b)
	}
	call.Print("net_ban", "unbanned all entries")
	l.ReportUnstored(call)
}

func (l *Bans) cmdBans(call *console.Call) {
	list := l.List()
	for i := range list {
		call.Print("net_ban", "#%d %s banned %s", i, quoteTarget(&list[i]), l.Terms(&list[i]))
	}
	plural := "s"
	if len(list) == 1 {
		plural = ""
	}
	call.Print("net_ban", "%d ban%s", len(list), plural)
}

// cmdBansSave writes the bans as commands that exec runs.
func (l *Bans) cmdBansSave(call *console.Call) {
	name, err := console.CleanPath(call.Arg(0))
	if err == nil && !slices.Contains([]string{"", ".cfg", ".txt"}, path.Ext(name)) {
		err = errors.New("the name must end in .cfg or .txt")
	}
	if err == nil {
		err = l.cfg.ReplaceFile(name, appendBans(nil, l.List(), l.clock(), l.cfg.DDNet), checkBanList)
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
