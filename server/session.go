package server

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/server/chat"
	"github.com/teeyard/teeyard/server/internal/gamemap"
	"github.com/teeyard/teeyard/server/internal/modhost"
	"github.com/teeyard/teeyard/transport"
)

// sessionState is the step of a client's login.
type sessionState uint8

const (
	// stateAuth: connected, but its hello is still to come.
	stateAuth sessionState = iota
	// stateConnecting: version and password are right; it loads the map.
	stateConnecting
	// stateReady: it has the map and a seat in the world; its profile may be still to
	// come.
	stateReady
	// stateEntering: it enters the game with the next tick.
	stateEntering
	// stateInGame: it gets snapshots and plays.
	stateInGame
)

// session is a client, from its connection to its end. The messages that it gets and
// sends go through bridge; the session implements bridge.Session.
type session struct {
	server *Server
	id     game.PlayerID
	peer   transport.Peer
	// addrProven says that datagrams from the address cannot be forged, so that it
	// may be banned for them.
	addrProven  bool
	connectedAt conn.Time
	conn        conn.Conn
	version     *protocolVersion
	bridge      bridge.ServerSide
	limits      sessionLimits

	state             sessionState
	lastProgress      conn.Time // when the state or the download last advanced
	flushSoon         bool      // at the end of the datagram
	vitalsQueued      uint32    // vital messages so far
	mapsAnnounced     int       // with the one of a challenge
	vitalsAtMapChange uint32    // vitalsQueued after the last map change
	name, clan        string    // as the client sent them
	announced         bool      // see mayAnnounce
	clientVersion     int32
	ddnetClient       *bridge.DDNetClient // what it said besides, nil for others
	wasSpectator      bool                // before the map changed
	timeoutCode       uint64              // a hash of it, 0 for none; see timeouts.go
	heldUntil         conn.Time           // the seat is kept until then, 0 while connected
	leftTeam          game.Team           // of a kept seat that gave way, else TeamSpectators
	enteredAt         conn.Time           // the game
	resumed           bool                // the seat is one of a match that this server goes on with
	mayBeBack         bool                // the client may get such a seat, and is not in the world yet
	back              bool                // the client has got such a seat
	hasProfile        bool                // it is in the world
	canEnter          bool
	early             earlySteps
	dropping          bool // the session is to end
	dropReason        string

	download          gamemap.Download
	inputs            inputBuffer
	lastInputTick     int32 // of the newest input
	forwarded         forwardedInput
	playerFlags       game.PlayerFlags
	snapshots         snapshotState
	latency           latencyMeter
	scoreboardLatency [game.MaxPlayers]int32 // ms, as the client sees them

	modView        modhost.View
	rcon           rconState
	whisperPartner game.PlayerID // to whom it whispered last, or Nobody
	speech         chat.Speech
	doNotDisturb   bool // it is not sent what is said to all
	noWhispers     bool // it is not sent whispers of other players
}

// person returns the addresses that count as the one person behind the session.
func (c *session) person() netip.Prefix { return limit.Person(c.peer.Addr()) }

// newSession returns the session of a client that gets a seat.
func (s *Server) newSession(now conn.Time, id game.PlayerID, peer transport.Peer, v *protocolVersion) (*session, error) {
	c := s.sessionPool[id]
	if c == nil {
		c = &session{server: s, id: id}
		c.snapshots.store = snapshot.NewStore(snapshot.StoreConfig{MaxSnapshots: snapHistoryTicks + 1, MaxBytes: maxSnapBytes, Pool: &s.snapshotBuffers.pool})
		cfg := conn.Config{
			Send:         func(b []byte) { s.transport.Send(c.peer, b) },
			ResendBuffer: resendBuffer,
			Buffers:      &s.connBuffers,
		}
		if padder, ok := s.transport.(transport.Padder); ok {
			cfg.SendCompressed = func(b []byte) { padder.SendPaddable(c.peer, b) }
		}
		err := c.conn.Init(cfg)
		if err != nil {
			return nil, err
		}
		s.sessionPool[id] = c
	}
	c.reset(now, peer, v)
	return c, nil
}

// reset begins the session of another client.
func (c *session) reset(now conn.Time, peer transport.Peer, v *protocolVersion) {
	c.peer, c.connectedAt = peer, now
	c.version, c.bridge = v, v.NewServerSide(c)
	c.setState(stateAuth)
	c.clientVersion, c.ddnetClient, c.wasSpectator, c.name, c.clan = 0, nil, false, "", ""
	c.limits, c.vitalsQueued, c.mapsAnnounced, c.vitalsAtMapChange = sessionLimits{}, 0, 0, 0
	c.announced, c.hasProfile, c.canEnter, c.dropping, c.dropReason = false, false, false, false, ""
	c.timeoutCode, c.heldUntil, c.leftTeam, c.enteredAt = 0, 0, game.TeamSpectators, 0
	c.resumed, c.mayBeBack, c.back = false, false, false
	c.rcon, c.speech, c.doNotDisturb, c.noWhispers = rconState{}, chat.Speech{}, false, false
	c.server.votes.Join(c.id)
	c.resetForMap()
}

// setState brings the session further on its way into the game, or back.
func (c *session) setState(to sessionState) { c.state, c.lastProgress = to, c.server.now }

// resetForMap resets the state that belongs to a map.
func (c *session) resetForMap() {
	c.early = earlySteps{}
	c.download = gamemap.Download{}
	c.inputs.reset()
	c.lastInputTick, c.playerFlags = 0, 0
	c.snapshots.reset()
	c.latency = latencyMeter{}
	c.whisperPartner, c.modView = game.Nobody, modhost.View{}
	c.speech.NewMap()
	clear(c.scoreboardLatency[:])
	c.bridge.Reset()
}

