package bridge

import "github.com/teeyard/teeyard/protocol/snapshot"

// NopSessionHandler is a SessionHandler that does nothing. Readers of recordings embed it: a
// recording has no session.
type NopSessionHandler struct{}

// OnMapChange implements SessionHandler.
func (NopSessionHandler) OnMapChange(*MapChange) {}

// OnMapData implements SessionHandler.
func (NopSessionHandler) OnMapData(int, []byte) {}

// OnConReady implements SessionHandler.
func (NopSessionHandler) OnConReady() {}

// OnReadyToEnter implements SessionHandler.
func (NopSessionHandler) OnReadyToEnter() {}

// OnSnapshotPart implements SessionHandler.
func (NopSessionHandler) OnSnapshotPart(snapshot.PartHeader, int32, []byte) {}

// OnInputTiming implements SessionHandler.
func (NopSessionHandler) OnInputTiming(int32, int32) {}

// OnPingReply implements SessionHandler.
func (NopSessionHandler) OnPingReply() {}
