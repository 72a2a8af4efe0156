package game_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/mode/lms"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// vampire is a mod that heals attackers and prevents self-inflicted damage.
type vampire struct{}

func (vampire) Start(*game.Setup) {}

func (vampire) OnDamage(ctx *game.Ctx, d *game.Damage) {
	if d.Attacker == d.Victim {
		ctx.Cancel()
	}
}

func (vampire) OnDamageTaken(ctx *game.Ctx, d *game.Damage) {
	if d.Attacker != d.Victim {
		ctx.Player(d.Attacker).Heal(d.HealthLost)
	}
}

// A mod implements the hooks it needs and is passed to the world in addition to the
// mode.
func Example_mod() {
	w, err := game.New(game.Config{
		Terrain: bots.ParseMap(
			"##############",
			"#  S      S  #",
			"##############",
		),
		Mode:  dm.Mode{},
		Mods:  []game.Mod{vampire{}},
		Rules: game.DefaultRules(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Step(append(bots.Join(0), bots.Join(1)...))
	for range 100 {
		w.Step(nil)
	}
	// Player 0 shoots, then player 1.
	in := [2]game.Input{{TargetX: 100}, {TargetX: -100}}
	for i := range 60 {
		var cmds []game.Command
		for id := range game.PlayerID(2) {
			if i%10 == 4 && (id == 1) == (i >= 40) {
				in[id].Fire++
			}
			cmds = append(cmds,
				game.Command{Kind: game.CmdDirectInput, Player: id, Input: in[id]},
				game.Command{Kind: game.CmdInput, Player: id, Input: in[id]})
		}
		w.Step(cmds)
		if i%20 == 19 {
			for _, c := range w.Frame().Characters {
				fmt.Printf("%d has %d. ", c.Player, c.Health)
			}
			fmt.Println("Tick", w.Tick())
		}
	}
	// Output:
	// 0 has 10. 1 has 9. Tick 121
	// 0 has 10. 1 has 8. Tick 141
	// 0 has 9. 1 has 9. Tick 161
}

func TestCancelledDamageKeepsThePush(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8), Mods: []game.Mod{armed(), vampire{}}})
	w.enter(0)
	w.selectWeapon(0, game.WeaponGrenade, 0, 100)
	evs := w.shoot(0, 0, 100, 6)
	testenv.Require(t, len(eventsOf(evs, game.EvExplosion)) == 1 && len(eventsOf(evs, game.EvDamage)) == 0, "events %+v", evs)
	testenv.Check(t, w.char(0).VelY < 0, "not thrown upwards")
}

// hookLog is a mod that logs its calls.
type hookLog struct {
	name   string
	log    *[]string
	cancel bool
	kept   *game.Ctx
}

func (o *hookLog) Start(*game.Setup) { *o.log = append(*o.log, o.name+" start") }
func (o *hookLog) OnChat(ctx *game.Ctx, c *game.ChatMessage) {
	*o.log = append(*o.log, o.name+" "+c.Text)
	c.Text += o.name
	o.kept = ctx
	if o.cancel {
		ctx.Cancel()
	}
}

func TestModsAreAskedInOrderUntilOneCancels(t *testing.T) {
	var log []string
	a, b, c := &hookLog{name: "a", log: &log}, &hookLog{name: "b", log: &log}, &hookLog{name: "c", log: &log}
	w := newWorld(t, game.Config{Mods: []game.Mod{a, b, c}})
	w.enter(0)
	if evs := w.chatEvents(say(0, "-")); len(evs) != 1 || evs[0].Text != "-abc" {
		t.Errorf("heard %+v", evs)
	}
	b.cancel = true
	w.steps(100)
	if evs := w.chatEvents(say(0, "+")); len(evs) != 0 {
		t.Errorf("heard %+v", evs)
	}
	want := "[a start b start c start a - b -a c -ab a + b +a]"
	if got := fmt.Sprint(log); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a context can be used after the call")
		}
	}()
	a.kept.Tick()
}

