package game

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/teeyard/teeyard/game/vec"
)

// Ctx is the [Tx] that a hook gets. Cancel prevents the event of the hook. A Ctx is valid only
// during the call.
type Ctx struct {
	Tx
	// Pickup is the id from Tx.SpawnPickup during OnPickup, or NoEntity for a pickup of the map.
	Pickup    EntityID
	cancelled bool
}

// Cancel prevents the event that the hook was called for, such as a hit. The documentation of each
// hook describes the effect.
func (c *Ctx) Cancel() { c.cancelled = true }

// Cancelled reports whether Cancel was called. A mode that calls a hook of another mode can check
// it and return.
func (c *Ctx) Cancelled() bool { return c.cancelled }

// hookCall holds the arguments of one level of nested hook calls. It is part of the
// world so that calling hooks does not allocate.
type hookCall struct {
	ctx    Ctx
	damage Damage
	death  Death
	chat   ChatMessage
	input  Input
	join   TeamRequest
}

// enterHook returns the storage for a hook call, or nil when hooks are nested too
// deeply.
func (w *World) enterHook() *hookCall {
	if w.hookDepth == maxHookDepth {
		return nil
	}
	c := &w.hookCalls[w.hookDepth]
	w.hookDepth++
	c.ctx = Ctx{Tx: Tx{w: w}}
	return c
}

// exitHook ends a hook call; using its context afterwards panics.
func (w *World) exitHook(c *hookCall) {
	c.ctx.w = nil
	w.hookDepth--
}

// checkStates reports an error for a state that is not plain data.
func (w *World) checkStates() error {
	for _, h := range w.hooks.state {
		s := h.hook.State()
		if t := reflect.TypeOf(s); t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() == reflect.Slice || binary.Size(s) < 0 {
			return fmt.Errorf("%w: %T.State returns %T, not a pointer to data of a fixed size; see StateHook", ErrState, h.hook, s)
		}
		found, err := findPerPlayers(reflect.ValueOf(s).Elem())
		if err != nil {
			return err
		}
		w.perPlayer = append(w.perPlayer, found...)
	}
	return nil
}

// callDamage calls the DamageHooks and reports whether the hit counts.
func (w *World) callDamage(d *Damage) bool {
	if len(w.hooks.damage) == 0 {
		return true
	}
	c := w.enterHook()
	if c == nil {
		return true
	}
	defer w.exitHook(c)
	c.damage = *d
	for _, h := range w.hooks.damage {
		w.protect(h.of, func() { h.hook.OnDamage(&c.ctx, &c.damage) })
		if c.ctx.cancelled {
			break
		}
	}
	victim, from := d.Victim, d.Attacker
	*d = c.damage
	d.Victim, d.Attacker = victim, from
	d.Amount = min(max(d.Amount, 0), 1000)
	return !c.ctx.cancelled
}

func (w *World) callDamageTaken(d *Damage) {
	c := w.enterHook()
	if c == nil {
		return
	}
	defer w.exitHook(c)
	for _, h := range w.hooks.damageTaken {
		c.damage = *d
		w.protect(h.of, func() { h.hook.OnDamageTaken(&c.ctx, &c.damage) })
	}
}

func (w *World) callDeath(d *Death) {
	c := w.enterHook()
	if c == nil {
		return
	}
	defer w.exitHook(c)
	c.death = *d
	for _, h := range w.hooks.death {
		w.protect(h.of, func() { h.hook.OnDeath(&c.ctx, &c.death) })
		if c.ctx.cancelled {
			break
		}
	}
	d.ModeSpecial = c.death.ModeSpecial
}

// callSelfKill calls the SelfKillHooks and reports whether a living character may die.
func (w *World) callSelfKill(id PlayerID) bool {
	if w.isAlive(id) {
		for _, h := range w.hooks.selfKill {
			if w.callCancellable(h.of, func(ctx *Ctx) { h.hook.OnSelfKill(ctx, id) }) {
				return false
			}
		}
	}
	return true
}

// callEmoticon calls the EmoticonHooks and reports whether the emoticon is shown.
func (w *World) callEmoticon(id PlayerID, emoticon int32) bool {
	for _, h := range w.hooks.emoticon {
		if w.callCancellable(h.of, func(ctx *Ctx) { h.hook.OnEmoticon(ctx, id, emoticon) }) {
			return false
		}
	}
	return true
}

func (w *World) callPickSpawn(id PlayerID) (vec.Vec2, bool) {
	c := w.enterHook()
	if c == nil {
		return vec.Vec2{}, false
	}
	defer w.exitHook(c)
	for _, h := range w.hooks.spawnPicker {
		var pos vec.Vec2
		var ok bool
		if w.protect(h.of, func() { pos, ok = h.hook.PickSpawn(&c.ctx, id) }); ok {
			return pos, true
		}
	}
	return vec.Vec2{}, false
}

// notify calls hooks that cannot be cancelled.
func notify[H any](w *World, hooks []hookOf[H], call func(h H, ctx *Ctx)) {
	for _, h := range hooks {
		if c := w.enterHook(); c != nil {
			w.protect(h.of, func() { call(h.hook, &c.ctx) })
			w.exitHook(c)
		}
	}
}

func (w *World) callSpawn(id PlayerID) {
	notify(w, w.hooks.spawn, func(h SpawnHook, ctx *Ctx) { h.OnSpawn(ctx, id) })
}

