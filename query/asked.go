package query

import (
	"fmt"
	"time"

	"github.com/teeyard/teeyard/protocol/packet"
)

// asked is a server that is being asked.
type asked struct {
	target   Target
	limit    int64 // ns, when it is given up at the latest
	again    int64 // ns, when it is asked again
	settling bool  // a form is answered
	settled  int64 // ns, until when the others are waited for then

	own   packet.Token // ours of 0.7
	peer  packet.Token // the server's of 0.7, NoToken while it is not known
	base  uint32       // the tokens of requests begin here
	tries []int64      // ns, when each was sent
	form  [NumForms]Merger
	heard [NumForms]bool
	full  [NumForms]bool

	latency time.Duration // the least; known once a form was heard
}

func newAsked(target Target, limit int64, random func() uint32) *asked {
	own := packet.Token(random())
	if own == packet.NoToken {
		own--
	}
	return &asked{target: target, limit: limit, own: own, peer: packet.NoToken, base: random()}
}

// end returns until when the server is waited for. Once a form is answered it is
// known to be there, and what it does not speak is not waited for long. A form that
// it does speak may be asked again.
func (t *asked) end(a *asker) int64 {
	switch {
	case !t.settling:
		return t.limit
	case t.pending():
		return min(t.limit, t.settled+2*int64(a.cfg.Retry))
	}
	return min(t.limit, t.settled)
}

// all tells whether every form that was asked was answered in full.
func (t *asked) all() bool {
	for f := range Form(NumForms) {
		if t.asks(f) && !t.full[f] {
			return false
		}
	}
	return true
}

// pending tells whether the server has begun to answer in a form and not ended.
func (t *asked) pending() bool {
	for f := range Form(NumForms) {
		if !t.full[f] && (t.heard[f] || f == Form7 && t.peer != packet.NoToken) {
			return true
		}
	}
	return false
}

// asks tells whether the server is asked in a form.
func (t *asked) asks(f Form) bool {
	if f == Form7 {
		return t.target.Versions&Version7 != 0
	}
	return t.target.Versions&Version6 != 0
}

// token is that of a try of a form. Tries have different ones, so that each answer
// tells its latency; those of the plain and the extended form differ in the lowest
// byte, since servers without the extended form give the plain answer to it.
func (t *asked) token(f Form, try int) int32 {
	v := t.base + uint32(try)*2
	if f == FormExtended6 {
		v++
	}
	return int32(v) & f.MaxToken()
}

// maxTries bounds how often a form is asked.
const maxTries = 64

// ask sends what has not been answered.
func (t *asked) ask(now int64, a *asker) {
	t.again = now + int64(a.cfg.Retry)
	try := len(t.tries)
	if try == maxTries {
		return
	}
	t.tries = append(t.tries, now)
	for f := range Form(NumForms) {
		if !t.asks(f) || t.full[f] {
			continue
		}
		if f == Form7 && t.peer == packet.NoToken {
			a.buf = packet.AppendTokenRequest(a.buf[:0], t.own)
			a.send(t.target.Addr, a.buf)
			continue
		}
		t.request(f, try, a)
	}
}

func (t *asked) request(f Form, try int, a *asker) {
	r := Request{Form: f, Token: t.token(f, try)}
	a.buf = AppendRequest(a.buf[:0], r)
	if f == Form7 {
		payload := a.buf
		a.buf = packet.AppendConnless(nil, t.peer, t.own, payload)
	}
	a.send(t.target.Addr, a.buf)
}

// feed takes a datagram of the server. It reports whether a form is answered in
// full now.
func (t *asked) feed(now int64, b []byte, a *asker) bool {
	switch kind, _ := packet.Classify(b); kind {
	case packet.KindConnless6:
		r, err := ParseReply6(b)
		return err == nil && t.reply(now, &r)
	case packet.KindConnless7:
		var p packet.Packet
		if p.ParseHeader(b) != nil || p.Token != t.own {
			return false
		}
		r, err := ParseReply7(p.Payload)
		return err == nil && t.reply(now, &r)
	case packet.KindControl7:
		var p packet.Packet
		var scratch packet.Scratch
		if p.Parse(b, &scratch) != nil || p.Token != t.own || p.ControlID() != packet.ControlToken || p.ResponseToken == packet.NoToken || t.peer != packet.NoToken {
			return false
		}
		t.peer = p.ResponseToken
		// The time that the handshake took is no part of the latency.
		t.tries = append(t.tries, now)
		t.request(Form7, len(t.tries)-1, a)
	}
	return false
}

// reply takes an answer.
func (t *asked) reply(now int64, r *Reply) bool {
	at, ok := t.sent(r)
	if !ok || !t.asks(r.Form) {
		return false
	}
	f := r.Form
	if span := time.Duration(now - at); t.heard == [NumForms]bool{} || span < t.latency {
		t.latency = span
	}
	t.heard[f] = true
	full := t.form[f].Add(r) || f == FormPlain6
	news := full && !t.full[f]
	t.full[f] = full
	return news
}

// sent finds the try that an answer belongs to.
func (t *asked) sent(r *Reply) (at int64, ok bool) {
	for try, at := range t.tries {
		if r.Token == t.token(r.Form, try) || r.Form == FormPlain6 && r.Token == t.token(FormExtended6, try)&0xff {
			return at, true
		}
	}
	return 0, false
}

// result puts together what was answered. The extended form tells most of a
// server; what it has no room for is taken from the others.
func (t *asked) result() Result {
	r := Result{Addr: t.target.Addr, Latency: t.latency}
	best := -1
	for _, f := range [...]Form{FormExtended6, Form7, FormLegacy64, FormPlain6} {
		if r.Forms[f] = t.heard[f]; !t.heard[f] {
			continue
		}
		i, ok := t.form[f].Info()
		if !ok {
			continue
		}
		// A list that is complete is better, then a longer one.
		points := len(i.Clients)
		if t.form[f].Complete() {
			points += 2 * MaxListed
		}
		if points > best {
			best, r.Info, r.Complete = points, i, t.form[f].Complete()
		}
	}
	if best < 0 {
		r.Err = fmt.Errorf("%w from %v", ErrNoAnswer, t.target.Addr)
		return r
	}
	if i, ok := t.form[FormExtended6].Info(); ok {
		r.Info.MapCRC, r.Info.MapSize = i.MapCRC, i.MapSize
	}
	if i, ok := t.form[Form7].Info(); ok {
		r.Info.Hostname, r.Info.SkillLevel = i.Hostname, i.SkillLevel
		r.Info.markBots(&i)
		if i.TimeScore && !r.Info.TimeScore {
			r.Info.TimeScore, r.Info.Clients = true, i.Clients
		}
	}
	return r
}

// markBots takes over who is a bot from a list of the same clients.
func (i *Info) markBots(from *Info) {
	if len(from.Clients) != len(i.Clients) {
		return
	}
	for n := range i.Clients {
		if i.Clients[n].Name == from.Clients[n].Name {
			i.Clients[n].Bot = from.Clients[n].Bot
		}
	}
}
