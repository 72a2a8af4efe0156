// Package econ is the external console of Teeworlds 0.7.5: it exchanges lines over TCP with the
// programs of operators. A new client receives
//
//	Enter password:
//
// and has three tries. After the login, each line from the client is a console line, and the client
// gets the server's log. Lines to a client have the line ending of its first line, or LF before
// that. The line ending is padded with NULs to three bytes.
//
// Goroutines of this package read and write. Their input waits until the server's loop calls
// [Console.Advance]. That handles all of it in bounded time.
package econ

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/logs"
)

// Limits of the console.
const (
	// MaxClients is the maximum number of clients.
	MaxClients = 4
	// MaxLine is the maximum number of bytes of a line to a client; longer lines are cut.
	MaxLine = 1021
	// MaxTries is the number of wrong passwords that a client may send.
	MaxTries = 3
	// maxReceived is the most bytes of a line from a client, with its end.
	maxReceived = 1400
	// maxUseless is the most bytes between two lines: of empty lines, or of a line that is too
	// long. They cost the server time and nothing else says when to stop.
	maxUseless = 64 << 10
	// maxWaiting is the most bytes that wait for a client that does not read.
	maxWaiting = 256 << 10
	// writeTimeout is how long a client may read nothing while bytes wait for it.
	writeTimeout = 30 * time.Second
	// closeTimeout is how long the last words to a client may take.
	closeTimeout = time.Second
	// crowdedAfter is how long a client without the password has its place when others
	// want it.
	crowdedAfter = 5 * time.Second
	// failuresTracked is the number of networks whose wrong passwords are remembered, for
	// failuresTime.
	failuresTracked = 1024
	failuresTime    = 30 * time.Minute
	// connectsTracked is the number of networks whose connections are counted.
	connectsTracked = 1024
	// operatorsTracked is the number of networks whose right password is remembered, for
	// operatorTime.
	operatorsTracked = 64
	operatorTime     = 30 * 24 * time.Hour
)

var (
	// workRate bounds the work of Advance: connections, lines and ends of connections.
	workRate = limit.Rate{PerSecond: 800, Burst: 16}
	// connectRate bounds the connections of a network. Programs of the operator's own
	// machine have no such limit.
	connectRate = limit.Rate{PerSecond: 2, Burst: 20}
	// guessRate bounds the wrong passwords of all together, except for the operator's own
	// machine; see limit.Guesses.
	guessRate = limit.Rate{PerSecond: 10, Burst: 50}
)

// The texts of the original for clients.
const (
	textPassword = "Enter password:"
	textWelcome  = "Authentication successful. External console access granted."
	textFull     = "no free slot available"
	textTries    = "Too many authentication tries"
	textGuesses  = "Too many wrong passwords, wait a moment" // ours
	textTimeout  = "authentication timeout"
	textLogout   = "Logout"
	textClosing  = "Closing console"
	textTooLong  = "Line too long: it did not run; at most 1399 bytes are allowed" // ours; see maxReceived
)

// Host is the game server behind a [Console]. Only the functions of Console that the loop calls use
// it, except for Wake.
type Host interface {
	// Print logs a line.
	Print(level int, system, line string)
	// MayLog reports whether the log has room for a line that a stranger causes. It counts the
	// line.
	MayLog() bool
	// Run runs the console line of an operator, with full access. It calls done with the first
	// warning, "" if there is none: before it returns, or when the world has answered.
	Run(e logs.Entry, done func(warning string))
	// WhenAnswered calls f when the world has answered all lines.
	WhenAnswered(f func())
	// Refuse reports whether an address is banned, and returns the text for its client.
	Refuse(a netip.Addr) (text string, refused bool)
	// Ban bans the address of a stranger.
	Ban(a netip.Addr, d time.Duration, reason string) error
	// Wake makes the loop call Advance soon. Any goroutine may call it.
	Wake()
}

// Config is the configuration of a [Console].
type Config struct {
	Host Host
	// Logs has the dialect of the lines, and the audit log.
	Logs *logs.Logs
	// Background runs a function beside the loop.
	Background func(f func())
}

