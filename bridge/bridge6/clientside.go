package bridge6

import (
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/clientstate"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// ClientConfig determines how a client introduces itself. With the zero value, the client acts as a
// 0.6 client that knows 64 players.
type ClientConfig struct {
	// DDNetVersion is the release of DDNet that the client claims to be, times 1000: 16040 is 16.4.
	// With 0, the server learns only that the client knows 64 players, and sends plain items. With
	// a negative number, the server learns nothing and shows at most 16 players.
	DDNetVersion int32
	// ConnectionID identifies the client's connections. The id is sent in CLIENTVER.
	ConnectionID [16]byte
}

// clientSide implements [bridge.ClientSide].
type clientSide struct {
	clientstate.State
	cfg     ClientConfig
	sender  bridge.Sender
	handler bridge.ServerMessageHandler
	decoder msg6.Decoder
	buf     []byte
	event   game.Event // reused for OnEvent
	profile game.Profile

	// extended is set as soon as the server sends one of DDNet's own messages or items.
	extended bool
	// mapDetails and mapDetailsName are from the MAP_DETAILS message that precedes the announcement
	// of a map.
	mapDetails     msg6.MapDetails
	mapDetailsName []byte
	mapURL         string
	mapCRC         int32 // CRC of the announced map
	// voteEnded is set after a vote ended, until its result is known.
	voteEnded  bool
	voteCaller game.PlayerID // caller of the next vote, from the chat line

	limitsKnown bool
	clientInfos [game.MaxPlayers][msg6.SizeClientInfo]int32 // the items that the players' profiles were decoded from
	snapshotDecoder
	flags flagTracker
}

// NewClientSide returns a ClientSide for 0.6. NewClientSide writes to sender and calls handler for
// received messages.
func NewClientSide(sender bridge.Sender, handler bridge.ServerMessageHandler, cfg ClientConfig) bridge.ClientSide {
	c := &clientSide{sender: sender, handler: handler, cfg: cfg}
	c.Reset()
	return c
}

func (c *clientSide) Reset() {
	c.State.Reset()
	c.clientInfos = [game.MaxPlayers][msg6.SizeClientInfo]int32{}
	c.snapshotDecoder = snapshotDecoder{}
	c.flags = flagTracker{}
	c.limitsKnown, c.voteEnded, c.voteCaller = false, false, game.Nobody
}

func (c *clientSide) sendVital(m msg6.Message) {
	c.buf = m.Append(c.buf[:0])
	c.sender.Queue(c.buf, true)
}

func (c *clientSide) sendUnreliable(m msg6.Message) {
	c.buf = m.Append(c.buf[:0])
	c.sender.Queue(c.buf, false)
}

func (c *clientSide) SendLogin(password string) {
	c.extended, c.mapDetailsName = false, nil
	if v := c.cfg.DDNetVersion; v > 0 {
		c.sendVital(&msg6.ClientVer{
			ConnectionID: c.cfg.ConnectionID, Version: v,
			Text: []byte("DDNet " + strconv.Itoa(int(v/1000)) + "." + strconv.Itoa(int(v%1000/10))),
		})
	}
	c.sendVital(&msg6.Info{NetVersion: []byte(msg6.NetVersion), Password: []byte(password)})
}

func (c *clientSide) SendRequestMapData(chunk int) {
	c.sendVital(&msg6.RequestMapData{Chunk: int32(chunk)})
}

func (c *clientSide) SendReady() { c.sendVital(&msg6.Ready{}) }

// SendProfile also tells servers based on DDNet that the client knows 64 players.
func (c *clientSide) SendProfile(p *game.Profile) {
	c.profile = *p
	c.sendVital(&msg6.ClStartInfo{Profile: c.encodeProfile()})
	if c.cfg.DDNetVersion >= 0 {
		c.sendVital(&msg6.RconCmd{Command: []byte(msg6.CrashmePlx)})
	}
}

// encodeProfile returns the profile in the form used in messages.
func (c *clientSide) encodeProfile() msg6.PlayerProfile {
	p := &c.profile
	s := toSkin06(&p.Skin)
	return msg6.PlayerProfile{
		Name: []byte(p.Name), Clan: []byte(p.Clan), Country: p.Country,
		Skin: []byte(s.name), UseCustomColor: s.useCustomColor, ColorBody: s.colorBody, ColorFeet: s.colorFeet,
	}
}

func (c *clientSide) SendEnterGame() { c.sendVital(&msg6.EnterGame{}) }

// SendInput ignores the age of the acknowledged snapshot: 0.6 has no field for it.
func (c *clientSide) SendInput(ackTick, tick int32, in *game.Input, _ int32) {
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
	if in.Flags&game.PlayerFlagAim != 0 {
		p.PlayerFlags |= msg6.PlayerFlagAim
	}
	m := msg6.Input{AckTick: ackTick, IntendedTick: tick}
	m.SetPlayer(&p)
	c.buf = m.Append(c.buf[:0]) // through sendUnreliable, m would escape to the heap
	c.sender.Queue(c.buf, false)
}

// SendCommand has no message for watching a flag. SendCommand sends whispers only to servers based
// on DDNet, because others would show the text to all players.
func (c *clientSide) SendCommand(cmd *game.Command) bool {
	switch cmd.Kind {
	case game.CmdSay:
		switch cmd.Chat {
		case game.ChatAll, game.ChatTeam:
			c.sendSay(cmd.Chat == game.ChatTeam, cmd.Text)
		case game.ChatWhisper:
			if cmd.Target < 0 || cmd.Target >= game.MaxPlayers || !c.extended {
				return false
			}
			name := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(c.Players[cmd.Target].Profile.Name)
			c.sendSay(false, `/w "`+name+`" `+cmd.Text)
		default:
			return false
		}
	case game.CmdSetTeam:
		c.sendVital(&msg6.ClSetTeam{Team: msg6.Team(cmd.Team)})
	case game.CmdSpectate:
		m := msg6.ClSetSpectatorMode{SpectatorID: -1}
		switch cmd.Spectate {
		case game.SpectateFree:
		case game.SpectatePlayer:
			m.SpectatorID = int32(cmd.Target)
		default:
			return false
		}
		c.sendVital(&m)
	case game.CmdProfile:
		if cmd.Profile == nil {
			return false
		}
		if c.profile == (game.Profile{}) {
			c.SendProfile(cmd.Profile)
			break
		}
		c.profile = *cmd.Profile
		c.sendVital(&msg6.ClChangeInfo{Profile: c.encodeProfile()})
	case game.CmdSkinChange:
		if cmd.Profile == nil {
			return false
		}
		c.profile.Skin = cmd.Profile.Skin
		c.sendVital(&msg6.ClChangeInfo{Profile: c.encodeProfile()})
	case game.CmdKill:
		c.sendVital(&msg6.ClKill{})
	case game.CmdReady:
		if !c.extended {
			return false
		}
		c.sendSay(false, "/ready")
	case game.CmdEmoticon:
		c.sendVital(&msg6.ClEmoticon{Emoticon: msg6.Emoticon(cmd.Value)})
	case game.CmdShowOthers:
		if !c.extended {
			return false
		}
		c.sendVital(&msg6.ClShowOthers{Show: msg6.ShowOthers(cmd.Value)})
	default:
		return false
	}
	return true
}

func (c *clientSide) sendSay(team bool, text string) {
	c.sendVital(&msg6.ClSay{Team: team, Message: []byte(text)})
}

func (c *clientSide) SendChatCommand(name, args string) {
	c.sendSay(false, strings.TrimRight("/"+name+" "+args, " "))
}

// SendCallVote ignores force: 0.6 has no field for it.
func (c *clientSide) SendCallVote(kind event.VoteKind, value, reason string, force bool) bool {
	if force {
		return false
	}
	c.sendVital(&msg6.ClCallVote{Type: []byte(kind.String()), Value: []byte(value), Reason: []byte(reason)})
	return true
}

func (c *clientSide) SendVote(choice int32) { c.sendVital(&msg6.ClVote{Vote: msg6.VoteChoice(choice)}) }

func (c *clientSide) SendRconAuth(name, password string) {
	c.sendVital(&msg6.RconAuth{Name: []byte(name), Password: []byte(password), SendCommands: 1})
}

func (c *clientSide) SendRconCmd(line string) { c.sendVital(&msg6.RconCmd{Command: []byte(line)}) }

// SendCamera describes the camera to servers based on DDNet. Other servers do not support it.
func (c *clientSide) SendCamera(m *bridge.Camera) bool {
	if !c.extended {
		return false
	}
	if m.View != nil {
		c.sendVital(&msg6.ClShowDistance{X: m.View[0], Y: m.View[1]})
	}
	if z := m.Zoom; z != nil {
		c.sendVital(&msg6.ClCameraInfo{Zoom: z.Zoom, Deadzone: z.Deadzone, FollowFactor: z.FollowFactor})
	}
	if m.CountSpectator != nil {
		c.sendVital(&msg6.ClEnableSpectatorCount{Enable: *m.CountSpectator})
	}
	return true
}

func (c *clientSide) SendPing() { c.sendUnreliable(&msg6.Ping{}) }

func (c *clientSide) ItemSizes() *snapshot.ItemSizes { return &itemSizes }
