package server

import (
	"errors"
	"fmt"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/transport"
)

// sessionState is how far a client is on its way into the game.
type sessionState uint8

const (
	// stateAuth: connected, nothing known.
	stateAuth sessionState = iota
	// stateConnecting: version and password are right; loads the map.
	stateConnecting
	// stateReady: seated in the world; tells who it is.
	stateReady
	// stateEntering: asked to enter; the next tick lets it in.
	stateEntering
	// stateInGame: gets snapshots and plays.
	stateInGame
)

// session is one client, from its connection to its end. What it says and hears
// goes through host; it implements bridge.Session.
type session struct {
	srv     *Server
	id      game.PlayerID
	peer    transport.Peer
	since   conn.Time
	now     conn.Time // of the datagram being handled
	conn    conn.Conn
	dialect *dialect
	host    bridge.Host

	state      sessionState
	progress   conn.Time // when it last came further on its way
	replies    bool      // something is to be sent at the end of the datagram
	allowed    allowances
	vitals     uint32 // vital messages queued so far
	mapVital   uint32 // vitals when the map was announced
	name       string // as told
	version    int32
	spectator  bool // was one before the map changed
	profiled   bool // its profile is in the world
	mayEnter   bool
	readyLater bool   // was ready before its seat was
	dropReason string // set when the session is to end
	dropping   bool
	// accountable is whether what comes from the address is its owner's doing, so
	// that he may be banned for it.
	accountable bool

	download download
	inputs   inputs
	// lastInput is the tick of the newest input.
	lastInput    int32
	flags        game.PlayerFlags
	snap         snapState
	latency      latency
	shownLatency [game.MaxPlayers]int32

	rcon   rconState
	ballot ballot
}

// newSession makes the session of an admitted client.
func (s *Server) newSession(now conn.Time, id game.PlayerID, peer transport.Peer, d *dialect) (*session, error) {
	c := s.idle[id]
	if c == nil {
		c = &session{srv: s, id: id}
		c.snap.store = snapshot.NewStore(snapshot.StoreConfig{Frames: keepSnaps + 1, Bytes: maxSnapBytes, Pool: &s.pool})
		err := c.conn.Init(conn.Config{
			Send:         func(b []byte) { s.net.Send(c.peer, b) },
			ResendBuffer: resendBuffer,
			Buffers:      &s.buffers,
		})
		if err != nil {
			return nil, err
		}
		s.idle[id] = c
	}
	c.begin(now, peer, d)
	return c, nil
}

// begin makes the session that of a client of whom nothing is known yet.
func (c *session) begin(now conn.Time, peer transport.Peer, d *dialect) {
	c.peer, c.since, c.now = peer, now, now
	c.dialect, c.host = d, d.Host(c)
	c.advance(stateAuth)
	c.version, c.spectator, c.name = 0, false, ""
	c.allowed, c.vitals, c.mapVital = allowances{}, 0, 0
	c.profiled, c.mayEnter, c.dropping, c.dropReason = false, false, false, ""
	c.rcon = rconState{}
	c.restart()
}

// advance brings the session a step further on its way.
func (c *session) advance(to sessionState) { c.state, c.progress = to, c.now }

// restart forgets what belongs to a map.
func (c *session) restart() {
	c.readyLater = false
	c.download = download{}
	c.inputs.reset()
	c.lastInput, c.flags = 0, 0
	c.snap.reset()
	c.latency = latency{}
	c.ballot = ballot{}
	clear(c.shownLatency[:])
	c.host.Restart()
}

// Chunk takes a message. It implements conn.Handler.
func (c *session) Chunk(payload []byte, vital bool) {
	if c.dropping {
		return
	}
	switch err := c.host.Take(payload, vital); {
	case err == nil:
	case errors.Is(err, bridge.ErrNotVital):
		c.srv.count(dropNotVital)
	default:
		c.srv.count(dropMessage)
	}
}

// Queue adds a message to the packet under construction. It implements
// bridge.Line.
func (c *session) Queue(payload []byte, vital bool) {
	if c.dropping {
		return
	}
	err := c.conn.Queue(c.now, payload, vital)
	switch {
	case err == nil && vital:
		c.vitals++
	case err != nil && c.conn.State() == conn.StateError:
		c.drop(c.conn.Reason())
	}
}

// Hurry lets what was queued leave at the end of the datagram. It implements
// bridge.Line.
func (c *session) Hurry() { c.replies = true }

// client is the release that the client says it is, as operators' tools read it.
// Versions but the first are named, as their numbers mean something else.
func (c *session) client() string {
	if c.dialect == c.srv.dialects[0] {
		return fmt.Sprintf("%x", c.version)
	}
	return fmt.Sprintf("%s/%d", c.dialect.Name(), c.version)
}

// drop ends the session when what is going on with it is done.
func (c *session) drop(reason string) {
	if !c.dropping {
		c.dropping, c.dropReason = true, reason
		c.srv.dropped = append(c.srv.dropped, c)
	}
}

// text makes printable what a client sent, at most n bytes of it.
func text(b []byte, n int) string {
	if len(b) > n {
		b = b[:n]
	}
	return oneLine(string(b))
}
