package script

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// hookID identifies a hook of scripts.
type hookID int

// The hooks.
const (
	hookStart hookID = iota
	hookReload
	hookDamage
	hookDamageTaken
	hookDeath
	hookPickSpawn
	hookSpawn
	hookPickup
	hookChat
	hookEnter
	hookLeave
	hookTeam
	hookTick
	hookEntity
	hookTile
	hookRoundStart
	hookFlagReturn
	hookCheckWin
	hookRoundOver
	hookCanBeMoved
	hookInput
	hookFire
	hookCanStartMatch
	hookJoinTeam
	hookStored
	hookSelfKill
	hookEmoticon
	hookRename
	hookFinish
	numHooks
)

// hookMethods are the methods of the hook interfaces of package game.
var hookMethods = [numHooks]string{
	hookStart: "OnStart", hookReload: "OnReload", // these two are not in game
	hookDamage: "OnDamage", hookDamageTaken: "OnDamageTaken", hookDeath: "OnDeath", hookPickSpawn: "PickSpawn",
	hookSpawn: "OnSpawn", hookPickup: "OnPickup", hookChat: "OnChat", hookEnter: "OnEnter", hookLeave: "OnLeave",
	hookTeam: "OnTeam", hookTick: "OnTick", hookEntity: "OnEntity", hookTile: "OnTile", hookRoundStart: "OnRoundStart",
	hookInput: "OnInput", hookFire: "OnFire", hookCanStartMatch: "CanStartMatch", hookJoinTeam: "JoinTeam", hookStored: "OnStored", hookSelfKill: "OnSelfKill",
	hookEmoticon:   "OnEmoticon",
	hookRename:     "OnRename",
	hookFinish:     "OnFinish",
	hookFlagReturn: "OnFlagReturn", hookCheckWin: "CheckWin", hookRoundOver: "RoundOver", hookCanBeMoved: "CanBeMoved",
}

// hookNames are the names of the hooks in Lua: on_damage for OnDamage.
var hookNames = func() (names [numHooks]string) {
	for h, method := range hookMethods {
		var b strings.Builder
		for i, r := range method {
			if unicode.IsUpper(r) && i > 0 {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(r))
		}
		names[h] = b.String()
	}
	return names
}()

// findHooks finds the functions with the names of hooks. It returns an error for other functions
// that begin with on_.
func (v *vm) findHooks() error {
	var defined []string
	each(v.env, func(k, x rt.Value) {
		if name, ok := k.TryString(); ok && x.Type() == rt.FunctionType {
			defined = append(defined, name)
		}
	})
	slices.Sort(defined)
	for _, name := range defined {
		if h := slices.Index(hookNames[:], name); h >= 0 {
			v.hooks[h] = v.env.Get(rt.StringValue(name))
		} else if strings.HasPrefix(name, "on_") {
			return fmt.Errorf("%s:%d: unknown hook %s%s; other functions must not begin with on_", v.name, v.lines[name], name, suggest(name, hookNames[:]))
		}
	}
	return nil
}

// The globals that are rules. The file sets them to values, not to functions.
const (
	ruleMinPlayers = "min_players"
	rulePureTuning = "pure_tuning"
	ruleUneven     = "uneven_teams"
	ruleGameType   = "game_type"
)

// UsesHook reports whether the script has the hook of a method; see [game.HookSubset].
func (m *Mod) UsesHook(method string) bool {
	switch h := slices.Index(hookMethods[:], method); {
	case m.off != "" && !strings.HasSuffix(method, "State"):
		return false
	case h == int(hookTick):
		return !m.vm.hooks[h].IsNil() || m.vm.usesTimers
	case h >= 0:
		return !m.vm.hooks[h].IsNil()
	}
	switch method {
	case "MinPlayers":
		return !m.vm.global(ruleMinPlayers).IsNil()
	case "UnevenTeams":
		return !m.vm.global(ruleUneven).IsNil()
	case "PureTuning":
		return !m.vm.global(rulePureTuning).IsNil()
	case "GameType":
		return !m.vm.global(ruleGameType).IsNil()
	}
	return true // the hooks for state
}

