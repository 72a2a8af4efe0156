package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/transport"
)

// ErrConfig means that a configuration is invalid.
var ErrConfig = errors.New("client: bad configuration")

// DefaultPort is the server's port if an address has none.
const DefaultPort = 8303

// Config configures a Client. The zero value is a nameless tee that stands still.
type Config struct {
	// Texts beyond the limits below are errors that wrap ErrTooLong.
	Name, Clan string // at most 15 and 11 bytes
	Country    int32  // ISO 3166-1 numeric; 0 means unknown
	Skin       game.Skin
	// Password is the server's password, at most 128 bytes. If RconPassword is set, the client logs
	// into the remote console when it enters the game, with RconName on servers with accounts. Both
	// have at most 32 bytes.
	Password, RconPassword, RconName string
	// ConsoleOnly logs into the remote console without joining the game. The client takes a slot on
	// the server, but other players see no player join. Dial returns when the server has accepted
	// the client. The client loads no map and receives no game events. Some servers accept commands
	// only from players; see Join.
	ConsoleOnly bool
	// Version is the protocol version to speak; "" is AnyVersion.
	Version Version
	// DDNetVersion is the DDNet release that the client claims to be, times 1000, such as 16040. 0
	// claims no release, but support for 64 players. A negative value claims neither.
	DDNetVersion int32
	// ConnectionID identifies the client to DDNet servers. If it is zero, New generates one.
	ConnectionID [16]byte
	// LegacyHandshake is described in SessionConfig.
	LegacyHandshake bool
	// Dial opens a connection to the server at an address and returns the server's peer; nil means
	// UDP. Use ws.Dial for servers at ws://host and wss://host.
	Dial func(ctx context.Context, address string) (transport.Conn, transport.Peer, error)
	// Reconnect, if not 0, is the time to wait before connecting again when the connection ends,
	// whichever side ended it. The function Dial itself tries once.
	Reconnect time.Duration

	// Maps stores the servers' maps; nil uses the user's cache folder and the folders of installed
	// games. With NoMap the client loads no map. It then predicts nothing, and views show tees at
	// their positions in the last snapshot.
	Maps  *Maps
	NoMap bool
	// FetchMaps makes the client download no map by itself. After the event MapAnnounced it waits
	// for UseMap or DownloadMap, unless Maps has the map.
	FetchMaps bool
	// PredictAll predicts all tees in predicted views, not only the client's own.
	PredictAll bool

	// The functions below are called one at a time, by the goroutine that runs the client. They may
	// call methods of the client, except those that wait.

	// OnEvent is called with every event. Events then yields none.
	OnEvent func(c *Client, e event.Event)
	// OnSnapshot is called with every snapshot and its sounds and effects (game.EvExplosion to
	// game.EvDamage), also if several snapshots arrive together. Both are valid until it returns.
	OnSnapshot func(c *Client, v *game.View, effects []game.Event)
	// Play returns the input for a tick. The view is predicted: it shows the expected world when
	// the input reaches the server. It is valid until Play returns. Without Play the client sends
	// the input of SetInput.
	Play func(c *Client, v *game.View) game.Input
	// Demo receives the match as a demo of 0.7 would contain it; nil for none.
	Demo Demo
	// OnInputTiming is called with the time in ms between the arrival of an input and its tick,
	// negative if the input was late. (INPUTTIMING)
	OnInputTiming func(tick, left int32)

	// LocalAddr is the IP address to send from; "" lets the system choose.
	LocalAddr string
	// Send sends a datagram to the server. New requires it; the function Dial sets it.
	Send func(datagram []byte)
	// Token and Buffers are described in SessionConfig.
	Token   func() packet.Token
	Buffers *conn.Buffers
}

