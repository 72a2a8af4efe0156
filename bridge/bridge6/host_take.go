package bridge6

import (
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// Receive implements [bridge.ServerSide].
func (h *serverSide) Receive(payload []byte, vital bool) error {
	m, err := h.v.decoder.Decode(payload)
	if err != nil {
		return bridge.ErrBadMessage
	}
	switch m := m.(type) {
	case *msg6.Input:
		h.takeInput(m)
	case *msg6.Ping:
		h.answer(&msg6.PingReply{}, false)
	case *msg6.PingEx:
		h.answer(&msg6.PongEx{PingID: m.PingID}, vital)
	case *msg6.PingReply, *msg6.PongEx:
	default:
		if !vital {
			return bridge.ErrNotVital
		}
		if m.ID().System() {
			return h.takeSystem(m)
		}
		return h.takeGame(m)
	}
	return nil
}

// answer queues a message that does not wait for others.
func (h *serverSide) answer(m msg6.Message, vital bool) {
	h.v.buf = m.Append(h.v.buf[:0])
	h.s.Queue(h.v.buf, vital)
	h.s.FlushSoon()
}

func (h *serverSide) takeSystem(m msg6.Message) error {
	switch m := m.(type) {
	case *msg6.ClientVer:
		if !h.greeted {
			h.release(m.Version)
		}
	case *msg6.Info:
		h.greeted = true
		wants := string(m.NetVersion)
		h.s.OnLogin(bridge.Login{
			VersionOK: wants == msg6.NetVersion, NetVersion: wants,
			Password: string(m.Password), ClientVersion: max(h.version, 0),
		})
	case *msg6.RequestMapData:
		if m.Chunk < 0 {
			return bridge.ErrBadMessage // below 0 the session would take for the next one
		}
		h.s.OnRequestMapData(int(m.Chunk))
	case *msg6.Ready:
		h.s.OnReady()
	case *msg6.EnterGame:
		h.s.OnEnterGame()
	case *msg6.RconAuth:
		h.lists = m.SendCommands != 0
		h.s.OnRconAuth(string(m.Name), string(m.Password))
	case *msg6.RconCmd:
		if string(m.Command) == msg6.CrashmePlx {
			h.release(msg6.VersionDDNetOld)
			return nil
		}
		h.s.OnRconCmd(string(m.Command))
	case *msg6.WhatIs:
		if name := msg6.ExtensionName(m.UUID); name != "" {
			h.answer(&msg6.ItIs{UUID: m.UUID, Name: []byte(name)}, true)
		} else {
			h.answer(&msg6.IDontKnow{UUID: m.UUID}, true)
		}
	case *msg6.ItIs, *msg6.IDontKnow, *msg6.ChecksumResponse, *msg6.ChecksumError, *msg6.SystemEx:
		// Answers to what was never asked, and what later clients add.
	default:
		return bridge.ErrBadMessage
	}
	return nil
}

// release takes note of what the client says it is. What it said first, with more
// knowledge, stays.
func (h *serverSide) release(version int32) {
	h.version = max(h.version, version)
	if h.ids.few && h.ddnet() {
		h.ids = idMap{}
	}
}

func (h *serverSide) takeGame(m msg6.Message) error {
	c := game.Command{Player: game.Nobody, Target: game.Nobody}
	switch m := m.(type) {
	case *msg6.ClSay:
		h.takeSay(m)
		return nil
	case *msg6.ClStartInfo:
		p, d := profileOf(&m.Look)
		if h.own == game.Nobody { // said later it changes nothing
			h.profile, h.dressed = p, d
		}
		h.s.OnProfile(&p)
		return nil
	case *msg6.ClChangeInfo:
		h.takeChange(&m.Look)
		return nil
	case *msg6.ClSetTeam:
		h.refuseTeam(game.Team(m.Team))
		c.Kind, c.Team = game.CmdSetTeam, game.Team(m.Team)
	case *msg6.ClSetSpectatorMode:
		c.Kind, c.Spectate = game.CmdSpectate, game.SpectateFree
		if m.SpectatorID >= 0 {
			c.Spectate, c.Target = game.SpectatePlayer, h.ids.player(m.SpectatorID)
		}
	case *msg6.ClKill:
		c.Kind = game.CmdKill
	case *msg6.ClEmoticon:
		c.Kind, c.Value = game.CmdEmoticon, int32(m.Emoticon)
	case *msg6.ClVote:
		h.s.OnVote(int32(m.Vote))
		return nil
	case *msg6.ClCallVote:
		return h.takeCallVote(m)
	case *msg6.ClIsDDNetLegacy:
		h.release(m.Version)
		return nil
	case *msg6.ClShowOthersLegacy, *msg6.ClShowOthers, *msg6.ClShowDistance, *msg6.ClCameraInfo,
		*msg6.ClEnableSpectatorCount, *msg6.GameEx:
		return nil // wishes for what there is not here
	default:
		return bridge.ErrBadMessage
	}
	h.s.OnCommand(c)
	return nil
}

// takeInput brings an input into range: 0.6 clients may send anything.
func (h *serverSide) takeInput(m *msg6.Input) {
	p := &h.playerInfo
	m.Player(p)
	h.input = bridge.InputMessage{AckTick: m.AckTick, IntendedTick: m.IntendedTick, Input: inputOf(p), Valid: true}
	h.s.OnInput(&h.input)
}

func inputOf(p *msg6.PlayerInput) game.Input {
	in := game.Input{
		Direction: min(max(p.Direction, -1), 1), TargetX: p.TargetX, TargetY: p.TargetY,
		Jump: p.Jump != 0, Fire: p.Fire, Hook: p.Hook != 0,
		NextWeapon: p.NextWeapon, PrevWeapon: p.PrevWeapon,
	}
	// The ninja cannot be chosen, and what is no weapon at all neither.
	if p.WantedWeapon > 0 && p.WantedWeapon < game.NumWeapons {
		in.WantedWeapon = p.WantedWeapon
	}
	if p.PlayerFlags&msg6.PlayerFlagChatting != 0 {
		in.Flags |= game.PlayerFlagChatting
	}
	if p.PlayerFlags&msg6.PlayerFlagScoreboard != 0 {
		in.Flags |= game.PlayerFlagScoreboard
	}
	return in
}

// profileOf is who a client says its player is, and how it wants him dressed.
func profileOf(l *msg6.PlayerLook) (game.Profile, look) {
	d := look{name: cut(l.Skin, game.MaxSkinPartLen), custom: l.UseCustomColor, body: l.ColorBody, feet: l.ColorFeet}
	return game.Profile{
		Name: cut(l.Name, game.MaxNameLen), Clan: cut(l.Clan, game.MaxClanLen), Country: l.Country,
		Skin: skinOf(d),
	}, d
}

// takeChange changes the skin. Nothing else can be changed in a game of 0.7.
func (h *serverSide) takeChange(l *msg6.PlayerLook) {
	if h.own == game.Nobody {
		return
	}
	p, d := profileOf(l)
	if !h.warned && (p.Name != h.profile.Name || p.Clan != h.profile.Clan || p.Country != h.profile.Country) {
		h.warned = true
		h.line(textNameStays)
	}
	if d != h.dressed {
		// Others see it at once when the game has it already: without a limit they
		// would get new names of skins with every snapshot.
		if !h.changes.take(h.v.world, changeRate) {
			return
		}
		h.dressed = d
		h.v.scene.wear(h.own, d)
	}
	if w := h.v.world; w != nil {
		// DDNet's client repeats the whole until it sees all of it come true, and
		// many a skin is the same one in 0.7.
		if q, ok := w.Player(h.own); ok && q.Profile.Skin == p.Skin {
			return
		}
	}
	h.s.OnCommand(game.Command{Kind: game.CmdSkinChange, Player: game.Nobody, Target: game.Nobody, Profile: &p})
}

// refuseTeam tells why a change of team will not happen, as far as that is known:
// clients of 0.7 know it by themselves. The rules decide.
func (h *serverSide) refuseTeam(t game.Team) {
	w := h.v.world
	if w == nil || h.own == game.Nobody {
		return
	}
	p, ok := w.Player(h.own)
	if !ok || p.Team == t || !h.replies.take(w, replyRate) {
		return
	}
	switch {
	case t != game.TeamSpectators && w.TeamsLocked():
		h.broadcast(textLocked)
	case p.TeamChangeTick > w.Tick():
		h.broadcast(waiting(p.TeamChangeTick - w.Tick()))
	case p.Team == game.TeamSpectators && w.NumPlaying() >= int(w.Rules().PlayerSlots):
		h.broadcast(full(w.Rules().PlayerSlots))
	}
}

func (h *serverSide) takeCallVote(m *msg6.ClCallVote) error {
	value := string(m.Value)
	var kind bridge.VoteKind
	switch t := string(m.Type); {
	case strings.EqualFold(t, "option"):
		kind = bridge.VoteOption
	case strings.EqualFold(t, "kick"):
		kind = bridge.VoteKick
	case strings.EqualFold(t, "spectate"):
		kind = bridge.VoteSpectate
	default:
		return bridge.ErrBadMessage
	}
	if kind != bridge.VoteOption {
		id, err := strconv.ParseInt(strings.TrimSpace(value), 10, 32)
		if err != nil {
			id = -1
		}
		value = strconv.Itoa(int(h.ids.player(int32(id))))
	}
	h.s.OnCallVote(kind, value, string(m.Reason), false)
	return nil
}

// takeSay is what a player says, or a command if it begins with a slash. Only those
// are taken for commands that stand for what 0.7 clients have other ways for; the rest
// is chat, as it is from a client of 0.7 that the server told of no such command.
func (h *serverSide) takeSay(m *msg6.ClSay) {
	c := game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: string(m.Message)}
	if m.Team {
		c.Chat = game.ChatTeam
	}
	if name, args, ok := command(c.Text); ok && h.own != game.Nobody {
		switch {
		case name == "w" || name == "whisper":
			// It must not become chat that all can read.
			if !h.replies.take(h.v.world, replyRate) || !h.whisper(&c, args) {
				return
			}
		case name == "c" || name == "converse":
			if h.partner == game.Nobody {
				if h.replies.take(h.v.world, replyRate) {
					h.line(textNoPartner)
				}
				return
			}
			c.Chat, c.Target, c.Text = game.ChatWhisper, h.partner, args
		case name == "ready":
			c = game.Command{Kind: game.CmdReady, Player: game.Nobody, Target: game.Nobody}
		case name == "timeout" || strings.HasPrefix(name, "mc;"):
			return // by itself, to be recognised when it comes back after a timeout
		}
	}
	h.s.OnCommand(c)
}

