package server

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// mute keeps a person from showing others text of their own, see speech.go; a new connection does not end it.
type mute struct {
	person netip.Prefix
	name   string // of the player, "" if an address was named
	until  conn.Time
	reason string
}

const (
	// maxMutes is the number of mutes; another one replaces the one that ends first.
	maxMutes       = 256
	maxMuteSeconds = 30 * 24 * 60 * 60
)

// muteOf returns the mute of an address, nil if there is none.
func (s *Server) muteOf(a netip.Addr) *mute {
	if len(s.mutes) == 0 {
		return nil
	}
	s.mutes = slices.DeleteFunc(s.mutes, func(m mute) bool { return m.until <= s.now })
	if i := s.findMute(a); i >= 0 {
		return &s.mutes[i]
	}
	return nil
}

func (s *Server) findMute(a netip.Addr) int {
	person := limit.Person(a)
	return slices.IndexFunc(s.mutes, func(m mute) bool { return m.person == person })
}

// mutePerson is what muteid and muteip do, with the seconds and the reason that follow the first
// argument.
func (s *Server) mutePerson(call *console.Call, a netip.Addr, name string) {
	seconds := min(max(call.Int(1), 0), maxMuteSeconds)
	if seconds == 0 {
		call.Warn("mutes", "a mute lasts 1 to %d seconds", maxMuteSeconds)
		return
	}
	if s.muteOf(a) == nil && len(s.mutes) >= maxMutes {
		call.Warn("mutes", "there are already %d mutes: the new one replaces the one that ends first", maxMutes)
	}
	m := s.addMute(a, name, seconds, printableText([]byte(cutArg(call, 2, "mutes", "reason", maxBanReason)), maxBanReason))
	call.Print("mutes", "%s", s.describeMute(m))
	if name != "" && s.asDDNet() {
		s.announceMute(m, seconds)
	}
}

// addMute mutes a person, instead of an earlier mute of theirs. The result is valid until there is another one.
func (s *Server) addMute(a netip.Addr, name string, seconds int, reason string) *mute {
	s.muteOf(a) // those that are over make room
	if i := s.findMute(a); i >= 0 {
		s.mutes = slices.Delete(s.mutes, i, i+1)
	} else if len(s.mutes) >= maxMutes {
		first := slices.MinFunc(s.mutes, func(x, y mute) int { return cmp.Compare(x.until, y.until) })
		s.mutes = slices.DeleteFunc(s.mutes, func(m mute) bool { return m.person == first.person })
	}
	s.mutes = append(s.mutes, mute{limit.Person(a), name, s.now.Add(time.Duration(seconds) * time.Second), reason})
	return &s.mutes[len(s.mutes)-1]
}

// announceMute tells the players of a mute, as DDNet-Server does.
func (s *Server) announceMute(m *mute, seconds int) {
	text := fmt.Sprintf("'%s' has been muted for %d seconds", m.name, seconds)
	if m.reason != "" {
		text += " (" + m.reason + ")"
	}
	s.sayToAll(text)
}

// describeMute returns a line about a mute.
func (s *Server) describeMute(m *mute) string {
	text := fmt.Sprintf("addr=%s seconds=%d", m.person.Addr(), secondsUntil(s.now, m.until))
	if m.name != "" {
		text += " name=" + logline.Quote(m.name)
	}
	if m.reason != "" {
		text += " reason=" + logline.Quote(m.reason)
	}
	return text
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
	s.endMute(call, s.findMute(a))
}

// endMute ends a mute of the list.
func (s *Server) endMute(call *console.Call, i int) {
	a := s.mutes[i].person.Addr()
	s.mutes = slices.Delete(s.mutes, i, i+1)
	if s.dialect == logline.DDNet {
		call.Print("mutes", "Unmuted %s", a)
		return
	}
	call.Print("mutes", "unmuted addr=%s", a)
}

func (s *Server) cmdMutes(call *console.Call) {
	s.muteOf(netip.IPv6Unspecified()) // those that are over go
	ddnet := s.dialect == logline.DDNet
	switch {
	case len(s.mutes) == 0 && ddnet:
		call.Print("mutes", "There are no active mutes.")
	case len(s.mutes) == 0:
		call.Print("mutes", "no player is muted")
	case ddnet:
		call.Print("mutes", "Active mutes:")
	}
	for i := range s.mutes {
		m := &s.mutes[i]
		if ddnet {
			call.Print("mutes", "%d: \"%s\", %d seconds left (%s)", i, m.person.Addr(), secondsUntil(s.now, m.until), m.reason)
		} else {
			call.Print("mutes", "%d: %s", i, s.describeMute(m))
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
