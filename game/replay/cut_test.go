package replay

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

func TestCutFrom(t *testing.T) {
	log := record(t, 4, 1000)
	cfg := VerifyConfig{Modes: modes}
	for _, c := range []struct{ from, to, first, last int32 }{
		{0, 5000, 123, 1123},
		{123, 5000, 123, 1123},
		{500, 5000, 500, 1123},
		{500, 501, 500, 523},
		{523, 548, 523, 548},
		{600, 600, 600, 600},
		{1123, 5000, 1123, 1123},
	} {
		var out, again bytes.Buffer
		first, last, err := CutFrom(&out, bytes.NewReader(log), c.from, c.to, cfg)
		testenv.NoError(t, err)
		testenv.Check(t, first == c.first && last == c.last, "cut %d to %d: %d to %d", c.from, c.to, first, last)
		res, err := verify(out.Bytes())
		hashes := int(c.last-123)/25 - int(c.first-123)/25
		testenv.Check(t, err == nil && res.Ticks == last && res.LastGoodTick == last && res.HashesMatched == hashes,
			"cut %d to %d: %+v, %v, want %d hashes", c.from, c.to, res, err, hashes)
		testenv.Check(t, res.End == map[bool]EndReason{true: EndMapChange, false: EndCut}[c.to == 5000], "cut to %d: end %v", c.to, res.End)
		// A log with a state can be cut like others.
		_, last, err = CutFrom(&again, bytes.NewReader(out.Bytes()), first+10, 5000, cfg)
		testenv.Check(t, err == nil && last == c.last || first+10 > c.last && err != nil, "cut again from %d: %d, %v", first+10, last, err)
		again.Reset()
		last, err = Cut(&again, bytes.NewReader(out.Bytes()), first+1)
		testenv.NoError(t, err)
		if res, err := verify(again.Bytes()); err != nil || res.Ticks != last {
			t.Errorf("cut at the end again: %+v, %v", res, err)
		}
	}
	_, _, err := CutFrom(io.Discard, bytes.NewReader(log), 1124, 5000, cfg)
	testenv.Check(t, err != nil, "cut behind the end")
	_, _, err = CutFrom(io.Discard, bytes.NewReader(log), 300, 5000, VerifyConfig{})
	testenv.Check(t, errors.Is(err, ErrModeUnavailable), "cut without the mode: %v", err)
	_, _, err = CutFrom(io.Discard, bytes.NewReader(log[:len(log)/2]), 1000, 5000, cfg)
	testenv.Check(t, errors.Is(err, ErrTruncated), "cut behind the broken end: %v", err)
	var out bytes.Buffer
	_, last, err := CutFrom(&out, bytes.NewReader(log[:len(log)/2]), 300, 5000, cfg)
	testenv.Check(t, errors.Is(err, ErrTruncated), "cut before the broken end: %v", err)
	res, err := verify(out.Bytes())
	testenv.Check(t, err == nil && res.Ticks == last && last > 300, "what was saved: %+v, %v", res, err)
}

// TestForeignState puts a state in a log that it is not of.
func TestForeignState(t *testing.T) {
	w := testenv.Must(header().NewWorld(VerifyConfig{Modes: modes}))
	for name, change := range map[string]func(h *Header){
		"another tick": func(h *Header) { h.StateTick++ },
		"another map":  func(h *Header) { h.Terrain.Tiles[70] = 1 },
		"no state":     func(h *Header) { h.State = []byte{} },
	} {
		h := header()
		h.State, h.StateTick = w.AppendState(nil), w.Tick()
		var out bytes.Buffer
		change(h)
		testenv.NoError(t, testenv.Must(NewWriter(&out, h)).Close(w, EndCut))
		_, err := verify(out.Bytes())
		testenv.Check(t, errors.Is(err, game.ErrSavedState) || errors.Is(err, ErrCorrupt), "%s: %v", name, err)
	}
}

// TestBlocksAreRestored runs recorded matches in worlds that it saves and restores at the end of
// every seventh block, or of every block in full tests.
func TestBlocksAreRestored(t *testing.T) {
	logs := map[string][]byte{"bots": record(t, 16, 1500)}
	for _, name := range testenv.Must(filepath.Glob("testdata/*.twreplay")) {
		logs[name] = testenv.Must(os.ReadFile(name))
	}
	every := 7
	if testenv.Full() {
		every = 1
	}
	for name, log := range logs {
		r := testenv.Must(NewReader(bytes.NewReader(log)))
		h := *r.Header()
		w := testenv.Must(h.NewWorld(VerifyConfig{Modes: modes}))
		blocks, restored := 0, 0
		var tick Tick
		for r.Next(&tick) == nil {
			w.Step(tick.Commands)
			if !tick.HasHash {
				continue
			}
			testenv.Require(t, w.Hash() == tick.Hash, "%s: tick %d differs", name, tick.Tick)
			if blocks++; blocks%every == 0 {
				h.State, h.StateTick = w.AppendState(nil), w.Tick()
				w = testenv.Must(h.NewWorld(VerifyConfig{Modes: modes}))
				restored++
			}
		}
		testenv.Check(t, restored > 0, "%s: no block was restored", name)
	}
}
