package recorder

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Config is the configuration of a [Recorder]. The zero value is a free view for Teeworlds
// 0.7.5.
type Config struct {
	Format Format
	// OfPlayer makes it the view of Player, while they are in the game.
	OfPlayer bool
	Player   game.PlayerID
	// Interval is the number of ticks between two snapshots; 0 means 2, as servers send
	// them.
	Interval int32
	// KeyframeInterval is the number of ticks after which the next record is a keyframe;
	// 0 means demo.KeyframeInterval, as the original writes them.
	KeyframeInterval int32
}

// Recorder makes the records of a game. It is for one goroutine. For every tick it gets
// Tick, then Event for the events that clients are told of, and then Take if one
// is due. Nothing allocates once buffers have grown, but for players who come and go.
type Recorder struct {
	// Latency is what the scoreboard shows per player, in ms.
	Latency [game.MaxPlayers]int32

	cfg      Config
	protocol bridge.Protocol
	side     bridge.ServerSide
	messages messageList
	builder  snapshot.Builder
	view     game.View

	started           bool
	next, keyframeDue int32 // ticks
}

// New makes a Recorder.
func New(cfg Config) *Recorder {
	r := &Recorder{cfg: cfg, protocol: formats[cfg.Format].protocol()}
	r.side = r.protocol.NewDemoSide(&r.messages)
	return r
}

// Tick takes a tick of the world, after its Step, with the events that this returned.
func (r *Recorder) Tick(w *game.World, events []game.Event) {
	r.start(w)
	r.protocol.RecordTick(w, events)
}

// start begins with the tick of the world.
func (r *Recorder) start(w *game.World) {
	if r.started {
		return
	}
	r.started = true
	r.next, r.keyframeDue = w.Tick(), w.Tick()
	var present []game.Event
	for i := range w.Frame().Players {
		p := &w.Frame().Players[i]
		present = append(present, game.Event{Kind: game.EvPlayerEntered, Player: p.ID, Team: p.Team, Flag: true})
	}
	r.protocol.RecordTick(w, present) // it knows names from there
	for i := range present {
		r.side.SendEvent(w, &present[i])
	}
	r.messages.reset()
	r.protocol.EndSnapshots()
}

// Event adds the message about an event, if there is one and the viewer is told.
func (r *Recorder) Event(w *game.World, ev *game.Event) {
	if r.started && !ev.Kind.IsEffect() && r.isTold(ev) && r.watches(w) {
		r.side.SendEvent(w, ev)
	}
}

// isTold reports whether the viewer is told of an event. What is said to a team or to one
// player is not even in the demo of somebody who heard it: demos are shown around.
func (r *Recorder) isTold(ev *game.Event) bool {
	if ev.Kind == game.EvChat && ev.Chat != game.ChatAll {
		return false
	}
	return ev.To.IsPublic() || r.cfg.OfPlayer && ev.Kind != game.EvChat && ev.To.Has(r.cfg.Player)
}

// SendVote adds the message that a vote began or ended.
func (r *Recorder) SendVote(v *bridge.Vote) { r.side.SendVote(v) }

// SendVoteStatus adds the message with the number of votes, as [bridge.ServerSide] has it.
func (r *Recorder) SendVoteStatus(yes, no, pass, total int32) {
	r.side.SendVoteStatus(yes, no, pass, total)
}

// SendMotd adds the message of the day.
func (r *Recorder) SendMotd(text string) { r.side.SendMotd(text) }

// Due reports whether Take makes a record of the tick.
func (r *Recorder) Due(w *game.World) bool {
	r.start(w)
	return w.Tick() >= r.next && r.watches(w)
}

// watches reports whether there is somebody whose view it is.
func (r *Recorder) watches(w *game.World) bool {
	if !r.cfg.OfPlayer {
		return true
	}
	p, ok := w.Player(r.cfg.Player)
	return ok && p.InGame
}

// Take fills rec with what is due. The record keeps nothing of the world and of the Recorder.
func (r *Recorder) Take(w *game.World, rec *Record) {
	tick := w.Tick()
	r.next = tick + r.cfg.interval()
	rec.Tick, rec.Keyframe = tick, tick >= r.keyframeDue
	viewer := game.Nobody
	if r.cfg.OfPlayer {
		viewer = r.cfg.Player
	}
	if rec.Keyframe {
		// The encoder would make one a little later by itself.
		r.keyframeDue = tick + r.cfg.keyframeInterval()
		r.side.SendTuning(w, viewer)
	}
	r.view = w.View(viewer)
	r.protocol.BeginSnapshots(w)
	r.side.BuildSnapshot(&r.builder, &r.view, &r.Latency)
	r.protocol.EndSnapshots()
	r.builder.Finish(&rec.Snapshot)
	rec.messages, r.messages = r.messages, rec.messages
	r.messages.reset()
}
