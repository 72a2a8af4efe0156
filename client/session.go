package client

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Errors that end a connection, wrapped with the cause.
var (
	// ErrClosed means that the server closed the connection, or that it timed out.
	ErrClosed = errors.New("client: disconnected")
	// ErrNoAnswer means that nothing answered at the address. It wraps ErrClosed.
	ErrNoAnswer = fmt.Errorf("%w: no answer", ErrClosed)
	// ErrMap means that the client cannot use the server's map.
	ErrMap = errors.New("client: bad map")
)

// State is the progress of a client on its way into the game.
type State uint8

// The states of a client, in order.
const (
	Offline    State = iota
	Connecting       // handshake
	Loading          // loading the map
	Entering         // the server accepted the client; snapshots come next
	Playing          // at least two snapshots have arrived
)

// SessionConfig configures a Session. Only Send is required; without the rest, the client is a
// nameless tee.
type SessionConfig struct {
	// Send sends a datagram to the server. The slice is valid until Send returns. Required.
	Send func(datagram []byte)
	// Name and Clan are at most 15 and 11 bytes; an empty name is "nameless tee".
	Name, Clan string
	Country    int32
	Skin       game.Skin
	Password   string
	// Version is the protocol version to speak; "" is Version07.
	Version Version
	// DDNetVersion and ConnectionID are described in Config.
	DDNetVersion int32
	ConnectionID [16]byte
	// LegacyHandshake connects with the older version's handshake from before tokens existed.
	LegacyHandshake bool
	// ConsoleOnly is described in Config: the session stays in state Loading.
	ConsoleOnly bool
	// HasMap reports whether the client needs no download of a map; nil downloads every map.
	HasMap func(m *bridge.MapChange) bool
	// FetchMaps is described in Config. UseMap and DownloadMap end the wait.
	FetchMaps bool
	// OnMapProgress is called with the received bytes and the size of the map, at the start of a
	// download and after every chunk.
	OnMapProgress func(name string, done, size int)
	// OnMap is called with a downloaded map whose checksums match. The callee owns the file.
	OnMap func(name string, file []byte)
	// OnMessage is called with a copy of every message before it is handled, for tools and tests.
	// The payload is valid until the next call and may be changed.
	OnMessage func(payload []byte, vital bool)
	// GameHandler is called with the messages of the game; nil ignores them.
	GameHandler bridge.GameHandler
	// OnSnapshot is called with every complete snapshot.
	OnSnapshot func(tick int32, s *snapshot.Snapshot)
	// OnInputTiming is as in Config.
	OnInputTiming func(tick, left int32)
	// ManualInput means that only SendInput sends inputs.
	ManualInput bool
	// Token generates the client's own token; nil uses the system's secure random source.
	Token func() packet.Token
	// Buffers is working space that clients of one goroutine can share.
	Buffers *conn.Buffers
	// ResendBuffer is described in conn.Config.
	ResendBuffer int
}

// Stats counts the received data of a connection.
type Stats struct {
	Snapshots       int // complete and decoded
	Whole           int // Snapshots without a base: the first, and those after a server missed acknowledgements for seconds
	CRCFailures     int // snapshots with a wrong checksum
	NoBase          int // snapshots whose base the client did not have
	BadDelta        int // snapshots that could not be decoded
	BadMessage      int // messages that could not be decoded
	UnknownMessages int // messages with unknown ids
	InputsLate      int // inputs that arrived after their tick
	Predictions     int // DDRace snapshots for which the own tee was predicted
	Corrections     int // Predictions in which the own tee was elsewhere
	Bytes           int // in datagrams, without UDP headers
	Datagrams       int
}