// thorns damages every attacker. Without a limit it would recurse forever.
type thorns struct{ depth, deepest int }

func (*thorns) Start(*game.Setup) {}
func (m *thorns) OnDamageTaken(ctx *game.Ctx, d *game.Damage) {
	m.depth++
	m.deepest = max(m.deepest, m.depth)
	ctx.Player(d.Attacker).TakeDamage(game.Damage{Attacker: d.Victim, Weapon: d.Weapon, Amount: 0})
	m.depth--
}

func TestHooksThatNestForEverAreStopped(t *testing.T) {
	m := &thorns{}
	w := newWorld(t, game.Config{Terrain: twoTeesMap(3), Mods: []game.Mod{m}})
	w.enter(0, 1)
	w.selectWeapon(0, game.WeaponGun, 100, 0)
	w.shoot(0, 100, 0, 10)
	testenv.Check(t, m.deepest == 16, "%d deep", m.deepest)
}

// flagMode is a mode with flags that uses only the public API.
type flagMode struct{ returned int }

func (*flagMode) Name() string          { return "GRAB" }
func (*flagMode) Flags() game.GameFlags { return game.GameFlagTeams | game.GameFlagFlags }
func (*flagMode) Start(*game.Setup)     {}
func (*flagMode) OnEntity(ctx *game.Ctx, tile uint8, pos vec.Vec2) {
	if tile == 195 || tile == 196 {
		ctx.Flag(game.Team(tile - 195)).Place(pos)
		ctx.Cancel()
	}
}
func (g *flagMode) OnFlagReturn(*game.Ctx, game.Team) { g.returned++ }
func (*flagMode) OnTick(ctx *game.Ctx) {
	for _, team := range []game.Team{game.TeamRed, game.TeamBlue} {
		f, ok := ctx.Flag(team).Info()
		if !ok || f.Carrier != game.Nobody {
			continue
		}
		for p := range ctx.PlayersNear(f.Pos, 14) {
			if p.Team() != team && !ctx.Map().WallBetween(f.Pos, p.Pos()) {
				ctx.Flag(team).Grab(p.ID())
				ctx.Match().AddTeamScore(team^1, 1)
				break
			}
		}
	}
}

func TestFlags(t *testing.T) {
	g := &flagMode{}
	w := newWorld(t, game.Config{Mode: g, Terrain: bots.ParseMap(
		"####################",
		"#                  #",
		"#  R 2         1 B #",
		"####################",
	)})
	w.Step(join(0, 1))
	w.steps(40)
	if f := w.Frame(); len(f.Flags) != 2 || f.Game.FlagCarrier != [2]int32{-2, -2} {
		t.Fatalf("flags %+v, carriers %v", f.Flags, f.Game.FlagCarrier)
	}
	w.hold(0, game.Input{Direction: 1, TargetX: 1}, 20)
	f := w.Frame()
	if f.Game.FlagCarrier != [2]int32{-2, 0} || f.Game.TeamScore != [2]int32{1, 0} {
		t.Fatalf("carriers %v, scores %v", f.Game.FlagCarrier, f.Game.TeamScore)
	}
	if c := w.char(0); f.Flags[1].X != int32(c.Pos.X) {
		t.Errorf("flag at %d, carrier at %v", f.Flags[1].X, c.Pos)
	}
	w.do(game.Command{Kind: game.CmdKill, Player: 0})
	if f := w.Frame(); f.Game.FlagCarrier[1] != -1 || f.Game.FlagDropTick[1] != w.Tick()-1 {
		t.Errorf("carrier %d, dropped at %d", f.Game.FlagCarrier[1], f.Game.FlagDropTick[1])
	}
	w.do(game.Command{Kind: game.CmdSetTeam, Player: 0, Team: game.TeamSpectators})
	w.steps(1500)
	if f := w.Frame(); f.Game.FlagCarrier[1] != -2 || g.returned != 1 {
		t.Errorf("carrier %d, returned %d times", f.Game.FlagCarrier[1], g.returned)
	}
}

