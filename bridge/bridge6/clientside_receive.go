package bridge6

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/convert"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/msg6"
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
	case *msg6.SnapSingle:
		c.handler.OnSnapshotPart(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, CRC: m.CRC, Parts: 1}, 0, m.Data)
	case *msg6.Snap:
		c.handler.OnSnapshotPart(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, CRC: m.CRC, Parts: m.Parts}, m.Part, m.Data)
	case *msg6.SnapEmpty:
		c.handler.OnSnapshotPart(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, Parts: 1}, 0, nil)
	case *msg6.InputTiming:
		c.handler.OnInputTiming(m.IntendedTick, m.TimeLeft)
	case *msg6.Ping:
		c.sendUnreliable(&msg6.PingReply{})
	case *msg6.PingReply:
		c.handler.OnPingReply()
	case *msg6.PingEx:
		c.sendUnreliable(&msg6.PongEx{PingID: m.PingID})
	case *msg6.SvPreInput:
		c.handler.OnOther(event.OtherInput{
			Player: bridge.EventPlayer(c, bridge.PlayerIDOf(m.Owner)), Tick: m.IntendedTick,
			Input: game.Input{
				Direction: m.Direction, TargetX: m.TargetX, TargetY: m.TargetY, Jump: m.Jump != 0, Fire: m.Fire, Hook: m.Hook != 0,
				WantedWeapon: m.WantedWeapon, NextWeapon: m.NextWeapon, PrevWeapon: m.PrevWeapon,
			},
		})
	default:
		switch {
		case !vital:
		case m.ID().Extended():
			c.extended = true
			c.receiveExtended(m)
		case m.ID().System():
			c.receiveSystem(m)
		default:
			c.receiveGame(m)
		}
	}
	return nil
}

func (c *clientSide) receiveSystem(m msg6.Message) {
	switch m := m.(type) {
	case *msg6.MapChange:
		change := &bridge.MapChange{Name: safetext.Line(m.Name), CRC: uint32(m.CRC), Size: int(m.Size), ChunksNumbered: true}
		if bytes.Equal(c.mapDetailsName, m.Name) && c.mapDetails.CRC == m.CRC && c.mapDetails.Size == m.Size {
			change.SHA256, change.HasSHA256 = c.mapDetails.SHA256, true
		}
		url := ""
		if change.HasSHA256 {
			url = c.mapURL
		}
		c.mapDetailsName, c.mapCRC = nil, m.CRC
		c.handler.OnOther(change.Event(url))
		c.handler.OnMapChange(change)
	case *msg6.MapData:
		if m.CRC == c.mapCRC {
			c.handler.OnMapData(int(max(m.Chunk, 0)), m.Data)
		}
	case *msg6.ConReady:
		c.handler.OnConReady()
	case *msg6.RconAuthStatus:
		c.handler.OnRconAuthStatus(m.Authed != 0, m.CmdList != 0)
	case *msg6.RconLine:
		c.handler.OnRconLine(safetext.Line(m.Line))
	case *msg6.RconCmdAdd:
		c.handler.OnRconCommand(convert.CommandInfo(m.Name, m.Params, m.Help))
	case *msg6.RconCmdRem:
		c.handler.OnRconCommandRemoved(safetext.Line(m.Name))
	}
}

