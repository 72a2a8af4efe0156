package server_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// TestVersionsTogether plays with clients of all kinds on a bad network, over a change of the map.
// Each gets a map that it can read, sees all players and hears their chat.
func TestVersionsTogether(t *testing.T) {
	bad := servertest.Link{Loss: 0.05, Duplicate: 0.03, Delay: 20 * time.Millisecond, Jitter: 40 * time.Millisecond}
	tn := newTestNetworkWith(t, bad, 11, server.Config{Files: fstest.MapFS{"maps/new.map": {Data: server.CompressedMap()}}},
		"sv_spamprotection 0; sv_scorelimit 0; sv_inactivekick_time 0; sv_map new")
	kinds := []client.SessionConfig{named(player06DDNet, "ddnet"), named(player06, "six"), named(player06Old, "old"),
		named(player07, "seven"), named(player07, "seven too")}
	maps := make([][]byte, len(kinds)) // as they arrived last
	for i, kind := range kinds {
		kind.OnMap = func(_ string, file []byte) { maps[i] = file }
		p := tn.dial(1+i, kind)
		p.redial = true
		p.moveRandomly()
		if kind.Version == client.Version06 {
			p.onSnapshot = func(tick int32, s *snapshot.Snapshot) { checkSnapshot06(t, p.name, tick, s, kind.DDNetVersion < 0) }
		}
	}
	together := func() bool {
		return allPlay(tn.players) && !slices.ContainsFunc(tn.players, func(p *player) bool { return len(p.names()) != len(kinds) })
	}
	tn.WaitUntil(time.Minute, "all see each other", together)
	tn.Wait(2 * time.Second)
	for i, kind := range kinds {
		if got, want := crc32.ChecksumIEEE(maps[i]), crc32.ChecksumIEEE(tn.CompatibleFile()); kind.Version == client.Version06 && got != want {
			t.Errorf("%s has a map with CRC %08x, not %08x", kind.Name, got, want)
		}
	}
	tn.players[0].send(&msg6.ClSay{Message: []byte("from 0.6")})
	tn.players[3].send(&msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("from 0.7")})
	tn.WaitUntil(5*time.Second, "all hear both", func() bool {
		return !slices.ContainsFunc(tn.players, func(p *player) bool { return !p.heard("from 0.6") || !p.heard("from 0.7") })
	})
	tn.Execute("sv_map teeyard1")
	tn.Wait(time.Second)
	tn.WaitUntil(20*time.Second, "all are on the next map", together)
	checkStats(t, tn.players...)
	tn.players[2].redial = false
	tn.players[2].Close(tn.Now())
	tn.WaitUntil(15*time.Second, "the others see it leave", func() bool {
		return len(tn.players[0].names()) == len(kinds)-1 && len(tn.players[3].names()) == len(kinds)-1
	})
}

// TestModernMaps: newer clients get the map of the folder maps7, if it is the same for the game.
func TestModernMaps(t *testing.T) {
	file := server.CompressedMap()
	other := testenv.Must(twmap.WithSettings(file, []string{"tune gravity 1"})) // which are not those of the game
	layer := twmap.NewGameLayer(20, 20)
	layer.Set(3, 3, twmap.Spawn, 0)
	wrong := testenv.Must((&twmap.Map{Groups: []twmap.Group{twmap.NewGroup("Game", 100, 100, layer)}}).Bytes())
	for name, c := range map[string]struct{ modern, want []byte }{
		"other images": {other, other}, "other tiles": {wrong, file}, "no map": {[]byte("x"), file},
	} {
		cfg := server.Config{Files: fstest.MapFS{"maps/new.map": {Data: file}, "maps7/new.map": {Data: c.modern}}}
		tn := newTestNetworkWith(t, servertest.Link{}, 1, cfg, "sv_map new")
		got := map[client.Version][]byte{}
		for i, kind := range []client.SessionConfig{named(player06DDNet, "six"), named(player07, "seven")} {
			kind.OnMap = func(_ string, file []byte) { got[kind.Version] = file }
			tn.dial(1+i, kind)
		}
		tn.WaitUntil(time.Minute, "both play", func() bool { return allPlay(tn.players) })
		testenv.Check(t, bytes.Equal(got[client.Version07], c.want), "%s: a newer client has %d bytes", name, len(got[client.Version07]))
		testenv.Check(t, bytes.Equal(got[client.Version06], tn.CompatibleFile()), "%s: an older client has %d bytes", name, len(got[client.Version06]))
		warned := strings.Contains(tn.Log.String(), "maps7/new.map is not used")
		testenv.Check(t, warned == bytes.Equal(c.want, file), "%s: the log is %s", name, tn.Log.String())
	}
}

