package bridge7

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// DemoConverter makes a demo of 0.7 of what a ClientSide shows, which may be one that reads a demo
// of another version.
type DemoConverter struct {
	from    bridge.ClientSide
	side    *demoSide
	effects []game.Event
	latency [game.MaxPlayers]int32
}

// NewDemoConverter makes a DemoConverter that writes messages to a sender.
func NewDemoConverter(from bridge.ClientSide, s bridge.Sender) *DemoConverter {
	side := NewProtocol().NewDemoSide(s).(*demoSide)
	side.source = clientSource{from}
	return &DemoConverter{from: from, side: side}
}

// clientSource is what a client sees as what is recorded.
type clientSource struct{ bridge.ClientSide }

func (s clientSource) PredictedTuning(game.PlayerID) game.Tuning { return s.Tuning() }

// SendEvent writes the message about an event of the ClientSide, if it is one that the snapshots
// do not show. Who comes and goes is not among them: recorders write what they were told of it, in
// 0.6 as lines of chat.
func (c *DemoConverter) SendEvent(ev *game.Event) {
	switch ev.Kind {
	case game.EvChat, game.EvKill, game.EvKillFeed, game.EvEmoticon, game.EvGameMsg, game.EvBroadcast:
		c.side.SendEvent(nil, ev)
	case game.EvRaceFinish:
		c.side.send(&msg7.SvRaceFinish{
			ClientID: int32(ev.Player), Time: ev.Value, Diff: ev.Extra,
			RecordPersonal: ev.Record != game.RecordNone, RecordServer: ev.Record == game.RecordOfAll,
		})
	}
}

// SendVote writes that a vote began or ended.
func (c *DemoConverter) SendVote(v *bridge.Vote) { c.side.SendVote(v) }

// SendVoteStatus writes the number of votes.
func (c *DemoConverter) SendVoteStatus(yes, no, pass, total int32) {
	c.side.SendVoteStatus(yes, no, pass, total)
}

// BuildSnapshot makes the snapshot of the view that the ClientSide has now.
func (c *DemoConverter) BuildSnapshot(b *snapshot.Builder) {
	v := *c.from.View()
	v.ShowAll = true // what is in it has been shown
	for i := range v.Players {
		c.latency[v.Players[i].ID] = v.Players[i].Latency
	}
	c.effects = append(c.effects[:0], c.from.Effects()...)
	for i := range c.effects {
		ev := &c.effects[i]
		ev.To = game.MaskAll
		if ev.Kind == game.EvDamage {
			ev.Value = min(ev.Value, 9)   // the most that 0.7 shows
			ev.Player = max(ev.Player, 0) // 0.6 has the place only, by which clients draw it
		}
	}
	e := &c.side.protocol.snapshot
	e.recordTick(v.Frame, c.effects)
	e.beginRound(v.Frame)
	c.side.infosMade = false // profiles change without a word in 0.6
	c.side.BuildSnapshot(b, &v, &c.latency)
	e.endRound()
}
