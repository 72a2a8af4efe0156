package bridge7

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/clientstate"
	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

func (c *clientSide) Receive(payload []byte, vital bool) error {
	m, err := c.decoder.Decode(payload)
	if err != nil {
		if errors.As(err, new(*message.IDError)) {
			err = fmt.Errorf("%w: %w", bridge.ErrUnknownMessage, err)
		}
		return err
	}
	switch m := m.(type) {
	case *msg7.SnapSingle:
		c.handler.OnSnapshotPart(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, CRC: m.CRC, Parts: 1}, 0, m.Data)
	case *msg7.Snap:
		c.handler.OnSnapshotPart(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, CRC: m.CRC, Parts: m.Parts}, m.Part, m.Data)
	case *msg7.SnapEmpty:
		c.handler.OnSnapshotPart(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, Parts: 1}, 0, nil)
	case *msg7.InputTiming:
		c.handler.OnInputTiming(m.IntendedTick, m.TimeLeft)
	case *msg7.Ping:
		c.sendUnreliable(&msg7.PingReply{})
	case *msg7.PingReply:
		c.handler.OnPingReply()
	default:
		if vital {
			c.receiveVital(m)
		}
	}
	return nil
}

// receiveVital handles the messages that must be sent vital.
func (c *clientSide) receiveVital(m msg7.Message) {
	if ev, ok := c.decodeEvent(m); ok {
		c.emit(ev)
		return
	}
	switch m := m.(type) {
	case *msg7.MapChange:
		change := &bridge.MapChange{
			Name: safetext.Line(m.Name), CRC: uint32(m.CRC), Size: int(m.Size), SHA256: m.SHA256.Sum, HasSHA256: m.SHA256.Present,
			ChunksPerRequest: int(m.ChunksPerRequest), ChunkSize: int(m.ChunkSize),
		}
		change.Refusal = refusalReason(change.Name, change.CRC, change.Size)
		c.handler.OnOther(change.Event(""))
		c.handler.OnMapChange(change)
	case *msg7.MapData:
		c.handler.OnMapData(-1, m.Data)
	case *msg7.ConReady:
		c.handler.OnConReady()
	case *msg7.SvReadyToEnter:
		c.handler.OnReadyToEnter()
	case *msg7.ServerInfo:
		c.handler.OnServerInfo(decodeServerInfo(&m.Record))
	case *msg7.SvMotd:
		c.handler.OnMotd(safetext.Lines(m.Message))
	case *msg7.SvVoteSet:
		c.handler.OnVote(decodeVote(m))
	case *msg7.SvVoteStatus:
		c.handler.OnVoteStatus(m.Yes, m.No, m.Pass, m.Total)
	case *msg7.SvVoteClearOptions:
		c.handler.OnVoteOptions(nil, true)
	case *msg7.SvVoteOptionAdd:
		c.handler.OnVoteOptions([]string{safetext.Line(m.Description)}, false)
	case *msg7.SvVoteOptionListAdd:
		c.handler.OnVoteOptions(convert.SafeTexts(m.Descriptions), false)
	case *msg7.SvVoteOptionRemove:
		c.handler.OnVoteOptionRemoved(safetext.Line(m.Description))
	case *msg7.RconAuthOn:
		c.handler.OnRconAuthStatus(true, true)
	case *msg7.RconAuthOff:
		c.handler.OnRconAuthStatus(false, false)
	case *msg7.RconLine:
		c.handler.OnRconLine(safetext.Line(m.Line))
	case *msg7.RconCmdAdd:
		c.handler.OnRconCommand(convert.CommandInfo(m.Name, m.Params, m.Help))
	case *msg7.RconCmdRem:
		c.handler.OnRconCommandRemoved(safetext.Line(m.Name))
	case *msg7.MaplistEntryAdd:
		c.handler.OnMapListEntry(safetext.Line(m.Name), false)
	case *msg7.MaplistEntryRem:
		c.handler.OnMapListEntry(safetext.Line(m.Name), true)
	case *msg7.SvCommandInfo:
		c.handler.OnChatCommand(convert.CommandInfo(m.Name, m.ArgsFormat, m.HelpText), false)
	case *msg7.SvCommandInfoRemove:
		c.handler.OnChatCommand(convert.CommandInfo(m.Name, nil, nil), true)
	}
}

