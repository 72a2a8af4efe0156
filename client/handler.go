package client

import (
	"fmt"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
)

// player returns the player that an event is about.
func (c *Client) player(id game.PlayerID) Player {
	if id < 0 || id >= game.MaxPlayers {
		return Player{ID: game.Nobody}
	}
	info, _ := c.session.side.Player(id)
	return Player{ID: id, Name: info.Profile.Name, Clan: info.Profile.Clan, Team: info.Team}
}

// gameHandler makes events of the messages that a session receives.
type gameHandler struct{ *Client }

// OnServerInfo and the methods below implement bridge.GameHandler.
func (s gameHandler) OnServerInfo(i *bridge.ServerInfo) {
	s.queueEvent(ServerInfo{Version: i.Version, Name: i.Name, Map: i.Map, GameType: i.GameType, Slots: int(i.PlayerSlots), Clients: int(i.MaxClients)})
}

func (s gameHandler) OnMotd(text string) {
	if text != "" {
		s.queueEvent(Motd{Text: strings.ReplaceAll(text, `\n`, "\n")}) // operators write line breaks as \n
	}
}

func (s gameHandler) OnRaceFinish(id game.PlayerID, time, diff int32, record bool) {
	s.queueEvent(RaceFinish{Player: s.player(id), Time: time, Diff: diff, Record: record})
}

func (s gameHandler) OnCheckpoint(diff int32) { s.queueEvent(Checkpoint{Diff: diff}) }

func (s gameHandler) OnVoteStatus(yes, no, pass, total int32) {
	s.queueEvent(VoteCount{Yes: int(yes), No: int(no), Pass: int(pass), Total: int(total)})
}

func (s gameHandler) OnRconAuthStatus(on bool) {
	s.rcon.loggedIn = on
	if !on {
		s.rcon.endRuns(ErrRcon)
		s.lists.commands, s.lists.maps = nil, nil
	}
	s.queueEvent(RconAuth{On: on})
}

func (s gameHandler) OnRconLine(line string) {
	s.rcon.addLine(line)
	s.queueEvent(RconLine{Text: line})
}

// OnEvent makes an event with names of an event of the game.
func (s gameHandler) OnEvent(ev *game.Event) {
	c := s.Client
	who := c.player(ev.Player)
	switch ev.Kind {
	case game.EvPlayerEntered:
		c.queueEvent(Joined{Player: who, Known: !c.entered, Quiet: ev.Flag})
	case game.EvPlayerLeft:
		c.queueEvent(Left{Player: who, Reason: ev.Text, Quiet: ev.Flag})
	case game.EvTeamChange:
		c.queueEvent(TeamChange{Player: who, Quiet: ev.Flag})
	case game.EvChat:
		c.queueEvent(Chat{From: who, To: c.player(ev.Target), Mode: ev.Chat, Text: ev.Text})
	case game.EvKill:
		c.queueEvent(Kill{Killer: who, Victim: c.player(ev.Target), Weapon: ev.Weapon, Special: ev.Value})
	case game.EvPickup:
		c.queueEvent(PickedUp{Weapon: ev.Weapon})
	case game.EvEmoticon:
		c.queueEvent(Emoticon{Player: who, Emoticon: int(ev.Value)})
	case game.EvSkinChange:
		c.queueEvent(SkinChange{Player: who})
	case game.EvGameInfo:
		g := c.session.side.GameInfo()
		c.queueEvent(GameInfo{ScoreLimit: g.ScoreLimit, TimeLimit: g.TimeLimit, Match: g.MatchCurrent, Matches: g.MatchNum})
	case game.EvServerSettings:
		c.queueEvent(Settings{})
	case game.EvTuneParams:
		c.queueEvent(Tuning{})
	case game.EvGameMsg:
		c.queueEvent(Notice{Kind: ev.GameMsg, Player: who, Team: game.Team(min(max(ev.Value, -1), 1)), Text: noticeText(ev, who.Name)})
	case game.EvBroadcast:
		c.queueEvent(Broadcast{Text: strings.ReplaceAll(ev.Text, `\n`, "\n")})
	}
}

func (s gameHandler) OnVote(v *bridge.Vote) {
	what := v.Description
	switch v.Kind {
	case bridge.VotePassed, bridge.VoteFailed, bridge.VoteAborted, bridge.VoteNone:
		s.queueEvent(VoteEnd{Passed: v.Kind == bridge.VotePassed, Aborted: v.Kind == bridge.VoteAborted || v.Kind == bridge.VoteNone})
		return
	case bridge.VoteKick:
		what = "kick " + what
	case bridge.VoteSpectate:
		what = "move to spectators " + what
	}
	s.queueEvent(VoteStart{By: s.player(v.Caller), What: what, Reason: v.Reason, Time: time.Duration(v.Timeout) * time.Second})
}

var noticeTeams = map[game.Team]string{game.TeamSpectators: "spectators", game.TeamRed: "red team", game.TeamBlue: "blue team"}

// noticeText returns the text of a game message.
func noticeText(ev *game.Event, name string) string {
	side := noticeTeams[game.Team(min(max(ev.Value, -1), 1))]
	switch ev.GameMsg {
	case game.GameMsgTeamSwap:
		return "The teams were swapped"
	case game.GameMsgSpecInvalidID:
		return "This player cannot be watched"
	case game.GameMsgTeamShuffle:
		return "The teams were shuffled"
	case game.GameMsgTeamBalance:
		return "The teams were balanced"
	case game.GameMsgCTFDrop:
		return "A flag was dropped"
	case game.GameMsgCTFReturn:
		return "A flag was returned"
	case game.GameMsgTeamAll:
		return "Everybody was moved to the " + side
	case game.GameMsgTeamBalanceVictim:
		return "You were moved to the " + side + " for balance"
	case game.GameMsgCTFGrab:
		return "The flag of the " + side + " was taken"
	case game.GameMsgCTFCapture:
		return fmt.Sprintf("%s captured the flag of the %s after %.2f s", name, side, float64(ev.Extra)/game.TickRate)
	case game.GameMsgGamePaused:
		return "The game was paused by " + name
	}
	return ""
}

// nopHandler implements bridge.GameHandler and ignores everything.
type nopHandler struct{}

func (nopHandler) OnEvent(*game.Event)                            {}
func (nopHandler) OnServerInfo(*bridge.ServerInfo)                {}
func (nopHandler) OnMotd(string)                                  {}
func (nopHandler) OnRaceFinish(game.PlayerID, int32, int32, bool) {}
func (nopHandler) OnCheckpoint(int32)                             {}
func (nopHandler) OnVote(*bridge.Vote)                            {}
func (nopHandler) OnVoteStatus(int32, int32, int32, int32)        {}
func (nopHandler) OnVoteOptions([]string, bool)                   {}
func (nopHandler) OnVoteOptionRemoved(string)                     {}
func (nopHandler) OnRconAuthStatus(bool)                          {}
func (nopHandler) OnRconLine(string)                              {}
func (nopHandler) OnRconCommand(*bridge.CommandInfo)              {}
func (nopHandler) OnRconCommandRemoved(string)                    {}
func (nopHandler) OnMapListEntry(string, bool)                    {}
func (nopHandler) OnChatCommand(*bridge.CommandInfo, bool)        {}
