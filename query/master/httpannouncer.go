package master

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/teeyard/teeyard/internal/uuid"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
)

// Intervals of requests to an HTTP master. A master forgets a server after 30 s.
const (
	httpInterval       = int64(15 * time.Second)
	httpChangeInterval = int64(time.Second) // shortest interval between requests that report changes
	// maxInFlight limits the unanswered requests of one protocol.
	maxInFlight = 2
)

// status is the result of a register request.
type status uint8

const (
	statusNone status = iota
	statusSuccess
	statusNeedChallenge
	statusNeedInfo
	statusError
)

// request is an HTTP request that registers or removes the server.
type request struct {
	protocol int // index into protocols
	index    int // counted per protocol
	serial   int // serial number of the info
	header   http.Header
	body     []byte
}

// response is a master's answer to a request.
type response struct {
	request *request
	status  status
	text    string
}

// httpAnnouncer decides which requests to send to an HTTP master, and when. The Registrar sends
// them.
type httpAnnouncer struct {
	enabled     Protocols
	port        uint16
	token       func() packet.Token // for the header Connless-Token
	extraHeader http.Header
	secret      string
	challenge   string
	event       func(Event)

	info        []byte
	serial      int // serial number of info, -1 before the first one
	knownSerial int // serial number of the latest info that the master accepted
	states      [len(protocols)]protocolState
}

// protocolState is the state of one protocol.
type protocolState struct {
	started                  bool
	lastRequest, nextRequest int64 // ns
	sent                     int   // requests so far
	inFlight                 int
	lastAnswered             int // index of the latest answered request, -1 for none
	status                   status
	listed                   bool   // accepted and not removed since
	lastFailure              string // the last failure that was reported
	token                    string
	newToken                 bool
}

func newHTTPAnnouncer(enabled Protocols, port uint16, token func() packet.Token, extra http.Header, event func(Event)) *httpAnnouncer {
	a := &httpAnnouncer{enabled: enabled, port: port, token: token, extraHeader: extra, secret: uuid.Random(),
		challenge: uuid.Random(), event: event, serial: -1, knownSerial: -1}
	for n := range a.states {
		a.states[n].lastAnswered = -1
	}
	return a
}

// setInfo sets the server's info. A changed info is sent at once over one protocol, but at most
// once per httpChangeInterval.
func (a *httpAnnouncer) setInfo(now int64, info []byte) {
	if a.serial >= 0 && bytes.Equal(info, a.info) {
		return
	}
	a.info = append(a.info[:0], info...)
	a.serial++
	var last, first int64
	var who *protocolState
	for n := range a.states {
		w := &a.states[n]
		if a.enabled&(1<<n) == 0 {
			continue
		}
		if !w.started {
			w.started, w.nextRequest = true, now
			continue
		}
		last = max(last, w.lastRequest)
		if who == nil || w.nextRequest < first {
			who, first = w, w.nextRequest
		}
	}
	if who != nil {
		who.nextRequest = max(now, min(who.nextRequest, last+httpChangeInterval))
	}
}

// step returns the requests that are due.
func (a *httpAnnouncer) step(now int64) []*request {
	var due []*request
	for n := range a.states {
		w := &a.states[n]
		if a.enabled&(1<<n) == 0 || !w.started || a.serial < 0 {
			continue
		}
		if w.inFlight == 0 && w.lastAnswered == w.sent-1 && (w.status == statusNeedChallenge && w.newToken ||
			w.status == statusNeedInfo && w.lastAnswered >= 0) {
			// Send the next request at once. If it fails too, wait for the interval.
			w.nextRequest = min(w.nextRequest, now)
		}
		if now < w.nextRequest || w.inFlight >= maxInFlight {
			continue
		}
		due = append(due, a.register(now, n))
	}
	return due
}

func (a *httpAnnouncer) register(now int64, n int) *request {
	w := &a.states[n]
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
	if a.serial > a.knownSerial {
		h.Set("Content-Type", "application/json")
		r.body = bytes.Clone(a.info)
	}
	w.sent++
	w.inFlight++
	w.newToken = false
	w.lastRequest, w.nextRequest = now, now+httpInterval
	return r
}

func (a *httpAnnouncer) header(n int) http.Header {
	h := a.extraHeader.Clone()
	if h == nil {
		h = http.Header{}
	}
	// The master replaces the host with the source address of the request.
	h.Set("Address", fmt.Sprintf("%sconnecting-address.invalid:%d", protocols[n].scheme, a.port))
	h.Set("Secret", a.secret)
	return h
}

// handleResponse handles the response to a request.
func (a *httpAnnouncer) handleResponse(r response) {
	n := r.request.protocol
	w := &a.states[n]
	w.inFlight--
	if r.request.index <= w.lastAnswered {
		return // a later request was already answered
	}
	before := w.status
	w.lastAnswered, w.status = r.request.index, r.status
	e := Event{System: protocols[n].system, Text: r.text}
	switch r.status {
	case statusSuccess:
		a.knownSerial = max(a.knownSerial, r.request.serial)
		w.listed = true
		if before == statusSuccess {
			return
		}
		e.Kind = EventRegistered
	case statusNeedInfo:
		if a.knownSerial == r.request.serial {
			a.knownSerial-- // the master forgot the info
		}
		if before == statusNeedInfo {
			// The info was sent but not accepted. Try again after the interval.
			w.status = statusError
			e.Kind, e.Text = EventFailed, "the master keeps requesting the info although it was sent"
			break
		}
		return
	case statusNeedChallenge:
		if before != statusNeedChallenge {
			return
		}
		e.Kind = EventUnreachable
	default:
		e.Kind = EventFailed
		if before == statusError && w.lastFailure == e.Text {
			return // report it once, not every 15 s
		}
		w.lastFailure = e.Text
	}
	a.event(e)
}

// tagChallenge begins the packet with which an HTTP master checks a server's address.
const tagChallenge = "\xff\xff\xff\xffchal"

// feed handles the payload of a challenge. It reports whether the challenge was for this server.
func (a *httpAnnouncer) feed(payload []byte) bool {
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
	if u.Err() != nil || len(token) == 0 || len(token) > 64 || !isGraphic(string(token)) {
		return true // not valid in a header
	}
	for n := range protocols {
		if protocols[n].name == name {
			w := &a.states[n]
			w.token, w.newToken = string(token), true
		}
	}
	return true
}

// deleteRequests returns the requests that remove the server from the list, one for each protocol
// with which it may be listed.
func (a *httpAnnouncer) deleteRequests(which Protocols) []*request {
	var all []*request
	for n := range a.states {
		w := &a.states[n]
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

// parseStatus reads the status and the error text from a response of a master.
func parseStatus(code int, body []byte) (status, string) {
	var reply struct {
		Status  string `json:"status"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return statusError, fmt.Sprintf("the master answered with HTTP status %d and no JSON", code)
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
	return statusError, fmt.Sprintf("the master answered with HTTP status %d, %.40q: %.200q", code, reply.Status, reply.Message)
}
