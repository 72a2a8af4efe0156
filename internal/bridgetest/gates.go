package bridgetest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/schema"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// GateTest checks that a version of the bridge follows the table of gates in the schema.
type GateTest struct {
	Schema      string // "msg6" or "msg7"
	NewProtocol func() bridge.Protocol
	// LogIn returns the login messages of a client of a release.
	LogIn func(release int32) [][]byte
	// Decode decodes a message from the server.
	Decode func(payload []byte) (name string, message any, err error)
	// Objects returns the objects of a snapshot by name.
	Objects func(s *snapshot.Snapshot) map[string][]any
	// World is a world in which all gates matter. It has the players 0 and 1, and player 0 is in a
	// race.
	World *game.World
	// View, if not nil, changes the view of player 0.
	View func(v *game.View)
	// IsNew has a function for each name of a message that older clients get in another form. The
	// function reports whether a message needs the new form.
	IsNew map[string]func(message any) bool
	// NotSent has the reasons why the server never sends a message or object, or sends it only to
	// later releases.
	NotSent map[string]string
}

// sentTo holds the messages and objects that a client of a release gets.
type sentTo struct {
	messages map[string][]any // by the way of sending
	objects  map[string][]any
}

// collector collects the messages of a ServerSide.
type collector struct {
	bridge.ClientMessageHandler
	list [][]byte
}

func (c *collector) Queue(payload []byte, _ bool) { c.list = append(c.list, slices.Clone(payload)) }
func (c *collector) FlushSoon()                   {}

// Run tests releases on both sides of every gate, with every way of sending.
func (g *GateTest) Run(t *testing.T) {
	s, err := schema.Load(g.Schema)
	if err != nil {
		t.Fatal(err)
	}
	gates := s.Gates()
	if len(gates) == 0 {
		t.Fatal("there are no gates")
	}
	cache := map[int32]sentTo{}
	at := func(release int32) sentTo {
		if _, ok := cache[release]; !ok {
			cache[release] = g.send(t, release)
		}
		return cache[release]
	}
	used := map[string]bool{}
	for _, gate := range gates {
		name := gate.Name()
		if gate.Since != nil {
			if got := g.passing(gate, at(gate.Since.Release-1)); len(got) > 0 {
				t.Errorf("%s needs release %s, but an earlier client gets it: %v", name, gate.Since.Number, got)
			}
		}
		if gate.Until != nil {
			if got := g.passing(gate, at(gate.Until.Release)); len(got) > 0 {
				t.Errorf("%s is for clients before release %s, but a later client gets it: %v", name, gate.Until.Number, got)
			}
		}
		inside := int32(0)
		if gate.Since != nil {
			inside = gate.Since.Release
		}
		got := g.passing(gate, at(inside))
		why, declared := g.NotSent[name]
		used[name] = declared
		switch {
		case len(got) == 0 && !declared:
			t.Errorf("no call sends %s to clients of release %d", name, inside)
		case len(got) > 0 && declared:
			t.Errorf("clients of release %[2]d get %[1]s, but the declaration says: %[3]s", name, inside, why)
		}
	}
	for name := range g.NotSent {
		if !used[name] {
			t.Errorf("%s is declared, but it has no gate", name)
		}
	}
}

// passing returns the ways on which a gate's subject was sent.
func (g *GateTest) passing(gate *schema.Gate, sent sentTo) (ways []string) {
	for _, way := range slices.Sorted(maps.Keys(sent.messages)) {
		for _, m := range sent.messages[way] {
			passes := false
			switch {
			case gate.Older != nil:
				passes = isNamed(m, gate.Message.Go) && g.IsNew[gate.Message.Name](m)
			case gate.Message != nil:
				passes = isNamed(m, gate.Message.Go)
			case gate.Enum != nil:
				passes = hasValue(reflect.ValueOf(m), gate)
			}
			if passes {
				ways = append(ways, way)
			}
		}
	}
	for name, list := range sent.objects {
		for _, o := range list {
			if gate.Object != nil && gate.Object.Name == name || gate.Enum != nil && hasValue(reflect.ValueOf(o), gate) {
				ways = append(ways, "snapshot: "+name)
			}
		}
	}
	return ways
}

func isNamed(v any, name string) bool { return reflect.TypeOf(v).Elem().Name() == name }

// hasValue reports whether v has a field with the gate's enumeration value.
func hasValue(v reflect.Value, gate *schema.Gate) bool {
	v = reflect.Indirect(v)
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			if hasValue(v.Field(i), gate) {
				return true
			}
		}
		return false
	}
	if v.Type().Name() != gate.Enum.Name || !v.CanInt() {
		return false
	}
	if n := gate.Enum.Number(gate.Value); gate.Enum.Flags {
		return v.Int()&n != 0
	} else {
		return v.Int() == n
	}
}

