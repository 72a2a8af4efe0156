package app

import (
	"errors"

	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/pcap"
)

// cutOffCauses lists why a recording may end too early.
const cutOffCauses = "it is still being recorded, the recorder was killed, or the copy of the file is incomplete"

// isCutOff reports whether an error means that a recording ends too early. All commands treat such
// a recording alike: its content is good, and the exit status is exitCutOff.
func isCutOff(err error) bool {
	for _, cutOff := range []error{replay.ErrTruncated, teehistorian.ErrCutOff, demo.ErrCutOff, pcap.ErrCutOff} {
		if errors.Is(err, cutOff) {
			return true
		}
	}
	return false
}

// isDamaged reports whether an error means that part of a recording is wrong.
func isDamaged(err error) bool {
	return errors.Is(err, replay.ErrCorrupt) || errors.Is(err, teehistorian.ErrFormat) || errors.Is(err, demo.ErrChunk)
}

// toldError is an error that the command has already printed.
type toldError struct{ error }

// Unwrap implements errors.Unwrap.
func (e toldError) Unwrap() error { return e.error }

// told returns an error that sets the exit status but is not printed again.
func told(err error) error {
	if err == nil {
		return nil
	}
	return toldError{err}
}
