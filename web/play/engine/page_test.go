package engine

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game/mode"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/mods/ddrace"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
	"github.com/teeyard/teeyard/transport"
)

// page does what the page in a browser does with an Engine, over the network of a server in virtual
// time.
type page struct {
	t      testing.TB
	s      *servertest.Server
	e      *Engine
	peer   transport.Peer
	send   func(b []byte) // sends a datagram to the server
	events []map[string]any
	// fetch is the answer of the page to map_announced: whether it gives the engine the server's
	// map.
	file      []byte
	messages  int
	decoder   msg7.Decoder
	snapshots int
	lastTick  int32
	last      snapshot.Snapshot
	input     [16]int32
	calls     []call // if recorded
	record    bool
}

// call is a call of an Engine, for a replay.
type call struct {
	Name string
	MS   float64
	Data []byte
	// Sum is the hash of Shared after the call.
	Sum uint32
}

const testToken = packet.Token(0x11111111)

var pages int

// newPage returns a page that has not connected yet.
func newPage(t testing.TB, s *servertest.Server) *page {
	p := &page{t: t, s: s, e: New()}
	p.e.Token = func() packet.Token { return testToken }
	p.input[InTargetX] = 100
	p.reach()
	s.Net.Every(time.Second/60, func(now int64) {
		in := make([]byte, 0, 4*len(p.input))
		for _, v := range p.input {
			in = binary.LittleEndian.AppendUint32(in, uint32(v))
		}
		p.call("frame", now, in)
	})
	return p
}

// reach gives the page a way to the server, from an address of its own.
func (p *page) reach() {
	pages++
	p.peer = servertest.IP(0x8000 + pages)
	p.send = func(b []byte) { p.s.Net.Send(p.peer, servertest.Addr, b) }
	p.s.Net.Handle(p.peer, func(now int64, _ transport.Peer, b []byte) {
		p.call("feed", now, b)
	})
}

// player are the parameters of Connect.
func player(name, version, ddnet string) string {
	fields := []string{name, "", "-1"}
	for _, part := range []string{"standard", "", "", "standard", "standard", "standard"} {
		fields = append(fields, part, "0", "0")
	}
	return strings.Join(append(fields, "", version, ddnet, "00112233445566778899aabbccddeeff"), "\x00")
}

// join connects and waits until the page shows snapshots.
func (p *page) join(name, version, ddnet string) {
	p.t.Helper()
	p.call("connect", p.s.Net.Now(), []byte(player(name, version, ddnet)))
	p.s.WaitUntil(20*time.Second, name+" plays", func() bool { return p.e.Shared.State[StateConnection] == 4 && p.snapshots > 2 })
}

func (p *page) act(params ...string) {
	p.call("act", p.s.Net.Now(), []byte(strings.Join(params, "\x00")))
}

// call calls the engine and reads what it reports.
func (p *page) call(name string, now int64, b []byte) {
	b = bytes.Clone(b)
	c := call{Name: name, MS: float64(now) / 1e6, Data: b}
	c.Sum = run(p.e, &c)
	if p.record {
		p.calls = append(p.calls, c)
	}
	p.read()
}

// run makes a call and returns the hash of the results.
func run(e *Engine, c *call) uint32 {
	switch c.Name {
	case "connect":
		if err := e.Connect(c.MS, c.Data); err != nil {
			panic(err)
		}
	case "feed":
		e.Feed(c.MS, e.Shared.In[:copy(e.Shared.In[:], c.Data)])
	case "frame":
		for i := range e.Shared.Input {
			e.Shared.Input[i] = int32(binary.LittleEndian.Uint32(c.Data[4*i:]))
		}
		e.Frame(c.MS)
	case "act":
		e.Do(c.MS, c.Data)
	case "useMap":
		if err := e.UseMap(c.MS, c.Data); err != nil {
			panic(err)
		}
	}
	return e.Shared.sum()
}

// read takes the results of a call.
func (p *page) read() {
	s := &p.e.Shared
	used := s.Used
	snaps := append([]int32(nil), s.Snapshots[:used[UsedSnapshots]]...)
	out, events := bytes.Clone(s.Out[:used[UsedOut]]), bytes.Clone(s.Events[:used[UsedEvents]])
	for _, b := range records(bytes.Clone(s.Messages[:used[UsedMessages]])) {
		p.messages++
		if _, err := p.decoder.Decode(b); err != nil {
			p.t.Fatalf("the page cannot read the message %x: %v", b, err)
		}
	}
	for _, b := range records(out) {
		p.send(b)
	}
	for len(snaps) > 0 {
		n, ints := snaps[1], snaps[2]
		p.lastTick = snaps[0]
		p.last = built(snaps[3:3+n], snaps[3+n:4+2*n], snaps[4+2*n:4+2*n+ints])
		p.snapshots++
		snaps = snaps[4+2*n+ints:]
	}
	for _, b := range records(events) {
		var e map[string]any
		if err := json.Unmarshal(b, &e); err != nil {
			p.t.Fatalf("%s: %v", b, err)
		}
		p.events = append(p.events, e)
		if e["event"] == "map_announced" && p.file != nil {
			p.call("useMap", p.s.Net.Now(), p.file)
		} else if e["event"] == "map_announced" {
			p.act("download_map")
		}
	}
}

// records returns the records of a buffer.
func records(b []byte) (all [][]byte) {
	for len(b) > 0 {
		n := int(binary.LittleEndian.Uint16(b))
		all = append(all, b[2:2+n])
		b = b[2+n:]
	}
	return all
}

func built(keys, offsets, ints []int32) (s snapshot.Snapshot) {
	var b snapshot.Builder
	for i, k := range keys {
		copy(b.Add(snapshot.Key(k).Type(), snapshot.Key(k).ID(), int(offsets[i+1]-offsets[i])), ints[offsets[i]:offsets[i+1]])
	}
	b.Finish(&s)
	return s
}

// event returns the last event with a name, or nil.
func (p *page) event(name string) map[string]any {
	for i := len(p.events) - 1; i >= 0; i-- {
		if p.events[i]["event"] == name {
			return p.events[i]
		}
	}
	return nil
}

// players counts the players in the last snapshot.
func (p *page) players() (n int) {
	for i := range p.last.Len() {
		if key, _ := p.last.Item(i); key.Type() == msg7.TypeDeClientInfo {
			n++
		}
	}
	return n
}

// own returns the own tee of the last predicted tick.
func (p *page) own() (x, y int32) { return p.e.Shared.Own[1][OwnX], p.e.Shared.Own[1][OwnY] }

// sum returns a hash of everything that the page reads.
func (s *Shared) sum() uint32 {
	h := fnv.New32a()
	write := func(v any) { binary.Write(h, binary.LittleEndian, v) }
	write(&s.State)
	write(&s.Own)
	write(&s.Used)
	write(s.Out[:s.Used[UsedOut]])
	write(s.Messages[:s.Used[UsedMessages]])
	write(s.Events[:s.Used[UsedEvents]])
	write(s.Snapshots[:s.Used[UsedSnapshots]])
	return h.Sum32()
}

// config is a server that also knows DDRace.
func config() server.Config {
	return server.Config{Modes: append(builtin.Modes(), mode.Named{Name: "ddrace", New: ddrace.New})}
}

// checkDDRace checks that the match is one of DDRace if its settings say so.
func (p *page) checkDDRace(settings string) {
	p.t.Helper()
	n := p.e.client.Stats().Predictions
	testenv.Check(p.t, n > 0 == strings.Contains(settings, "ddrace"), "%s: %d snapshots with the prediction of DDRace", settings, n)
}
