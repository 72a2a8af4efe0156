package game

import (
	"errors"
	"fmt"

	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/splitmix"
)

// TickRate is the number of ticks per second.
const TickRate = 50

// MaxTick is the last tick of a world. The server restarts the map at this tick, as Teeworlds 0.7.5
// does, so that tick arithmetic does not overflow.
const MaxTick = 0x6FFFFFFF

// Errors of [New]. The returned error wraps one of them and adds details.
var (
	// ErrMode means that Config.Mode is nil.
	ErrMode = errors.New("game: Config.Mode is nil")
	// ErrState means that the state of a mode or mod is not of a fixed size; see [StateHook].
	ErrState = errors.New("game: invalid state of a mode or mod")
)

// Config holds the parameters of a new world.
type Config struct {
	Terrain Terrain
	// Collision is the result of physics.NewCollision for the terrain. Worlds can share it to save
	// most of New's time. If nil, New computes it.
	Collision *physics.Collision
	// Mode is the game type, for example dm.Mode. It is required.
	Mode Mode
	// Mods change or observe the rules, in this order, after the mode. The mode and the mods must
	// be values that no other world uses.
	Mods []Mod
	// Rules are the operator's settings. The zero value is not playable; start from [DefaultRules].
	Rules Rules
	// Tuning holds the physics and weapon parameters; nil means the default.
	Tuning *Tuning
	// Variables are the values of declared variables, by name; see [Setup.IntVar]. A variable that
	// is missing here has its default. Undeclared names, and text for a number, have no effect.
	Variables map[string]string
	// Seed initialises the world's random numbers. Equal seeds and equal commands give
	// equal worlds.
	Seed uint64
}

// pureTuning is the tuning of standard modes and of the clients' dead reckoning.
var pureTuning = physics.DefaultTuning()

// World is one map with everything on it. Only [World.Step] changes it. A World is not safe for
// concurrent use.
type World struct {
	rules     Rules
	tuning    Tuning
	mode      Mode
	mods      []Mod
	hooks     hooks
	decisions decisions
	modsOff   []bool // those that are switched off
	running   owner  // whose function runs
	panics    []modPanic
	finishes  []RaceFinish // of this tick, until the FinishHooks are called

	declared  declared
	perPlayer []playerClearer // of the states of mode and mods
	people    people

	tick      int32
	stepTick  int32      // of the Step that runs or ran last
	hookStops []HookStop // space for AppendHookStops
	command   int        // 1 + the index of the one that Step applies, 0 while it applies none
	rand      splitmix.Rand
	terrain   Terrain
	collision *physics.Collision
	sim       simulation
	traits    traits // of sim

	players [MaxPlayers]player
	tees    tee.Tees

	flags     [2]tee.Flag
	entityIDs tee.IDs

	// The things of modes and mods; see EntityKind.
	entityKinds  []EntityKind
	tuneZones    []tuneZone
	entities     []Entity // oldest first
	lastEntity   EntityID
	usesEntities bool // a mode or mod has made something
	building     bool // New has not returned
	drawn        drawn
	drawing      Drawing
	npcs         npcs

	match          match
	startingPlay   bool // while the RoundStartHooks are called
	race           RaceState
	storage        storageState
	paused         bool
	resetRequested bool
	teamsLocked    bool

	playerExtras [MaxPlayers]playerExtras

	events     []Event
	frame      Frame
	frameValid bool

	tx        Tx
	hookCalls [maxHookDepth]hookCall
	hookDepth int
	hookInput Input
	stateBuf  []byte
	visitor   visitor // of Hash and AppendState, which do not allocate one

	terrainSum uint32 // of the terrain, computed at first use
}

