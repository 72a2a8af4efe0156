package teeverify

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/terrain"
)

// match is a recording during its verification.
type match struct {
	cfg       *Config
	res       *Result
	file      *teehistorian.Reader
	gmap      *ddrace.Map
	searching bool
	searched  int64 // work of the searches so far, in the units of idleWork
	world     *ddrace.World
	// killDelay and teamDelay are the least ticks between two kills, and between two team changes,
	// that a player asks for.
	killDelay, teamDelay int32
	// killProtection is sv_kill_protection, in minutes, times TickRate. Only /kill kills a tee that
	// has raced for so long; 0 turns this off.
	killProtection int32
	// pauseDelay is the least number of ticks between a player's pause and return.
	pauseDelay int32
	pauseable  bool  // tees of /spec leave the world
	askDelay   int32 // least number of ticks between two rank commands of a player
	saves      bool  // players can save and load
	own        bool  // our server made the recording

	// frames are the frames since the older checkpoint. first is the number of frames[0], and next
	// the number of the next frame to run.
	frames      []frame
	first, next int
	checkpoints []checkpoint // at most two, the older one first
	// told is the last tick passed to OnTick. done is the last tick whose actions were passed to
	// OnAction.
	told, done int32
	err        error                 // error of OnTick
	during     []teehistorian.Record // records within the next tick
	state
}

// frame is a tick of the recording.
type frame struct {
	tick    int32
	partial bool // the file ends within this frame, so tees may be missing
	alive   [teehistorian.MaxClients]bool
	pos     [teehistorian.MaxClients]teehistorian.Point
	actions []teehistorian.Record
	early   int // the number of actions that happened within the tick
}

// state holds everything besides the world that changes while a match runs.
type state struct {
	clients [teehistorian.MaxClients]clientState
	inputs  []ddrace.PlayerInput // for the next tick
	recent  []Repeat             // inputs of the last maxSearch ticks, each once
	alive   [teehistorian.MaxClients]bool
	pos     [teehistorian.MaxClients]teehistorian.Point
	teams   teams
	saving  [ddrace.TeamSuper]saving
	idle    int64 // work of the ticks without a frame
	paused  bool  // pause_game
	// cause is the last unknown command, and causeTick its tick.
	cause     string
	causeTick int32
}

type clientState struct {
	version7  bool
	input     ddrace.Input // the last one
	hasInput  bool
	recentFor int32 // tick of the client's last entry in recent, 0 for none
	lastKill  int32 // tick, 0 for none

	entered   bool
	spectator bool
	lastTeam  int32 // tick of the last change, 0 for none

	name        string
	pause       pauseKind
	lastPause   int32      // tick of the last change, 0 for none
	lastAsked   int32      // tick of the last rank command, 0 for none
	forcedUntil int32      // tick in which a forced pause ends, 0 for none
	watches     int        // the watched player, or freeView
	view        ddrace.Vec // the player's camera
	viewTick    int32      // the last tick for which the file has the camera
	lost        bool       // the tee follows the recording instead of the simulation
	unplaced    bool       // the tee was teleported to a place that the file does not have
}

// newMatch reads the header and prepares the world.
func newMatch(cfg *Config) (*match, error) {
	file, err := teehistorian.NewReader(cfg.File)
	if err != nil {
		return nil, err
	}
	h := file.Header()
	m, err := ddrace.NewMap(withSettings(cfg.Terrain, h), tuned(h))
	if err != nil {
		return nil, err
	}
	t := &match{
		cfg: cfg, file: file, gmap: m, res: &Result{Header: h, Faults: m.Faults},
		killDelay: delay(h, "sv_kill_delay", 1), teamDelay: delay(h, "sv_team_change_delay", 3),
		pauseDelay: delay(h, "sv_pause_frequency", 1), pauseable: h.Config["sv_pauseable"] == "1",
		killProtection: delay(h, "sv_kill_protection", 20),
		askDelay:       delay(h, "sv_sql_queries_delay", 1),
		saves:          h.Config["sv_savegames"] != "0",
		own:            strings.HasPrefix(h.ServerVersion, "teeyard"),
		done:           -1,
	}
	t.teams.noTeam0Mode = h.Config["sv_team0mode"] == "0"
	t.teams.rejoins = h.Config["sv_rejoin_team_0"] != "0"
	if !t.own { // our variables are others, and our servers need none of DDNet's
		t.res.Unknown = unknownVariables(h)
	}
	t.newWorld()
	return t, nil
}

