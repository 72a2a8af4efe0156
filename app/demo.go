package app

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge6"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
)

type demoCmd struct {
	Info demoInfoCmd `cmd:"" help:"Show information about a demo."`
	Cut  demoCutCmd  `cmd:"" help:"Copy a part of a demo to another file."`
	Play demoPlayCmd `cmd:"" help:"Print the events of a demo, as join does for a game."`
}

// openDemo opens a demo. The caller closes the file.
func openDemo(name string) (*os.File, *demo.Reader, error) {
	f, err := openInput(name)
	if err != nil {
		return nil, nil, err
	}
	r, err := demo.NewReader(f)
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, r, nil
}

// demoViewer reads a demo as a client would receive it.
type demoViewer struct {
	bridge.GameHandler
	side bridge.ClientSide

	// onTick is called for each tick before its events; an error ends the reading. onEvent is
	// called for each event and onView for each snapshot.
	onTick  func(tick int32) error
	onEvent func(event.Event)
	onView  func(*game.View)

	first, last int32 // ticks; -1 before the first
	keyframes   int
	snapshots   int
	messages    int
	unreadable  int   // number of messages that cannot be decoded
	broken      int   // number of broken chunks
	brokenAt    error // at the first broken chunk
	problem     error // the error at which reading ended

	repeats demo.Repeats
}

func newDemoViewer(h *demo.Header) *demoViewer {
	v := &demoViewer{first: -1, last: -1}
	v.GameHandler = bridge.NewEventHandler(func() bridge.ClientSide { return v.side }, func(e event.Event) {
		if v.onEvent != nil {
			v.onEvent(e)
		}
	})
	if h.Protocol() == 7 {
		v.side = bridge7.NewDemoClientSide(v)
	} else {
		v.side = bridge6.NewDemoClientSide(v)
	}
	return v
}

// read reads a demo to its end and notes its faults.
func (v *demoViewer) read(r *demo.Reader) error {
	var c demo.Chunk
	for {
		err := r.Next(&c)
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, demo.ErrChunk):
			if v.broken++; v.broken == 1 {
				v.brokenAt = err
			}
			continue
		case err != nil:
			v.problem = err
			return nil
		}
		switch c.Kind {
		case demo.KindTick:
			if v.first < 0 {
				v.first = c.Tick
			}
			v.last = c.Tick
			if c.Keyframe {
				v.keyframes++
			}
			if v.onTick != nil {
				if err := v.onTick(c.Tick); err != nil {
					return err
				}
			}
		case demo.KindMessage:
			v.messages++
			if v.repeats.Has(r.Header(), &c) {
				continue
			}
			if err := v.side.Receive(c.Message, true); err != nil {
				v.unreadable++
			}
		default:
			if c.Snapshot == nil {
				continue
			}
			view := v.side.ReceiveSnapshot(c.Tick, c.Snapshot)
			v.snapshots++
			if v.onView != nil {
				v.onView(view)
			}
		}
	}
}

func secondsToDuration(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Second)
}

type demoCutCmd struct {
	File string        `arg:"" help:"Demo."`
	Out  string        `arg:"" help:"File to write. It must not exist."`
	From time.Duration `help:"Time in the demo at which the copy begins, such as 1m30s."`
	To   time.Duration `help:"Time in the demo at which the copy ends. By default the end of the demo."`
}

func (demoCutCmd) Help() string {
	return `The copy begins with a keyframe, so that clients can play it, and keeps the markers in its range. Of
a damaged demo, the intact part is copied.

  teeyard demo cut demos/match.demo flag.demo --from 5m10s --to 5m40s`
}

