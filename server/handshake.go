package server

import (
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// handshaker handles the datagrams of one protocol version that belong to no session. The methods
// after inspect are about the datagram that was inspected last. A handshaker stores nothing about
// an address.
type handshaker interface {
	// inspect decides what to do about a datagram.
	inspect(now conn.Time, peer transport.Peer, kind packet.Kind, b []byte) conn.Action
	// sendToken sends a token, for conn.ActionReplyToken. The reply is at most as long as the
	// datagram.
	sendToken()
	// sendChallenge makes a client that knows no tokens prove its address, for
	// conn.ActionChallenge.
	sendChallenge()
	// refuse tells a client why it cannot connect.
	refuse(reason string)
	// accept begins a connection, for conn.ActionAccept, or for conn.ActionChallenge if
	// addresses need no proof.
	accept(c *conn.Conn) error
	// helloState reports where the first message of an accepted client is.
	helloState() helloState
	// answerBrowser answers a server browser, for conn.ActionConnless.
	answerBrowser()
}

// helloState says where the first message of a client is, with its version and password.
type helloState uint8

const (
	// helloPending: it follows in another datagram.
	helloPending helloState = iota
	// helloInDatagram: it may be in the datagram that was inspected.
	helloInDatagram
	// helloConsumed: it came with the answer to the challenge and was not read.
	helloConsumed
)
