package bridge6

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// demoSide is the ServerSide of a demo for DDNet's client. Only the tuning is not in the
// snapshots; SendTuning repeats it.
type demoSide struct{ serverSide }

// NewDemoSide implements [bridge.Protocol].
func (p *Protocol) NewDemoSide(s bridge.Sender) bridge.ServerSide {
	return &demoSide{serverSide{protocol: p, session: bridge.SendOnly{Sender: s}, ddnetVersion: msg6.VersionGameTick, ownID: game.Nobody}}
}

func (s *demoSide) Receive([]byte, bool) error { return bridge.ErrBadMessage }

func (s *demoSide) SendClientInfo(*game.World, game.PlayerID, bool, bool) {}

func (s *demoSide) BuildSnapshot(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32) {
	s.ownID = v.Viewer
	b.Reset()
	if b.HasRoom(s.size()) {
		s.serverSide.BuildSnapshot(b, v, latency)
		return
	}
	s.announceTimeLeft(&v.Game, v.Tick)
	e := &s.protocol.snapshot
	e.buildDDNetTypes(b)
	e.shared.AppendByPriority(b, v, &itemTypes, bridge.PriorityMatch)
	if e.isRace {
		e.buildRaceInfo(b, v, true)
	}
	e.buildGameData(b, &s.ids)
	e.buildPlayers(b, v, latency, &s.ids)
	e.buildDDNetItems(b, &s.ids)
	e.buildCharacters(b, v, &s.ids)
	e.shared.AppendByPriority(b, v, &itemTypes, bridge.PriorityProjectiles)
	e.shared.AppendByPriority(b, v, &itemTypes, bridge.PriorityLasers)
	e.shared.AppendByPriority(b, v, &itemTypes, bridge.PriorityPickups)
	e.effects.build(b, v, &s.ids)
}

// size returns the most items and integers that the snapshot can have.
func (s *demoSide) size() (items, ints int) {
	e := &s.protocol.snapshot
	items, ints = e.shared.Size()
	effects, effectInts := e.effects.Size()
	players := len(e.frame.Players)
	items += effects + len(e.characters) + 3*players + 6
	ints += effectInts + len(e.characters)*msg6.SizeCharacter + players*(msg6.SizePlayerInfo+msg6.SizeClientInfo+sizeDDNetPlayer) +
		2*msg6.SizeEx + msg6.SizeGameInfoEx + msg6.SizeGameInfo + msg6.SizeGameData + msg6.SizeSpectatorInfo
	return items, ints
}
