// Package mastertest implements masters for tests: an HTTP master like DDNet's, and UDP masters of
// 0.6 and 0.7. These masters are as strict as the real ones.
package mastertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// HTTP is an HTTP master. It accepts register requests at /ddnet/15/register and serves the list at
// /ddnet/15/servers.json.
type HTTP struct {
	// Challenge sends a challenge to a server. Several goroutines may call it at the same time.
	Challenge func(to transport.Peer, datagram []byte)
	// Now returns the time; nil means time.Now.
	Now func() time.Time

	mu      sync.Mutex
	servers map[string]*entry // by secret
	log     []Request
}

// Request is a received request.
type Request struct {
	// Address, Status and Message are as on the wire. For a delete request Status is "delete".
	Address, Status, Message string
	// Serial is the serial number of the info. Body reports whether the info itself was sent.
	Serial int
	Body   bool
}

type entry struct {
	addresses map[string]time.Time
	info      json.RawMessage
	serial    int
}

// lifetime is how long an address stays on the list without a request.
const lifetime = 30 * time.Second

// ServeHTTP implements http.Handler.
func (m *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/ddnet/15/register":
		req, code := m.register(r)
		m.mu.Lock()
		m.log = append(m.log, req)
		m.mu.Unlock()
		status := req.Status
		if status == "delete" {
			status = "success"
		}
		w.WriteHeader(code)
		json.NewEncoder(w).Encode(map[string]string{"status": status, "message": req.Message})
	case r.Method == http.MethodGet && r.URL.Path == "/ddnet/15/servers.json":
		w.Write(m.List())
	default:
		http.NotFound(w, r)
	}
}

// Log returns the requests so far.
func (m *HTTP) Log() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.log)
}

// ForgetInfo makes the master forget all servers, as after a restart.
func (m *HTTP) ForgetInfo() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.servers = nil
}

func (m *HTTP) now() time.Time {
	if m.Now == nil {
		return time.Now()
	}
	return m.Now()
}

// List returns the list of servers as JSON.
func (m *HTTP) List() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	type server struct {
		Addresses []string        `json:"addresses"`
		Info      json.RawMessage `json:"info"`
	}
	list := struct {
		Servers []server `json:"servers"`
	}{[]server{}}
	for _, e := range m.servers {
		s := server{Info: e.info}
		for a, until := range e.addresses {
			if m.now().Before(until) {
				s.Addresses = append(s.Addresses, a)
			}
		}
		slices.Sort(s.Addresses)
		if len(s.Addresses) > 0 {
			list.Servers = append(list.Servers, s)
		}
	}
	b, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return b
}

// register answers a request.
func (m *HTTP) register(r *http.Request) (Request, int) {
	out := Request{Address: r.Header.Get("Address"), Status: "error", Serial: -1}
	fail := func(code int, format string, args ...any) (Request, int) {
		out.Message = fmt.Sprintf(format, args...)
		return out, code
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, 32<<10+1))
	if err != nil || len(body) > 32<<10 {
		return fail(http.StatusRequestEntityTooLarge, "body: %d bytes, %v", len(body), err)
	}
	out.Body = len(body) > 0
	need := []string{"Address", "Secret", "Challenge-Secret", "Info-Serial"}
	action := r.Header.Get("Action")
	if action == "delete" {
		need = need[:2]
	} else if action != "" {
		return fail(http.StatusBadRequest, "action %q", action)
	}
	for _, name := range need {
		if r.Header.Get(name) == "" {
			return fail(http.StatusBadRequest, "missing required header %s", name)
		}
	}
	for _, name := range []string{"Secret", "Challenge-Secret", "Challenge-Token", "Connless-Token", "Community-Token"} {
		if len(r.Header.Get(name)) > 64 {
			return fail(http.StatusBadRequest, "header %s is too long", name)
		}
	}
	scheme, host, _ := strings.Cut(out.Address, "://")
	seven := scheme == "tw-0.7+udp"
	if !seven && scheme != "tw-0.6+udp" {
		return fail(http.StatusBadRequest, "scheme of %q", out.Address)
	}
	rest, ok := strings.CutPrefix(host, "connecting-address.invalid:")
	port, err := strconv.ParseUint(rest, 10, 16)
	from, err2 := netip.ParseAddrPort(r.RemoteAddr)
	if !ok || err != nil || err2 != nil || port == 0 {
		return fail(http.StatusBadRequest, "address %q", out.Address)
	}
	peer := transport.Unmap(transport.UDPPeer(from.Addr(), uint16(port)))
	address := scheme + "://" + peer.String()
	secret := r.Header.Get("Secret")
	if action == "delete" {
		m.mu.Lock()
		defer m.mu.Unlock()
		e := m.servers[secret]
		if e == nil || e.addresses[address].IsZero() {
			return fail(http.StatusBadRequest, "no such server")
		}
		delete(e.addresses, address)
		out.Status = "delete"
		return out, http.StatusOK
	}
	if out.Serial, err = strconv.Atoi(r.Header.Get("Info-Serial")); err != nil {
		return fail(http.StatusBadRequest, "invalid Info-Serial")
	}
	if out.Body && r.Header.Get("Content-Type") != "application/json" {
		return fail(http.StatusUnsupportedMediaType, "content type %q", r.Header.Get("Content-Type"))
	}
	if out.Body && (!json.Valid(body) || body[0] != '{') {
		return fail(http.StatusBadRequest, "body is no JSON object")
	}
	token := uint32(0xffffffff)
	if seven {
		v, err := strconv.ParseUint(r.Header.Get("Connless-Token"), 16, 32)
		if err != nil || len(r.Header.Get("Connless-Token")) != 8 {
			return fail(http.StatusBadRequest, "0.7 without Connless-Token")
		}
		token = uint32(v)
	}
	sum := sha256.Sum256([]byte("challenge of " + address))
	want := base64.StdEncoding.EncodeToString(sum[:18])
	if r.Header.Get("Challenge-Token") != want {
		m.challenge(peer, seven, token, r.Header.Get("Challenge-Secret"), want)
		out.Status = "need_challenge"
		return out, http.StatusOK
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.servers[secret]
	if e == nil && !out.Body {
		out.Status = "need_info"
		return out, http.StatusOK
	}
	if e == nil {
		e = &entry{addresses: map[string]time.Time{}, serial: -1}
		if m.servers == nil {
			m.servers = map[string]*entry{}
		}
		m.servers[secret] = e
	}
	if out.Serial > e.serial {
		if !out.Body {
			out.Status = "need_info"
			return out, http.StatusOK
		}
		e.serial, e.info = out.Serial, bytes.Clone(body)
	}
	e.addresses[address] = m.now().Add(lifetime)
	out.Status = "success"
	return out, http.StatusOK
}

// challenge sends the challenge that the server must repeat in its next request.
func (m *HTTP) challenge(to transport.Peer, seven bool, token uint32, secret, want string) {
	payload := append([]byte("\xff\xff\xff\xffchal"), secret...)
	payload = append(append(append(payload, 0), want...), 0)
	b := bytes.Repeat([]byte{0xff}, 6)
	if seven {
		b = binary.BigEndian.AppendUint32([]byte{0x21}, token)
		b = binary.BigEndian.AppendUint32(b, uint32(packet.NoToken))
	}
	m.Challenge(to, append(b, payload...))
}
