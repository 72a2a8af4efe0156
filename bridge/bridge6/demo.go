package bridge6

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/offline"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// NewDemoClientSide returns a ClientSide that reads a demo of DDNet or Teeworlds 0.6. It ignores
// messages of the session.
func NewDemoClientSide(handler bridge.GameHandler) bridge.ClientSide {
	return NewClientSide(offline.Sender{}, offline.Handler(handler), ClientConfig{})
}

// demoSide is the ServerSide of a demo for DDNet's client. Only the tuning is missing in snapshots;
// SendTuning repeats it.
type demoSide struct{ serverSide }

// NewDemoSide implements [bridge.Protocol].
func (p *Protocol) NewDemoSide(s bridge.Sender) bridge.ServerSide {
	return &demoSide{serverSide{protocol: p, session: offline.Session{Sender: s}, ddnetVersion: msg6.VersionGameTick, isDemo: true, ownID: game.Nobody}}
}

func (s *demoSide) Receive([]byte, bool) error { return bridge.ErrBadMessage }

func (s *demoSide) SendClientInfo(*game.World, game.PlayerID, bool, bool) {}

func (s *demoSide) BuildSnapshot(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32) {
	s.ownID = v.Viewer
	s.serverSide.BuildSnapshot(b, v, latency)
}
