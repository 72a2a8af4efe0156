package load

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// ErrTimeout means that a server did not answer in time.
var ErrTimeout = errors.New("load: no answer")

// FetchMap joins a server, downloads its map and leaves. It returns the map's size in bytes, and
// the time from the connection to the last chunk.
func FetchMap(server transport.Peer, limit time.Duration) (size int, span time.Duration, err error) {
	var began, done conn.Time
	var c *connection
	c, err = newConnection(server, 64, client.SessionConfig{
		OnMap: func(_ string, file []byte) { size, done = len(file), conn.Time(c.sock.Now()) },
	})
	if err != nil {
		return 0, 0, err
	}
	// Use a new address each time, since servers ban clients that leave within a second.
	k := fetches.Add(1)
	if err := c.open(udp.Config{Addr: fmt.Sprintf("127.2.%d.%d", k>>8&255, k&255), ReadBuffer: 4 << 20}); err != nil {
		return 0, 0, err
	}
	defer c.leave()
	for end := time.Now().Add(limit); done == 0; {
		now, err := c.step(10 * time.Millisecond)
		switch {
		case err != nil:
			return 0, 0, err
		case c.Err() != nil:
			return 0, 0, c.Err()
		case time.Now().After(end):
			return 0, 0, fmt.Errorf("%w: the map is not complete after %v", ErrTimeout, limit)
		case began == 0 && c.State() == client.Loading:
			began = now
		}
	}
	return size, done.Sub(began), nil
}

var fetches atomic.Uint32

// MaxUnanswered is the largest number of queries that wait for an answer. It is two batches, so
// that client and server work at the same time.
const MaxUnanswered = 128

// QueryInfo queries a server's information for some time and returns the number of answers. At most
// MaxUnanswered queries wait for an answer.
func QueryInfo(server transport.Peer, span time.Duration) (answers int, err error) {
	sock, err := udp.Listen(udp.Config{Addr: loopbackAddress(0)})
	if err != nil {
		return 0, fmt.Errorf("load: %w", err)
	}
	defer sock.Close()
	const own = packet.Token(0x1234567)
	batch := make([]transport.Datagram, 64)
	sock.Send(server, packet.AppendTokenRequest(nil, own))
	sock.Flush()
	n, err := sock.ReadBatch(batch, sock.Now()+int64(2*time.Second))
	if err != nil || n == 0 {
		return 0, fmt.Errorf("%w to a token request: %v", ErrTimeout, err)
	}
	var p packet.Packet
	var scratch packet.Scratch
	if err := p.Parse(batch[0].Data, &scratch); err != nil || p.ResponseToken == packet.NoToken {
		return 0, fmt.Errorf("load: answer to a token request: %w", err)
	}
	question := packet.AppendConnless(nil, p.ResponseToken, own, packer.AppendInt([]byte("\xff\xff\xff\xffgie3"), 7))
	answers, _, err = RepeatQuery(sock, server, question, span)
	return answers, err
}

// RepeatQuery sends the same query for some time. It returns the number of answers, and the first
// answer of the last batch. At most MaxUnanswered queries wait for an answer.
func RepeatQuery(sock *udp.Conn, server transport.Peer, question []byte, span time.Duration) (answers int, last []byte, err error) {
	batch := make([]transport.Datagram, 64)
	waiting := 0
	for end := sock.Now() + int64(span); sock.Now() < end; {
		for ; waiting < MaxUnanswered; waiting++ {
			sock.Send(server, question)
		}
		sock.Flush()
		n, err := sock.ReadBatch(batch, sock.Now()+int64(20*time.Millisecond))
		if err != nil {
			return answers, last, fmt.Errorf("load: %w", err)
		}
		answers += n
		if waiting -= n; n == 0 {
			waiting = 0 // the answers were lost
		} else {
			last = batch[0].Data
		}
	}
	return answers, bytes.Clone(last), nil
}