// checkSnapshot06 checks what 0.6 clients rely on: there is a game, one player is their
// own, and vanilla clients see no client id above 15.
func checkSnapshot06(t *testing.T, name string, tick int32, s *snapshot.Snapshot, vanilla bool) {
	games, own := 0, 0
	for i := range s.Len() {
		key, ints := s.Item(i)
		switch key.Type() {
		case msg6.TypeGameInfo:
			games++
		case msg6.TypePlayerInfo:
			var p msg6.PlayerInfo
			if p.ReadInts(ints) == nil && p.Local != 0 {
				own++
			}
		case msg6.TypeClientInfo:
			if vanilla && key.ID() >= msg6.MaxClientsVanilla {
				t.Errorf("%s, tick %d: client id %d", name, tick, key.ID())
			}
		}
	}
	if games != 1 || own != 1 {
		t.Errorf("%s, tick %d: %d game infos, %d own players", name, tick, games, own)
	}
}

// TestMapByChunks checks that a 0.6 client that asks for every chunk gets them ahead of
// its requests, all again if it begins anew, and none beyond the end.
func TestMapByChunks(t *testing.T) {
	ts := newTestServer(t, nil)
	c := ts.ConnectAs(client06DDNet, ip(1))
	var got []int32
	last := 0
	c.OnMessage = on(func(m *msg6.MapData) {
		got = append(got, m.Chunk)
		last += int(m.Last)
	})
	c.Info()
	file := ts.CompatibleFile()
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
	for _, beyond := range []int{1<<31 - 1, 1<<31 - 2, 1 << 21, 1<<31 - 1} {
		c.RequestMap(beyond)
	}
	c.Ready().StartInfo("player").EnterGame()
	ts.Step(2)
	if ts.State(c) != server.ClientInGame || slices.ContainsFunc(got, func(n int32) bool { return int(n) >= all }) {
		t.Errorf("chunks %d of %d, state %v", got, all, ts.State(c))
	}
}

// TestMapAfterReady checks that 0.6 clients get the map also after they said that they are ready,
// and while they play, without a pause.
func TestMapAfterReady(t *testing.T) {
	for _, playing := range []bool{false, true} {
		ts := newTestServer(t, nil)
		c := ts.ConnectAs(client06, ip(1))
		file := ts.CompatibleFile()
		got := make([]byte, 0, len(file))
		c.OnMessage = on(func(m *msg6.MapData) {
			if int(m.Chunk)*msg6.MapChunkSize == len(got) {
				got = append(got, m.Data...)
			}
		})
		c.Info().Ready()
		if playing {
			c.StartInfo("player").EnterGame()
			ts.Step(2)
		}
		for i := 0; i*msg6.MapChunkSize < len(file); i++ {
			c.RequestMap(i)
			before := c.Snapshots
			ts.Play(2, c, msg7.PlayerInput{})
			if playing && c.Snapshots != before+1 {
				t.Fatalf("%d snapshots in two ticks", c.Snapshots-before)
			}
		}
		if !bytes.Equal(got, file) {
			t.Errorf("playing %v: got %d of %d bytes", playing, len(got), len(file))
		}
		c.StartInfo("player").EnterGame()
		ts.Step(2)
		if ts.State(c) != server.ClientInGame {
			t.Errorf("playing %v: not in the game afterwards", playing)
		}
	}
}

// withoutLosses returns what the oldest of the protocols can carry of a character, as
// package bridge6 lists it.
func withoutLosses(c game.CharacterState, known bool) game.CharacterState {
	c.TriggeredEvents = 0
	c.Weapon = max(c.Weapon, 0)
	if c.Ammo = min(max(c.Ammo, 0), 10); c.Weapon == game.WeaponNinja {
		c.Ammo = 0
	}
	if !known {
		c.Health, c.Armor, c.Ammo = 0, 0, 0
	}
	return c
}

