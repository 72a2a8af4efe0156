package bridge7

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// Request is the message with which a client asks for a command: the inverse of
// [Up]. It returns false for commands that no client can give. Who asks is not in
// the message; the server knows.
func Request(c *game.Command) (msg7.Message, bool) {
	switch c.Kind {
	case game.CmdSay:
		return &msg7.ClSay{Mode: msg7.ChatMode(c.Chat), Target: int32(c.Target), Message: []byte(c.Text)}, true
	case game.CmdSetTeam:
		return &msg7.ClSetTeam{Team: msg7.Team(c.Team)}, true
	case game.CmdSpectate:
		return &msg7.ClSetSpectatorMode{Mode: msg7.SpecMode(c.Spectate), SpectatorID: int32(c.Target)}, true
	case game.CmdProfile:
		if c.Profile == nil {
			return nil, false
		}
		m := &msg7.ClStartInfo{Name: []byte(c.Profile.Name), Clan: []byte(c.Profile.Clan), Country: c.Profile.Country}
		putSkin(&m.Skin, &c.Profile.Skin)
		return m, true
	case game.CmdSkinChange:
		if c.Profile == nil {
			return nil, false
		}
		m := new(msg7.ClSkinChange)
		putSkin(&m.Skin, &c.Profile.Skin)
		return m, true
	case game.CmdKill:
		return &msg7.ClKill{}, true
	case game.CmdReady:
		return &msg7.ClReadyChange{}, true
	case game.CmdEmoticon:
		return &msg7.ClEmoticon{Emoticon: msg7.Emoticon(c.Value)}, true
	}
	return nil, false
}

// PlayerInput is the inverse of [SendInput].
func PlayerInput(in *game.Input) msg7.PlayerInput {
	return msg7.PlayerInput{
		Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY,
		Jump: in.Jump, Fire: in.Fire, Hook: in.Hook, PlayerFlags: msg7.PlayerFlags(in.Flags),
		WantedWeapon: in.WantedWeapon, NextWeapon: in.NextWeapon, PrevWeapon: in.PrevWeapon,
	}
}