// Session is a connection to a server without a socket and a clock: the owner passes datagrams and
// the time. It is not safe for concurrent use.
type Session struct {
	cfg         SessionConfig
	probe       versionProbe
	conn        *conn.Conn // of the current version, as side is
	side        bridge.ClientSide
	state       State
	err         error
	now         conn.Time
	profile     game.Profile
	messageCopy []byte // for OnMessage
	queueErr    error  // of Request
	gotMessage  bool   // since Dial

	download mapDownload

	joiner       snapshot.PartAssembler
	joinedAt     conn.Time // when joiner completed a snapshot last, or began anew
	snapshots    *snapshot.Store
	scratch      snapshot.Snapshot
	empty        snapshot.Snapshot
	ackedTick    int32
	ackedAt      conn.Time
	crcFailures  int
	numSnapshots int // since entering
	newestTick   int32

	gameTime      smoothTime
	predictedTime smoothTime
	input         game.Input
	sentInputs    sentInputs
	lastInputTick int32
	lastInputAt   conn.Time
	lastInput     game.Input
	inputToSend   game.Input
	predicted     game.Input // of the tick that a prediction runs

	pingedAt conn.Time // 0 if no ping waits for a reply
	latency  time.Duration
	stats    Stats
}

// NewSession returns a Session in state Offline.
func NewSession(cfg SessionConfig) (*Session, error) {
	if cfg.Name == "" {
		cfg.Name = "nameless tee"
	}
	if cfg.GameHandler == nil {
		cfg.GameHandler = nopHandler{}
	}
	c := &Session{cfg: cfg, profile: game.Profile{Name: cfg.Name, Clan: cfg.Clan, Country: cfg.Country, Skin: cfg.Skin}}
	c.snapshots = snapshot.NewStore(snapshot.StoreConfig{MaxSnapshots: 256, MaxBytes: 4 << 20})
	if err := c.setUpVersions(); err != nil {
		return nil, err
	}
	return c, nil
}

// Dial starts to connect.
func (c *Session) Dial(now conn.Time) error {
	token := packet.Token(0)
	if c.cfg.Token != nil {
		token = c.cfg.Token()
	} else {
		var b [4]byte
		if _, err := rand.Read(b[:]); err != nil {
			return fmt.Errorf("client: no random token: %w", err)
		}
		token = packet.Token(binary.BigEndian.Uint32(b[:]) &^ (1 << 31))
	}
	c.now, c.err, c.state = now, nil, Connecting
	c.stats, c.gotMessage = Stats{}, false
	c.resetWorld()
	return c.dialVersions(token)
}

// State returns the progress of the client on its way into the game.
func (c *Session) State() State { return c.state }

// Err returns the reason why the client is offline, or nil if it is not.
func (c *Session) Err() error { return c.err }

// ID returns the client's id on the server, or -1 while it is unknown.
func (c *Session) ID() int { return int(c.side.OwnID()) }

// ClientSide returns the bridge, for reading the state of the game. Use Request to send with it.
func (c *Session) ClientSide() bridge.ClientSide { return c.side }

// Stats returns the counters since Dial.
func (c *Session) Stats() Stats { return c.stats }

// NewestSnapshot returns the newest snapshot and its tick. Before the first snapshot it returns
// nil.
func (c *Session) NewestSnapshot() (*snapshot.Snapshot, int32) {
	return c.snapshots.At(c.newestTick), c.newestTick
}

// Close leaves the server.
func (c *Session) Close(now conn.Time) { c.Leave(now, "") }

// Leave leaves the server with a reason. (CLOSE)
func (c *Session) Leave(now conn.Time, reason string) {
	c.conn.Close(now, reason)
	c.state = Offline
}

// Feed processes a datagram from the server.
func (c *Session) Feed(now conn.Time, b []byte) {
	c.now = now
	c.stats.Datagrams++
	c.stats.Bytes += len(b)
	if c.probe.version == AnyVersion {
		c.feedWhileProbing(b)
	} else {
		c.noteOlderAnswer(b)
		c.conn.Feed(now, b, c)
	}
	c.sendLogin()
	c.checkClosed()
}

// sendLogin sends the first message once the connection is established.
func (c *Session) sendLogin() {
	if c.state == Connecting && c.conn.State() == conn.StateOnline {
		c.state = Loading
		c.side.SendLogin(c.cfg.Password)
		c.conn.Flush(c.now)
	}
}

// Step sends due inputs and resends, and handles timeouts. Call it at least once per tick.
func (c *Session) Step(now conn.Time) {
	c.now = now
	if c.probe.version == AnyVersion {
		if c.state == Connecting {
			c.stepWhileProbing()
			c.sendLogin()
		}
	} else {
		c.conn.Update(now)
	}
	c.checkClosed()
	if c.state == Playing && !c.cfg.ManualInput {
		c.sendDueInput(now)
	}
}

