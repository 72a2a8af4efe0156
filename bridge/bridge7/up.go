package bridge7

import (
	"unicode/utf8"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// The longest texts a 0.7.5 server keeps, in bytes.
const (
	maxName = 15
	maxClan = 11
	maxPart = 23
)

// Up turns a game message of a client into a command. It returns false for
// messages that are no command; ranges were checked when m was decoded.
func Up(m msg7.Message, from game.PlayerID) (game.Command, bool) {
	c := game.Command{Player: from, Target: game.Nobody}
	switch m := m.(type) {
	case *msg7.ClSay:
		c.Kind, c.Chat, c.Target, c.Text = game.CmdSay, game.ChatMode(m.Mode), game.PlayerID(m.Target), string(m.Message)
	case *msg7.ClSetTeam:
		c.Kind, c.Team = game.CmdSetTeam, game.Team(m.Team)
	case *msg7.ClSetSpectatorMode:
		c.Kind, c.Spectate, c.Target = game.CmdSpectate, game.SpectateMode(m.Mode), game.PlayerID(m.SpectatorID)
	case *msg7.ClStartInfo:
		p := &game.Profile{Name: cut(m.Name, maxName), Clan: cut(m.Clan, maxClan), Country: m.Country}
		takeSkin(&p.Skin, &m.Skin)
		c.Kind, c.Profile = game.CmdProfile, p
	case *msg7.ClSkinChange:
		p := &game.Profile{}
		takeSkin(&p.Skin, &m.Skin)
		c.Kind, c.Profile = game.CmdSkinChange, p
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

// Input turns the input of an INPUT message into ours.
func Input(p *msg7.PlayerInput) game.Input {
	return game.Input{
		Direction: p.Direction, TargetX: p.TargetX, TargetY: p.TargetY,
		Jump: p.Jump, Fire: p.Fire, Hook: p.Hook,
		Flags:        game.PlayerFlags(p.PlayerFlags) & (game.PlayerFlagChatting | game.PlayerFlagScoreboard),
		WantedWeapon: p.WantedWeapon, NextWeapon: p.NextWeapon, PrevWeapon: p.PrevWeapon,
	}
}

func takeSkin(dst *game.Skin, s *msg7.Skin) {
	for i := range dst.PartNames {
		dst.PartNames[i] = cut(s.Parts[i], maxPart)
		dst.UseCustomColors[i] = s.UseCustomColors[i]
		dst.PartColors[i] = s.Colors[i]
	}
}

// cut copies a text of at most n bytes, whole code points only.
func cut(b []byte, n int) string {
	if len(b) > n {
		for n > 0 && !utf8.RuneStart(b[n]) {
			n--
		}
		b = b[:n]
	}
	return string(b)
}
