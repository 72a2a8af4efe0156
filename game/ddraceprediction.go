package game

import (
	"cmp"
	"slices"

	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// DDRacePrediction predicts the tees of DDRace on the client, with the server's physics. It starts
// from the client's snapshots. Other players' tees keep their last steering and hook. Moving map
// objects and the shots of others are not predicted.
type DDRacePrediction struct {
	world  *ddrace.World
	inputs []ddrace.PlayerInput
	order  []int8
	seen   PlayerMask

	told    ddrace.Tuning // last
	zone    uint8         // where the own tee was then
	waiting int           // snapshots without a tuning since the tee came to another zone, -1 after a tuning
}

// DDRacePredictionMap is a map prepared for predictions. Predictions can share it.
type DDRacePredictionMap struct{ m *ddrace.Map }

// NewDDRacePredictionMap prepares a map for predictions.
func NewDDRacePredictionMap(t *Terrain) (*DDRacePredictionMap, error) {
	m, err := ddrace.NewMap(t, ddrace.DefaultSettings())
	if err != nil {
		return nil, err
	}
	return &DDRacePredictionMap{m.StandingPart()}, nil
}

// NewDDRacePrediction returns a prediction without tees.
func NewDDRacePrediction(m *DDRacePredictionMap) *DDRacePrediction {
	return &DDRacePrediction{world: ddrace.New(ddrace.Config{Map: m.m})}
}

// Show sets the prediction to the state in a view. All tees but own's continue with the controls
// that the view shows.
func (p *DDRacePrediction) Show(v *View, own PlayerID) {
	w := p.world
	p.inputs = p.inputs[:0]
	w.SetTick(v.Tick)
	equal, _ := w.Settings().EqualHooks()
	if shown := v.Game.Flags&GameFlagNoWeakHook != 0; shown != equal {
		changed := *w.Settings()
		changed.NoWeakHookAndBounce, changed.NoWeakHook = 0, 0
		switch {
		case shown && changed.Release >= 20:
			changed.NoWeakHook = 1
		case shown:
			changed.NoWeakHookAndBounce = 1
		}
		w.SetSettings(changed)
	}
	for i := range v.Frame.Switches {
		s := &v.Frame.Switches[i]
		w.SetSwitches(uint8(s.Team), s.Active)
	}
	var team [MaxPlayers]uint8
	for i := range v.Players {
		team[v.Players[i].ID] = uint8(v.Players[i].DDRaceTeam)
	}
	seen := p.seen
	p.seen = PlayerMask{}
	p.order = p.order[:0]
	for i := range v.Characters {
		c := &v.Characters[i]
		var t ddrace.Tee
		c.tee(&t, v.Tick)
		w.ShowTee(int(c.Player), team[c.Player], &t)
		p.seen.Add(c.Player)
		p.order = append(p.order, int8(i))
		if c.Player != own {
			in := Input{Direction: c.Direction, TargetX: c.TargetX, TargetY: c.TargetY, Jump: c.Jumped&1 != 0, Hook: c.HookState != 0}
			p.SetInput(c.Player, &in)
		}
	}
	for id := range PlayerID(MaxPlayers) {
		if seen.Has(id) && !p.seen.Has(id) {
			w.HideTee(int(id))
		}
	}
	slices.SortStableFunc(p.order, func(a, b int8) int { return cmp.Compare(v.Characters[a].TickOrder, v.Characters[b].TickOrder) })
	for i, k := range p.order {
		p.order[i] = int8(v.Characters[k].Player)
	}
	w.SetOrder(p.order)
}

// maxTuningWait is the number of snapshots for which a client waits for the tuning of a new tune
// zone. After that, the zone has the tuning of the zone before, or the server sent it early.
const maxTuningWait = 5

// Tell sets the tuning that the server last sent to the client; own is the client's player. Call it
// after Show, with the number of parameters in the server's message: the number reveals whether the
// server has the physics of DDNet 20. The tuning belongs to the tune zone of the tee. Servers send
// it once, after a change of the zone or of the tuning.
func (p *DDRacePrediction) Tell(t *ddrace.Tuning, params int, own PlayerID) {
	if s := p.world.Settings(); s.NumTuneParams() != params {
		changed := *s
		changed.SetTuneParams(params)
		p.world.SetSettings(changed)
	}
	if p.world.Tee(int(own)) == nil {
		return
	}
	if zone := p.world.ShownZone(int(own)); zone != p.zone {
		p.zone, p.waiting = zone, 0
	}
	switch {
	case *t != p.told:
		p.told, p.waiting = *t, -1
	case p.waiting < 0:
		return
	case p.waiting < maxTuningWait:
		p.waiting++
		return
	default:
		p.waiting = -1
	}
	p.world.LearnTuning(int(own), t)
}

// tee converts a character of a frame to a tee of the simulation.
func (c *CharacterState) tee(t *ddrace.Tee, tick int32) {
	whole := func(x, y int32) vec.Vec2 { return vec.Vec2{X: float32(x), Y: float32(y)} }
	parts := func(x, y int32) vec.Vec2 { return vec.Vec2{X: float32(x) / 256, Y: float32(y) / 256} }
	has := func(f CharacterFlags) bool { return c.Flags&f != 0 }
	const far = 1 << 20 // units or units a tick in 1/256, as far as predictions go
	limit := func(n int32) int32 { return min(max(n, -far), far) }
	k := &t.Core
	k.Pos, k.Vel = whole(limit(c.X), limit(c.Y)), parts(limit(c.VelX), limit(c.VelY))
	k.HookPos, k.HookDir = whole(limit(c.HookX), limit(c.HookY)), parts(limit(c.HookDX), limit(c.HookDY))
	k.HookTick, k.HookState = c.HookTick, min(max(c.HookState, -1), 5)
	if k.HookedPlayer = c.HookedPlayer; k.HookedPlayer < 0 || k.HookedPlayer >= MaxPlayers {
		k.HookedPlayer = int32(Nobody)
	}
	k.Jumped, k.Jumps, k.JumpedTotal, k.Direction = c.Jumped, c.Jumps, c.AirJumps, c.Direction
	k.Solo, k.NoCollision, k.NoHookHit = has(CharacterFlagSolo), has(CharacterFlagNoCollision), has(CharacterFlagNoHook)
	t.Super, t.Invincible = has(CharacterFlagSuper), has(CharacterFlagInvincible)
	t.EndlessHook, t.AirJumps, t.Jetpack = has(CharacterFlagEndlessHook), has(CharacterFlagEndlessJump), has(CharacterFlagJetpack)
	t.UnhitHammer, t.UnhitShotgun = has(CharacterFlagNoHammerHit), has(CharacterFlagNoShotgunHit)
	t.UnhitGrenade, t.UnhitLaser = has(CharacterFlagNoGrenadeHit), has(CharacterFlagNoLaserHit)
	t.Telegun, t.Telegrenade, t.Telelaser = has(CharacterFlagTelegun), has(CharacterFlagTelegunGrenade), has(CharacterFlagTelegunLaser)
	t.Live, t.InFreeze, t.Deep = has(CharacterFlagCannotMove), has(CharacterFlagInFreeze), c.FreezeEnd == FreezeForever
	if t.FreezeStart = c.FreezeStart; c.FreezeEnd > tick {
		t.FreezeTime = c.FreezeEnd - tick
	} else if t.Deep {
		t.FreezeTime = 3 * TickRate
	}
	for weapon := range t.Weapons {
		t.Weapons[weapon] = has(CharacterFlagHasWeapon << weapon)
	}
	t.ActiveWeapon = ddrace.Weapon(min(max(c.Weapon, 0), NumWeapons-1))
	t.AttackTick, t.Ninja.ActivationTick = c.AttackTick, c.NinjaStart
	t.TeleCheckpoint = uint8(c.TeleCheckpoint)
	t.QueuedWeapon = -1
}

// SetInput sets the input of a player's tee for the next Step.
func (p *DDRacePrediction) SetInput(id PlayerID, in *Input) {
	n := ddrace.PlayerInput{Player: int(id), Input: ddraceInput(in)}
	for i := range p.inputs {
		if p.inputs[i].Player == n.Player {
			p.inputs[i] = n
			return
		}
	}
	p.inputs = append(p.inputs, n)
}

// Step predicts one tick.
func (p *DDRacePrediction) Step() {
	slices.SortStableFunc(p.inputs, func(a, b ddrace.PlayerInput) int { return cmp.Compare(a.Player, b.Player) })
	p.world.Step(p.inputs)
	p.inputs = p.inputs[:0]
}

// CopyFrom makes p a copy of o. Both must predict the same map.
func (p *DDRacePrediction) CopyFrom(o *DDRacePrediction) {
	p.world.CopyFrom(o.world)
	p.seen, p.told, p.zone, p.waiting = o.seen, o.told, o.zone, o.waiting
	p.inputs = append(p.inputs[:0], o.inputs...)
}

// Core returns the physics state of a player's tee, and false if the player has no tee.
func (p *DDRacePrediction) Core(id PlayerID) (c physics.Core, ok bool) {
	t := p.world.Tee(int(id))
	if t == nil {
		return c, false
	}
	k := &t.Core
	c.Pos, c.Vel, c.HookPos, c.HookDir = k.Pos, k.Vel, k.HookPos, k.HookDir
	c.HookTick, c.HookState, c.HookedPlayer = k.HookTick, k.HookState, k.HookedPlayer
	c.Jumped, c.Direction, c.Angle = k.Jumped, k.Direction, k.Angle
	return c, true
}