// viewComparison compares what two clients saw in a tick.
type viewComparison struct {
	t        *testing.T
	truth    [2]game.View   // what they were to see
	received [2]game.View   // what they saw
	compared map[string]int // what was compared, how often
}

func (c *viewComparison) same(what string, a, b any) {
	c.compared[what]++
	if d := cmp.Diff(a, b); a == nil || d != "" {
		c.t.Errorf("tick %d, %s:\n%s", c.truth[0].Tick, what, d)
	}
}

// compareObjects compares all objects of a type that the world has in the sight of both clients, or
// everywhere without pos. simplify returns the part that has to be the same.
func compareObjects[T any, ID comparable](c *viewComparison, what string, objects func(*game.Frame) []T,
	id func(*T) ID, pos func(*T) vec.Vec2, simplify func(T) any) {
	for _, want := range objects(c.truth[0].Frame) {
		if pos != nil && (!c.truth[0].Sees(pos(&want)) || !c.truth[1].Sees(pos(&want))) {
			continue
		}
		var got [2]any // nil if it was not received
		for i := range got {
			for _, o := range objects(c.received[i].Frame) {
				if id(&o) == id(&want) {
					got[i] = simplify(o)
				}
			}
		}
		c.same(what, got[0], got[1])
	}
}

// compare compares all that both protocols carry. Flags of players are compared if they
// are in flags.
func (c *viewComparison) compare(flags game.PlayerFlags) {
	known := func(id game.PlayerID) bool { return c.truth[0].VitalsOf == id && c.truth[1].VitalsOf == id }
	characterID, characterPos := func(o *game.CharacterState) game.PlayerID { return o.Player }, func(o *game.CharacterState) vec.Vec2 { return o.Pos }
	compareObjects(c, "tee", func(f *game.Frame) []game.CharacterState { return f.Characters }, characterID, characterPos,
		func(o game.CharacterState) any { return withoutLosses(o, known(o.Player)) })
	for _, o := range c.truth[0].Characters {
		if known(o.Player) {
			o = withoutLosses(o, true)
			for _, got := range c.received[1].Characters {
				if got.Player == o.Player {
					c.same("health", [3]int32{o.Health, o.Armor, o.Ammo}, [3]int32{got.Health, got.Armor, got.Ammo})
				}
			}
		}
	}
	compareObjects(c, "shot", func(f *game.Frame) []game.ProjectileState { return f.Projectiles },
		func(o *game.ProjectileState) int32 { return int32(o.ID) }, func(o *game.ProjectileState) vec.Vec2 { return o.Pos },
		func(o game.ProjectileState) any { return o })
	compareObjects(c, "beam", func(f *game.Frame) []game.LaserState { return f.Lasers },
		func(o *game.LaserState) int32 { return int32(o.ID) }, func(o *game.LaserState) vec.Vec2 { return o.Pos }, func(o game.LaserState) any { return o })
	compareObjects(c, "pickup", func(f *game.Frame) []game.PickupState { return f.Pickups }, func(o *game.PickupState) int32 { return int32(o.ID) },
		func(o *game.PickupState) vec.Vec2 { return vec.Vec2{X: float32(o.X), Y: float32(o.Y)} }, func(o game.PickupState) any { return o })
	compareObjects(c, "player", func(f *game.Frame) []game.PlayerState { return f.Players }, func(o *game.PlayerState) game.PlayerID { return o.ID }, nil,
		func(o game.PlayerState) any {
			if o.Score != 0 {
				c.compared["score"]++
			}
			return [4]int32{int32(o.Team), o.Score, o.Latency, int32(o.Flags & flags)}
		})
	match := func(v *game.View) any {
		g := v.Game
		return [7]int32{int32(len(v.Players)), g.StartTick, int32(g.State & (game.StateSuddenDeath | game.StateGameOver)),
			g.ScoreLimit, g.TimeLimit, g.MatchNum, g.MatchCurrent}
	}
	c.same("match", match(&c.received[0]), match(&c.received[1]))
	if n := len(c.truth[0].Players); len(c.received[0].Players) != n {
		c.t.Errorf("tick %d: %d players of %d", c.truth[0].Tick, len(c.received[0].Players), n)
	}
}

