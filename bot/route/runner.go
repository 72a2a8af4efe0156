package route

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/splitmix"
)

const (
	// A runner beside its way simulates planTicks ticks ahead, every planEvery ticks. Each time the
	// runner makes as many trials as tries says.
	planTicks, planEvery, tries = 30, 4, 12
	// maxPlan limits the work of a plan, in tiles read. After a plan over the limit, the runner
	// makes the next one tiredTicks later.
	maxPlan, tiredTicks = 2 * tries * planTicks * tilesPerTick, 2 * game.TickRate
	// maxWayWork is the maximum work per tick of the way, in typical ticks, with which a runner
	// looks ahead.
	maxWayWork = 4
	// patience is after how many ticks without progress the runner restarts.
	patience = 12 * game.TickRate
	// pause is how many ticks it waits at the end of its way.
	pause = 4 * game.TickRate
)

// Runner plays a tee that runs along a way. If other tees push it off the way, it looks a few ticks
// ahead to find back. It is not safe for concurrent use.
type Runner struct {
	way, next *Way
	world     *ddrace.World // for looking ahead; nil until needed
	fresh     ddrace.Moment // a tee in world that has just spawned
	now       ddrace.Moment
	rand      splitmix.Rand

	tick    int32
	alive   bool
	astray  bool
	begun   bool
	ended   bool
	at      int // current tick of the way
	best    int // farthest tick reached
	gain    int32
	waiting int32
	input   game.Input
	plan    []Step
	planned int
	looked  int   // tiles read for the plan
	rested  int32 // do not look ahead before this tick
	restart bool
}

// NewRunner returns a runner without a way. It stands still.
func NewRunner(seed uint64) *Runner {
	return &Runner{rand: splitmix.Rand(seed), input: game.Input{TargetX: 1}}
}

// SetWay sets the next way. The runner begins it at its next spawn, or at once if it continues
// where the old way ends.
func (r *Runner) SetWay(y *Way) {
	if r.next = y; r.way == nil {
		r.takeNext()
	}
}

// takeNext starts the next way.
func (r *Runner) takeNext() {
	if r.next != nil && len(r.next.inputs) > 0 {
		r.way, r.next, r.world = r.next, nil, nil
		r.reset()
	}
}

func (r *Runner) reset() {
	r.at, r.best, r.begun, r.ended, r.astray, r.waiting, r.gain, r.planned = 0, 0, false, false, false, 0, r.tick, 0
	r.plan = r.plan[:0]
}

// WantsRestart reports, once, whether the runner wants its tee to die because it is at the end of
// its way or makes no progress. After true, the caller must kill the tee. Without a call the tee
// may stay where it is.
func (r *Runner) WantsRestart() bool {
	wants := r.restart
	if r.restart = false; wants {
		r.takeNext()
		r.reset()
	}
	return wants
}

// Progress returns the runner's tick on its way, and whether the tee is exactly on the way.
func (r *Runner) Progress() (tick int, exact bool) { return r.at, r.begun && !r.astray }

// SetSkill does nothing, since all runners run the same way. The help of sv_bot_skill says so.
func (*Runner) SetSkill(int) {}

// NextInput returns the input for the tick after the view's. Call it in every tick.
func (r *Runner) NextInput(v *game.View) game.Input {
	if v == nil || v.Frame == nil || v.Tick == r.tick {
		return r.input
	}
	r.tick = v.Tick
	var c *game.CharacterState
	for i := range v.Characters {
		if v.Characters[i].Player == v.Viewer {
			c = &v.Characters[i]
		}
	}
	if c == nil {
		if r.alive {
			r.alive = false
			r.takeNext()
			r.reset()
		}
		r.hold(&rest)
		if r.waiting++; r.waiting > game.TickRate/2 && r.waiting%8 == 0 {
			r.input.Fire = (r.input.Fire + 1) & 63 // fire requests a respawn
		}
		return r.input
	}
	if !r.alive {
		r.alive = true
		r.reset()
	}
	if r.way == nil {
		r.hold(&rest)
		return r.input
	}
	r.run(v, c)
	return r.input
}