// Console is the external console of a server. Only the goroutine of the server's loop may call its
// methods.
type Console struct {
	Settings Settings

	cfg      Config
	host     Host
	language *console.Console
	port     port

	events   chan event
	closed   chan struct{}
	running  sync.WaitGroup
	clients  [MaxClients]*client
	caller   *client // whose line runs, nil for none
	work     limit.Bucket
	connects *limit.Limiter
	failures *limit.Failures
	guesses  *limit.Guesses
}

// event is news of a goroutine for Advance.
type event struct {
	c       *client
	arrived chan<- verdict // of a new client, nil for others
	line    []byte         // nil if the connection has ended, or tooLong
	tooLong bool           // a line began that is too long
	// The client's line end, before and after the line.
	before, after lineEnd
	reason        string // why the connection has ended
}

// verdict is the answer to a new client.
type verdict struct {
	accepted bool
	text     string // for a refused client
}

// New returns a console without a port; see [Console.Register] and [Console.Open].
func New(cfg Config) *Console {
	return &Console{
		cfg: cfg, host: cfg.Host,
		events: make(chan event, 2*MaxClients), closed: make(chan struct{}),
		connects: limit.NewLimiter(connectsTracked, connectRate),
		failures: limit.NewFailures(failuresTracked, failuresTime),
		guesses:  limit.NewGuesses(guessRate, operatorsTracked, operatorTime),
	}
}

// Pending reports whether something waits for Advance.
func (c *Console) Pending() bool { return len(c.events) > 0 }

// Advance handles the lines that clients have sent, as many as fit into its time. It also opens the
// port if that failed before. now is in ns and must not decrease.
func (c *Console) Advance(now int64) {
	c.reopen(now)
	for _, cl := range c.clients {
		switch {
		case cl == nil:
		case cl.isStuck():
			c.drop(cl, "connection failure", false)
		case !cl.authed && now-cl.since >= int64(time.Duration(c.Settings.AuthTimeout)*time.Second):
			c.drop(cl, textTimeout, true)
		}
	}
	for len(c.events) > 0 && c.work.Take(now, workRate, 1) {
		c.handle(now, <-c.events)
	}
}

func (c *Console) handle(now int64, e event) {
	cl := e.c
	switch {
	case e.arrived != nil:
		e.arrived <- c.admit(now, cl)
	case cl.dropped:
	case e.tooLong && cl.authed:
		cl.ending = e.after
		cl.send(textTooLong)
		c.skip(cl, textTooLong)
		cl.handled <- struct{}{}
	case e.tooLong:
		c.drop(cl, textTooLong, true)
	case e.line == nil:
		c.drop(cl, e.reason, false)
	default:
		cl.ending = e.before
		c.receive(now, cl, cleanLine(e.line))
		cl.ending = e.after
		if !cl.dropped {
			cl.handled <- struct{}{} // never waits: the reader takes one per line
		}
	}
}

// admit gives a new client a place, or says why not.
func (c *Console) admit(now int64, cl *client) verdict {
	if text, refused := c.host.Refuse(cl.addr.Addr()); refused {
		return verdict{text: text}
	}
	if !cl.addr.Addr().IsLoopback() && !c.connects.Take(now, limit.Person(cl.addr.Addr()), 1) {
		return verdict{}
	}
	id := c.freePlace(now)
	if id < 0 {
		return verdict{text: textFull}
	}
	cl.id, cl.since = id, now
	c.log(console.Info, false, fmt.Sprintf("client accepted. cid=%d addr=%s'", id, cl.addr)) // the original has this '
	c.clients[id] = cl
	cl.send(textPassword)
	return verdict{accepted: true}
}

// freePlace returns a free place, or -1. A connection without a login may lose its place, so that
// silent clients do not keep operators out.
func (c *Console) freePlace(now int64) int {
	var oldest *client
	for id, cl := range c.clients {
		if cl == nil {
			return id
		}
		if !cl.authed && (oldest == nil || cl.since < oldest.since) {
			oldest = cl
		}
	}
	if oldest == nil || now-oldest.since < int64(crowdedAfter) {
		return -1
	}
	c.drop(oldest, textTimeout, true)
	return oldest.id
}

