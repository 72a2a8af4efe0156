package replay

import (
	"fmt"
	"io"
	"slices"

	"github.com/teeyard/teeyard/game"
)

// VerifyConfig is what a run needs in addition to the log.
type VerifyConfig struct {
	// Modes returns a new mode for a Header.GameType.
	Modes func(gameType string) (game.Mode, bool)
	// Mods make the mods the match was played with, in order.
	Mods []func() game.Mod
	// OnTick, if set, is called after every tick with its events.
	OnTick func(w *game.World, t *Tick, events []game.Event)
}

// NewWorld creates the world of a log, before its first recorded tick. The error is
// ErrModeUnavailable if mode or mods do not match, or that of game.New.
func (h *Header) NewWorld(cfg VerifyConfig) (*game.World, error) {
	var mode game.Mode
	if cfg.Modes != nil {
		mode, _ = cfg.Modes(h.GameType)
	}
	if mode == nil {
		return nil, fmt.Errorf("%w: mode %q (%s)", ErrModeUnavailable, h.GameType, h.ModeType)
	}
	if have := TypeName(mode); have != h.ModeType {
		return nil, fmt.Errorf("%w: mode %q was recorded as type %s, have %s", ErrModeUnavailable, h.GameType, h.ModeType, have)
	}
	var mods []game.Mod
	var names []string
	for _, newMod := range cfg.Mods {
		m := newMod()
		mods, names = append(mods, m), append(names, TypeName(m))
	}
	if !slices.Equal(names, h.Mods) {
		return nil, fmt.Errorf("%w: recorded with mods %q, have %q", ErrModeUnavailable, h.Mods, names)
	}
	w, err := game.New(game.Config{
		Terrain: h.Terrain, Mode: mode, Mods: mods, Rules: h.Rules, Tuning: &h.Tuning, Seed: h.Seed,
	})
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	for range h.IdleTicks {
		w.Step(nil)
	}
	return w, nil
}

// Result is the result of Verify.
type Result struct {
	// Ticks is the number of ticks run, including idle ones.
	Ticks int32
	// HashesMatched is the number of equal hashes, LastGoodTick the tick of the last
	// of them: up to there the run equals the recorded match.
	HashesMatched int
	LastGoodTick  int32
	// FirstBadTick is the tick of the first different hash, 0 for none. The difference
	// arose after LastGoodTick.
	FirstBadTick int32
	// End is why the log ends, EndNone if it does not say.
	End EndReason
}

// Verify runs the match of a log again and compares the hashes. The error is nil if
// all are equal and the log is complete; otherwise it is one of this package's, and
// everything up to Result.LastGoodTick is verified.
func Verify(r *Reader, cfg VerifyConfig) (res Result, err error) {
	w, err := r.Header().NewWorld(cfg)
	if err != nil {
		return res, err
	}
	res.Ticks = r.Header().IdleTicks
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