// Client plays on a server: it follows the server's state and acts for its owner. A Client from
// Dial runs by itself and is safe for concurrent use. A Client from New is run by its owner with
// Connect, Feed and Step.
type Client struct {
	cfg  Config
	done chan struct{} // closed when a client that runs itself ends

	mu            sync.Mutex
	session       *Session
	handler       gameHandler
	now           conn.Time
	predictor     predictor
	viewPredictor *predictor // for WithPredictedView
	demo          demoWriter
	ddrace        ddraceBase
	gameMap       *Map
	announcedMap  bridge.MapChange
	lists         serverLists
	rcon          rconState
	entered       bool
	reconnectAt   conn.Time // when to connect again; 0 for never
	closed        bool
	input         game.Input
	unshown       bool // OnSnapshot has not received the last snapshot yet
	earlier       []*earlierSnapshot
	network       *network

	inputTimings  [][2]int32 // tick and ms, for OnInputTiming
	events        []event.Event
	spareEvents   []event.Event
	droppedEvents int
	eventsQueued  chan struct{}
}

// maxQueuedEvents limits the events that wait for Events. Beyond it the oldest are dropped.
const maxQueuedEvents = 4096

// New returns a Client that its owner runs with Connect, Feed and Step.
func New(cfg Config) (*Client, error) {
	if cfg.Send == nil {
		return nil, fmt.Errorf("%w: no Send", ErrConfig)
	}
	for _, limit := range []struct {
		what, text string
		most       int
	}{
		{"the name", cfg.Name, game.MaxNameLen}, {"the clan", cfg.Clan, game.MaxClanLen}, {"the password", cfg.Password, maxPassword},
		{"the login name", cfg.RconName, maxRconLogin}, {"the rcon password", cfg.RconPassword, maxRconLogin},
	} {
		if err := checkLength(limit.what, limit.text, limit.most); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrConfig, err)
		}
	}
	if cfg.Maps == nil && !cfg.NoMap && !cfg.ConsoleOnly {
		cfg.Maps = NewMaps("", InstalledMapDirs()...)
	}
	if cfg.Country == 0 {
		cfg.Country = -1
	}
	if cfg.ConnectionID == [16]byte{} && cfg.DDNetVersion > 0 {
		if _, err := rand.Read(cfg.ConnectionID[:]); err != nil {
			return nil, fmt.Errorf("client: no random identity: %w", err)
		}
	}
	if cfg.Version == "" {
		cfg.Version = AnyVersion
	}
	if cfg.Skin == (game.Skin{}) {
		cfg.Skin.PartNames = [game.NumSkinParts]string{"standard", "", "", "standard", "standard", "standard"}
	}
	c := &Client{cfg: cfg, eventsQueued: make(chan struct{}, 1), done: make(chan struct{})}
	c.handler.Client = c
	c.handler.GameHandler = bridge.NewEventHandler(func() bridge.ClientSide { return c.session.side }, c.handler.emit)
	var err error
	c.session, err = NewSession(SessionConfig{
		Send: cfg.Send, Name: cfg.Name, Clan: cfg.Clan, Country: cfg.Country, Skin: cfg.Skin,
		Password: cfg.Password, Token: cfg.Token, Buffers: cfg.Buffers, OnInputTiming: c.onInputTiming,
		Version: cfg.Version, DDNetVersion: cfg.DDNetVersion, ConnectionID: cfg.ConnectionID, LegacyHandshake: cfg.LegacyHandshake,
		ConsoleOnly: cfg.ConsoleOnly, FetchMaps: cfg.FetchMaps, HasMap: c.hasMap, OnMap: c.onMap, OnMapProgress: c.onMapProgress,
		GameHandler: &c.handler, OnSnapshot: c.onSnapshot,
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Connect starts to connect.
func (c *Client) Connect(now conn.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.closed = now, false
	return c.connect()
}

func (c *Client) connect() error {
	c.entered, c.reconnectAt = false, 0
	c.resetGame()
	c.rcon.endRuns(ErrClosed)
	c.lists = serverLists{}
	return c.session.Dial(c.now)
}

// resetGame clears the state that belongs to one connection and one map.
func (c *Client) resetGame() {
	c.lists.reset()
	c.input = game.Input{}
}

// Feed processes a datagram from the server.
func (c *Client) Feed(now conn.Time, b []byte) {
	c.mu.Lock()
	c.now = max(c.now, now)
	c.session.Feed(c.now, b)
	c.checkEnded()
	c.mu.Unlock()
	c.deliverEvents()
}

// Step sends due inputs and resends, and handles timeouts and reconnecting. Call it at the time
// that NextStepTime returns, or once per tick.
func (c *Client) Step(now conn.Time) {
	c.mu.Lock()
	c.now = max(c.now, now)
	now = c.now
	if c.reconnectAt != 0 && now >= c.reconnectAt {
		if err := c.connect(); err != nil {
			c.connectionEnded(err)
		}
	}
	tick, due := c.session.InputDue(now)
	if due && c.cfg.Play != nil {
		v := c.predictor.viewAt(c.session, tick-1, c.cfg.PredictAll)
		c.mu.Unlock()
		in := c.cfg.Play(c, v) // only this goroutine changes the data of v
		c.mu.Lock()
		c.input = in
	}
	if due {
		c.session.SetInput(c.input)
	}
	c.session.Step(now)
	c.checkEnded()
	c.mu.Unlock()
	c.deliverEvents()
}

// NextStepTime returns the time of the next Step, at most 100 ms from now.
func (c *Client) NextStepTime(now conn.Time) conn.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.session.State() {
	case Playing:
		return c.session.NextInputTime(now)
	case Connecting:
		return now.Add(10 * time.Millisecond) // for the choice of the version
	}
	return now.Add(100 * time.Millisecond)
}

// checkEnded handles the end of a connection.
func (c *Client) checkEnded() {
	if c.session.State() == Offline && c.session.Err() != nil && c.reconnectAt == 0 && !c.closed {
		c.connectionEnded(c.session.Err())
	}
}

// connectionEnded reports the end of a connection and schedules the next.
func (c *Client) connectionEnded(err error) {
	e := event.Disconnected{Err: err}
	if err != nil {
		e.Text = safetext.Line(err.Error())
	}
	if c.cfg.Reconnect > 0 && err != nil && !c.closed {
		e.Again = c.cfg.Reconnect
		c.reconnectAt = c.now.Add(c.cfg.Reconnect)
	} else {
		c.closed, c.reconnectAt = true, 0
	}
	c.entered = false
	c.rcon.endRuns(ErrClosed)
	c.queueEvent(e)
}

// disconnect closes the connection. reason may be empty. A client from Dial then ends.
func (c *Client) disconnect(reason string) {
	if c.closed {
		return
	}
	c.closed = true
	c.session.Leave(c.now, reason)
	c.connectionEnded(nil)
}

// queueEvent queues an event.
func (c *Client) queueEvent(e event.Event) {
	if len(c.events) >= maxQueuedEvents {
		c.events = append(c.events[:0], c.events[1:]...)
		c.droppedEvents++
	}
	c.events = append(c.events, e)
}

// deliverEvents calls the functions of Config with the queued events and snapshots.
func (c *Client) deliverEvents() {
	c.mu.Lock()
	var effects []game.Event
	var view *game.View
	earlier := c.earlier
	c.earlier = nil
	if c.unshown && c.cfg.OnSnapshot != nil {
		view, effects = c.session.side.View(), c.session.side.Effects()
	}
	c.unshown = false
	if c.cfg.OnEvent == nil {
		waiting := len(c.events) > 0
		c.mu.Unlock()
		if waiting {
			select {
			case c.eventsQueued <- struct{}{}:
			default:
			}
		}
	} else {
		events := c.events
		c.events, c.spareEvents = c.spareEvents[:0], nil
		c.mu.Unlock()
		for _, e := range events {
			c.cfg.OnEvent(c, e)
		}
		clear(events)
		c.mu.Lock()
		c.spareEvents = events
		c.mu.Unlock()
	}
	for _, s := range earlier {
		c.cfg.OnSnapshot(c, &s.view, s.effects)
	}
	if view != nil {
		c.cfg.OnSnapshot(c, view, effects)
	}
	// Only this goroutine adds to inputTimings.
	for _, t := range c.inputTimings {
		c.cfg.OnInputTiming(t[0], t[1])
	}
	c.inputTimings = c.inputTimings[:0]
}

func (c *Client) onInputTiming(tick, left int32) {
	if c.cfg.OnInputTiming != nil {
		c.inputTimings = append(c.inputTimings, [2]int32{tick, left})
	}
}

// Events yields events until ctx or the client ends. It starts with the events since Dial began, at
// least the last 4096.
func (c *Client) Events(ctx context.Context) iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		for {
			for {
				e, ok := c.nextEvent()
				if !ok {
					break
				}
				if !yield(e) {
					return
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-c.eventsQueued:
			case <-c.done:
				if !c.hasEvents() {
					return
				}
			}
		}
	}
}