// callPickup calls the PickupHooks and reports whether the character can take the
// pickup.
func (w *World) callPickup(id PlayerID, kind PickupKind, handle EntityID) bool {
	for _, h := range w.hooks.pickup {
		if w.callCancellable(h.of, func(ctx *Ctx) { ctx.Pickup = handle; h.hook.OnPickup(ctx, id, kind) }) {
			return false
		}
	}
	return len(w.hooks.pickup) == 0 || w.isAlive(id)
}

// callChat calls the ChatHooks and reports whether the line is sent.
func (w *World) callChat(l *ChatMessage) bool {
	c := w.enterHook()
	if c == nil {
		return true
	}
	defer w.exitHook(c)
	c.chat = *l
	for _, h := range w.hooks.chat {
		w.protect(h.of, func() { h.hook.OnChat(&c.ctx, &c.chat) })
		if c.ctx.cancelled {
			return false
		}
	}
	*l = c.chat
	return true
}

// changedInput returns the input of a living character after the InputHooks.
func (w *World) changedInput(id PlayerID, in *Input) *Input {
	if len(w.hooks.input) != 0 && w.isAlive(id) {
		return w.callInput(id, in)
	}
	return in
}

// callInput calls the InputHooks. The returned input is valid until the next call.
func (w *World) callInput(id PlayerID, in *Input) *Input {
	c := w.enterHook()
	if c == nil {
		return in
	}
	defer w.exitHook(c)
	c.input = *in
	for _, h := range w.hooks.input {
		w.protect(h.of, func() { h.hook.OnInput(&c.ctx, id, &c.input) })
	}
	if !c.input.valid() {
		return in
	}
	w.hookInput = c.input // the call's own would be that of the hooks that the input leads to
	return &w.hookInput
}

// callFire calls the FireHooks and reports whether the weapon fires.
func (w *World) callFire(id PlayerID, weapon Weapon, dir vec.Vec2) bool {
	for _, h := range w.hooks.fire {
		if w.callCancellable(h.of, func(ctx *Ctx) { h.hook.OnFire(ctx, id, weapon, dir) }) {
			return false
		}
	}
	return true
}

func (w *World) callEnter(id PlayerID) {
	notify(w, w.hooks.enter, func(h EnterHook, ctx *Ctx) { h.OnEnter(ctx, id) })
}

func (w *World) callLeave(id PlayerID) {
	notify(w, w.hooks.leave, func(h LeaveHook, ctx *Ctx) { h.OnLeave(ctx, id) })
}

func (w *World) callRename(id PlayerID) {
	notify(w, w.hooks.rename, func(h RenameHook, ctx *Ctx) { h.OnRename(ctx, id) })
}

func (w *World) callTeam(id PlayerID, from Team) {
	notify(w, w.hooks.team, func(h TeamHook, ctx *Ctx) { h.OnTeam(ctx, id, from) })
}

func (w *World) callTick() {
	notify(w, w.hooks.tick, TickHook.OnTick)
}

// callEntity calls the EntityHooks and reports whether one handled the tile.
func (w *World) callEntity(tile uint8, pos vec.Vec2) bool {
	for _, h := range w.hooks.entity {
		if w.callCancellable(h.of, func(ctx *Ctx) { h.hook.OnEntity(ctx, tile, pos) }) {
			return true
		}
	}
	return false
}

// callCancellable calls a hook and reports whether it cancelled.
func (w *World) callCancellable(of owner, call func(ctx *Ctx)) bool {
	c := w.enterHook()
	if c == nil {
		return false
	}
	defer w.exitHook(c)
	w.protect(of, func() { call(&c.ctx) })
	return c.ctx.cancelled
}

func (w *World) callRoundStart() {
	notify(w, w.hooks.roundStart, RoundStartHook.OnRoundStart)
}

func (w *World) callFlagReturn(t Team) {
	notify(w, w.hooks.flagReturn, func(h FlagReturnHook, ctx *Ctx) { h.OnFlagReturn(ctx, t) })
}

// callFinishes calls the FinishHooks for the races that ended in the tick. A finish that such a
// hook itself sends goes to clients only, so that hooks do not call themselves without end.
func (w *World) callFinishes() {
	for i := range len(w.finishes) {
		f := w.finishes[i]
		if w.players[f.Player].connected {
			notify(w, w.hooks.finish, func(h FinishHook, ctx *Ctx) { h.OnFinish(ctx, &f) })
		}
	}
	w.finishes = w.finishes[:0]
}

// callRule asks a rule of the mode or a mod. It returns otherwise if the rule is not set, if hooks
// are nested too deeply, or if the mod panics.
func callRule[R, V any](w *World, rule hookOf[R], otherwise V, ask func(R, *Ctx) V) V {
	if !rule.isSet() {
		return otherwise
	}
	c := w.enterHook()
	if c == nil {
		return otherwise
	}
	defer w.exitHook(c)
	answer := otherwise
	w.protect(rule.of, func() { answer = ask(rule.hook, &c.ctx) })
	return answer
}

func (w *World) callCheckWin() MatchResult {
	return callRule(w, w.hooks.winRule, MatchContinues, WinRule.CheckWin)
}

func (w *World) callRoundOver() bool {
	return callRule(w, w.hooks.roundRule, false, RoundRule.RoundOver)
}

func (w *World) callCanBeMoved(id PlayerID) bool {
	return callRule(w, w.hooks.balanceRule, true, func(r BalanceRule, ctx *Ctx) bool { return r.CanBeMoved(ctx, id) })
}
