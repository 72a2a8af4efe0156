package ddrace

const (
	// MaxTees is the number of players of a world.
	MaxTees = 128
	// TickRate is the number of ticks in a second.
	TickRate = 50
	// TeamSuper is the team of super tees. The other teams are 0 to 63; players in team 0 race
	// alone.
	TeamSuper = 64

	maxTeams = 64

	fewTees = 64 // most worlds have no higher ids
)

// Config has the parameters of a world.
type Config struct {
	Map *Map
	// Seed is the seed of the random numbers, as in the header of a teehistorian.
	Seed [2]uint64
	// Teams runs the races of teams. If it is nil, each player races alone.
	Teams Teams
}

// World is a world of DDRace: the map's entities and the tees. [World.Step] runs a tick; the other
// methods act between two ticks. Create a World with [New].
type World struct {
	m        *Map
	settings Settings
	tick     int32
	rand     prng

	// seats is fewTees until a player with a higher id enters, and then MaxTees.
	seats int

	players   [MaxTees]player
	players20 [MaxTees]player20
	tees      [MaxTees]Tee
	order     order
	// ids are the ids of the tees in the world, ascending.
	ids    [MaxTees]uint8
	numIDs int

	practice uint64 // teams, as bits
	teams    [maxTeams]teamState
	rules    Teams
	switches switches
	entities entities
	tuning   tuningCache

	looks    int    // for shots and of entities in this tick, see maxLooks
	hooking  int    // the same for hooks
	endBeams bool   // a dragger has let go of a tee in this tick
	nextID   uint16 // of what is fired next
	doorEnds []Vec

	events []Event
	taken  bool // the events were returned
	limits eventLimits
	way    []int32
	exit   foundSpawn
}

// New creates a world without players.
func New(cfg Config) *World {
	w := &World{seats: fewTees, m: cfg.Map, settings: cfg.Map.Settings, rand: newPRNG(cfg.Seed), rules: cfg.Teams}
	w.switches.init(w.m)
	w.cacheTuning()
	w.createEntities()
	w.prepareView()
	return w
}

// seat makes room for a player.
func (w *World) seat(id int) {
	if id >= fewTees {
		w.seats = MaxTees
	}
}

// Tick returns the current tick: the number of calls of Step.
func (w *World) Tick() int32 { return w.tick }

// Map returns the map.
func (w *World) Map() *Map { return w.m }

// Settings returns the settings. Only [World.SetSettings] may change them.
func (w *World) Settings() *Settings { return &w.settings }

// SetSettings changes the settings. New open switches take effect when a team starts anew. States
// that only DDNet 20 has end when the settings select an older release.
func (w *World) SetSettings(s Settings) {
	w.settings = s
	w.switches.begin(&w.settings.Open)
	w.cacheTuning()
	if !s.release20() {
		w.players20 = [MaxTees]player20{}
		for i := range w.tees {
			w.tees[i].Invincible = false
		}
	}
}

// Tee returns a player's living tee in the world, or nil if there is none.
func (w *World) Tee(id int) *Tee {
	if id < 0 || id >= MaxTees || !w.players[id].inWorld {
		return nil
	}
	return &w.tees[id]
}

// AliveTee returns a player's living tee, even if it is paused and out of the world. It returns nil
// if there is none.
func (w *World) AliveTee(id int) *Tee {
	if id < 0 || id >= MaxTees || !w.players[id].alive {
		return nil
	}
	return &w.tees[id]
}

// InGame reports whether a player with this id is in the game, also as a spectator.
func (w *World) InGame(id int) bool { return w.players[id].inGame }

// present returns the ids of the tees in the world, ascending.
func (w *World) present() []uint8 { return w.ids[:w.numIDs] }

// PlayerInput is an input of a player.
type PlayerInput struct {
	Player int
	Input  Input
}

// Step runs a tick. inputs are the inputs that arrived for the tick, by ascending player id and
// then in the order of arrival. The first input of a player moves the tee, and all act on its
// weapons; a player without an input repeats the last one. Step returns the events of the tick and
// of the calls before it, valid until the next call.
func (w *World) Step(inputs []PlayerInput) []Event {
	w.looks, w.hooking = 0, 0
	var first [MaxTees]*Input
	for id := range w.seats {
		p := &w.players[id]
		for len(inputs) > 0 && inputs[0].Player <= id {
			if in := &inputs[0]; in.Player == id && p.inGame {
				if first[id] == nil {
					first[id] = &in.Input
				}
				p.input, p.hasInput = in.Input, true
				w.directInput(id, &in.Input)
			}
			inputs = inputs[1:]
		}
		if first[id] == nil && p.hasInput {
			w.directInput(id, &p.input)
		}
	}
	w.tick++
	for id := range w.seats {
		p := &w.players[id]
		if !p.hasInput {
			continue
		}
		in := first[id]
		if in == nil {
			in = &p.input
		}
		w.predictedInput(id, in)
	}
	equal, beforeEntities := w.settings.EqualHooks()
	if equal && beforeEntities {
		w.tickCores()
	}
	w.tickEntities()
	if equal && !beforeEntities {
		w.tickCores()
	}
	w.tickTees(equal)
	w.removeEntities()
	w.giveIDs()
	if w.rules != nil {
		w.rules.Tick(w)
	}
	w.tickPlayers()
	w.switches.tick(w.tick)
	if w.taken {
		w.clearEvents()
	}
	w.taken = true
	return w.events
}

