package bridge7

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/offline"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// NewDemoClientSide returns a ClientSide that reads a demo. NewDemoClientSide also reads the
// objects and messages that exist only in demos. A client in a game ignores those. These objects
// and messages replace messages that only the recorder received. A player enters silently if a
// snapshot shows the player and no message announces them before the next snapshot.
func NewDemoClientSide(handler bridge.GameHandler) bridge.ClientSide {
	c := &clientSide{sender: offline.Sender{}, handler: offline.Handler(handler), demo: new(demoState)}
	c.Reset()
	return c
}

// demoState is the part of a clientSide that only demos need.
type demoState struct {
	infos   [game.MaxPlayers]msg7.DeClientInfo // the objects that the players' profiles were decoded from
	entered [game.MaxPlayers]bool              // appeared in the last snapshot and not yet announced
	started bool                               // at least one snapshot was read
}

// readDemoObjects reads the objects that exist only in demos. readDemoObjects runs before other
// objects are read, because those depend on it.
func (c *clientSide) readDemoObjects(s *snapshot.Snapshot) {
	c.announceEntered()
	c.TuneParams = physics.DefaultTuning() // demos omit default tuning
	var present [game.MaxPlayers]bool
	for i := range s.Len() {
		key, ints := s.Item(i)
		typ, id := key.Type(), key.ID()
		if typ < msg7.TypeDeClientInfo || typ > msg7.TypeDeTuneParams {
			continue
		}
		o, err := c.items.Decode(typ, ints)
		if err != nil {
			continue
		}
		switch o := o.(type) {
		case *msg7.DeClientInfo:
			if id < msg7.MaxClients {
				present[id] = true
				c.readDemoPlayer(game.PlayerID(id), o)
			}
		case *msg7.DeGameInfo:
			c.setLimits(o.GameFlags, o.ScoreLimit, o.TimeLimit, o.MatchNum, o.MatchCurrent)
		case *msg7.DeTuneParams:
			c.TuneParams = o.Params
		}
	}
	for id := range c.Players {
		if !present[id] {
			c.Players[id].InGame, c.Players[id].Alive = false, false
		}
	}
	if !c.demo.started {
		c.demo.started = true
		c.announceEntered() // players present when the recording began
	}
}

// announceEntered reports the players who entered without a message.
func (c *clientSide) announceEntered() {
	for id, entered := range c.demo.entered {
		if p := &c.Players[id]; entered {
			c.demo.entered[id] = false
			c.emit(game.Event{Kind: game.EvPlayerEntered, Player: p.ID, Target: game.Nobody, Team: p.Team, Flag: true})
		}
	}
}

func (c *clientSide) readDemoPlayer(id game.PlayerID, o *msg7.DeClientInfo) {
	p, known := &c.Players[id], &c.demo.infos[id]
	if o.Local {
		c.Own = id
	}
	if p.InGame && *known == *o {
		return
	}
	*known = *o
	text := func(packed []int32) string {
		var b [4 * len(o.SkinParts[0])]byte
		return safetext.Line(message.AppendIntsToStr(b[:0], packed))
	}
	p.Team = game.Team(o.Team)
	p.Profile = game.Profile{Name: text(o.Name[:]), Clan: text(o.Clan[:]), Country: o.Country}
	skin := &p.Profile.Skin
	skin.UseCustomColors, skin.PartColors = o.UseCustomColors, o.SkinColors
	for i := range skin.PartNames {
		skin.PartNames[i] = text(o.SkinParts[i][:])
	}
	if !p.InGame {
		p.InGame, p.Silent = true, true
		c.demo.entered[id] = true
	}
}

// decodeDemoEvent returns the event that a demo's message reports.
func (c *clientSide) decodeDemoEvent(m msg7.Message) (game.Event, bool) {
	ev := game.Event{Player: game.Nobody, Target: game.Nobody}
	switch m := m.(type) {
	case *msg7.DeClientEnter:
		if m.ClientID < 0 {
			return ev, false
		}
		id, name := game.PlayerID(m.ClientID), safetext.Line(m.Name)
		if p := &c.Players[id]; !p.InGame || p.Profile.Name != name {
			// The next snapshot completes the player's profile. Other recorders write the snapshot
			// first.
			c.demo.infos[id] = msg7.DeClientInfo{}
			*p = game.PlayerInfo{ID: id, InGame: true, Team: game.Team(m.Team), Profile: game.Profile{Name: name}}
		}
		c.demo.entered[id], c.Players[id].Silent = false, false
		ev.Kind, ev.Player, ev.Team = game.EvPlayerEntered, id, game.Team(m.Team)
	case *msg7.DeClientLeave:
		ev.Player = c.demoPlayerNamed(safetext.Line(m.Name), game.PlayerID(m.ClientID))
		if ev.Player == game.Nobody {
			return ev, false
		}
		ev.Kind, ev.Text = game.EvPlayerLeft, safetext.Line(m.Reason)
		c.Players[ev.Player].InGame, c.demo.entered[ev.Player] = false, false
	default:
		return ev, false
	}
	return ev, true
}

// demoPlayerNamed returns the player with a name, or -1. demoPlayerNamed prefers a player in the
// game over one who left. If several match, it prefers the player with the given id.
func (c *clientSide) demoPlayerNamed(name string, id game.PlayerID) game.PlayerID {
	found := game.Nobody
	for i := range c.Players {
		p := &c.Players[i]
		if p.Profile.Name != name || name == "" {
			continue
		}
		if found == game.Nobody || p.InGame && !c.Players[found].InGame || p.InGame == c.Players[found].InGame && p.ID == id {
			found = p.ID
		}
	}
	return found
}
