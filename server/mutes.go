package server

import (
	"net/netip"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/server/access"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

const maxMuteSeconds = 30 * 24 * 60 * 60

// muteOf returns the mute of an address, nil if there is none.
func (s *Server) muteOf(a netip.Addr) *access.Mute { return s.mutes.Find(s.now, a) }

// mutePerson is what muteid and muteip do, with the seconds and the reason that follow the first
// argument.
func (s *Server) mutePerson(call *console.Call, a netip.Addr, name string) {
	seconds := min(max(call.Int(1), 0), maxMuteSeconds)
	if seconds == 0 {
		call.Warn("mutes", "a mute lasts 1 to %d seconds", maxMuteSeconds)
		return
	}
	if s.muteOf(a) == nil && s.mutes.Full() {
		call.Warn("mutes", "there are already %d mutes: the new one replaces the one that ends first", access.MaxMutes)
	}
	reason := printableText([]byte(call.Cut(2, "mutes", "reason", maxBanReason)), maxBanReason)
	m := s.mutes.Add(s.now, access.NewMute(s.now, a, name, seconds, reason))
	call.Print("mutes", "%s", m.Describe(s.now))
	if name != "" && s.asDDNet() {
		s.sayToAll(m.Announcement(seconds))
	}
}

func (s *Server) cmdMuteID(call *console.Call) {
	c := s.sessionArg(call)
	switch {
	case c == nil:
		call.Warn("mutes", "invalid client id to mute")
	case c.isProtected(&call.Caller) && int(c.id) != call.Caller.ID:
		call.Warn("mutes", "mute denied: client %d is an operator", c.id)
	default:
		s.mutePerson(call, c.peer.Addr(), s.playerName(c.id))
	}
}

func (s *Server) cmdMuteIP(call *console.Call) {
	if a, ok := muteAddr(call); ok {
		s.mutePerson(call, a, "")
	}
}

func (s *Server) cmdUnmuteID(call *console.Call) {
	if c := s.sessionArg(call); c != nil {
		s.unmute(call, c.peer.Addr())
		return
	}
	call.Warn("mutes", "invalid client id to unmute")
}

func (s *Server) cmdUnmuteIP(call *console.Call) {
	if a, ok := muteAddr(call); ok {
		s.unmute(call, a)
	}
}

func (s *Server) unmute(call *console.Call, a netip.Addr) {
	if s.muteOf(a) == nil {
		call.Warn("mutes", "no player from %s is muted", a)
		return
	}
	s.endMute(call, a)
}

// endMute ends the mute of an address.
func (s *Server) endMute(call *console.Call, a netip.Addr) {
	person := limit.Person(a).Addr()
	s.mutes.Remove(a)
	if s.dialect == logline.DDNet {
		call.Print("mutes", "Unmuted %s", person)
		return
	}
	call.Print("mutes", "unmuted addr=%s", person)
}

func (s *Server) cmdMutes(call *console.Call) {
	list, ddnet := s.mutes.All(s.now), s.dialect == logline.DDNet
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
			call.Print("mutes", "%d: \"%s\", %d seconds left (%s)", i, m.Person.Addr(), m.SecondsLeft(s.now), m.Reason)
		} else {
			call.Print("mutes", "%d: %s", i, m.Describe(s.now))
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
