package modtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/lms"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/testenv"
)

// bomb implements every hook and every other function that the world calls. From a given tick on it
// panics in one of them.
type bomb struct {
	at    string
	tick  int32
	value int32
	menu  game.Menu
	vote  game.Vote
	timer game.Timer
	kind  game.KindID
}

func (b *bomb) call(tx *game.Tx, where string) {
	if where == b.at && tx.Tick() >= b.tick {
		var none []int
		none[tx.Tick()]++
	}
}

func (b *bomb) Start(setup *game.Setup) {
	setup.IntVar(game.IntVar{Name: "fuse", Value: &b.value, Max: 9, Changed: func(ctx *game.Ctx) { b.call(&ctx.Tx, "variable") }})
	setup.ChatCommand(game.CommandSpec{Name: "light", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		ctx.Player(c.Player).ShowMenu(b.menu, "red", "blue")
		b.call(&ctx.Tx, "chat command")
	}})
	setup.ConsoleCommand(game.CommandSpec{Name: "count", Run: func(ctx *game.Ctx, c *game.CommandCall) {
		ctx.StartVote(b.vote, game.Nobody, "more?")
		b.call(&ctx.Tx, "console command")
	}})
	b.menu = setup.Menu(func(ctx *game.Ctx, id game.PlayerID, _ int) { b.call(&ctx.Tx, "menu") })
	b.vote = setup.Vote(func(ctx *game.Ctx, _ bool) { b.call(&ctx.Tx, "vote") })
	b.timer = setup.Timer(func(ctx *game.Ctx, id game.PlayerID) { ctx.After(b.timer, 9, id); b.call(&ctx.Tx, "timer") })
	setup.After(b.timer, 9, game.Nobody)
	b.kind = setup.AddEntityKind(game.EntityKind{
		Tick:  func(ctx *game.Ctx, e *game.Entity) { e.Pos.X++; b.call(&ctx.Tx, "entity") },
		Reset: func(ctx *game.Ctx, e *game.Entity) { b.call(&ctx.Tx, "reset") },
		Draw: func(ctx *game.Ctx, e *game.Entity, d *game.Drawing) {
			d.Laser(0, e.Pos, e.Pos, game.MaskAll)
			b.call(&ctx.Tx, "draw")
		},
	})
	setup.SpawnEntity(b.kind, game.Entity{Pos: vec.Vec2{X: 100, Y: 100}})
	setup.AddNPC(game.NPC{Profile: game.Profile{Name: "npc"}, Skill: 1})
	b.call(&setup.Tx, "Start")
}

