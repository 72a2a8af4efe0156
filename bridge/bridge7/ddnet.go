package bridge7

import (
	"unicode/utf8"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// ddnetClient is what a client of DDNet that speaks 0.7 has sent in DDNet's own messages. Over 0.7,
// those messages have the same form as over 0.6.
type ddnetClient struct {
	info             *bridge.DDNetClient // nil for other clients
	capabilitiesSent bool
	showDistance     vec.Vec2 // 0 by default
	view             game.View
}

// hasUUID reports whether a message is one of DDNet's own.
func hasUUID(payload []byte) bool {
	const game, system = 0, 1 // the first byte
	return len(payload) > len(msg6.UUID{}) && (payload[0] == game || payload[0] == system)
}

// receiveDDNet handles a message of DDNet. Messages of features that this server does not have, and
// of later clients, have no effect.
func (s *serverSide) receiveDDNet(payload []byte, vital bool) error {
	m, err := s.protocol.ddnetDecoder.Decode(payload)
	if err != nil {
		return bridge.ErrBadMessage
	}
	if m, ok := m.(*msg6.PingEx); ok {
		s.sendDDNet(&msg6.PongEx{PingID: m.PingID}, vital)
		s.session.FlushSoon()
		return nil
	}
	if !vital {
		return bridge.ErrNotVital
	}
	c := game.Command{Kind: game.CmdShowOthers, Player: game.Nobody, Target: game.Nobody}
	switch m := m.(type) {
	case *msg6.ClientVer:
		if !s.loggedIn && s.ddnet.info == nil && m.Version >= 0 && utf8.Valid(m.Text) {
			s.ddnet.info = &bridge.DDNetClient{ConnectionID: m.ConnectionID, Release: string(m.Text)}
		}
	case *msg6.WhatIs:
		if name := msg6.ExtensionName(m.UUID); name != "" {
			s.sendDDNet(&msg6.ItIs{UUID: m.UUID, Name: []byte(name)}, true)
		} else {
			s.sendDDNet(&msg6.IDontKnow{UUID: m.UUID}, true)
		}
	case *msg6.ClShowDistance:
		s.ddnet.setShowDistance(m.X, m.Y)
	case *msg6.ClShowOthers:
		c.Value = int32(m.Show)
		s.session.OnCommand(c)
	}
	return nil
}

func (s *serverSide) sendDDNet(m msg6.Message, vital bool) {
	s.protocol.buf = m.Append(s.protocol.buf[:0])
	s.session.Queue(s.protocol.buf, vital)
}

// sendCapabilities sends DDNet's client what it may send, once.
func (s *serverSide) sendCapabilities() {
	if s.ddnet.info == nil || s.ddnet.capabilitiesSent {
		return
	}
	s.ddnet.capabilitiesSent = true
	s.sendDDNet(&msg6.Capabilities{Version: msg6.CapabilitiesVersion, Flags: msg6.CapabilityDDNet | msg6.CapabilityChatTimeoutCode |
		msg6.CapabilityAnyPlayerFlag | msg6.CapabilityPingEx | msg6.CapabilityAllowDummy}, true)
}

// maxShowDistance limits how far a client can see, in world units. A larger area has more entities
// than a snapshot can hold.
const maxShowDistance = 10_000

func (d *ddnetClient) setShowDistance(x, y int32) {
	limit := func(n int32) float32 { return float32(min(max(n, 0), maxShowDistance)) }
	d.showDistance = vec.Vec2{X: limit(x), Y: limit(y)}
}

// viewOf returns v, limited to the area that the client displays.
func (d *ddnetClient) viewOf(v *game.View) *game.View {
	if v.Range != game.DDRaceRange || d.showDistance == (vec.Vec2{}) {
		return v
	}
	d.view = *v
	d.view.Range = d.showDistance
	return &d.view
}
