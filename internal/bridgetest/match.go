package bridgetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/ctf"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/mode/lts"
	"github.com/teeyard/teeyard/game/mode/race"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/huffman"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Version is a version of the bridge under test.
type Version struct {
	NewProtocol func() bridge.Protocol
	NewClient   func(id int, s bridge.Sender, h bridge.ServerMessageHandler) bridge.ClientSide
	// NewDemoClient makes a ClientSide that reads a demo.
	NewDemoClient func(h bridge.GameHandler) bridge.ClientSide
	// LoseView removes the parts of a server's view that this version's clients do not see. Parts
	// that no version carries have been removed before.
	LoseView func(v *game.View)
	// Effects returns the effects of a tick that clients see in snapshots.
	Effects func(f *game.Frame, events []game.Event) []game.Event
	// DiffEffects compares the effects that a client got with the expected ones.
	DiffEffects func(want, got []game.Event) string
	// ReceivedEvents returns the events that a client gets as messages for a server's event.
	// received is the event in the form that all versions share; its Kind is 0 for all other kinds.
	ReceivedEvents func(client int, ev *game.Event, received game.Event) []game.Event
	// IsMessage reports whether a client's event came as a message for an event of the server.
	IsMessage func(ev *game.Event) bool
}

// skins are skins that all versions have.
var skins = []game.Skin{
	newSkin("", 0x1b6f74, 0x1b759e, 0x1c873e),
	newSkin("toptri", 0x5d5fa3, 0x378daa, 0x586177),
	newSkin("warpaint", 0x1dad57, 0x0b7301, 0x1dad57),
}

func newSkin(marking string, body, hands, feet int32) game.Skin {
	return game.Skin{
		PartNames:       [...]string{"standard", marking, "", "standard", "standard", "standard"},
		UseCustomColors: [...]bool{true, false, false, true, true, false},
		PartColors:      [...]int32{body, 0, 0, hands, feet, 0},
	}
}

// Join returns the commands that bring a player into the game.
func Join(id game.PlayerID, p game.Profile) []game.Command {
	return []game.Command{
		{Kind: game.CmdJoin, Player: id, AddrHash: uint64(id)},
		{Kind: game.CmdProfile, Player: id, Profile: &p},
		{Kind: game.CmdEnterGame, Player: id},
	}
}

// NewWorld makes a world on a map. setRules, if not nil, changes the default rules.
func NewWorld(t testing.TB, mapName string, mode game.Mode, setRules func(*game.Rules), mods ...game.Mod) (*game.World, *physics.Collision) {
	t.Helper()
	file, _ := maps.Find(mapName)
	m, err := twmap.Parse(file.Data)
	if err != nil {
		t.Fatal(err)
	}
	layer := m.GameLayer()
	rules := game.DefaultRules()
	rules.MaxClients, rules.PlayerSlots = 64, 64
	if setRules != nil {
		setRules(&rules)
	}
	w, err := game.New(game.Config{
		Terrain: game.Terrain{Width: layer.Width, Height: layer.Height, Tiles: layer.Indices()},
		Mode:    mode, Mods: mods, Rules: rules, Seed: 7,
	})
	if err != nil {
		t.Fatal(err)
	}
	col, err := physics.NewCollision(layer.Width, layer.Height, layer.Indices())
	if err != nil {
		t.Fatal(err)
	}
	return w, col
}

// Match is a world of players who act at random, with their clients.
type Match struct {
	World    *game.World
	Protocol bridge.Protocol
	Clients  []*MatchClient
	Commands []game.Command // commands of the next tick
	// Demo is set by TestMatch. Its Client reads a demo of the match.
	Demo *Connection
	// OnStep, if not nil, is called after every step with its events.
	OnStep func(events []game.Event)

	t         testing.TB
	version   *Version
	collision *physics.Collision
	rand      *rand.Rand
	inputs    []game.Input
	effects   []game.Event
	triggered [game.MaxPlayers]int32 // events since the last snapshots
	builder   snapshot.Builder
	latency   [game.MaxPlayers]int32
}

// MatchClient is a client of a match.
type MatchClient struct {
	*Connection
	received, sent []game.Event // events sent as messages
	derived        int          // number of events that are not messages
}

