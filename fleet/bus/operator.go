package bus

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
)

// Operator is the connection of an operator to a fleet.
type Operator struct {
	fleet fleet
	name  string
	nc    *nats.Conn
	js    nats.JetStreamContext
	// denied has the first error about permissions, which comes without a call.
	denied chan error
}

// Connect connects an operator to a fleet. It creates the buckets that do not exist, if the
// operator may.
func Connect(a Access, of, name string) (*Operator, error) {
	if err := errors.Join(CheckName("the fleet", of), CheckName("the operator", name)); err != nil {
		return nil, err
	}
	options, err := a.options(name)
	if err != nil {
		return nil, err
	}
	denied := make(chan error, 1)
	options = append(options, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			select {
			case denied <- fmt.Errorf("%w; check your name (--as), your level and nats-server.conf", err):
			default:
			}
		}
	}))
	nc, err := nats.Connect(a.URL, options...)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to NATS at %s: %w", a.URL, explain(err))
	}
	o := &Operator{fleet: fleet(of), name: name, nc: nc, denied: denied}
	if o.js, err = nc.JetStream(nats.MaxWait(callTime)); err == nil {
		err = o.fleet.prepare(o.js)
	}
	if err != nil {
		nc.Close()
		return nil, o.explain(err)
	}
	return o, nil
}

// explain returns an error of NATS with what the operator can do. A call that is not allowed only
// times out, while the reason comes by itself.
func (o *Operator) explain(err error) error {
	if errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		select {
		case err = <-o.denied:
		default:
		}
	}
	return explain(err)
}

// Close closes the connection.
func (o *Operator) Close() { o.nc.Close() }