func TestSurvival(t *testing.T) {
	w := newWorld(t, game.Config{Mode: lms.Mode{}, Terrain: twoTeesMap(8), Rules: rules(func(r *game.Rules) { r.ScoreLimit = 2 })})
	w.Step(join(0, 1, 2))
	w.wantState(game.StateCountdown | game.StatePaused) // three seconds by default
	w.steps(200)
	w.wantState(0)
	w.kill(2, game.WeaponWorld)
	w.hold(2, game.Input{Fire: 1}, 2)
	s := w.state(2)
	testenv.Require(t, s.Flags&game.PlayerFlagDead != 0 && s.Spectating && s.SpectatorID == 0 && s.SpecMode == game.SpectatePlayer, "out of the round: %+v", s)
	if v := w.View(2); v.VitalsOf != 0 {
		t.Errorf("sees the inside of %d", v.VitalsOf)
	}
	w.kill(0, game.WeaponWorld)
	if s := w.state(2); s.SpectatorID != 1 {
		t.Errorf("still watches %d", s.SpectatorID)
	}
	w.steps(1)
	w.wantState(game.StateRoundOver)
	testenv.Check(t, w.score(1) == 1, "score %d", w.score(1))
	w.steps(250)
	w.wantState(game.StateCountdown | game.StatePaused)
	testenv.Check(t, w.score(1) == 1, "the score is lost in the new round")
	w.steps(200)
	for id := range game.PlayerID(3) {
		testenv.Check(t, w.alive(id), "player %d is not back", id)
	}
	for _, id := range []game.PlayerID{0, 2} {
		w.kill(id, game.WeaponWorld)
	}
	w.steps(1)
	w.wantState(game.StateGameOver)
}

// counter is a mod with state.
type counter struct {
	state   any
	started bool
	early   bool // a hook was called before Start
}

func (m *counter) Start(*game.Setup) { m.started = true }
func (m *counter) State() any        { return m.state }
func (m *counter) OnEntity(*game.Ctx, uint8, vec.Vec2) {
	m.early = m.early || !m.started
}

func TestStartComesBeforeTheHooks(t *testing.T) {
	m := &counter{state: new(int32)}
	newWorld(t, game.Config{Terrain: bots.Arena(), Mods: []game.Mod{m}})
	testenv.Check(t, m.started && !m.early, "started %v, a hook came before %v", m.started, m.early)
}

func TestStateIsPlainData(t *testing.T) {
	type state struct {
		Deadline int32
		Lives    [game.MaxPlayers]uint8
	}
	s := &state{}
	w := newWorld(t, game.Config{Mods: []game.Mod{&counter{state: s}}})
	before := w.Hash()
	s.Lives[63]++
	testenv.Check(t, w.Hash() != before, "the hash lacks the state")
	for name, bad := range map[string]any{
		"a value": state{}, "nothing": nil, "an int": new(int), "text": &struct{ Name string }{},
		"a function": &struct{ Next func() }{}, "a map": &map[int32]int32{}, "a slice": &[]int32{1}, "a pointer": &struct{ P *int32 }{},
	} {
		_, err := game.New(game.Config{Terrain: bots.Arena(), Mode: dm.Mode{}, Rules: bots.Rules(), Mods: []game.Mod{&counter{state: bad}}})
		testenv.Check(t, errors.Is(err, game.ErrState), "%s: %v", name, err)
	}
}

// notes is a mod whose state has no fixed size.
type notes struct{ text []byte }

func (*notes) Start(*game.Setup)               {}
func (n *notes) AppendState(dst []byte) []byte { return append(dst, n.text...) }
func (n *notes) RestoreState(b []byte) error   { n.text = append([]byte(nil), b...); return nil }