// TestVersionsSeeTheSameWorld checks that clients of all versions see the same world in
// the same tick, those who play and those who spectate them. It compares what both were
// sent, without what the protocols cannot carry; see withoutLosses.
func TestVersionsSeeTheSameWorld(t *testing.T) {
	testenv.OneGoroutine(t)
	testenv.Long(t)
	link := servertest.Link{Loss: 0.03, Delay: 15 * time.Millisecond, Jitter: 20 * time.Millisecond}
	truth := map[int32]map[game.PlayerID]game.View{}
	record := server.ObserverFunc(func(tick *server.Tick) {
		w := tick.World
		if w.Tick()%2 != 0 {
			return
		}
		views := map[game.PlayerID]game.View{}
		var frame *game.Frame
		for _, p := range w.Frame().Players {
			v := w.View(p.ID)
			if frame == nil {
				frame = copyView(&v).Frame
			}
			v.Frame = frame
			views[p.ID] = v
		}
		truth[w.Tick()] = views
	})
	tn := newTestNetworkWith(t, link, 3, server.Config{Observers: []server.Observer{record}},
		"sv_map testbox; sv_scorelimit 3; sv_inactivekick_time 0; sv_warmup 0")
	kinds := []client.SessionConfig{named(player07, "seven"), named(player06DDNet, "ddnet"), named(player06, "six"), named(player06Old, "old")}
	add := func(n int, cfg client.SessionConfig) *player {
		p := tn.dial(n, cfg)
		p.redial, p.views = true, map[int32]game.View{}
		return p
	}
	for i, kind := range kinds {
		add(1+i, kind)
	}
	tn.untilPlaying(tn.players...)
	players := tn.players
	for i, kind := range kinds {
		for j := range players[:2] { // one of each version is watched
			add(20+4*i+j, named(kind, fmt.Sprintf("%s at %d", kind.Name, j)))
		}
	}
	watchers := tn.players[len(players):]
	tn.untilPlaying(watchers...)
	m := testenv.Must(twmap.Parse(tn.CompatibleFile()))
	collision := testenv.Must(physics.NewCollision(m.GameLayer().Width, m.GameLayer().Height, m.GameLayer().Indices()))
	for _, p := range tn.players {
		p.ClientSide().SetMap(collision)
	}
	for _, w := range watchers {
		w.command(game.Command{Kind: game.CmdSetTeam, Team: game.TeamSpectators})
	}
	tn.Wait(4 * time.Second)
	for i, w := range watchers {
		w.command(game.Command{Kind: game.CmdSpectate, Spectate: game.SpectatePlayer, Target: players[i%2].id()})
	}
	for _, p := range players {
		p.moveRandomly()
	}
	players[0].login("adminpw")
	tn.Wait(time.Second)
	clear(truth)
	tn.Wait(testenv.Amount(10*time.Second, 20*time.Second))

	compared := map[string]int{}
	for i, p := range players[:2] {
		group := []*player{p}
		for k, w := range watchers {
			if k%2 == i {
				group = append(group, w)
			}
		}
		for k, left := range group {
			for _, right := range group[k+1:] {
				n, flags := 0, game.PlayerFlagAdmin
				if strings.Contains(left.name+right.name, "old") {
					flags = 0 // only DDNet's clients know of operators
				}
				for tick, views := range truth {
					a, okA := left.views[tick]
					b, okB := right.views[tick]
					if !okA || !okB {
						continue
					}
					n++
					c := viewComparison{t, [2]game.View{views[left.id()], views[right.id()]}, [2]game.View{a, b}, compared}
					if c.compare(flags); t.Failed() {
						t.Fatalf("%s and %s", left.name, right.name)
					}
				}
				if n < len(truth)*2/5 || n == 0 {
					t.Errorf("%s and %s saw %d of %d ticks together", left.name, right.name, n, len(truth))
				}
			}
		}
	}
	for _, what := range []string{"tee", "health", "shot", "pickup", "player", "score", "match"} {
		if compared[what] == 0 {
			t.Errorf("nobody saw any %s", what)
		}
	}
	t.Log(compared)
	checkStats(t, tn.players...)
	for _, e := range tn.players[1:] {
		for _, p := range players {
			x, okX := tn.players[0].ClientSide().Player(p.id())
			y, okY := e.ClientSide().Player(p.id())
			if !okX || !okY || x.Profile.Name != y.Profile.Name || x.Profile.Clan != y.Profile.Clan ||
				x.Profile.Country != y.Profile.Country || x.Team != y.Team {
				t.Errorf("%s takes %d for %+v, %s for %+v", tn.players[0].name, p.id(), x, e.name, y)
			}
		}
	}
}

