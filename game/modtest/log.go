package modtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
)

// matchLog is the replay log of a match, with a hash for each tick.
type matchLog struct {
	enc   replay.Encoder
	rec   replay.Recorder
	bytes []byte
	ticks int
}

// newLog begins the log of a new world.
func newLog(w *game.World, cfg *game.Config) (*matchLog, error) {
	h := replay.Header{Program: "modtest", Map: "modtest", Terrain: cfg.Terrain, Rules: cfg.Rules, Tuning: w.Tuning(), Seed: cfg.Seed}
	h.SetMode("modtest", cfg.Mode, cfg.Mods)
	h.SetVariables(w)
	l := &matchLog{}
	var err error
	if l.bytes, err = l.enc.AppendHeader(nil, &h); err != nil {
		return nil, fmt.Errorf("modtest: %w", err)
	}
	l.rec.Begin(0)
	return l, nil
}

// tick records the commands of a tick and the hash of the world after it.
func (l *matchLog) tick(cmds []game.Command, hash uint64) error {
	if err := l.rec.RecordTick(cmds); err != nil {
		return fmt.Errorf("modtest: %w", err)
	}
	l.bytes = l.enc.AppendTicks(l.bytes, l.rec.TakeBlock(hash, nil))
	l.ticks++
	return nil
}

// verify replays the log in a new world with a new mode and new mods.
func (l *matchLog) verify(newMode func() game.Mode, newMods []func() game.Mod) error {
	b := l.enc.AppendEnd(bytes.Clone(l.bytes), replay.EndShutdown, nil)
	r, err := replay.NewReader(bytes.NewReader(b))
	if err != nil {
		return fmt.Errorf("modtest: %w", err)
	}
	res, err := replay.Verify(r, replay.VerifyConfig{Mods: newMods, Modes: func(string) (game.Mode, bool) { return newMode(), true }})
	if errors.Is(err, replay.ErrMismatch) {
		return fmt.Errorf("modtest: tick %d: %w", res.FirstBadTick, errLog)
	}
	if err == nil && res.HashesMatched != l.ticks {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("modtest: %w", err)
	}
	return nil
}

// Record starts recording the match for [World.Replay]. Call it before the first tick.
func (w *World) Record() {
	w.T.Helper()
	if w.Now() != 0 {
		w.T.Fatalf("modtest: Record is called in tick %d, and not before the first", w.Now())
	}
	var err error
	if w.log, err = newLog(w.Game, &w.cfg); err != nil {
		w.T.Fatal(err)
	}
}

// Replay replays the log that [World.Record] started, with a new mode and new mods of the same
// kinds. It returns an error if the match goes differently.
func (w *World) Replay(newMode func() game.Mode, newMods ...func() game.Mod) error {
	if w.log == nil {
		return errors.New("modtest: the match has no log; call Record before the first tick")
	}
	return w.log.verify(newMode, newMods)
}
