package recorder

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Config is the configuration of a [Recorder]. The zero value records a free view for Teeworlds
// 0.7.5.
type Config struct {
	Format Format
	// OfPlayer selects the view of Player, as long as that player is in the game.
	OfPlayer bool
	Player   game.PlayerID
	// Interval is the number of ticks between two snapshots; 0 means 2, as in snapshots to clients.
	Interval int32
	// KeyframeInterval is the number of ticks between two keyframes; 0 means demo.KeyframeInterval,
	// as in the original.
	KeyframeInterval int32
}

// Recorder makes the records of a game. It is not safe for concurrent use. For each tick call Tick,
// then Event for each event that clients receive, and then Take if Due returns true. It does not
// allocate once its buffers have grown, except when players join or leave.
type Recorder struct {
	// Latency is the latency of each player on the scoreboard, in ms.
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

// New returns a Recorder.
func New(cfg Config) *Recorder {
	r := &Recorder{cfg: cfg, protocol: formats[cfg.Format].protocol()}
	r.side = r.protocol.NewDemoSide(&r.messages)
	return r
}

// Tick records a tick of the world after its Step. events are the events that Step returned.
func (r *Recorder) Tick(w *game.World, events []game.Event) {
	r.start(w)
	r.protocol.RecordTick(w, events)
}

// start begins the recording at the current tick.
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
	r.protocol.RecordTick(w, present) // gives the protocol the names of the players
	for i := range present {
		r.side.SendEvent(w, &present[i])
	}
	r.messages.reset()
	r.protocol.EndSnapshots()
}

// Event adds the message for an event, if there is one and the viewer receives it.
func (r *Recorder) Event(w *game.World, ev *game.Event) {
	if r.started && !ev.Kind.IsEffect() && r.isTold(ev) && r.watches(w) {
		r.side.SendEvent(w, ev)
	}
}

// isTold reports whether the viewer receives an event. Chat to a team or a player is left out even
// of the demo of a player who received it, since demos are shared.
func (r *Recorder) isTold(ev *game.Event) bool {
	if ev.Kind == game.EvChat && ev.Chat != game.ChatAll {
		return false
	}
	return ev.To.IsPublic() || r.cfg.OfPlayer && ev.Kind != game.EvChat && ev.To.Has(r.cfg.Player)
}

// SendVote adds the message for the start or end of a vote.
func (r *Recorder) SendVote(v *bridge.Vote) { r.side.SendVote(v) }

// SendVoteStatus adds the message with the counts of a vote; see [bridge.ServerSide].
func (r *Recorder) SendVoteStatus(yes, no, pass, total int32) {
	r.side.SendVoteStatus(yes, no, pass, total)
}

// SendMotd adds the message of the day.
func (r *Recorder) SendMotd(text string) { r.side.SendMotd(text) }

// Due reports whether Take should be called in this tick.
func (r *Recorder) Due(w *game.World) bool {
	r.start(w)
	return w.Tick() >= r.next && r.watches(w)
}

// watches reports whether the world contains the viewer: always for a free view, otherwise while
// the player is in the game.
func (r *Recorder) watches(w *game.World) bool {
	if !r.cfg.OfPlayer {
		return true
	}
	p, ok := w.Player(r.cfg.Player)
	return ok && p.InGame
}

// Take fills rec with the record of this tick. The record does not refer to the world or the
// Recorder.
func (r *Recorder) Take(w *game.World, rec *Record) {
	tick := w.Tick()
	r.next = tick + r.cfg.interval()
	rec.Tick, rec.Keyframe = tick, tick >= r.keyframeDue
	viewer := game.Nobody
	if r.cfg.OfPlayer {
		viewer = r.cfg.Player
	}
	if rec.Keyframe {
		// Without this, the encoder would add a keyframe of its own a little later.
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
