package bridge6

import (
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

func (g *ClientSide) send(m msg6.Message) {
	g.buf = m.Append(g.buf[:0])
	g.line.Queue(g.buf, true)
}

func (g *ClientSide) loose(m msg6.Message) {
	g.buf = m.Append(g.buf[:0])
	g.line.Queue(g.buf, false)
}

// SendLogin implements [bridge.ClientSide].
func (g *ClientSide) SendLogin(password string) {
	g.rich, g.mapName = false, nil
	if v := g.cfg.DDNetVersion; v > 0 {
		g.send(&msg6.ClientVer{
			ConnectionID: g.cfg.ConnectionID, Version: v,
			Text: []byte("DDNet " + strconv.Itoa(int(v/1000)) + "." + strconv.Itoa(int(v%1000/10))),
		})
	}
	g.send(&msg6.Info{NetVersion: []byte(msg6.NetVersion), Password: []byte(password)})
}

// SendRequestMapData implements [bridge.ClientSide].
func (g *ClientSide) SendRequestMapData(chunk int) { g.send(&msg6.RequestMapData{Chunk: int32(chunk)}) }

// SendReady implements [bridge.ClientSide].
func (g *ClientSide) SendReady() { g.send(&msg6.Ready{}) }

// SendProfile implements [bridge.ClientSide].
func (g *ClientSide) SendProfile(p *game.Profile) {
	g.profile = *p
	g.send(&msg6.ClStartInfo{Look: g.look()})
	if g.cfg.DDNetVersion >= 0 {
		g.send(&msg6.RconCmd{Command: []byte(msg6.CrashmePlx)})
	}
}

// look is how our player looks to 0.6.
func (g *ClientSide) look() msg6.PlayerLook {
	p := &g.profile
	l := lookOf(&p.Skin)
	return msg6.PlayerLook{
		Name: []byte(p.Name), Clan: []byte(p.Clan), Country: p.Country,
		Skin: []byte(l.name), UseCustomColor: l.custom, ColorBody: l.body, ColorFeet: l.feet,
	}
}

// SendEnterGame implements [bridge.ClientSide].
func (g *ClientSide) SendEnterGame() { g.send(&msg6.EnterGame{}) }

// SendInput implements [bridge.ClientSide]. 0.6 does not tell how old the acknowledgement is.
func (g *ClientSide) SendInput(ack, tick int32, in *game.Input, _ int32) {
	p := msg6.PlayerInput{
		Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY, Fire: in.Fire,
		WantedWeapon: in.WantedWeapon, NextWeapon: in.NextWeapon, PrevWeapon: in.PrevWeapon,
	}
	if in.Jump {
		p.Jump = 1
	}
	if in.Hook {
		p.Hook = 1
	}
	p.PlayerFlags = msg6.PlayerFlagPlaying
	if in.Flags&game.PlayerFlagChatting != 0 {
		p.PlayerFlags = msg6.PlayerFlagChatting
	}
	if in.Flags&game.PlayerFlagScoreboard != 0 {
		p.PlayerFlags |= msg6.PlayerFlagScoreboard
	}
	m := msg6.Input{AckTick: ack, IntendedTick: tick}
	m.SetPlayer(&p)
	g.buf = m.Append(g.buf[:0]) // not by loose, which would let m escape
	g.line.Queue(g.buf, false)
}

// SendCommand implements [bridge.ClientSide]. To watch a flag cannot be asked for; and to whisper
// only of DDNet's servers and their like: others would say it to all.
func (g *ClientSide) SendCommand(c *game.Command) bool {
	switch c.Kind {
	case game.CmdSay:
		switch c.Chat {
		case game.ChatAll, game.ChatTeam:
			g.say(c.Chat == game.ChatTeam, c.Text)
		case game.ChatWhisper:
			if c.Target < 0 || c.Target >= game.MaxPlayers || !g.rich {
				return false
			}
			name := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(g.roster[c.Target].Profile.Name)
			g.say(false, `/w "`+name+`" `+c.Text)
		default:
			return false
		}
	case game.CmdSetTeam:
		g.send(&msg6.ClSetTeam{Team: msg6.Team(c.Team)})
	case game.CmdSpectate:
		m := msg6.ClSetSpectatorMode{SpectatorID: -1}
		switch c.Spectate {
		case game.SpectateFree:
		case game.SpectatePlayer:
			m.SpectatorID = int32(c.Target)
		default:
			return false
		}
		g.send(&m)
	case game.CmdProfile:
		if c.Profile == nil {
			return false
		}
		g.SendProfile(c.Profile)
	case game.CmdSkinChange:
		if c.Profile == nil {
			return false
		}
		g.profile.Skin = c.Profile.Skin
		g.send(&msg6.ClChangeInfo{Look: g.look()})
	case game.CmdKill:
		g.send(&msg6.ClKill{})
	case game.CmdReady:
		if !g.rich {
			return false
		}
		g.say(false, "/ready")
	case game.CmdEmoticon:
		g.send(&msg6.ClEmoticon{Emoticon: msg6.Emoticon(c.Value)})
	default:
		return false
	}
	return true
}

func (g *ClientSide) say(team bool, text string) {
	g.send(&msg6.ClSay{Team: team, Message: []byte(text)})
}

// SendChatCommand implements [bridge.ClientSide].
func (g *ClientSide) SendChatCommand(name, args string) {
	g.say(false, strings.TrimRight("/"+name+" "+args, " "))
}

// voteTypes are what Cl_CallVote calls the kinds of votes.
var voteTypes = map[bridge.VoteKind]string{bridge.VoteOption: "option", bridge.VoteKick: "kick", bridge.VoteSpectate: "spectate"}

// SendCallVote implements [bridge.ClientSide].
func (g *ClientSide) SendCallVote(kind bridge.VoteKind, value, reason string) {
	g.send(&msg6.ClCallVote{Type: []byte(voteTypes[kind]), Value: []byte(value), Reason: []byte(reason)})
}

// SendVote implements [bridge.ClientSide].
func (g *ClientSide) SendVote(vote int32) { g.send(&msg6.ClVote{Vote: msg6.VoteChoice(vote)}) }

// SendRconAuth implements [bridge.ClientSide].
func (g *ClientSide) SendRconAuth(name, password string) {
	g.send(&msg6.RconAuth{Name: []byte(name), Password: []byte(password), SendCommands: 1})
}

// SendRconCmd implements [bridge.ClientSide].
func (g *ClientSide) SendRconCmd(line string) { g.send(&msg6.RconCmd{Command: []byte(line)}) }

// SendPing implements [bridge.ClientSide].
func (g *ClientSide) SendPing() { g.loose(&msg6.Ping{}) }