// receiveExtended handles DDNet's own messages.
func (c *clientSide) receiveExtended(m msg6.Message) {
	switch m := m.(type) {
	case *msg6.MapDetails:
		c.mapDetails, c.mapDetailsName = *m, bytes.Clone(m.Name)
		c.mapURL = safetext.Line(m.URL)
		c.mapDetails.Name, c.mapDetails.URL = nil, nil // they point into the payload
	case *msg6.MaplistAdd:
		for name := range bytes.SplitSeq(bytes.TrimRight(m.Names, "\x00"), []byte{0}) {
			c.handler.OnMapListEntry(safetext.Line(name), false)
		}
	case *msg6.WhatIs:
		if name := msg6.ExtensionName(m.UUID); name != "" {
			c.sendVital(&msg6.ItIs{UUID: m.UUID, Name: []byte(name)})
		} else {
			c.sendVital(&msg6.IDontKnow{UUID: m.UUID})
		}
	case *msg6.SvDDRaceTime:
		c.receiveRaceTime(m)
	case *msg6.SvRecord:
		c.receiveRecord(m)
	case *msg6.SvKillMsgTeam:
		c.handler.OnOther(event.DDRaceTeamKilled{Team: m.Team, First: bridge.EventPlayer(c, bridge.PlayerIDOf(m.First))})
	case *msg6.SvYourVote:
		c.handler.OnOther(event.OwnVote{Choice: int32(m.Voted)})
	case *msg6.SvChangeInfoCooldown:
		c.handler.OnOther(event.ProfileCooldown{Tick: m.WaitUntil})
	case *msg6.SvMapSoundGlobal:
		c.handler.OnOther(event.MapSound{Sound: m.SoundID})
	case *msg6.SvSaveCode:
		c.handler.OnOther(event.TeamSave{
			State: saveStates[m.State], Error: safetext.Line(m.Error), By: safetext.Line(m.SaveRequester), Server: safetext.Line(m.ServerName),
			Generated: safetext.Line(m.GeneratedCode), Code: safetext.Line(m.Code), Members: safetext.Line(m.TeamMembers),
		})
	case *msg6.SvServerAlert:
		c.handler.OnOther(event.Alert{Text: safetext.Lines(m.Message)})
	case *msg6.SvModeratorAlert:
		c.handler.OnOther(event.Alert{Text: safetext.Lines(m.Message), Moderator: true})
	case *msg6.SvMapInfo:
		c.handler.OnOther(event.MapText{Text: safetext.Lines(m.Description)})
	case *msg6.RconType:
		c.handler.OnOther(event.RconType{NameRequired: m.NameRequired&1 != 0})
	case *msg6.Capabilities:
		has := func(f msg6.CapabilityFlags) bool { return m.Flags&f != 0 }
		c.handler.OnOther(event.Capabilities{
			Version: m.Version, DDNet: has(msg6.CapabilityDDNet), ChatTimeoutCode: has(msg6.CapabilityChatTimeoutCode),
			AnyPlayerFlag: has(msg6.CapabilityAnyPlayerFlag), PingEx: has(msg6.CapabilityPingEx),
			AllowDummy: has(msg6.CapabilityAllowDummy), SyncWeaponInput: has(msg6.CapabilitySyncWeaponInput),
		})
	case *msg6.Redirect:
		c.handler.OnOther(event.Redirect{Port: m.Port})
	case *msg6.RconCmdGroupStart:
		c.handler.OnOther(event.ListBegin{Of: "rcon_commands", Count: m.Count})
	case *msg6.MaplistGroupStart:
		c.handler.OnOther(event.ListBegin{Of: "maps", Count: m.Count})
	case *msg6.SvTeamsState:
		c.receiveTeams(m.Teams)
	case *msg6.SvRaceFinish:
		c.onEvent(game.Event{
			Kind: game.EvRaceFinish, Player: game.PlayerID(m.ClientID), Target: game.Nobody, Value: m.Time, Extra: m.Diff,
			Record: convert.Record(m.RecordPersonal, m.RecordServer),
		})
	case *msg6.SvCommandInfo:
		c.handler.OnChatCommand(convert.CommandInfo(m.Name, m.ArgsFormat, m.HelpText), false)
	case *msg6.SvCommandInfoRemove:
		c.handler.OnChatCommand(convert.CommandInfo(m.Name, nil, nil), true)
	}
}

