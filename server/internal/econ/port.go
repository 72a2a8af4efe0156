package econ

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

// port is the port of a console. An old connection of teeworlds-server keeps its port for a minute
// after the program has ended: Linux shares a port with old connections only if these had
// SO_REUSEADDR, too. The console therefore tries again to open the port.
type port struct {
	open      bool
	listeners []net.Listener
	opening   later.Job[opened]
	retryAt   int64 // the next try, 0 for none
	giveUp    int64 // the time of the last try
}

// opened are the listeners of a port, or an error.
type opened struct {
	listeners []net.Listener
	err       error
}

const (
	retryInterval = 5 * time.Second
	retryTime     = 2 * time.Minute
)

// close closes the listeners, also those that are still being opened.
func (p *port) close() {
	p.opening.Then(func(o opened) {
		for _, l := range o.listeners {
			l.Close()
		}
	})
	for _, l := range p.listeners {
		l.Close()
	}
}

// Open opens the port if the variables name one. It prints errors, and the server runs without an
// external console then. now is as for [Console.Advance].
func (c *Console) Open(now int64) {
	if c.Settings.Port == 0 {
		return
	}
	if c.Settings.Password == "" {
		c.host.Print(console.Warning, "econ", "ec_port has no effect without ec_password")
		return
	}
	if err := c.start(listen(&c.Settings)); err != nil {
		c.host.Print(console.Warning, "econ",
			fmt.Sprintf("couldn't open socket. port might already be in use: %v; the server keeps trying for %v", err, retryTime))
		c.Retry(now)
	}
}

// Retry tries for two minutes to open the port, unless it is open.
func (c *Console) Retry(now int64) {
	if c.isMissing() {
		c.port.retryAt = now + int64(retryInterval)
		c.port.giveUp = c.port.retryAt + int64(retryTime)
	}
}

// Problem returns a sentence about a port that could not be opened, "" if there is none.
func (c *Console) Problem() string {
	if c.isMissing() {
		return "ec_port is set, but the external console could not be opened"
	}
	return ""
}

// isMissing reports whether the port should be open and is not.
func (c *Console) isMissing() bool {
	return c.Settings.Port != 0 && c.Settings.Password != "" && !c.port.open
}

// reopen opens the port when it is time to try again.
func (c *Console) reopen(now int64) {
	p := &c.port
	if o, ok := p.opening.Take(); ok {
		switch err := c.start(o); {
		case err == nil:
			p.retryAt = 0
		case now >= p.giveUp:
			p.retryAt = 0
			c.host.Print(console.Warning, "econ", fmt.Sprintf("couldn't open socket: %v; send SIGHUP to try again", err))
		default:
			p.retryAt = now + int64(retryInterval)
		}
	} else if p.retryAt != 0 && now >= p.retryAt && !p.opening.Running() {
		v := c.Settings
		p.opening.Start(c.cfg.Background, func() opened { return listen(&v) })
	}
}

// start begins to use the port, if it could be opened.
func (c *Console) start(o opened) error {
	if o.err != nil {
		return o.err
	}
	c.Serve(o.listeners...)
	for _, l := range o.listeners {
		c.host.Print(console.Standard, "econ", fmt.Sprintf("bound to %s", l.Addr()))
	}
	return nil
}

// Serve serves the connections of listeners. Close closes the listeners.
func (c *Console) Serve(listeners ...net.Listener) {
	c.port.open, c.port.listeners = true, listeners
	for _, l := range listeners {
		c.running.Go(func() { c.accept(l) })
	}
}

// errAddress is returned for a port that cannot be opened.
var errAddress = errors.New("econ: cannot listen")

// listen opens the port on all addresses of the host. An empty host means all addresses of the
// machine.
func listen(s *Settings) (o opened) {
	if s.Port < 1 || s.Port > 0xffff {
		return opened{err: fmt.Errorf("%w: %d is not a port (1 to 65535)", errAddress, s.Port)}
	}
	addrs := []string{""}
	if host := strings.Trim(s.BindAddr, "[]"); host != "" {
		var err error
		if addrs, err = net.DefaultResolver.LookupHost(context.Background(), host); err != nil {
			return opened{err: fmt.Errorf("%w: %w", errAddress, err)}
		}
	}
	for _, a := range addrs {
		var cfg net.ListenConfig
		l, err := cfg.Listen(context.Background(), "tcp", net.JoinHostPort(a, strconv.Itoa(s.Port)))
		if err != nil {
			o.err = errors.Join(o.err, err)
			continue
		}
		o.listeners = append(o.listeners, l)
	}
	if len(o.listeners) > 0 {
		o.err = nil
	} else {
		o.err = fmt.Errorf("%w: %w", errAddress, o.err)
	}
	return o
}
