package access

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/server/logline"
)

// MaxMutes is the number of mutes in a list.
const MaxMutes = 256

// Mute takes a right from the person behind an address for a while, such as the right to chat. It
// outlasts the person's connection.
type Mute struct {
	Person netip.Prefix
	// Name is the name of the player, "" if an operator muted an address.
	Name   string
	Until  conn.Time
	Reason string
}

// NewMute returns a mute that begins now.
func NewMute(now conn.Time, a netip.Addr, name string, seconds int, reason string) Mute {
	return Mute{limit.Person(a), name, now.Add(time.Duration(seconds) * time.Second), reason}
}

// SecondsLeft returns the remaining time of the mute in seconds, rounded up.
func (m *Mute) SecondsLeft(now conn.Time) int {
	return int(max(m.Until.Sub(now)+time.Second-1, 0) / time.Second)
}

// Describe returns the mute as a log line.
func (m *Mute) Describe(now conn.Time) string {
	text := fmt.Sprintf("addr=%s seconds=%d", m.Person.Addr(), m.SecondsLeft(now))
	if m.Name != "" {
		text += " name=" + logline.Quote(m.Name)
	}
	if m.Reason != "" {
		text += " reason=" + logline.Quote(m.Reason)
	}
	return text
}

// Announcement returns the chat line with which DDNet-Server announces a new mute.
func (m *Mute) Announcement(seconds int) string {
	text := fmt.Sprintf("'%s' has been muted for %d seconds", m.Name, seconds)
	if m.Reason != "" {
		text += " (" + m.Reason + ")"
	}
	return text
}

// Mutes is a list of at most [MaxMutes] mutes, in the order of their creation. The zero value is
// an empty list.
type Mutes struct{ list []Mute }

// Find returns the mute of an address, or nil. The result is valid until the list changes.
func (l *Mutes) Find(now conn.Time, a netip.Addr) *Mute {
	l.removeEnded(now)
	if i := l.index(a); i >= 0 {
		return &l.list[i]
	}
	return nil
}

// All returns the mutes. The result is valid until the list changes.
func (l *Mutes) All(now conn.Time) []Mute {
	l.removeEnded(now)
	return l.list
}

// Full reports whether the list has no room.
func (l *Mutes) Full() bool { return len(l.list) >= MaxMutes }

// Add appends a mute. It removes an earlier mute of the same person. Otherwise, if the list is
// full, it removes the mute that ends first. The result is valid until the list changes.
func (l *Mutes) Add(now conn.Time, m Mute) *Mute {
	l.removeEnded(now)
	same := func(x Mute) bool { return x.Person == m.Person }
	if l.Full() && !slices.ContainsFunc(l.list, same) {
		m := slices.MinFunc(l.list, func(x, y Mute) int { return cmp.Compare(x.Until, y.Until) })
		same = func(x Mute) bool { return x.Person == m.Person }
	}
	l.list = append(slices.DeleteFunc(l.list, same), m)
	return &l.list[len(l.list)-1]
}

// Remove removes the mute of an address, even one that has ended since the list was last used. It
// reports whether there was one.
func (l *Mutes) Remove(a netip.Addr) bool {
	i := l.index(a)
	if i >= 0 {
		l.list = slices.Delete(l.list, i, i+1)
	}
	return i >= 0
}

func (l *Mutes) index(a netip.Addr) int {
	if len(l.list) == 0 {
		return -1
	}
	person := limit.Person(a)
	return slices.IndexFunc(l.list, func(m Mute) bool { return m.Person == person })
}

func (l *Mutes) removeEnded(now conn.Time) {
	l.list = slices.DeleteFunc(l.list, func(m Mute) bool { return m.Until <= now })
}
