package client

import (
	"errors"
	"strconv"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
)

// request calls send with the bridge and sends the queued messages at once. It returns the error of
// conn.Queue: the client is not online, or the server acknowledges nothing. The error wraps
// ErrTooLong if a message does not fit into a datagram.
func (c *Client) request(send func(b bridge.ClientSide)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.currentTime()
	if err := c.session.Request(c.now, send); err != nil {
		return err
	}
	if c.network != nil {
		c.network.sock.Flush()
	}
	return nil
}

// ErrVersion means that the protocol version of the connection has no such request.
var ErrVersion = errors.New("client: not possible in this protocol version")

func (c *Client) sendCommand(cmd game.Command) error {
	return c.attempt(func(g bridge.ClientSide) bool { return g.SendCommand(&cmd) })
}

// attempt is request for messages that a protocol version may lack. It then returns ErrVersion.
func (c *Client) attempt(send func(b bridge.ClientSide) bool) error {
	can := false
	if err := c.request(func(g bridge.ClientSide) { can = send(g) }); err != nil {
		return err
	}
	if !can {
		return ErrVersion
	}
	return nil
}

// Say sends a chat line to all players. The error wraps ErrTooLong if the line does not fit into a
// datagram, which holds at least 1,000 bytes. Servers cut lines at 127 characters, or at 255 where
// the rules of DDNet apply.
//
// With spam protection, servers drop a line that comes too soon after the last one, without an
// answer. Wait one second for each 16 characters of the new line, and at least one second.
func (c *Client) Say(text string) error {
	return c.sendCommand(game.Command{Kind: game.CmdSay, Target: game.Nobody, Chat: game.ChatAll, Text: text})
}

// SayTeam sends a chat line to the client's team.
func (c *Client) SayTeam(text string) error {
	return c.sendCommand(game.Command{Kind: game.CmdSay, Target: game.Nobody, Chat: game.ChatTeam, Text: text})
}

// Whisper sends a chat line to one player.
func (c *Client) Whisper(to game.PlayerID, text string) error {
	return c.sendCommand(game.Command{Kind: game.CmdSay, Target: to, Chat: game.ChatWhisper, Text: text})
}

// ChatCommand runs one of the commands that ChatCommands lists.
func (c *Client) ChatCommand(name, args string) error {
	return c.request(func(g bridge.ClientSide) { g.SendChatCommand(name, args) })
}

// SetTeam asks the server to move the client to a team.
func (c *Client) SetTeam(t game.Team) error {
	return c.sendCommand(game.Command{Kind: game.CmdSetTeam, Target: game.Nobody, Team: t})
}

// Spectate selects the view of a spectator. id matters only for game.SpectatePlayer.
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

// Kill kills the client's own tee.
func (c *Client) Kill() error { return c.sendCommand(game.Command{Kind: game.CmdKill}) }

// ToggleReady changes whether the player is ready, during warmups and pauses in ready mode.
func (c *Client) ToggleReady() error { return c.sendCommand(game.Command{Kind: game.CmdReady}) }

// SetSkin changes the client's skin.
func (c *Client) SetSkin(s game.Skin) error {
	return c.sendCommand(game.Command{Kind: game.CmdSkinChange, Profile: &game.Profile{Skin: s}})
}

// SetProfile asks the server for another name, clan, country and skin. Servers of the older
// protocol version accept that once every five seconds. Servers of the newer version ignore it.
func (c *Client) SetProfile(p game.Profile) error {
	return c.sendCommand(game.Command{Kind: game.CmdProfile, Profile: &p})
}

// SetInput sets the input from now on. With Config.Play it has no effect.
func (c *Client) SetInput(in game.Input) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.input = in
}

// ShowOthers chooses which tees of other DDRace teams the server shows.
func (c *Client) ShowOthers(which game.ShowOthers) error {
	return c.sendCommand(game.Command{Kind: game.CmdShowOthers, Target: game.Nobody, Value: int32(which)})
}

// SetCamera describes the client's camera to a DDNet server.
func (c *Client) SetCamera(camera bridge.Camera) error {
	return c.attempt(func(g bridge.ClientSide) bool { return g.SendCamera(&camera) })
}

// VoteCall is a vote to call.
type VoteCall struct {
	// Kind is event.VoteOption, VoteKick or VoteSpectate.
	Kind event.VoteKind
	// Option is the text of the vote option, for VoteOption.
	Option string
	// Target is the player to kick or to move.
	Target game.PlayerID
	Reason string
	// Force makes the vote pass at once. The client must be logged into the remote console. With a
	// protocol version that lacks this field, CallVote returns ErrVersion.
	Force bool
}

// CallVote calls a vote.
func (c *Client) CallVote(v VoteCall) error {
	value := v.Option
	if v.Kind != event.VoteOption {
		value = strconv.Itoa(int(v.Target))
	}
	return c.attempt(func(g bridge.ClientSide) bool { return g.SendCallVote(v.Kind, value, v.Reason, v.Force) })
}

// VoteOption calls a vote on one of the server's VoteOptions.
func (c *Client) VoteOption(option, reason string) error {
	return c.CallVote(VoteCall{Kind: event.VoteOption, Option: option, Reason: reason})
}

// VoteKick calls a vote to kick a player.
func (c *Client) VoteKick(id game.PlayerID, reason string) error {
	return c.CallVote(VoteCall{Kind: event.VoteKick, Target: id, Reason: reason})
}

// VoteSpectate calls a vote to move a player to the spectators.
func (c *Client) VoteSpectate(id game.PlayerID, reason string) error {
	return c.CallVote(VoteCall{Kind: event.VoteSpectate, Target: id, Reason: reason})
}

// Vote votes in the running vote.
func (c *Client) Vote(yes bool) error {
	vote := int32(-1) // 0 means no vote
	if yes {
		vote = 1
	}
	return c.request(func(g bridge.ClientSide) { g.SendVote(vote) })
}

// UseMap gives the client the file of the map that it waits for; see Config.FetchMaps. The file
// must not be changed afterwards. The error wraps ErrMap if the client waits for no map or another.
func (c *Client) UseMap(file []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session.UseMap(c.currentTime(), file)
}

// DownloadMap downloads the map that the client waits for from the server; see Config.FetchMaps.
func (c *Client) DownloadMap() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session.DownloadMap(c.currentTime())
}
