package client

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Errors a client ends with, wrapped with what happened.
var (
	// ErrClosed: the server ended the connection, or it was lost.
	ErrClosed = errors.New("client: disconnected")
	// ErrMap: the server announced or sent a map that cannot be used.
	ErrMap = errors.New("client: bad map")
)

// State is how far a client is on its way into the game.
type State uint8

// The states of a client, in order.
const (
	Offline    State = iota
	Connecting       // handshake
	Loading          // map
	Entering         // told who it is, waits for snapshots
	Playing          // has two snapshots
)

// SessionConfig says who the client is. The zero value is a nameless tee.
type SessionConfig struct {
	// Send takes a datagram to the server; it is borrowed until Send returns.
	// Required.
	Send func(datagram []byte)
	// Name and Clan are at most 15 and 11 bytes; an empty name is "nameless tee".
	Name, Clan string
	Country    int32
	Skin       game.Skin
	Password   string
	// Version is what to speak; "" is Version07.
	Version Version
	// DDNetVersion and Connection are as in Config.
	DDNetVersion int32
	ConnectionID [16]byte
	// LegacyHandshake begins as the oldest clients of a version do. Servers know less well then
	// who it is.
	LegacyHandshake bool
	// HasMap tells whether a map need not be downloaded; nil means it must.
	HasMap func(m *bridge.MapChange) bool
	// OnMapProgress learns how many bytes of the map have come, of how many: at the
	// start of a download and after every chunk.
	OnMapProgress func(name string, done, size int)
	// OnMap takes a downloaded map, whose checksums are right; the file is the
	// callee's.
	OnMap func(name string, file []byte)
	// OnMessage sees every message before it is read, for tools and tests, which
	// read it themselves. The payload is borrowed until the next; it may be
	// changed.
	OnMessage func(payload []byte, vital bool)
	// GameHandler hears what happens; nil hears nothing.
	GameHandler bridge.GameHandler
	// OnSnapshot takes every snapshot that was understood.
	OnSnapshot func(tick int32, s *snapshot.Snapshot)
	// OnInputTiming learns how early, in ms, the input for a tick arrived; below zero
	// it was late. (INPUTTIMING)
	OnInputTiming func(tick, left int32)
	// ManualInput leaves the timing of inputs to the owner: only SendInput sends any.
	ManualInput bool
	// Tokens gives the client's own token; nil takes it from the system's
	// secure source.
	Token func() packet.Token
	// Buffers is working space that clients of one goroutine can share.
	Buffers *conn.Buffers
	// ResendBuffer is passed to the connection.
	ResendBuffer int
}

// Stats counts what went right and wrong with a connection.
type Stats struct {
	Snapshots       int // understood
	CRCFailures     int // of which the checksum did not match
	NoBase          int // whose base the client did not have
	BadDelta        int // that could not be decoded
	BadMessage      int // that could not be decoded
	UnknownMessages int // messages that the version does not have
	InputsLate      int // inputs that arrived after their tick
	Bytes           int // received, datagrams' contents
	Datagrams       int // received
}

// Session is one connection to a server. It is for one goroutine.
type Session struct {
	cfg         SessionConfig
	versions    versionState
	conn        *conn.Conn // of the version that is spoken, as guest
	side        bridge.ClientSide
	state       State
	err         error
	now         conn.Time
	profile     game.Profile
	messageCopy []byte // for OnMessage
	queueErr    error  // of Tell
	gotMessage  bool   // a message, since Dial

	download mapDownload

	joiner       snapshot.PartAssembler
	snapshots    *snapshot.Store
	scratch      snapshot.Snapshot
	empty        snapshot.Snapshot
	ackedTick    int32
	ackedAt      conn.Time
	crcFailures  int
	numSnapshots int // snapshots since entering
	newestTick   int32

	gameTime      smoothTime
	predictedTime smoothTime
	input         game.Input
	sentInputs    sentInputs
	lastInputTick int32
	lastInputAt   conn.Time
	lastInput     game.Input
	inputToSend   game.Input

	pingedAt conn.Time // 0: no PING is on its way
	latency  time.Duration
	stats    Stats
}