func (c *clientSide) receiveGame(m msg6.Message) {
	switch m := m.(type) {
	case *msg6.SvMotd:
		c.handler.OnMotd(safetext.Lines(m.Message))
	case *msg6.SvReadyToEnter:
		c.handler.OnReadyToEnter()
	case *msg6.SvChat:
		c.receiveChat(m)
	case *msg6.SvTuneParams:
		c.receiveTuneParams(m)
	case *msg6.SvTeamsStateLegacy:
		c.receiveTeams(m.Teams)
	case *msg6.SvDDRaceTimeLegacy:
		c.receiveRaceTime((*msg6.SvDDRaceTime)(m))
	case *msg6.SvRecordLegacy:
		c.receiveRecord((*msg6.SvRecord)(m))
	case *msg6.SvSoundGlobal:
		c.handler.OnOther(event.Sound{Sound: game.Sound(m.Sound)})
	case *msg6.SvBroadcast:
		c.onEvent(game.Event{Kind: game.EvBroadcast, Player: game.Nobody, Target: game.Nobody, Text: safetext.Lines(m.Message)})
	case *msg6.SvKillMsg:
		c.onEvent(game.Event{
			Kind: game.EvKill, Player: bridge.PlayerIDOf(m.Killer), Target: bridge.PlayerIDOf(m.Victim),
			Weapon: game.Weapon(m.Weapon), Value: m.ModeSpecial,
		})
	case *msg6.SvWeaponPickup:
		w := game.Weapon(m.Weapon)
		c.onEvent(game.Event{Kind: game.EvPickup, Player: c.Own, Target: game.Nobody, Weapon: w, Pickup: convert.WeaponPickup(w)})
	case *msg6.SvEmoticon:
		c.onEvent(game.Event{Kind: game.EvEmoticon, Player: bridge.PlayerIDOf(m.ClientID), Target: game.Nobody, Value: int32(m.Emoticon)})
	case *msg6.SvVoteClearOptions:
		c.handler.OnVoteOptions(nil, true)
	case *msg6.SvVoteOptionListAdd:
		n := min(max(m.Count, 0), int32(len(m.Descriptions)))
		c.handler.OnVoteOptions(convert.SafeTexts(m.Descriptions[:n]), false)
	case *msg6.SvVoteOptionAdd:
		c.handler.OnVoteOptions([]string{safetext.Line(m.Description)}, false)
	case *msg6.SvVoteOptionRemove:
		c.handler.OnVoteOptionRemoved(safetext.Line(m.Description))
	case *msg6.SvVoteSet:
		c.receiveVote(m)
	case *msg6.SvVoteStatus:
		c.handler.OnVoteStatus(m.Yes, m.No, m.Pass, m.Total)
	}
}

// saveStates are the words for the values of msg6.SaveState.
var saveStates = [...]string{
	msg6.SavePending: "pending", msg6.SaveDone: "done", msg6.SaveFallbackFile: "fallback_file", msg6.SaveWarning: "warning", msg6.SaveError: "error",
}

// receiveRaceTime reports a race time. The message contains hundredths of a second.
func (c *clientSide) receiveRaceTime(m *msg6.SvDDRaceTime) {
	if m.Finish == 0 && m.Check != 0 {
		c.onEvent(game.Event{
			Kind: game.EvCheckpoint, Player: c.CurrentView.VitalsOf, Target: game.Nobody, Value: milliseconds(m.Check), Extra: milliseconds(m.Time),
		})
		return
	}
	c.handler.OnOther(event.RaceTime{Time: milliseconds(m.Time), Diff: milliseconds(m.Check), Finish: m.Finish != 0})
}

func (c *clientSide) receiveRecord(m *msg6.SvRecord) {
	c.bestTime = milliseconds(max(m.ServerTimeBest, 0))
	c.handler.OnOther(event.RaceRecords{Best: c.bestTime, Own: milliseconds(max(m.PlayerTimeBest, 0))})
}

// milliseconds converts hundredths of a second to ms.
func milliseconds(n int32) int32 { return int32(min(max(int64(n)*10, math.MinInt32), math.MaxInt32)) }

// onEvent passes an event to the handler.
func (c *clientSide) onEvent(ev game.Event) {
	c.event = ev
	c.handler.OnEvent(&c.event)
	c.event.Text = ""
}