// emit passes an event to the handler.
func (c *clientSide) emit(ev game.Event) {
	c.event = ev
	c.handler.OnEvent(&c.event)
	c.event = game.Event{}
}

// setLimits sets the game flags, the limits and the match number.
func (c *clientSide) setLimits(flags msg7.GameFlags, scoreLimit, timeLimit, matchNum, matchCurrent int32) {
	c.Limits = clientstate.EmptyGameState()
	c.Limits.Flags, c.Limits.ScoreLimit, c.Limits.TimeLimit = game.GameFlags(flags), scoreLimit, timeLimit
	c.Limits.MatchNum, c.Limits.MatchCurrent = matchNum, matchCurrent
}

// decodeEvent returns the game event that a message reports, or false if it reports none.
func (c *clientSide) decodeEvent(m msg7.Message) (game.Event, bool) {
	ev := game.Event{Player: game.Nobody, Target: game.Nobody}
	switch m := m.(type) {
	case *msg7.SvClientInfo:
		p := &c.Players[m.ClientID]
		if m.Local { // again after a timeout, with the seat that the client gets back
			c.Own, c.CurrentView.Viewer, c.CurrentView.VitalsOf = p.ID, p.ID, p.ID
		}
		*p = game.PlayerInfo{ID: p.ID, InGame: true, Team: game.Team(m.Team), Silent: m.Silent}
		p.Profile = game.Profile{Name: safetext.Line(m.Name), Clan: safetext.Line(m.Clan), Country: m.Country, Skin: showSkin(&m.Skin)}
		ev.Kind, ev.Player, ev.Team, ev.Flag = game.EvPlayerEntered, p.ID, p.Team, m.Silent
	case *msg7.SvClientDrop:
		c.Players[m.ClientID].InGame = false
		ev.Kind, ev.Player, ev.Text, ev.Flag = game.EvPlayerLeft, game.PlayerID(m.ClientID), safetext.Line(m.Reason), m.Silent
	case *msg7.SvTeam:
		if m.ClientID >= 0 {
			p := &c.Players[m.ClientID]
			p.Team, p.TeamChangeTick = game.Team(m.Team), m.CooldownTick
		}
		ev.Kind, ev.Player, ev.Team, ev.Flag, ev.Tick = game.EvTeamChange, game.PlayerID(m.ClientID), game.Team(m.Team), m.Silent, m.CooldownTick
	case *msg7.SvChat:
		ev.Kind, ev.Player, ev.Target = game.EvChat, game.PlayerID(m.ClientID), game.PlayerID(m.TargetID)
		ev.Chat, ev.Text = game.ChatMode(m.Mode), safetext.Line(m.Message)
	case *msg7.SvKillMsg:
		ev.Kind, ev.Player, ev.Target = game.EvKill, decodeKillerOrTeam(m.Killer), game.PlayerID(m.Victim)
		ev.Weapon, ev.Value = game.Weapon(m.Weapon), m.ModeSpecial
	case *msg7.SvWeaponPickup:
		ev.Kind, ev.Player, ev.Weapon = game.EvPickup, c.Own, game.Weapon(m.Weapon)
		ev.Pickup = convert.WeaponPickup(ev.Weapon)
	case *msg7.SvEmoticon:
		ev.Kind, ev.Player, ev.Value = game.EvEmoticon, game.PlayerID(m.ClientID), int32(m.Emoticon)
	case *msg7.SvSkinChange:
		c.Players[m.ClientID].Profile.Skin = showSkin(&m.Skin)
		ev.Kind, ev.Player = game.EvSkinChange, game.PlayerID(m.ClientID)
	case *msg7.SvGameInfo:
		c.setLimits(m.GameFlags, m.ScoreLimit, m.TimeLimit, m.MatchNum, m.MatchCurrent)
		ev.Kind = game.EvGameInfo
	case *msg7.SvServerSettings:
		c.ServerSettings = event.Settings{
			VoteKick: m.KickVote, VoteKickMin: m.KickMin, VoteSpectate: m.SpecVote,
			TeamsLocked: m.TeamLock, TeamBalance: m.TeamBalance, PlayerSlots: m.PlayerSlots,
		}
		ev.Kind = game.EvServerSettings
	case *msg7.SvTuneParams:
		c.TuneParams = m.Params
		ev.Kind = game.EvTuneParams
	case *msg7.SvGameMsg:
		ev.Kind, ev.GameMsg = game.EvGameMsg, game.GameMsg(m.Kind)
		switch ev.GameMsg {
		case game.GameMsgTeamAll, game.GameMsgTeamBalanceVictim, game.GameMsgCTFGrab:
			ev.Value = m.Params[0]
		case game.GameMsgGamePaused:
			ev.Player = bridge.PlayerIDOf(m.Params[0])
		case game.GameMsgCTFCapture:
			ev.Value, ev.Player, ev.Extra = m.Params[0], bridge.PlayerIDOf(m.Params[1]), m.Params[2]
		}
	case *msg7.SvRaceFinish:
		ev.Kind, ev.Player, ev.Value, ev.Extra = game.EvRaceFinish, game.PlayerID(m.ClientID), m.Time, m.Diff
		ev.Record = convert.Record(m.RecordPersonal, m.RecordServer)
	case *msg7.SvCheckpoint:
		ev.Kind, ev.Player, ev.Value = game.EvCheckpoint, c.CurrentView.VitalsOf, m.Diff
	case *msg7.SvBroadcast:
		ev.Kind, ev.Text = game.EvBroadcast, safetext.Lines(m.Message)
	default:
		if c.demo != nil {
			return c.decodeDemoEvent(m)
		}
		return game.Event{}, false
	}
	return ev, true
}