// checkRules checks the types of rules.
func (v *vm) checkRules() error {
	for _, r := range []struct {
		name string
		ok   func(rt.Value) bool
		want string
	}{
		{ruleMinPlayers, func(x rt.Value) bool { n, ok := x.TryInt(); return ok && n >= 0 && n <= game.MaxPlayers }, "a whole number of players"},
		{rulePureTuning, func(x rt.Value) bool { return x.Type() == rt.BoolType }, "true or false"},
		{ruleUneven, func(x rt.Value) bool { return x.Type() == rt.BoolType }, "true or false"},
		{ruleGameType, func(x rt.Value) bool { s, ok := x.TryString(); return ok && len(s) <= 15 }, "a text of at most 15 bytes"},
	} {
		if x := v.global(r.name); !x.IsNil() && !r.ok(x) {
			return fmt.Errorf("%s:%d: %s is %s, want %s", v.name, v.lines[r.name], r.name, describe(x), r.want)
		}
	}
	return nil
}

// MinPlayers is the global min_players.
func (m *Mod) MinPlayers() int32 { return int32(m.vm.global(ruleMinPlayers).AsInt()) }

// PureTuning is the global pure_tuning.
func (m *Mod) PureTuning() bool { return m.vm.global(rulePureTuning).AsBool() }

// UnevenTeams is the global uneven_teams.
func (m *Mod) UnevenTeams() bool { return m.vm.global(ruleUneven).AsBool() }

// GameType is the global game_type.
func (m *Mod) GameType(string) string { return m.vm.global(ruleGameType).AsString() }

// Start passes the declarations of the file to the world and calls the hook on_start.
func (m *Mod) Start(setup *game.Setup) {
	m.declare(setup)
	m.call(&setup.Tx, hookStart)
}

// notify calls a hook. If it returns false, notify cancels the event.
func (m *Mod) notify(ctx *game.Ctx, h hookID, args ...rt.Value) {
	if r, ok := m.call(&ctx.Tx, h, args...); ok {
		if b, ok := r.TryBool(); ok && !b {
			ctx.Cancel()
		}
	}
}

// about calls a hook with the data of its event.
func about[T any](m *Mod, ctx *game.Ctx, h hookID, which func(*frame) *eventValue[T], data *T) {
	if m.vm.calls >= maxCalls {
		return
	}
	e := which(&m.vm.frames[m.vm.calls])
	e.data = data
	m.notify(ctx, h, e.value)
	e.data = nil
}

// OnDamage calls on_damage(damage).
func (m *Mod) OnDamage(ctx *game.Ctx, d *game.Damage) {
	about(m, ctx, hookDamage, func(f *frame) *eventValue[game.Damage] { return &f.damage }, d)
}

// OnDamageTaken calls on_damage_taken(damage).
func (m *Mod) OnDamageTaken(ctx *game.Ctx, d *game.Damage) {
	about(m, ctx, hookDamageTaken, func(f *frame) *eventValue[game.Damage] { return &f.damage }, d)
}

// OnDeath calls on_death(death).
func (m *Mod) OnDeath(ctx *game.Ctx, d *game.Death) {
	about(m, ctx, hookDeath, func(f *frame) *eventValue[game.Death] { return &f.death }, d)
}

// OnChat calls on_chat(message).
func (m *Mod) OnChat(ctx *game.Ctx, c *game.ChatMessage) {
	about(m, ctx, hookChat, func(f *frame) *eventValue[game.ChatMessage] { return &f.chat }, c)
}

// PickSpawn calls pick_spawn(player). It returns false if the result is nil.
func (m *Mod) PickSpawn(ctx *game.Ctx, id game.PlayerID) (pos vec.Vec2, ok bool) {
	x, ok := m.call(&ctx.Tx, hookPickSpawn, m.vm.player(id))
	if !ok || x.IsNil() {
		return vec.Vec2{}, false
	}
	pos, err := m.vm.vector(0, x)
	if err != nil {
		m.failed(&ctx.Tx, m.vm.name+": pick_spawn returned "+describe(x)+", want a position")
		return vec.Vec2{}, false
	}
	return pos, true
}

// OnSpawn calls on_spawn(player).
func (m *Mod) OnSpawn(ctx *game.Ctx, id game.PlayerID) { m.notify(ctx, hookSpawn, m.vm.player(id)) }

// OnSelfKill calls on_self_kill(player).
func (m *Mod) OnSelfKill(ctx *game.Ctx, id game.PlayerID) {
	m.notify(ctx, hookSelfKill, m.vm.player(id))
}

// OnEmoticon calls on_emoticon(player, emoticon).
func (m *Mod) OnEmoticon(ctx *game.Ctx, id game.PlayerID, emoticon int32) {
	m.notify(ctx, hookEmoticon, m.vm.player(id), toValue(m.vm, emoticon))
}

// OnPickup calls on_pickup(player, kind).
func (m *Mod) OnPickup(ctx *game.Ctx, id game.PlayerID, kind game.PickupKind) {
	m.notify(ctx, hookPickup, m.vm.player(id), toValue(m.vm, kind))
}

