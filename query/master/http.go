package master

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
)

// The rhythm of announcing to an HTTP master, which forgets who is silent for 30 s.
const (
	httpPeriod  = int64(15 * time.Second)
	httpChanges = int64(time.Second) // least time between two for changes
	// maxInFlight is how many requests of one protocol may be on their way.
	maxInFlight = 2
)

// status is how a register request ended.
type status uint8

const (
	statusNone status = iota
	statusSuccess
	statusNeedChallenge
	statusNeedInfo
	statusError
)

// request is a register request to be made.
type request struct {
	protocol int // index into protocols
	index    int // per protocol
	serial   int // of the info
	header   http.Header
	body     []byte
}

// response is how it ended.
type response struct {
	request *request
	status  status
	text    string
}

// announcer decides what is told to an HTTP master and when. It makes no requests
// itself.
type announcer struct {
	enabled   Protocols
	port      uint16
	token     func() packet.Token // for Connless-Token
	extra     http.Header
	secret    string
	challenge string
	event     func(Event)

	info   []byte
	serial int // of info, -1 before there is one
	known  int // the latest that the master took
	ways   [len(protocols)]way
}

// way is the state of one protocol.
type way struct {
	begun      bool
	prev, next int64 // ns, of requests
	sent       int   // requests so far
	inFlight   int
	answered   int // index of the latest request that was answered, -1 for none
	status     status
	listed     bool   // was taken, and not removed since
	said       string // the last failure that was told
	token      string
	newToken   bool
}

func newAnnouncer(enabled Protocols, port uint16, token func() packet.Token, extra http.Header, event func(Event)) *announcer {
	a := &announcer{enabled: enabled, port: port, token: token, extra: extra, secret: newUUID(), challenge: newUUID(), event: event, serial: -1, known: -1}
	for n := range a.ways {
		a.ways[n].answered = -1
	}
	return a
}

// newUUID is a random one.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// setInfo takes the server's description. A changed one is told at once, but not
// more often than once in httpChanges, and by one of the protocols.
func (a *announcer) setInfo(now int64, info []byte) {
	if a.serial >= 0 && bytes.Equal(info, a.info) {
		return
	}
	a.info = append(a.info[:0], info...)
	a.serial++
	var last, first int64
	var who *way
	for n := range a.ways {
		w := &a.ways[n]
		if a.enabled&(1<<n) == 0 {
			continue
		}
		if !w.begun {
			w.begun, w.next = true, now
			continue
		}
		last = max(last, w.prev)
		if who == nil || w.next < first {
			who, first = w, w.next
		}
	}
	if who != nil {
		who.next = max(now, min(who.next, last+httpChanges))
	}
}

// step returns the requests that are due.
func (a *announcer) step(now int64) []*request {
	var due []*request
	for n := range a.ways {
		w := &a.ways[n]
		if a.enabled&(1<<n) == 0 || !w.begun || a.serial < 0 {
			continue
		}
		if w.inFlight == 0 && w.answered == w.sent-1 && (w.status == statusNeedChallenge && w.newToken || w.status == statusNeedInfo && w.answered >= 0) {
			// Acted upon once; what comes of it decides about the next.
			w.next = min(w.next, now)
		}
		if now < w.next || w.inFlight >= maxInFlight {
			continue
		}
		due = append(due, a.register(now, n))
	}
	return due
}

func (a *announcer) register(now int64, n int) *request {
	w := &a.ways[n]
	h := a.header(n)
	if protocols[n].seven {
		h.Set("Connless-Token", fmt.Sprintf("%08x", uint32(a.token())))
	}
	h.Set("Challenge-Secret", a.challenge+":"+protocols[n].name)
	if w.token != "" {
		h.Set("Challenge-Token", w.token)
	}
	h.Set("Info-Serial", strconv.Itoa(a.serial))
	r := &request{protocol: n, index: w.sent, serial: a.serial, header: h}
	if a.serial > a.known {
		h.Set("Content-Type", "application/json")
		r.body = bytes.Clone(a.info)
	}
	w.sent++
	w.inFlight++
	w.newToken = false
	w.prev, w.next = now, now+httpPeriod
	return r
}

