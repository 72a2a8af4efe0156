package server

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/transport"
)

// newOld makes a 0.6 client that has a connection.
func (l *lab) newOld(peer transport.Peer) *old {
	l.tb.Helper()
	o, before := &old{l: l}, l.out
	l.out = func(to transport.Peer, b []byte) {
		if to == peer {
			o.in = append(o.in, bytes.Clone(b))
			return
		}
		before(to, b)
	}
	if err := o.conn.Init(conn.Config{Send: func(b []byte) { l.feed(peer, b) }}); err != nil {
		l.tb.Fatal(err)
	}
	o.redial()
	return o
}

// redial begins anew, as after a crash.
func (o *old) redial() {
	o.l.tb.Helper()
	o.conn.Reset()
	if err := o.conn.Dial6(o.l.now, conn.HandshakeTKEN, 0); err != nil {
		o.l.tb.Fatal(err)
	}
	o.read()
}

// enter goes all the way into the game, but for the tick that lets it in.
func (o *old) enter(name string) {
	o.say(&msg6.ClientVer{Version: 16040})
	o.say(&msg6.Info{NetVersion: []byte(msg6.NetVersion)})
	o.say(&msg6.Ready{})
	o.say(&msg6.ClStartInfo{Look: msg6.PlayerLook{Name: []byte(name), Skin: []byte("default")}})
	o.say(&msg6.EnterGame{})
}

// step lets ticks pass.
func (o *old) step(n int) {
	for range n {
		o.l.step(1)
		o.read()
		o.conn.Update(o.l.now)
	}
}

// TestAnewWithinATick: who is back before the next tick is another player for the
// others: the one before has left first, whatever both were doing.
func TestAnewWithinATick(t *testing.T) {
	l := newLab(t, nil)
	var logged [][]game.Command
	l.srv.cfg.Watch = func(*game.World, []game.Event) {
		logged = append(logged, append([]game.Command(nil), l.srv.pendingCommands...))
	}
	watcher := l.play(local(2), "watcher")
	var story []string
	watcher.onMessage = func(m msg7.Message) {
		switch m := m.(type) {
		case *msg7.SvClientInfo:
			story = append(story, "+"+string(m.Name))
		case *msg7.SvClientDrop:
			story = append(story, "-")
		}
	}
	o := l.newOld(local(1))
	o.enter("first")
	o.step(2)
	c := l.srv.sessionByPeer[local(1)]
	if c == nil || c.state != stateInGame {
		t.Fatal("did not get in")
	}
	for i := range 3 { // all within one tick
		o.redial()
		o.enter(fmt.Sprint("again ", i))
	}
	o.step(1)
	if c.state != stateReady {
		t.Errorf("state %v after the tick in which it left", c.state)
	}
	o.step(1) // READY was heard; what came too early after it is to be said again
	checkSeats(t, l.srv)
	o.say(&msg6.ClStartInfo{Look: msg6.PlayerLook{Name: []byte("last"), Skin: []byte("default")}})
	o.say(&msg6.EnterGame{})
	o.step(2)
	if got, want := fmt.Sprint(story), "[+first - +last]"; got != want {
		t.Errorf("the other saw %v, want %v", got, want)
	}
	if p, _ := l.srv.world.Player(c.id); p.Profile.Name != "last" || c.state != stateInGame {
		t.Errorf("%+v, state %v", p, c.state)
	}
	for _, cmds := range logged {
		for i, a := range cmds {
			for _, b := range cmds[i+1:] {
				if a.Kind == game.CmdLeave && b.Kind == game.CmdJoin && a.Player == b.Player {
					t.Errorf("seat %d is left and taken in one tick", a.Player)
				}
			}
		}
	}
	checkSeats(t, l.srv)
}

// TestAnewIsNotFree: to begin anew again and again is held to what connecting is held
// to, and gives nothing back that was used up.
func TestAnewIsNotFree(t *testing.T) {
	l := newLab(t, nil)
	o := l.newOld(ip(1))
	c := l.srv.sessionByPeer[ip(1)]
	tries := 0
	for ; tries < 200 && l.srv.sessionByPeer[ip(1)] != nil && !c.dropping; tries++ {
		o.redial()
	}
	if !c.dropping || tries > connectRate.burst {
		t.Errorf("began anew %d times at once, dropped %v", tries, c.dropping)
	}
	if l.srv.Drops()["stress"] == 0 {
		t.Errorf("drops %v", l.srv.Drops())
	}

	l = newLab(t, nil, "sv_rcon_max_tries 0")
	o = l.newOld(local(1))
	c = l.srv.sessionByPeer[local(1)]
	for range 3 * authRate.burst {
		o.say(&msg6.RconAuth{Password: []byte("guess")})
		o.redial()
	}
	if n := l.srv.Drops()["flood"]; n != uint64(2*authRate.burst) {
		t.Errorf("%d of %d passwords were not looked at", n, 3*authRate.burst)
	}
	if c.rcon.authed {
		t.Error("has rights")
	}
	o.say(&msg6.RconAuth{Password: []byte("adminpw")})
}

// TestAnewKeepsNoRights: an operator who begins anew has to log in again, and a vote
// on who does goes on.
func TestAnewKeepsNoRights(t *testing.T) {
	l := newLab(t, nil)
	o := l.newOld(local(1))
	o.enter("boss")
	o.step(2)
	o.say(&msg6.RconAuth{Password: []byte("adminpw")})
	c := l.srv.sessionByPeer[local(1)]
	if !c.rcon.authed {
		t.Fatal("no rights")
	}
	o.redial()
	if c.rcon.authed || c.state != stateAuth {
		t.Errorf("rights %v, state %v", c.rcon.authed, c.state)
	}
	o.say(&msg6.RconCmd{Command: []byte("say still here")})
	o.step(1)
	if strings.Contains(l.log.String(), "still here") {
		t.Error("was obeyed")
	}
}

// TestMapForEver: who asks for the same pieces of the map again and again does not get
// on, and has to go some time.
func TestMapForEver(t *testing.T) {
	l := newLab(t, nil)
	o := l.newOld(local(1))
	o.say(&msg6.Info{NetVersion: []byte(msg6.NetVersion)})
	began := l.now
	for l.srv.sessionByPeer[local(1)] != nil && l.now.Sub(began) < 2*joinPatience {
		for i := range 3 {
			o.say(&msg6.RequestMapData{Chunk: int32(i)})
		}
		l.now = l.now.Add(49 * tickDuration)
		o.step(1)
	}
	if got := l.now.Sub(began); got < joinPatience || got > joinPatience+5*time.Second {
		t.Errorf("gone after %v", got)
	}
	// Nor are there pieces beyond the end.
	p := l.newOld(local(2))
	p.say(&msg6.Info{NetVersion: []byte(msg6.NetVersion)})
	for _, chunk := range []int32{1<<31 - 1, 1<<31 - 2, 1 << 21, 1<<31 - 1} {
		p.say(&msg6.RequestMapData{Chunk: chunk})
	}
	c := l.srv.sessionByPeer[local(2)]
	if d := &c.download; d.nextChunk > len(d.file.File)/c.host.MapChunkSize()+1 || d.requested > len(d.file.File)/c.host.MapChunkSize()+1 {
		t.Errorf("at piece %d, %d asked for", d.nextChunk, d.requested)
	}
}
