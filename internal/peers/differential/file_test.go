package differential

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"io"
	"os"
	"slices"

	"github.com/teeyard/teeyard/protocol/message/msg7"
)

// save writes a match that was played on the original to a file, with hashes in place of the
// observations.
func (m *match) save(path string) error {
	for _, part := range m.parts() {
		part.Config.MapFile, _ = mapFile(part.Config.Map)
		part.Hashes = nil
		for i, seen := range part.seen {
			part.Hashes = append(part.Hashes, part.hashes(i, seen))
		}
		part.Steps = slices.Clone(part.Steps)
		part.toDifferences()
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(z).Encode(m); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	for _, part := range m.parts() {
		part.fromDifferences()
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

func loadMatch(path string) (*match, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	m := new(match)
	if err := gob.NewDecoder(io.LimitReader(z, 64<<20)).Decode(m); err != nil {
		return nil, err
	}
	for _, part := range m.parts() {
		part.fromDifferences()
	}
	return m, nil
}

// toDifferences replaces numbers by their difference from the number before. This makes the file
// smaller, since most differences are 0 or 1. fromDifferences restores the numbers.
func (m *match) toDifferences() {
	for _, ticks := range append(slices.Clone(m.Ticks), m.Rounds) {
		for i := len(ticks) - 1; i > 0; i-- {
			ticks[i] -= ticks[i-1]
		}
	}
	tick := int32(0)
	inputs := make([]msg7.PlayerInput, m.Config.Players)
	for i := range m.Steps {
		st := &m.Steps[i]
		st.Intended -= st.Tick
		st.Tick, tick = st.Tick-tick, st.Tick
		if st.Kind == stepSend {
			last := &inputs[st.Player]
			*last, st.Input = st.Input, combine(st.Input, *last, -1)
		}
	}
}

func (m *match) fromDifferences() {
	for _, ticks := range append(slices.Clone(m.Ticks), m.Rounds) {
		for i := 1; i < len(ticks); i++ {
			ticks[i] += ticks[i-1]
		}
	}
	tick := int32(0)
	inputs := make([]msg7.PlayerInput, m.Config.Players)
	for i := range m.Steps {
		st := &m.Steps[i]
		tick += st.Tick
		st.Tick = tick
		st.Intended += tick
		if st.Kind == stepSend {
			st.Input = combine(st.Input, inputs[st.Player], 1)
			inputs[st.Player] = st.Input
		}
	}
}

// combine returns a + sign*b for each field.
func combine(a, b msg7.PlayerInput, sign int32) msg7.PlayerInput {
	return msg7.PlayerInput{
		Direction: a.Direction + sign*b.Direction, TargetX: a.TargetX + sign*b.TargetX, TargetY: a.TargetY + sign*b.TargetY,
		Jump: a.Jump != b.Jump, Fire: a.Fire + sign*b.Fire, Hook: a.Hook != b.Hook,
		PlayerFlags: a.PlayerFlags ^ b.PlayerFlags, WantedWeapon: a.WantedWeapon + sign*b.WantedWeapon,
		NextWeapon: a.NextWeapon + sign*b.NextWeapon, PrevWeapon: a.PrevWeapon + sign*b.PrevWeapon,
	}
}