// Run writes the cut demo.
func (c *demoCutCmd) Run() error {
	if c.From < 0 || c.To < 0 || c.To > 0 && c.To < c.From {
		return fmt.Errorf("the range from %v to %v is empty", c.From, c.To)
	}
	in, r, err := openDemo(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := createOutput(c.Out, 0o666)
	if err != nil {
		return err
	}
	from, to := durationToTicks(c.From), int32(-1)
	if c.To > 0 {
		to = durationToTicks(c.To)
	}
	first, last, err := demo.Cut(out, r, from, to)
	if err := out.finish(first >= 0); err != nil {
		return err
	}
	if first < 0 {
		if err == nil {
			err = fmt.Errorf("the demo has no snapshots after %v", c.From)
		}
		return fmt.Errorf("%s: %w", c.File, err)
	}
	fmt.Printf("%s: ticks %d to %d (%v)\n", safetext.Line(c.Out), first, last, ticksToDuration(last-first))
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	return nil
}

func durationToTicks(d time.Duration) int32 {
	return int32(min(d/(time.Second/game.TickRate), game.MaxTick))
}

type demoPlayCmd struct {
	File  string        `arg:"" help:"Demo."`
	From  time.Duration `help:"Time in the demo at which to start, such as 1m30s."`
	Speed float64       `help:"Speed: 2 plays twice as fast, 0 prints everything at once." default:"1"`
	JSON  bool          `name:"json" help:"Print one JSON object per event."`
}

func (demoPlayCmd) Help() string {
	return `Each line begins with the time in the demo. The scores follow at the end.

  teeyard demo play demos/match.demo --speed 0 | grep killed
  teeyard demo play match.demo --json --speed 0 | jq -r 'select(.event=="chat").text'`
}

// Run prints the events of a demo.
func (c *demoPlayCmd) Run(ctx context.Context) error {
	if c.Speed < 0 || c.From < 0 {
		return errors.New("--speed and --from must not be negative")
	}
	f, r, err := openDemo(c.File)
	if err != nil {
		return err
	}
	defer f.Close()
	stdout := bufio.NewWriter(os.Stdout)
	err = c.play(ctx, r, stdout)
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, stdout.Flush())
}

func (c *demoPlayCmd) play(ctx context.Context, r *demo.Reader, w *bufio.Writer) error {
	v := newDemoViewer(r.Header())
	at := int32(0) // ticks since the beginning of the demo
	var out printer
	if c.JSON {
		out = &jsonPrinter{w: w, stamp: func() string {
			return fmt.Sprintf(`"seconds":%.2f,"tick":%d`, ticksToSeconds(at), v.first+at)
		}}
	} else {
		out = &textPrinter{
			w:        &linePrefixer{w: w, prefix: func() string { return demoTime(at) + " " }},
			hasTeams: func() bool { return v.side.View().Game.Flags&game.GameFlagTeams != 0 },
		}
	}
	var from, begun = durationToTicks(c.From), false
	var start time.Time
	v.onEvent = func(e event.Event) {
		if begun {
			out.printEvent(e)
		}
	}
	v.onTick = func(tick int32) error {
		if at = tick - v.first; at < from {
			return ctx.Err()
		}
		if start.IsZero() {
			start = time.Now()
		}
		if c.Speed == 0 {
			return ctx.Err()
		}
		due := start.Add(time.Duration(float64(at-from) * float64(time.Second/game.TickRate) / c.Speed))
		wait := time.Until(due)
		if wait <= 0 {
			return ctx.Err()
		}
		if err := w.Flush(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
			return nil
		}
	}
	v.onView = func(*game.View) {
		if !begun && at >= from {
			begun = true
			rows := client.Scoreboard(v.side)
			for _, row := range rows {
				out.printEvent(event.Joined{Player: row.Player, Known: true})
			}
			out.printPresent(rows, game.Nobody)
		}
	}
	if err := v.read(r); err != nil {
		return err
	}
	if begun {
		out.printScores(client.Scoreboard(v.side))
	}
	if err := cmp.Or(v.brokenAt, v.problem); err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	return nil
}

// demoTime formats ticks as minutes and seconds.
func demoTime(ticks int32) string {
	return fmt.Sprintf("%d:%05.2f", ticks/(60*game.TickRate), ticksToSeconds(ticks%(60*game.TickRate)))
}

// linePrefixer writes a prefix before each line.
type linePrefixer struct {
	w      io.Writer
	prefix func() string
}

// Write implements io.Writer. b must hold whole lines.
func (p *linePrefixer) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		if _, err := fmt.Fprintf(p.w, "%s%s", p.prefix(), line); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}