func (c *Client) nextEvent() (event.Event, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.events) == 0 {
		return nil, false
	}
	e := c.events[0]
	c.events[0] = nil
	if c.events = c.events[1:]; len(c.events) == 0 {
		c.events = nil
	}
	return e, true
}

func (c *Client) hasEvents() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.events) > 0
}

// onSnapshot handles a snapshot. When a snapshot shows the client's own player for the first time,
// the client has entered the game.
func (c *Client) onSnapshot(tick int32, s *snapshot.Snapshot) {
	if c.unshown && c.cfg.OnSnapshot != nil {
		c.keepEarlier()
	}
	c.session.side.ReceiveSnapshot(tick, s)
	c.ddrace.onSnapshot(c.session, c.gameMap)
	c.demo.snapshot(c, tick)
	c.unshown = true
	if c.session.State() == Playing && !c.entered && c.session.side.OwnID() >= 0 {
		c.entered = true
		c.queueEvent(event.Entered{Map: c.mapName(), Self: c.player(c.session.side.OwnID())})
		c.logIn()
	}
}

// Join makes a client with Config.ConsoleOnly join the game, without its map. The event Entered
// follows.
func (c *Client) Join() error {
	c.mu.Lock()
	c.cfg.ConsoleOnly, c.cfg.NoMap, c.entered = false, true, false
	c.session.cfg.ConsoleOnly = false
	c.mu.Unlock()
	return c.request(bridge.ClientSide.SendReady)
}

