package bridge6

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// ClientConfig says what a client is. The zero value can do what a 0.6 client with 64
// players can.
type ClientConfig struct {
	// DDNetVersion is the release of DDNet to be taken for, times 1000, as 16040. With 0
	// the server is told that 64 players are fine, and sends plain objects. Below 0
	// it is told nothing and shows at most 16 players.
	DDNetVersion int32
	// ConnectionID identifies the client's connections in CLIENTVER.
	ConnectionID [16]byte
}

// ClientSide is the client's end of the bridge. It implements [bridge.ClientSide].
type ClientSide struct {
	lift
	cfg     ClientConfig
	line    bridge.Sender
	news    bridge.ServerMessageHandler
	dec     msg6.Decoder
	buf     []byte
	ev      game.Event // for OnEvent
	profile game.Profile

	details  msg6.MapDetails // of the map that is about to be announced
	mapName  []byte          // its name
	crc      int32           // of the map announced
	limited  bool            // limits are known
	voteOver bool            // a vote is, but not how
	caller   game.PlayerID   // of the next vote, as the chat has it
}

var _ bridge.ClientSide = (*ClientSide)(nil)

// NewClientSide makes a Guest that writes to line and tells news what it hears.
func NewClientSide(line bridge.Sender, news bridge.ServerMessageHandler, cfg ClientConfig) *ClientSide {
	g := &ClientSide{line: line, news: news, cfg: cfg}
	g.version = cfg.DDNetVersion
	g.Reset()
	return g
}

// Reset implements [bridge.ClientSide].
func (g *ClientSide) Reset() {
	g.reset()
	g.limited, g.voteOver, g.caller = false, false, game.Nobody
}

// ItemSizes implements [bridge.ClientSide].
func (g *ClientSide) ItemSizes() *snapshot.ItemSizes { return &sizes }

// Receive implements [bridge.ClientSide].
func (g *ClientSide) Receive(payload []byte, vital bool) error {
	m, err := g.dec.Decode(payload)
	if err != nil {
		if errors.As(err, new(*msg6.IDError)) {
			err = fmt.Errorf("%w: %w", bridge.ErrUnknownMessage, err)
		}
		return err
	}
	switch m := m.(type) {
	case *msg6.SnapSingle:
		g.news.OnSnapshotPart(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, CRC: m.CRC, Parts: 1}, 0, m.Data)
	case *msg6.Snap:
		g.news.OnSnapshotPart(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, CRC: m.CRC, Parts: m.Parts}, m.Part, m.Data)
	case *msg6.SnapEmpty:
		g.news.OnSnapshotPart(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, Parts: 1}, 0, nil)
	case *msg6.InputTiming:
		g.news.OnInputTiming(m.IntendedTick, m.TimeLeft)
	case *msg6.Ping:
		g.loose(&msg6.PingReply{})
	case *msg6.PingReply:
		g.news.OnPingReply()
	case *msg6.PingEx:
		g.loose(&msg6.PongEx{PingID: m.PingID})
	default:
		if !vital {
			break
		}
		if m.ID().Extended() {
			g.rich = true
			return g.takeExtended(m)
		}
		if m.ID().System() {
			g.takeSystem(m)
		} else {
			g.takeGame(m)
		}
	}
	return nil
}

func (g *ClientSide) takeSystem(m msg6.Message) {
	switch m := m.(type) {
	case *msg6.MapChange:
		offer := &bridge.MapChange{Name: bridge.Text(m.Name), CRC: uint32(m.CRC), Size: int(m.Size), ChunksNumbered: true}
		if bytes.Equal(g.mapName, m.Name) && g.details.CRC == m.CRC && g.details.Size == m.Size {
			offer.SHA256, offer.HasSHA256 = g.details.SHA256, true
		}
		g.mapName, g.crc = nil, m.CRC
		g.news.OnMapChange(offer)
	case *msg6.MapData:
		if m.CRC == g.crc {
			g.news.OnMapData(int(max(m.Chunk, 0)), m.Data)
		}
	case *msg6.ConReady:
		g.news.OnConReady()
	case *msg6.RconAuthStatus:
		g.news.OnRconAuthStatus(m.Authed != 0)
	case *msg6.RconLine:
		g.news.OnRconLine(bridge.Text(m.Line))
	case *msg6.RconCmdAdd:
		g.news.OnRconCommand(&bridge.CommandInfo{Name: bridge.Text(m.Name), Params: bridge.Text(m.Params), Help: bridge.Text(m.Help)})
	case *msg6.RconCmdRem:
		g.news.OnRconCommandRemoved(bridge.Text(m.Name))
	}
}

