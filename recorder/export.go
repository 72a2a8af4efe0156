package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/safetext"
)

// ExportConfig is the configuration of Export.
type ExportConfig struct {
	Format Format
	// Map is the file of the map of the match.
	Map []byte
	// Player is as in DemoConfig.
	Player string
	// From and To are the first and the last tick of the log for the demo. A To of 0 means the end.
	From, To int32
	// TellEnd makes Export end an incomplete demo with a chat line of the server that says why. It
	// then returns no error. The format must be Teeworlds.
	TellEnd bool
	// Verify runs the match. Export calls its OnTick too.
	Verify replay.VerifyConfig
}

// Export runs the match of a replay log again and writes a demo of it. It returns the first and the
// last tick in the demo. ok is false if it wrote none.
//
// If the log is damaged or cut off, or its match differs, the demo contains the ticks before that,
// and Export returns the error too. The error wraps one of package replay.
func Export(w io.Writer, r *replay.Reader, cfg ExportConfig) (first, last int32, ok bool, err error) {
	m, err := cfg.Format.Map(r.Header().Map, cfg.Map)
	if err != nil {
		return 0, 0, false, err
	}
	e := export{
		DemoWriter: NewDemoWriter(w, DemoConfig{Format: cfg.Format, Map: m, Player: cfg.Player, Start: time.UnixMilli(r.Header().StartTime)}),
		from:       cfg.From, to: cmp.Or(cfg.To, game.MaxTick), tellEnd: cfg.TellEnd,
	}
	err = e.run(r, cfg.Verify)
	first, last, ok = e.Span()
	return first, last, ok, err
}

// export writes a part of a log.
type export struct {
	*DemoWriter
	from, to int32
	tellEnd  bool
	seen     int32 // last tick of the log so far
	err      error
}

func (e *export) run(r *replay.Reader, cfg replay.VerifyConfig) error {
	onTick := cfg.OnTick
	cfg.OnTick = func(w *game.World, t *replay.Tick, events []game.Event) {
		e.seen = w.Tick()
		if !e.done && e.err == nil && w.Tick() >= e.from && w.Tick() <= e.to {
			e.err = e.Tick(w, events)
		}
		if onTick != nil {
			onTick(w, t, events)
		}
	}
	res, err := replay.Verify(r, cfg)
	switch {
	case e.err != nil:
		return e.err
	case e.out == nil && e.cfg.Player != "" && len(e.names) > 0:
		return fmt.Errorf("%q was not in the game at that time; these players were: %s", e.cfg.Player, strings.Join(e.names, ", "))
	case e.out == nil && errors.Is(err, replay.ErrTruncated):
		return fmt.Errorf("the log has nothing to record at that time, up to its end: %w", err)
	case e.out == nil:
		return cmp.Or(err, fmt.Errorf("the log has nothing to record at that time; its length is %v", seconds(res.Ticks)))
	}
	missing := e.missing(res, err)
	if missing != nil && e.tellEnd {
		err := e.record.writeEnd(e.out, safetext.Line(fmt.Sprintf("Not all of the match is here: %v", missing)))
		return cmp.Or(err, e.Close())
	}
	return cmp.Or(e.Close(), missing)
}

// missing returns the error for a demo that lacks a part of what was requested. A log that is cut
// off before the requested end is an error.
func (e *export) missing(res replay.Result, err error) error {
	cutOff, early := errors.Is(err, replay.ErrTruncated), !e.done && e.seen < e.to
	switch {
	case err == nil, cutOff && !early, !early && res.LastGoodTick >= e.last:
		return nil
	case !cutOff:
		return fmt.Errorf("the demo is correct up to %v: %w", seconds(min(res.LastGoodTick, e.last)), err)
	}
	return err
}

// seconds returns the duration of a number of ticks, rounded to seconds.
func seconds(ticks int32) time.Duration {
	return (time.Duration(ticks) * time.Second / game.TickRate).Round(time.Second)
}