// send makes every call of waysToSend for a client of a release, and returns the results.
func (g *GateTest) send(t *testing.T, release int32) sentTo {
	p, c := g.NewProtocol(), &collector{ClientMessageHandler: &ClientMessages{}}
	side, w := p.NewServerSide(c), g.World
	for _, m := range g.LogIn(release) {
		if err := side.Receive(m, true); err != nil {
			t.Fatal(err)
		}
	}
	p.RecordTick(w, nil)
	side.SendClientInfo(w, 0, true, false)
	sent := sentTo{messages: map[string][]any{}}
	take := func(way string) {
		for _, payload := range c.list {
			_, m, err := g.Decode(payload)
			if err != nil {
				t.Errorf("release %d: %s: %v", release, way, err)
				continue
			}
			sent.messages[way] = append(sent.messages[way], m)
		}
		c.list = c.list[:0]
	}
	take("joining")
	var latency [game.MaxPlayers]int32
	var b snapshot.Builder
	var snap snapshot.Snapshot
	p.BeginSnapshots(w)
	v := w.View(0)
	if g.View != nil {
		g.View(&v)
	}
	side.BuildSnapshot(&b, &v, &latency)
	b.Finish(&snap)
	sent.objects = g.Objects(&snap)
	take("snapshot")
	for _, way := range waysToSend(w, side) {
		way.send()
		take(way.name)
	}
	return sent
}

// wayToSend is a method call that sends messages.
type wayToSend struct {
	name string
	send func()
}

// waysToSend returns all calls that send messages, with every kind of event.
func waysToSend(w *game.World, s bridge.ServerSide) []wayToSend {
	m := &bridge.Map{Name: "m", File: make([]byte, 9), SHA256: [32]byte{1}, ChunksPerRequest: 1, URL: "https://example.com/m.map"}
	info := &bridge.ServerInfo{Name: "n", Map: "m", GameType: "race", PlayerSlots: 8, MaxClients: 8}
	command := &bridge.CommandInfo{Name: "rank", Help: "h"}
	ways := []wayToSend{
		{"map change", func() { s.SendMapChange(m) }}, {"map reload", func() { s.SendMapChange(m) }}, {"map data", func() { s.SendMapData(m, 0) }},
		{"con ready", s.SendConReady}, {"ready to enter", s.SendReadyToEnter},
		{"server info", func() { s.SendServerInfo(info) }}, {"motd", func() { s.SendMotd("m") }},
		{"client info", func() { s.SendClientInfo(w, 1, false, false) }}, {"game info", func() { s.SendGameInfo(w) }},
		{"chat command", func() { s.SendChatCommand(command) }}, {"chat command removed", func() { s.SendChatCommandRemoved("rank") }},
		{"settings", func() { s.SendSettings(w) }}, {"tuning", func() { s.SendTuning(w, 0) }},
		{"vote options cleared", s.SendVoteOptionsCleared}, {"vote options", func() { s.SendVoteOptions([]string{"a", "b"}) }},
		{"vote option", func() { s.SendVoteOption("c") }}, {"vote option removed", func() { s.SendVoteOptionRemoved("c") }},
		{"vote", func() { s.SendVote(&bridge.Vote{Kind: event.VoteKick, Timeout: 9, Description: "bob", Target: 1}) }},
		{"vote status", func() { s.SendVoteStatus(1, 0, 1, 2) }}, {"rcon type", func() { s.SendRconType(true) }},
		{"rcon auth", func() { s.SendRconAuthStatus(true) }}, {"rcon line", func() { s.SendRconLine("l") }},
		{"rcon command", func() { s.SendRconCommand(command) }}, {"rcon command removed", func() { s.SendRconCommandRemoved("rank") }},
		{"redirect", func() { s.SendRedirect(8304) }}, {"map list", func() { s.SendMapListEntry("m") }},
		{"map list removed", func() { s.SendMapListEntryRemoved("m") }}, {"input timing", func() { s.SendInputTiming(1, 2) }},
		{"other input", func() { s.SendOtherInput(1, 2, &game.Input{}) }},
		{"snapshot part", func() { s.SendSnapshotPart(snapshot.PartHeader{Tick: 2, BaseTick: 1}, 0, nil) }},
	}
	rules, tuning := w.Rules(), w.Tuning()
	event := func(name string, ev game.Event) {
		ev.To, ev.Rules, ev.Tuning, ev.Text = game.MaskAll, &rules, &tuning, "text"
		ways = append(ways, wayToSend{fmt.Sprintf("event %d %s", ev.Kind, name), func() { s.SendEvent(w, &ev) }})
	}
	for kind := game.EvPlayerEntered; !kind.IsEffect(); kind++ {
		ev := game.Event{Kind: kind, Player: 0, Target: 1, Team: game.TeamBlue, Weapon: game.WeaponGun, Value: 1, Extra: 20}
		switch kind {
		case game.EvChat:
			for mode := game.ChatAll; mode <= game.ChatWhisper; mode++ {
				ev.Chat = mode
				event(mode.String(), ev)
			}
			ev.Player, ev.Target = 1, 0
			event("whisper to it", ev)
		case game.EvKill, game.EvKillFeed:
			for killer := game.PlayerID(-3); killer <= 0; killer++ {
				ev.Player = killer
				event(fmt.Sprint("by ", killer), ev)
			}
		case game.EvGameMsg:
			for msg := game.GameMsgTeamSwap; msg <= game.GameMsgGamePaused; msg++ {
				ev.GameMsg = msg
				event(msg.String(), ev)
			}
		case game.EvStore: // for the server only, which holds the request
		default:
			event("", ev)
		}
	}
	return ways
}
