package server

import (
	"fmt"
	"slices"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/access"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/logline"
)

// ddnetCommands are commands of the console that operators of DDNet know. They help in all modes, and
// stand in no list.
func (s *Server) ddnetCommands() []console.Command {
	const hidden = console.Server | console.Hidden
	return []console.Command{
		{Name: "vote_mute", Params: "i[id] i[seconds]", Help: "Forbid a player to call votes for x seconds", Flags: hidden, Run: s.cmdVoteMute},
		{Name: "vote_unmute", Params: "i[id]", Help: "Allow a player to call votes again", Flags: hidden, Run: s.cmdVoteUnmute},
		{Name: "vote_mutes", Help: "List the players who may not call votes", Flags: hidden, Run: s.cmdVoteMutes},
		{Name: "vote_no", Help: "End the running vote with a no", Flags: hidden, Run: func(*console.Call) { s.decideVote("no") }},
		{Name: "moderate", Help: "Start or stop moderating votes about players yourself", Flags: hidden, Run: s.cmdModerate},
		{Name: "pause_game", Help: "Pause/unpause game", Flags: hidden, Run: s.cmdPause},
		{Name: "random_map", Params: "?i[stars]", Help: "Change to a random map that players can vote for", Flags: hidden | console.Store, Run: s.cmdRandomMap},
		{Name: "random_unfinished_map", Params: "?i[stars]", Help: "Change to a random map that the caller of the vote has not finished", Flags: hidden | console.Store, Run: s.cmdRandomMap},
		{Name: "dump_antibot", Help: "Print that this server has no antibot module", Flags: hidden, Run: dumpAntibot},
		{Name: "mute", Help: "Explain how to mute", Flags: hidden, Run: func(call *console.Call) {
			call.Print("mutes", "use 'muteid ID SECONDS [REASON]' or 'muteip ADDRESS SECONDS [REASON]'")
		}},
		{Name: "unmute", Params: "i[number]", Help: "End the mute with this number in the list of mutes", Flags: hidden, Run: s.cmdUnmute},
	}
}

const maxVoteMuteSeconds = 24 * 60 * 60

// barredFromVotes returns why a player who is muted or vote_mute hit may call no vote, "" for others.
func (c *session) barredFromVotes() string {
	left := 0
	if m := c.server.voteMuteOf(c); m != nil {
		left = m.SecondsLeft(c.server.now)
	}
	muted, _ := c.mutedFor() // a vote shows its reason
	if left = max(left, muted); left == 0 {
		return ""
	}
	return fmt.Sprintf("You are not permitted to vote for the next %d seconds.", left)
}

// voteMuteOf returns the mute that keeps a session from calling votes, nil if there is none.
func (s *Server) voteMuteOf(c *session) *access.Mute { return s.votes.mutes.Find(s.now, c.peer.Addr()) }

func (s *Server) cmdVoteMute(call *console.Call) {
	c := s.sessionArg(call)
	if c == nil {
		call.Warn("votemute", "Client ID not found")
		return
	}
	seconds := min(max(call.Int(1), 1), maxVoteMuteSeconds)
	m := access.NewMute(s.now, c.peer.Addr(), s.playerName(c.id), seconds, "")
	if old := s.voteMuteOf(c); old != nil {
		*old = m
	} else if !s.votes.mutes.Full() {
		s.votes.mutes.Add(s.now, m)
	} else {
		call.Warn("votemute", "vote mute array is full")
		return
	}
	s.tellVoters(call, fmt.Sprintf("'%s' banned '%s' for %d seconds from voting.", s.callerName(call), m.Name, seconds))
}

func (s *Server) cmdVoteUnmute(call *console.Call) {
	c := s.sessionArg(call)
	if c == nil {
		call.Warn("voteunmute", "Client ID not found")
		return
	}
	if s.votes.mutes.Remove(c.peer.Addr()) {
		s.tellVoters(call, fmt.Sprintf("'%s' unbanned '%s' from voting.", s.callerName(call), s.playerName(c.id)))
	}
}

func (s *Server) cmdVoteMutes(call *console.Call) {
	list := s.votes.mutes.All(s.now)
	if len(list) == 0 {
		call.Print("votemutes", "There are no active vote mutes.")
	} else if s.dialect == logline.DDNet {
		call.Print("votemutes", "Active vote mutes:")
	}
	for i := range list {
		if m := &list[i]; s.dialect == logline.DDNet {
			call.Print("votemutes", "%d: \"%s\", %d seconds left", i, m.Person.Addr(), m.SecondsLeft(s.now))
			continue
		}
		call.Print("votemutes", "%d: %s", i, list[i].Describe(s.now))
	}
}

// tellVoters prints a line and tells it the players.
func (s *Server) tellVoters(call *console.Call, text string) {
	call.Print(call.Name, "%s", text)
	s.sayToAll(text)
}

func (s *Server) sayToAll(text string) {
	s.queueCommand(game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: text})
}

// callerName returns the name of the operator who runs a command.
func (s *Server) callerName(call *console.Call) string {
	if id := call.Caller.ID; id >= 0 && id < len(s.sessions) && s.sessions[id] != nil {
		return s.playerName(game.PlayerID(id))
	}
	return "Operator"
}

// cmdModerate lets an operator who plays moderate votes about players, or no longer.
func (s *Server) cmdModerate(call *console.Call) {
	id := call.Caller.ID
	if id < 0 || id >= len(s.sessions) || s.sessions[id] == nil {
		call.Warn("server", "moderate works only for operators in the game")
		return
	}
	c := s.sessions[id]
	c.moderating = !c.moderating
	if c.moderating {
		c.reply("Active moderator mode enabled for you.")
	} else {
		c.reply("Active moderator mode disabled for you.")
	}
}

// tickModerators tells players when somebody begins to moderate votes, and when nobody does any more.
func (s *Server) tickModerators() {
	now := slices.ContainsFunc(s.sessions[:], func(c *session) bool { return c != nil && c.moderating && c.rcon.authed })
	if now == s.votes.moderated {
		return
	}
	s.votes.moderated = now
	if now {
		s.sayToAll("Server kick/spec votes will now be actively moderated.")
	} else {
		s.sayToAll("Server kick/spec votes are no longer actively moderated.")
	}
}

// isAboutPlayer reports whether a vote is to kick somebody or to move them.
func (v *vote) isAboutPlayer() bool {
	return v.kind == bridge.VoteKick || v.kind == bridge.VoteSpectate
}

// runsVoteAboutPlayer reports whether a player has called the vote that runs, to kick or to move somebody.
func (s *Server) runsVoteAboutPlayer(id game.PlayerID) bool {
	return s.votes.current.caller == id && s.votes.current.isAboutPlayer()
}

func (s *Server) cmdUnmute(call *console.Call) {
	i := call.Int(0)
	m, ok := s.mutes.Numbered(i)
	if !ok {
		call.Warn("mutes", "mute %d does not exist; mutes lists the mutes", i)
		return
	}
	s.endMute(call, m.Person.Addr())
}
