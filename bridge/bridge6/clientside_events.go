package bridge6

import (
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/clientstate"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// ReceiveSnapshot also compares snapshots to derive events for which 0.6 has no messages. These are
// flag events, new limits, and players who join, leave, change team or change skin. These events
// are silent, because servers write chat lines about them.
func (c *clientSide) ReceiveSnapshot(tick int32, s *snapshot.Snapshot) *game.View {
	c.decodeSnapshot(tick, s)
	if c.voteEnded {
		c.endVote(event.VoteNone)
	}
	for id := range c.received {
		c.updatePlayer(game.PlayerID(id))
	}
	c.updateLimits()
	c.updateFlags(tick)
	return &c.CurrentView
}

// updatePlayer compares a player in the snapshot with the known facts and reports changes.
func (c *clientSide) updatePlayer(id game.PlayerID) {
	s, p := &c.received[id], &c.Players[id]
	present := s.hasPlayerInfo && s.hasClientInfo
	if !present && !p.InGame {
		return
	}
	changed := present && c.clientInfos[id] != s.clientInfo
	var profile game.Profile
	if changed {
		profile = decodeProfile(&s.clientInfo)
	}
	ev := game.Event{Player: id, Target: game.Nobody, Flag: true}
	if p.InGame && (!present || changed && p.Profile.Name != profile.Name) {
		p.InGame, p.Alive = false, false
		ev.Kind = game.EvPlayerLeft
		c.onEvent(ev)
	}
	if !present {
		return
	}
	if !p.InGame {
		if !changed { // the id's last player came back
			profile = p.Profile
		}
		*p = game.PlayerInfo{ID: id, InGame: true, Team: s.team, Profile: profile, Silent: true, Alive: p.Alive, Score: p.Score, Flags: p.Flags}
		c.clientInfos[id] = s.clientInfo
		ev.Kind, ev.Team = game.EvPlayerEntered, p.Team
		c.onEvent(ev)
		return
	}
	if changed {
		p.Profile, c.clientInfos[id] = profile, s.clientInfo
		ev.Kind = game.EvSkinChange
		c.onEvent(ev)
	}
	if p.Team != s.team {
		p.Team = s.team
		ev.Kind, ev.Team = game.EvTeamChange, p.Team
		c.onEvent(ev)
	}
}

// decodeProfile returns the profile in a ClientInfo.
func decodeProfile(ints *[msg6.SizeClientInfo]int32) game.Profile {
	var o msg6.ClientInfo
	o.ReadInts(ints[:]) // fails only for a wrong size
	o.Clamp()
	text := func(packed []int32) string {
		var b [32]byte
		return safetext.Line(message.AppendIntsToStr(b[:0], packed))
	}
	return game.Profile{
		Name: text(o.Name[:]), Clan: text(o.Clan[:]), Country: o.Country,
		Skin: fromSkin06(skin06{name: text(o.Skin[:]), useCustomColor: o.UseCustomColor != 0, colorBody: o.ColorBody, colorFeet: o.ColorFeet}),
	}
}

// updateLimits compares the limits and the match number with the known ones and reports a change.
func (c *clientSide) updateLimits() {
	g := &c.Frame.Game
	limits := clientstate.EmptyGameState()
	limits.Flags, limits.ScoreLimit, limits.TimeLimit = g.Flags, g.ScoreLimit, g.TimeLimit
	limits.MatchNum, limits.MatchCurrent = g.MatchNum, g.MatchCurrent
	if c.limitsKnown && c.Limits == limits {
		return
	}
	c.limitsKnown, c.Limits = true, limits
	c.onEvent(game.Event{Kind: game.EvGameInfo, Player: game.Nobody, Target: game.Nobody})
}

// flagTracker remembers the flags of the last snapshot.
type flagTracker struct {
	known    bool
	carrier  [2]int32
	score    [2]int32
	grabTick [2]int32 // tick at which a flag was taken from its stand
}

// updateFlags reports flag events since the last snapshot.
func (c *clientSide) updateFlags(tick int32) {
	g, t := &c.Frame.Game, &c.flags
	last := *t
	t.known, t.carrier, t.score = g.Flags&game.GameFlagFlags != 0, g.FlagCarrier, g.TeamScore
	if !t.known || !last.known {
		return
	}
	for i := range t.carrier {
		from, to := last.carrier[i], g.FlagCarrier[i]
		if from == to {
			continue
		}
		ev := game.Event{Kind: game.EvGameMsg, Player: game.Nobody, Target: game.Nobody, Value: int32(i)}
		switch {
		case to >= 0 && from < 0:
			ev.GameMsg = game.GameMsgCTFGrab
			if from == int32(msg6.FlagAtStand) {
				t.grabTick[i] = tick
			}
		case to == int32(msg6.FlagTaken) && from >= 0:
			ev.GameMsg, ev.Value = game.GameMsgCTFDrop, 0
		case to == int32(msg6.FlagAtStand) && from >= 0 && g.TeamScore[1-i] > last.score[1-i]:
			ev.GameMsg, ev.Player, ev.Extra = game.GameMsgCTFCapture, bridge.PlayerIDOf(from), tick-t.grabTick[i]
		case to == int32(msg6.FlagAtStand) && from >= int32(msg6.FlagTaken):
			ev.GameMsg, ev.Value = game.GameMsgCTFReturn, 0
		default:
			continue
		}
		c.onEvent(ev)
	}
}

// receiveChat handles a chat line. From the server's lines, receiveChat also reads who called a
// vote and how a vote ended.
func (c *clientSide) receiveChat(m *msg6.SvChat) {
	ev := game.Event{Kind: game.EvChat, Player: bridge.PlayerIDOf(m.ClientID), Target: game.Nobody, Chat: game.ChatAll, Text: safetext.Line(m.Message)}
	switch m.Mode {
	case msg6.ChatTeam:
		ev.Chat = game.ChatTeam
	case msg6.ChatWhisperSent:
		ev.Chat, ev.Player, ev.Target = game.ChatWhisper, c.Own, ev.Player
	case msg6.ChatWhisperReceived:
		ev.Chat, ev.Target = game.ChatWhisper, c.Own
	}
	if ev.Player == game.Nobody {
		if name, ok := parseVoteCaller(ev.Text); ok {
			c.voteCaller = c.playerNamed(name)
		}
		if kind := parseVoteEnd(ev.Text); c.voteEnded && kind != event.VoteNone {
			c.endVote(kind)
		}
	}
	c.onEvent(ev)
}

// votesAboutPlayers are the texts around the player's name in the descriptions of votes about a
// player. DDNet-Server uses different texts for votes about a team.
var votesAboutPlayers = []struct {
	before, after string
	kind          event.VoteKind
}{
	{"Kick '", "'", event.VoteKick},
	{"Ban '", "'", event.VoteKick},
	{"move '", "' to spectators", event.VoteSpectate},
	{"Move '", "' to spectators", event.VoteSpectate},
}

// receiveVote handles the beginning or the end of a vote.
func (c *clientSide) receiveVote(m *msg6.SvVoteSet) {
	if m.Timeout <= 0 {
		c.voteEnded = true // a chat line reports the result
		return
	}
	if c.voteEnded {
		c.endVote(event.VoteNone)
	}
	v := bridge.Vote{
		Kind: event.VoteOption, Caller: c.voteCaller, Timeout: m.Timeout,
		Description: safetext.Line(m.Description), Reason: safetext.Line(m.Reason), Target: game.Nobody,
	}
	for _, t := range votesAboutPlayers {
		if name, ok := cutAffixes(v.Description, t.before, t.after); ok {
			v.Kind, v.Description = t.kind, name
			break
		}
	}
	if v.Kind != event.VoteOption {
		v.Target = c.playerNamed(v.Description)
	}
	c.voteCaller = game.Nobody
	c.handler.OnVote(&v)
}

// endVote reports the end of a vote. Kind is VoteNone if the result is unknown.
func (c *clientSide) endVote(kind event.VoteKind) {
	c.voteEnded = false
	c.handler.OnVote(&bridge.Vote{Kind: kind, Caller: game.Nobody, Target: game.Nobody})
}

// playerNamed returns the first player with the given name, or -1.
func (c *clientSide) playerNamed(name string) game.PlayerID {
	for i := range c.Players {
		if p := &c.Players[i]; p.InGame && p.Profile.Name == name {
			return p.ID
		}
	}
	return game.Nobody
}

// parseVoteCaller returns the caller's name from a server's line about a new vote.
func parseVoteCaller(line string) (name string, ok bool) {
	if line, ok = strings.CutPrefix(line, "'"); !ok {
		return "", false
	}
	name, _, ok = strings.Cut(line, "' called ")
	return name, ok
}

// parseVoteEnd returns the result of a vote from a server's line. For other lines it returns
// VoteNone.
func parseVoteEnd(line string) event.VoteKind {
	switch line {
	case "Vote passed", "admin forced vote yes", "Vote passed enforced by authorized player":
		return event.VotePassed
	case "Vote failed", "admin forced vote no":
		return event.VoteFailed
	case "Vote aborted":
		return event.VoteAborted
	}
	return event.VoteNone
}

// cutAffixes returns s without prefix and suffix, if it has both.
func cutAffixes(s, prefix, suffix string) (string, bool) {
	s, ok := strings.CutPrefix(s, prefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(s, suffix)
}

// receiveTuneParams handles the tuning parameters. receiveTuneParams skips those that 0.7 does not
// have.
func (c *clientSide) receiveTuneParams(m *msg6.SvTuneParams) {
	n := copy(c.TuneParams[:laserDamageIndex], m.Params)
	if n == laserDamageIndex && len(m.Params) > n+1 {
		copy(c.TuneParams[n:], m.Params[n+1:])
	}
	c.DDRaceParams, c.NumDDRace = ddrace.Tuning{}, 0
	for _, n := range [...]int{ddrace.NumTuneParams16, ddrace.NumTuneParams} {
		if len(m.Params) >= n {
			c.NumDDRace = copy(c.DDRaceParams[:n], m.Params)
		}
	}
	c.onEvent(game.Event{Kind: game.EvTuneParams, Player: game.Nobody, Target: game.Nobody})
}
