package conn

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/protocol/packet"
	"pgregory.net/rapid"
)

// pipe is one direction of a bad network.
type pipe struct {
	to     *peer
	queue  []flying
	random func() uint64
	loss   uint64 // per cent
	dup    uint64
	spread uint64 // ms of delay, at most
}

type flying struct {
	at Time
	b  []byte
}

func (p *pipe) push(now Time, b []byte) {
	if p.random()%100 < p.loss {
		return
	}
	copies := 1
	if p.random()%100 < p.dup {
		copies = 2
	}
	for range copies {
		p.queue = append(p.queue, flying{now + Time(p.random()%(p.spread+1))*ms, bytes.Clone(b)})
	}
}

func (p *pipe) deliver(now Time) {
	rest := p.queue[:0:0]
	for _, f := range p.queue {
		if f.at <= now {
			p.to.Feed(now, f.b, p.to)
		} else {
			rest = append(rest, f)
		}
	}
	p.queue = rest
}

// stream sends n vital payloads each way over a bad network, from the given sequence
// on, and checks that they arrive once and in order.
func stream(t rapid.TB, seed uint64, n, start int, loss, dup, spread uint64) {
	random := func() uint64 { // splitmix64
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	a, b := new(peer), new(peer)
	ab := &pipe{to: b, random: random, loss: loss, dup: dup, spread: spread}
	ba := &pipe{to: a, random: random, loss: loss, dup: dup, spread: spread}
	var now Time
	a.Init(Config{Send: func(d []byte) { ab.push(now, d) }})
	b.Init(Config{Send: func(d []byte) { ba.push(now, d) }})

	// The handshake, without loss.
	if a.Dial(now, clientToken) != nil || b.Accept(now, serverToken, clientToken) != nil {
		t.Fatal("cannot begin")
	}
	a.Feed(now, packet.AppendTokenReply(nil, clientToken, serverToken), a)
	a.Feed(now, packet.AppendControl(nil, 0, clientToken, packet.ControlAccept), a)
	b.Feed(now, data(0, 0, serverToken), b)
	for _, p := range []*peer{a, b} {
		p.sentSeq, p.recvSeq, p.peerAck = start, start, start
	}
	if a.State() != StateOnline || b.State() != StateOnline {
		t.Fatalf("%v, %v", a.State(), b.State())
	}
	ab.queue, ba.queue = nil, nil

	next := map[*peer]int{}
	payload := func(i int) []byte {
		text := make([]byte, 4+(i*37)%900)
		binary.BigEndian.PutUint32(text, uint32(i))
		return text
	}
	for limit := 0; len(a.got) < n || len(b.got) < n; limit++ {
		if limit == 200000 {
			t.Fatalf("stuck at %d and %d of %d", len(a.got), len(b.got), n)
		}
		now += 10 * ms
		for _, p := range []*peer{a, b} {
			for range random() % 4 {
				if i := next[p]; i < n && p.FreeResendBuffer() >= 1000 {
					if err := p.Queue(now, payload(i), true); err != nil {
						t.Fatal(err)
					}
					next[p]++
				}
			}
			if random()%2 == 0 {
				p.Flush(now)
			}
		}
		ab.deliver(now)
		ba.deliver(now)
		for _, p := range []*peer{a, b} {
			p.Update(now)
			if p.State() != StateOnline {
				t.Fatalf("%v at %v: %q", p.State(), now, p.Reason())
			}
		}
	}
	for _, p := range []*peer{a, b} {
		if len(p.got) != n {
			t.Fatalf("%d payloads arrived, want %d", len(p.got), n)
		}
		for i, text := range p.got {
			if text != string(payload(i)) {
				t.Fatalf("payload %d is not the right one", i)
			}
		}
	}
}

func TestStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream(t,
			rapid.Uint64().Draw(t, "seed"),
			rapid.IntRange(1, 150).Draw(t, "payloads"),
			rapid.SampledFrom([]int{0, 500, 1000, 1020}).Draw(t, "start"),
			rapid.Uint64Range(0, 30).Draw(t, "loss"),
			rapid.Uint64Range(0, 30).Draw(t, "duplicates"),
			rapid.Uint64Range(0, 200).Draw(t, "delay"))
	})
}

// TestLongStream goes several times around the sequence numbers.
func TestLongStream(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { stream(t, seed, 3000, 0, 5, 5, 40) })
	}
}

// TestResendBuffer compares the rings with a plain queue.
func TestResendBuffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := resendBuffer{maxUsed: rapid.IntRange(100, 5000).Draw(t, "limit")}
		var model [][]byte
		used, pushed := 0, 0
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if rapid.IntRange(0, 2).Draw(t, "pop") == 0 && len(model) > 0 {
				used -= len(model[0]) + ResendOverhead
				model = model[1:]
				r.removeFirst()
			} else {
				data := bytes.Repeat([]byte{byte(pushed)}, rapid.IntRange(0, 700).Draw(t, "size"))
				fits := used+len(data)+ResendOverhead <= r.maxUsed
				if r.add(0, pushed, data) != fits {
					t.Fatalf("%d bytes at %d of %d", len(data), used, r.maxUsed)
				}
				if fits {
					model = append(model, data)
					used += len(data) + ResendOverhead
				}
				pushed++
			}
			if r.len != len(model) || r.used != used || len(r.ring) > 2*r.maxUsed+512 {
				t.Fatalf("%d entries of %d bytes in %d, want %d of %d", r.len, r.used, len(r.ring), len(model), used)
			}
			for i, want := range model {
				a, b := r.data(r.at(i))
				if !bytes.Equal(append(bytes.Clone(a), b...), want) {
					t.Fatalf("entry %d is wrong", i)
				}
			}
		}
	})
}
