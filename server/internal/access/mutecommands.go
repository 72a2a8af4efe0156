package access

import (
	"net/netip"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/server/console"
)

const maxMuteSeconds = 30 * 24 * 60 * 60

// muteCommands are the commands for mutes of the chat.
func (c *Control) muteCommands() []console.Command {
	const stored, hidden = console.Server | console.Store, console.Server | console.Hidden
	return []console.Command{
		{Name: "muteid", Params: "i[id] i[seconds] ?r[reason]", Help: "Mute a player for x seconds", Flags: stored, Run: c.cmdMuteID},
		{Name: "muteip", Params: "s[ip] i[seconds] ?r[reason]", Help: "Mute all players from an address for x seconds", Flags: stored, Run: c.cmdMuteIP},
		{Name: "unmuteid", Params: "i[id]", Help: "Unmute a player", Flags: stored, Run: c.cmdUnmuteID},
		{Name: "unmuteip", Params: "s[ip]", Help: "Unmute an address", Flags: stored, Run: c.cmdUnmuteIP},
		{Name: "mutes", Help: "List the mutes", Flags: stored, Run: c.cmdMutes},
		// DDNet's.
		{Name: "mute", Help: "Explain how to mute", Flags: hidden, Run: func(call *console.Call) {
			call.Print("mutes", "use 'muteid ID SECONDS [REASON]' or 'muteip ADDRESS SECONDS [REASON]'")
		}},
		{Name: "unmute", Params: "i[number]", Help: "End the mute with this number in the list of mutes", Flags: hidden, Run: c.cmdUnmute},
	}
}

func (c *Control) cmdMuteID(call *console.Call) {
	client, ok := find(c.host, call.Int(0))
	switch {
	case !ok:
		call.Warn("mutes", "invalid client id to mute")
	case client.IsProtected(&call.Caller) && client.ID != call.Caller.ID:
		call.Warn("mutes", "mute denied: client %d is an operator", client.ID)
	default:
		c.mute(call, client.Addr, client.Name)
	}
}

func (c *Control) cmdMuteIP(call *console.Call) {
	if a, ok := muteAddr(call); ok {
		c.mute(call, a, "")
	}
}

// mute mutes an address for the seconds and the reason that are the second and third argument.
func (c *Control) mute(call *console.Call, a netip.Addr, name string) {
	now, seconds := c.host.Now(), min(max(call.Int(1), 0), maxMuteSeconds)
	if seconds == 0 {
		call.Warn("mutes", "a mute lasts 1 to %d seconds", maxMuteSeconds)
		return
	}
	if c.Mutes.Find(now, a) == nil && c.Mutes.Full() {
		call.Warn("mutes", "there are already %d mutes: the new one replaces the one that ends first", MaxMutes)
	}
	reason := printable(call.Cut(2, "mutes", "reason", maxReason), maxReason)
	m := c.Mutes.Add(now, NewMute(now, a, name, seconds, reason))
	call.Print("mutes", "%s", m.Describe(now))
	if name != "" {
		c.host.Muted(m.Announcement(seconds))
	}
}

func (c *Control) cmdUnmuteID(call *console.Call) {
	client, ok := find(c.host, call.Int(0))
	if !ok {
		call.Warn("mutes", "invalid client id to unmute")
		return
	}
	c.unmuteAddr(call, client.Addr)
}

func (c *Control) cmdUnmuteIP(call *console.Call) {
	if a, ok := muteAddr(call); ok {
		c.unmuteAddr(call, a)
	}
}

func (c *Control) unmuteAddr(call *console.Call, a netip.Addr) {
	if c.Mutes.Find(c.host.Now(), a) == nil {
		call.Warn("mutes", "no player from %s is muted", a)
		return
	}
	c.unmute(call, limit.Person(a))
}

// cmdUnmute ends a mute by its number in the list that the command mutes printed last.
func (c *Control) cmdUnmute(call *console.Call) {
	i := call.Int(0)
	if i < 0 || i >= len(c.Mutes.list) {
		call.Warn("mutes", "mute %d does not exist; mutes lists the mutes", i)
		return
	}
	c.unmute(call, c.Mutes.list[i].Person)
}

func (c *Control) unmute(call *console.Call, person netip.Prefix) {
	c.Mutes.Remove(person.Addr())
	if c.host.InDDNet() {
		call.Print("mutes", "Unmuted %s", person.Addr())
		return
	}
	call.Print("mutes", "unmuted addr=%s", person.Addr())
}

func (c *Control) cmdMutes(call *console.Call) {
	now, ddnet := c.host.Now(), c.host.InDDNet()
	list := c.Mutes.All(now)
	switch {
	case len(list) == 0 && ddnet:
		call.Print("mutes", "There are no active mutes.")
	case len(list) == 0:
		call.Print("mutes", "no player is muted")
	case ddnet:
		call.Print("mutes", "Active mutes:")
	}
	for i := range list {
		m := &list[i]
		if ddnet {
			call.Print("mutes", "%d: \"%s\", %d seconds left (%s)", i, m.Person.Addr(), m.SecondsLeft(now), m.Reason)
		} else {
			call.Print("mutes", "%d: %s", i, m.Describe(now))
		}
	}
}

// muteAddr returns the address that is the first argument.
func muteAddr(call *console.Call) (netip.Addr, bool) {
	a, err := netip.ParseAddr(call.Arg(0))
	if err != nil {
		call.Warn("mutes", "'%s' is not an address", call.Arg(0))
		return a, false
	}
	return a.Unmap().WithZone(""), true
}
