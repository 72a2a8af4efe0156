package bridge7

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// NewDemoClientSide makes a ClientSide that reads a demo. It also reads the objects and
// messages that only demos have, which clients ignore in a game: they stand for messages
// that only the recorder was sent. Players who are in the demo from its beginning on enter
// silently.
func NewDemoClientSide(handler bridge.ServerMessageHandler) bridge.ClientSide {
	c := &clientSide{sender: bridge.NopSender{}, handler: handler, demo: new(demoState)}
	c.Reset()
	return c
}

// demoState is what a clientSide remembers of a demo.
type demoState struct {
	infos [game.MaxPlayers]msg7.DeClientInfo // that the players' profiles were made of
}

// readDemoObjects reads the objects that only demos have. Other objects need what they
// say, so they come first.
func (c *clientSide) readDemoObjects(s *snapshot.Snapshot) {
	c.TuneParams = physics.DefaultTuning() // left out of demos
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
			if id < game.MaxPlayers {
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
		c.emit(game.Event{Kind: game.EvPlayerEntered, Player: id, Target: game.Nobody, Team: p.Team, Flag: true})
	}
}

// decodeDemoEvent returns the event that a message of demos reports.
func (c *clientSide) decodeDemoEvent(m msg7.Message) (game.Event, bool) {
	ev := game.Event{Player: game.Nobody, Target: game.Nobody}
	switch m := m.(type) {
	case *msg7.DeClientEnter:
		if m.ClientID < 0 {
			return ev, false
		}
		id := game.PlayerID(m.ClientID)
		c.demo.infos[id] = msg7.DeClientInfo{} // the next snapshot has the rest
		c.Players[id] = game.PlayerInfo{ID: id, InGame: true, Team: game.Team(m.Team), Profile: game.Profile{Name: safetext.Line(m.Name)}}
		ev.Kind, ev.Player, ev.Team = game.EvPlayerEntered, id, game.Team(m.Team)
	case *msg7.DeClientLeave:
		ev.Player = c.demoPlayerNamed(safetext.Line(m.Name), game.PlayerID(m.ClientID))
		if ev.Player == game.Nobody {
			return ev, false
		}
		ev.Kind, ev.Text = game.EvPlayerLeft, safetext.Line(m.Reason)
		c.Players[ev.Player].InGame = false
	default:
		return ev, false
	}
	return ev, true
}

// demoPlayerNamed returns the player in the game with a name, Nobody if there is none. The
// id counts only where several have the name.
func (c *clientSide) demoPlayerNamed(name string, id game.PlayerID) game.PlayerID {
	found := game.Nobody
	for i := range c.Players {
		p := &c.Players[i]
		if p.InGame && p.Profile.Name == name && (found == game.Nobody || p.ID == id) {
			found = p.ID
		}
	}
	return found
}
