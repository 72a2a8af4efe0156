package query

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

// serverQuery queries one server in all formats.
type serverQuery struct {
	target      Target
	deadline    int64 // ns, when to give up
	nextTry     int64 // ns, when to repeat requests
	settling    bool  // one answer is complete
	settleUntil int64 // ns, how long to wait for other answers then

	ownToken    packet.Token // of 0.7
	serverToken packet.Token // the server's token of 0.7, NoToken while unknown
	tokenBase   uint32       // base of the request tokens
	tries       []int64      // ns, when each try was sent
	mergers     [NumFormats]ReplyMerger
	answered    [NumFormats]bool
	complete    [NumFormats]bool

	latency time.Duration // the shortest; valid after the first answer
}

func newServerQuery(target Target, limit int64, random func() uint32) *serverQuery {
	own := packet.Token(random())
	if own == packet.NoToken {
		own--
	}
	return &serverQuery{target: target, deadline: limit, ownToken: own, serverToken: packet.NoToken, tokenBase: random()}
}

// waitUntil returns the time until which to wait for the server. After a complete answer the wait
// is SettleTime, because the server may not support the other versions. After an incomplete answer
// the wait is longer, so that the request can be repeated.
func (t *serverQuery) waitUntil(a *multiQuery) int64 {
	switch {
	case !t.settling:
		return t.deadline
	case t.partlyAnswered():
		return min(t.deadline, t.settleUntil+2*int64(a.cfg.Retry))
	}
	return min(t.deadline, t.settleUntil)
}

// allComplete reports whether the answers in all formats are complete.
func (t *serverQuery) allComplete() bool {
	for f := range Format(NumFormats) {
		if t.wantsFormat(f) && !t.complete[f] {
			return false
		}
	}
	return true
}

// partlyAnswered reports whether an answer has begun but is incomplete.
func (t *serverQuery) partlyAnswered() bool {
	for f := range Format(NumFormats) {
		if !t.complete[f] && (t.answered[f] || f == Format7 && t.serverToken != packet.NoToken) {
			return true
		}
	}
	return false
}

// wantsFormat reports whether the query requests a format.
func (t *serverQuery) wantsFormat(f Format) bool {
	if f == Format7 {
		return t.target.Versions&Version7 != 0
	}
	return t.target.Versions&Version6 != 0
}

// token returns the token of a try. Each try has a different one, to measure the latency. The
// tokens of FormatPlain6 and FormatExtended6 differ in the lowest byte, since a server without the
// extended format sends the plain answer to both.
func (t *serverQuery) token(f Format, try int) int32 {
	v := t.tokenBase + uint32(try)*2
	if f == FormatExtended6 {
		v++
	}
	return int32(v) & f.MaxToken()
}

// maxTries limits how often requests are sent.
const maxTries = 64

// sendRequests sends the requests whose answers are incomplete.
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

// feed handles a datagram from the server. It reports whether it completed an answer.
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
		if p.Parse(b, &scratch) != nil || p.Token != t.ownToken || p.ControlID() != packet.ControlToken ||
			p.ResponseToken == packet.NoToken || t.serverToken != packet.NoToken {
			return false
		}
		t.serverToken = p.ResponseToken
		// The latency does not include the handshake.
		t.tries = append(t.tries, now)
		t.sendRequest(Format7, len(t.tries)-1, a)
	}
	return false
}

// handleReply handles a datagram of an answer.
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

// sentAt returns when the request for an answer was sent.
func (t *serverQuery) sentAt(r *Reply) (at int64, ok bool) {
	for try, at := range t.tries {
		if r.Token == t.token(r.Format, try) || r.Format == FormatPlain6 && r.Token == t.token(FormatExtended6, try)&0xff {
			return at, true
		}
	}
	return 0, false
}

// result merges the answers. FormatExtended6 has the most fields. The other formats supply the
// fields that it lacks.
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
		// Prefer complete lists, then longer ones.
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

// copyBots copies Bot from a list of the same clients.
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
