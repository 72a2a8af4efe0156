package client

import (
	"fmt"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
)

// player is whom an event is about.
func (c *Client) player(id game.PlayerID) Player {
	if id < 0 || id >= game.MaxPlayers {
		return Player{ID: game.Nobody}
	}
	info, _ := c.s.guest.Player(id)
	return Player{ID: id, Name: info.Profile.Name, Clan: info.Profile.Clan, Team: info.Team}
}

// story makes events of what the session hears.
type story struct{ *Client }

// OnServerInfo implements bridge.GameHandler, as the methods below.
func (s story) OnServerInfo(i *bridge.ServerInfo) {
	s.event(ServerInfo{Version: i.Version, Name: i.Name, Map: i.Map, GameType: i.GameType, Slots: int(i.PlayerSlots), Clients: int(i.MaxClients)})
}

func (s story) OnMotd(text string) {
	if text != "" {
		s.event(Motd{Text: strings.ReplaceAll(text, `\n`, "\n")}) // as operators write it
	}
}

func (s story) OnRaceFinish(id game.PlayerID, time, diff int32, record bool) {
	s.event(RaceFinish{Player: s.player(id), Time: time, Diff: diff, Record: record})
}

func (s story) OnCheckpoint(diff int32) { s.event(Checkpoint{Diff: diff}) }

func (s story) OnVoteStatus(yes, no, pass, total int32) {
	s.event(VoteCount{Yes: int(yes), No: int(no), Pass: int(pass), Total: int(total)})
}

func (s story) OnRconAuthStatus(on bool) {
	s.rcon.on = on
	if !on {
		s.rcon.lost(ErrRcon)
		s.lists.commands, s.lists.maps = nil, nil
	}
	s.event(RconAuth{On: on})
}

func (s story) OnRconLine(line string) {
	s.rcon.heard(line)
	s.event(RconLine{Text: line})
}

// OnEvent names who an event of the game is about.
func (s story) OnEvent(ev *game.Event) {
	c := s.Client
	who := c.player(ev.Player)
	switch ev.Kind {
	case game.EvPlayerEntered:
		c.event(Joined{Player: who, Known: !c.entered, Quiet: ev.Flag})
	case game.EvPlayerLeft:
		c.event(Left{Player: who, Reason: ev.Text, Quiet: ev.Flag})
	case game.EvTeamChange:
		c.event(TeamChange{Player: who, Quiet: ev.Flag})
	case game.EvChat:
		c.event(Chat{From: who, To: c.player(ev.Target), Mode: ev.Chat, Text: ev.Text})
	case game.EvKill:
		c.event(Kill{Killer: who, Victim: c.player(ev.Target), Weapon: ev.Weapon, Special: ev.Value})
	case game.EvPickup:
		c.event(PickedUp{Weapon: ev.Weapon})
	case game.EvEmoticon:
		c.event(Emoticon{Player: who, Emoticon: int(ev.Value)})
	case game.EvSkinChange:
		c.event(SkinChange{Player: who})
	case game.EvGameInfo:
		g := c.s.guest.GameInfo()
		c.event(GameInfo{ScoreLimit: g.ScoreLimit, TimeLimit: g.TimeLimit, Match: g.MatchCurrent, Matches: g.MatchNum})
	case game.EvServerSettings:
		c.event(Settings{})
	case game.EvTuneParams:
		c.event(Tuning{})
	case game.EvGameMsg:
		c.event(Notice{Kind: ev.GameMsg, Player: who, Team: game.Team(min(max(ev.Value, -1), 1)), Text: words(ev, who.Name)})
	case game.EvBroadcast:
		c.event(Broadcast{Text: strings.ReplaceAll(ev.Text, `\n`, "\n")})
	}
}

func (s story) OnVote(v *bridge.Vote) {
	what := v.Description
	switch v.Kind {
	case bridge.VotePassed, bridge.VoteFailed, bridge.VoteAborted, bridge.VoteNone:
		s.event(VoteEnd{Passed: v.Kind == bridge.VotePassed, Aborted: v.Kind == bridge.VoteAborted || v.Kind == bridge.VoteNone})
		return
	case bridge.VoteKick:
		what = "kick " + what
	case bridge.VoteSpectate:
		what = "move to spectators " + what
	}
	s.event(VoteStart{By: s.player(v.Caller), What: what, Reason: v.Reason, Time: time.Duration(v.Timeout) * time.Second})
}

var sides = map[game.Team]string{game.TeamSpectators: "spectators", game.TeamRed: "red team", game.TeamBlue: "blue team"}

// words is what a notice says.
func words(ev *game.Event, name string) string {
	side := sides[game.Team(min(max(ev.Value, -1), 1))]
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

// deaf hears nothing.
type deaf struct{}

func (deaf) OnEvent(*game.Event)                            {}
func (deaf) OnServerInfo(*bridge.ServerInfo)                {}
func (deaf) OnMotd(string)                                  {}
func (deaf) OnRaceFinish(game.PlayerID, int32, int32, bool) {}
func (deaf) OnCheckpoint(int32)                             {}
func (deaf) OnVote(*bridge.Vote)                            {}
func (deaf) OnVoteStatus(int32, int32, int32, int32)        {}
func (deaf) OnVoteOptions([]string, bool)                   {}
func (deaf) OnVoteOptionRemoved(string)                     {}
func (deaf) OnRconAuthStatus(bool)                          {}
func (deaf) OnRconLine(string)                              {}
func (deaf) OnRconCommand(*bridge.CommandInfo)              {}
func (deaf) OnRconCommandRemoved(string)                    {}
func (deaf) OnMapListEntry(string, bool)                    {}
func (deaf) OnChatCommand(*bridge.CommandInfo, bool)        {}
