package bridge7

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// world is one with two players in it.
func world(t *testing.T) *game.World {
	t.Helper()
	box, _ := maps.Find("testbox")
	m, err := twmap.Parse(box.Data)
	if err != nil {
		t.Fatal(err)
	}
	layer := m.GameLayer()
	rules := game.DefaultRules()
	w, err := game.New(game.Config{
		Terrain: game.Terrain{Width: layer.Width, Height: layer.Height, Tiles: layer.Indices()},
		Mode:    dm.Mode{}, Rules: rules,
	})
	if err != nil {
		t.Fatal(err)
	}
	var cmds []game.Command
	for id, name := range []string{"alice", "bob"} {
		id := game.PlayerID(id)
		skin := game.Skin{PartNames: [6]string{"standard", "", "", "standard", "standard", "standard"}, PartColors: [6]int32{1, 2, 3, 4, 5, 6}, UseCustomColors: [6]bool{true}}
		cmds = append(cmds,
			game.Command{Kind: game.CmdJoin, Player: id},
			game.Command{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: name, Clan: "clan", Country: 276, Skin: skin}},
			game.Command{Kind: game.CmdEnterGame, Player: id})
	}
	w.Step(cmds)
	for range 100 {
		w.Step(nil)
	}
	return w
}

// TestAnnounce: what every event becomes, as a client decodes it.
func TestAnnounce(t *testing.T) {
	w := world(t)
	info := w.Frame().Game
	for _, c := range []struct {
		ev   game.Event
		want msg7.Message
		to   game.PlayerMask
	}{
		{game.Event{Kind: game.EvPlayerLeft, Player: 3, Text: "bye", To: game.MaskAll}, &msg7.SvClientDrop{ClientID: 3, Reason: []byte("bye")}, game.MaskAll},
		{game.Event{Kind: game.EvTeamChange, Player: 1, Team: game.TeamSpectators, Flag: true, Tick: 70, To: 5}, &msg7.SvTeam{ClientID: 1, Team: msg7.TeamSpectators, Silent: true, CooldownTick: 70}, 5},
		{game.Event{Kind: game.EvChat, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: "x", To: 1}, &msg7.SvChat{Mode: msg7.ChatAll, ClientID: -1, TargetID: -1, Message: []byte("x")}, 1},
		{game.Event{Kind: game.EvKill, Player: 0, Target: 1, Weapon: game.WeaponGrenade, Value: 2, To: 3}, &msg7.SvKillMsg{Killer: 0, Victim: 1, Weapon: msg7.WeaponGrenade, ModeSpecial: 2}, 3},
		{game.Event{Kind: game.EvKill, Player: -3, Target: 1, Weapon: game.WeaponLaser, To: 3}, &msg7.SvKillMsg{Killer: -2, Victim: 1, Weapon: msg7.WeaponLaser}, 3},
		{game.Event{Kind: game.EvPickup, Player: 1, Pickup: game.PickupLaser, Weapon: game.WeaponLaser, To: game.MaskOne(1)}, &msg7.SvWeaponPickup{Weapon: msg7.WeaponLaser}, 2},
		{game.Event{Kind: game.EvPickup, Player: 1, Pickup: game.PickupHealth, Weapon: game.WeaponWorld, To: game.MaskOne(1)}, nil, 0},
		{game.Event{Kind: game.EvEmoticon, Player: 1, Value: 7, To: 3}, &msg7.SvEmoticon{ClientID: 1, Emoticon: 7}, 3},
		{game.Event{Kind: game.EvSkinChange, Player: 0, To: 3}, &msg7.SvSkinChange{ClientID: 0, Skin: skin()}, 3},
		{game.Event{Kind: game.EvSkinChange, Player: 9, To: 3}, nil, 0},
		{game.Event{Kind: game.EvGameInfo, To: 3}, &msg7.SvGameInfo{ScoreLimit: 20, MatchNum: info.MatchNum, MatchCurrent: info.MatchCurrent}, 3},
		{game.Event{Kind: game.EvServerSettings, To: 3}, &msg7.SvServerSettings{KickVote: true, SpecVote: true, TeamBalance: true, PlayerSlots: 8}, 3},
		{game.Event{Kind: game.EvTuneParams, To: 3}, &msg7.SvTuneParams{Params: w.Tuning()}, 3},
		{game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgTeamSwap, To: 3}, &msg7.SvGameMsg{Kind: msg7.GameMsgTeamSwap}, 3},
		{game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgGamePaused, Player: 1, To: 3}, &msg7.SvGameMsg{Kind: msg7.GameMsgGamePaused, Params: [3]int32{1}}, 3},
		{game.Event{Kind: game.EvGameMsg, GameMsg: game.GameMsgCTFCapture, Value: 1, Player: 0, Extra: 99, To: 3}, &msg7.SvGameMsg{Kind: msg7.GameMsgCTFCapture, Params: [3]int32{1, 0, 99}}, 3},
		{game.Event{Kind: game.EvBroadcast, Text: "hear", To: 3}, &msg7.SvBroadcast{Message: []byte("hear")}, 3},
		{game.Event{Kind: game.EvRoundStart, To: 3}, nil, 0},
		{game.Event{Kind: game.EvSound, To: 3}, nil, 0},
	} {
		var a Announcer
		b, to := a.Event(w, &c.ev)
		if to != c.to {
			t.Errorf("event %d is for %x, want %x", c.ev.Kind, to, c.to)
		}
		if c.want == nil {
			if b != nil {
				t.Errorf("event %d becomes %x", c.ev.Kind, b)
			}
			continue
		}
		var d msg7.Decoder
		m, err := d.Decode(b)
		if err != nil {
			t.Errorf("event %d becomes %x: %v", c.ev.Kind, b, err)
			continue
		}
		if diff := cmp.Diff(c.want, m); diff != "" {
			t.Errorf("event %d: %s", c.ev.Kind, diff)
		}
	}
}