// NewMatch makes a match.
func NewMatch(t testing.TB, version *Version, mapName string, mode game.Mode, players int, mods ...game.Mod) *Match {
	t.Helper()
	w, col := NewWorld(t, mapName, mode, func(r *game.Rules) { r.ScoreLimit, r.SpamProtection = 0, false }, mods...)
	m := &Match{
		World: w, Protocol: version.NewProtocol(), t: t, version: version, collision: col,
		rand: rand.New(rand.NewPCG(7, 1)), inputs: make([]game.Input, players),
	}
	for id := range players {
		m.latency[id] = int32(20 + id)
		c := &MatchClient{}
		c.Connection = Connect(t, m.Protocol, func(s bridge.Sender, h bridge.ServerMessageHandler) bridge.ClientSide {
			return version.NewClient(id, s, h)
		})
		c.ServerMessages.OnCall = func(call Call) {
			if ev, ok := call.Args[0].(game.Event); call.Method == "Event" && ok {
				if version.IsMessage(&ev) {
					c.received = append(c.received, ev)
				} else {
					c.derived++
				}
			}
		}
		c.Client.SetMap(col)
		c.Client.SendLogin("")
		p := profile(id)
		c.Client.SendProfile(&p)
		m.Clients = append(m.Clients, c)
		m.Commands = append(m.Commands, Join(game.PlayerID(id), p)...)
	}
	m.Step()
	return m
}

func profile(id int) game.Profile {
	return game.Profile{Name: fmt.Sprint("n ", id), Clan: "cl@n", Country: int32(id) - 1, Skin: skins[id%len(skins)]}
}

// Act adds random commands for all players. With inputsOnly it adds inputs only.
func (m *Match) Act(inputsOnly bool) {
	r := m.rand
	for i := range m.inputs {
		id, in := game.PlayerID(i), &m.inputs[i]
		if r.IntN(8) == 0 {
			*in = game.Input{
				Direction: int32(r.IntN(3) - 1), Jump: r.IntN(2) == 0, Hook: r.IntN(2) == 0, Fire: in.Fire, Flags: in.Flags,
				TargetX: int32(r.IntN(400) - 200), TargetY: int32(r.IntN(400) - 200), WantedWeapon: int32(r.IntN(6)),
			}
			if p, _ := m.World.Player(id); m.World.GameFlags()&game.GameFlagFlags != 0 {
				in.Direction = 1 - 2*int32(p.Team&1) // towards the other team's flag
			} else if m.World.GameFlags()&game.GameFlagRace != 0 {
				in.Direction = 1 // towards the start line
			}
		}
		if r.IntN(5) == 0 {
			in.Fire = (in.Fire + 1) & 63
		}
		if r.IntN(300) == 0 {
			in.Flags ^= game.PlayerFlagChatting
		}
		if action := r.IntN(2000); !inputsOnly {
			m.Commands = append(m.Commands, m.randomCommands(action, id)...)
		}
		m.Commands = append(m.Commands, game.Command{Kind: game.CmdDirectInput, Player: id, Input: *in})
	}
	for i := range m.inputs {
		m.Commands = append(m.Commands, game.Command{Kind: game.CmdInput, Player: game.PlayerID(i), Input: m.inputs[i]})
	}
}

// randomCommands returns the commands of an action. Most actions have none.
func (m *Match) randomCommands(action int, id game.PlayerID) []game.Command {
	r := m.rand
	anybody := game.PlayerID(r.IntN(len(m.inputs)))
	c := game.Command{Player: id, Target: game.Nobody}
	switch action {
	case 0:
		c.Kind, c.Team = game.CmdSetTeam, game.Team(r.IntN(2)-1)
	case 1:
		c.Kind, c.Chat, c.Text = game.CmdSay, game.ChatAll, "häy"
	case 2:
		c.Kind, c.Value = game.CmdEmoticon, int32(r.IntN(16))
	case 3:
		c.Kind, c.Profile = game.CmdSkinChange, &game.Profile{Skin: skins[r.IntN(len(skins))]}
	case 4:
		c.Kind, c.Text = game.CmdLeave, "bye"
		return append([]game.Command{c}, Join(id, profile(int(id)))...)
	case 5:
		c.Kind, c.Player, c.Value = game.CmdPause, game.Nobody, int32(r.IntN(2))
	case 6, 7, 8:
		c.Kind, c.Spectate, c.Target = game.CmdSpectate, game.SpectatePlayer, anybody
	case 9:
		c.Kind, c.Chat, c.Target, c.Text = game.CmdSay, game.ChatWhisper, anybody, "psst"
	default:
		return nil
	}
	return []game.Command{c}
}

