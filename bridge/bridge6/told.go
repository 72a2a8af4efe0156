package bridge6

import (
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// ReceiveSnapshot implements [bridge.ClientSide]. Who came, left, changed teams or looks otherwise
// is told as events, and so are what happens to flags and new limits: 0.6 has no
// messages of it but lines of the server's in the chat, so the events are silent.
func (g *ClientSide) ReceiveSnapshot(tick int32, s *snapshot.Snapshot) *game.View {
	g.take(tick, s)
	if g.voteOver {
		g.endVote(bridge.VoteNone)
	}
	for id := range g.seen {
		g.player(game.PlayerID(id))
	}
	now := &g.frame.Game
	if was := &g.limits; g.limited && (was.ScoreLimit != now.ScoreLimit || was.TimeLimit != now.TimeLimit ||
		was.MatchNum != now.MatchNum || was.MatchCurrent != now.MatchCurrent || was.Flags != now.Flags) || !g.limited {
		g.limits = game.GameState{
			Flags: now.Flags, ScoreLimit: now.ScoreLimit, TimeLimit: now.TimeLimit, MatchNum: now.MatchNum, MatchCurrent: now.MatchCurrent,
			FlagCarrier: [2]int32{int32(msg6.FlagMissing), int32(msg6.FlagMissing)},
		}
		g.limited = true
		g.tell(game.Event{Kind: game.EvGameInfo, Player: game.Nobody, Target: game.Nobody})
	}
	g.carried(tick, now)
	return &g.view
}

// tell passes an event on.
func (g *ClientSide) tell(ev game.Event) {
	g.ev = ev
	g.news.OnEvent(&g.ev)
	g.ev.Text = ""
}

// player compares what a snapshot has of a player with what is known of him.
func (g *ClientSide) player(id game.PlayerID) {
	s, r := &g.seen[id], &g.roster[id]
	here := s.here && s.dressed
	looks := here && g.looks[id] != s.look
	if !here && !r.InGame {
		return
	}
	ev := game.Event{Player: id, Target: game.Nobody, Flag: true}
	var dressed game.Profile
	if looks {
		dressed = profile6(&s.look)
	}
	if r.InGame && (!here || looks && r.Profile.Name != dressed.Name) {
		r.InGame, r.Alive = false, false
		ev.Kind = game.EvPlayerLeft
		g.tell(ev)
	}
	if !here {
		return
	}
	if !r.InGame {
		if !looks { // the same as the last who had the seat
			dressed = r.Profile
		}
		alive, score, flags := r.Alive, r.Score, r.Flags
		*r = game.PlayerInfo{ID: id, InGame: true, Team: s.team, Profile: dressed, Silent: true, Alive: alive, Score: score, Flags: flags}
		g.looks[id] = s.look
		ev.Kind, ev.Team = game.EvPlayerEntered, r.Team
		g.tell(ev)
		return
	}
	if looks {
		r.Profile, g.looks[id] = dressed, s.look
		ev.Kind = game.EvSkinChange
		g.tell(ev)
	}
	if r.Team != s.team {
		r.Team = s.team
		ev.Kind, ev.Team = game.EvTeamChange, r.Team
		g.tell(ev)
	}
}

// profile6 is who a ClientInfo tells of.
func profile6(ints *[msg6.SizeClientInfo]int32) game.Profile {
	var o msg6.ClientInfo
	o.ReadInts(ints[:]) // fails only for its size
	o.Clamp()
	text := func(packed []int32) string {
		var b [32]byte
		return bridge.Text(msg6.AppendIntsToStr(b[:0], packed))
	}
	return game.Profile{
		Name: text(o.Name[:]), Clan: text(o.Clan[:]), Country: o.Country,
		Skin: skinOf(look{name: text(o.Skin[:]), custom: o.UseCustomColor != 0, body: o.ColorBody, feet: o.ColorFeet}),
	}
}

// flagTracker remembers where the flags were.
type flagTracker struct {
	known   bool
	carrier [2]int32
	score   [2]int32
	grabbed [2]int32 // tick
}

// carried tells what happened to the flags since the last snapshot.
func (g *ClientSide) carried(tick int32, now *game.GameState) {
	t := &g.flags
	was := *t
	t.known, t.carrier, t.score = now.Flags&game.GameFlagFlags != 0, now.FlagCarrier, now.TeamScore
	if !t.known || !was.known {
		return
	}
	for i := range t.carrier {
		from, to := was.carrier[i], now.FlagCarrier[i]
		if from == to {
			continue
		}
		ev := game.Event{Kind: game.EvGameMsg, Player: game.Nobody, Target: game.Nobody, Value: int32(i)}
		switch {
		case to >= 0 && from < 0:
			ev.GameMsg = game.GameMsgCTFGrab
			if from == int32(msg6.FlagAtStand) {
				t.grabbed[i] = tick
			}
		case to == int32(msg6.FlagTaken) && from >= 0:
			ev.GameMsg, ev.Value = game.GameMsgCTFDrop, 0
		case to == int32(msg6.FlagAtStand) && from >= 0 && now.TeamScore[1-i] > was.score[1-i]:
			ev.GameMsg, ev.Player, ev.Extra = game.GameMsgCTFCapture, playerOf(from), tick-t.grabbed[i]
		case to == int32(msg6.FlagAtStand) && from >= int32(msg6.FlagTaken):
			ev.GameMsg, ev.Value = game.GameMsgCTFReturn, 0
		default:
			continue
		}
		g.tell(ev)
	}
}

// chat takes a line. The server's lines say, among other things, how votes ended.
func (g *ClientSide) chat(m *msg6.SvChat) {
	ev := game.Event{Kind: game.EvChat, Player: playerOf(m.ClientID), Target: game.Nobody, Chat: game.ChatAll, Text: bridge.Text(m.Message)}
	switch m.Mode {
	case msg6.ChatTeam:
		ev.Chat = game.ChatTeam
	case msg6.ChatWhisperSent:
		ev.Chat, ev.Player, ev.Target = game.ChatWhisper, g.own, ev.Player
	case msg6.ChatWhisperReceived:
		ev.Chat, ev.Target = game.ChatWhisper, g.own
	}
	if ev.Player == game.Nobody {
		if name, ok := caller(ev.Text); ok {
			g.caller = g.named(name)
		}
	}
	if g.voteOver && ev.Player == game.Nobody {
		switch ev.Text {
		case "Vote passed", "admin forced vote yes":
			g.endVote(bridge.VotePassed)
		case "Vote failed", "admin forced vote no":
			g.endVote(bridge.VoteFailed)
		case "Vote aborted":
			g.endVote(bridge.VoteAborted)
		}
	}
	g.tell(ev)
}

// vote takes that a vote runs, or is over.
func (g *ClientSide) vote(m *msg6.SvVoteSet) {
	if m.Timeout <= 0 {
		g.voteOver = true // how it ended is said in the chat
		return
	}
	if g.voteOver {
		g.endVote(bridge.VoteNone)
	}
	v := bridge.Vote{Kind: bridge.VoteOption, Caller: g.caller, Timeout: m.Timeout, Description: bridge.Text(m.Description), Reason: bridge.Text(m.Reason), Target: game.Nobody}
	if name, ok := between(v.Description, "Kick '", "'"); ok {
		v.Kind, v.Description = bridge.VoteKick, name
	} else if name, ok := between(v.Description, "move '", "' to spectators"); ok {
		v.Kind, v.Description = bridge.VoteSpectate, name
	}
	if v.Kind != bridge.VoteOption {
		v.Target = g.named(v.Description)
	}
	g.caller = game.Nobody
	g.news.OnVote(&v)
}

// named is the first player of a name; Nobody if there is none.
func (g *ClientSide) named(name string) game.PlayerID {
	for id := range g.roster {
		if r := &g.roster[id]; r.InGame && r.Profile.Name == name {
			return r.ID
		}
	}
	return game.Nobody
}

// caller is who called a vote, as the server's line in the chat has it.
func caller(line string) (name string, ok bool) {
	if line, ok = strings.CutPrefix(line, "'"); !ok {
		return "", false
	}
	name, _, ok = strings.Cut(line, "' called ")
	return name, ok
}

// between is what a text has between a beginning and an end.
func between(s, begin, end string) (string, bool) {
	s, ok := strings.CutPrefix(s, begin)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(s, end)
}

func (g *ClientSide) endVote(how bridge.VoteKind) {
	g.voteOver = false
	g.news.OnVote(&bridge.Vote{Kind: how, Caller: game.Nobody, Target: game.Nobody})
}

// tune takes the physics. Of what 0.7 does not have nothing is kept.
func (g *ClientSide) tune(m *msg6.SvTuneParams) {
	n := copy(g.tuning[:laserDamageIndex], m.Params)
	if n == laserDamageIndex && len(m.Params) > n+1 {
		copy(g.tuning[n:], m.Params[n+1:])
	}
	g.tell(game.Event{Kind: game.EvTuneParams, Player: game.Nobody, Target: game.Nobody})
}
