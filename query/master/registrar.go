package master

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
	"github.com/teeyard/teeyard/transport/udp"
)

// Config names the masters with which a server registers. The zero value names none.
type Config struct {
	// Port is the port to register, normally the port of the server's socket.
	Port uint16
	// URL is the register address of a DDNet master, such as
	// https://master1.ddnet.org/ddnet/15/register. Empty means none.
	URL string
	// Protocols are the protocols to register at URL.
	Protocols Protocols
	// Header is added to the HTTP requests, for Community-Token.
	Header http.Header
	// Local is the address that the server's socket is bound to. [::] and the zero value mean any.
	// Masters list the source address of a request, so requests are sent from Local, and only in
	// its address family.
	Local netip.Addr
	// Masters6 and Masters7 are UDP masters of 0.6 and 0.7, as host or host:port. The Registrar
	// uses the one with the fewest servers.
	Masters6, Masters7 []string
	// Tokens issues the tokens of the server's socket. It is required for 0.7.
	Tokens *conn.TokenIssuer
	// Send sends a datagram from the server's socket. It is required for UDP masters. Feed and Step
	// call it.
	Send func(to transport.Peer, datagram []byte)
	// Resolve resolves the addresses of UDP masters, on another goroutine. nil means udp.Resolve.
	Resolve func(ctx context.Context, address string, port uint16) (transport.Peer, error)
	// OnEvent, if set, is called by Feed, Step and SetInfo for each event.
	OnEvent func(Event)
}

// Event is an event for the operator's log.
type Event struct {
	Kind EventKind
	// System is the log system: "register" for UDP masters, as in the original's log, and
	// "register/6/ipv4" and so on for HTTP masters, as in DDNet's.
	System string
	// Master is the name of a UDP master.
	Master string
	// Text describes a failure.
	Text string
}

// EventKind is the kind of an Event.
type EventKind uint8

const (
	// EventMasterChosen means that the registrar now sends heartbeats to a UDP master.
	EventMasterChosen EventKind = iota
	// EventRegistered means that the master lists the server.
	EventRegistered
	// EventUnreachable means that the master cannot reach the server's UDP port. Often a firewall
	// or router blocks it.
	EventUnreachable
	// EventFailed means another failure. The registrar tries again, and does not report the same
	// failure again.
	EventFailed
)

// Limits of requests to HTTP masters.
const (
	requestTimeout = 10 * time.Second
	deleteTimeout  = time.Second
	maxReply       = 64 << 10 // bytes
)

// Registrar keeps a server on the lists of masters. Call Feed, Step, SetInfo and NumRegistered on
// the goroutine of the server. None of these methods blocks. HTTP requests run on other goroutines.
type Registrar struct {
	cfg     Config
	http    *httpAnnouncer
	clients map[string]*http.Client // by network
	udp     []*udpAnnouncer
	now     int64

	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup
	results chan response
}

// New returns a Registrar. It sends nothing before the first Step after SetInfo. The error wraps
// ErrConfig.
func New(cfg Config) (*Registrar, error) {
	if cfg.OnEvent == nil {
		cfg.OnEvent = func(Event) {}
	}
	if cfg.Resolve == nil {
		cfg.Resolve = udp.Resolve
	}
	r := &Registrar{cfg: cfg, results: make(chan response, len(protocols)*maxInFlight)}
	if cfg.URL != "" && cfg.Protocols != 0 {
		u, err := url.Parse(cfg.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("%w: %q is not the URL of an HTTP master", ErrConfig, cfg.URL)
		}
		if cfg.Protocols&(V7IPv4|V7IPv6) != 0 && cfg.Tokens == nil {
			return nil, fmt.Errorf("%w: protocols of 0.7 need Tokens", ErrConfig)
		}
		reached := cfg.Protocols & reachableProtocols(cfg.Local)
		if reached == 0 {
			return nil, fmt.Errorf("%w: a server bound to %v cannot be reached by %v", ErrConfig, cfg.Local, cfg.Protocols)
		}
		r.http = newHTTPAnnouncer(reached, cfg.Port, r.globalToken, cfg.Header, cfg.OnEvent)
		r.clients = map[string]*http.Client{"tcp4": httpClient("tcp4", cfg.Local), "tcp6": httpClient("tcp6", cfg.Local)}
	}
	for _, v := range []struct {
		masters []string
		port    uint16
		seven   bool
	}{{cfg.Masters6, Port6, false}, {cfg.Masters7, Port7, true}} {
		if len(v.masters) == 0 {
			continue
		}
		if cfg.Send == nil || v.seven && cfg.Tokens == nil {
			return nil, fmt.Errorf("%w: UDP masters need Send, and Tokens for 0.7", ErrConfig)
		}
		r.udp = append(r.udp, &udpAnnouncer{cfg: &r.cfg, names: v.masters, port: v.port, version7: v.seven})
	}
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r, nil
}

// httpClient returns a client for one address family, since masters list the source address of a
// request.
func httpClient(network string, local netip.Addr) *http.Client {
	dialer := &net.Dialer{Timeout: requestTimeout}
	if local = local.Unmap(); local.IsValid() && !local.IsUnspecified() && local.Is4() == (network == "tcp4") {
		dialer.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(local, 0))
	}
	return &http.Client{
		Timeout: requestTimeout, CheckRedirect: checkRedirect,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment,
			DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
				return dialer.DialContext(ctx, network, addr)
			},
			ForceAttemptHTTP2: true, MaxIdleConns: 4, IdleConnTimeout: 60 * time.Second, TLSHandshakeTimeout: requestTimeout,
		},
	}
}

