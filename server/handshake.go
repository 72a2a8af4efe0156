package server

import (
	"hash/maphash"
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// handshaker is where the strangers of a version come to. judge takes a datagram, and the
// other methods are about the one judged last: a handshaker keeps nothing of anybody.
type handshaker interface {
	// inspect decides about a datagram from an address without a session.
	inspect(now conn.Time, from transport.Peer, kind packet.Kind, b []byte) conn.Action
	// sendToken hands out a token, for conn.ActionReplyToken. It sends no more than came.
	sendToken()
	// sendChallenge makes an address prove itself without a token, for conn.ActionChallenge.
	sendChallenge()
	// refuse tells a client why it cannot come in.
	refuse(reason string)
	// accept begins a connection, for conn.ActionAccept, or for conn.ActionChallenge where
	// addresses are trusted.
	accept(c *conn.Conn) error
	// helloState tells how an accepted client goes on.
	helloState() helloState
	// answerBrowser answers a server browser, for conn.ActionConnless.
	answerBrowser()
}

// helloState is how the conversation with an accepted client begins.
type helloState uint8

const (
	// helloPending: its first word is on the way.
	helloPending helloState = iota
	// helloInDatagram: its first word is in the datagram that was judged.
	helloInDatagram
	// helloConsumed: it has said its first word to prove its address, and nobody
	// heard what it was.
	helloConsumed
)

// unprovenGuard bounds what is done for addresses that clients without a token
// claim to have. Whoever can forge addresses can use up all of it; clients with
// tokens do not notice.
type unprovenGuard struct {
	all      allowance
	networks [256]allowance // by a hash of the network
}

// networkUnproven is what one network may have of it.
var networkUnproven = rate{burst: 4, interval: time.Second}

// allow takes one from what an address may do, if all together do at most
// perSecond.
func (g *unprovenGuard) allow(now conn.Time, from transport.Peer, key maphash.Seed, perSecond int) bool {
	if perSecond <= 0 {
		return false
	}
	all := rate{burst: perSecond, interval: time.Second / time.Duration(perSecond)}
	n := &g.networks[maphash.Comparable(key, network(from.Addr()))%uint64(len(g.networks))]
	if left := *n; !left.take(now, networkUnproven) && !from.Addr().IsLoopback() {
		return false
	}
	if !g.all.take(now, all) {
		return false
	}
	n.take(now, networkUnproven)
	return true
}