func (c *Session) checkClosed() {
	if c.conn.State() != conn.StateError || c.probe.version == AnyVersion {
		return
	}
	reason := c.conn.Reason()
	switch {
	case c.retryWithOlderVersion():
	case reason == conn.ReasonUnreachable && !c.conn.ClosedByPeer():
		c.fail(ErrNoAnswer)
	default:
		c.fail(fmt.Errorf("%w: %s", ErrClosed, safetext.Line(reason)))
	}
}

// fail closes the connection with an error.
func (c *Session) fail(err error) {
	c.conn.Close(c.now, "")
	c.state = Offline
	if c.err == nil {
		c.err = err
	}
}

// Request calls send with the bridge and sends the queued messages at once. It returns the error of
// conn.Queue: the client is not online, or the server acknowledges nothing. The error wraps
// ErrTooLong if a message does not fit into a datagram.
func (c *Session) Request(now conn.Time, send func(b bridge.ClientSide)) error {
	c.now, c.queueErr = now, nil
	send(c.side)
	switch {
	case errors.Is(c.queueErr, conn.ErrTooLarge):
		return fmt.Errorf("%w: the message does not fit into a datagram", ErrTooLong)
	case c.queueErr != nil:
		return fmt.Errorf("client: %w", c.queueErr)
	}
	c.conn.Flush(now)
	return nil
}

// SendMessage sends an encoded vital message of the current protocol version.
func (c *Session) SendMessage(now conn.Time, payload []byte) error {
	if err := c.QueueMessage(now, payload); err != nil {
		return err
	}
	c.conn.Flush(now)
	return nil
}

// QueueMessage queues an encoded vital message for the next packet.
func (c *Session) QueueMessage(now conn.Time, payload []byte) error {
	if err := c.conn.Queue(now, payload, true); err != nil {
		return fmt.Errorf("client: %w", err)
	}
	return nil
}

// messageSender queues the messages of the bridge.
type messageSender struct{ *Session }

// Queue implements bridge.Sender.
func (l messageSender) Queue(payload []byte, vital bool) {
	if err := l.conn.Queue(l.now, payload, vital); err != nil && l.queueErr == nil {
		l.queueErr = err
	}
}

// FlushSoon implements bridge.Sender.
func (l messageSender) FlushSoon() { l.conn.Flush(l.now) }

// Ping asks the server for a reply. Latency then returns the round-trip time.
func (c *Session) Ping(now conn.Time) error {
	if err := c.Request(now, bridge.ClientSide.SendPing); err != nil {
		return err
	}
	c.pingedAt = now
	return nil
}

// Unacked returns the number of vital messages that the server has not acknowledged, 0..511.
func (c *Session) Unacked() int {
	if c.conn == nil {
		return 0
	}
	n, _ := c.conn.Unacked()
	return n
}

// Latency returns the round-trip time of the last Ping, or 0 before the first reply.
func (c *Session) Latency() time.Duration { return c.latency }

// Chunk processes a message. It implements conn.Handler.
func (c *Session) Chunk(payload []byte, vital bool) {
	c.gotMessage = true
	if c.cfg.OnMessage != nil {
		c.messageCopy = append(c.messageCopy[:0], payload...)
		c.cfg.OnMessage(c.messageCopy, vital)
	}
	if err := c.side.Receive(payload, vital); errors.Is(err, bridge.ErrUnknownMessage) {
		c.stats.UnknownMessages++
	} else if err != nil {
		c.stats.BadMessage++
	}
}

// sessionHandler handles the messages of the session. Messages of the game go to GameHandler.
type sessionHandler struct {
	*Session
	bridge.GameHandler
}

// OnConReady sends the profile, for which the server is ready.
func (n sessionHandler) OnConReady() {
	n.side.SendProfile(&n.profile)
	n.conn.Flush(n.now)
}

// OnReadyToEnter enters the game.
func (n sessionHandler) OnReadyToEnter() {
	n.resetWorld()
	n.state = Entering
	n.side.SendEnterGame()
	n.conn.Flush(n.now)
}