// checkRedirect rejects redirects to other hosts. Requests contain the server's secret and
// community tokens, and a master must not make a server send requests into its own network.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if from := via[0].URL; req.URL.Scheme != from.Scheme || req.URL.Host != from.Host || len(via) > 3 {
		return errors.New("the master redirects to another host; update sv_register_url")
	}
	return nil
}

// globalToken returns the token for packets of an HTTP master, whose UDP address is unknown.
func (r *Registrar) globalToken() packet.Token { return r.cfg.Tokens.BroadcastToken(conn.Time(r.now)) }

// SetInfo sets the server's info for HTTP masters, in the format of query.AppendJSON. It may be
// called often. Changes are sent at most once a second.
func (r *Registrar) SetInfo(now int64, info []byte) {
	r.now = now
	if r.http != nil {
		r.http.setInfo(now, info)
	}
}

// Step sends the requests that are due at time now in ns, on the clock of the socket. A server
// calls it every tick.
func (r *Registrar) Step(now int64) {
	r.now = now
	if r.http != nil {
		for len(r.results) > 0 {
			r.http.handleResponse(<-r.results)
		}
		for _, req := range r.http.step(now) {
			r.running.Go(func() { r.results <- r.post(r.ctx, req) })
		}
	}
	for _, b := range r.udp {
		b.step(now, r)
	}
}

// Feed handles a datagram from an address without a connection: a connless packet, or the answer to
// a token request (conn.ActionTokenReceived). It reports whether the datagram was for the
// Registrar. For other datagrams a call is cheap.
//
// HTTP masters use the global token. A server should therefore call Feed with connless packets of
// 0.7 before it checks their tokens.
func (r *Registrar) Feed(now int64, peer transport.Peer, datagram []byte) bool {
	r.now = now
	kind, _ := packet.Classify(datagram)
	switch kind {
	case packet.KindConnless6:
		return r.feed(now, peer, nil, datagram[6:])
	case packet.KindConnless7, packet.KindControl7:
		if r.cfg.Tokens == nil {
			return false
		}
		var p packet.Packet
		if p.ParseHeader(datagram) != nil {
			return false
		}
		if kind == packet.KindConnless7 {
			if !isMasterPayload(p.Payload) {
				return false
			}
			global := r.cfg.Tokens.Valid(conn.Time(now), netip.Addr{}, p.Token) && bytes.HasPrefix(p.Payload, []byte(tagChallenge))
			return (global || r.cfg.Tokens.Valid(conn.Time(now), peer.Addr(), p.Token)) && r.feed(now, peer, &p, p.Payload)
		}
		for _, b := range r.udp {
			if b.version7 && b.handleTokenReply(now, peer, &p) {
				return true
			}
		}
	}
	return false
}

// isMasterPayload reports whether a payload begins with a tag that masters use.
func isMasterPayload(payload []byte) bool {
	if len(payload) < 8 || payload[0]&payload[1]&payload[2]&payload[3] != 0xff {
		return false
	}
	switch string(payload[4:8]) {
	case "chal", "siz2", "fw??", "fwok", "fwer":
		return true
	}
	return false
}

// feed handles a payload. p is nil for 0.6.
func (r *Registrar) feed(now int64, peer transport.Peer, p *packet.Packet, payload []byte) bool {
	if !isMasterPayload(payload) {
		return false
	}
	if r.http != nil && r.http.feed(payload) {
		return true
	}
	for _, b := range r.udp {
		if b.version7 == (p != nil) && b.feed(now, peer, p, payload) {
			return true
		}
	}
	return false
}

// post sends a request and returns the response of the master.
func (r *Registrar) post(ctx context.Context, req *request) response {
	resp := response{request: req, status: statusError}
	hr, err := http.NewRequestWithContext(ctx, http.MethodPost, r.cfg.URL, bytes.NewReader(req.body))
	if err != nil {
		resp.text = err.Error()
		return resp
	}
	hr.Header = req.header
	answer, err := r.clients[protocols[req.protocol].network].Do(hr)
	if err != nil {
		if u := (*url.Error)(nil); errors.As(err, &u) {
			err = u.Err // the operator knows the URL
		}
		resp.text = err.Error()
		return resp
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(io.LimitReader(answer.Body, maxReply))
	if err != nil {
		resp.text = err.Error()
		return resp
	}
	resp.status, resp.text = parseStatus(answer.StatusCode, b)
	return resp
}

// NumRegistered returns the number of lists that contain the server. HTTP counts one per protocol,
// UDP one per version.
func (r *Registrar) NumRegistered() int {
	n := 0
	if r.http != nil {
		for _, w := range r.http.states {
			if w.listed {
				n++
			}
		}
	}
	for _, b := range r.udp {
		if b.listed {
			n++
		}
	}
	return n
}

// Close removes the server from the lists of HTTP masters and ends all requests. It takes at most
// about a second. UDP masters forget a server that sends no heartbeats.
func (r *Registrar) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
	defer cancel()
	// An unanswered request would register the server again, so wait for it first.
	impatient := time.AfterFunc(deleteTimeout/2, r.stop)
	if r.http == nil {
		r.stop()
	}
	r.running.Wait()
	impatient.Stop()
	cut := r.ctx.Err() != nil
	r.stop()
	if r.http == nil {
		return
	}
	for len(r.results) > 0 {
		resp := <-r.results
		r.http.handleResponse(resp)
		if cut && resp.status == statusError {
			r.http.states[resp.request.protocol].listed = true // it may be listed
		}
	}
	var all sync.WaitGroup
	for _, req := range r.http.deleteRequests(AllProtocols) {
		all.Go(func() { r.post(ctx, req) })
	}
	all.Wait()
	for _, c := range r.clients {
		c.CloseIdleConnections()
	}
}
