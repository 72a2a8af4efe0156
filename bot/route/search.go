package route

import (
	"slices"

	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

const (
	me = 0 // the player of the simulation
	// rollouts is how many ways are tried from a place each time that it is taken.
	rollouts = 6
	// visitCost is what a visit adds to the distance of a place, in tiles, so that others are tried.
	visitCost = 3
	// armedBonus is how far behind the first a tee with a grenade launcher is taken to be beside it, in
	// half tiles: a map has it where it is needed.
	armedBonus = 200
	// placeBytes is what a place needs besides its moment, with its steps, about.
	placeBytes = 600
	// maxFrozen is how long a frozen tee is waited for, in ticks.
	maxFrozen = 400
)

// Search looks for a route. Use [NewSearch].
type Search struct {
	ground *ground
	world  *ddrace.World
	fields map[stage]*stageField
	rand   rng

	places  []place
	byKey   map[key]int32
	kept    int // places with a moment
	limit   int // of them
	unused  []*ddrace.Moment
	queue   [][]int32 // places by their priority
	first   int       // no lower priority has places
	end     int32     // the node that finishes, 0 for none
	ticks   int       // simulated
	length  int32     // of the way, half tiles
	front   int32     // the lowest rank of all places
	done    bool
	nodes   []node
	inputs  []ddrace.PlayerInput
	current []Step // the maneuver
	steps   []Step // since the last node
	taken   int32  // their ticks
}

// stageField is the field of a stage.
type stageField struct {
	id      uint8
	started bool
	doors   int // that are closed on the way
	field   field
}

// node is a part of a route, and the one before it.
type node struct {
	before int32 // -1 for the first
	ticks  int32 // from the spawn to the end
	steps  []Step
}

// place is a state that was reached.
type place struct {
	moment *ddrace.Moment // nil if it was forgotten
	node   int32
	left   int32 // distance to the goal, half tiles
	fire   int32 // the input's counter
	aim    [2]int16
	visits int32
	stage  *stageField
	armed  bool // it has a grenade launcher
}

// key is what places have in common of which one is kept, the one that was reached first.
type key struct {
	x, y   int16 // tiles
	vx, vy int8
	flags  uint16
	stage  uint8
}

// maxStages limits the memory for fields.
const maxStages = 40

// NewSearch begins a search. The error is that of ddrace.NewMap.
func NewSearch(cfg Config) (*Search, error) {
	w, err := cfg.world()
	if err != nil {
		return nil, err
	}
	s := &Search{
		ground: newGround(w.Map(), &cfg.Terrain), world: w, rand: rng(cfg.Seed),
		fields: map[stage]*stageField{}, byKey: map[key]int32{}, inputs: make([]ddrace.PlayerInput, 1), front: unreachable,
	}
	s.settle()
	if s.world.Tee(me) == nil {
		s.done = true // there is no spawn point, or it is deadly
		return s, nil
	}
	if cfg.Memory == 0 {
		cfg.Memory = 64 << 20
	}
	var first ddrace.Moment
	s.world.Save(&first, me)
	s.limit = max(cfg.Memory/(first.Bytes()+placeBytes), 100)
	if !s.add(0, 0, [2]int16{1, 0}) {
		s.done = true // there is no way
		return s, nil
	}
	s.length = s.places[0].left
	if first := s.places[0].stage; !first.started {
		s.length += s.lengthFromStart()
	}
	return s, nil
}

// settle lets the tee come to rest, so that the route can be begun at any time.
func (s *Search) settle() {
	first := node{before: -1}
	for still := 0; still < 5 && first.ticks < 150 && s.world.Tee(me) != nil; first.ticks++ {
		before := s.world.Tee(me).Core
		s.world.Step([]ddrace.PlayerInput{{Player: me, Input: rest.Input(0)}})
		still++
		if t := s.world.Tee(me); t == nil || t.Core.Pos != before.Pos || t.Core.Vel != before.Vel {
			still = 0
		}
	}
	first.steps = []Step{rest}
	first.steps[0].Ticks = uint8(first.ticks)
	s.nodes = append(s.nodes, first)
}

// lengthFromStart returns the least distance of the start line to the finish.
func (s *Search) lengthFromStart() int32 {
	best := int32(unreachable)
	for i := range s.ground.wall {
		if s.ground.has(i, tileStart) {
			if f := s.stageOf(stage{started: true, active: s.world.ActiveSwitches(0)}, i); f != nil {
				best = min(best, f.field[i])
			}
		}
	}
	return best
}

// Done reports whether the finish was reached, or there is nothing left to try.
func (s *Search) Done() bool { return s.done }

// Ticks returns the number of ticks that were simulated.
func (s *Search) Ticks() int { return s.ticks }

// Run searches on for about that many simulated ticks.
func (s *Search) Run(ticks int) {
	for end := s.ticks + ticks; s.ticks < end && !s.done; {
		i, ok := s.take()
		if !ok {
			s.done = true
			return
		}
		p := s.places[i]
		for range rollouts {
			s.world.Load(p.moment, me)
			s.rollout(&p)
			if s.done {
				return
			}
		}
		s.places[i].visits++
		s.enqueue(i)
	}
}

// stage returns the stage of the tee, nil if there are too many.
func (s *Search) stage(t *ddrace.Tee) *stageField {
	k := stage{started: t.Race != ddrace.RaceNone || !s.ground.hasStart, checkpoint: t.TeleCheckpoint, active: s.world.ActiveSwitches(0)}
	return s.stageOf(k, s.ground.tile(t.Pos))
}

// stageOf returns the field of a stage that begins at a tile.
func (s *Search) stageOf(k stage, at int) *stageField {
	f := s.fields[k]
	if f == nil && len(s.fields) < maxStages {
		f = &stageField{id: uint8(len(s.fields)), started: k.started}
		f.field, f.doors = s.ground.newField(&k, at)
		s.fields[k] = f
	}
	return f
}

// keyOf returns the key of the tee's state.
func (s *Search) keyOf(t *ddrace.Tee, f *stageField) key {
	c := &t.Core
	k := key{x: int16(int32(c.Pos.X) >> 5), y: int16(int32(c.Pos.Y) >> 5), vx: speedClass(c.Vel.X), vy: speedClass(c.Vel.Y), stage: f.id}
	if c.Jumped&2 == 0 {
		k.flags |= 1 + 64*uint16(min(max(c.Jumps-c.JumpedTotal, 0), 15))
	}
	if c.HookState == physics.HookGrabbed {
		k.flags |= 2
	}
	if t.FreezeTime > 0 {
		k.flags |= 4
	}
	if t.Weapons[ddrace.WeaponGrenade] {
		k.flags |= 8
		if t.ReloadTimer > 0 {
			k.flags |= 16
		}
	}
	return k
}

func speedClass(v float32) int8 {
	switch {
	case v < -12:
		return -2
	case v < -3:
		return -1
	case v < 3:
		return 0
	case v < 12:
		return 1
	}
	return 2
}

// add keeps the state of the world, reached by the steps since a node, as a place unless there is one
// that is as good.
func (s *Search) add(n int32, fire int32, aim [2]int16) bool {
	t := s.world.Tee(me)
	f := s.stage(t)
	if f == nil {
		return false
	}
	left := f.field[s.ground.tile(t.Pos)]
	if left >= unreachable {
		return false
	}
	k := s.keyOf(t, f)
	i, known := s.byKey[k]
	switch {
	case known && (s.places[i].moment == nil || s.nodes[s.places[i].node].ticks <= s.nodes[n].ticks+s.taken):
		return false
	case !known:
		if s.kept == s.limit {
			s.forget()
		}
		i = int32(len(s.places))
		s.places = append(s.places, place{moment: s.newMoment()})
		s.byKey[k] = i
	}
	p := &s.places[i]
	s.world.Save(p.moment, me)
	p.node, p.left, p.fire, p.aim, p.stage, p.armed = s.node(n), left, fire, aim, f, t.Weapons[ddrace.WeaponGrenade]
	if !known {
		s.enqueue(i)
	}
	return true
}

// newMoment returns a moment to save in.
func (s *Search) newMoment() *ddrace.Moment {
	s.kept++
	if n := len(s.unused); n > 0 {
		m := s.unused[n-1]
		s.unused = s.unused[:n-1]
		return m
	}
	return new(ddrace.Moment)
}

// forget drops the half of the places that would be taken last.
func (s *Search) forget() {
	drop := s.kept / 2
	for at := len(s.queue) - 1; at >= 0 && drop > 0; at-- {
		for _, i := range s.queue[at] {
			p := &s.places[i]
			s.unused = append(s.unused, p.moment)
			p.moment = nil
		}
		s.kept -= len(s.queue[at])
		drop -= len(s.queue[at])
		s.queue[at] = s.queue[at][:0]
	}
}

// enqueue puts a place into the queue.
func (s *Search) enqueue(i int32) {
	p := &s.places[i]
	rank := s.rank(p)
	s.front = min(s.front, rank)
	if p.armed {
		rank = max(rank-armedBonus, s.front)
	}
	at := int(rank/unitsPerTile + visitCost*p.visits)
	for len(s.queue) <= at {
		s.queue = append(s.queue, nil)
	}
	s.queue[at] = append(s.queue[at], i)
	s.first = min(s.first, at)
}

// take takes a place with the lowest priority.
func (s *Search) take() (int32, bool) {
	for ; s.first < len(s.queue); s.first++ {
		q := s.queue[s.first]
		if len(q) == 0 {
			continue
		}
		k := s.rand.intn(uint32(len(q)))
		i := q[k]
		q[k] = q[len(q)-1]
		s.queue[s.first] = q[:len(q)-1]
		return i, true
	}
	return 0, false
}

// rollout tries some maneuvers in a row from a place.
func (s *Search) rollout(from *place) {
	n, fire, aim, f := from.node, from.fire, from.aim, from.stage.field
	s.steps, s.taken = s.steps[:0], 0
	for range 1 + s.rand.intn(4) {
		s.current = s.maneuver(s.current[:0], f, aim)
		for i := range s.current {
			st := &s.current[i]
			aim = [2]int16{st.TargetX, st.TargetY}
			for range st.Ticks {
				if !s.step(st, &fire) {
					return
				}
			}
		}
		for wait := 0; s.world.Tee(me).FreezeTime > 0 && !s.done; wait++ {
			if t := s.world.Tee(me); wait > maxFrozen || t.InFreeze && wait > 10 && t.Core.Vel.Len() < 0.7 {
				return
			}
			if !s.step(&Step{TargetX: aim[0], TargetY: aim[1]}, &fire) {
				return
			}
		}
		if s.done {
			s.end = s.node(n)
			return
		}
		if s.add(n, fire, aim) {
			n = int32(len(s.nodes) - 1)
			s.steps, s.taken = s.steps[:0], 0
		}
	}
}

// node keeps the steps since a node.
func (s *Search) node(before int32) int32 {
	s.nodes = append(s.nodes, node{before: before, ticks: s.nodes[before].ticks + s.taken, steps: slices.Clone(s.steps)})
	return int32(len(s.nodes) - 1)
}

// step runs a tick. It reports whether the tee lives on.
func (s *Search) step(st *Step, fire *int32) bool {
	if s.done {
		return true
	}
	s.taken++
	if n := len(s.steps); n > 0 && s.steps[n-1].same(st) && s.steps[n-1].Ticks < 255 {
		s.steps[n-1].Ticks++
	} else {
		s.steps = append(s.steps, *st)
		s.steps[n].Ticks = 1
	}
	in := st.Input(*fire)
	*fire = in.Fire
	s.inputs[0] = ddrace.PlayerInput{Player: me, Input: in}
	s.world.Step(s.inputs)
	s.ticks++
	t := s.world.Tee(me)
	if t == nil {
		return false
	}
	if t.Race == ddrace.RaceFinished {
		s.done = true
	}
	return true
}

// Route returns the best route so far.
func (s *Search) Route() Route {
	if len(s.places) == 0 {
		return Route{}
	}
	r := Route{Length: int(s.length / unitsPerTile)}
	n := s.end
	if r.Finished = n != 0; !r.Finished {
		best := int32(0)
		for i := range s.places {
			if s.rank(&s.places[i]) < s.rank(&s.places[best]) {
				best = int32(i)
			}
		}
		p := &s.places[best]
		n, r.Left = p.node, int(p.left/unitsPerTile)
		if !p.stage.started {
			r.Left = r.Length - int((s.places[0].left-p.left)/unitsPerTile)
		}
	}
	var parts [][]Step
	for ; n >= 0; n = s.nodes[n].before {
		parts = append(parts, s.nodes[n].steps)
	}
	for i := len(parts) - 1; i >= 0; i-- {
		r.Steps = append(r.Steps, parts[i]...)
	}
	for i := range r.Steps {
		r.Ticks += int(r.Steps[i].Ticks)
	}
	return r
}

// rank returns how far a place is from the finish, in half tiles, with all that is to be done before.
func (s *Search) rank(p *place) int32 {
	left := min(p.left, 50000)
	if !p.stage.started {
		return left + 500000
	}
	return left + 50000*int32(min(p.stage.doors, 9))
}

// maneuver makes random inputs for a few ticks.
func (s *Search) maneuver(dst []Step, f field, aim [2]int16) []Step {
	r, t := &s.rand, s.world.Tee(me)
	dir := int8(r.intn(3)) - 1
	if r.chance(60) {
		dir = s.downhill(f, t.Pos)
	}
	ticks := uint8(3 + r.intn(18))
	base := Step{Direction: dir, TargetX: aim[0], TargetY: aim[1]}
	switch hooked := t.Core.HookState == physics.HookGrabbed; {
	case hooked && r.chance(60):
		base.Hook = true
	case !hooked && r.chance(45):
		if x, y, ok := s.hookTarget(t.Pos); ok {
			base.Hook, base.TargetX, base.TargetY = true, x, y
			// It must be released first.
			if t.Core.HookState != physics.HookIdle {
				idle := base
				idle.Ticks, idle.Hook = 1, false
				dst = append(dst, idle)
			}
			ticks += 6
		}
	}
	if t.Weapons[ddrace.WeaponGrenade] {
		base.Weapon = uint8(ddrace.WeaponGrenade) + 1
		if !base.Hook && t.ReloadTimer == 0 && t.ActiveWeapon == ddrace.WeaponGrenade && r.chance(30) {
			return s.grenadeJump(dst, base, ticks)
		}
	}
	if !r.chance(45) {
		base.Ticks = ticks
		return append(dst, base)
	}
	before := uint8(0)
	if r.chance(50) {
		before = uint8(r.intn(uint32(ticks)))
	}
	if before == 0 && t.Core.Jumped&1 != 0 {
		before = 1
	}
	if before > 0 {
		base.Ticks = before
		dst = append(dst, base)
	}
	base.Jump, base.Ticks = true, 1
	dst = append(dst, base)
	if rest := int(ticks) - int(before) - 1; rest > 0 {
		base.Jump, base.Ticks = false, uint8(rest)
		dst = append(dst, base)
	}
	return dst
}

// grenadeJump fires a grenade, mostly downwards, whose explosion pushes the tee, and perhaps jumps
// before.
func (s *Search) grenadeJump(dst []Step, base Step, ticks uint8) []Step {
	r := &s.rand
	if wait := r.intn(8); r.chance(60) {
		base.Jump, base.Ticks = true, 1
		dst = append(dst, base)
		if base.Jump = false; wait > 0 {
			base.Ticks = uint8(wait)
			dst = append(dst, base)
		}
	}
	d := vec.Direction(float32(r.intn(128)+32) * (3.14159265 / 192))
	if r.chance(15) {
		d = vec.Direction(float32(r.intn(256)) * (3.14159265 / 128))
	}
	base.TargetX, base.TargetY = int16(d.X*200), int16(d.Y*200)
	base.Fire, base.Ticks = true, 1
	dst = append(dst, base)
	base.Fire, base.Ticks = false, ticks
	return append(dst, base)
}

// downhill returns the direction in which the distance to the goal falls, some tiles along the way.
func (s *Search) downhill(f field, at ddrace.Vec) int8 {
	w := s.ground.width
	i := s.ground.tile(at)
	x0 := i % w
	for range 4 {
		best := i
		x, y := i%w, i/w
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				if x+dx < 0 || x+dx >= w || y+dy < 0 || y+dy >= s.ground.t.Height {
					continue
				}
				if k := (y+dy)*w + x + dx; f[k] < f[best] {
					best = k
				}
			}
		}
		i = best
	}
	switch x := i % w; {
	case x < x0:
		return -1
	case x > x0:
		return 1
	}
	return 0
}

// hookTarget returns a random direction in which the hook finds hold.
func (s *Search) hookTarget(from ddrace.Vec) (x, y int16, ok bool) {
	const reach = 380
	for range 3 {
		d := vec.Direction(float32(s.rand.intn(256)) * (3.14159265 / 128))
		if s.ground.m.HookHolds(from, from.Add(d.Mul(reach))) {
			return int16(d.X * 200), int16(d.Y * 200), true
		}
	}
	return 0, 0, false
}

// rng is the splitmix64 random number generator.
type rng uint64

// next returns 32 random bits.
func (s *rng) next() uint32 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return uint32((z ^ z>>31) >> 32)
}

// intn returns a random number from 0 to n-1.
func (s *rng) intn(n uint32) uint32 { return uint32(uint64(s.next()) * uint64(n) >> 32) }

// chance returns true in p percent of the calls.
func (s *rng) chance(p uint32) bool { return s.intn(100) < p }