// Step runs a tick with the commands and sends the messages.
func (m *Match) Step() {
	events := m.World.Step(m.Commands)
	m.Commands = m.Commands[:0]
	if m.OnStep != nil {
		m.OnStep(events)
	}
	m.Protocol.RecordTick(m.World, events)
	f := m.World.Frame()
	for i := range f.Characters {
		m.triggered[f.Characters[i].Player] |= f.Characters[i].TriggeredEvents
	}
	m.effects = append(m.effects, m.version.Effects(f, events)...)
	for i := range events {
		ev := &events[i]
		for id := range m.Clients {
			switch {
			case ev.Kind.IsEffect():
			case ev.Kind == game.EvPlayerEntered && int(ev.Player) == id:
				m.welcome(id, ev)
			case ev.To.Has(game.PlayerID(id)):
				m.Clients[id].Server.SendEvent(m.World, ev)
				m.addExpected(id, ev)
			}
		}
		if m.Demo != nil && !ev.Kind.IsEffect() && ev.To.IsPublic() {
			m.Demo.Server.SendEvent(m.World, ev)
		}
	}
}

// welcome sends the game and the other players to a new player.
func (m *Match) welcome(id int, ev *game.Event) {
	c := m.Clients[id]
	c.Client.Reset()
	c.Server.SendGameInfo(m.World)
	m.addExpected(id, &game.Event{Kind: game.EvGameInfo})
	for other := range m.Clients {
		if info, ok := m.World.Player(game.PlayerID(other)); ok && info.InGame && other != id {
			c.Server.SendClientInfo(m.World, info.ID, false, true)
			m.addExpected(id, &game.Event{Kind: game.EvPlayerEntered, Player: info.ID, Team: info.Team, Flag: true})
		}
	}
	c.Server.SendClientInfo(m.World, ev.Player, true, ev.Flag)
	m.addExpected(id, ev)
}

func (m *Match) addExpected(id int, ev *game.Event) {
	c := m.Clients[id]
	c.sent = append(c.sent, m.version.ReceivedEvents(id, ev, receivedEvent(ev))...)
}

// receivedEvent returns the event that a client gets for a server's event, in the form that all
// versions share. Kind is 0 for all other kinds.
func receivedEvent(ev *game.Event) game.Event {
	w := game.Event{Kind: ev.Kind, Player: game.Nobody, Target: game.Nobody}
	switch ev.Kind {
	case game.EvChat:
		w.Player, w.Target, w.Chat, w.Text = ev.Player, ev.Target, ev.Chat, ev.Text
	case game.EvKill:
		w.Player, w.Target, w.Weapon, w.Value = ev.Player, ev.Target, ev.Weapon, ev.Value
	case game.EvPickup:
		if ev.Weapon < 0 {
			w.Kind = 0 // clients get the event for weapons only
		}
		w.Player, w.Weapon, w.Pickup = ev.Player, ev.Weapon, ev.Pickup
	case game.EvEmoticon:
		w.Player, w.Value = ev.Player, ev.Value
	case game.EvBroadcast:
		w.Text = ev.Text
	case game.EvRaceFinish:
		w.Player, w.Value, w.Extra, w.Record = ev.Player, ev.Value, ev.Extra, ev.Record
	case game.EvTuneParams:
	case game.EvPlayerTuning:
		w.Kind = game.EvTuneParams
	default:
		w.Kind = 0
	}
	return w
}