// freezeEnd returns the tick in which the freeze of a tee ends, 0 if it is not frozen. Clients
// without DDRace support see a frozen tee as a ninja with closed eyes or in pain.
func freezeEnd(v *game.View, c *game.CharacterState) int32 {
	if v.Extended || c.Weapon != game.WeaponNinja || c.Emote != game.EmoteBlink && c.Emote != game.EmotePain {
		return c.FreezeEnd
	}
	return max(c.Ammo, v.Tick+1)
}

// hold sets the input to a step.
func (r *Runner) hold(s *Step) {
	in := s.Input(r.input.Fire)
	r.input = game.Input{
		Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY, Jump: in.Jump, Fire: in.Fire, Hook: in.Hook,
		WantedWeapon: in.WantedWeapon,
	}
}

// run computes the input from the tee's current state.
func (r *Runner) run(v *game.View, c *game.CharacterState) {
	y, now := r.way, state{pos: c.Pos, vel: ddrace.Vec{X: float32(c.VelX) / 256, Y: float32(c.VelY) / 256}}
	if !r.begun {
		if r.waiting++; now.pos == y.states[y.settled].pos {
			r.begun, r.at, r.best, r.gain = true, y.settled, y.settled, r.tick
		} else if r.waiting > game.TickRate {
			r.begun, r.astray, r.gain = true, true, r.tick // the tee spawned elsewhere
		} else {
			r.hold(&rest)
			return
		}
	}
	if r.ended {
		r.end()
		return
	}
	if !r.astray && now.pos != y.states[r.at].pos {
		r.astray = true
		r.plan = r.plan[:0]
	}
	if r.astray {
		r.find(now, freezeEnd(v, c) != 0)
	}
	if r.at > r.best {
		r.best, r.gain = r.at, r.tick
	}
	switch {
	case r.at >= len(y.inputs):
		r.ended = true
		r.end()
	case r.tick-r.gain > patience:
		r.restart, r.gain = true, r.tick
		r.hold(&rest)
	case r.astray:
		r.steer(v, c)
	default:
		r.follow()
	}
}

// follow plays the next input of the way.
func (r *Runner) follow() {
	r.hold(&r.way.inputs[r.at])
	r.at++
}

// end waits at the end of the way. It continues with the next way if that is longer, or restarts.
func (r *Runner) end() {
	r.hold(&rest)
	if n := r.next; n != nil && len(n.inputs) > r.at && n.states[r.at] == r.way.states[r.at] && !r.astray {
		r.way, r.next, r.gain, r.ended = n, nil, r.tick, false
		r.hold(&n.inputs[r.at])
		r.at++
		return
	}
	if r.tick-r.gain > pause {
		r.restart, r.gain = true, r.tick
	}
}

// find sets the tick of the way that matches a tee beside it best. Ticks in which the way waits are
// skipped, unless the tee is frozen.
func (r *Runner) find(now state, frozen bool) {
	y := r.way
	at, apart := y.nearest(now, r.at-50, r.at+100, 1)
	if apart > 20 && r.tick%16 == 0 {
		at, apart = y.nearest(now, y.settled, len(y.states), 4)
	}
	for !frozen && at+1 < len(y.states) && y.states[at+1] == y.states[at] {
		at++
	}
	r.at = at
	if apart == 0 && r.input.Hook == (at > 0 && y.inputs[at-1].Hook) {
		r.astray = false
	}
}

// steer looks ahead and chooses the trial that leads farthest along the way.
func (r *Runner) steer(v *game.View, c *game.CharacterState) {
	if r.planned < min(len(r.plan), planEvery) {
		r.hold(&r.plan[r.planned])
		r.planned++
		return
	}
	if r.tick < r.rested || r.way.work() > maxWayWork*len(r.way.inputs) {
		r.follow()
		return
	}
	r.prepare(v, c)
	r.plan, r.planned, r.looked = r.plan[:0], 0, 0
	lowest := float32(1e9)
	var best, trial [planTicks]Step
	for k := range tries {
		if r.looked > maxPlan {
			r.rested = r.tick + tiredTicks
			break
		}
		r.try(k, &trial)
		if cost := r.cost(&trial); cost < lowest {
			lowest, best = cost, trial
		}
	}
	r.plan = append(r.plan, best[:planEvery]...)
	r.hold(&r.plan[0])
	r.planned = 1
}