// OnPingReply measures the latency.
func (n sessionHandler) OnPingReply() {
	if n.pingedAt != 0 {
		n.latency, n.pingedAt = n.now.Sub(n.pingedAt), 0
	}
}

// resetWorld drops all snapshots and inputs, since the server starts a new world.
func (c *Session) resetWorld() {
	c.joiner.Reset()
	c.snapshots.Clear()
	c.ackedTick, c.crcFailures, c.numSnapshots, c.newestTick = -1, 0, 0, -1
	c.lastInputTick, c.lastInputAt = 0, 0
	c.sentInputs.reset()
}

// maxJoining is the time without a complete snapshot after which parts of older ticks count again.
// Otherwise, a wrong tick far in the future would be the last.
const maxJoining = 3 * time.Second

// OnSnapshotPart collects the parts of a snapshot and decodes it when it is complete.
func (n sessionHandler) OnSnapshotPart(h snapshot.PartHeader, part int32, data []byte) {
	c := n.Session
	if c.state == Loading && h.BaseTick < 0 && len(data) == 0 {
		c.acknowledgeTick(h.Tick)
	}
	if c.state != Entering && c.state != Playing {
		return
	}
	if c.now.Sub(c.joinedAt) > maxJoining {
		c.joiner.Reset()
		if c.joinedAt = c.now; h.Tick < c.newestTick {
			c.resetWorld()
			c.SendInput(c.now, h.Tick, c.lastInput) // requests a snapshot without a base
		}
	}
	delta, complete, err := c.joiner.Add(h, part, data)
	if err != nil {
		c.stats.BadDelta++
		return
	}
	if !complete {
		return
	}
	c.joinedAt = c.now
	base := &c.empty
	if h.BaseTick >= 0 {
		if base = c.snapshots.At(h.BaseTick); base == nil {
			c.stats.NoBase++
			c.ackedTick = -1
			return
		}
	}
	if len(delta) == 0 {
		c.scratch.CopyFrom(base)
	} else if err := snapshot.ApplyDelta(&c.scratch, base, delta, c.side.ItemSizes()); err != nil {
		c.stats.BadDelta++
		return
	} else if c.scratch.CRC() != h.CRC {
		c.stats.CRCFailures++
		if c.crcFailures++; c.crcFailures > 10 {
			c.ackedTick, c.crcFailures = -1, 0
			c.SendInput(c.now, max(c.lastInputTick, h.Tick), c.lastInput) // requests a snapshot without a base
		}
		return
	}
	c.crcFailures = max(c.crcFailures-1, 0)
	c.snapshots.PurgeBefore(min(h.BaseTick, h.Tick-2))
	s := c.snapshots.Add(h.Tick, int64(c.now), &c.scratch)
	c.newestTick, c.ackedTick, c.ackedAt = h.Tick, h.Tick, c.now
	c.stats.Snapshots++
	if h.BaseTick < 0 {
		c.stats.Whole++
	}
	c.updateClocks(h.Tick)
	if c.cfg.OnSnapshot != nil {
		c.cfg.OnSnapshot(h.Tick, s)
	}
}

// acknowledgeTick acknowledges a tick before the game starts. Servers send such ticks to clients
// without a token, to check that the client receives datagrams at its address.
func (c *Session) acknowledgeTick(tick int32) {
	c.inputToSend = game.Input{TargetX: 1}
	c.side.SendInput(tick, tick, &c.inputToSend, 0)
	c.conn.Flush(c.now)
}

// updateClocks adjusts the clocks to the arrival of a snapshot.
func (c *Session) updateClocks(tick int32) {
	c.numSnapshots++
	at := time.Duration(tick) * tickTime
	switch {
	case c.numSnapshots == 2:
		c.state = Playing
		c.predictedTime = newSmoothTime(c.now, at)
		c.predictedTime.speed[1] = 1000
		c.gameTime = newSmoothTime(c.now, at-tickTime)
	case c.numSnapshots > 2:
		left := (at - c.gameTime.at(c.now)) / time.Millisecond
		c.gameTime.update(c.now, at-tickTime, int(left), 0)
	}
}