// OnEnter calls on_enter(player).
func (m *Mod) OnEnter(ctx *game.Ctx, id game.PlayerID) { m.notify(ctx, hookEnter, m.vm.player(id)) }

// OnRename calls on_rename(player).
func (m *Mod) OnRename(ctx *game.Ctx, id game.PlayerID) { m.notify(ctx, hookRename, m.vm.player(id)) }

// OnLeave calls on_leave(player).
func (m *Mod) OnLeave(ctx *game.Ctx, id game.PlayerID) { m.notify(ctx, hookLeave, m.vm.player(id)) }

// OnTeam calls on_team(player, from).
func (m *Mod) OnTeam(ctx *game.Ctx, id game.PlayerID, from game.Team) {
	m.notify(ctx, hookTeam, m.vm.player(id), toValue(m.vm, from))
}

// OnTick runs timers and calls on_tick().
func (m *Mod) OnTick(ctx *game.Ctx) {
	m.runTimers(&ctx.Tx)
	m.notify(ctx, hookTick)
}

// OnInput calls on_input(player, input).
func (m *Mod) OnInput(ctx *game.Ctx, id game.PlayerID, in *game.Input) {
	if m.vm.calls >= maxCalls {
		return
	}
	e := &m.vm.frames[m.vm.calls].input
	e.data = in
	m.notify(ctx, hookInput, m.vm.player(id), e.value)
	e.data = nil
}

// OnFire calls on_fire(player, weapon, direction).
func (m *Mod) OnFire(ctx *game.Ctx, id game.PlayerID, weapon game.Weapon, dir vec.Vec2) {
	m.notify(ctx, hookFire, m.vm.player(id), toValue(m.vm, weapon), toValue(m.vm, dir))
}

// JoinTeam calls join_team(request).
func (m *Mod) JoinTeam(ctx *game.Ctx, r *game.TeamRequest) {
	about(m, ctx, hookJoinTeam, func(f *frame) *eventValue[game.TeamRequest] { return &f.join }, r)
}

// CanStartMatch calls can_start_match(enough).
func (m *Mod) CanStartMatch(ctx *game.Ctx, enough bool) bool {
	x, ok := m.call(&ctx.Tx, hookCanStartMatch, rt.BoolValue(enough))
	if !ok {
		return enough
	}
	return rt.Truth(x)
}

// OnEntity calls on_entity(tile, pos).
func (m *Mod) OnEntity(ctx *game.Ctx, tile uint8, pos vec.Vec2) {
	m.notify(ctx, hookEntity, toValue(m.vm, tile), toValue(m.vm, pos))
}

// OnTile calls on_tile(player, tile).
func (m *Mod) OnTile(ctx *game.Ctx, id game.PlayerID, tile uint8) {
	m.notify(ctx, hookTile, m.vm.player(id), toValue(m.vm, tile))
}

// OnRoundStart calls on_round_start().
func (m *Mod) OnRoundStart(ctx *game.Ctx) { m.notify(ctx, hookRoundStart) }

// OnFlagReturn calls on_flag_return(team).
func (m *Mod) OnFlagReturn(ctx *game.Ctx, t game.Team) {
	m.notify(ctx, hookFlagReturn, toValue(m.vm, t))
}

// OnFinish calls on_finish(finish).
func (m *Mod) OnFinish(ctx *game.Ctx, f *game.RaceFinish) {
	about(m, ctx, hookFinish, func(fr *frame) *eventValue[game.RaceFinish] { return &fr.finish }, f)
}

// CheckWin calls check_win(). The script returns true if the match is over, and "tied" if a limit
// is reached without a leader.
func (m *Mod) CheckWin(ctx *game.Ctx) game.MatchResult {
	x, _ := m.call(&ctx.Tx, hookCheckWin)
	if s, ok := x.TryString(); ok && s == "tied" {
		return game.MatchTied
	} else if rt.Truth(x) {
		return game.MatchOver
	}
	return game.MatchContinues
}

// RoundOver calls round_over().
func (m *Mod) RoundOver(ctx *game.Ctx) bool {
	x, _ := m.call(&ctx.Tx, hookRoundOver)
	return rt.Truth(x)
}

// CanBeMoved calls can_be_moved(player).
func (m *Mod) CanBeMoved(ctx *game.Ctx, id game.PlayerID) bool {
	x, ok := m.call(&ctx.Tx, hookCanBeMoved, m.vm.player(id))
	return !ok || rt.Truth(x)
}
