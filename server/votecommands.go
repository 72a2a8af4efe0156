package server

import (
	"cmp"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/server/console"
)

// findOption returns the index of the option with a text, in any case, or -1.
func (v *votes) findOption(text string) int {
	return slices.IndexFunc(v.options, func(o voteOption) bool { return strings.EqualFold(o.text, text) })
}

// optionTexts returns the texts of all options.
func (v *votes) optionTexts() []string {
	all := make([]string, len(v.options))
	for i := range v.options {
		all[i] = v.options[i].text
	}
	return all
}

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
	case len(command) > maxVoteCommand || s.console.Check(command, console.Operator) != nil:
		call.Warn("server", "skipped invalid command '%s'", s.console.Redact(command))
	case text == "" || len(text) > maxVoteText:
		call.Warn("server", "skipped invalid option '%s'", text)
	case call.Console.Reloading() && s.votes.findOption(text) >= 0:
		s.votes.options[s.votes.findOption(text)].command = command
	case s.votes.findOption(text) >= 0:
		call.Warn("server", "option '%s' already exists", text)
	default:
		s.votes.options = append(s.votes.options, voteOption{text, command})
		call.Print("server", "added option '%s' '%s'", text, s.console.Redact(command))
		s.forEachInGame(func(c *session) { c.bridge.SendVoteOption(text) })
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
	s.forEachInGame(func(c *session) { c.bridge.SendVoteOptionRemoved(o.text) })
	s.votes.options = append(s.votes.options[:i:i], s.votes.options[i+1:]...)
	s.menusStale()
	call.Print("server", "removed option '%s' '%s'", o.text, o.command)
}

func (s *Server) cmdClearVotes(call *console.Call) {
	if s.waitsForMods(call, "") {
		return
	}
	call.Print("server", "cleared votes")
	s.votes.options = nil
	s.forEachInGame(func(c *session) { c.bridge.SendVoteOptionsCleared() })
	s.menusStale()
}

// cmdForceVote does what a vote would decide, as DDNet-Server does.
func (s *Server) cmdForceVote(call *console.Call) {
	kind := slices.Index(voteNames[:], strings.ToLower(call.Arg(0)))
	if kind <= 0 {
		call.Warn("server", "a vote is option, kick or spectate, not %q", call.Arg(0))
		return
	}
	v := vote{kind: bridge.VoteKind(kind), caller: game.Nobody, target: game.Nobody, reason: safetext.Truncate(cmp.Or(call.Arg(2), noVoteReason), maxVoteReason)}
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
		s.auditForced("yes", v.command)
	case strings.EqualFold(how, "no"):
		v.forced = -1
		s.auditForced("no", v.command)
	}
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
