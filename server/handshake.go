package server

import (
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
