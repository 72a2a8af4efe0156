// Package offline stands in for a connection where there is none: in the sides that read and write
// demos.
package offline

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Sender is a bridge.Sender that sends nothing.
type Sender struct{}

// Queue drops the message.
func (Sender) Queue([]byte, bool) {}

// FlushSoon does nothing.
func (Sender) FlushSoon() {}

// Session is the bridge.Session of a ServerSide that receives no messages.
type Session struct {
	bridge.Sender
	bridge.ClientMessageHandler // nil
}

// Handler returns a handler that passes on the messages about the game and ignores those of the
// session. Demos of servers contain messages for the client that they were recorded for.
func Handler(h bridge.GameHandler) bridge.ServerMessageHandler {
	return &struct {
		bridge.GameHandler
		session
	}{GameHandler: h}
}

// session is a bridge.SessionHandler that does nothing.
type session struct{}

func (session) OnMapChange(*bridge.MapChange)                     {}
func (session) OnMapData(int, []byte)                             {}
func (session) OnConReady()                                       {}
func (session) OnReadyToEnter()                                   {}
func (session) OnSnapshotPart(snapshot.PartHeader, int32, []byte) {}
func (session) OnInputTiming(int32, int32)                        {}
func (session) OnPingReply()                                      {}
