package server

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net/netip"
	"testing"
	"testing/fstest"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/transport"
)

// elder is a 0.6 client in an arena: DDNet's, or one that knows nothing of it.
type elder struct {
	a     *arena
	peer  transport.Peer
	name  string
	ddnet bool
	conn  conn.Conn
	dec   msg6.Decoder
	rand  *rand.Rand

	how            conn.Handshake
	dialled        conn.Time
	hello, playing bool
	challenge      int32 // the number to be echoed, -1 none
	offer          msg6.MapChange
	file           []byte
	maps           [][]byte // that arrived whole

	join   snapshot.PartAssembler
	store  *snapshot.Store
	next   snapshot.Snapshot
	tick   int32 // of the newest snapshot
	snaps  int
	names  map[int]string
	heard  []string
	input  msg6.PlayerInput
	faults int
	// onMessage, if set, sees every message.
	onMessage func(m msg6.Message)
}

// elder adds a 0.6 client; ip is the last byte of its address.
func (a *arena) elder(ip int, name string, how conn.Handshake, ddnet bool) *elder {
	a.t.Helper()
	e := &elder{a: a, name: name, ddnet: ddnet, tick: -1, challenge: -1, rand: rand.New(rand.NewPCG(uint64(ip), 6)),
		peer:  transport.UDPPeer(netip.AddrFrom4([4]byte{10, 0, 6, byte(ip)}), 50000),
		store: snapshot.NewStore(snapshot.StoreConfig{})}
	if err := e.conn.Init(conn.Config{Send: func(b []byte) { a.net.Send(e.peer, a.addr, b) }}); err != nil {
		a.t.Fatal(err)
	}
	e.dial(how)
	a.net.Handle(e.peer, func(now int64, _ transport.Peer, b []byte) {
		e.conn.Feed(conn.Time(now), b, e)
		e.conn.Flush(conn.Time(now))
	})
	a.net.Every(10*time.Millisecond, func(int64) { e.step() })
	return e
}

// dial asks for a seat.
func (e *elder) dial(how conn.Handshake) {
	e.conn.Reset()
	e.how, e.dialled, e.hello = how, e.a.now(), false
	if err := e.conn.Dial6(e.dialled, how, 0x11223344); err != nil {
		e.a.t.Fatal(err)
	}
}

func (e *elder) step() {
	now := e.a.now()
	e.conn.Update(now)
	if e.challenge < 0 && e.offer.Name == nil && now.Sub(e.dialled) > 3*time.Second {
		e.dial(e.how) // what could prove its address was lost; a player tries again
		return
	}
	if e.conn.State() != conn.StateOnline {
		return
	}
	if !e.hello {
		e.hello = true
		if e.ddnet {
			e.say(&msg6.ClientVer{Version: 16040, Text: []byte("DDNet 16.4")})
		}
		e.say(&msg6.Info{NetVersion: []byte(msg6.NetVersion)})
	}
	if e.snaps > 1 {
		if e.rand.IntN(10) == 0 {
			e.input.Direction, e.input.Jump = int32(e.rand.IntN(3)-1), int32(e.rand.IntN(2))
			e.input.TargetX, e.input.TargetY = int32(e.rand.IntN(200)-100), int32(e.rand.IntN(200)-100)
		}
		m := msg6.Input{AckTick: e.tick, IntendedTick: e.tick + 5}
		m.SetPlayer(&e.input)
		e.conn.Queue(now, m.Append(nil), false)
	}
	if e.challenge >= 0 && e.a.srv.sessionByPeer[e.peer] == nil {
		m := msg6.Input{AckTick: e.challenge, IntendedTick: e.challenge}
		m.SetPlayer(&e.input)
		e.conn.Queue(now, m.Append(nil), false)
	}
	e.conn.Flush(now)
}

func (e *elder) say(m msg6.Message) { e.conn.Queue(e.a.now(), m.Append(nil), true) }