// NewSession makes a client in state Offline.
func NewSession(cfg SessionConfig) (*Session, error) {
	if cfg.Name == "" {
		cfg.Name = "nameless tee"
	}
	if cfg.GameHandler == nil {
		cfg.GameHandler = nopHandler{}
	}
	c := &Session{cfg: cfg, profile: game.Profile{Name: cfg.Name, Clan: cfg.Clan, Country: cfg.Country, Skin: cfg.Skin}}
	c.snapshots = snapshot.NewStore(snapshot.StoreConfig{MaxSnapshots: 256, MaxBytes: 4 << 20})
	if err := c.newVersions(); err != nil {
		return nil, err
	}
	return c, nil
}

// Dial begins a connection.
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

// State tells how far the client is.
func (c *Session) State() State { return c.state }

// Err tells why the client is offline.
func (c *Session) Err() error { return c.err }

// ID is the client's id on the server, -1 while it is unknown.
func (c *Session) ID() int { return int(c.side.OwnID()) }

// ClientSide shows the game. What it sends is for Tell.
func (c *Session) ClientSide() bridge.ClientSide { return c.side }

// Stats returns the counters since Dial.
func (c *Session) Stats() Stats { return c.stats }

// NewestSnapshot returns the newest snapshot and its tick; nil before the first.
func (c *Session) NewestSnapshot() (*snapshot.Snapshot, int32) {
	return c.snapshots.At(c.newestTick), c.newestTick
}

// Close leaves the server.
func (c *Session) Close(now conn.Time) {
	c.conn.Close(now, "")
	c.state = Offline
}

// Feed takes a datagram from the server.
func (c *Session) Feed(now conn.Time, b []byte) {
	c.now = now
	c.stats.Datagrams++
	c.stats.Bytes += len(b)
	if c.versions.version == AnyVersion {
		c.feedUndecided(b)
	} else {
		c.noteLateAnswer(b)
		c.conn.Feed(now, b, c)
	}
	c.sendLogin()
	c.checkClosed()
}

// sendLogin says the first word once there is a connection.
func (c *Session) sendLogin() {
	if c.state == Connecting && c.conn.State() == conn.StateOnline {
		c.state = Loading
		c.side.SendLogin(c.cfg.Password)
		c.conn.Flush(c.now)
	}
}