// prepare copies the state of the real tee to the simulated one.
func (r *Runner) prepare(v *game.View, c *game.CharacterState) {
	if r.world == nil {
		r.world = ddrace.New(ddrace.Config{Map: r.way.m})
		spawn(r.world)
		r.world.Save(&r.fresh, me)
	}
	w := r.world
	w.Load(&r.fresh, me)
	t := w.Tee(me)
	t.Core = ddrace.Core{
		Pos: c.Pos, Vel: ddrace.Vec{X: float32(c.VelX) / 256, Y: float32(c.VelY) / 256},
		HookPos: ddrace.Vec{X: float32(c.HookX), Y: float32(c.HookY)}, HookDir: ddrace.Vec{X: float32(c.HookDX) / 256, Y: float32(c.HookDY) / 256},
		HookTick: c.HookTick, HookState: c.HookState, HookedPlayer: -1, Jumped: c.Jumped, Jumps: c.Jumps, JumpedTotal: c.AirJumps, Direction: c.Direction,
		LeftWall: true,
	}
	if c.HookedPlayer >= 0 {
		t.Core.HookState = physics.HookIdle
	}
	t.Pos, t.PrevPos = c.Pos, c.Pos
	if !v.Extended {
		t.Core.Jumps, t.Core.JumpedTotal = 2, c.Jumped>>1&1
	}
	if end := freezeEnd(v, c); end != 0 {
		t.FreezeTime, t.FreezeStart = max(end-r.tick, 1), w.Tick()
	}
	t.TeleCheckpoint, t.Race = uint8(c.TeleCheckpoint), ddrace.RaceStarted
	t.EndlessHook, t.AirJumps = c.Flags&game.CharacterFlagEndlessHook != 0, c.Flags&game.CharacterFlagEndlessJump != 0
	t.Jetpack = c.Flags&game.CharacterFlagJetpack != 0
	w.Save(&r.now, me)
}

// try makes the k-th trial: the inputs of the way from a nearby tick on. In most trials, other
// random inputs precede them.
func (r *Runner) try(k int, s *[planTicks]Step) {
	y, g := r.way, &r.rand
	shift := [...]int{0, -6, -2, 3, 8}
	at, other := r.at, 0
	if k < len(shift) {
		at += shift[k]
	} else {
		at += int(g.Uint32n(12))
		other = 2 + int(g.Uint32n(14))
	}
	odd := rest
	odd.Direction = int8(g.Uint32n(3)) - 1
	odd.TargetX, odd.TargetY = int16(g.Uint32n(400))-200, int16(g.Uint32n(300))-250
	odd.Hook = g.Percent(30)
	jump := -1
	if g.Percent(50) {
		jump = int(g.Uint32n(uint32(other + 1)))
	}
	for i := range s {
		if i < other {
			s[i] = odd
			s[i].Jump = i == jump
			continue
		}
		s[i] = rest
		if at+i >= 0 && at+i < len(y.inputs) {
			s[i] = y.inputs[at+i]
		}
	}
}

// cost returns the ticks of the way that are left after a trial, including the time to return to
// the way.
func (r *Runner) cost(s *[planTicks]Step) float32 {
	w, y := r.world, r.way
	w.Load(&r.now, me)
	fire := r.input.Fire
	for i := range s {
		if r.looked > maxPlan {
			break
		}
		in := s[i].Input(fire)
		fire = in.Fire
		w.Step([]ddrace.PlayerInput{{Player: me, Input: in}})
		r.looked += tilesPerTick + w.Work()
		if w.Tee(me) == nil {
			return 1e8
		}
	}
	t := w.Tee(me)
	lowest := float32(1e8)
	now := stateOf(t)
	for i := max(r.at-20, 0); i < min(r.at+100, len(y.states)); i++ {
		lowest = min(lowest, float32(len(y.states)-i)+4*now.from(y.states[i]))
	}
	if t.FreezeTime > 0 {
		lowest += 300
	}
	return lowest
}
