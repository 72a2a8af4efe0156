package server

import (
	"io"
	"log/slog"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/transport"
)

// acker is a 0.6 client that plays and acknowledges every snapshot, and costs
// nothing itself.
type acker struct {
	conn  conn.Conn
	tick  int32
	snaps int
	input msg6.Input
	buf   []byte
}

// Chunk implements conn.Handler.
func (a *acker) Chunk(b []byte, vital bool) {
	if vital {
		return
	}
	var u packer.Unpacker
	u.Reset(b)
	if id := u.Int(); id == 5<<1|1 || id == 6<<1|1 || id == 7<<1|1 { // SNAP, SNAPEMPTY, SNAPSINGLE
		a.tick = u.Int()
		a.snaps++
	}
}

// oldCrowd is a lab with that many such clients in the game, every second of them
// DDNet's.
func oldCrowd(tb testing.TB, n int) (l *lab, tick func(), players []*acker) {
	tb.Helper()
	l = newLab(tb, nil, "sv_inactivekick_time 0; sv_scorelimit 0; sv_gametype mod; tune explosion_strength 0")
	byPeer := map[transport.Peer]*acker{}
	l.out = func(to transport.Peer, b []byte) {
		if a := byPeer[to]; a != nil {
			a.conn.Feed(l.now, b, a)
		}
	}
	for i := range n {
		a, peer := &acker{tick: -1}, local(1000+i)
		byPeer[peer] = a
		players = append(players, a)
		if err := a.conn.Init(conn.Config{Send: func(b []byte) { l.srv.Feed(l.now, peer, b) }}); err != nil {
			tb.Fatal(err)
		}
		if err := a.conn.Dial6(l.now, conn.HandshakeHeaderToken, 7); err != nil {
			tb.Fatal(err)
		}
		if i%2 == 0 {
			a.conn.Queue(l.now, (&msg6.ClientVer{Version: 16040}).Append(nil), true)
		}
		for _, m := range []msg6.Message{
			&msg6.Info{NetVersion: []byte(msg6.NetVersion)}, &msg6.Ready{},
			&msg6.ClStartInfo{Look: msg6.PlayerLook{Name: []byte("player"), Skin: []byte("default")}}, &msg6.EnterGame{},
		} {
			a.conn.Queue(l.now, m.Append(nil), true)
			a.conn.Flush(l.now)
		}
	}
	l.step(2)
	t := 0
	tick = func() {
		t++
		for i, a := range players {
			a.input.AckTick, a.input.IntendedTick = a.tick, l.srv.clock.tick+1
			a.input.SetPlayer(&msg6.PlayerInput{
				Direction: int32((t/20+i)%3 - 1), Jump: int32((t/7 + i) % 2), Hook: int32((t/25 + i) % 2),
				TargetX: int32((t+i*37)%200 - 100), TargetY: -50,
			})
			a.buf = a.input.Append(a.buf[:0])
			a.conn.Queue(l.now, a.buf, false)
			a.conn.Flush(l.now)
		}
		l.step(1)
		for _, a := range players {
			a.conn.Update(l.now)
		}
	}
	l.srv.cfg.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	for range 400 {
		tick()
	}
	for i, a := range players {
		if c := l.srv.sessionByPeer[local(1000+i)]; c == nil || c.state != stateInGame || c.snaps.rate != rateFull || a.snaps < 100 {
			tb.Fatalf("client %d: %d snapshots, drops %v", i, a.snaps, l.srv.Drops())
		}
	}
	return l, tick, players
}

// A server full of older clients allocates nothing either.
func TestNoAllocationsForOldClients(t *testing.T) {
	testenv.RequireExactAllocs(t)
	_, tick, players := oldCrowd(t, 16)
	before := players[0].snaps
	if n := testing.AllocsPerRun(500, tick); n != 0 {
		t.Errorf("%v allocations per tick", n)
	}
	if got := players[0].snaps - before; got < 200 {
		t.Errorf("%d snapshots in 500 ticks", got)
	}
}

// BenchmarkTickOld is a tick of 16 older clients, what they do themselves included.
func BenchmarkTickOld(b *testing.B) {
	_, tick, _ := oldCrowd(b, 16)
	b.ReportAllocs()
	for b.Loop() {
		tick()
	}
}