// TestRecordedMatchOfAllVersionsReruns records a match of clients of all versions, with requests
// beside the game: looks, votes, whispers, rights and reconnecting. It has to rerun to the same
// worlds.
func TestRecordedMatchOfAllVersionsReruns(t *testing.T) {
	var s servertest.Folder
	tn := newRecordedNetwork(t, &s, 9, "add_vote \"a long match\" \"sv_scorelimit 70\"; sv_spamprotection 0; sv_inactivekick_time 0")
	for i, kind := range []client.SessionConfig{named(player07, "seven"), named(player06DDNet, "ddnet"), named(player06, "six"), named(player06Old, "old")} {
		p := tn.dial(1+i, kind)
		p.redial = true
		p.moveRandomly()
	}
	players := tn.players
	tn.untilPlaying(players...)
	players[1].do(func(c bridge.ClientSide) { c.SendRconAuth("", "adminpw") })
	players[1].do(func(c bridge.ClientSide) { c.SendRconCmd("tune hook_length 200; sv_scorelimit 5") })
	players[1].command(game.Command{Kind: game.CmdSay, Chat: game.ChatWhisper, Target: players[0].id(), Text: "psst"})
	var skin game.Skin
	skin.PartNames[0], skin.UseCustomColors[0], skin.PartColors[0] = "bear", true, 0x123456
	players[2].command(game.Command{Kind: game.CmdSkinChange, Profile: &game.Profile{Skin: skin}})
	players[3].do(func(c bridge.ClientSide) { c.SendCallVote(event.VoteOption, "a long match", "why not", false) })
	for _, p := range players[:3] {
		p.do(func(c bridge.ClientSide) { c.SendVote(1) })
	}
	if got := tn.World().Rules().ScoreLimit; got != 70 {
		t.Errorf("the score limit is %d after the vote", got)
	}
	players[2].command(game.Command{Kind: game.CmdKill})
	players[0].do(func(c bridge.ClientSide) { c.SendCallVote(event.VoteSpectate, fmt.Sprint(players[3].id()), "", false) })
	for _, p := range players[1:3] {
		p.do(func(c bridge.ClientSide) { c.SendVote(1) })
	}
	if teamOf(tn.Server, players[3].id()) != game.TeamSpectators {
		t.Error("the vote to spectate did not pass")
	}
	players[2].command(game.Command{Kind: game.CmdSetTeam, Team: game.TeamSpectators})
	// One crashes and connects again from the same port.
	was := players[1].id()
	testenv.NoError(t, players[1].Dial(tn.Now()))
	tn.WaitUntil(2*time.Minute, "the one who crashed plays again", func() bool { return allPlay(players) && players[1].id() == was })
	players[0].redial = false
	players[0].Close(tn.Now())
	tn.Wait(3 * time.Second)
	tn.Shutdown(tn.Now(), "")
	tick, hash := tn.World().Tick(), tn.World().Hash()

	log := verify(t, &s, 1)[0]
	if log.End != replay.EndShutdown || log.Ticks != tick || log.LastGoodTick != tick {
		t.Errorf("%+v; the world was at tick %d with hash %x", log.Result, tick, hash)
	}
	for _, k := range []game.CommandKind{
		game.CmdJoin, game.CmdProfile, game.CmdEnterGame, game.CmdLeave, game.CmdInput, game.CmdSay, game.CmdSkinChange, game.CmdTuneParams,
		game.CmdSetRules, game.CmdPlayerFlags, game.CmdSetTeam, game.CmdKill,
	} {
		if log.commands[k] == 0 {
			t.Errorf("no command of kind %d in the log", k)
		}
	}
	if len(log.names) != len(players) {
		t.Errorf("%v are in the log", log.names)
	}
}
