package server

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
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/netsim"
	"github.com/teeyard/teeyard/internal/testclient"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// TestVersionsTogether plays with clients of all kinds on a bad network, over a change
// of the map. Each gets a map that it can read, sees everybody and hears what is said.
func TestVersionsTogether(t *testing.T) {
	bad := netsim.Link{Loss: 0.05, Duplicate: 0.03, Delay: 20 * time.Millisecond, Jitter: 40 * time.Millisecond}
	tn := newTestNetworkWith(t, bad, 11, Config{Files: fstest.MapFS{"maps/new.map": {Data: compressedMap(t)}}},
		"sv_spamprotection 0; sv_scorelimit 0; sv_inactivekick_time 0; sv_map new")
	kinds := []client.SessionConfig{named(player06DDNet, "ddnet"), named(player06, "six"), named(player06Old, "old"), named(player07, "seven"), named(player07, "seven too")}
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
	tn.until(time.Minute, "all see each other", together)
	tn.run(2 * time.Second)
	for i, kind := range kinds {
		if got, want := crc32.ChecksumIEEE(maps[i]), tn.srv.gameMap.mostCompatible().CRC; kind.Version == client.Version06 && got != want {
			t.Errorf("%s has a map with CRC %08x, not %08x", kind.Name, got, want)
		}
	}
	tn.players[0].send(&msg6.ClSay{Message: []byte("from 0.6")})
	tn.players[3].send(&msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte("from 0.7")})
	tn.until(5*time.Second, "all hear both", func() bool {
		return !slices.ContainsFunc(tn.players, func(p *player) bool { return !p.heard("from 0.6") || !p.heard("from 0.7") })
	})
	tn.srv.Execute("sv_map teeyard1")
	tn.run(time.Second)
	tn.until(20*time.Second, "all are on the next map", together)
	for _, p := range tn.players {
		if s := p.Stats(); s.CRCFailures+s.BadDelta+s.BadMessage+s.UnknownMessages != 0 {
			t.Errorf("%s: %+v", p.name, s)
		}
	}
	tn.players[2].redial = false
	tn.players[2].Close(tn.now())
	tn.until(15*time.Second, "the others see it leave", func() bool {
		return len(tn.players[0].names()) == len(kinds)-1 && len(tn.players[3].names()) == len(kinds)-1
	})
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

// withoutLosses takes from what a viewer sees what the oldest of the protocols cannot carry, as
// the comment of package bridge6 lists it.
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

func find[T any](all []T, is func(*T) bool) (none T, ok bool) {
	for i := range all {
		if is(&all[i]) {
			return all[i], true
		}
	}
	return none, false
}

