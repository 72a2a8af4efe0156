package bridge6

import (
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

func (g *Guest) send(m msg6.Message) {
	g.buf = m.Append(g.buf[:0])
	g.line.Queue(g.buf, true)
}

func (g *Guest) loose(m msg6.Message) {
	g.buf = m.Append(g.buf[:0])
	g.line.Queue(g.buf, false)
}

// Hello implements [bridge.Guest].
func (g *Guest) Hello(password string) {
	g.rich, g.mapName = false, nil
	if v := g.cfg.DDNet; v > 0 {
		g.send(&msg6.ClientVer{
			ConnectionID: g.cfg.Connection, Version: v,
			Text: []byte("DDNet " + strconv.Itoa(int(v/1000)) + "." + strconv.Itoa(int(v%1000/10))),
		})
	}
	g.send(&msg6.Info{NetVersion: []byte(msg6.NetVersion), Password: []byte(password)})
}

// RequestMap implements [bridge.Guest].
func (g *Guest) RequestMap(chunk int) { g.send(&msg6.RequestMapData{Chunk: int32(chunk)}) }

// Ready implements [bridge.Guest].
func (g *Guest) Ready() { g.send(&msg6.Ready{}) }

// Profile implements [bridge.Guest].
func (g *Guest) Profile(p *game.Profile) {
	g.profile = *p
	g.send(&msg6.ClStartInfo{Look: g.look()})
	if g.cfg.DDNet >= 0 {
		g.send(&msg6.RconCmd{Command: []byte(msg6.CrashmePlx)})
	}
}

// look is how our player looks to 0.6.
func (g *Guest) look() msg6.PlayerLook {
	p := &g.profile
	l := lookOf(&p.Skin)
	return msg6.PlayerLook{
		Name: []byte(p.Name), Clan: []byte(p.Clan), Country: p.Country,
		Skin: []byte(l.name), UseCustomColor: l.custom, ColorBody: l.body, ColorFeet: l.feet,
	}
}

// Enter implements [bridge.Guest].
func (g *Guest) Enter() { g.send(&msg6.EnterGame{}) }

// Input implements [bridge.Guest]. 0.6 does not tell how old the acknowledgement is.
func (g *Guest) Input(ack, tick int32, in *game.Input, _ int32) {
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
	if in.Flags&game.FlagChatting != 0 {
		p.PlayerFlags = msg6.PlayerFlagChatting
	}
	if in.Flags&game.FlagScoreboard != 0 {
		p.PlayerFlags |= msg6.PlayerFlagScoreboard
	}
	m := msg6.Input{AckTick: ack, IntendedTick: tick}
	m.SetPlayer(&p)
	g.buf = m.Append(g.buf[:0]) // not by loose, which would let m escape
	g.line.Queue(g.buf, false)
}

// Ask implements [bridge.Guest]. To watch a flag cannot be asked for; and to whisper
// only of DDNet's servers and their like: others would say it to all.
func (g *Guest) Ask(c *game.Command) bool {
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
		g.Profile(c.Profile)
	case game.CmdSkin:
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

func (g *Guest) say(team bool, text string) { g.send(&msg6.ClSay{Team: team, Message: []byte(text)}) }

// ChatCommand implements [bridge.Guest].
func (g *Guest) ChatCommand(name, args string) {
	g.say(false, strings.TrimRight("/"+name+" "+args, " "))
}

// voteTypes are what Cl_CallVote calls the kinds of votes.
var voteTypes = map[bridge.VoteKind]string{bridge.VoteOption: "option", bridge.VoteKick: "kick", bridge.VoteSpectate: "spectate"}

// CallVote implements [bridge.Guest].
func (g *Guest) CallVote(kind bridge.VoteKind, value, reason string) {
	g.send(&msg6.ClCallVote{Type: []byte(voteTypes[kind]), Value: []byte(value), Reason: []byte(reason)})
}

// Vote implements [bridge.Guest].
func (g *Guest) Vote(vote int32) { g.send(&msg6.ClVote{Vote: msg6.VoteChoice(vote)}) }

// RconLogin implements [bridge.Guest].
func (g *Guest) RconLogin(name, password string) {
	g.send(&msg6.RconAuth{Name: []byte(name), Password: []byte(password), SendCommands: 1})
}

// Rcon implements [bridge.Guest].
func (g *Guest) Rcon(line string) { g.send(&msg6.RconCmd{Command: []byte(line)}) }

// Ping implements [bridge.Guest].
func (g *Guest) Ping() { g.loose(&msg6.Ping{}) }
