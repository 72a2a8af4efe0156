package bridge7

import (
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
)

func (s *serverSide) Receive(payload []byte, vital bool) error {
	if hasUUID(payload) {
		return s.receiveDDNet(payload, vital)
	}
	m, err := s.protocol.decoder.Decode(payload)
	if err != nil {
		info := shortInfo(payload)
		if info == nil {
			return bridge.ErrBadMessage
		}
		m = info
	}
	switch m := m.(type) {
	case *msg7.Input:
		var p msg7.PlayerInput
		ok := m.Player(&p) == nil
		s.input = bridge.InputMessage{AckTick: m.AckTick, IntendedTick: m.IntendedTick, PingCorrection: m.PingCorrection, Input: s.decodeInput(&p), Valid: ok}
		s.session.OnInput(&s.input)
	case *msg7.Ping:
		s.protocol.buf = (&msg7.PingReply{}).Append(s.protocol.buf[:0])
		s.session.Queue(s.protocol.buf, false)
		s.session.FlushSoon()
	case *msg7.PingReply:
	default:
		if !vital {
			return bridge.ErrNotVital
		}
		return s.receiveVital(m)
	}
	return nil
}

// shortInfo decodes a login whose last fields are missing or cut off; they become empty or 0.
// shortInfo returns nil for other messages. Source: server.cpp of 0.7.5.
func shortInfo(payload []byte) *msg7.Info {
	var u packer.Unpacker
	u.Reset(payload)
	if msg7.ID(u.Int()) != msg7.IDInfo || u.Err() != nil {
		return nil
	}
	m := new(msg7.Info)
	_ = m.Unpack(&u) // keep the fields that were read before the error
	return m
}

// receiveVital handles the messages that must be sent vital.
func (s *serverSide) receiveVital(m msg7.Message) error {
	switch m := m.(type) {
	case *msg7.Info:
		version := string(m.NetVersion)
		s.release, s.loggedIn = m.ClientVersion, true
		s.session.OnLogin(bridge.Login{
			VersionOK: version == msg7.NetVersion, NetVersion: version,
			Password: string(m.Password), ClientVersion: m.ClientVersion, DDNet: s.ddnet.info,
		})
	case *msg7.RequestMapData:
		s.session.OnRequestMapData(-1)
	case *msg7.Ready:
		s.session.OnReady()
	case *msg7.EnterGame:
		s.session.OnEnterGame()
	case *msg7.RconAuth:
		s.session.OnRconAuth("", string(m.Password))
	case *msg7.RconCmd:
		s.session.OnRconCmd(string(m.Command))
	case *msg7.ClCallVote:
		kind, ok := convert.VoteKind(string(m.Type))
		if !ok {
			return bridge.ErrBadMessage
		}
		s.session.OnCallVote(kind, s.votedPlayer(kind, string(m.Value)), string(m.Reason), m.Force)
	case *msg7.ClVote:
		s.session.OnVote(int32(m.Vote))
	case *msg7.ClCommand:
		if strings.EqualFold(string(m.Name), bridge.TimeoutCommand) {
			s.session.OnTimeoutCode(string(m.Arguments))
			return nil
		}
		s.session.OnChatCommand(string(m.Name), string(m.Arguments))
	case *msg7.ClSay:
		if code, ok := bridge.ParseTimeoutCode(string(m.Message)); ok {
			s.session.OnTimeoutCode(code)
			return nil
		}
		c, _ := decodeCommand(m)
		c.Target = s.ids.Player(int32(c.Target))
		s.session.OnCommand(c)
	default:
		c, ok := decodeCommand(m)
		switch {
		case !ok:
			return bridge.ErrBadMessage
		case c.Kind == game.CmdProfile:
			s.session.OnProfile(c.Profile)
		default:
			c.Target = s.ids.Player(int32(c.Target))
			s.session.OnCommand(c)
		}
	}
	return nil
}

// decodeCommand returns the command that a message requests, or false for other messages. The
// decoder has already checked the ranges.
func decodeCommand(m msg7.Message) (game.Command, bool) {
	c := game.Command{Player: game.Nobody, Target: game.Nobody}
	switch m := m.(type) {
	case *msg7.ClSay:
		c.Kind, c.Chat, c.Target, c.Text = game.CmdSay, game.ChatMode(m.Mode), game.PlayerID(m.Target), string(m.Message)
	case *msg7.ClSetTeam:
		c.Kind, c.Team = game.CmdSetTeam, game.Team(m.Team)
	case *msg7.ClSetSpectatorMode:
		c.Kind, c.Spectate, c.Target = game.CmdSpectate, game.SpectateMode(m.Mode), game.PlayerID(m.SpectatorID)
	case *msg7.ClStartInfo:
		c.Kind = game.CmdProfile
		c.Profile = &game.Profile{
			Name: safetext.Truncate(string(m.Name), game.MaxNameLen), Clan: safetext.Truncate(string(m.Clan), game.MaxClanLen),
			Country: m.Country, Skin: decodeSkin(&m.Skin),
		}
	case *msg7.ClSkinChange:
		c.Kind, c.Profile = game.CmdSkinChange, &game.Profile{Skin: decodeSkin(&m.Skin)}
	case *msg7.ClKill:
		c.Kind = game.CmdKill
	case *msg7.ClReadyChange:
		c.Kind = game.CmdReady
	case *msg7.ClEmoticon:
		c.Kind, c.Value = game.CmdEmoticon, int32(m.Emoticon)
	default:
		return game.Command{}, false
	}
	return c, true
}

func (s *serverSide) decodeInput(p *msg7.PlayerInput) game.Input {
	flags := game.PlayerFlagChatting | game.PlayerFlagScoreboard
	if s.ddnet.info != nil {
		flags |= game.PlayerFlagAim
	}
	return game.Input{
		Direction: p.Direction, TargetX: p.TargetX, TargetY: p.TargetY,
		Jump: p.Jump, Fire: p.Fire, Hook: p.Hook,
		Flags:        game.PlayerFlags(p.PlayerFlags) & flags,
		WantedWeapon: p.WantedWeapon, NextWeapon: p.NextWeapon, PrevWeapon: p.PrevWeapon,
	}
}

func decodeSkin(s *msg7.Skin) game.Skin {
	skin := game.Skin{UseCustomColors: s.UseCustomColors, PartColors: s.Colors}
	for i := range skin.PartNames {
		skin.PartNames[i] = safetext.Truncate(string(s.Parts[i]), game.MaxSkinPartLen)
	}
	return skin
}