// both compares what two clients saw in a tick with each other, of all that the world
// had in the sight of both.
func both(t *testing.T, world *game.Frame, viewA, viewB, a, b *game.View, told game.PlayerFlags, seen map[string]int) {
	t.Helper()
	sees := func(x, y int32) bool {
		p := vec.Vec2{X: float32(x), Y: float32(y)}
		return viewA.Sees(p) && viewB.Sees(p)
	}
	same := func(what string, x, y any, okX, okY bool) {
		t.Helper()
		seen[what]++
		if d := cmp.Diff(x, y); !okX || !okY || d != "" {
			t.Errorf("tick %d, %s: seen %v and %v\n%s", world.Tick, what, okX, okY, d)
		}
	}
	for i := range world.Characters {
		w := &world.Characters[i]
		if !viewA.Sees(w.Pos) || !viewB.Sees(w.Pos) {
			continue
		}
		is := func(c *game.CharacterState) bool { return c.Player == w.Player }
		x, okX := find(a.Characters, is)
		y, okY := find(b.Characters, is)
		known := viewA.VitalsOf == w.Player && viewB.VitalsOf == w.Player
		same("tee", withoutLosses(x, known), withoutLosses(y, known), okX, okY)
		if known {
			same("health", [3]int32{withoutLosses(*w, true).Health, withoutLosses(*w, true).Armor, withoutLosses(*w, true).Ammo}, [3]int32{y.Health, y.Armor, y.Ammo}, okX, okY)
		}
	}
	for i := range world.Projectiles {
		w := &world.Projectiles[i]
		if viewA.Sees(w.Pos) && viewB.Sees(w.Pos) {
			is := func(p *game.ProjectileState) bool { return p.ID == w.ID }
			x, okX := find(a.Projectiles, is)
			y, okY := find(b.Projectiles, is)
			same("shot", x, y, okX, okY)
		}
	}
	for i := range world.Lasers {
		w := &world.Lasers[i]
		if viewA.Sees(w.Pos) && viewB.Sees(w.Pos) {
			is := func(l *game.LaserState) bool { return l.ID == w.ID }
			x, okX := find(a.Lasers, is)
			y, okY := find(b.Lasers, is)
			same("beam", x, y, okX, okY)
		}
	}
	for i := range world.Pickups {
		w := &world.Pickups[i]
		if sees(w.X, w.Y) {
			is := func(p *game.PickupState) bool { return p.ID == w.ID }
			x, okX := find(a.Pickups, is)
			y, okY := find(b.Pickups, is)
			same("pickup", x, y, okX, okY)
		}
	}
	for i := range world.Players {
		w := &world.Players[i]
		is := func(p *game.PlayerState) bool { return p.ID == w.ID }
		x, okX := find(a.Players, is)
		y, okY := find(b.Players, is)
		who := func(p *game.PlayerState) [4]int32 {
			return [4]int32{int32(p.Team), p.Score, p.Latency, int32(p.Flags & told)}
		}
		same("player", who(&x), who(&y), okX, okY)
		if w.Score != 0 {
			seen["score"]++
		}
	}
	if len(a.Players) != len(b.Players) || len(a.Players) != len(world.Players) {
		t.Errorf("tick %d: %d and %d players of %d", world.Tick, len(a.Players), len(b.Players), len(world.Players))
	}
	const state = game.StateSuddenDeath | game.StateGameOver
	where := func(g *game.GameState) [6]int32 {
		return [6]int32{g.StartTick, int32(g.State & state), g.ScoreLimit, g.TimeLimit, g.MatchNum, g.MatchCurrent}
	}
	same("match", where(&a.Game), where(&b.Game), true, true)
}

