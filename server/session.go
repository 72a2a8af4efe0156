package server

import (
	"errors"
	"fmt"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
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
	server      *Server
	id          game.PlayerID
	peer        transport.Peer
	connectedAt conn.Time
	conn        conn.Conn
	version     *protocolVersion
	host        bridge.ServerSide

	state             sessionState
	lastProgress      conn.Time // when it last came further on its way
	flushSoon         bool      // something is to be sent at the end of the datagram
	limits            sessionLimits
	vitalsQueued      uint32 // vital messages queued so far
	vitalsAtMapChange uint32 // vitals when the map was announced
	name              string // as told
	clientVersion     int32
	wasSpectator      bool // was one before the map changed
	hasProfile        bool // its profile is in the world
	canEnter          bool
	readyPending      bool   // was ready before its seat was
	dropReason        string // set when the session is to end
	dropping          bool
	// addrProven is whether what comes from the address is its owner's doing, so
	// that he may be banned for it.
	addrProven bool

	download download
	inputs   inputBuffer
	// lastInputTick is the tick of the newest input.
	lastInputTick     int32
	playerFlags       game.PlayerFlags
	snaps             snapshotState
	latency           latencyMeter
	scoreboardLatency [game.MaxPlayers]int32

	rcon   rconState
	ballot ballot
}

// newSession makes the session of an admitted client.
func (s *Server) newSession(now conn.Time, id game.PlayerID, peer transport.Peer, d *protocolVersion) (*session, error) {
	c := s.sessionPool[id]
	if c == nil {
		c = &session{server: s, id: id}
		c.snaps.store = snapshot.NewStore(snapshot.StoreConfig{MaxSnapshots: snapHistoryTicks + 1, MaxBytes: maxSnapBytes, Pool: &s.pool})
		err := c.conn.Init(conn.Config{
			Send:         func(b []byte) { s.transport.Send(c.peer, b) },
			ResendBuffer: resendBuffer,
			Buffers:      &s.buffers,
		})
		if err != nil {
			return nil, err
		}
		s.sessionPool[id] = c
	}
	c.reset(now, peer, d)
	return c, nil
}

// reset makes the session that of a client of whom nothing is known yet.
func (c *session) reset(now conn.Time, peer transport.Peer, d *protocolVersion) {
	c.peer, c.connectedAt = peer, now
	c.version, c.host = d, d.NewServerSide(c)
	c.setState(stateAuth)
	c.clientVersion, c.wasSpectator, c.name = 0, false, ""
	c.limits, c.vitalsQueued, c.vitalsAtMapChange = sessionLimits{}, 0, 0
	c.hasProfile, c.canEnter, c.dropping, c.dropReason = false, false, false, ""
	c.rcon = rconState{}
	c.resetForMap()
}

// setState brings the session a step further on its way.
func (c *session) setState(to sessionState) { c.state, c.lastProgress = to, c.server.now }

// resetForMap forgets what belongs to a map.
func (c *session) resetForMap() {
	c.readyPending = false
	c.download = download{}
	c.inputs.reset()
	c.lastInputTick, c.playerFlags = 0, 0
	c.snaps.reset()
	c.latency = latencyMeter{}
	c.ballot = ballot{}
	clear(c.scoreboardLatency[:])
	c.host.Reset()
}

// feed handles a datagram from the client's address. It returns false for one that is
// not of the connection: an address may ask for server info while it plays.
func (c *session) feed(now conn.Time, b []byte) bool {
	c.flushSoon = false
	err := c.conn.Feed(now, b, c)
	if c.conn.Rejoined() && !c.dropping {
		c.server.rejoin(now, c)
	}
	if c.flushSoon {
		c.conn.Flush(now)
	}
	switch err {
	case nil:
	case packet.DropConnless:
		return false
	case packet.DropOtherVersion:
		c.server.count(dropVersion)
	default:
		c.server.count(dropConnection)
	}
	if c.conn.State() == conn.StateError {
		c.drop(c.conn.Reason())
		return true
	}
	c.continueDownload()
	return true
}

// Chunk takes a message. It implements conn.Handler.
func (c *session) Chunk(payload []byte, vital bool) {
	if c.dropping {
		return
	}
	switch err := c.host.Receive(payload, vital); {
	case err == nil:
	case errors.Is(err, bridge.ErrNotVital):
		c.server.count(dropNotVital)
	default:
		c.server.count(dropMessage)
	}
}

// Queue adds a message to the packet under construction. It implements
// bridge.Sender.
func (c *session) Queue(payload []byte, vital bool) {
	if c.dropping {
		return
	}
	err := c.conn.Queue(c.server.now, payload, vital)
	switch {
	case err == nil && vital:
		c.vitalsQueued++
	case err != nil && c.conn.State() == conn.StateError:
		c.drop(c.conn.Reason())
	}
}

// FlushSoon lets what was queued leave at the end of the datagram. It implements
// bridge.Sender.
func (c *session) FlushSoon() { c.flushSoon = true }

// clientVersionText is the release that the clientVersionText says it is, as operators' tools read it.
// Versions but the first are named, as their numbers mean something else.
func (c *session) clientVersionText() string {
	if c.version == c.server.versions[0] {
		return fmt.Sprintf("%x", c.clientVersion)
	}
	return fmt.Sprintf("%s/%d", c.version.Name(), c.clientVersion)
}

// drop ends the session when what is going on with it is done.
func (c *session) drop(reason string) {
	if !c.dropping {
		c.dropping, c.dropReason = true, reason
		c.server.dropping = append(c.server.dropping, c)
	}
}

// printable makes printable what a client sent, at most n bytes of it.
func printable(b []byte, n int) string {
	if len(b) > n {
		b = b[:n]
	}
	return safetext.Line(b)
}
