package route

import (
	"slices"

	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/splitmix"
)

const (
	me = 0 // player id of the simulated tee
	// rollouts is the number of trials each time a place is taken.
	rollouts = 6
	// maxFrozen is how many ticks to wait for a frozen tee.
	maxFrozen = 400
	// maxTiles is the maximum size of a searched map in tiles, 16 times the largest map in use.
	maxTiles = 1 << 22
	// maxStages limits the memory for fields. At least fewStages are allowed on any map.
	maxStages, fewStages = 40, 4
)

// Work besides simulated ticks is counted in tiles read.
const (
	tilesPerTick  = 250 // take as long as a typical tick
	bytesPerTile  = 100 // of saved and loaded moments
	looksPerField = 10  // reads per tile
)

// Search searches for a route. Create one with [NewSearch].
type Search struct {
	ground *ground
	world  *ddrace.World
	fields map[stage]*stageField
	rand   splitmix.Rand

	places  []place
	byKey   map[key]int32
	kept    int // number of places with a moment
	limit   int // limit on kept
	unused  []*ddrace.Moment
	queue   [][]int32 // places by priority; lower ones come first
	first   int       // index in queue before which there are no places
	end     int32     // node at the finish, 0 for none
	ticks   int       // simulated ticks
	looked  int       // tiles read, in ticks and for moments
	tries   int       // rollouts left for the current place
	place   int32     // current place
	stages  int       // limit on stages
	length  int32     // length of the way, half tiles
	front   int32     // lowest rank of all places
	done    bool
	nodes   []node
	inputs  []ddrace.PlayerInput
	current []Step // current maneuver
	steps   []Step // steps since the last node
	taken   int32  // ticks of steps
}

// stageField is the field of a stage.
type stageField struct {
	id      uint8
	started bool
	doors   int // closed doors on the way
	field   field
}

// node is a part of a route, linked to the previous part.
type node struct {
	before int32 // index of the previous node, -1 for the first
	ticks  int32 // from the spawn to the end of this part
	steps  []Step
}

// NewSearch returns a search. The error comes from ddrace.NewMap.
func NewSearch(cfg Config) (*Search, error) {
	w, err := cfg.world()
	if err != nil {
		return nil, err
	}
	if len(cfg.Terrain.Tiles) > maxTiles {
		return &Search{done: true}, nil
	}
	if cfg.Memory == 0 {
		cfg.Memory = 64 << 20
	}
	s := &Search{
		ground: newGround(w.Map(), &cfg.Terrain), world: w, rand: splitmix.Rand(cfg.Seed),
		stages: min(max(cfg.Memory/(2*len(cfg.Terrain.Tiles)), fewStages), maxStages),
		fields: map[stage]*stageField{}, byKey: map[key]int32{}, inputs: make([]ddrace.PlayerInput, 1), front: unreachable,
	}
	s.settle()
	if s.world.Tee(me) == nil {
		s.done = true // there is no spawn point, or it is deadly
		return s, nil
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

// settle lets the tee come to rest, so that the route can begin at any time.
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

// lengthFromStart returns the shortest distance from the start line to the finish, in half tiles.
func (s *Search) lengthFromStart() int32 {
	best := int32(unreachable)
	var f *stageField
	for i := range s.ground.wall {
		if !s.ground.has(i, ddrace.TileStart) {
			continue
		}
		if f == nil {
			f = s.stageOf(stage{started: true, active: s.world.ActiveSwitches(0)}, i)
		}
		best = min(best, f.field[i])
	}
	return best
}

// Done reports whether the finish was reached or nothing is left to try.
func (s *Search) Done() bool { return s.done }

// Ticks returns the number of simulated ticks.
func (s *Search) Ticks() int { return s.ticks }

// Work returns the work so far in typical ticks. On some maps one tick is a thousand times as much
// work.
func (s *Search) Work() int {
	if s.ground == nil {
		return 0
	}
	return s.ticks + (s.looked+looksPerField*s.ground.looked)/tilesPerTick
}

// Run continues the search for about as much work as the given number of typical ticks. The result
// does not depend on how the work is divided into calls.
func (s *Search) Run(ticks int) {
	for end := s.Work() + ticks; s.Work() < end && !s.done; s.tries-- {
		if s.tries == 0 {
			i, ok := s.take()
			if !ok {
				s.done = true
				return
			}
			s.place, s.tries = i, rollouts
		}
		p := s.places[s.place]
		s.world.Load(p.moment, me)
		s.looked += p.moment.Bytes() / bytesPerTile
		if s.rollout(&p); s.tries == 1 {
			s.places[s.place].visits++
			s.enqueue(s.place)
		}
	}
}

// stage returns the stage of the tee, or nil if there are too many stages.
func (s *Search) stage(t *ddrace.Tee) *stageField {
	k := stage{started: t.Race != ddrace.RaceNone || !s.ground.hasStart, checkpoint: t.TeleCheckpoint, active: s.world.ActiveSwitches(0)}
	return s.stageOf(k, s.ground.tile(t.Pos))
}

// stageOf returns the field of a stage that begins at the tile at.
func (s *Search) stageOf(k stage, at int) *stageField {
	f := s.fields[k]
	if f == nil && len(s.fields) < s.stages {
		f = &stageField{id: uint8(len(s.fields)), started: k.started}
		f.field, f.doors = s.ground.newField(&k, at)
		s.fields[k] = f
	}
	return f
}

// rollout tries several maneuvers in a row from a place.
func (s *Search) rollout(from *place) {
	n, fire, aim, f := from.node, from.fire, from.aim, from.stage.field
	s.steps, s.taken = s.steps[:0], 0
	for range 1 + s.rand.Uint32n(4) {
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

// node adds a node with the steps since the node before.
func (s *Search) node(before int32) int32 {
	s.nodes = append(s.nodes, node{before: before, ticks: s.nodes[before].ticks + s.taken, steps: slices.Clone(s.steps)})
	return int32(len(s.nodes) - 1)
}

// step simulates a tick. It reports whether the tee survives.
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
	s.looked += s.world.Work()
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
