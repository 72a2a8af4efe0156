package bridge6

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/packer"
)

func (s *serverSide) Receive(payload []byte, vital bool) error {
	m, err := s.protocol.decoder.Decode(payload)
	if err != nil {
		info := shortInfo(payload)
		if info == nil {
			return bridge.ErrBadMessage
		}
		m = info
	}
	switch m := m.(type) {
	case *msg6.Input:
		s.receiveInput(m)
	case *msg6.Ping:
		s.reply(&msg6.PingReply{}, false)
	case *msg6.PingEx:
		s.reply(&msg6.PongEx{PingID: m.PingID}, vital)
	case *msg6.PingReply, *msg6.PongEx:
	default:
		if !vital {
			return bridge.ErrNotVital
		}
		if m.ID().System() {
			return s.receiveSystem(m)
		}
		return s.receiveGame(m)
	}
	return nil
}

// shortInfo decodes a login whose last fields are missing or cut off; they become empty or 0.
// shortInfo returns nil for other messages. Source: server.cpp of DDNet 16.4.
func shortInfo(payload []byte) *msg6.Info {
	var u packer.Unpacker
	u.Reset(payload)
	if msg6.ID(u.Int()) != msg6.IDInfo || u.Err() != nil {
		return nil
	}
	m := new(msg6.Info)
	_ = m.Unpack(&u) // keep the fields that were read before the error
	return m
}

// reply sends a message at once instead of waiting for more.
func (s *serverSide) reply(m msg6.Message, vital bool) {
	s.protocol.buf = m.Append(s.protocol.buf[:0])
	s.session.Queue(s.protocol.buf, vital)
	s.session.FlushSoon()
}

func (s *serverSide) receiveSystem(m msg6.Message) error {
	switch m := m.(type) {
	case *msg6.ClientVer:
		if !s.loggedIn {
			s.setDDNetVersion(m.Version)
			if s.ddnetClient == nil && m.Version >= 0 && utf8.Valid(m.Text) {
				s.ddnetClient = &bridge.DDNetClient{ConnectionID: m.ConnectionID, Release: string(m.Text)}
			}
		}
	case *msg6.Info:
		s.loggedIn = true
		version := string(m.NetVersion)
		s.session.OnLogin(bridge.Login{
			VersionOK: version == msg6.NetVersion, NetVersion: version,
			Password: string(m.Password), ClientVersion: max(s.ddnetVersion, 0), DDNet: s.ddnetClient,
		})
	case *msg6.RequestMapData:
		if m.Chunk < 0 {
			return bridge.ErrBadMessage // to the session, a negative number means the next chunk
		}
		s.session.OnRequestMapData(int(m.Chunk))
	case *msg6.Ready:
		s.session.OnReady()
	case *msg6.EnterGame:
		s.session.OnEnterGame()
	case *msg6.RconAuth:
		s.wantsCommands = m.SendCommands != 0
		s.session.OnRconAuth(string(m.Name), string(m.Password))
	case *msg6.RconCmd:
		if string(m.Command) == msg6.CrashmePlx {
			s.setDDNetVersion(msg6.VersionDDNetOld)
			return nil
		}
		s.session.OnRconCmd(string(m.Command))
	case *msg6.WhatIs:
		if name := msg6.ExtensionName(m.UUID); name != "" {
			s.reply(&msg6.ItIs{UUID: m.UUID, Name: []byte(name)}, true)
		} else {
			s.reply(&msg6.IDontKnow{UUID: m.UUID}, true)
		}
	case *msg6.ItIs, *msg6.IDontKnow, *msg6.ChecksumResponse, *msg6.ChecksumError, *msg6.SystemEx:
		// Unrequested answers, and messages of later clients.
	default:
		return bridge.ErrBadMessage
	}
	return nil
}

// setDDNetVersion sets the release of DDNet's client, unless the client already sent a later one.
func (s *serverSide) setDDNetVersion(version int32) {
	s.ddnetVersion = max(s.ddnetVersion, version)
	if limit := s.maxIDs(); limit != s.ids.Limit() {
		s.ids = clientids.New(limit, false)
	}
}

// maxIDs returns the number of ids that the client knows.
func (s *serverSide) maxIDs() int {
	switch {
	case s.ddnetVersion >= msg6.VersionMax128:
		return game.MaxPlayers
	case s.isDDNet():
		return msg6.MaxClients
	}
	return msg6.MaxClientsVanilla
}

