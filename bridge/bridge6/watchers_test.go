package bridge6

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/mode/race"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// TestSpectatorsAreCounted checks the number of spectators and the camera of a player, as DDNet's
// clients get them from 18.9 on.
func TestSpectatorsAreCounted(t *testing.T) {
	w := newWorld(t, dm.Mode{}, "alice", "bob", "carol")
	p := NewProtocol()
	alice, _ := newServerSide(t, p, w, 0, 20010)
	bob, _ := newServerSide(t, p, w, 1, 20010)
	carol, _ := newServerSide(t, p, w, 2, 16040)
	v := &viewer{t: t, world: w}
	receive(t, alice, &msg6.ClCameraInfo{Zoom: 1500, Deadzone: 300, FollowFactor: 60})
	receive(t, alice, &msg6.ClEnableSpectatorCount{Enable: true})
	receive(t, bob, &msg6.ClEnableSpectatorCount{Enable: true})
	tee := w.Frame().Characters[0]
	show := func() (ofAlice, ofBob, ofCarol snapshotItems) {
		p.RecordTick(w, nil)
		p.BeginSnapshots(w)
		defer p.EndSnapshots()
		return v.items(alice, 0), v.items(bob, 1), v.items(carol, 2)
	}
	check := func(what string, want int32) {
		t.Helper()
		a, b, c := show()
		info := getItem[msg6.DDNetSpectatorInfo](a, wireTypeDDNetSpectatorInfo, 0)
		camera := msg6.DDNetSpectatorInfo{HasCameraInfo: 1, Zoom: 1500, Deadzone: 300, FollowFactor: 60, SpectatorCount: want}
		testenv.Check(t, info == camera, "%s: %+v", what, info)
		testenv.Check(t, getItem[msg6.SpectatorCount](a, wireTypeSpectatorCount, 0).NumSpectators == want, "%s: another number", what)
		testenv.Check(t, b.countType(wireTypeSpectatorCount) == 0 || want == 0, "%s: a spectator has spectators", what)
		unknown := c.countType(wireTypeDDNetSpectatorInfo) + c.countType(wireTypeSpectatorCount)
		testenv.Check(t, unknown == 0, "%s: 16.4 gets items that it does not know", what)
	}
	check("all play", 0)

	f := w.Frame()
	of := func(id game.PlayerID) *game.PlayerState {
		for i := range f.Players {
			if f.Players[i].ID == id {
				return &f.Players[i]
			}
		}
		t.Fatal("no such player")
		return nil
	}
	of(1).Spectating, of(1).SpecMode, of(1).SpectatorID = true, game.SpectatePlayer, 0
	check("bob follows", 1)
	_, b, _ := show()
	info := getItem[msg6.DDNetSpectatorInfo](b, wireTypeDDNetSpectatorInfo, 1)
	testenv.Check(t, info == (msg6.DDNetSpectatorInfo{HasCameraInfo: 1, Zoom: 1500, Deadzone: 300, FollowFactor: 60}), "bob's view: %+v", info)

	c := of(2)
	c.Spectating, c.SpecMode, c.SpectatorID = true, game.SpectateFree, game.Nobody
	c.ViewX, c.ViewY = tee.X+479, tee.Y-347
	check("carol is near", 2)
	c.ViewX = tee.X + 481
	check("carol is far", 1)
	receive(t, carol, &msg6.ClShowDistance{X: 2000, Y: 1400})
	check("carol sees more", 2)
	c.AFK = true
	check("carol is away", 1)
	receive(t, bob, &msg6.ClEnableSpectatorCount{})
	check("bob does not count", 0)

	receive(t, alice, &msg6.ClEnableSpectatorCount{})
	a, _, _ := show()
	testenv.Check(t, a.countType(wireTypeSpectatorCount) == 0, "a client gets a number that it does not want")
	p.RecordTick(w, []game.Event{{Kind: game.EvPlayerLeft, Player: 0}})
	testenv.Check(t, p.snapshot.watchers[0] == watcher{}, "the camera of a player who left is kept")
}

// TestBestTimeInSnapshots checks that later clients get the best time in snapshots, in place of a
// message.
func TestBestTimeInSnapshots(t *testing.T) {
	p := NewProtocol()
	noRace := newWorld(t, dm.Mode{}, "alice", "bob")
	before, sent := newServerSide(t, p, noRace, 0, 19060)
	after, sentLater := newServerSide(t, p, noRace, 1, 19070)
	w := newWorld(t, &race.Mode{}, "alice", "bob")
	v := &viewer{t: t, world: w}
	for best, want := range map[int32]msg6.MapBestTime{0: {Seconds: -1}, 61_042: {Seconds: 61, Millis: 42}} {
		w.Frame().Game.Race.BestTime = best
		p.BeginSnapshots(w)
		a, b := v.items(before, 0), v.items(after, 1)
		testenv.Check(t, a.countType(wireTypeMapBestTime) == 0, "19.6 gets an item that it does not know")
		got := getItem[msg6.MapBestTime](b, wireTypeMapBestTime, 0)
		testenv.Check(t, got == want, "%+v, want %+v", got, want)
		p.EndSnapshots()
	}
	sent.takeSent()
	sentLater.takeSent()
	before.sendRecords(w)
	after.sendRecords(w)
	testenv.Check(t, len(sent.takeSent()) == 1 && len(sentLater.takeSent()) == 0, "the message goes to the wrong clients")
}
