package teeverify

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/terrain"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
)

// match is a recording that runs.
type match struct {
	onTick  func(*ddrace.World)
	res     *Result
	file    *teehistorian.Reader
	world   *ddrace.World
	repeats []Repeat

	clients [teehistorian.MaxClients]clientState
	inputs  []ddrace.PlayerInput // for the next tick
	recent  []Repeat             // that were input, of the last maxSearch ticks
	alive   [teehistorian.MaxClients]bool
	pos     [teehistorian.MaxClients]teehistorian.Point
	teams   teams
	// locks are commands that wait for the teams that their players come into, which are recorded
	// after all commands.
	locks []teehistorian.Record
}

type clientState struct {
	version7 bool
	input    ddrace.Input // the last one
	hasInput bool
	lastKill int32 // tick, 0 for none
}

// killDelay is sv_kill_delay, in ticks.
const killDelay = ddrace.TickRate

// run runs the recording, with inputs that it lacks, up to the first difference.
func run(cfg *Config, repeats []Repeat) (*Result, error) {
	if _, err := cfg.File.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("teeverify: %w", err)
	}
	file, err := teehistorian.NewReader(cfg.File)
	if err != nil {
		return nil, err
	}
	h := file.Header()
	m, err := ddrace.NewMap(withSettings(cfg.Terrain, h), ddrace.DefaultSettings())
	if err != nil {
		return nil, err
	}
	seed, _ := h.Seed()
	t := &match{
		onTick: cfg.OnTick,
		res:    &Result{Header: h, Repeated: repeats, Faults: m.Faults}, file: file, repeats: repeats,
	}
	t.world = ddrace.New(ddrace.Config{Map: m, Seed: seed, Teams: &t.teams})
	last := cfg.Ticks
	if last == 0 {
		last = math.MaxInt32
	}
	t.run(last)
	return t.res, nil
}

// withSettings returns the terrain with the settings of the recording's server, which the map's own
// follow.
func withSettings(t terrain.Terrain, h *teehistorian.Header) *terrain.Terrain {
	var lines []string
	for name, value := range h.Tuning {
		if v, err := strconv.Atoi(value); err == nil {
			lines = append(lines, fmt.Sprintf("tune %s %g", name, float64(v)/100))
		}
	}
	for name, value := range h.Config {
		if ddrace.IsSetting(name) {
			lines = append(lines, name+" "+value)
		}
	}
	slices.Sort(lines)
	t.Settings = append(lines, t.Settings...)
	return &t
}

// run runs up to a tick, or the first difference.
func (t *match) run(last int32) {
	for {
		f, err := t.file.NextFrame()
		if err != nil {
			if err != io.EOF {
				t.res.End = err
			}
			return
		}
		for t.world.Tick() < f.Tick-1 && t.world.Tick() < last {
			if !t.step() {
				return
			}
		}
		if t.world.Tick() >= last {
			return
		}
		if t.world.Tick() < f.Tick {
			t.alive, t.pos = f.Alive, f.Pos
			if !t.step() {
				return
			}
		}
		for i := range f.Actions {
			t.act(&f.Actions[i])
		}
		for _, rec := range t.locks {
			t.lock(int(rec.Client), rec.Args)
		}
		t.locks = t.locks[:0]
		slices.SortStableFunc(t.inputs, func(a, b ddrace.PlayerInput) int { return a.Player - b.Player })
	}
}

// step runs a tick and compares the places of all tees. It reports whether they are equal.
func (t *match) step() bool {
	t.world.Step(t.inputs)
	t.inputs = t.inputs[:0]
	tick := t.world.Tick()
	t.res.Ticks = tick
	for len(t.recent) > 0 && t.recent[0].Tick < tick-maxSearch {
		t.recent = t.recent[1:]
	}
	for id := range ddrace.MaxTees {
		var want, got *teehistorian.Point
		if t.alive[id] {
			want = &t.pos[id]
		}
		if tee := t.world.Tee(id); tee != nil {
			got = &teehistorian.Point{X: round(tee.Core.Pos.X), Y: round(tee.Core.Pos.Y)}
		}
		if want == nil && got == nil {
			continue
		}
		if want == nil || got == nil || *want != *got {
			t.differ(id, want, got)
			return false
		}
		t.res.TeeTicks++
	}
	if t.onTick != nil {
		t.onTick(t.world)
	}
	return true
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
	t.res.Difference = &Difference{Tick: t.world.Tick(), Client: id, Recorded: want, Computed: got}
	// The tee's own inputs first, and late ones before early ones.
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

// act does what happened between two ticks.
func (t *match) act(rec *teehistorian.Record) {
	id := int(rec.Client)
	if id >= ddrace.MaxTees {
		t.unknown("client 64 and above")
		return
	}
	switch rec.Kind {
	case teehistorian.InputDiff, teehistorian.InputNew:
		t.input(id, &rec.Input)
	case teehistorian.Message:
		t.message(id, rec.Data)
	case teehistorian.Join:
		version7 := t.clients[id].version7
		t.clients[id] = clientState{version7: version7}
	case teehistorian.Drop:
		t.clients[id] = clientState{}
		t.world.Leave(id)
	case teehistorian.Command:
		t.command(id, rec)
	case teehistorian.Extra:
		t.extra(rec)
	}
}

func (t *match) input(id int, in *teehistorian.Input) {
	c := &t.clients[id]
	next := ddrace.Input{
		Direction: in[0], TargetX: in[1], TargetY: in[2], Jump: in[3] != 0, Fire: in[4], Hook: in[5] != 0,
		Flags: in[6], WantedWeapon: in[7], NextWeapon: in[8], PrevWeapon: in[9],
	}
	at := Repeat{Tick: t.world.Tick() + 1, Client: id}
	if c.hasInput {
		if slices.Contains(t.repeats, at) {
			t.inputs = append(t.inputs, ddrace.PlayerInput{Player: id, Input: c.input})
		}
		t.recent = append(t.recent, at)
	}
	c.input, c.hasInput = next, true
	t.inputs = append(t.inputs, ddrace.PlayerInput{Player: id, Input: next})
}

func (t *match) message(id int, b []byte) {
	var u packer.Unpacker
	u.Reset(b)
	kill := int32(msg6.IDClKill)
	if t.clients[id].version7 {
		kill = int32(msg7.IDClKill)
	}
	c := &t.clients[id]
	now := t.world.Tick()
	if u.Int() != kill || t.world.Tee(id) == nil || c.lastKill > 0 && c.lastKill+killDelay > now {
		return
	}
	c.lastKill = now
	t.world.Kill(id, ddrace.WeaponSelf, false)
}

func (t *match) extra(rec *teehistorian.Record) {
	var u packer.Unpacker
	u.Reset(rec.Data)
	a, b := int(u.Int()), u.Int()
	if a < 0 || a >= ddrace.MaxTees {
		return
	}
	switch rec.ID {
	case teehistorian.ExtraJoin7:
		t.clients[a].version7 = true
	case teehistorian.ExtraReady:
		t.world.Enter(a, false)
	case teehistorian.ExtraTeam:
		t.world.SetTeam(a, uint8(b))
	}
}