func (t *match) newWorld() {
	seed, _ := t.res.Header.Seed()
	t.world = ddrace.New(ddrace.Config{Map: t.gmap, Seed: seed, Teams: &t.teams})
}

// delay returns a variable of the recording's server, converted from seconds to ticks. The preset,
// in seconds, replaces a missing one.
func delay(h *teehistorian.Header, name string, preset int32) int32 {
	if v, err := strconv.ParseUint(h.Config[name], 10, 16); err == nil {
		preset = int32(v)
	}
	return preset * ddrace.TickRate
}

// tuned returns the default settings with the tuning of the recording's server.
func tuned(h *teehistorian.Header) ddrace.Settings {
	s := ddrace.DefaultSettings()
	for name, value := range h.Tuning {
		if v, err := strconv.ParseInt(value, 10, 32); err == nil && ddrace.TuneParamIndex(name) >= 0 {
			s.Tuning[ddrace.TuneParamIndex(name)] = int32(v)
		}
	}
	if h.Config["sv_rescue"] == "1" {
		s.Rescue = 1
	}
	return s
}

// withSettings returns the terrain with the settings of the recording's server in front of the
// map's own.
func withSettings(t terrain.Terrain, h *teehistorian.Header) *terrain.Terrain {
	var lines []string
	for name, value := range h.Config {
		if ddrace.IsSetting(name) {
			lines = append(lines, name+" "+value)
		}
	}
	if _, release, ok := strings.Cut(h.ServerVersion, ", "); ok {
		major, _, _ := strings.Cut(release, ".")
		lines = append(lines, "sv_ddnet_physics "+major)
	}
	slices.Sort(lines)
	t.Settings = append(lines, t.Settings...)
	return &t
}

// frame returns the next frame, or nil at the end of the file.
func (t *match) frame() *frame {
	if t.cfg.NoSearch {
		t.frames, t.first = t.frames[:0], t.next
	}
	if t.next-t.first == len(t.frames) {
		f, err := t.file.NextFrame()
		if err != nil {
			if err != io.EOF {
				t.res.End = err
			}
			return nil
		}
		t.frames = append(t.frames, frame{tick: f.Tick, partial: f.Partial, alive: f.Alive, pos: f.Pos, actions: slices.Clone(f.Actions), early: f.Early})
	}
	t.next++
	return &t.frames[t.next-1-t.first]
}

// run runs the match up to a tick or the first difference.
func (t *match) run(last int32) {
	for {
		t.keep(t.next)
		f := t.frame()
		if f == nil {
			return
		}
		stepped := t.world.Tick() < f.tick
		end := min(f.tick, last)
		if f.partial {
			end = min(f.tick-1, last)
		}
		work, idle := t.idleWork(), int64(end)-int64(t.world.Tick())-1
		if idle > 0 && t.idle+idle*work > maxIdle {
			t.res.End = fmt.Errorf("%w: %d ticks after tick %d (%v)", ErrIdle, idle, t.world.Tick(), time.Duration(idle)*time.Second/ddrace.TickRate)
			return
		}
		for t.world.Tick() < end {
			if t.keep(t.next - 1); t.world.Tick() < end-1 {
				t.idle += work
			}
			if t.world.Tick() == f.tick-1 {
				t.alive, t.pos, t.during = f.alive, f.pos, f.actions[:f.early]
			}
			if !t.step() {
				return
			}
		}
		if t.world.Tick() >= last {
			return
		}
		if f.partial {
			t.frame() // there is no next frame; this call sets the error at the end
			return
		}
		t.searchWork(actionWork * int64(len(f.actions)))
		t.actAll(f, stepped)
		if t.cfg.OnAction != nil && !t.searching && f.tick > t.done {
			t.done = f.tick
			for i := range f.actions {
				t.cfg.OnAction(&f.actions[i])
			}
		}
	}
}

