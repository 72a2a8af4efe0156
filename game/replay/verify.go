package replay

import (
	"errors"
	"fmt"
	"io"

	"github.com/teeyard/teeyard/game"
)

// VerifyConfig has the modes, mods and callbacks that a run needs in addition to the log.
type VerifyConfig struct {
	// Modes returns a new mode for a Header.GameType. NewMode, if set, makes modes that have a
	// Header.ModeSource instead.
	Modes   func(gameType string) (game.Mode, bool)
	NewMode func(ModInfo) (game.Mode, error)
	// Mods make the first mods of the match, in order. NewMod makes the header's mods that follow
	// them; nil means that the header must not have more.
	Mods   []func() game.Mod
	NewMod func(ModInfo) (game.Mod, error)
	// OnTick, if set, is called after every tick with its events.
	OnTick func(w *game.World, t *Tick, events []game.Event)
}

// NewWorld creates the world of a log, before its first recorded tick. The error is
// [ErrModeUnavailable] if the mode or mods do not match, or the error of [game.New] or
// [game.Restore].
func (h *Header) NewWorld(cfg VerifyConfig) (*game.World, error) {
	w, _, err := h.newWorld(cfg)
	return w, err
}

// Faulty is a mode or mod that may be unable to continue a log, such as a script that does more
// work in a tick than any server has time for.
type Faulty interface {
	// Fault returns why the log cannot continue, or nil if it can.
	Fault() error
}

// faults are the modes and mods of a world that can be faulty.
type faults []Faulty

func (f *faults) add(m any) {
	if x, ok := m.(Faulty); ok {
		*f = append(*f, x)
	}
}

func (f faults) check() error {
	for _, x := range f {
		if err := x.Fault(); err != nil {
			return err
		}
	}
	return nil
}

// newWorld is NewWorld, and also returns the mode and mods that can report a fault.
func (h *Header) newWorld(cfg VerifyConfig) (*game.World, faults, error) {
	var mode game.Mode
	switch {
	case h.ModeSource != nil && cfg.NewMode != nil:
		var err error
		if mode, err = cfg.NewMode(ModInfo{Name: h.GameType, Type: h.ModeType, Source: h.ModeSource, Costs: int(h.Costs)}); err != nil {
			return nil, nil, fmt.Errorf("%w: recorded by %q with the mode %q: %w", ErrModeUnavailable, h.Program, h.GameType, err)
		}
	case cfg.Modes != nil:
		mode, _ = cfg.Modes(h.GameType)
	}
	if mode == nil {
		return nil, nil, fmt.Errorf("%w: recorded by %q with the mode %q of type %s", ErrModeUnavailable, h.Program, h.GameType, h.ModeType)
	}
	if have := TypeName(mode); have != h.ModeType {
		return nil, nil, fmt.Errorf("%w: mode %q was recorded as type %s, have %s", ErrModeUnavailable, h.GameType, h.ModeType, have)
	}
	mods, err := h.newMods(cfg)
	if err != nil {
		return nil, nil, err
	}
	var f faults
	f.add(mode)
	for _, m := range mods {
		f.add(m)
	}
	values := map[string]string{}
	for _, v := range h.Variables {
		values[v.Name] = v.Value
	}
	gameCfg := game.Config{
		Terrain: h.Terrain, Mode: mode, Mods: mods, Rules: h.Rules, Tuning: &h.Tuning, Seed: h.Seed, Variables: values,
	}
	if h.State != nil {
		w, err := game.Restore(gameCfg, h.State)
		if err != nil {
			return nil, nil, fmt.Errorf("replay: %w", err)
		}
		if w.Tick() != h.StateTick {
			return nil, nil, fmt.Errorf("%w: a state of tick %d instead of %d", ErrCorrupt, w.Tick(), h.StateTick)
		}
		return w, f, nil
	}
	w, err := game.New(gameCfg)
	if err != nil {
		return nil, nil, fmt.Errorf("replay: %w", err)
	}
	for range h.IdleTicks {
		w.Step(nil)
		if err := f.check(); err != nil {
			return nil, nil, fmt.Errorf("replay: tick %d: %w", w.Tick(), err)
		}
	}
	return w, f, nil
}

// newMods makes the mods of a log.
func (h *Header) newMods(cfg VerifyConfig) ([]game.Mod, error) {
	var mods []game.Mod
	for i, info := range h.Mods {
		var m game.Mod
		var err error
		switch {
		case i < len(cfg.Mods):
			m = cfg.Mods[i]()
		case cfg.NewMod == nil:
			err = errors.New("there is none")
		default:
			info.Costs = int(h.Costs)
			m, err = cfg.NewMod(info)
		}
		if have := TypeName(m); err == nil && have != info.Type {
			err = fmt.Errorf("have %s", have)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: recorded by %q with mod %d, %q of type %s: %w", ErrModeUnavailable, h.Program, i+1, info.Name, info.Type, err)
		}
		mods = append(mods, m)
	}
	if len(mods) < len(cfg.Mods) {
		return nil, fmt.Errorf("%w: recorded with %d mods, have %d", ErrModeUnavailable, len(mods), len(cfg.Mods))
	}
	return mods, nil
}

// Result is the result of Verify.
type Result struct {
	// Ticks is the number of ticks run, including idle ones and those before a state.
	Ticks int32
	// HashesMatched is the number of equal hashes. LastGoodTick is the tick of the last equal hash:
	// up to this tick the run equals the recorded match.
	HashesMatched int
	LastGoodTick  int32
	// FirstBadTick is the tick of the first different hash, 0 for none. The difference
	// arose after LastGoodTick.
	FirstBadTick int32
	// End is why the log ends, EndNone if the log is incomplete.
	End EndReason
}

// Verify runs the match of a log again and compares the hashes. The error is nil if all hashes are
// equal and the log is complete; otherwise it wraps one of this package's errors, and the match is
// verified up to Result.LastGoodTick.
func Verify(r *Reader, cfg VerifyConfig) (res Result, err error) {
	w, faulty, err := r.Header().newWorld(cfg)
	if err != nil {
		return res, err
	}
	res.Ticks = r.Header().TickBefore()
	if r.Header().State != nil {
		res.LastGoodTick = res.Ticks
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w in tick %d: %v", ErrPanic, res.Ticks+1, p)
		}
	}()
	var t Tick
	for {
		if err := r.Next(&t); err != nil {
			res.End = r.End()
			if err == io.EOF {
				err = nil
			}
			return res, err
		}
		events := w.Step(t.Commands)
		res.Ticks++
		if err := faulty.check(); err != nil {
			return res, fmt.Errorf("replay: tick %d: %w", t.Tick, err)
		}
		if cfg.OnTick != nil {
			cfg.OnTick(w, &t, events)
		}
		if !t.HasHash {
			continue
		}
		if w.Hash() != t.Hash {
			res.FirstBadTick = t.Tick
			return res, fmt.Errorf("%w: between the ticks %d and %d", ErrMismatch, res.LastGoodTick, t.Tick)
		}
		res.HashesMatched++
		res.LastGoodTick = t.Tick
	}
}