// Step does what is due: inputs, resends, timeouts. Call it at least once a
// tick.
func (c *Session) Step(now conn.Time) {
	c.now = now
	if c.versions.version == AnyVersion {
		if c.state == Connecting {
			c.stepUndecided()
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
	if c.conn.State() != conn.StateError || c.versions.version == AnyVersion {
		return
	}
	if reason := c.conn.Reason(); !c.retryOlder() {
		c.fail(fmt.Errorf("%w: %s", ErrClosed, bridge.Text([]byte(reason))))
	}
}

// fail ends the connection with an error of our own.
func (c *Session) fail(err error) {
	c.conn.Close(c.now, "")
	c.state = Offline
	if c.err == nil {
		c.err = err
	}
}

// Request does what do asks of the guest, at once. The error is that of conn.Queue: not
// online, or the server does not take what is sent.
func (c *Session) Request(now conn.Time, do func(g bridge.ClientSide)) error {
	c.now, c.queueErr = now, nil
	if do(c.side); c.queueErr != nil {
		return fmt.Errorf("client: %w", c.queueErr)
	}
	c.conn.Flush(now)
	return nil
}

// SendMessage sends a vital message of the version that is spoken, as its bytes are.
func (c *Session) SendMessage(now conn.Time, payload []byte) error {
	if err := c.QueueMessage(now, payload); err != nil {
		return err
	}
	c.conn.Flush(now)
	return nil
}

// QueueMessage leaves a vital message for the next packet, that of an input for
// example.
func (c *Session) QueueMessage(now conn.Time, payload []byte) error {
	if err := c.conn.Queue(now, payload, true); err != nil {
		return fmt.Errorf("client: %w", err)
	}
	return nil
}

// messageSender takes the messages of the guest.
type messageSender struct{ *Session }

// Queue implements bridge.Sender.
func (l messageSender) Queue(payload []byte, vital bool) {
	if err := l.conn.Queue(l.now, payload, vital); err != nil && l.queueErr == nil {
		l.queueErr = err
	}
}

// FlushSoon implements bridge.Sender.
func (l messageSender) FlushSoon() { l.conn.Flush(l.now) }

// Ping asks the server for a sign of life.
func (c *Session) Ping(now conn.Time) error {
	if err := c.Request(now, bridge.ClientSide.SendPing); err != nil {
		return err
	}
	c.pingedAt = now
	return nil
}

// Unacked is how many messages that must arrive the server has not confirmed, 0..511.
func (s *Session) Unacked() int {
	if s.conn == nil {
		return 0
	}
	n, _ := s.conn.Unacked()
	return n
}

// Latency is how long the last Ping took to the server and back, 0 before that.
func (c *Session) Latency() time.Duration { return c.latency }

// Chunk takes a message. It implements conn.Handler.
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

// sessionHandler hears what the guest reads.
type sessionHandler struct {
	*Session
	bridge.GameHandler
}

// OnConReady tells who wants to play.
func (n sessionHandler) OnConReady() {
	n.side.SendProfile(&n.profile)
	n.conn.Flush(n.now)
}

// OnReadyToEnter enters.
func (n sessionHandler) OnReadyToEnter() {
	n.resetWorld()
	n.state = Entering
	n.side.SendEnterGame()
	n.conn.Flush(n.now)
}

// OnPingReply measures the way.
func (n sessionHandler) OnPingReply() {
	if n.pingedAt != 0 {
		n.latency, n.pingedAt = n.now.Sub(n.pingedAt), 0
	}
}

// resetWorld forgets the world: the server starts a new one.
func (c *Session) resetWorld() {
	c.joiner.Reset()
	c.snapshots.Clear()
	c.ackedTick, c.crcFailures, c.numSnapshots, c.newestTick = -1, 0, 0, -1
	c.lastInputTick, c.lastInputAt = 0, 0
	c.sentInputs.reset()
}

// OnSnapshotPart takes a part of a snapshot.
func (n sessionHandler) OnSnapshotPart(h snapshot.PartHeader, part int32, data []byte) {
	c := n.Session
	if c.state == Loading && h.BaseTick < 0 && len(data) == 0 {
		c.echoTick(h.Tick)
	}
	if c.state != Entering && c.state != Playing {
		return
	}
	delta, complete, err := c.joiner.Add(h, part, data)
	if err != nil {
		c.stats.BadDelta++
		return
	}
	if !complete {
		return
	}
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
			c.SendInput(c.now, max(c.lastInputTick, h.Tick), c.lastInput) // asks for a whole snapshot
		}
		return
	}
	c.crcFailures = max(c.crcFailures-1, 0)
	c.snapshots.PurgeBefore(min(h.BaseTick, h.Tick-2))
	s := c.snapshots.Add(h.Tick, int64(c.now), &c.scratch)
	c.newestTick, c.ackedTick, c.ackedAt = h.Tick, h.Tick, c.now
	c.stats.Snapshots++
	c.updateClocks(h.Tick)
	if c.cfg.OnSnapshot != nil {
		c.cfg.OnSnapshot(h.Tick, s)
	}
}

// echoTick acknowledges a tick before there is a game. Servers send such ticks to clients
// without a token: who can tell the number is where he says he is.
func (c *Session) echoTick(tick int32) {
	c.inputToSend = game.Input{TargetX: 1}
	c.side.SendInput(tick, tick, &c.inputToSend, 0)
	c.conn.Flush(c.now)
}

// updateClocks runs the clocks.
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
