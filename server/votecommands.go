package server

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
)

// findOption returns the index of the option with a text, in any case, or -1.
func (v *votes) findOption(text string) int {
	return slices.IndexFunc(v.options, func(o voteOption) bool { return strings.EqualFold(o.text, text) })
}

// hasOption reports what findOption finds, without looking at all of them if there is none.
func (v *votes) hasOption(text string) bool {
	return v.texts[optionKey(text)] > 0 && v.findOption(text) >= 0
}

// optionKey is the same for texts that differ in case only, and perhaps for others.
func optionKey(text string) uint32 {
	h := uint32(2166136261) // FNV
	for _, r := range text {
		h = (h ^ uint32(unicode.ToUpper(r))) * 16777619
	}
	return h
}

// Of the options a client gets the first ones at once and the others bit by bit: operators have up to a thousand.
const (
	firstVoteOptions   = 128
	voteOptionsPerTick = 15
)

// sendVoteOptions sends the client the next options, at most so many.
func (c *session) sendVoteOptions(most int) {
	next := c.server.votes.options[c.optionsSent:]
	next = next[:min(len(next), most)]
	texts := make([]string, len(next))
	for i := range next {
		texts[i] = next[i].text
	}
	c.bridge.SendVoteOptions(texts)
	c.optionsSent += len(next)
}

// knowsOptions reports whether a client was told of options already.
func (c *session) knowsOptions() bool { return c != nil && c.hasProfile && c.state >= stateReady }

func (s *Server) cmdAddVote(call *console.Call) {
	text, command := strings.TrimLeft(call.Arg(0), " "), call.Arg(1)
	if text == "" {
		text = call.Arg(0) // spaces are the empty lines of DDNet's menus
	}
	if s.waitsForMods(call, command) {
		return
	}
	switch {
	case len(s.votes.options) >= maxVoteOptions:
		call.Warn("server", "maximum number of vote options reached")
	case len(command) > maxVoteCommand:
		call.Warn("server", "skipped invalid command '%s': it has %d bytes; at most %d are allowed", s.console.Redact(command), len(command), maxVoteCommand)
	case s.console.Check(command, console.Operator) != nil:
		call.Warn("server", "skipped invalid command '%s'", s.console.Redact(command))
	case len(text) > maxVoteText:
		call.Warn("server", "skipped invalid option '%s': it has %d bytes; at most %d are allowed", text, len(text), maxVoteText)
	case text == "":
		call.Warn("server", "skipped invalid option '%s'", text)
	case call.Console.Reloading() && s.votes.hasOption(text):
		s.votes.options[s.votes.findOption(text)].command = command
	case s.votes.hasOption(text):
		call.Warn("server", "option '%s' already exists", text)
	default:
		s.votes.options = append(s.votes.options, voteOption{text, command})
		s.votes.texts[optionKey(text)]++
		if !s.race.resets { // with each map
			call.Print("server", "added option '%s' '%s'", text, s.console.Redact(command))
		}
		if name, ok := votedMap(command); ok && name != "" && !s.started && !s.hasMap(name) {
			call.Warn("server", "option '%s': map '%s' is missing, and the vote will fail: copy it to %s in the server's folder", text, name, mapFile(name))
		}
		s.forEachInGame(func(c *session) {
			if n, _ := c.conn.Unacked(); n < firstVoteOptions && c.optionsSent == len(s.votes.options)-1 {
				c.bridge.SendVoteOption(text)
				c.optionsSent++
			}
		})
	}
}

// waitsForMods makes a command about options wait for the world if its own may be of a mod, and
// all that come after it.
func (s *Server) waitsForMods(call *console.Call, command string) bool {
	if s.started || !s.votes.waiting && (command == "" || s.console.Check(command, console.Operator) == nil) {
		return false
	}
	s.votes.waiting = true
	call.Console.Wait(call)
	return true
}

func (s *Server) cmdRemoveVote(call *console.Call) {
	if s.waitsForMods(call, "") {
		return
	}
	i := s.votes.findOption(call.Arg(0))
	if i < 0 {
		call.Warn("server", "option '%s' does not exist", call.Arg(0))
		return
	}
	o := s.votes.options[i]
	for _, c := range s.sessions {
		if c.knowsOptions() && i < c.optionsSent {
			c.bridge.SendVoteOptionRemoved(o.text)
			c.optionsSent--
		}
	}
	s.votes.options = append(s.votes.options[:i:i], s.votes.options[i+1:]...)
	s.votes.texts[optionKey(o.text)]--
	s.menusStale()
	call.Print("server", "removed option '%s' '%s'", o.text, o.command)
}

func (s *Server) cmdClearVotes(call *console.Call) {
	if s.waitsForMods(call, "") {
		return
	}
	if !s.race.resets {
		call.Print("server", "cleared votes")
	}
	s.votes.options = nil
	clear(s.votes.texts)
	for _, c := range s.sessions {
		if c.knowsOptions() {
			c.bridge.SendVoteOptionsCleared()
			c.optionsSent = 0
		}
	}
	s.menusStale()
}

// cmdForceVote does what a vote would decide, as DDNet-Server does.
func (s *Server) cmdForceVote(call *console.Call) {
	kind := slices.Index(voteNames[:], strings.ToLower(call.Arg(0)))
	if kind <= 0 {
		call.Warn("server", "force_vote %q: not a kind of vote; use option, kick or spectate", call.Arg(0))
		return
	}
	v := vote{kind: bridge.VoteKind(kind), caller: game.Nobody, target: game.Nobody, reason: cmp.Or(call.Cut(2, "server", "reason", maxVoteReason), noVoteReason)}
	if refusal := s.resolveVote(&v, call.Arg(1)); refusal != "" {
		call.Warn("server", "%s", refusal)
		return
	}
	s.forceVote(&v, call.Caller)
}

func (s *Server) cmdVote(call *console.Call) {
	if s.votes.current.kind == bridge.VoteNone {
		return
	}
	s.decideVote(call.Arg(0))
	call.Print("server", "forcing vote %s", call.Arg(0))
}

// decideVote lets the vote that runs pass or fail.
func (s *Server) decideVote(how string) {
	v := &s.votes.current
	switch {
	case v.kind == bridge.VoteNone:
	case strings.EqualFold(how, "yes"):
		v.forced = 1
		s.sayVoteForced("yes")
		s.auditForced("yes", v.command)
	case strings.EqualFold(how, "no"):
		v.forced = -1
		s.sayVoteForced("no")
		s.auditForced("no", v.command)
	}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