// receive handles a line of a client.
func (c *Console) receive(now int64, cl *client, line string) {
	if cl.authed {
		c.run(cl, line)
		return
	}
	addr := cl.addr.Addr()
	if !c.guesses.Allow(now, addr, true) {
		c.drop(cl, textGuesses, true)
		return
	}
	if password := c.Settings.Password; password != "" && subtle.ConstantTimeCompare([]byte(line), []byte(password)) == 1 {
		cl.authed = true
		c.failures.Forget(limit.Person(addr))
		c.guesses.Right(now, addr, true)
		cl.send(textWelcome)
		c.cfg.Logs.Audit(cl.entry("login", ""))
		c.log(console.Standard, true, fmt.Sprintf("cid=%d authed", cl.id))
		return
	}
	// A new connection does not reset the count, except on the operator's own machine,
	// where all programs have one address.
	cl.tries++
	tries := cl.tries
	c.guesses.Wrong(now, addr, true)
	if !addr.IsLoopback() {
		tries = max(tries, min(c.failures.Add(now, limit.Person(addr)), MaxTries))
	}
	cl.send(fmt.Sprintf("Wrong password %d/%d.", tries, MaxTries))
	if c.host.MayLog() { // the original logs no line
		e := cl.entry("login_failed", "")
		e.Level = ""
		c.cfg.Logs.Audit(e)
	}
	if tries >= MaxTries {
		c.failures.Forget(limit.Person(addr))
		c.ban(addr, textTries)
		c.drop(cl, textTries, true)
	}
}

// HasReaders reports whether any client receives the output.
func (c *Console) HasReaders() bool {
	for _, cl := range c.clients {
		if cl != nil && cl.authed {
			return true
		}
	}
	return false
}

// drop ends a connection. The client gets the reason if tell is set.
func (c *Console) drop(cl *client, reason string, tell bool) {
	if cl.dropped {
		return
	}
	cl.dropped = true // first: to log it may end a connection
	authed := cl.authed
	cl.authed = authed && tell // or it does not hear of it
	if authed {
		c.cfg.Logs.Audit(cl.entry("logout", ""))
	}
	c.log(console.Info, authed, fmt.Sprintf("client dropped. cid=%d addr=%s reason='%s'", cl.id, cl.addr, reason))
	c.clients[cl.id] = nil
	if tell {
		cl.send(reason)
	}
	cl.finish()
}

// Close ends all connections. It waits at most a second for the clients to notice.
func (c *Console) Close() {
	select {
	case <-c.closed:
		return
	default:
		close(c.closed)
	}
	c.port.close()
	for _, cl := range c.clients {
		if cl != nil {
			c.drop(cl, textClosing, true)
		}
	}
	done := make(chan struct{})
	go func() { c.running.Wait(); close(done) }()
	timeout := time.NewTimer(closeTimeout)
	defer timeout.Stop()
	select {
	case <-done:
	case <-timeout.C:
	}
}

// tell hands an event to Advance. It returns false if there will be none any more.
func (c *Console) tell(e event) bool {
	select {
	case c.events <- e:
		c.host.Wake()
		return true
	case <-c.closed:
		return false
	}
}

// accept takes the connections of a listener, one after the other.
func (c *Console) accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			select {
			case <-c.closed:
				return
			case <-time.After(time.Second): // too many open files, for example
				continue
			}
		}
		cl := newClient(conn)
		answer := make(chan verdict, 1)
		if !c.tell(event{c: cl, arrived: answer}) {
			conn.Close()
			return
		}
		var v verdict
		select {
		case v = <-answer:
		case <-c.closed:
			conn.Close()
			return
		}
		if !v.accepted {
			conn.SetWriteDeadline(time.Now().Add(closeTimeout))
			conn.Write([]byte(v.text)) // without a line end
			conn.Close()
			continue
		}
		c.running.Go(cl.write)
		c.running.Go(func() { cl.read(c) })
	}
}