// New creates a world with the pickups and spawn points of the map, in warmup, at tick 0.
func New(cfg Config) (*World, error) {
	t := cfg.Terrain
	if err := t.Check(); err != nil {
		return nil, err
	}
	if cfg.Mode == nil {
		return nil, ErrMode
	}
	w := &World{tees: tee.Tees{Seats: fewPlayers}, mode: cfg.Mode, mods: append([]Mod(nil), cfg.Mods...), rules: cfg.Rules, terrain: t}
	w.modsOff = make([]bool, len(w.mods))
	w.tuning = pureTuning
	if cfg.Tuning != nil {
		w.tuning = *cfg.Tuning
	}
	w.rand = splitmix.Rand(cfg.Seed)
	if w.collision = cfg.Collision; w.collision == nil {
		var err error
		if w.collision, err = physics.NewCollision(t.Width, t.Height, t.Tiles); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrTerrain, err)
		}
	} else if w.collision.Width() != t.Width || w.collision.Height() != t.Height {
		c := w.collision
		return nil, fmt.Errorf("%w: Config.Collision has %d x %d tiles, the terrain %d x %d", ErrTerrain, c.Width(), c.Height(), t.Width, t.Height)
	}
	w.tees.Init(w.collision, w.tuning)
	for i := range w.flags {
		w.flags[i].Carrier = tee.Nobody
	}
	w.match.flags = cfg.Mode.Flags()
	w.tx.w = w
	w.sim = w.chooseSimulation()
	w.traits = w.sim.traits()
	if err := w.resolveHooks(); err != nil {
		return nil, err
	}
	w.decide()
	w.limitRules()
	if err := w.checkStates(); err != nil {
		return nil, err
	}
	w.initMatch()
	w.building = true
	w.declared.open, w.declared.values = true, cfg.Variables
	w.shareTime()
	w.hookDepth = maxHookDepth // no hooks until all have started
	setup := &Setup{w.tx}
	cfg.Mode.Start(setup)
	for i, m := range w.mods {
		w.protect(ownerOf(i), func() { m.Start(setup) })
	}
	w.hookDepth = 0
	w.declared.open, w.declared.values = false, nil
	if err := w.declared.err; err != nil {
		return nil, err
	}
	w.decideName()
	if err := w.sim.start(); err != nil {
		return nil, err
	}
	w.building = false
	return w, nil
}

// Step advances the world by one tick of 1/50 s and returns the events of the tick. The next Step
// reuses the slice.
//
// Step applies the commands in the given order, as requests that arrived since the last tick.
// Commands of kind [CmdInput] belong to the new tick and are applied after all others. A command
// that is malformed or that the rules do not allow has no effect.
func (w *World) Step(cmds []Command) []Event {
	w.events = w.events[:0]
	w.frameValid = false
	w.stepTick = w.tick + 1
	for _, id := range w.tees.InOrder() {
		w.tees.All[id].TriggeredEvents = 0
	}
	w.sim.begin()
	for i := range cmds {
		if cmds[i].Kind != CmdInput {
			w.command = i + 1
			w.apply(&cmds[i])
		}
	}
	w.command = 0
	w.tick++
	w.sim.tick(cmds)
	w.tickRest()
	w.sim.end()
	return w.events
}

// tickRest runs the parts of a tick that no simulation runs, after the simulation has moved
// everything.
func (w *World) tickRest() {
	w.tickMatch()
	w.tickTimers()
	w.callTick()
	if len(w.finishes) > 0 {
		w.callFinishes()
	}
	for id := PlayerID(0); id < MaxPlayers; id++ {
		if w.players[id].connected {
			w.tickPlayer(id)
			w.postTickPlayer(id)
		}
	}
	if w.usesEntities {
		w.finishEntities()
	}
	if w.tees.Extended {
		w.sim.tellTunings()
	}
	if len(w.panics) > 0 {
		w.tellPanics()
	}
}

// isAlive reports whether the player has a living tee.
func (w *World) isAlive(id PlayerID) bool { return w.tees.Alive(tee.ID(id)) }

// resetPureTuning resets the tuning if the rules require the default.
func (w *World) resetPureTuning() {
	if w.rules.PureTuning {
		w.tuning = pureTuning
	}
}

func (w *World) addEvent(e Event) {
	w.events = append(w.events, e)
}
