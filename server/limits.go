package server

import (
	"time"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/server/chat"
	"github.com/teeyard/teeyard/server/internal/gamemap"
)

// The rate limits of clients. Unmodified clients stay far below all of them, even when a
// slow network delivers the datagrams of two seconds at once.
var (
	// inputRate is for INPUT. Clients send one per tick.
	inputRate = limit.Rate{PerSecond: 200, Burst: 128}
	// requestRate is for requests to the world. It has stricter limits for most, but
	// sv_spamprotection 0 turns them off, and some hundred lines of chat in one tick would fill the
	// send buffers of all receivers.
	requestRate = limit.Rate{PerSecond: 20, Burst: 32}
	// replyRate is for the lines with which the server answers commands in the chat.
	replyRate = limit.Rate{PerSecond: 10, Burst: 64}
	// rconRate is for the commands of operators.
	rconRate = limit.Rate{PerSecond: 50, Burst: 256}
	// authRate is for passwords, right or wrong.
	authRate = limit.Rate{PerSecond: 1, Burst: 8}
	// authNoticeRate is for telling a client that its passwords are beyond authRate.
	authNoticeRate = limit.Rate{PerSecond: 1, Burst: 1}
	// decompressRate is for datagrams that may answer a challenge. Only decompression
	// shows whether they do.
	decompressRate = limit.Rate{PerSecond: 250, Burst: 256}
)

const (
	// joinTimeout is the time after which the server drops a client without progress on its way
	// into the game. The download of a large map over a slow line is progress.
	joinTimeout = 5 * time.Minute
	// loadingPatience is the time without datagrams after which the server drops a client that
	// loads the map, as long as DDNet-Server's conn_timeout. Such a client costs no more than one
	// that only keeps its connection until joinTimeout.
	loadingPatience = 100 * time.Second
	// resendBuffer is the size of a connection's resend buffer in bytes: a window of a map's
	// chunks and some other messages.
	resendBuffer = (gamemap.MaxWindow+4)*(packet.MaxPayload+conn.ResendOverhead) + 16<<10
	// maxSnapBytes is the largest memory of a session's stored snapshots.
	maxSnapBytes = 512 << 10
	// newcomerTime is how long a client is a newcomer.
	newcomerTime = 10 * time.Second
)

// sessionLimits is the token buckets of a session, and whether it may try no more passwords.
type sessionLimits struct {
	input, request, reply, rcon, auth, authNotice limit.Bucket
	loginBarred                                   bool
}

// maxReply is how many bytes of a reply are sent: a line of chat in it may have grown, as by lower
// case.
const maxReply = 2 * chat.MaxLine