// takeExtended takes one of DDNet's own messages.
func (g *ClientSide) takeExtended(m msg6.Message) error {
	switch m := m.(type) {
	case *msg6.MapDetails:
		g.details, g.mapName = *m, bytes.Clone(m.Name)
		g.details.Name, g.details.URL = nil, nil // borrowed
	case *msg6.MaplistAdd:
		for name := range bytes.SplitSeq(bytes.TrimRight(m.Names, "\x00"), []byte{0}) {
			g.news.OnMapListEntry(bridge.Text(name), false)
		}
	case *msg6.WhatIs:
		if name := msg6.ExtensionName(m.UUID); name != "" {
			g.send(&msg6.ItIs{UUID: m.UUID, Name: []byte(name)})
		} else {
			g.send(&msg6.IDontKnow{UUID: m.UUID})
		}
	case *msg6.SvDDRaceTime:
		if m.Check != 0 {
			g.news.OnCheckpoint(m.Check * 10)
		}
	case *msg6.SvRecord:
		g.race.BestTime = -1
		if m.ServerTimeBest > 0 {
			g.race.BestTime = m.ServerTimeBest * 10
		}
	case *msg6.SvRaceFinish:
		g.news.OnRaceFinish(game.PlayerID(m.ClientID), m.Time, m.Diff, m.RecordServer)
	case *msg6.SvCommandInfo:
		g.news.OnChatCommand(&bridge.CommandInfo{Name: bridge.Text(m.Name), Params: bridge.Text(m.ArgsFormat), Help: bridge.Text(m.HelpText)}, false)
	case *msg6.SvCommandInfoRemove:
		g.news.OnChatCommand(&bridge.CommandInfo{Name: bridge.Text(m.Name)}, true)
	}
	return nil
}

func (g *ClientSide) takeGame(m msg6.Message) {
	ev := game.Event{Player: game.Nobody, Target: game.Nobody}
	switch m := m.(type) {
	case *msg6.SvMotd:
		g.news.OnMotd(bridge.Lines(m.Message))
		return
	case *msg6.SvReadyToEnter:
		g.news.OnReadyToEnter()
		return
	case *msg6.SvChat:
		g.chat(m)
		return
	case *msg6.SvTuneParams:
		g.tune(m)
		return
	case *msg6.SvBroadcast:
		ev.Kind, ev.Text = game.EvBroadcast, bridge.Lines(m.Message)
	case *msg6.SvKillMsg:
		ev.Kind, ev.Player, ev.Target = game.EvKill, playerOf(m.Killer), playerOf(m.Victim)
		ev.Weapon, ev.Value = game.Weapon(m.Weapon), m.ModeSpecial
	case *msg6.SvWeaponPickup:
		w := game.Weapon(m.Weapon)
		ev.Kind, ev.Player, ev.Weapon = game.EvPickup, g.own, w
		ev.Pickup, _ = pickupOf(msg6.PickupWeapon, m.Weapon)
	case *msg6.SvEmoticon:
		ev.Kind, ev.Player, ev.Value = game.EvEmoticon, playerOf(m.ClientID), int32(m.Emoticon)
	case *msg6.SvVoteClearOptions:
		g.news.OnVoteOptions(nil, true)
		return
	case *msg6.SvVoteOptionListAdd:
		add := make([]string, 0, len(m.Descriptions))
		for _, d := range m.Descriptions[:min(max(m.Count, 0), int32(len(m.Descriptions)))] {
			add = append(add, bridge.Text(d))
		}
		g.news.OnVoteOptions(add, false)
		return
	case *msg6.SvVoteOptionAdd:
		g.news.OnVoteOptions([]string{bridge.Text(m.Description)}, false)
		return
	case *msg6.SvVoteOptionRemove:
		g.news.OnVoteOptionRemoved(bridge.Text(m.Description))
		return
	case *msg6.SvVoteSet:
		g.vote(m)
		return
	case *msg6.SvVoteStatus:
		g.news.OnVoteStatus(m.Yes, m.No, m.Pass, m.Total)
		return
	default:
		return
	}
	g.tell(ev)
}