// Snapshots builds a snapshot for each client and calls f with it. If there is a demo, it has the
// id -1.
func (m *Match) Snapshots(f func(id int, v *game.View, s *snapshot.Snapshot)) {
	var s snapshot.Snapshot
	m.Protocol.BeginSnapshots(m.World)
	for id, c := range m.Clients {
		v := m.World.View(game.PlayerID(id))
		c.Server.BuildSnapshot(&m.builder, &v, &m.latency)
		m.builder.Finish(&s)
		f(id, &v, &s)
	}
	if m.Demo != nil {
		v := m.World.View(game.Nobody)
		m.Demo.Server.BuildSnapshot(&m.builder, &v, &m.latency)
		m.builder.Finish(&s)
		f(int(game.Nobody), &v, &s)
	}
	m.Protocol.EndSnapshots()
	m.effects = m.effects[:0]
	clear(m.triggered[:])
}

// TestMatch plays matches. Every client must see and hear everything that the server's world has
// for its player, apart from the losses of the version. The reader of a demo must see and hear
// everything public.
func TestMatch(t *testing.T, version *Version) {
	seen := map[string]int{}
	compared := testenv.Amount(31, 19) // every so many snapshots, because it takes long
	if testenv.Full() {
		compared = 3
	}
	for _, match := range []struct {
		mapName string
		mode    game.Mode
		ticks   int
	}{{"teeyard1", dm.Mode{}, 1000}, {"testbox", ctf.Mode{}, 600}, {"testbox", lts.Mode{}, 400}, {"yardrun", new(race.Mode), 400}} {
		mapName := match.mapName + " " + match.mode.Name()
		m := NewMatch(t, version, match.mapName, match.mode, 12)
		m.recordDemo()
		for tick := range match.ticks {
			m.Act(false)
			m.Step()
			if tick%2 != 0 {
				continue
			}
			m.Snapshots(func(id int, v *game.View, s *snapshot.Snapshot) {
				c := m.client(id)
				got := c.ReceiveSnapshot(v.Tick, s)
				got.ShowAll = v.ShowAll // clients do not know it
				if (tick/2+id)%compared != 0 {
					return
				}
				if d := m.diffView(v, got); d != "" {
					t.Errorf("%s, tick %d, view of player %d (-server +client):\n%s", mapName, tick, id, d)
				}
				if d := m.diffEffects(v, c.Effects()); d != "" {
					t.Errorf("%s, tick %d, effects of player %d (-server +client):\n%s", mapName, tick, id, d)
				}
				m.checkPlayers(v, c)
				seen["characters"] += len(got.Characters)
				seen["projectiles"] += len(got.Projectiles)
				seen["lasers"] += len(got.Lasers)
				seen["pickups"] += len(got.Pickups)
				seen["flags"] += len(got.Flags)
				if got.Game.FlagCarrier[0] >= 0 || got.Game.FlagCarrier[1] >= 0 {
					seen["carriers"]++
				}
				seen["effects"] += len(c.Effects())
				for _, p := range got.Players {
					if p.RaceStart != 0 {
						seen["clocks"]++
					}
				}
				if got.VitalsOf != got.Viewer {
					seen["watching"]++
				}
			})
			if t.Failed() {
				return
			}
		}
		for id, c := range m.Clients {
			if d := gocmp.Diff(c.sent, c.received); d != "" {
				t.Fatalf("%s, events of player %d (-server +client):\n%s", mapName, id, d)
			}
			seen["events"] += len(c.received)
			seen["derived"] += c.derived
		}
	}
	for _, what := range []string{"characters", "projectiles", "lasers", "pickups", "flags", "carriers", "effects", "clocks", "watching", "events"} {
		if seen[what] == 0 {
			t.Errorf("the matches had no %s", what)
		}
	}
	t.Log(seen)
}

// recordDemo creates Demo.
func (m *Match) recordDemo() {
	m.Demo = new(Connection)
	pipe := &Pipe{T: m.t}
	m.Demo.Server, m.Demo.Client = m.Protocol.NewDemoSide(pipe), m.version.NewDemoClient(&m.Demo.ServerMessages)
	m.Demo.Client.SetMap(m.collision)
	pipe.To = m.Demo.Client
}

// client returns the client for an id that Snapshots passes.
func (m *Match) client(id int) bridge.ClientSide {
	if id < 0 {
		return m.Demo.Client
	}
	return m.Clients[id].Client
}

