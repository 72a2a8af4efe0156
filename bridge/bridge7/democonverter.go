package bridge7

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// DemoConverter writes a 0.7 demo of the game that a ClientSide shows. The ClientSide may itself
// read a demo of another version.
type DemoConverter struct {
	from    bridge.ClientSide
	side    *demoSide
	effects []game.Event
	latency [game.MaxPlayers]int32
}

// NewDemoConverter returns a DemoConverter that writes messages to s.
func NewDemoConverter(from bridge.ClientSide, s bridge.Sender) *DemoConverter {
	side := NewProtocol().NewDemoSide(s).(*demoSide)
	side.source = clientSource{from}
	return &DemoConverter{from: from, side: side}
}

// clientSource adapts a ClientSide to demoSource.
type clientSource struct{ bridge.ClientSide }

func (s clientSource) PredictedTuning(game.PlayerID) game.Tuning { return s.Tuning() }

// SendEvent writes the message for an event of the ClientSide, unless snapshots show the event.
// SendEvent does not write that players join or leave: the recording already contains its own lines
// about that, in 0.6 as chat.
func (c *DemoConverter) SendEvent(ev *game.Event) {
	switch ev.Kind {
	case game.EvChat, game.EvKill, game.EvKillFeed, game.EvEmoticon, game.EvGameMsg, game.EvBroadcast:
		c.side.SendEvent(nil, ev)
	case game.EvRaceFinish:
		c.side.send(&msg7.SvRaceFinish{
			ClientID: int32(ev.Player), Time: max(ev.Value, -1), Diff: ev.Extra,
			RecordPersonal: ev.Record != game.RecordNone, RecordServer: ev.Record == game.RecordOfAll,
		})
	}
}

// SendVote writes that a vote began or ended.
func (c *DemoConverter) SendVote(v *bridge.Vote) { c.side.SendVote(v) }

// SendVoteStatus writes the vote counts.
func (c *DemoConverter) SendVoteStatus(yes, no, pass, total int32) {
	c.side.SendVoteStatus(yes, no, pass, total)
}

// BuildSnapshot builds the snapshot of the ClientSide's current view.
func (c *DemoConverter) BuildSnapshot(b *snapshot.Builder) {
	v := *c.from.View()
	v.ShowAll = true // the view contains only what the client was shown
	for i := range v.Players {
		c.latency[v.Players[i].ID] = v.Players[i].Latency
	}
	c.effects = append(c.effects[:0], c.from.Effects()...)
	for i := range c.effects {
		ev := &c.effects[i]
		ev.To = game.MaskAll
		if ev.Kind == game.EvDamage {
			ev.Value = min(ev.Value, 9)   // 0.7 shows no more than nine
			ev.Player = max(ev.Player, 0) // in 0.6 the effect has only a position, and clients draw it there
		}
	}
	e := &c.side.protocol.snapshot
	e.recordTick(v.Frame, c.effects)
	e.beginRound(v.Frame)
	c.side.infosMade = false // 0.6 does not announce profile changes
	c.side.BuildSnapshot(b, &v, &c.latency)
	e.endRound()
}