// tickCores runs the first part of the tick of all tees.
func (w *World) tickCores() {
	for t := range w.order.walk(w) {
		w.tickBefore(t)
	}
}

// tickTees lets all tees act, newest first, and then move. With late, tickCores ran the
// first part of their tick, so that no hook is weak.
func (w *World) tickTees(late bool) {
	for t := range w.order.walk(w) {
		if late {
			w.tickForces(t)
		} else {
			w.tickBefore(t)
		}
		w.tickWeapons(t)
		w.tickTiles(t)
		t.PrevPos = t.Core.Pos
	}
	for t := range w.order.walk(w) {
		w.tickMove(t)
	}
}

// tickBefore is the first part of a tee's tick: its state and its core.
func (w *World) tickBefore(t *Tee) {
	if t.StartTick > w.tick {
		w.message(t, MessageOldAge, 0)
		w.die(int(t.id), WeaponWorld)
	}
	w.tickState(t)
	w.tickCore(t)
	if equal, _ := w.settings.EqualHooks(); !equal {
		w.tickForces(t)
	}
}

// tickMove moves a tee after all have acted.
func (w *World) tickMove(t *Tee) {
	w.move(t)
	t.Core.quantize()
	t.Pos = t.Core.Pos
	for _, s := range [...]struct {
		event   uint32
		sound   Sound
		notSelf bool
	}{
		{CoreGroundJump, SoundPlayerJump, true},
		{CoreHookAttachPlayer, SoundHookAttachPlayer, false},
		{CoreHookAttachGround, SoundHookAttachGround, true},
		{CoreHookHitNoHook, SoundHookNoAttach, true},
	} {
		if t.Core.Events&s.event != 0 {
			w.addEvent(Event{Kind: EventSound, Tee: t.id, Pos: t.Pos, Value: int32(s.sound), NotSelf: s.notSelf})
		}
	}
}

// order is the tees in the world from the oldest to the newest. The newest tee acts first, and
// later tees overrule it. Players call this weak and strong hook.
type order struct {
	ids   [MaxTees]int8
	count int
	next  int // what is walked next; those that are removed meanwhile keep it valid
}

// add adds the newest tee. A walk does not reach it.
func (o *order) add(id int8) {
	o.ids[o.count] = id
	o.count++
}

func (o *order) remove(id int8) {
	for i, v := range o.ids[:o.count] {
		if v == id {
			copy(o.ids[i:], o.ids[i+1:o.count])
			o.count--
			if i <= o.next {
				o.next--
			}
			return
		}
	}
}

// walk walks from the newest to the oldest tee.
func (o *order) walk(w *World) func(yield func(*Tee) bool) {
	return func(yield func(*Tee) bool) {
		for o.next = o.count - 1; o.next >= 0; {
			id := o.ids[o.next]
			o.next--
			if !yield(&w.tees[id]) {
				return
			}
		}
	}
}

// Tees iterates over the tees in the world from the newest to the oldest.
func (w *World) Tees(yield func(*Tee) bool) { w.newest(yield) }

// newest walks through the tees in the world from the newest to the oldest. Every search for tees
// uses this order.
func (w *World) newest(yield func(*Tee) bool) {
	for i := w.order.count - 1; i >= 0; i-- {
		if !yield(&w.tees[w.order.ids[i]]) {
			return
		}
	}
}

// team returns the team of a player.
func (w *World) team(id int) uint8 { return w.players[id].team }

// canCollide reports whether two players' tees act on each other.
func (w *World) canCollide(a, b int) bool {
	p, o := &w.players[a], &w.players[b]
	if p.team == TeamSuper || o.team == TeamSuper || a == b {
		return true
	}
	return p.team == o.team && !w.tees[a].Core.Solo && !w.tees[b].Core.Solo
}

// canKeepHook is canCollide for a hook that holds.
func (w *World) canKeepHook(a, b int) bool {
	p, o := &w.players[a], &w.players[b]
	return p.team == o.team || p.team == TeamSuper || o.team == TeamSuper
}

// params is a tuning as computations use it.
type params [NumTuneParams]float32

// tuningCache has the tunings of the world and the zones. zones is nil if all zones have the
// preset.
type tuningCache struct {
	world, preset params
	zones         []params
}

func paramsOf(t *Tuning) (p params) {
	for i := range p {
		p[i] = t.At(i)
	}
	return p
}

// cacheTuning updates the cache after a change of the settings.
func (w *World) cacheTuning() {
	k := &w.tuning
	k.world, k.preset = paramsOf(&w.settings.Tuning), paramsOf(&zonePreset)
	k.zones = make([]params, len(w.settings.Zones))
	for i := range k.zones {
		k.zones[i] = paramsOf(&w.settings.Zones[i])
	}
}

// params returns the tuning of a zone.
func (w *World) params(zone uint8) *params {
	switch k := &w.tuning; {
	case zone == 0:
		return &k.world
	case int(zone) < len(k.zones):
		return &k.zones[zone]
	default:
		return &k.preset
	}
}
