package bus

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// pingTime is the time between two pings. A connection without answers to two of them is lost.
	pingTime = 10 * time.Second
	// firstDelay is the longest time before the first attempt to connect. The time doubles until
	// shortDelay. After shortAttempts, which take about half a minute, it doubles until maxDelay.
	firstDelay    = 250 * time.Millisecond
	shortDelay    = 2 * time.Second
	shortAttempts = 20
	maxDelay      = 30 * time.Second
	// longestSeed is the size of the largest file that can be the seed of an nkey.
	longestSeed = 256
)

// Access says where NATS is, and how to log in.
type Access struct {
	// URL is nats://HOST:PORT or tls://HOST:PORT. Several are separated by commas.
	URL string
	// Credentials is the path of a .creds file or of the seed of an nkey, or "".
	Credentials string
}

// options returns the options that all connections of a name have.
func (a *Access) options(name string) ([]nats.Option, error) {
	options := []nats.Option{
		nats.Name(name),
		// Without a prefix of its own, every client could read all answers.
		nats.CustomInboxPrefix(inboxPrefix(name)),
		nats.PingInterval(pingTime),
		nats.MaxPingsOutstanding(2),
		nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(delay),
		nats.IgnoreAuthErrorAbort(),
		nats.ReconnectBufSize(-1), // nothing old is said later
	}
	if a.Credentials == "" {
		return options, nil
	}
	login, err := credentials(a.Credentials)
	if err != nil {
		return nil, fmt.Errorf("sv_nats_creds: %w", err)
	}
	return append(options, login), nil
}

// inboxPrefix returns the prefix of the subjects for answers to a server or operator.
func inboxPrefix(name string) string { return "_INBOX_" + name }

// credentials returns the option for a .creds file or the seed of an nkey.
func credentials(path string) (nats.Option, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if seed := bytes.TrimSpace(b); len(seed) < longestSeed && bytes.HasPrefix(seed, []byte("SU")) {
		return nats.NkeyOptionFromSeed(path)
	}
	return nats.UserCredentials(path), nil
}

// delay returns the time before an attempt to connect. A restart of NATS does not take long, so the
// time is short at first. It differs between the servers of a fleet.
func delay(attempt int) time.Duration {
	most := shortDelay
	switch {
	case attempt >= shortAttempts+4:
		most = maxDelay
	case attempt >= shortAttempts:
		most = shortDelay << (attempt - shortAttempts)
	case attempt < 3:
		most = firstDelay << attempt
	}
	return most/2 + rand.N(most/2)
}

// explain returns an error of NATS with what the operator can do.
func explain(err error) error {
	switch {
	case errors.Is(err, nats.ErrNoResponders): // also while the fleet's streams are created
		return fmt.Errorf("%w; if this goes on, start nats-server with JetStream: nats-server -js", err)
	case errors.Is(err, nats.ErrJetStreamNotEnabled):
		return fmt.Errorf("%w; start nats-server with JetStream: nats-server -js", err)
	case errors.Is(err, nats.ErrNoServers):
		return fmt.Errorf("%w; is nats-server running there, and does the firewall let you through?", err)
	case errors.Is(err, nats.ErrAuthorization):
		return fmt.Errorf("%w; check sv_nats_creds or --creds, and the users in nats-server.conf", err)
	default:
		return err
	}
}
