package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/internal/lookalike"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// nameBan keeps players out who have a name, as DDNet-Server does.
type nameBan struct {
	name, reason string
	skeleton     []rune
	distance     int  // how many characters may be others in what looks like the name
	inside       bool // also names with this one in them, whatever the case
}

const (
	// maxNameBans bounds what is compared when a player comes.
	maxNameBans   = 1024
	maxBannedName = 64
	nameShare     = 3 // one of so many characters may be another by default
)

func (s *Server) nameBanCommands() []console.Command {
	open := console.Server | console.Store
	return []console.Command{
		{Name: "name_ban", Params: "s[name] ?i[distance] ?i[is_substring] ?r[reason]", Help: "Ban a name and similar names (up to distance different characters; is_substring 1: also names that contain it)", Flags: open | console.Lasting, Run: s.cmdNameBan},
		{Name: "name_unban", Params: "s[name]", Help: "Unban a name", Flags: open | console.Lasting, Run: s.cmdNameUnban},
		{Name: "name_bans", Help: "List the banned names", Flags: open, Run: s.cmdNameBans},
	}
}

// nameBanOf returns the ban of a name, nil if there is none.
func (s *Server) nameBanOf(name string) *nameBan {
	if len(s.nameBans) == 0 {
		return nil
	}
	skeleton := []rune(lookalike.Skeleton(name))
	for i := range s.nameBans {
		b := &s.nameBans[i]
		if editDistance(skeleton, b.skeleton) <= b.distance || b.inside && strings.Contains(strings.ToLower(name), strings.ToLower(b.name)) {
			return b
		}
	}
	return nil
}

// text is what the player is told.
func (b *nameBan) text() string {
	if b.reason == "" {
		return "Kicked (your name is banned)"
	}
	return fmt.Sprintf("Kicked (your name is banned: %s)", b.reason)
}

func (b *nameBan) String() string {
	inside := 0
	if b.inside {
		inside = 1
	}
	return fmt.Sprintf("name=%s distance=%d is_substring=%d reason=%s", logline.Quote(b.name), b.distance, inside, logline.Quote(b.reason))
}

func (s *Server) findNameBan(name string) int {
	return slices.IndexFunc(s.nameBans, func(b nameBan) bool { return b.name == name })
}

func (s *Server) cmdNameBan(call *console.Call) {
	name := printableText([]byte(call.Cut(0, "name_ban", "name", maxBannedName)), maxBannedName)
	skeleton := []rune(lookalike.Skeleton(name))
	b := nameBan{name: name, skeleton: skeleton, distance: len(skeleton) / nameShare}
	if len(call.Args) > 1 {
		b.distance = call.Int(1)
	}
	b.inside = len(call.Args) > 2 && call.Int(2) != 0
	b.reason = printableText([]byte(call.Cut(3, "name_ban", "reason", maxBanReason)), maxBanReason)
	i, verb := s.findNameBan(name), "changed"
	switch {
	case len(skeleton) == 0:
		call.Warn("name_ban", "'%s' has no visible characters to compare names with", call.Arg(0))
		return
	case b.distance >= len(skeleton):
		// Else a slip, such as the minutes of a ban, would keep everybody out.
		call.Warn("name_ban", "%s: a distance of %d would ban all short names; it must be less than %d, the length of the name", name, b.distance, len(skeleton))
		return
	case i >= 0:
		s.nameBans[i] = b
	case len(s.nameBans) >= maxNameBans:
		call.Warn("name_ban", "there are already %d banned names; no more are possible", maxNameBans)
		return
	default:
		s.nameBans, verb = append(s.nameBans, b), "added"
	}
	call.Print("name_ban", "%s %s", verb, &b)
}

func (s *Server) cmdNameUnban(call *console.Call) {
	i := s.findNameBan(printableText([]byte(call.Arg(0)), maxBannedName))
	if i < 0 {
		call.Warn("name_ban", "%s is not banned; name_bans lists the banned names", logline.Quote(call.Arg(0)))
		return
	}
	call.Print("name_ban", "removed %s", &s.nameBans[i])
	s.nameBans = slices.Delete(s.nameBans, i, i+1)
}

func (s *Server) cmdNameBans(call *console.Call) {
	for i := range s.nameBans {
		call.Print("name_ban", "%s", &s.nameBans[i])
	}
	if len(s.nameBans) == 0 {
		call.Print("name_ban", "no name is banned")
	}
}

// editDistance returns how many characters have to be put in, taken out or replaced to make one text the other.
func editDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for k := range b {
			replaced := diagonal
			if a[i] != b[k] {
				replaced++
			}
			diagonal = row[k+1]
			row[k+1] = min(replaced, row[k]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
