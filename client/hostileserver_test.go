package client_test

import (
	"bytes"
	"crypto/sha256"
	"hash/crc32"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// hostileServer is a server of either version that sends what a test chooses, and a client
// connected to it directly, without a network.
type hostileServer struct {
	t      testing.TB
	now    conn.Time
	client *client.Client
	events []event.Event

	version  client.Version
	tokens   *conn.TokenIssuer
	conn     *conn.Conn
	decoder6 msg6.Decoder
	decoder7 msg7.Decoder
	scratch  packet.Scratch
	toClient datagramQueue
	in       [1400]byte
	buf      []byte

	// Messages that the client sent.
	mapRequests []int32 // chunks; 0.7 does not number them
	ready       bool
	entered     bool
	acks        []int32 // of snapshots, in inputs
	chat        []string
	rconLines   []string

	// onInfo is called for the client's first message; most tests announce a map.
	onInfo       func()
	onMapRequest func(chunk int32)
	onRcon       func(line string)

	// mu guards heldBack. held appends the client's datagrams to heldBack on any goroutine.
	mu       sync.Mutex
	held     bool
	heldBack [][]byte
}

var serverAddr = netip.MustParseAddr("10.0.0.1")

// newHostileServer returns a server of cfg's version with its client, which has not connected yet.
func newHostileServer(t testing.TB, cfg client.Config) *hostileServer {
	t.Helper()
	if cfg.Version == "" {
		cfg.Version = client.Version07
	}
	hs := &hostileServer{t: t, now: conn.Time(time.Hour), version: cfg.Version}
	hs.tokens = testenv.Must(conn.NewTokenIssuer(bytes.NewReader(make([]byte, 24))))
	hs.conn = testenv.Must(conn.New(conn.Config{Send: hs.toClient.push, ResendBuffer: 1 << 20}))
	cfg.Send = func(b []byte) {
		hs.mu.Lock()
		held := hs.held
		if held {
			hs.heldBack = append(hs.heldBack, bytes.Clone(b))
		}
		hs.mu.Unlock()
		if !held {
			hs.feed(hs.in[:copy(hs.in[:], b)])
		}
	}
	cfg.Token = func() packet.Token { return 0x01020304 }
	cfg.OnEvent = func(_ *client.Client, e event.Event) { hs.events = append(hs.events, e) }
	if cfg.Maps == nil {
		cfg.Maps = client.NewMaps("-")
	}
	hs.client = testenv.Must(client.New(cfg))
	return hs
}

// datagramQueue is a queue that reuses its memory.
type datagramQueue struct {
	slots       [256][]byte
	first, size int
}

func (q *datagramQueue) push(b []byte) {
	slot := &q.slots[(q.first+q.size)%len(q.slots)]
	if *slot == nil {
		for i := range q.slots {
			q.slots[i] = make([]byte, 0, 1400)
		}
	}
	*slot = append((*slot)[:0], b...)
	q.size = min(q.size+1, len(q.slots))
}

func (q *datagramQueue) pop() ([]byte, bool) {
	if q.size == 0 {
		return nil, false
	}
	b := q.slots[q.first]
	q.first, q.size = (q.first+1)%len(q.slots), q.size-1
	return b, true
}

// feed processes a datagram from the client.
func (hs *hostileServer) feed(b []byte) {
	if hs.conn.State() != conn.StateOffline {
		hs.conn.Feed(hs.now, b, hs)
		return
	}
	if hs.version == client.Version06 {
		testenv.NoError(hs.t, hs.conn.Accept6(hs.now, conn.HandshakePlain, packet.NoToken))
		return
	}
	var p packet.Packet
	testenv.NoError(hs.t, p.Parse(b, &hs.scratch))
	switch action, _ := hs.tokens.Inspect(hs.now, serverAddr, &p); action {
	case conn.ActionReplyToken:
		hs.toClient.push(packet.AppendTokenReply(nil, p.ResponseToken, hs.tokens.Token(hs.now, serverAddr)))
	case conn.ActionAccept:
		testenv.NoError(hs.t, hs.conn.Accept(hs.now, p.Token, p.ResponseToken))
	}
}

// Chunk implements conn.Handler.
func (hs *hostileServer) Chunk(b []byte, _ bool) {
	var m testclient.Message
	var err error
	if hs.version == client.Version06 {
		m, err = hs.decoder6.Decode(b)
	} else {
		m, err = hs.decoder7.Decode(b)
	}
	if err != nil {
		hs.t.Fatalf("the client sent %x: %v", b, err)
	}
	switch m := m.(type) {
	case *msg6.Info, *msg7.Info:
		hs.onInfo()
	case *msg6.RequestMapData:
		hs.mapRequested(m.Chunk)
	case *msg7.RequestMapData:
		hs.mapRequested(0)
	case *msg6.Ready:
		hs.ready = true
		hs.send(&msg6.ConReady{})
	case *msg7.Ready:
		hs.ready = true
		hs.send(&msg7.ConReady{})
	case *msg6.ClStartInfo:
		hs.send(&msg6.SvReadyToEnter{})
	case *msg7.ClStartInfo:
		hs.send(&msg7.SvReadyToEnter{})
	case *msg6.EnterGame:
		hs.entered = true
	case *msg7.EnterGame:
		hs.entered = true
		hs.send(&msg7.SvClientInfo{ClientID: 0, Local: true, Name: []byte("me")})
	case *msg6.ClSay:
		hs.chat = append(hs.chat, string(m.Message))
	case *msg7.RconCmd:
		hs.rconLines = append(hs.rconLines, string(m.Command))
		if hs.onRcon != nil {
			hs.onRcon(string(m.Command))
		}
	case *msg7.Input:
		hs.acks = append(hs.acks, m.AckTick)
	}
}

func (hs *hostileServer) mapRequested(chunk int32) {
	hs.mapRequests = append(hs.mapRequests, chunk)
	if hs.onMapRequest != nil {
		hs.onMapRequest(chunk)
	}
}

// send queues a vital message.
func (hs *hostileServer) send(m testclient.Message) { hs.queue(m.Append(nil), true) }

// queue queues a chunk.
func (hs *hostileServer) queue(b []byte, vital bool) {
	testenv.NoError(hs.t, hs.conn.Queue(hs.now, b, vital))
}

// exchange carries datagrams both ways until both sides are silent.
func (hs *hostileServer) exchange() {
	for range 1000 {
		hs.conn.Flush(hs.now)
		b, ok := hs.toClient.pop()
		if !ok {
			return
		}
		hs.client.Feed(hs.now, b)
	}
}

// run lets time pass.
func (hs *hostileServer) run(span time.Duration) {
	for end := hs.now.Add(span); hs.now < end; hs.now = hs.now.Add(10 * time.Millisecond) {
		hs.conn.Update(hs.now)
		hs.client.Step(hs.now)
		hs.exchange()
	}
}

// connect lets the client connect.
func (hs *hostileServer) connect() {
	testenv.NoError(hs.t, hs.client.Connect(hs.now))
	hs.exchange()
	hs.run(100 * time.Millisecond)
}

// letIn behaves as an honest server until the client plays.
func (hs *hostileServer) letIn() {
	hs.onInfo = func() { hs.announceMap("yard", nil) }
	hs.connect()
	if !hs.entered {
		hs.t.Fatalf("the client did not enter: %v", hs.client.Err())
	}
	for tick := int32(2); tick <= 8; tick += 2 {
		hs.snapshot(tick, nil)
		hs.run(40 * time.Millisecond)
	}
	if hs.client.State() != client.Playing || hs.client.Self() != hs.clientID() {
		hs.t.Fatalf("the client is in state %v with id %v: %v", hs.client.State(), hs.client.Self(), hs.client.Err())
	}
}

// announceMap sends MAP_CHANGE for smallMap, which change may alter, and answers requests for it
// unless the test does.
func (hs *hostileServer) announceMap(name string, change func(m *msg7.MapChange)) {
	file := smallMap()
	if hs.version == client.Version06 {
		hs.announceMap06(file)
		return
	}
	m := &msg7.MapChange{Name: []byte(name), CRC: int32(crc32.ChecksumIEEE(file)), Size: int32(len(file)), ChunksPerRequest: 8, ChunkSize: 1384}
	m.SHA256.Present, m.SHA256.Sum = true, sha256.Sum256(file)
	if hs.onMapRequest == nil {
		rest := file
		hs.onMapRequest = func(int32) {
			for n := 0; n < 8 && len(rest) > 0; n++ {
				size := min(1384, len(rest))
				hs.send(&msg7.MapData{Data: rest[:size]})
				rest = rest[size:]
			}
		}
	}
	if change != nil {
		change(m)
	}
	hs.send(m)
}

// announceMap06 is announceMap for any file, in 0.6.
func (hs *hostileServer) announceMap06(file []byte) {
	if hs.onMapRequest == nil {
		hs.onMapRequest = func(chunk int32) { hs.mapChunk06(file, chunk) }
	}
	hs.send(&msg6.MapChange{Name: []byte("yard"), CRC: int32(crc32.ChecksumIEEE(file)), Size: int32(len(file))})
}

// mapChunk06 sends a chunk of a file, if the file has one of that number.
func (hs *hostileServer) mapChunk06(file []byte, chunk int32) {
	if from := int(chunk) * msg6.MapChunkSize; from < len(file) {
		hs.mapData06(file, chunk, file[from:min(from+msg6.MapChunkSize, len(file))])
	}
}

// mapData06 sends data as a chunk of a file.
func (hs *hostileServer) mapData06(file []byte, chunk int32, data []byte) {
	hs.send(&msg6.MapData{CRC: int32(crc32.ChecksumIEEE(file)), Chunk: chunk, Data: data})
}

// smallMap returns the file of an embedded map.
func smallMap() []byte {
	m, _ := maps.Find("teeyard1")
	return m.Data
}

// clientID returns the client's id on the server.
func (hs *hostileServer) clientID() game.PlayerID {
	if hs.version == client.Version06 {
		return 3
	}
	return 0
}

// snapshot sends a snapshot of the client and of the items that fill adds. Its base is the empty
// snapshot.
func (hs *hostileServer) snapshot(tick int32, fill func(b *snapshot.Builder)) {
	var b snapshot.Builder
	if fill != nil {
		fill(&b)
	}
	sizes := snapshot.ItemSizes(msg7.Sizes)
	if hs.version == client.Version06 {
		sizes = snapshot.ItemSizes(msg6.Sizes)
		var info msg6.ClientInfo
		msg6.StrToInts(info.Name[:], []byte("me"))
		for _, o := range []msg6.Object{&msg6.GameInfo{RoundStartTick: tick}, &msg6.PlayerInfo{Local: 1, ClientID: 3}, &info} {
			o.PutInts(b.Add(o.ObjectType(), 3, o.ObjectSize()))
		}
	} else {
		info := b.Add(msg7.TypePlayerInfo, 0, msg7.SizePlayerInfo)
		info[1] = tick // makes snapshots differ
	}
	var s snapshot.Snapshot
	b.Finish(&s)
	delta, _ := snapshot.AppendDelta(nil, nil, &s, &sizes)
	hs.snapshotDelta(tick, -1, s.CRC(), delta)
}

// snapshotDelta sends a snapshot as its delta to the snapshot of tick base, -1 for the empty one.
// It allocates nothing.
func (hs *hostileServer) snapshotDelta(tick, base, crc int32, delta []byte) {
	n := snapshot.PartCount(len(delta))
	for i := range max(n, 1) {
		b := hs.buf[:0]
		switch v6 := hs.version == client.Version06; {
		case n == 0 && v6:
			b = (&msg6.SnapEmpty{Tick: tick, DeltaTick: tick - base}).Append(b)
		case n == 0:
			b = (&msg7.SnapEmpty{Tick: tick, DeltaTick: tick - base}).Append(b)
		case n == 1 && v6:
			b = (&msg6.SnapSingle{Tick: tick, DeltaTick: tick - base, CRC: crc, Data: delta}).Append(b)
		case n == 1:
			b = (&msg7.SnapSingle{Tick: tick, DeltaTick: tick - base, CRC: crc, Data: delta}).Append(b)
		case v6:
			b = (&msg6.Snap{Tick: tick, DeltaTick: tick - base, Parts: int32(n), Part: int32(i), CRC: crc, Data: snapshot.Part(delta, i)}).Append(b)
		default:
			b = (&msg7.Snap{Tick: tick, DeltaTick: tick - base, Parts: int32(n), Part: int32(i), CRC: crc, Data: snapshot.Part(delta, i)}).Append(b)
		}
		hs.queue(b, false)
		hs.buf = b
	}
}