// Chunk implements conn.Handler.
func (e *elder) Chunk(b []byte, vital bool) {
	m, err := e.dec.Decode(b)
	if err != nil {
		e.a.t.Errorf("%s: %x: %v", e.name, b, err)
		return
	}
	if e.onMessage != nil {
		e.onMessage(m)
	}
	switch m := m.(type) {
	case *msg6.MapChange:
		e.offer = *m
		e.offer.Name = append([]byte(nil), m.Name...)
		e.file, e.playing, e.tick, e.snaps = nil, false, -1, 0
		e.store.Clear()
		e.join.Reset()
		e.say(&msg6.RequestMapData{})
	case *msg6.MapData:
		if m.CRC != e.offer.CRC || int(m.Chunk) != len(e.file)/msg6.MapChunkSize || len(e.file)%msg6.MapChunkSize != 0 {
			return
		}
		if e.file = append(e.file, m.Data...); m.Last == 0 {
			e.say(&msg6.RequestMapData{Chunk: m.Chunk + 1})
			return
		}
		if crc := crc32.ChecksumIEEE(e.file); crc != uint32(e.offer.CRC) {
			e.a.t.Errorf("%s: the map has CRC %08x, not %08x", e.name, crc, uint32(e.offer.CRC))
		}
		e.maps = append(e.maps, e.file)
		e.say(&msg6.Ready{})
	case *msg6.ConReady:
		e.say(&msg6.ClStartInfo{Look: msg6.PlayerLook{Name: []byte(e.name), Clan: []byte("old"), Country: -1, Skin: []byte("default")}})
	case *msg6.SvReadyToEnter:
		e.say(&msg6.EnterGame{})
		e.playing = true
	case *msg6.SvChat:
		e.heard = append(e.heard, string(m.Message))
	case *msg6.SnapEmpty:
		e.take(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, Parts: 1}, 0, nil, true)
	case *msg6.SnapSingle:
		e.take(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, CRC: m.CRC, Parts: 1}, 0, m.Data, false)
	case *msg6.Snap:
		e.take(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, CRC: m.CRC, Parts: m.Parts}, m.Part, m.Data, false)
	}
}

// take puts a snapshot together and looks at it.
func (e *elder) take(h snapshot.PartHeader, part int32, data []byte, same bool) {
	if e.a.srv.sessionByPeer[e.peer] == nil {
		e.challenge = h.Tick
		return
	}
	if !e.playing {
		return // late, of the map before
	}
	delta, whole, err := e.join.Add(h, part, data)
	if err != nil || !whole {
		return
	}
	base := e.store.At(h.BaseTick)
	if h.BaseTick < 0 {
		base = new(snapshot.Snapshot)
	}
	if base == nil {
		return // will ask for a whole one by its ack
	}
	if same {
		e.next.CopyFrom(base)
	} else {
		sizes := snapshot.ItemSizes(msg6.Sizes)
		if err := snapshot.ApplyDelta(&e.next, base, delta, &sizes); err != nil || e.next.CRC() != h.CRC {
			e.a.t.Errorf("%s: snapshot of tick %d: %v, CRC %x, want %x", e.name, h.Tick, err, e.next.CRC(), h.CRC)
			return
		}
	}
	e.store.PurgeBefore(h.BaseTick)
	e.store.Add(h.Tick, 0, &e.next)
	e.tick = h.Tick
	e.snaps++
	e.look()
}

// look takes the names off the newest snapshot, and checks what clients rely on.
func (e *elder) look() {
	e.names = map[int]string{}
	game, local := false, 0
	for i := range e.next.Len() {
		key, ints := e.next.Item(i)
		switch key.Type() {
		case msg6.TypeGameInfo:
			game = true
		case msg6.TypePlayerInfo:
			var p msg6.PlayerInfo
			if p.ReadInts(ints) == nil && p.Local != 0 {
				local++
			}
		case msg6.TypeClientInfo:
			var c msg6.ClientInfo
			if c.ReadInts(ints) == nil {
				e.names[key.ID()] = string(msg6.AppendIntsToStr(nil, c.Name[:]))
			}
			if !e.ddnet && key.ID() >= msg6.MaxClientsVanilla {
				e.faults++
			}
		}
	}
	if !game || local != 1 {
		e.faults++
	}
}