// command splits a line that begins with a slash into a name, in lower case, and what
// follows it.
func command(line string) (name, args string, ok bool) {
	if !strings.HasPrefix(line, "/") {
		return "", "", false
	}
	name, args, _ = strings.Cut(line[1:], " ")
	return strings.ToLower(name), strings.TrimLeft(args, " "), true
}

// whisper turns c into what the arguments of a whisper say: a name, in quotation
// marks or not, and a text. It answers itself, and returns false, if they say nothing.
func (h *serverSide) whisper(c *game.Command, args string) bool {
	to, text, name := game.Nobody, "", ""
	if strings.HasPrefix(args, `"`) {
		var ok bool
		if name, text, ok = quoted(args); !ok {
			h.line(textBadWhisper)
			return false
		}
		to = h.playerNamed(name)
	} else {
		// Names may have spaces: the first space that has one before it counts.
		for i := 0; i < min(len(args), game.MaxNameLen+1) && to == game.Nobody; i++ {
			if args[i] == ' ' {
				to, text = h.playerNamed(args[:i]), args[i+1:]
			}
		}
		name, _, _ = strings.Cut(args, " ")
	}
	switch {
	case to == game.Nobody && (name == "" || text == ""):
		h.line(textBadWhisper)
		return false
	case to == game.Nobody:
		h.line(strings.Replace(textNoName, "%s", name, 1))
		return false
	}
	h.partner = to
	c.Chat, c.Target, c.Text = game.ChatWhisper, to, text
	return true
}

// quoted splits a name in quotation marks, in which a backslash keeps its meaning
// from what follows, from the text behind it.
func quoted(s string) (name, text string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			text, ok = strings.CutPrefix(s[i+1:], " ")
			return b.String(), text, ok
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '\\' || s[i+1] == '"'):
			i++
		}
		b.WriteByte(s[i])
	}
	return "", "", false
}

// playerNamed is who in the game has exactly this name.
func (h *serverSide) playerNamed(name string) game.PlayerID {
	w := h.v.world
	if w == nil || name == "" {
		return game.Nobody
	}
	for id := range game.PlayerID(game.MaxPlayers) {
		if p, ok := w.Player(id); ok && p.InGame && p.Profile.Name == name {
			return id
		}
	}
	return game.Nobody
}

// cut copies a text of at most n bytes, whole code points only.
func cut(b []byte, n int) string {
	if len(b) > n {
		for n > 0 && b[n]&0xc0 == 0x80 {
			n--
		}
		b = b[:n]
	}
	return string(b)
}
