package client_test

import (
	"bytes"
	"errors"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/golden"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// elder is a villain of the older version.
type elder struct {
	t       testing.TB
	now     conn.Time
	conn    *conn.Conn
	dec     msg6.Decoder
	back    ring // to the client
	in      [1400]byte
	asked   []int32 // chunks
	ready   bool
	entered bool
	said    []string
	// onInfo is what it does first, onRequest answers REQUEST_MAP_DATA.
	onInfo    func()
	onRequest func(chunk int32)

	c      *client.Client
	events []event.Event
}

func newElder(t testing.TB, cfg client.Config) *elder {
	t.Helper()
	v := &elder{t: t, now: conn.Time(time.Hour)}
	var err error
	if v.conn, err = conn.New(conn.Config{Send: v.back.push, ResendBuffer: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	cfg.Send = func(b []byte) { v.feed(v.in[:copy(v.in[:], b)]) }
	cfg.Version = client.Version06
	cfg.OnEvent = func(_ *client.Client, e event.Event) { v.events = append(v.events, e) }
	if cfg.Maps == nil {
		cfg.Maps = client.NewMaps("-")
	}
	if v.c, err = client.New(cfg); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *elder) feed(b []byte) {
	if v.conn.State() == conn.StateOffline {
		if err := v.conn.Accept6(v.now, conn.HandshakePlain, packet.NoToken); err != nil {
			v.t.Fatal(err)
		}
		return
	}
	v.conn.Feed(v.now, b, v)
}

// Chunk implements conn.Handler.
func (v *elder) Chunk(b []byte, _ bool) {
	m, err := v.dec.Decode(b)
	if err != nil {
		v.t.Fatalf("the client sent %x: %v", b, err)
	}
	switch m := m.(type) {
	case *msg6.Info:
		v.onInfo()
	case *msg6.RequestMapData:
		v.asked = append(v.asked, m.Chunk)
		if v.onRequest != nil {
			v.onRequest(m.Chunk)
		}
	case *msg6.Ready:
		v.ready = true
		v.send(&msg6.ConReady{})
	case *msg6.ClStartInfo:
		v.send(&msg6.SvReadyToEnter{})
	case *msg6.EnterGame:
		v.entered = true
	case *msg6.ClSay:
		v.said = append(v.said, string(m.Message))
	}
}

func (v *elder) send(m msg6.Message) { v.queue(m.Append(nil), true) }

func (v *elder) queue(b []byte, vital bool) {
	if err := v.conn.Queue(v.now, b, vital); err != nil {
		v.t.Fatal(err)
	}
}

func (v *elder) pump() {
	for range 1000 {
		v.conn.Flush(v.now)
		b, ok := v.back.pop()
		if !ok {
			return
		}
		v.c.Feed(v.now, b)
	}
}

// run lets time pass.
func (v *elder) run(span time.Duration) {
	for end := v.now.Add(span); v.now < end; v.now = v.now.Add(10 * time.Millisecond) {
		v.conn.Update(v.now)
		v.c.Step(v.now)
		v.pump()
	}
}

func (v *elder) connect() {
	if err := v.c.Connect(v.now); err != nil {
		v.t.Fatal(err)
	}
	v.pump()
	v.run(100 * time.Millisecond)
}

// announce sends a MAP_CHANGE, and what it asks for of the file.
func (v *elder) announce(file []byte) {
	v.send(&msg6.MapChange{Name: []byte("yard"), CRC: int32(crc32.ChecksumIEEE(file)), Size: int32(len(file))})
	if v.onRequest == nil {
		v.onRequest = func(chunk int32) {
			if from := int(chunk) * msg6.MapChunkSize; from < len(file) {
				v.chunk(file, chunk, file[from:min(from+msg6.MapChunkSize, len(file))])
			}
		}
	}
}

func (v *elder) chunk(file []byte, chunk int32, data []byte) {
	v.send(&msg6.MapData{CRC: int32(crc32.ChecksumIEEE(file)), Chunk: chunk, Data: data})
}

// welcome makes it an honest server up to the first snapshots.
func (v *elder) welcome() {
	v.onInfo = func() { v.announce(smallMap()) }
	v.connect()
	if !v.entered {
		v.t.Fatalf("the client did not enter: %v", v.c.Err())
	}
	for tick := int32(2); tick <= 8; tick += 2 {
		v.queue(v.picture(tick).Append(nil), false)
		v.run(40 * time.Millisecond)
	}
	if v.c.State() != client.Playing || v.c.Self() != 3 {
		v.t.Fatalf("the client is in state %v, as %v: %v", v.c.State(), v.c.Self(), v.c.Err())
	}
}

// picture is a snapshot with the client in it, against none.
func (v *elder) picture(tick int32) *msg6.SnapSingle {
	var b snapshot.Builder
	for _, o := range []msg6.Object{&msg6.GameInfo{RoundStartTick: tick}, &msg6.PlayerInfo{Local: 1, ClientID: 3}, &msg6.ClientInfo{}} {
		if c, ok := o.(*msg6.ClientInfo); ok {
			msg6.StrToInts(c.Name[:], []byte("me"))
		}
		o.PutInts(b.Add(o.ObjectType(), 3, o.ObjectSize()))
	}
	var s snapshot.Snapshot
	b.Finish(&s)
	sizes := snapshot.ItemSizes(msg6.Sizes)
	delta, _ := snapshot.AppendDelta(nil, nil, &s, &sizes)
	return &msg6.SnapSingle{Tick: tick, DeltaTick: tick + 1, CRC: s.CRC(), Data: delta}
}

// TestNumberedChunks: chunks are asked for ahead but not beyond the end, and taken in
// order, once, from whom they are of.
func TestNumberedChunks(t *testing.T) {
	file := smallMap()
	n := (len(file) + msg6.MapChunkSize - 1) / msg6.MapChunkSize
	for name, answer := range map[string]func(v *elder, chunk int32, send func(int32)){
		"one by one": func(_ *elder, chunk int32, send func(int32)) { send(chunk) },
		"twice":      func(_ *elder, chunk int32, send func(int32)) { send(chunk); send(chunk) },
		"all ahead": func(_ *elder, chunk int32, send func(int32)) { // as DDNet's server
			if chunk == 0 {
				for i := range int32(n) {
					send(i)
				}
			}
		},
		"another's": func(v *elder, chunk int32, send func(int32)) {
			v.send(&msg6.MapData{CRC: 1, Chunk: chunk, Data: []byte("x")})
			send(chunk)
		},
		"an empty one first": func(v *elder, chunk int32, send func(int32)) {
			v.chunk(file, chunk, nil)
			send(chunk)
		},
		"others first": func(v *elder, chunk int32, send func(int32)) {
			if chunk == 3 {
				for i := range int32(4) {
					send(3 - i)
				}
				send(1)
				send(2)
				send(3)
			} else if chunk > 3 {
				send(chunk)
			}
		},
	} {
		v := newElder(t, client.Config{})
		v.onRequest = func(chunk int32) {
			answer(v, chunk, func(i int32) {
				v.chunk(file, i, file[i*msg6.MapChunkSize:min(int(i+1)*msg6.MapChunkSize, len(file))])
			})
		}
		v.onInfo = func() { v.announce(file) }
		v.connect()
		if m := v.c.Map(); !v.ready || m == nil || !bytes.Equal(m.File, file) {
			t.Errorf("%s: ready %v, %v", name, v.ready, v.c.Err())
		}
		if len(v.asked) > n {
			t.Errorf("%s: asked for %v of %d", name, v.asked, n)
		}
	}
}

// TestHostileChunks: what is more than was announced, or something else, is refused.
func TestHostileChunks(t *testing.T) {
	file := smallMap()
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"too much":  {make([]byte, 1000), "instead of"},
		"something": {make([]byte, 600), "is not what was announced"},
	} {
		v := newElder(t, client.Config{})
		small := file[:600]
		v.onRequest = func(chunk int32) { v.chunk(small, chunk, c.data) }
		v.onInfo = func() { v.announce(small) }
		v.connect()
		if err := v.c.Err(); !errors.Is(err, client.ErrMap) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhispersStayPrivate: a server that shows nothing of DDNet's would say a whisper
// to all.
func TestWhispersStayPrivate(t *testing.T) {
	v := newElder(t, client.Config{NoMap: true})
	v.welcome()
	if err := v.c.Whisper(3, "psst"); !errors.Is(err, client.ErrVersion) {
		t.Errorf("whispered: %v", err)
	}
	v.send(&msg6.RconType{})
	v.run(20 * time.Millisecond)
	if err := v.c.Whisper(3, "psst"); err != nil {
		t.Error(err)
	}
	v.run(20 * time.Millisecond)
	if len(v.said) != 1 || v.said[0] != `/w "me" psst` {
		t.Errorf("said %q", v.said)
	}
}

// captured is the messages of a session of DDNet's server.
func captured(t testing.TB) (all [][]byte) {
	var scratch packet.Scratch
	for _, d := range golden.Datagrams(t, golden.Join6) {
		var p packet.Packet6
		if d.ToServer || p.Parse(d.B, &scratch) != nil || p.Flags&(packet.FlagControl|packet.FlagConnless) != 0 {
			continue
		}
		var c packet.Chunk
		for it := p.Chunks(); it.Next(&c); {
			all = append(all, bytes.Clone(c.Data))
		}
	}
	return all
}

// TestElderAllocatesNothing: in the steady state neither a snapshot costs memory nor
// the inputs that come with it, predicted for all tees.
func TestElderAllocatesNothing(t *testing.T) {
	inputs := 0
	v := newElder(t, client.Config{
		PredictAll: true, OnSnapshot: func(*client.Client, *game.View, []game.Event) {},
		Play: func(_ *client.Client, v *game.View) game.Input {
			inputs++
			return game.Input{Direction: v.Tick/25%3 - 1, Fire: v.Tick / 5 & 63, TargetX: v.Tick}
		},
	})
	v.welcome()
	// The captured snapshots that stand for themselves, each again and again.
	var whole []*msg6.SnapSingle
	var d msg6.Decoder
	for _, b := range captured(t) {
		if m, err := d.Decode(b); err == nil {
			if m, ok := m.(*msg6.SnapSingle); ok && m.DeltaTick == m.Tick+1 {
				whole = append(whole, &msg6.SnapSingle{CRC: m.CRC, Data: bytes.Clone(m.Data)})
			}
		}
	}
	if len(whole) == 0 {
		t.Fatal("no snapshot stands for itself")
	}
	var buf []byte
	tick := int32(10)
	step := func() {
		for _, m := range whole {
			m.Tick, m.DeltaTick = tick, tick+1
			tick += 2
			buf = m.Append(buf[:0])
			v.queue(buf, false)
			v.run(40 * time.Millisecond)
		}
	}
	for range 100 {
		step()
	}
	if s := v.c.Stats(); s.CRCFailures+s.NoBase+s.BadDelta+s.BadMessage != 0 || s.Snapshots < 100 || inputs < 100 {
		t.Errorf("%+v, %d inputs", s, inputs)
	}
	tees := 0
	v.c.WithView(func(v *game.View) { tees = len(v.Characters) })
	if tees == 0 {
		t.Error("no tees in sight")
	}
	testenv.RequireExactAllocs(t)
	if n := testing.AllocsPerRun(50, step); n != 0 {
		t.Errorf("%v allocations for %d snapshots and their inputs", n, len(whole))
	}
}

// FuzzElder sends a playing client of the older version any messages: each a byte
// whose lowest bit makes it vital, a byte with its length, and as many bytes.
func FuzzElder(f *testing.F) {
	for _, b := range captured(f) {
		if len(b) < 256 {
			f.Add(append([]byte{1, byte(len(b))}, b...))
			f.Add(append([]byte{0, byte(len(b))}, b...))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v := newElder(t, client.Config{NoMap: true, Play: func(*client.Client, *game.View) game.Input { return game.Input{} }})
		v.welcome()
		for len(data) > 2 {
			vital, n := data[0]&1 != 0, min(int(data[1]), len(data)-2)
			if n == 0 || vital && v.conn.FreeResendBuffer() < n {
				break
			}
			v.queue(data[2:2+n], vital)
			data = data[2+n:]
		}
		v.run(60 * time.Millisecond)
		v.c.WithPredictedView(func(*game.View) {})
		for _, row := range v.c.Scoreboard() {
			if strings.ContainsAny(row.Name, "\x1b\x00\n") {
				t.Errorf("a name is %q", row.Name)
			}
		}
		v.c.Close()
	})
}