// TestVersionsTogether: clients of all kinds play a while on a bad network, through a
// change of the map. Everybody gets a map that he can read, sees everybody, and hears
// what is said.
func TestVersionsTogether(t *testing.T) {
	bad := netsim.Link{Loss: 0.05, Duplicate: 0.03, Delay: 20 * time.Millisecond, Jitter: 40 * time.Millisecond}
	file := compressedMap(t)
	a := newArenaWith(t, bad, 11, func(c *Config) { c.Files = fstest.MapFS{"maps/new.map": {Data: file}} },
		"sv_spamprotection 0; sv_scorelimit 0; sv_inactivekick_time 0; sv_map new")
	elders := []*elder{
		a.elder(1, "ddnet", conn.HandshakeTKEN, true),
		a.elder(2, "sixfive", conn.HandshakeHeaderToken, false),
		a.elder(3, "vanilla", conn.HandshakePlain, false),
		a.elder(4, "tken", conn.HandshakeTKEN, false),
	}
	var young []*player
	for i := range 3 {
		p := a.join(1+i, fmt.Sprint("young", i))
		young = append(young, p)
		a.net.Every(20*time.Millisecond, func(int64) {
			if p.State() == client.Playing {
				p.wander()
			}
		})
	}
	all := len(elders) + len(young)
	together := func() bool {
		for _, e := range elders {
			if len(e.names) != all || e.snaps < 10 {
				return false
			}
		}
		for _, p := range young {
			if p.State() != client.Playing {
				return false
			}
		}
		return true
	}
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		for _, e := range elders {
			t.Logf("%s: %v %q, %d maps, %d snapshots, sees %v, drops %v", e.name, e.conn.State(), e.conn.Reason(), len(e.maps), e.snaps, e.names, e.conn.DropCounts())
		}
		t.Logf("the server: %v", a.srv.Drops())
	})
	a.until(time.Minute, "everybody", together)
	a.run(2 * time.Second)
	plain := a.srv.gameMap.mostCompatible()
	for _, e := range elders {
		if got := e.maps[len(e.maps)-1]; crc32.ChecksumIEEE(got) != plain.CRC {
			t.Errorf("%s has another map, of %d bytes", e.name, len(got))
		}
	}
	elders[0].say(&msg6.ClSay{Message: []byte("from an elder")})
	young[0].Send(a.now(), &msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("from a young one")})
	hears := func(heard []string, text string) bool {
		for _, h := range heard {
			if h == text {
				return true
			}
		}
		return false
	}
	a.until(5*time.Second, "what was said", func() bool {
		for _, e := range elders {
			if !hears(e.heard, "from an elder") || !hears(e.heard, "from a young one") {
				return false
			}
		}
		for _, p := range young {
			n := 0
			for _, lines := range p.heard {
				for _, text := range []string{"from an elder", "from a young one"} {
					if hears(lines, text) {
						n++
					}
				}
			}
			if n != 2 {
				return false
			}
		}
		return true
	})
	a.srv.Execute("sv_map teeyard1")
	a.run(time.Second)
	a.until(20*time.Second, "everybody on the next map", together)
	for _, e := range elders {
		if e.faults != 0 {
			t.Errorf("%s: %d snapshots would have confused it", e.name, e.faults)
		}
		if e.conn.State() != conn.StateOnline {
			t.Errorf("%s: %v, %q", e.name, e.conn.State(), e.conn.Reason())
		}
	}
	elders[2].conn.Close(a.now(), "")
	a.until(15*time.Second, "that one left", func() bool { return len(elders[0].names) == all-1 && len(young[0].infos) == all-1 })
}

// TestMapByChunks checks that a 0.6 client that asks for every chunk gets them ahead of
// its requests, and all again if it begins anew.
func TestMapByChunks(t *testing.T) {
	ts := newTestServer(t, nil)
	c := ts.connectAs(client06DDNet, ip(1))
	var got []int32
	last := 0
	c.OnMessage = func(m testclient.Message) {
		if m, ok := m.(*msg6.MapData); ok {
			got = append(got, m.Chunk)
			last += int(m.Last)
		}
	}
	c.Info()
	file := ts.srv.gameMap.mostCompatible().File
	all := (len(file) + msg6.MapChunkSize - 1) / msg6.MapChunkSize
	for round := 1; round <= 3; round++ {
		got = nil
		for i := range all {
			c.RequestMap(i)
			if i == 0 && len(got) < min(all, 5) {
				t.Errorf("round %d: %d of %d chunks after the first request", round, len(got), all)
			}
			if round == 2 && i == all/2 {
				break // it begins anew
			}
		}
		for i, n := range got {
			if int(n) != i {
				t.Fatalf("round %d: chunk %d comes as number %d", round, n, i)
			}
		}
		if len(got) != all || last != round {
			t.Errorf("round %d: %d of %d chunks, %d last ones", round, len(got), all, last)
		}
	}
	if s := ts.session(c.RequestMap(1 << 30).RequestMap(1<<30 - 1).Ready()); s == nil || s.state != stateReady {
		t.Errorf("session %+v", s)
	}
}
