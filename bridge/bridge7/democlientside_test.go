package bridge7

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/offline"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// demoHandler collects events.
type demoHandler struct {
	bridge.GameHandler
	events []string
}

func newDemoHandler(newSide func(bridge.GameHandler) bridge.ClientSide) (*demoHandler, bridge.ClientSide) {
	h := new(demoHandler)
	side := newSide(h)
	h.GameHandler = bridge.NewEventHandler(func() bridge.ClientSide { return side }, func(e event.Event) {
		h.events = append(h.events, eventText(e))
	})
	return h, side
}

func eventText(e event.Event) string { return fmt.Sprintf("%T%+v", e, e) }

// demoSnapshot returns a snapshot with the given objects, by id.
func demoSnapshot(objects map[int][]msg7.Object) *snapshot.Snapshot {
	var b snapshot.Builder
	for id, list := range objects {
		for _, o := range list {
			o.PutInts(b.Add(o.ObjectType(), id, o.ObjectSize()))
		}
	}
	s := new(snapshot.Snapshot)
	b.Finish(s)
	return s
}

func demoPlayer(name string, team msg7.Team, local bool) *msg7.DeClientInfo {
	o := &msg7.DeClientInfo{Local: local, Team: team, Country: 276}
	message.StrToInts(o.Name[:], []byte(name))
	message.StrToInts(o.Clan[:], []byte("yard"))
	for i := range o.SkinParts {
		message.StrToInts(o.SkinParts[i][:], nil)
	}
	message.StrToInts(o.SkinParts[0][:], []byte("kitty"))
	o.UseCustomColors[1], o.SkinColors[1] = true, 77
	return o
}

// TestDemoObjects reads the objects and messages that exist only in demos.
func TestDemoObjects(t *testing.T) {
	h, side := newDemoHandler(NewDemoClientSide)
	tuning := physics.DefaultTuning()
	tuning[1] = 1
	side.ReceiveSnapshot(10, demoSnapshot(map[int][]msg7.Object{
		0: {&msg7.DeGameInfo{GameFlags: msg7.GameFlagTeams, ScoreLimit: 20, TimeLimit: 5}, &msg7.DeTuneParams{Params: tuning}},
		3: {demoPlayer("alice\u202e", 1, true), &msg7.PlayerInfo{Score: 4}},
	}))
	if side.OwnID() != 3 || side.Tuning() != tuning || side.GameInfo().ScoreLimit != 20 || side.View().Game.TimeLimit != 5 {
		t.Errorf("own id %d, limits %+v", side.OwnID(), side.GameInfo())
	}
	alice, ok := side.Player(3)
	want := game.Profile{Name: "alice", Clan: "yard", Country: 276}
	want.Skin.PartNames[0] = "kitty"
	want.Skin.UseCustomColors[1], want.Skin.PartColors[1] = true, 77
	if !ok || alice.Team != game.TeamBlue || !reflect.DeepEqual(alice.Profile, want) {
		t.Errorf("%+v, %v", alice, ok)
	}
	if p := side.View().Players; len(p) != 1 || p[0].Team != game.TeamBlue || p[0].Score != 4 {
		t.Errorf("the view has %+v", p)
	}
	receive := func(m msg7.Message) {
		t.Helper()
		if err := side.Receive(append(m.Append(nil), 0, 0, 0), true); err != nil { // padded, as demos pad it
			t.Error(err)
		}
	}
	receive(&msg7.DeClientEnter{Name: []byte("bob"), ClientID: 5, Team: 0})
	receive(&msg7.SvKillMsg{Killer: 3, Victim: 5, Weapon: 1})
	side.ReceiveSnapshot(12, demoSnapshot(map[int][]msg7.Object{
		3: {demoPlayer("alice", 1, true), &msg7.PlayerInfo{}},
		5: {demoPlayer("bob", -1, false), &msg7.PlayerInfo{}},
	}))
	if side.Tuning() != physics.DefaultTuning() {
		t.Error("the tuning stays although its object is missing")
	}
	if bob, ok := side.Player(5); !ok || bob.Team != game.TeamSpectators || bob.Profile.Clan != "yard" {
		t.Errorf("%+v, %v", bob, ok)
	}
	receive(&msg7.DeClientLeave{Name: []byte("bob"), ClientID: 1 << 30, Reason: []byte("bye")}) // the huge id is the one that 0.7.5 servers write
	side.ReceiveSnapshot(14, demoSnapshot(map[int][]msg7.Object{5: {demoPlayer("carl", 0, false)}}))
	side.ReceiveSnapshot(15, demoSnapshot(map[int][]msg7.Object{5: {demoPlayer("carl", 0, false)}}))
	if _, ok := side.Player(3); ok {
		t.Error("a player without a snapshot item is in the game")
	}
	receive(&msg7.DeClientLeave{Name: []byte("?"), ClientID: -1})
	// Other recorders write the message after the snapshot that first shows the player.
	side.ReceiveSnapshot(16, demoSnapshot(map[int][]msg7.Object{6: {demoPlayer("dora", 1, false)}}))
	receive(&msg7.DeClientEnter{Name: []byte("dora"), ClientID: 6, Team: 1})
	receive(&msg7.DeClientLeave{Name: []byte("carl"), ClientID: 5})
	side.ReceiveSnapshot(18, demoSnapshot(map[int][]msg7.Object{6: {demoPlayer("dora", 1, false)}}))
	player := func(id game.PlayerID, name, clan string, team game.Team) event.Player {
		return event.Player{ID: id, Name: name, Clan: clan, Team: team}
	}
	inYard := func(e event.Joined) event.Joined {
		e.Country, e.Skin = want.Country, want.Skin
		return e
	}
	bob := player(5, "bob", "", game.TeamRed)
	var wantEvents []string
	for _, e := range []event.Event{
		inYard(event.Joined{Player: player(3, "alice", "yard", game.TeamBlue), Self: true, Quiet: true}),
		event.Joined{Player: bob},
		event.Kill{Killer: player(3, "alice", "yard", game.TeamBlue), Victim: bob, Weapon: game.WeaponGun},
		event.Left{Player: player(5, "bob", "yard", game.TeamSpectators), Reason: "bye"},
		inYard(event.Joined{Player: player(5, "carl", "yard", game.TeamRed), Quiet: true}),
		inYard(event.Joined{Player: player(6, "dora", "yard", game.TeamBlue)}),
		event.Left{Player: player(5, "carl", "yard", game.TeamRed)},
	} {
		wantEvents = append(wantEvents, eventText(e))
	}
	if !slices.Equal(h.events, wantEvents) {
		t.Errorf("%s,\nwant %s", strings.Join(h.events, "\n"), strings.Join(wantEvents, "\n"))
	}
}

// TestGameIgnoresDemoObjects checks that a client in a game ignores objects and messages that exist
// only in demos.
func TestGameIgnoresDemoObjects(t *testing.T) {
	h, side := newDemoHandler(func(h bridge.GameHandler) bridge.ClientSide {
		return NewClientSide(offline.Sender{}, offline.Handler(h))
	})
	side.ReceiveSnapshot(10, demoSnapshot(map[int][]msg7.Object{3: {demoPlayer("alice", 1, true)}}))
	side.Receive((&msg7.DeClientEnter{Name: []byte("bob"), ClientID: 5}).Append(nil), true)
	if _, ok := side.Player(3); ok || side.OwnID() != game.Nobody || !slices.Equal(h.events, nil) {
		t.Errorf("%q", h.events)
	}
}