func (a *announcer) header(n int) http.Header {
	h := a.extra.Clone()
	if h == nil {
		h = http.Header{}
	}
	// The master puts the address that the request came from in place of the host.
	h.Set("Address", fmt.Sprintf("%sconnecting-address.invalid:%d", protocols[n].scheme, a.port))
	h.Set("Secret", a.secret)
	return h
}

// answer takes the end of a request.
func (a *announcer) answer(r response) {
	n := r.request.protocol
	w := &a.ways[n]
	w.inFlight--
	if r.request.index <= w.answered {
		return // a later one was faster
	}
	before := w.status
	w.answered, w.status = r.request.index, r.status
	e := Event{System: protocols[n].system, Text: r.text}
	switch r.status {
	case statusSuccess:
		a.known = max(a.known, r.request.serial)
		w.listed = true
		if before == statusSuccess {
			return
		}
		e.Kind = Registered
	case statusNeedInfo:
		if a.known == r.request.serial {
			a.known-- // it forgot what it knew
		}
		if before == statusNeedInfo {
			// It was given and not taken; the next try is for the next period.
			w.status = statusError
			e.Kind, e.Text = Failed, "the master asks for the info again and again"
			break
		}
		return
	case statusNeedChallenge:
		if before != statusNeedChallenge {
			return
		}
		e.Kind = Unreachable
	default:
		e.Kind = Failed
		if before == statusError && w.said == e.Text {
			return // it is tried every 15 s; once is enough
		}
		w.said = e.Text
	}
	a.event(e)
}

// tagChallenge begins the packet by which an HTTP master proves a server's
// address.
const tagChallenge = "\xff\xff\xff\xffchal"

// feed takes the payload of a challenge. It reports whether that was one for this
// server.
func (a *announcer) feed(payload []byte) bool {
	rest, ok := bytes.CutPrefix(payload, []byte(tagChallenge))
	if !ok {
		return false
	}
	n := len(a.challenge)
	if len(rest) <= n || string(rest[:n]) != a.challenge || rest[n] != ':' {
		return false
	}
	rest = rest[n+1:]
	var u packer.Unpacker
	u.Reset(rest)
	name, token := string(u.String(packer.SanitizeNone)), u.String(packer.SanitizeNone)
	if u.Err() != nil || len(token) == 0 || len(token) > 64 {
		return true
	}
	for _, c := range token {
		if c <= ' ' || c > '~' {
			return true // it could not be sent back in a header
		}
	}
	for n := range protocols {
		if protocols[n].name == name {
			w := &a.ways[n]
			w.token, w.newToken = string(token), true
		}
	}
	return true
}

// remove returns the requests that take the server off the list, for each protocol
// on which it may be there.
func (a *announcer) remove(which Protocols) []*request {
	var all []*request
	for n := range a.ways {
		w := &a.ways[n]
		if which&(1<<n) == 0 || !w.listed {
			continue
		}
		w.status, w.listed = statusNone, false
		h := a.header(n)
		h.Set("Action", "delete")
		all = append(all, &request{protocol: n, index: -1, header: h})
	}
	return all
}

// readStatus reads what a master answered.
func readStatus(code int, body []byte) (status, string) {
	var reply struct {
		Status  string `json:"status"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return statusError, fmt.Sprintf("the master answers %d without JSON", code)
	}
	if code == http.StatusOK {
		switch reply.Status {
		case "success":
			return statusSuccess, ""
		case "need_challenge":
			return statusNeedChallenge, ""
		case "need_info":
			return statusNeedInfo, ""
		}
	}
	return statusError, fmt.Sprintf("the master answers %d %.40q: %.200q", code, reply.Status, reply.Message)
}