const (
	// maxIdle limits the total work of ticks that have no frame in the file: some minutes. A few
	// bytes of a file can skip 2³¹ ticks.
	maxIdle = 1e10
	// The work of a tick, and of each entity and tee in it, in units of about 10 ns.
	idleTick, idleEntity, idleTee = 20, 1, 100
	// actionWork is the work of a record, and restoreWork the work of going back to a checkpoint.
	actionWork, restoreWork = 50, 20_000
	// stepWork is the work of each unit of [ddrace.World.Work].
	stepWork = 2
)

// idleWork returns the work of a tick that has no frame in the file.
func (t *match) idleWork() int64 {
	work := int64(idleTick + idleEntity*len(t.gmap.Entities))
	for range t.world.Tees {
		work += idleTee
	}
	return work
}

// searchWork adds work to the total if a search runs.
func (t *match) searchWork(n int64) {
	if t.searching {
		t.searched += n
	}
}

// step runs a tick and compares the positions of all tees. It reports whether they are equal and
// OnTick returned no error.
func (t *match) step() bool {
	t.searchWork(t.idleWork())
	t.place()
	t.applyMoves()
	var events []ddrace.Event
	if t.paused {
		events = t.stepPaused()
	} else {
		events = t.world.Step(t.inputs)
	}
	t.searchWork(stepWork * int64(t.world.Work()))
	t.inputs = t.inputs[:0]
	for i := range events {
		if e := &events[i]; e.Kind == ddrace.EventPlaysOn {
			t.playOn(int(e.Tee))
		}
	}
	for i := range t.during {
		if rec := &t.during[i]; isAnswer(rec) {
			t.extra(rec)
		}
	}
	t.during = nil
	t.lookAround()
	tick := t.world.Tick()
	t.res.Ticks = tick
	if t.cfg.Progress != nil && tick%progressTicks == 0 {
		t.cfg.Progress(tick)
	}
	for len(t.recent) > 0 && t.recent[0].Tick < tick-maxSearch {
		t.recent = t.recent[1:]
	}
	for id := range ddrace.MaxTees {
		var want, got *teehistorian.Point
		if t.alive[id] {
			want = &t.pos[id]
		}
		if tee := t.world.AliveTee(id); tee != nil {
			got = &teehistorian.Point{X: round(tee.Core.Pos.X), Y: round(tee.Core.Pos.Y)}
		}
		if want == nil && got == nil {
			continue
		}
		equal := want != nil && got != nil && *want == *got
		if t.clients[id].unplaced {
			t.placed(id, want)
			continue
		}
		if t.clients[id].lost || !equal && t.isLost(id) {
			t.lead(id, want, equal && spawned(events, id))
			continue
		}
		if !equal {
			t.differ(id, want, got)
			return false
		}
		t.res.TeeTicks++
	}
	if t.cfg.OnTick != nil && !t.searching && tick > t.told {
		t.told = tick
		t.err = t.cfg.OnTick(t.world, events)
	}
	return t.err == nil
}

func round(f float32) int32 {
	if f > 0 {
		return int32(f + 0.5)
	}
	return int32(f - 0.5)
}

func (t *match) differ(id int, want, got *teehistorian.Point) {
	if want != nil {
		p := *want
		want = &p
	}
	t.res.Difference = &Difference{Tick: t.world.Tick(), Client: id, Recorded: want, Computed: got, cause: t.cause, since: t.causeTick}
	// Sort the tee's own inputs first, and late inputs before early ones.
	t.res.inputs = slices.Clone(t.recent)
	slices.Reverse(t.res.inputs)
	slices.SortStableFunc(t.res.inputs, func(a, b Repeat) int {
		own := func(r Repeat) int {
			if r.Client == id {
				return 0
			}
			return 1
		}
		return own(a) - own(b)
	})
}