func (b *bomb) OnDamage(ctx *game.Ctx, d *game.Damage)      { b.call(&ctx.Tx, "OnDamage") }
func (b *bomb) OnDamageTaken(ctx *game.Ctx, d *game.Damage) { b.call(&ctx.Tx, "OnDamageTaken") }
func (b *bomb) OnDeath(ctx *game.Ctx, d *game.Death)        { b.call(&ctx.Tx, "OnDeath") }
func (b *bomb) OnSelfKill(ctx *game.Ctx, _ game.PlayerID)   { b.call(&ctx.Tx, "OnSelfKill") }
func (b *bomb) OnEmoticon(ctx *game.Ctx, _ game.PlayerID, _ int32) {
	b.call(&ctx.Tx, "OnEmoticon")
}
func (b *bomb) OnSpawn(ctx *game.Ctx, _ game.PlayerID)    { b.call(&ctx.Tx, "OnSpawn") }
func (b *bomb) OnChat(ctx *game.Ctx, _ *game.ChatMessage) { b.call(&ctx.Tx, "OnChat") }
func (b *bomb) OnFire(ctx *game.Ctx, _ game.PlayerID, _ game.Weapon, _ vec.Vec2) {
	b.call(&ctx.Tx, "OnFire")
}
func (b *bomb) OnEnter(ctx *game.Ctx, _ game.PlayerID)  { b.call(&ctx.Tx, "OnEnter") }
func (b *bomb) OnLeave(ctx *game.Ctx, _ game.PlayerID)  { b.call(&ctx.Tx, "OnLeave") }
func (b *bomb) OnRename(ctx *game.Ctx, _ game.PlayerID) { b.call(&ctx.Tx, "OnRename") }
func (b *bomb) OnTick(ctx *game.Ctx)                    { b.call(&ctx.Tx, "OnTick") }
func (b *bomb) OnRoundStart(ctx *game.Ctx)              { b.call(&ctx.Tx, "OnRoundStart") }
func (b *bomb) OnFinish(ctx *game.Ctx, _ *game.RaceFinish) {
	b.call(&ctx.Tx, "OnFinish")
}
func (b *bomb) OnFlagReturn(ctx *game.Ctx, _ game.Team) { b.call(&ctx.Tx, "OnFlagReturn") }
func (b *bomb) OnInput(ctx *game.Ctx, _ game.PlayerID, in *game.Input) {
	in.Direction = 1
	b.call(&ctx.Tx, "OnInput")
}
func (b *bomb) PickSpawn(ctx *game.Ctx, _ game.PlayerID) (vec.Vec2, bool) {
	b.call(&ctx.Tx, "PickSpawn")
	return vec.Vec2{}, false
}
func (b *bomb) OnPickup(ctx *game.Ctx, _ game.PlayerID, _ game.PickupKind) {
	b.call(&ctx.Tx, "OnPickup")
}
func (b *bomb) OnTeam(ctx *game.Ctx, _ game.PlayerID, _ game.Team) { b.call(&ctx.Tx, "OnTeam") }
func (b *bomb) OnTile(ctx *game.Ctx, _ game.PlayerID, _ uint8)     { b.call(&ctx.Tx, "OnTile") }
func (b *bomb) OnEntity(ctx *game.Ctx, _ uint8, _ vec.Vec2)        { b.call(&ctx.Tx, "OnEntity") }
func (b *bomb) OnStored(ctx *game.Ctx, _ *game.StoreAnswer)        { b.call(&ctx.Tx, "OnStored") }
func (b *bomb) JoinTeam(ctx *game.Ctx, _ *game.TeamRequest)        { b.call(&ctx.Tx, "JoinTeam") }
func (b *bomb) CanBeMoved(ctx *game.Ctx, _ game.PlayerID) bool {
	b.call(&ctx.Tx, "CanBeMoved")
	return true
}
func (b *bomb) CanStartMatch(ctx *game.Ctx, enough bool) bool {
	b.call(&ctx.Tx, "CanStartMatch")
	return enough
}
func (b *bomb) RoundOver(ctx *game.Ctx) bool { b.call(&ctx.Tx, "RoundOver"); return false }
func (b *bomb) CheckWin(ctx *game.Ctx) game.MatchResult {
	b.call(&ctx.Tx, "CheckWin")
	return game.MatchContinues
}

// TestModThatPanics makes a mod panic in each function that the world calls. The match must go on
// without the mod, and must replay.
func TestModThatPanics(t *testing.T) {
	testenv.Long(t)
	early := []string{"Start", "reset", "OnRoundStart", "CanStartMatch"} // called only early in a match
	survival := []string{"RoundOver"}
	never := []string{"OnEntity", "OnFinish", "OnFlagReturn", "OnStored", "CanBeMoved"} // not called in these matches at that time
	all := []string{"Start", "variable", "chat command", "console command", "menu", "vote", "timer", "entity", "reset", "draw"}
	for _, h := range game.Hooks() {
		if strings.Contains(h.Signature, "*game.Ctx") {
			all = append(all, h.Method)
		}
	}
	for _, at := range all {
		if slices.Contains(never, at) {
			continue
		}
		m := Match{Mods: []func() game.Mod{
			func() game.Mod { return &bomb{at: at, tick: 60} }, func() game.Mod { return &busyMod{called: map[string]int{}} },
		}, Ticks: 900, Players: 5}
		switch {
		case slices.Contains(early, at):
			m.Mods[0] = func() game.Mod { return &bomb{at: at} }
		case slices.Contains(survival, at):
			m.Mode = func() game.Mode { return lms.Mode{} }
		case at == "OnTeam":
			m.Mode = func() game.Mode { return tdm.Mode{} }
		}
		if err := m.verify(); err != nil {
			t.Errorf("%s: %v", at, err)
		}
		if len(m.panics) != 1 || !strings.Contains(m.panics[0], "index out of range") || !strings.Contains(m.panics[0], "(*bomb).call (panic_test.go:") {
			t.Errorf("%s: said %q", at, m.panics)
		} else if at[0] < 'a' && !strings.Contains(m.panics[0], fmt.Sprintf("*modtest.bomb panicked in %s in tick ", at)) {
			t.Errorf("%s: said %q", at, m.panics)
		}
	}
}
