package client

import (
	"fmt"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// player is whom an event is about.
func (c *Client) player(id game.PlayerID) Player {
	if id < 0 || id >= game.MaxPlayers {
		return Player{ID: game.Nobody}
	}
	info, _ := c.lift.Player(id)
	return Player{ID: id, Name: info.Profile.Name, Clan: info.Profile.Clan, Team: info.Team}
}

// onMessage makes events of messages.
func (c *Client) onMessage(m msg7.Message) {
	if ev, ok := c.lift.Message(m); ok {
		c.onGame(&ev)
		return
	}
	switch m := m.(type) {
	case *msg7.ServerInfo:
		r := &m.Record
		c.event(ServerInfo{
			Version: bridge7.Text(r.Version), Name: bridge7.Text(r.Name), Map: bridge7.Text(r.Map), GameType: bridge7.Text(r.GameType),
			Slots: int(r.PlayerSlots), Clients: int(r.MaxClients),
		})
	case *msg7.SvMotd:
		if text := bridge7.Lines(m.Message); text != "" {
			c.event(Motd{Text: strings.ReplaceAll(text, `\n`, "\n")}) // as operators write it
		}
	case *msg7.SvRaceFinish:
		c.event(RaceFinish{Player: c.player(game.PlayerID(m.ClientID)), Time: m.Time, Diff: m.Diff, Record: m.RecordServer})
	case *msg7.SvCheckpoint:
		c.event(Checkpoint{Diff: m.Diff})
	case *msg7.SvVoteSet:
		c.onVote(m)
	case *msg7.SvVoteStatus:
		c.event(VoteCount{Yes: int(m.Yes), No: int(m.No), Pass: int(m.Pass), Total: int(m.Total)})
	case *msg7.RconAuthOn:
		c.rcon.on = true
		c.event(RconAuth{On: true})
	case *msg7.RconAuthOff:
		c.rcon.on = false
		c.lists.commands, c.lists.maps = nil, nil
		c.event(RconAuth{})
	case *msg7.RconLine:
		line := bridge7.Text(m.Line)
		c.rcon.heard(line)
		c.event(RconLine{Text: line})
	default:
		c.lists.take(m)
	}
}

// onGame names who an event of the game is about.
func (c *Client) onGame(ev *game.Event) {
	who := c.player(ev.Player)
	switch ev.Kind {
	case game.EvEntered:
		c.event(Joined{Player: who, Known: !c.entered, Quiet: ev.Flag})
	case game.EvLeft:
		c.event(Left{Player: who, Reason: ev.Text, Quiet: ev.Flag})
	case game.EvTeam:
		c.event(TeamChange{Player: who, Quiet: ev.Flag})
	case game.EvChat:
		c.event(Chat{From: who, To: c.player(ev.Target), Mode: ev.Chat, Text: ev.Text})
	case game.EvKill:
		c.event(Kill{Killer: who, Victim: c.player(ev.Target), Weapon: ev.Weapon, Special: ev.Value})
	case game.EvPickup:
		c.event(PickedUp{Weapon: ev.Weapon})
	case game.EvEmoticon:
		c.event(Emoticon{Player: who, Emoticon: int(ev.Value)})
	case game.EvSkin:
		c.event(SkinChange{Player: who})
	case game.EvGameInfo:
		g := c.lift.Limits()
		c.event(GameInfo{ScoreLimit: g.ScoreLimit, TimeLimit: g.TimeLimit, Match: g.MatchCur, Matches: g.MatchNum})
	case game.EvSettings:
		c.event(Settings{})
	case game.EvTuning:
		c.event(Tuning{})
	case game.EvNotice:
		c.event(Notice{Kind: ev.Notice, Player: who, Team: game.Team(min(max(ev.Value, -1), 1)), Text: words(ev, who.Name)})
	case game.EvBroadcast:
		c.event(Broadcast{Text: strings.ReplaceAll(ev.Text, `\n`, "\n")})
	}
}

func (c *Client) onVote(m *msg7.SvVoteSet) {
	switch m.Type {
	case msg7.VoteEndPass, msg7.VoteEndFail, msg7.VoteEndAbort:
		c.event(VoteEnd{Passed: m.Type == msg7.VoteEndPass, Aborted: m.Type == msg7.VoteEndAbort})
		return
	}
	if m.Timeout == 0 { // an end without a word, as to newcomers
		c.event(VoteEnd{Aborted: true})
		return
	}
	what := bridge7.Text(m.Description)
	switch m.Type {
	case msg7.VoteStartKick:
		what = "kick " + what
	case msg7.VoteStartSpec:
		what = "move to spectators " + what
	}
	c.event(VoteStart{
		By: c.player(game.PlayerID(m.ClientID)), What: what, Reason: bridge7.Text(m.Reason), Time: time.Duration(m.Timeout) * time.Second,
	})
}

var sides = map[game.Team]string{game.TeamSpectators: "spectators", game.TeamRed: "red team", game.TeamBlue: "blue team"}

// words is what a notice says.
func words(ev *game.Event, name string) string {
	side := sides[game.Team(min(max(ev.Value, -1), 1))]
	switch ev.Notice {
	case game.NoticeTeamSwap:
		return "The teams were swapped"
	case game.NoticeSpectateInvalid:
		return "This player cannot be watched"
	case game.NoticeTeamShuffle:
		return "The teams were shuffled"
	case game.NoticeTeamBalance:
		return "The teams were balanced"
	case game.NoticeFlagDropped:
		return "A flag was dropped"
	case game.NoticeFlagReturned:
		return "A flag was returned"
	case game.NoticeTeamAll:
		return "Everybody was moved to the " + side
	case game.NoticeTeamBalanceVictim:
		return "You were moved to the " + side + " for balance"
	case game.NoticeFlagGrabbed:
		return "The flag of the " + side + " was taken"
	case game.NoticeFlagCaptured:
		return fmt.Sprintf("%s captured the flag of the %s after %.2f s", name, side, float64(ev.Extra)/game.TickRate)
	case game.NoticePaused:
		return "The game was paused by " + name
	}
	return ""
}