// decodeKillerOrTeam is the inverse of encodeKillerOrTeam. The number -1 can mean the world or the
// red team. The number becomes the team here, because the original server never means the world.
func decodeKillerOrTeam(id int32) game.PlayerID {
	if id < 0 {
		id--
	}
	return game.PlayerID(id)
}

// showSkin returns a skin with its names cleaned for display.
func showSkin(s *msg7.Skin) game.Skin {
	skin := game.Skin{UseCustomColors: s.UseCustomColors, PartColors: s.Colors}
	for i := range skin.PartNames {
		skin.PartNames[i] = safetext.Line(s.Parts[i])
	}
	return skin
}

func decodeServerInfo(r *msg7.InfoRecord) *bridge.ServerInfo {
	return &bridge.ServerInfo{
		Version: safetext.Line(r.Version), Name: safetext.Line(r.Name), Hostname: safetext.Line(r.Hostname),
		Map: safetext.Line(r.Map), GameType: safetext.Line(r.GameType),
		NeedsPassword: r.Flags&msg7.ServerInfoPassword != 0, TimeScore: r.Flags&msg7.ServerInfoTimeScore != 0, SkillLevel: r.SkillLevel,
		Players: r.Players, PlayerSlots: r.PlayerSlots, Clients: r.Clients, MaxClients: r.MaxClients,
	}
}

// decodeVote is the inverse of serverSide.SendVote. The target arrives as "id: name".
func decodeVote(m *msg7.SvVoteSet) *bridge.Vote {
	v := &bridge.Vote{
		Kind: event.VoteOption, Caller: game.PlayerID(m.ClientID), Timeout: m.Timeout,
		Description: safetext.Line(m.Description), Reason: safetext.Line(m.Reason), Target: game.Nobody,
	}
	switch m.Type {
	case msg7.VoteEndPass:
		v.Kind = event.VotePassed
	case msg7.VoteEndFail:
		v.Kind = event.VoteFailed
	case msg7.VoteEndAbort:
		v.Kind = event.VoteAborted
	case msg7.VoteStartKick:
		v.Kind = event.VoteKick
	case msg7.VoteStartSpec:
		v.Kind = event.VoteSpectate
	}
	if v.Kind == event.VoteKick || v.Kind == event.VoteSpectate {
		if id, name, ok := strings.Cut(v.Description, ": "); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(id)); err == nil && n >= 0 && n < msg7.MaxClients {
				v.Target, v.Description = game.PlayerID(n), name
			}
		}
	}
	if m.Timeout == 0 && v.Kind < event.VoteAborted {
		v.Kind = event.VoteNone // no vote is running; a new client is told so
	}
	return v
}