// logIn logs into the remote console if the configuration has a password for it.
func (c *Client) logIn() {
	if c.cfg.RconPassword != "" && !c.rcon.loggedIn {
		c.session.Request(c.now, func(g bridge.ClientSide) { g.SendRconAuth(c.cfg.RconName, c.cfg.RconPassword) })
	}
}

// hasMap reports whether the client can do without downloading the announced map.
func (c *Client) hasMap(a *bridge.MapChange) bool {
	if c.cfg.ConsoleOnly && c.entered {
		return true // the map changes
	}
	c.entered = false
	c.resetGame()
	c.announcedMap = *a
	c.setMap(nil)
	if c.cfg.NoMap || c.cfg.ConsoleOnly {
		c.gameMap = &Map{Name: a.Name, CRC: a.CRC, SHA256: a.SHA256}
		if c.entered = c.cfg.ConsoleOnly; c.entered {
			c.logIn()
		}
		return true
	}
	m := c.cfg.Maps.find(a)
	c.setMap(m)
	return m != nil
}

func (c *Client) onMap(_ string, file []byte) {
	m, err := c.cfg.Maps.addDownloaded(&c.announcedMap, file)
	if err != nil {
		c.session.fail(err)
		return
	}
	c.setMap(m)
}

func (c *Client) setMap(m *Map) {
	c.gameMap = m
	c.ddrace = ddraceBase{}
	c.predictor.ddrace.base = &c.ddrace
	c.viewPredictor = nil
	if m == nil {
		c.session.side.SetMap(nil)
		c.predictor.setMap(nil)
		return
	}
	c.session.side.SetMap(m.collision)
	c.predictor.setMap(m.collision)
	if c.cfg.FetchMaps && c.cfg.DDNetVersion > 0 && m.ddrace != nil {
		m.ddrace() // takes up to 0.3 s, which a page should not stand still for in the match
	}
}

func (c *Client) mapName() string {
	if c.gameMap == nil {
		return ""
	}
	return c.gameMap.Name
}

func (c *Client) onMapProgress(name string, done, size int) {
	if c.cfg.OnEvent == nil && done != 0 && done != size {
		return // Events needs only the beginning and the end
	}
	c.queueEvent(event.Download{Map: name, Done: done, Size: size})
}
