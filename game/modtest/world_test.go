package modtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/vec"
)

func TestParseMap(t *testing.T) {
	m := ParseMap(map[byte]uint8{'i': 9}, "# .x", "-=Si")
	if m.Width != 4 || m.Height != 2 || !slices.Equal(m.Tiles, []uint8{1, 0, 0, 2, 3, 3, 192, 9}) {
		t.Errorf("%+v", m)
	}
	for _, bad := range [][]string{{"##", "#"}, {"?"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is a map", bad)
				}
			}()
			ParseMap(nil, bad...)
		}()
	}
}

// strikes announces each hit and has an NPC.
type strikes struct{}

func (strikes) Start(setup *game.Setup) { setup.AddNPC(game.NPC{Tag: 3}) }

func (strikes) OnDamage(ctx *game.Ctx, d *game.Damage) { ctx.Player(d.Victim).Broadcast("you are hit") }

// TestWorld makes one player shoot another.
func TestWorld(t *testing.T) {
	w := New(t, game.Config{Mods: []game.Mod{strikes{}}, Terrain: ParseMap(nil,
		"##########",
		"#        #",
		"# S   S  #",
		"##########",
	)})
	ticks := int32(0)
	w.Check = func() { ticks++ }
	w.Play(0, 1)
	if ticks != w.Now() || w.Game.NumConnected() != 3 {
		t.Errorf("%d ticks were checked of %d, %d players", ticks, w.Now(), w.Game.NumConnected())
	}
	events := w.Shoot(0, 1, game.WeaponGun)
	if !Told(events, 1, "are hit") || Told(events, 0, "hit") || Count(events, game.EvSound) == 0 {
		t.Errorf("%+v", events)
	}
	from := w.Pos(0).X
	w.Hold(0, game.Input{Direction: -1, TargetX: 1})
	w.Run(10)
	if w.Pos(0).X >= from {
		t.Error("0 does not move")
	}
}

// TestRecord replays the match of a test from its log.
func TestRecord(t *testing.T) {
	calls := int32(0)
	for name, c := range map[string]struct {
		push func(m *fault) int32
		want error
	}{
		"right":             {func(*fault) int32 { return 1 }, nil},
		"a variable of all": {func(*fault) int32 { calls++; return calls % 7 }, errLog},
	} {
		mods := faulty(c.push)
		w := New(t, game.Config{Mods: []game.Mod{mods[0]()}})
		if err := w.Replay(func() game.Mode { return dm.Mode{} }, mods...); err == nil {
			t.Errorf("%s: a match without a log is played again", name)
		}
		w.Record()
		w.Enter(0, 1)
		w.Leave(1)
		w.Run(300, game.Command{Kind: game.CmdSay, Player: 0, Chat: game.ChatAll, Text: "hello"})
		if w.Now() != 302 || w.Game.NumConnected() != 1 {
			t.Errorf("%s: tick %d, %d players", name, w.Now(), w.Game.NumConnected())
		}
		if err := w.Replay(func() game.Mode { return dm.Mode{} }, mods...); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// logged is a T that keeps its log.
type logged struct {
	testing.TB
	log []string
}

func (l *logged) Logf(format string, args ...any) {
	l.log = append(l.log, fmt.Sprintf(format, args...))
}

// TestShootThroughWalls checks that Shoot logs why a shot cannot hit.
func TestShootThroughWalls(t *testing.T) {
	for _, c := range []struct {
		row    string
		weapon game.Weapon
		log    string // "" if the shot hits
	}{
		{"# S  #  S #", game.WeaponGun, "player 0 shoots at player 1 and does not hit: a wall is between them"},
		{"# S     S #", game.WeaponGun, ""},
		{"# SS      #", game.WeaponHammer, ""},
		{"# S S     #", game.WeaponHammer, "player 0 shoots at player 1 and does not hit: it is 64 units away, and a hammer reaches less than 63"},
	} {
		l := &logged{TB: t}
		w := New(l, game.Config{Terrain: ParseMap(nil, "###########", c.row, "###########")})
		w.Play(0, 1)
		events := w.Shoot(0, 1, c.weapon)
		if hit := Count(events, game.EvDamage) > 0; hit != (c.log == "") || strings.Join(l.log, "\n") != c.log {
			t.Errorf("%s: %q, hit: %v", c.row, l.log, hit)
		}
	}
}

// TestHammerReach moves a tee away until a hammer does not hit it.
func TestHammerReach(t *testing.T) {
	w := New(t, game.Config{Mods: []game.Mod{places{}}, Terrain: ParseMap(nil, "###########", "# S     S #", "###########")})
	w.Play(0, 1)
	at := func(distance int) bool {
		w.Run(1, game.ConsoleCommand(game.Nobody, "place", fmt.Sprint(distance)))
		w.Aim(0, 1)
		w.Hold(0, game.Input{TargetX: 1, WantedWeapon: int32(game.WeaponHammer) + 1})
		w.Run(1)
		return Count(w.Fire(0, 30), game.EvHammerHit) > 0
	}
	if !at(hammerReach-1) || at(hammerReach) {
		t.Errorf("the reach of a hammer is not %d", hammerReach)
	}
}

// places has a command that places player 1 beside player 0.
type places struct{}

func (places) Start(setup *game.Setup) {
	setup.ConsoleCommand(game.CommandSpec{Name: "place", Params: "i", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		ctx.Player(1).SetVel(vec.Vec2{})
		ctx.Player(1).SetPos(ctx.Player(0).Pos().Add(vec.Vec2{X: float32(c.Int(0))}))
	}})
}