// Chunk handles a message. It implements conn.Handler.
func (c *session) Chunk(payload []byte, vital bool) {
	if c.dropping {
		return
	}
	switch err := c.bridge.Receive(payload, vital); {
	case err == nil:
	case errors.Is(err, bridge.ErrNotVital):
		c.server.countDrop(dropNotVital)
	default:
		c.server.countDrop(dropMessage)
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
	case errors.Is(err, conn.ErrTooLarge):
		c.server.countDrop(dropTooLong)
	}
}

// FlushSoon sends the queued messages after the current datagram is handled. It implements
// bridge.Sender.
func (c *session) FlushSoon() { c.flushSoon = true }

// clientVersionText returns the release that the client claims, in the form for operators' tools.
// It names every protocol version but the first, because the numbers of releases mean something
// else there.
func (c *session) clientVersionText() string {
	if c.version == c.server.versions[0] {
		return fmt.Sprintf("%x", c.clientVersion)
	}
	return fmt.Sprintf("%s/%d", c.version.Name(), c.clientVersion)
}

// drop ends the session at the end of the pass. The session neither receives nor sends until then.
func (c *session) drop(reason string) {
	if !c.dropping {
		c.dropping, c.dropReason = true, reason
		c.server.droppedSessions = append(c.server.droppedSessions, c)
	}
}

// printableText returns at most n bytes of a client's text, safe to show.
func printableText(b []byte, n int) string {
	if len(b) > n {
		b = b[:n]
	}
	return safetext.Line(b)
}

// earlySteps are steps of the login that the server cannot take yet. DDNet's client sends all steps
// of its second player at once, each of them once.
type earlySteps struct {
	ready   bool
	profile *game.Profile
	enter   bool
}

// isSeven reports whether a client speaks 0.7.
func (s *Server) isSeven(c *session) bool { return c.version == s.versions[0] }

// reply sends the client a line of chat from the server.
func (c *session) reply(text string) {
	if !c.limits.reply.Take(int64(c.server.now), replyRate, 1) {
		c.server.countDrop(dropFlood)
		return
	}
	c.bridge.SendEvent(c.server.world, &game.Event{
		Kind: game.EvChat, To: game.MaskOne(c.id), Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll,
		Text: safetext.Truncate(safetext.Line(text), maxReply),
	})
}

// isHeld reports whether the session has no connection, but its seat is kept.
func (c *session) isHeld() bool { return c.heldUntil != 0 }

// isConnected reports whether the session has a connection.
func (c *session) isConnected() bool { return !c.isHeld() }

// sessionTable has the sessions and seats of a server.
type sessionTable struct {
	sessions        [game.MaxPlayers]*session // by client id, nil for free ones
	sessionPool     [game.MaxPlayers]*session // reused, by client id
	sessionByPeer   map[transport.Peer]*session
	droppedSessions []*session
	seats           seats
	addrHashKey     hashKey
	connBuffers     conn.Buffers
	snapshotBuffers snapshotBuffers
}

// numClients returns the number of sessions with a connection.
func (t *sessionTable) numClients() int { return len(t.sessionByPeer) }

// forEachInGame calls f with every session in the game.
func (t *sessionTable) forEachInGame(f func(c *session)) {
	for _, c := range t.sessions {
		if c != nil && c.state == stateInGame {
			f(c)
		}
	}
}

// anyInGame reports whether a client is in the game.
func (t *sessionTable) anyInGame() bool {
	return slices.ContainsFunc(t.sessions[:], func(c *session) bool { return c != nil && c.state == stateInGame })
}

// anyInGameBefore reports whether a client is in the game since then.
func (t *sessionTable) anyInGameBefore(then conn.Time) bool {
	return slices.ContainsFunc(t.sessions[:], func(c *session) bool { return c != nil && c.state == stateInGame && c.enteredAt < then })
}

// countNear counts the sessions from the same person and from the same network as an
// address, of those for which counts returns true.
func (t *sessionTable) countNear(addr netip.Addr, counts func(*session) bool) (samePerson, sameSite int) {
	person, site := limit.Person(addr), limit.Site(addr)
	for _, c := range t.sessions {
		if c == nil || !counts(c) {
			continue
		}
		if c.person() == person {
			samePerson++
		}
		if limit.Site(c.peer.Addr()) == site {
			sameSite++
		}
	}
	return samePerson, sameSite
}

// numHeld returns the number of seats that are kept.
func (t *sessionTable) numHeld() int {
	n := 0
	for _, c := range t.sessions {
		if c != nil && c.isHeld() {
			n++
		}
	}
	return n
}

// oldestHeld returns the session whose kept seat ends first, or nil.
func (t *sessionTable) oldestHeld() (oldest *session) {
	for _, c := range t.sessions {
		if c != nil && c.isHeld() && !c.dropping && (oldest == nil || c.heldUntil < oldest.heldUntil) {
			oldest = c
		}
	}
	return oldest
}

// hasResumed reports whether seats of a resumed match are kept.
func (t *sessionTable) hasResumed() bool {
	return slices.ContainsFunc(t.sessions[:], func(c *session) bool { return c != nil && c.resumed && c.isHeld() })
}

// findResumed returns the kept seat of a resumed match that may belong to a client: it has the
// client's address, and the client's name if that is known.
func (t *sessionTable) findResumed(c *session) *session {
	for _, old := range t.sessions {
		if old != nil && old.resumed && old.isHeld() && !old.dropping && old.person() == c.person() && (c.name == "" || old.name == c.name) {
			return old
		}
	}
	return nil
}
