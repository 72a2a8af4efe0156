package client

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Demo receives a match as a demo of 0.7 would contain it, whatever version the server speaks. So a
// program that shows or records demos can show or record the match of a client. The methods must
// not call the client's.
type Demo interface {
	// Message receives a message of 0.7, such as Sv_Chat. It is valid until Message returns.
	Message(payload []byte)
	// Snapshot receives the snapshot of a tick, with the objects that only demos have
	// (De_ClientInfo, De_GameInfo, De_TuneParams). It is valid until Snapshot returns.
	Snapshot(tick int32, s *snapshot.Snapshot)
}

// demoWriter converts the match of a client for its Demo.
type demoWriter struct {
	from    bridge.ClientSide // of the converter; another version has another one
	to      *bridge7.DemoConverter
	builder snapshot.Builder
	built   snapshot.Snapshot
}

// demoMessages implements bridge.Sender.
type demoMessages struct{ Demo }

func (m demoMessages) Queue(payload []byte, _ bool) { m.Message(payload) }
func (demoMessages) FlushSoon()                     {}

// converter returns the converter for the current version, or nil without a Demo.
func (w *demoWriter) converter(c *Client) *bridge7.DemoConverter {
	if c.cfg.Demo == nil {
		return nil
	}
	if side := c.session.side; w.from != side {
		w.from, w.to = side, bridge7.NewDemoConverter(side, demoMessages{c.cfg.Demo})
	}
	return w.to
}

func (w *demoWriter) event(c *Client, ev *game.Event) {
	if to := w.converter(c); to != nil {
		to.SendEvent(ev)
	}
}

func (w *demoWriter) vote(c *Client, v *bridge.Vote) {
	if to := w.converter(c); to != nil {
		to.SendVote(v)
	}
}

func (w *demoWriter) voteStatus(c *Client, yes, no, pass, total int32) {
	if to := w.converter(c); to != nil {
		to.SendVoteStatus(yes, no, pass, total)
	}
}

func (w *demoWriter) snapshot(c *Client, tick int32) {
	if to := w.converter(c); to != nil {
		to.BuildSnapshot(&w.builder)
		w.builder.Finish(&w.built)
		c.cfg.Demo.Snapshot(tick, &w.built)
	}
}
