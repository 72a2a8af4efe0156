package access

import (
	"fmt"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/internal/lookalike"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// NameBan bans players with a name, as DDNet-Server does.
type NameBan struct {
	name, reason string
	skeleton     []rune
	distance     int  // the number of characters that may differ in similar names
	inside       bool // also ban names that contain the name, in any case
}

const (
	// maxNameBans bounds the comparisons when a player joins.
	maxNameBans   = 1024
	maxBannedName = 64
	nameShare     = 3 // by default, one of so many characters may differ
)

// Names is the list of banned names. The zero value is an empty list.
type Names struct{ list []NameBan }

func (n *Names) commands() []console.Command {
	open := console.Server | console.Store
	return []console.Command{
		{Name: "name_ban", Params: "s[name] ?i[distance] ?i[is_substring] ?r[reason]",
			Help:  "Ban a name and similar names (up to distance different characters; is_substring 1: also names that contain it)",
			Flags: open | console.Lasting, Run: n.cmdBan},
		{Name: "name_unban", Params: "s[name]", Help: "Unban a name", Flags: open | console.Lasting, Run: n.cmdUnban},
		{Name: "name_bans", Help: "List the banned names", Flags: open, Run: n.cmdList},
	}
}

// Find returns the ban of a name, or nil.
func (n *Names) Find(name string) *NameBan {
	if len(n.list) == 0 {
		return nil
	}
	skeleton := []rune(lookalike.Skeleton(name))
	for i := range n.list {
		b := &n.list[i]
		if editDistance(skeleton, b.skeleton) <= b.distance || b.inside && strings.Contains(strings.ToLower(name), strings.ToLower(b.name)) {
			return b
		}
	}
	return nil
}

// Message returns the text about the ban for the player.
func (b *NameBan) Message() string {
	if b.reason == "" {
		return "Kicked (your name is banned)"
	}
	return fmt.Sprintf("Kicked (your name is banned: %s)", b.reason)
}

// String returns the ban as a log line.
func (b *NameBan) String() string {
	return fmt.Sprintf("name=%s distance=%d is_substring=%d reason=%s", logline.Quote(b.name), b.distance, boolToInt(b.inside), logline.Quote(b.reason))
}

func (n *Names) index(name string) int {
	return slices.IndexFunc(n.list, func(b NameBan) bool { return b.name == name })
}

func (n *Names) cmdBan(call *console.Call) {
	name := printable(call.Cut(0, "name_ban", "name", maxBannedName), maxBannedName)
	skeleton := []rune(lookalike.Skeleton(name))
	b := NameBan{name: name, skeleton: skeleton, distance: len(skeleton) / nameShare}
	if len(call.Args) > 1 {
		b.distance = call.Int(1)
	}
	b.inside = len(call.Args) > 2 && call.Int(2) != 0
	b.reason = printable(call.Cut(3, "name_ban", "reason", maxReason), maxReason)
	i, verb := n.index(name), "changed"
	switch {
	case len(skeleton) == 0:
		call.Warn("name_ban", "'%s' has no visible characters to compare names with", call.Arg(0))
		return
	case b.distance >= len(skeleton):
		// A slip, such as the minutes of a ban, would ban all names.
		call.Warn("name_ban", "%s: a distance of %d would ban all short names; it must be less than %d, the length of the name",
			name, b.distance, len(skeleton))
		return
	case i >= 0:
		n.list[i] = b
	case len(n.list) >= maxNameBans:
		call.Warn("name_ban", "there are already %d banned names; no more are possible", maxNameBans)
		return
	default:
		n.list, verb = append(n.list, b), "added"
	}
	call.Print("name_ban", "%s %s", verb, &b)
}

func (n *Names) cmdUnban(call *console.Call) {
	i := n.index(printable(call.Arg(0), maxBannedName))
	if i < 0 {
		call.Warn("name_ban", "%s is not banned; name_bans lists the banned names", logline.Quote(call.Arg(0)))
		return
	}
	call.Print("name_ban", "removed %s", &n.list[i])
	n.list = slices.Delete(n.list, i, i+1)
}

func (n *Names) cmdList(call *console.Call) {
	for i := range n.list {
		call.Print("name_ban", "%s", &n.list[i])
	}
	if len(n.list) == 0 {
		call.Print("name_ban", "no name is banned")
	}
}

// editDistance returns the number of characters to insert, remove or replace until one text is the
// other.
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
