package halflife

import (
	"math/rand/v2"
	"time"

	"github.com/teeyard/teeyard/halflife/wire"
	"github.com/teeyard/teeyard/transport"
)

// RegistrarConfig is the configuration of a Registrar.
type RegistrarConfig struct {
	// Masters are the addresses of the masters.
	Masters []transport.Peer
	// Heartbeat returns the heartbeat to send. The Registrar sets its challenge.
	Heartbeat func() wire.Heartbeat
	// Send sends a datagram. It must not keep b.
	Send func(to transport.Peer, b []byte)
}

// Registrar keeps a game server on the lists of master servers. It has no socket and no clock: call
// Advance regularly, and Feed with the datagrams from masters. Send must use the port of the game,
// since masters list the port that they receive from.
type Registrar struct {
	cfg     RegistrarConfig
	masters []masterState
	buf     []byte
}

type masterState struct {
	peer          transport.Peer
	nextRequest   int64 // when to request a challenge again
	lastRequest   int64 // when a challenge was last requested, 0 once it arrived
	tries         int
	lastHeartbeat int64 // when the last heartbeat was sent; 0 means never
	started       bool
}

const (
	heartbeatInterval    = 2 * time.Minute
	minHeartbeatInterval = 10 * time.Second
	challengeTimeout     = 5 * time.Second
)

// challengeRetryWaits are the waits for a challenge before each retry. The last wait repeats.
var challengeRetryWaits = [...]time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, heartbeatInterval}

// NewRegistrar returns a registrar. cfg.Heartbeat and cfg.Send must be set.
func NewRegistrar(cfg RegistrarConfig) *Registrar {
	r := &Registrar{cfg: cfg}
	for _, m := range cfg.Masters {
		r.masters = append(r.masters, masterState{peer: transport.Unmap(m)})
	}
	return r
}

// Advance sends the requests that are due at time now in ns. Call it at least once a second.
func (r *Registrar) Advance(now int64) {
	for i := range r.masters {
		m := &r.masters[i]
		if m.started && now < m.nextRequest {
			continue
		}
		m.started = true
		wait := challengeRetryWaits[min(m.tries, len(challengeRetryWaits)-1)]
		m.lastRequest, m.nextRequest = now, now+int64(wait)
		m.tries++
		r.buf = wire.AppendMasterChallengeRequest(r.buf[:0])
		r.cfg.Send(m.peer, r.buf)
	}
}

// Feed handles a datagram for which wire.IsDatagram returns true. It reports whether the datagram
// was the challenge that this registrar requested from the peer. Other challenges are ignored.
func (r *Registrar) Feed(now int64, peer transport.Peer, b []byte) bool {
	challenge, err := wire.ParseMasterChallenge(b)
	if err != nil {
		return false
	}
	for i := range r.masters {
		m := &r.masters[i]
		if m.peer != peer || m.tries == 0 || now-m.lastRequest > int64(challengeTimeout) {
			continue
		}
		h := r.cfg.Heartbeat()
		h.Challenge = challenge
		r.buf = wire.AppendHeartbeat(r.buf[:0], &h)
		r.cfg.Send(peer, r.buf)
		m.tries, m.lastHeartbeat = 0, now
		m.nextRequest = now + int64(heartbeatInterval) + rand.Int64N(int64(heartbeatInterval/10))
		return true
	}
	return false
}

// InfoChanged makes the next heartbeats go out soon, but at most one every ten seconds. Call it
// after changes such as a new map.
func (r *Registrar) InfoChanged(now int64) {
	for i := range r.masters {
		if m := &r.masters[i]; m.tries == 0 && m.lastHeartbeat != 0 {
			m.nextRequest = min(m.nextRequest, max(now, m.lastHeartbeat+int64(minHeartbeatInterval)))
		}
	}
}

// NumRegistered returns the number of masters that answered the last request.
func (r *Registrar) NumRegistered() int {
	n := 0
	for _, m := range r.masters {
		if m.lastHeartbeat != 0 && m.tries <= 1 {
			n++
		}
	}
	return n
}

// Close removes the server from the lists.
func (r *Registrar) Close() {
	r.buf = wire.AppendShutdown(r.buf[:0])
	for _, m := range r.masters {
		if m.lastHeartbeat != 0 {
			r.cfg.Send(m.peer, r.buf)
		}
	}
}