func (m *Match) diffView(v, got *game.View) string {
	want := m.loseView(v)
	for i := range want.Players {
		want.Players[i].Latency = m.latency[want.Players[i].ID]
	}
	if want.VitalsOf == v.Viewer {
		// The server updates the view's position one tick after a spawn.
		want.Pos = got.Pos
		for _, c := range v.Characters {
			if c.Player == v.Viewer && v.Sees(c.Pos) {
				want.Pos = c.Pos
			}
		}
	}
	return DiffViews(want, got)
}

// loseView removes the parts of a view that the version does not carry.
func (m *Match) loseView(v *game.View) *game.View {
	w := VisibleView(v)
	for i := range w.Characters {
		w.Characters[i].TriggeredEvents = m.triggered[w.Characters[i].Player]
	}
	m.version.LoseView(w)
	return w
}

func (m *Match) diffEffects(v *game.View, got []game.Event) string {
	var want []game.Event
	for _, e := range m.effects {
		e.Pos = point(int32(e.Pos.X), int32(e.Pos.Y))
		if (e.To.Has(v.Viewer) || v.ShowAll && e.To.IsPublic()) && v.Hears(e.Pos) {
			want = append(want, e)
		}
	}
	return m.version.DiffEffects(want, slices.Clone(got))
}

// checkPlayers compares a client's list of players with the world's.
func (m *Match) checkPlayers(v *game.View, c bridge.ClientSide) {
	m.t.Helper()
	for _, p := range m.loseView(v).Players {
		want, _ := m.World.Player(p.ID)
		got, ok := c.Player(p.ID)
		if !ok || got.Team != p.Team || got.Score != p.Score || gocmp.Diff(got.Profile, want.Profile) != "" {
			m.t.Errorf("player %d: %+v instead of %+v", p.ID, got, want)
		}
	}
}

// DrawGame returns a frame with a random state of a match.
func DrawGame(t *rapid.T) *game.Frame {
	tick := rapid.Int32Range(1, 1<<30)
	carrier := rapid.Int32Range(-3, 63)
	small := rapid.Int32Range(0, 1000)
	return &game.Frame{Tick: tick.Draw(t, "tick"), Game: game.GameState{
		Flags: game.GameFlags(rapid.IntRange(0, 15).Draw(t, "flags")), StartTick: tick.Draw(t, "start"),
		State: game.GameStateFlags(rapid.IntRange(0, 63).Draw(t, "state")), EndTick: rapid.OneOf(rapid.Just(int32(0)), tick).Draw(t, "end"),
		TeamScore:    [2]int32{small.Draw(t, "red") - 500, small.Draw(t, "blue") - 500},
		FlagCarrier:  [2]int32{carrier.Draw(t, "carrier"), carrier.Draw(t, "carrier")},
		FlagDropTick: [2]int32{tick.Draw(t, "drop"), tick.Draw(t, "drop")}, ScoreLimit: small.Draw(t, "score"),
		TimeLimit: small.Draw(t, "time"), MatchNum: small.Draw(t, "num"), MatchCurrent: small.Draw(t, "cur"),
	}}
}

// BenchmarkSnapshots builds a snapshot, its delta and the compressed form for each of 64 clients
// per operation.
func BenchmarkSnapshots(b *testing.B, version *Version) {
	m := NewMatch(b, version, "testbox", dm.Mode{}, 64)
	var snaps [2][64]snapshot.Snapshot
	var delta, packed []byte
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		b.StopTimer()
		m.Act(true)
		events := m.World.Step(m.Commands)
		m.Commands = m.Commands[:0]
		m.World.Frame()
		b.StartTimer()
		m.Protocol.RecordTick(m.World, events)
		m.Protocol.BeginSnapshots(m.World)
		for id, c := range m.Clients {
			v := m.World.View(game.PlayerID(id))
			c.Server.BuildSnapshot(&m.builder, &v, &m.latency)
			base, next := &snaps[n&1][id], &snaps[n&1^1][id]
			m.builder.Finish(next)
			delta, _ = snapshot.AppendDelta(delta[:0], base, next, c.Server.ItemSizes())
			packed = huffman.AppendCompress(packed[:0], delta)
		}
		m.Protocol.EndSnapshots()
	}
}
