package query

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

// serverQuery is a server that is being serverQuery.
type serverQuery struct {
	target      Target
	deadline    int64 // ns, when it is given up at the latest
	nextTry     int64 // ns, when it is asked again
	settling    bool  // a form is answered
	settleUntil int64 // ns, until when the others are waited for then

	ownToken    packet.Token // ours of 0.7
	serverToken packet.Token // the server's of 0.7, NoToken while it is not known
	tokenBase   uint32       // the tokens of requests begin here
	tries       []int64      // ns, when each was sent
	mergers     [NumFormats]ReplyMerger
	answered    [NumFormats]bool
	complete    [NumFormats]bool

	latency time.Duration // the least; known once a form was heard
}

func newServerQuery(target Target, limit int64, random func() uint32) *serverQuery {
	own := packet.Token(random())
	if own == packet.NoToken {
		own--
	}
	return &serverQuery{target: target, deadline: limit, ownToken: own, serverToken: packet.NoToken, tokenBase: random()}
}

// waitUntil returns until when the server is waited for. Once a form is answered it is
// known to be there, and what it does not speak is not waited for long. A form that
// it does speak may be asked again.
func (t *serverQuery) waitUntil(a *multiQuery) int64 {
	switch {
	case !t.settling:
		return t.deadline
	case t.partlyAnswered():
		return min(t.deadline, t.settleUntil+2*int64(a.cfg.Retry))
	}
	return min(t.deadline, t.settleUntil)
}

// allComplete tells whether every form that was asked was answered in full.
func (t *serverQuery) allComplete() bool {
	for f := range Format(NumFormats) {
		if t.wantsFormat(f) && !t.complete[f] {
			return false
		}
	}
	return true
}

// partlyAnswered tells whether the server has begun to answer in a form and not ended.
func (t *serverQuery) partlyAnswered() bool {
	for f := range Format(NumFormats) {
		if !t.complete[f] && (t.answered[f] || f == Format7 && t.serverToken != packet.NoToken) {
			return true
		}
	}
	return false
}

// wantsFormat tells whether the server is asked in a form.
func (t *serverQuery) wantsFormat(f Format) bool {
	if f == Format7 {
		return t.target.Versions&Version7 != 0
	}
	return t.target.Versions&Version6 != 0
}

// token is that of a try of a form. Tries have different ones, so that each answer
// tells its latency; those of the plain and the extended form differ in the lowest
// byte, since servers without the extended form give the plain answer to it.
func (t *serverQuery) token(f Format, try int) int32 {
	v := t.tokenBase + uint32(try)*2
	if f == FormatExtended6 {
		v++
	}
	return int32(v) & f.MaxToken()
}

// maxTries bounds how often a form is asked.
const maxTries = 64

// sendRequests sends what has not been answered.
func (t *serverQuery) sendRequests(now int64, a *multiQuery) {
	t.nextTry = now + int64(a.cfg.Retry)
	try := len(t.tries)
	if try == maxTries {
		return
	}
	t.tries = append(t.tries, now)
	for f := range Format(NumFormats) {
		if !t.wantsFormat(f) || t.complete[f] {
			continue
		}
		if f == Format7 && t.serverToken == packet.NoToken {
			a.buf = packet.AppendTokenRequest(a.buf[:0], t.ownToken)
			a.send(t.target.Addr, a.buf)
			continue
		}
		t.sendRequest(f, try, a)
	}
}

func (t *serverQuery) sendRequest(f Format, try int, a *multiQuery) {
	r := Request{Format: f, Token: t.token(f, try)}
	a.buf = AppendRequest(a.buf[:0], r)
	if f == Format7 {
		payload := a.buf
		a.buf = packet.AppendConnless(nil, t.serverToken, t.ownToken, payload)
	}
	a.send(t.target.Addr, a.buf)
}

// feed takes a datagram of the server. It reports whether a form is answered in
// full now.
func (t *serverQuery) feed(now int64, b []byte, a *multiQuery) bool {
	switch kind, _ := packet.Classify(b); kind {
	case packet.KindConnless6:
		r, err := ParseReply6(b)
		return err == nil && t.handleReply(now, &r)
	case packet.KindConnless7:
		var p packet.Packet
		if p.ParseHeader(b) != nil || p.Token != t.ownToken {
			return false
		}
		r, err := ParseReply7(p.Payload)
		return err == nil && t.handleReply(now, &r)
	case packet.KindControl7:
		var p packet.Packet
		var scratch packet.Scratch
		if p.Parse(b, &scratch) != nil || p.Token != t.ownToken || p.ControlID() != packet.ControlToken || p.ResponseToken == packet.NoToken || t.serverToken != packet.NoToken {
			return false
		}
		t.serverToken = p.ResponseToken
		// The time that the handshake took is no part of the latency.
		t.tries = append(t.tries, now)
		t.sendRequest(Format7, len(t.tries)-1, a)
	}
	return false
}

// handleReply takes an answer.
func (t *serverQuery) handleReply(now int64, r *Reply) bool {
	at, ok := t.sentAt(r)
	if !ok || !t.wantsFormat(r.Format) {
		return false
	}
	f := r.Format
	if span := time.Duration(now - at); t.answered == [NumFormats]bool{} || span < t.latency {
		t.latency = span
	}
	t.answered[f] = true
	full := t.mergers[f].Add(r) || f == FormatPlain6
	news := full && !t.complete[f]
	t.complete[f] = full
	return news
}

// sentAt finds the try that an answer belongs to.
func (t *serverQuery) sentAt(r *Reply) (at int64, ok bool) {
	for try, at := range t.tries {
		if r.Token == t.token(r.Format, try) || r.Format == FormatPlain6 && r.Token == t.token(FormatExtended6, try)&0xff {
			return at, true
		}
	}
	return 0, false
}

// result puts together what was answered. The extended form tells most of a
// server; what it has no room for is taken from the others.
func (t *serverQuery) result() Result {
	r := Result{Addr: t.target.Addr, Latency: t.latency}
	best := -1
	for _, f := range [...]Format{FormatExtended6, Format7, FormatLegacy64, FormatPlain6} {
		if r.Formats[f] = t.answered[f]; !t.answered[f] {
			continue
		}
		i, ok := t.mergers[f].Info()
		if !ok {
			continue
		}
		// A list that is complete is better, then a longer one.
		points := len(i.Clients)
		if t.mergers[f].Complete() {
			points += 2 * MaxListed
		}
		if points > best {
			best, r.Info, r.Complete = points, i, t.mergers[f].Complete()
		}
	}
	if best < 0 {
		r.Err = fmt.Errorf("%w from %v", ErrNoAnswer, t.target.Addr)
		return r
	}
	if i, ok := t.mergers[FormatExtended6].Info(); ok {
		r.Info.MapCRC, r.Info.MapSize = i.MapCRC, i.MapSize
	}
	if i, ok := t.mergers[Format7].Info(); ok {
		r.Info.Hostname, r.Info.SkillLevel = i.Hostname, i.SkillLevel
		r.Info.copyBots(&i)
		if i.TimeScore && !r.Info.TimeScore {
			r.Info.TimeScore, r.Info.Clients = true, i.Clients
		}
	}
	return r
}

// copyBots takes over who is a bot from a list of the same clients.
func (i *Info) copyBots(from *Info) {
	if len(from.Clients) != len(i.Clients) {
		return
	}
	for n := range i.Clients {
		if i.Clients[n].Name == from.Clients[n].Name {
			i.Clients[n].Bot = from.Clients[n].Bot
		}
	}
}
