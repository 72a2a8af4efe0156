package client

import (
	"errors"
	"strconv"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
)

// request asks something of the server, at once. The error is that of conn.Queue: not
// online, or the server does not take what is sent.
func (c *Client) request(do func(g bridge.ClientSide)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.currentTime()
	if err := c.session.Request(c.now, do); err != nil {
		return err
	}
	if c.network != nil {
		c.network.sock.Flush()
	}
	return nil
}

// ErrVersion: the version of the protocol that the server speaks has no such thing.
var ErrVersion = errors.New("client: not possible in this version")

func (c *Client) sendCommand(cmd game.Command) error {
	can := false
	if err := c.request(func(g bridge.ClientSide) { can = g.SendCommand(&cmd) }); err != nil {
		return err
	}
	if !can {
		return ErrVersion
	}
	return nil
}

// Say says a line to all.
func (c *Client) Say(text string) error {
	return c.sendCommand(game.Command{Kind: game.CmdSay, Target: game.Nobody, Chat: game.ChatAll, Text: text})
}

// SayTeam says a line to the own team.
func (c *Client) SayTeam(text string) error {
	return c.sendCommand(game.Command{Kind: game.CmdSay, Target: game.Nobody, Chat: game.ChatTeam, Text: text})
}

// Whisper says a line to one player.
func (c *Client) Whisper(to game.PlayerID, text string) error {
	return c.sendCommand(game.Command{Kind: game.CmdSay, Target: to, Chat: game.ChatWhisper, Text: text})
}

// ChatCommand runs one of ChatCommands.
func (c *Client) ChatCommand(name, args string) error {
	return c.request(func(g bridge.ClientSide) { g.SendChatCommand(name, args) })
}

// SetTeam asks to change to a team.
func (c *Client) SetTeam(t game.Team) error {
	return c.sendCommand(game.Command{Kind: game.CmdSetTeam, Target: game.Nobody, Team: t})
}

// Spectate chooses what a spectator looks at; id counts for SpectatePlayer.
func (c *Client) Spectate(mode game.SpectateMode, id game.PlayerID) error {
	if mode != game.SpectatePlayer {
		id = game.Nobody
	}
	return c.sendCommand(game.Command{Kind: game.CmdSpectate, Target: id, Spectate: mode})
}

// Emote shows an emoticon, 0..15.
func (c *Client) Emote(emoticon int) error {
	return c.sendCommand(game.Command{Kind: game.CmdEmoticon, Value: int32(emoticon)})
}

// Kill dies.
func (c *Client) Kill() error { return c.sendCommand(game.Command{Kind: game.CmdKill}) }

// ToggleReady tells that one is ready, or no longer.
func (c *Client) ToggleReady() error { return c.sendCommand(game.Command{Kind: game.CmdReady}) }

// SetSkin changes one's looks.
func (c *Client) SetSkin(s game.Skin) error {
	return c.sendCommand(game.Command{Kind: game.CmdSkinChange, Profile: &game.Profile{Skin: s}})
}

// SetInput is what the tee does from now on. With Config.Play it counts for nothing.
func (c *Client) SetInput(in game.Input) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.input = in
}

// VoteOption calls a vote on one of VoteOptions.
func (c *Client) VoteOption(option, reason string) error {
	return c.callVote(bridge.VoteOption, option, reason)
}

// VoteKick calls a vote to kick a player.
func (c *Client) VoteKick(id game.PlayerID, reason string) error {
	return c.callVote(bridge.VoteKick, strconv.Itoa(int(id)), reason)
}

// VoteSpectate calls a vote to move a player to the spectators.
func (c *Client) VoteSpectate(id game.PlayerID, reason string) error {
	return c.callVote(bridge.VoteSpectate, strconv.Itoa(int(id)), reason)
}

func (c *Client) callVote(kind bridge.VoteKind, value, reason string) error {
	return c.request(func(g bridge.ClientSide) { g.SendCallVote(kind, value, reason) })
}

// Vote answers the vote that runs.
func (c *Client) Vote(yes bool) error {
	vote := int32(-1)
	if yes {
		vote = 1
	}
	return c.request(func(g bridge.ClientSide) { g.SendVote(vote) })
}