func TestSavedStateIsHashed(t *testing.T) {
	n := &notes{text: []byte("a state of some length")}
	w := newWorld(t, game.Config{Mods: []game.Mod{n}})
	before := w.Hash()
	n.text = append(n.text, '.')
	testenv.Check(t, w.Hash() != before, "the hash lacks the state")
}

// refuser is a mod that cancels all pickups.
type refuser struct{}

func (refuser) Start(*game.Setup)                                          {}
func (refuser) OnPickup(ctx *game.Ctx, _ game.PlayerID, _ game.PickupKind) { ctx.Cancel() }

// TestRefusedPickup checks that a pickup stays that a mod does not let a player take.
func TestRefusedPickup(t *testing.T) {
	for _, mods := range [][]game.Mod{nil, {refuser{}}} {
		at := vec.Vec2{X: 4*32 + 16, Y: 3*32 + 16} // the left spawn
		m := &things{start: func(setup *game.Setup) { setup.SpawnPickup(game.PickupGrenade, at.Add(vec.Vec2{X: 32}), 0) }}
		w := newWorld(t, game.Config{Terrain: bots.ParseMap(
			"##############################",
			"#   S                        #",
			"#                            #",
			"#                            #",
			"##############################",
		), Mods: append([]game.Mod{m}, mods...)})
		w.enter(0)
		testenv.Check(t, len(w.Frame().Pickups) == len(mods), "%d mods: %d pickups are left", len(mods), len(w.Frame().Pickups))
	}
}

// TestReloadOfTheDead checks that a mod can set the reload time of a player without a character. It
// has no effect.
func TestReloadOfTheDead(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.enter(0)
	w.inTick(func(ctx *game.Ctx) {
		p := ctx.Player(0)
		p.SetReloadTicks(40)
		testenv.Check(t, p.ReloadTicks() == 40, "reloads for %d ticks", p.ReloadTicks())
		for _, id := range []game.PlayerID{1, game.Nobody, game.MaxPlayers} {
			ctx.Player(id).SetReloadTicks(40)
			testenv.Check(t, ctx.Player(id).ReloadTicks() == 0, "player %d reloads", id)
		}
	})
}

// TestRemovedProjectile checks that a projectile that a mod has removed hits nothing any more.
func TestRemovedProjectile(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.enter(0)
	at := w.char(0).Pos
	evs := w.inTick(func(ctx *game.Ctx) {
		id := ctx.SpawnProjectile(game.Shot{Owner: game.Nobody, Weapon: game.WeaponGrenade, Pos: at.Add(vec.Vec2{X: -60}), Dir: vec.Vec2{X: 1}})
		testenv.Check(t, ctx.Remove(id) && !ctx.Remove(id), "the projectile cannot be removed, or twice")
	})
	evs = append(evs, w.steps(3)...)
	testenv.Check(t, len(eventsOf(evs, game.EvExplosion)) == 0 && w.char(0).Health == 10, "it exploded")
}

// TestInputsOfNobody checks that inputs with invalid player ids are ignored.
func TestInputsOfNobody(t *testing.T) {
	w := newWorld(t, game.Config{})
	w.enter(0)
	for _, id := range []game.PlayerID{game.MaxPlayers, game.MaxPlayers + 1, 127, -1, -128, 5} {
		for _, kind := range []game.CommandKind{game.CmdInput, game.CmdDirectInput} {
			w.do(game.Command{Kind: kind, Player: id, Input: game.Input{Direction: 1, TargetX: 1}})
		}
	}
}

func TestPlayerNamed(t *testing.T) {
	w := newWorld(t, game.Config{Terrain: twoTeesMap(8)})
	w.enter(0, 1)
	w.inTick(func(ctx *game.Ctx) {
		p, ok := ctx.PlayerNamed(ctx.Player(1).Name())
		testenv.Check(t, ok && p.ID() == 1, "found player %d, %t", p.ID(), ok)
		p, ok = ctx.PlayerNamed("stranger")
		testenv.Check(t, !ok && !p.Connected(), "found player %d, %t", p.ID(), ok)
	})
}
