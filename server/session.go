package server

import (
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/server/console"
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

// session is one client, from its connection to its end.
type session struct {
	srv   *Server
	id    game.PlayerID
	peer  transport.Peer
	since conn.Time
	now   conn.Time // of the datagram being handled
	conn  conn.Conn

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
	dropReason string // set when the session is to end
	dropping   bool

	download download
	inputs   inputs
	// lastInput is the tick of the newest input.
	lastInput    int32
	flags        game.PlayerFlags
	snap         snapState
	latency      latency
	shownLatency [game.MaxPlayers]int32

	rcon rconState
}

// newSession makes the session of an admitted client.
func (s *Server) newSession(now conn.Time, id game.PlayerID, peer transport.Peer) (*session, error) {
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
	c.peer, c.since, c.now = peer, now, now
	c.advance(stateAuth)
	c.version, c.spectator, c.name = 0, false, ""
	c.allowed, c.vitals, c.mapVital = allowances{}, 0, 0
	c.profiled, c.mayEnter, c.dropping, c.dropReason = false, false, false, ""
	c.rcon = rconState{}
	c.restart()
	return c, nil
}

// advance brings the session a step further on its way.
func (c *session) advance(to sessionState) { c.state, c.progress = to, c.now }

// restart forgets what belongs to a map.
func (c *session) restart() {
	c.download = download{}
	c.inputs.reset()
	c.lastInput, c.flags = 0, 0
	c.snap.reset()
	c.latency = latency{}
	clear(c.shownLatency[:])
}

// Chunk takes a message. It implements conn.Handler.
func (c *session) Chunk(payload []byte, vital bool) {
	if c.dropping {
		return
	}
	m, err := c.srv.decoder.Decode(payload)
	if err != nil {
		c.srv.count(dropMessage)
		return
	}
	switch m := m.(type) {
	case *msg7.Input:
		c.onInput(m)
	case *msg7.Ping:
		c.srv.buf = (&msg7.PingReply{}).Append(c.srv.buf[:0])
		c.queue(c.srv.buf, false)
		c.replies = true
	case *msg7.PingReply:
	default:
		if vital {
			c.onVital(m)
		} else {
			c.srv.count(dropNotVital)
		}
	}
}

// onVital takes the messages that count only in vital chunks.
func (c *session) onVital(m msg7.Message) {
	switch m := m.(type) {
	case *msg7.Info:
		c.onInfo(m)
	case *msg7.RequestMapData:
		if c.state == stateConnecting && c.knowsMap() {
			c.onMapRequest()
		}
	case *msg7.Ready:
		if c.state == stateConnecting && c.knowsMap() {
			c.onReady()
		}
	case *msg7.EnterGame:
		if c.state == stateReady && c.mayEnter {
			c.advance(stateEntering)
			c.srv.command(game.Command{Kind: game.CmdEnter, Player: c.id, Target: game.Nobody})
			c.srv.sayEntered(c)
		}
	case *msg7.RconAuth:
		if !c.allowed.auth.take(c.now, authRate) {
			c.srv.count(dropFlood)
			return
		}
		c.onRconAuth(string(m.Password))
	case *msg7.RconCmd:
		if !c.allowed.rcon.take(c.now, rconRate) {
			c.srv.count(dropFlood)
			return
		}
		c.onRconCmd(string(m.Command))
	case *msg7.ClStartInfo:
		if c.state == stateReady && !c.profiled {
			c.onProfile(m)
		}
	default:
		if c.state != stateInGame {
			c.srv.count(dropState)
			return
		}
		if !c.allowed.request.take(c.now, requestRate) {
			c.srv.count(dropFlood)
			return
		}
		if cmd, ok := bridge7.Up(m, c.id); ok {
			c.srv.request(cmd)
		} else {
			c.srv.count(dropUnwanted)
		}
	}
}

func (c *session) onInfo(m *msg7.Info) {
	if c.state != stateAuth {
		return
	}
	if string(m.NetVersion) != msg7.NetVersion {
		c.drop("Wrong version. Server is running '" + msg7.NetVersion + "' and client '" + text(m.NetVersion, 64) + "'")
		return
	}
	if want := c.srv.settings.Password; want != "" && want != string(m.Password) {
		c.drop("Wrong password")
		return
	}
	c.version = m.ClientVersion
	c.advance(stateConnecting)
	c.sendMapChange()
}

func (c *session) sendMapChange() {
	m := &c.srv.gameMap
	c.sendNow(&msg7.MapChange{
		Name: []byte(m.name), CRC: int32(m.crc), Size: int32(len(m.file)),
		ChunksPerRequest: int32(c.srv.chunksPerRequest), ChunkSize: mapChunk,
		SHA256: msg7.MapHash{Present: true, Sum: m.sha256},
	})
	c.mapVital = c.vitals
}

// knowsMap tells whether the client has acknowledged the map it was told of
// last. A request or a READY that comes before is about the map before, and
// taking it for the new one would leave the client waiting for ever.
func (c *session) knowsMap() bool {
	unacked, _ := c.conn.Pending()
	return int32(c.vitals-uint32(unacked)-c.mapVital) >= 0
}

func (c *session) onReady() {
	s := c.srv
	c.advance(stateReady)
	s.command(game.Command{
		Kind: game.CmdJoin, Player: c.id, Target: game.Nobody,
		Flag: c.spectator, Origin: s.origin(c.peer),
	})
	if c.rcon.authed {
		s.command(game.Command{Kind: game.CmdFlags, Player: c.id, Target: game.Nobody, Value: int32(game.FlagAdmin)})
	}
	s.print(console.Info, "server", "player is ready. ClientID="+itoa(c.id)+" addr="+c.peer.String())
	c.queue(s.announce.Motd(s.settings.Motd), true)
	c.queue(s.announce.Settings(s.world), true)
	c.sendNow(&msg7.ConReady{})
}

func (c *session) onProfile(m *msg7.ClStartInfo) {
	s := c.srv
	cmd, ok := bridge7.Up(m, c.id)
	if !ok {
		return
	}
	p := cmd.Profile
	p.Name = strings.TrimSpace(p.Name)
	if p.Name == "" {
		p.Name = "(1)"
	}
	c.name = p.Name
	c.advance(stateReady)
	c.profiled, c.mayEnter = true, true
	s.command(cmd)
	c.queue(s.announce.VoteClear(), true)
	c.queue(s.announce.Tuning(s.world), true)
	c.queue(s.announce.ReadyToEnter(), true)
	c.conn.Flush(c.now)
}

// onInput takes an INPUT message: the acknowledged snapshot, what to do at
// once, and what to do in the tick it is meant for.
func (c *session) onInput(m *msg7.Input) {
	s := c.srv
	if !c.allowed.input.take(c.now, inputRate) {
		s.count(dropFlood)
		return
	}
	c.ack(c.now, m)
	if c.state != stateInGame {
		return
	}
	tick := m.IntendedTick
	if tick > c.lastInput {
		left := s.clock.begins(tick).Sub(c.now) / time.Millisecond
		t := msg7.InputTiming{IntendedTick: tick, TimeLeft: int32(min(max(left, minTimeLeft), maxTimeLeft))}
		s.buf = t.Append(s.buf[:0])
		c.queue(s.buf, false)
	}
	c.lastInput = tick

	var p msg7.PlayerInput
	ok := m.Player(&p) == nil
	in := bridge7.Input(&p)
	c.inputs.add(max(tick, s.clock.tick+1), in, ok)
	if !ok {
		s.count(dropInput)
		return
	}
	c.flags = in.Flags
	s.request(game.Command{Kind: game.CmdDirect, Player: c.id, Target: game.Nobody, Input: in})
}

// INPUTTIMING's bounds in ms: a tick far off is as good as another.
const (
	minTimeLeft = -10_000
	maxTimeLeft = 10_000
)

// queue adds a message to the packet under construction.
func (c *session) queue(payload []byte, vital bool) {
	if payload == nil || c.dropping {
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

// send queues a vital message.
func (c *session) send(m msg7.Message) {
	c.srv.buf = m.Append(c.srv.buf[:0])
	c.queue(c.srv.buf, true)
}

// sendNow sends a vital message and all that was queued before it.
func (c *session) sendNow(m msg7.Message) {
	c.send(m)
	c.conn.Flush(c.now)
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