func skin() msg7.Skin {
	s := msg7.Skin{Colors: [6]int32{1, 2, 3, 4, 5, 6}, UseCustomColors: [6]bool{true}}
	for i, p := range []string{"standard", "", "", "standard", "standard", "standard"} {
		s.Parts[i] = []byte(p)
	}
	return s
}

// TestUp: what every message of a client becomes.
func TestUp(t *testing.T) {
	for _, c := range []struct {
		m    msg7.Message
		want game.Command
	}{
		{&msg7.ClSay{Mode: msg7.ChatWhisper, Target: 4, Message: []byte("psst")}, game.Command{Kind: game.CmdSay, Chat: game.ChatWhisper, Target: 4, Text: "psst"}},
		{&msg7.ClSetTeam{Team: msg7.TeamBlue}, game.Command{Kind: game.CmdSetTeam, Team: game.TeamBlue, Target: game.Nobody}},
		{&msg7.ClSetSpectatorMode{Mode: msg7.SpecPlayer, SpectatorID: 6}, game.Command{Kind: game.CmdSpectate, Spectate: game.SpectatePlayer, Target: 6}},
		{&msg7.ClKill{}, game.Command{Kind: game.CmdKill, Target: game.Nobody}},
		{&msg7.ClReadyChange{}, game.Command{Kind: game.CmdReady, Target: game.Nobody}},
		{&msg7.ClEmoticon{Emoticon: 3}, game.Command{Kind: game.CmdEmoticon, Value: 3, Target: game.Nobody}},
	} {
		c.want.Player = 2
		got, ok := Up(c.m, 2)
		if diff := cmp.Diff(c.want, got); !ok || diff != "" {
			t.Errorf("%T: %v %s", c.m, ok, diff)
		}
	}
	got, ok := Up(&msg7.ClStartInfo{Name: []byte("a name that is too löng"), Clan: []byte("kläääääääääään"), Country: 40, Skin: skin()}, 2)
	if !ok || got.Kind != game.CmdProfile || got.Profile.Name != "a name that is " || got.Profile.Clan != "klääää" || got.Profile.Skin.PartNames[3] != "standard" {
		t.Errorf("profile %+v", got.Profile)
	}
	if _, ok := Up(&msg7.SvMotd{}, 2); ok {
		t.Error("a server's message is a command")
	}
}

