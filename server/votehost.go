package server

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/recorder"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/logs"
	"github.com/teeyard/teeyard/server/logline"
	"github.com/teeyard/teeyard/server/vote"
)

// voteHost implements vote.Host and vote.Audience.
type voteHost struct{ s *Server }

func newVotes(s *Server) *vote.Votes {
	h := voteHost{s}
	return vote.New(vote.Config{Electorate: electorate{s}, Audience: h, Host: h, Now: func() conn.Time { return s.now }})
}

func (h voteHost) Each(f func(o vote.Onlooker)) {
	h.s.forEachInGame(func(c *session) { f(h.One(c.id)) })
	h.s.record.Each(func(to *recorder.Recorder, isSeven bool) { f(h.recording(to, isSeven)) })
}

func (h voteHost) One(id game.PlayerID) vote.Onlooker {
	c := h.s.sessions[id]
	return vote.Onlooker{Screen: c.bridge, OwnTexts: h.s.isSeven(c), Say: func(line string) {
		ev := serverLine(game.MaskOne(id), line)
		c.bridge.SendEvent(h.s.world, &ev)
	}}
}

// recording returns a demo or the broadcast as an onlooker.
func (h voteHost) recording(r *recorder.Recorder, ownTexts bool) vote.Onlooker {
	return vote.Onlooker{Screen: r, OwnTexts: ownTexts, Say: func(line string) {
		ev := serverLine(game.MaskAll, line)
		r.Event(h.s.world, &ev)
	}}
}

// serverLine returns a chat line from the server.
func serverLine(to game.PlayerMask, line string) game.Event {
	return game.Event{Kind: game.EvChat, To: to, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: line}
}

func (h voteHost) ObserveVote(v *bridge.Vote) {
	safe := *v
	safe.Description, safe.Reason = safetext.Line(v.Description), safetext.Line(v.Reason)
	h.s.observe(safe.Event(eventSource{h.s}.EventPlayer))
}

func (h voteHost) ObserveCount(yes, no, pass, total int) {
	h.s.observe(event.VoteCount{Yes: yes, No: no, Pass: pass, Total: total})
}

func (h voteHost) OptionsRemoved() {
	h.s.forEachInGame(func(c *session) { c.modView.SendMenuAgain(h.s.world, c.id) })
}

// Run notes the map that the vote has asked for. Its players read if the map cannot be loaded.
func (h voteHost) Run(line string, as console.Caller, done func(warning string)) {
	h.s.maps.Voted(func() { h.s.lines.execute(line, as, done) })
}

func (h voteHost) Print(who console.Caller, level int, line string) {
	h.s.printFor(who, level, "server", line)
}

func (h voteHost) Queue(cmd game.Command) { h.s.queueCommand(cmd) }

func (h voteHost) Audit(d vote.Decision) {
	s, e := h.s, logs.Entry{}
	switch {
	case !d.Forced:
		id := int(d.Caller)
		e = logs.Entry{Event: "vote_passed", Via: "vote", Client: &id, Name: safetext.Line(s.playerName(d.Caller)), Command: d.Command, Result: d.Result}
		if c := s.sessions[d.Caller]; c != nil {
			e.Addr = c.peer.String()
		}
	case d.Caller != game.Nobody:
		e = s.sessions[d.Caller].auditEntry("vote_forced", "vote", d.Command)
	default:
		e = s.logs.Operator()
		e.Event, e.Result, e.Command = "vote_forced", d.Result, d.Command
	}
	s.logs.Audit(e)
}

func (h voteHost) HasMap(name string) bool { return h.s.maps.Has(name) }

func (h voteHost) Quiet() bool { return h.s.ddrace.resets }

func (h voteHost) Rules() *game.Rules { return &h.s.rules.Rules }

func (h voteHost) Dialect() logline.Dialect { return h.s.logs.Dialect() }
