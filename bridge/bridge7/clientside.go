package bridge7

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/clientstate"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// clientSide implements [bridge.ClientSide].
type clientSide struct {
	clientstate.State
	sender  bridge.Sender
	handler bridge.ServerMessageHandler
	decoder msg7.Decoder
	items   msg7.ObjectDecoder
	buf     []byte
	event   game.Event // reused for OnEvent
	demo    *demoState // nil in a game
}

// NewClientSide returns a ClientSide for 0.7. NewClientSide writes to sender and calls handler for
// received messages.
func NewClientSide(sender bridge.Sender, handler bridge.ServerMessageHandler) bridge.ClientSide {
	c := &clientSide{sender: sender, handler: handler}
	c.Reset()
	return c
}

func (c *clientSide) sendVital(m msg7.Message) {
	c.buf = m.Append(c.buf[:0])
	c.sender.Queue(c.buf, true)
}

func (c *clientSide) sendUnreliable(m msg7.Message) {
	c.buf = m.Append(c.buf[:0])
	c.sender.Queue(c.buf, false)
}

func (c *clientSide) SendLogin(password string) {
	c.sendVital(&msg7.Info{NetVersion: []byte(msg7.NetVersion), Password: []byte(password), ClientVersion: msg7.ClientVersion})
}

// SendRequestMapData requests the next chunks: the 0.7 message has no chunk number.
func (c *clientSide) SendRequestMapData(int) { c.sendVital(&msg7.RequestMapData{}) }

func (c *clientSide) SendReady() { c.sendVital(&msg7.Ready{}) }

func (c *clientSide) SendProfile(p *game.Profile) {
	c.SendCommand(&game.Command{Kind: game.CmdProfile, Profile: p})
}

func (c *clientSide) SendEnterGame() { c.sendVital(&msg7.EnterGame{}) }

func (c *clientSide) SendInput(ackTick, tick int32, in *game.Input, ackAge int32) {
	m := msg7.Input{AckTick: ackTick, IntendedTick: tick, PingCorrection: ackAge}
	p := encodeInput(in)
	m.SetPlayer(&p)
	c.buf = m.Append(c.buf[:0]) // through sendUnreliable, m would escape to the heap
	c.sender.Queue(c.buf, false)
}

// encodeInput is the inverse of decodeInput.
func encodeInput(in *game.Input) msg7.PlayerInput {
	return msg7.PlayerInput{
		Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY,
		Jump: in.Jump, Fire: in.Fire, Hook: in.Hook, PlayerFlags: encodePlayerFlags(in.Flags),
		WantedWeapon: in.WantedWeapon, NextWeapon: in.NextWeapon, PrevWeapon: in.PrevWeapon,
	}
}

func (c *clientSide) SendCommand(cmd *game.Command) bool {
	m := encodeCommand(cmd)
	if m == nil {
		return false
	}
	c.sendVital(m)
	return true
}

// encodeCommand is the inverse of decodeCommand. encodeCommand returns nil for commands without a
// message.
func encodeCommand(c *game.Command) msg7.Message {
	switch c.Kind {
	case game.CmdSay:
		return &msg7.ClSay{Mode: msg7.ChatMode(c.Chat), Target: int32(c.Target), Message: []byte(c.Text)}
	case game.CmdSetTeam:
		return &msg7.ClSetTeam{Team: msg7.Team(c.Team)}
	case game.CmdSpectate:
		return &msg7.ClSetSpectatorMode{Mode: msg7.SpecMode(c.Spectate), SpectatorID: int32(c.Target)}
	case game.CmdProfile:
		if p := c.Profile; p != nil {
			return &msg7.ClStartInfo{Name: []byte(p.Name), Clan: []byte(p.Clan), Country: p.Country, Skin: encodeSkin(&p.Skin)}
		}
	case game.CmdSkinChange:
		if c.Profile != nil {
			return &msg7.ClSkinChange{Skin: encodeSkin(&c.Profile.Skin)}
		}
	case game.CmdKill:
		return &msg7.ClKill{}
	case game.CmdReady:
		return &msg7.ClReadyChange{}
	case game.CmdEmoticon:
		return &msg7.ClEmoticon{Emoticon: msg7.Emoticon(c.Value)}
	}
	return nil
}

func (c *clientSide) SendChatCommand(name, args string) {
	c.sendVital(&msg7.ClCommand{Name: []byte(name), Arguments: []byte(args)})
}

func (c *clientSide) SendCallVote(kind event.VoteKind, value, reason string, force bool) bool {
	c.sendVital(&msg7.ClCallVote{Type: []byte(kind.String()), Value: []byte(value), Reason: []byte(reason), Force: force})
	return true
}

func (c *clientSide) SendVote(choice int32) { c.sendVital(&msg7.ClVote{Vote: msg7.VoteChoice(choice)}) }

// SendRconAuth sends only the password: logins in 0.7 have no name.
func (c *clientSide) SendRconAuth(_, password string) {
	c.sendVital(&msg7.RconAuth{Password: []byte(password)})
}

func (c *clientSide) SendRconCmd(line string) { c.sendVital(&msg7.RconCmd{Command: []byte(line)}) }

// SendCamera sends nothing: 0.7 has no such message.
func (c *clientSide) SendCamera(*bridge.Camera) bool { return false }

func (c *clientSide) SendPing() { c.sendUnreliable(&msg7.Ping{}) }

func (c *clientSide) ItemSizes() *snapshot.ItemSizes { return &itemSizes }