// TestScene: a snapshot shows what the frame has, to those who may see it.
func TestScene(t *testing.T) {
	w := world(t)
	// Bob shoots, Alice looks. A tee's first inputs do not shoot yet.
	for range 3 {
		w.Step([]game.Command{{Kind: game.CmdInput, Player: 1, Input: game.Input{TargetX: 100}}})
	}
	in := game.Input{TargetX: 100, Fire: 1}
	events := w.Step([]game.Command{{Kind: game.CmdDirectInput, Player: 1, Input: in}, {Kind: game.CmdInput, Player: 1, Input: in}})
	events = append(append([]game.Event(nil), events...),
		game.Event{Kind: game.EvSound, Sound: game.SoundHit, To: game.MaskOne(0), Pos: w.View(0).Pos},
		game.Event{Kind: game.EvDamage, Player: 1, Value: 1, Extra: 2, Angle: 3, To: game.MaskAll, Pos: w.View(1).Pos})
	var s Scene
	var b snapshot.Builder
	var snap snapshot.Snapshot
	var latency [game.MaxPlayers]int32
	latency[1] = 42
	s.Note(w.Frame(), events)
	s.Begin(w.Frame())
	build := func(id game.PlayerID) map[int]int {
		v := w.View(id)
		s.Build(&b, &v, &latency)
		b.Finish(&snap)
		n := map[int]int{}
		var d msg7.ObjectDecoder
		for i := range snap.Len() {
			key, ints := snap.Item(i)
			o, err := d.Decode(key.Type(), ints)
			if err != nil {
				t.Errorf("player %d: item %x: %v", id, key, err)
			}
			n[key.Type()]++
			switch o := o.(type) {
			case *msg7.Character:
				if own := key.ID() == int(id); own != (o.Health == 10) {
					t.Errorf("player %d is told that %d has %d health", id, key.ID(), o.Health)
				}
			case *msg7.PlayerInfo:
				if o.Latency != latency[key.ID()] {
					t.Errorf("latency of %d is %d", key.ID(), o.Latency)
				}
			case *msg7.EventDamage:
				if o.ClientID != 1 || o.Health != 1 || o.Armor != 2 || o.Angle != 3 || o.Self {
					t.Errorf("damage %+v", o)
				}
			}
		}
		return n
	}
	got := build(0)
	want := map[int]int{msg7.TypeGameData: 1, msg7.TypePlayerInfo: 2, msg7.TypeCharacter: 2, msg7.TypeEventDamage: 1}
	for typ, n := range want {
		if got[typ] != n {
			t.Errorf("%d of %s, want %d", got[typ], msg7.ObjectName(typ), n)
		}
	}
	if got[msg7.TypePickup] == 0 || got[msg7.TypeProjectile] == 0 {
		t.Errorf("no pickups or projectiles: %v", got)
	}
	if a, b := got[msg7.TypeEventSoundWorld], build(1)[msg7.TypeEventSoundWorld]; a != b+1 {
		t.Errorf("alice hears %d sounds, bob %d: the hit sound is hers alone", a, b)
	}
	s.Done()
	s.Begin(w.Frame())
	if n := build(0)[msg7.TypeEventDamage]; n != 0 {
		t.Error("an effect is shown twice")
	}
}

// TestSceneDoesNotAllocate: not even when there is something of everything to see.
func TestSceneDoesNotAllocate(t *testing.T) {
	testenv.RequireExactAllocs(t)
	w := world(t)
	var events []game.Event
	for k := game.EvExplosion; k <= game.EvDamage; k++ {
		events = append(events, game.Event{Kind: k, To: game.MaskAll, Pos: w.View(0).Pos})
	}
	var s Scene
	var b snapshot.Builder
	var latency [game.MaxPlayers]int32
	round := func() {
		s.Note(w.Frame(), events)
		s.Begin(w.Frame())
		v := w.View(0)
		s.Build(&b, &v, &latency)
		s.Done()
	}
	round()
	if n := testing.AllocsPerRun(100, round); n != 0 {
		t.Errorf("%v allocations a round", n)
	}
}