// TestVersionsSeeTheSameWorld checks that clients of all versions see the same world in
// the same tick, those who play and those who spectate them. It compares what both were
// sent, without what the protocols cannot carry; see withoutLosses.
func TestVersionsSeeTheSameWorld(t *testing.T) {
	link := netsim.Link{Loss: 0.03, Delay: 15 * time.Millisecond, Jitter: 20 * time.Millisecond}
	truth := map[int32]map[game.PlayerID]game.View{}
	record := ObserverFunc(func(tick *Tick) {
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
	tn := newTestNetworkWith(t, link, 3, Config{Observers: []Observer{record}}, "sv_map testbox; sv_scorelimit 3; sv_inactivekick_time 0; sv_warmup 0")
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
	m, err := twmap.Parse(tn.srv.gameMap.mostCompatible().File)
	if err != nil {
		t.Fatal(err)
	}
	collision, err := physics.NewCollision(m.GameLayer().Width, m.GameLayer().Height, m.GameLayer().Indices())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range tn.players {
		p.ClientSide().SetMap(collision)
	}
	for _, w := range watchers {
		w.command(game.Command{Kind: game.CmdSetTeam, Team: game.TeamSpectators})
	}
	tn.run(4 * time.Second)
	for i, w := range watchers {
		w.command(game.Command{Kind: game.CmdSpectate, Spectate: game.SpectatePlayer, Target: players[i%2].id()})
	}
	for _, p := range players {
		p.moveRandomly()
	}
	players[0].login("adminpw")
	tn.run(time.Second)
	clear(truth)
	tn.run(20 * time.Second)

	seen := map[string]int{}
	for i, j := range players[:2] {
		group := []*player{j}
		for k, e := range watchers {
			if k%2 == i {
				group = append(group, e)
			}
		}
		for x, left := range group {
			for _, right := range group[x+1:] {
				n, told := 0, game.PlayerFlagAdmin
				if strings.Contains(left.name+right.name, "old") {
					told = 0 // that somebody is an operator only DDNet's clients know
				}
				for tick, views := range truth {
					v, ok := left.views[tick]
					w, ok2 := right.views[tick]
					if !ok || !ok2 {
						continue
					}
					n++
					tv, tw := views[left.id()], views[right.id()]
					both(t, tv.Frame, &tv, &tw, &v, &w, told, seen)
					if t.Failed() {
						t.Fatalf("%s and %s", left.name, right.name)
					}
				}
				if n < 200 {
					t.Errorf("%s and %s saw %d ticks together", left.name, right.name, n)
				}
			}
		}
	}
	for _, what := range []string{"tee", "health", "shot", "pickup", "player", "score", "match"} {
		if seen[what] == 0 {
			t.Errorf("nobody saw any %s", what)
		}
	}
	t.Log(seen)
	for _, e := range tn.players[1:] {
		for _, p := range players {
			x, okX := tn.players[0].ClientSide().Player(p.id())
			y, okY := e.ClientSide().Player(p.id())
			if !okX || !okY || x.Profile.Name != y.Profile.Name || x.Profile.Clan != y.Profile.Clan || x.Profile.Country != y.Profile.Country || x.Team != y.Team {
				t.Errorf("%s takes %d for %+v, %s for %+v", tn.players[0].name, p.id(), x, e.name, y)
			}
		}
		if st := e.Stats(); st.CRCFailures+st.BadDelta+st.BadMessage+st.UnknownMessages != 0 {
			t.Errorf("%s: %+v", e.name, st)
		}
	}
}

// TestRecordedMatchOfAllVersionsReruns records a match of clients of all versions with
// what is done for them beside the game: looks, votes, whispers, rights and
// reconnecting. It has to rerun to the same worlds.
func TestRecordedMatchOfAllVersionsReruns(t *testing.T) {
	var s shelf
	tn := recorded(t, &s, 9, "add_vote \"a long match\" \"sv_scorelimit 70\"; sv_spamprotection 0; sv_inactivekick_time 0")
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
	players[3].do(func(c bridge.ClientSide) { c.SendCallVote(bridge.VoteOption, "a long match", "why not") })
	for _, p := range players[:3] {
		p.do(func(c bridge.ClientSide) { c.SendVote(1) })
	}
	if got := tn.srv.world.Rules().ScoreLimit; got != 70 {
		t.Errorf("the score limit is %d after the vote", got)
	}
	players[3].command(game.Command{Kind: game.CmdSetTeam, Team: game.TeamSpectators})
	players[2].command(game.Command{Kind: game.CmdKill})
	// One crashes and connects again from the same port.
	was := players[1].id()
	if err := players[1].Dial(tn.now()); err != nil {
		t.Fatal(err)
	}
	tn.until(2*time.Minute, "the one who crashed plays again", func() bool { return allPlay(players) && players[1].id() == was })
	players[0].redial = false
	players[0].Close(tn.now())
	tn.run(3 * time.Second)
	hash := tn.srv.world.Hash()
	tick := tn.srv.world.Tick()
	tn.srv.Shutdown(tn.now(), "")

	logs := s.logs()
	if len(logs) != 1 {
		t.Fatalf("%d logs", len(logs))
	}
	if res, _, _ := verifyLog(t, logs[0]); res.End != replay.EndShutdown || res.Ticks != tick || res.LastGoodTick != tick {
		t.Errorf("%+v; the world was at tick %d with hash %x", res, tick, hash)
	}
	r, err := replay.NewReader(bytes.NewReader(logs[0]))
	if err != nil {
		t.Fatal(err)
	}
	kinds, names := map[game.CommandKind]int{}, map[string]bool{}
	if _, err := replay.Verify(r, replay.VerifyConfig{Modes: BuiltinModes, OnTick: func(_ *game.World, tick *replay.Tick, _ []game.Event) {
		for _, c := range tick.Commands {
			if kinds[c.Kind]++; c.Kind == game.CmdProfile {
				names[c.Profile.Name] = true
			}
		}
	}}); err != nil {
		t.Fatal(err)
	}
	for _, k := range []game.CommandKind{
		game.CmdJoin, game.CmdProfile, game.CmdEnterGame, game.CmdLeave, game.CmdInput, game.CmdSay, game.CmdSkinChange, game.CmdTuneParams,
		game.CmdSetRules, game.CmdPlayerFlags, game.CmdSetTeam, game.CmdKill,
	} {
		if kinds[k] == 0 {
			t.Errorf("no command of kind %d in the log", k)
		}
	}
	if len(names) != len(players) {
		t.Errorf("%v are in the log", names)
	}
}