func (s *serverSide) receiveGame(m msg6.Message) error {
	c := game.Command{Player: game.Nobody, Target: game.Nobody}
	switch m := m.(type) {
	case *msg6.ClSay:
		c.Kind, c.Chat, c.Text = game.CmdSay, game.ChatAll, string(m.Message)
		if code, ok := bridge.ParseTimeoutCode(c.Text); ok {
			s.session.OnTimeoutCode(code)
			return nil
		}
		if m.Team {
			c.Chat = game.ChatTeam
		}
	case *msg6.ClStartInfo:
		p, skin := decodePlayerProfile(&m.Profile)
		if s.ownID == game.Nobody { // a client already in the game cannot use it
			s.skin = skin
		}
		s.session.OnProfile(&p)
		return nil
	case *msg6.ClChangeInfo:
		s.receiveChangeInfo(&m.Profile)
		return nil
	case *msg6.ClSetTeam:
		s.explainRefusedTeam(game.Team(m.Team))
		c.Kind, c.Team = game.CmdSetTeam, game.Team(m.Team)
	case *msg6.ClSetSpectatorMode:
		c.Kind, c.Spectate = game.CmdSpectate, game.SpectateFree
		if m.SpectatorID >= 0 {
			c.Spectate, c.Target = game.SpectatePlayer, s.ids.Player(m.SpectatorID)
		}
	case *msg6.ClKill:
		c.Kind = game.CmdKill
	case *msg6.ClEmoticon:
		c.Kind, c.Value = game.CmdEmoticon, int32(m.Emoticon)
	case *msg6.ClVote:
		s.session.OnVote(int32(m.Vote))
		return nil
	case *msg6.ClCallVote:
		return s.receiveCallVote(m)
	case *msg6.ClIsDDNetLegacy:
		if s.ddnetClient == nil && !s.saidLegacy && m.Version > 0 {
			s.saidLegacy = true
			s.session.OnDDNetVersion(m.Version)
		}
		s.setDDNetVersion(m.Version)
		return nil
	case *msg6.ClShowDistance:
		s.setShowDistance(m)
		s.shareWatcher()
		return nil
	case *msg6.ClCameraInfo:
		s.watcher.camera, s.watcher.hasCamera = *m, true
		s.shareWatcher()
		return nil
	case *msg6.ClEnableSpectatorCount:
		counts := m.Enable
		s.watcher.counts = &counts
		s.shareWatcher()
		return nil
	case *msg6.ClShowOthers:
		c.Kind, c.Value = game.CmdShowOthers, int32(m.Show)
	case *msg6.ClShowOthersLegacy:
		c.Kind = game.CmdShowOthers
		if m.Show {
			c.Value = int32(game.ShowOthersOn)
		}
	case *msg6.GameEx:
		return nil
	default:
		return bridge.ErrBadMessage
	}
	s.session.OnCommand(c)
	return nil
}

// receiveInput clamps values to their ranges, because 0.6 clients can send any value.
func (s *serverSide) receiveInput(m *msg6.Input) {
	p := &s.playerInput
	m.Player(p)
	s.input = bridge.InputMessage{AckTick: m.AckTick, IntendedTick: m.IntendedTick, Input: decodeInput(p), Valid: true}
	s.session.OnInput(&s.input)
}

func decodeInput(p *msg6.PlayerInput) game.Input {
	in := game.Input{
		Direction: min(max(p.Direction, -1), 1), TargetX: p.TargetX, TargetY: p.TargetY,
		Jump: p.Jump != 0, Fire: p.Fire, Hook: p.Hook != 0,
		Flags:      decodePlayerFlags(p.PlayerFlags),
		NextWeapon: p.NextWeapon, PrevWeapon: p.PrevWeapon,
	}
	if p.WantedWeapon > 0 && p.WantedWeapon < game.NumWeapons { // players cannot select the ninja
		in.WantedWeapon = p.WantedWeapon
	}
	return in
}

// decodePlayerProfile returns the profile from a client's message, and the skin in its 0.6 form.
func decodePlayerProfile(l *msg6.PlayerProfile) (game.Profile, skin06) {
	text := func(b []byte, maxLen int) string { return safetext.Truncate(string(b), maxLen) }
	skin := skin06{name: text(l.Skin, game.MaxSkinPartLen), useCustomColor: l.UseCustomColor, colorBody: l.ColorBody, colorFeet: l.ColorFeet}
	return game.Profile{
		Name: text(l.Name, game.MaxNameLen), Clan: text(l.Clan, game.MaxClanLen), Country: l.Country, Skin: fromSkin06(skin),
	}, skin
}

// receiveChangeInfo changes the whole profile or only the skin. 0.7 clients can change only the
// skin.
func (s *serverSide) receiveChangeInfo(l *msg6.PlayerProfile) {
	if s.ownID == game.Nobody {
		return
	}
	p, skin := decodePlayerProfile(l)
	if skin != s.skin {
		// If the skin is the same in 0.7, the change does not go through the game. The limit
		// prevents a client from sending a new skin name to others with every snapshot.
		if !s.takeToken(&s.skinChanges, skinChangeRate) {
			return
		}
		s.skin = skin
		s.protocol.snapshot.skins.set(s.ownID, skin)
	}
	kind := game.CmdSkinChange
	if w := s.protocol.world; w != nil {
		// DDNet's client repeats the request until it sees the new skin. Several 0.6 skins are
		// equal in 0.7, so there may be nothing to change.
		info, ok := w.Player(s.ownID)
		have := &info.Profile
		switch {
		case ok && (p.Name != have.Name || p.Clan != have.Clan || p.Country != have.Country):
			kind = game.CmdProfile
		case ok && have.Skin == p.Skin:
			return
		}
	}
	s.session.OnCommand(game.Command{Kind: kind, Player: game.Nobody, Target: game.Nobody, Profile: &p})
}

// explainRefusedTeam broadcasts the reason why a change of team will fail, if it is known. 0.7
// clients determine it themselves. The rules make the final decision.
func (s *serverSide) explainRefusedTeam(t game.Team) {
	if s.protocol.world == nil || s.ownID == game.Nobody {
		return
	}
	if text := bridge.RefusedTeamText(s.protocol.world, s.ownID, t); text != "" && s.takeToken(&s.replies, replyRate) {
		s.sendBroadcast(text)
	}
}

func (s *serverSide) receiveCallVote(m *msg6.ClCallVote) error {
	kind, ok := convert.VoteKind(string(m.Type))
	if !ok {
		return bridge.ErrBadMessage
	}
	value := string(m.Value)
	if kind != event.VoteOption {
		id, err := strconv.ParseInt(strings.TrimSpace(value), 10, 32)
		if err != nil {
			id = -1
		}
		value = strconv.Itoa(int(s.ids.Player(int32(id))))
	}
	s.session.OnCallVote(kind, value, string(m.Reason), false)
	return nil
}
