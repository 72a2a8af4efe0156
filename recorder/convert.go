package recorder

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// ErrNothing is returned for a demo without a snapshot that can be read.
var ErrNothing = errors.New("no snapshot of the demo can be read, so that there is nothing to show")

// Convert writes a demo of another version, such as DDNet's, as one of Teeworlds 0.7, as far as that can
// show it. Of a damaged demo it converts what is whole, and the last line of chat says what is missing; if there is
// nothing to show, it returns ErrNothing.
func Convert(w io.Writer, r *demo.Reader) error {
	h := *r.Header()
	h.Version, h.NetVersion, h.Length, h.MapSHA256 = demo.VersionTeeworlds, msg7.NetVersion, 0, [32]byte{}
	if m := r.Map(); len(m) > 0 {
		h.MapCRC = crc32.ChecksumIEEE(m) // if the map is damaged, a line of chat says so
	}
	out, err := demo.NewWriter(w, h, r.Map())
	if err != nil {
		return err
	}
	c := &converter{EventHandler: bridge.EventHandler{Emit: func(event.Event) {}}}
	c.Side = func() bridge.ClientSide { return c.from }
	c.from = newDemoReader(r.Header(), c)
	c.to = bridge7.NewDemoConverter(c.from, &c.messages)
	var (
		repeats demo.Repeats
		builder snapshot.Builder
		rec     Record
		due     int32 // tick of the next keyframe
		shown   bool
		broken  int // chunks
	)
	for chunk := new(demo.Chunk); ; {
		err := r.Next(chunk)
		switch {
		case errors.Is(err, demo.ErrChunk):
			broken++
		case err == io.EOF, errors.Is(err, demo.ErrCutOff):
			if !shown {
				return ErrNothing
			}
			var missing []string
			if broken > 0 {
				missing = append(missing, fmt.Sprintf("%s damaged", words.Clause(broken, "chunk", "is", "are")))
			}
			if err != io.EOF {
				missing = append(missing, err.Error())
			}
			if len(missing) > 0 {
				if err := rec.WriteEnd(out, "Not all of the match is here: "+strings.Join(missing, "; ")); err != nil {
					return err
				}
			}
			return out.Close()
		case err != nil:
			return err
		case chunk.Kind == demo.KindMessage && !repeats.Has(r.Header(), chunk):
			c.from.Receive(chunk.Message, true) // what cannot be read is left out
		case chunk.Snapshot != nil && chunk.Tick >= rec.Tick:
			c.from.ReceiveSnapshot(chunk.Tick, chunk.Snapshot)
			c.to.BuildSnapshot(&builder)
			builder.Finish(&rec.Snapshot)
			if rec.Tick, rec.Keyframe = chunk.Tick, chunk.Tick >= due; rec.Keyframe {
				due = chunk.Tick + demo.KeyframeInterval
			}
			shown = true
			rec.messages, c.messages = c.messages, rec.messages
			c.messages.reset()
			if err := rec.WriteTo(out); err != nil {
				return err
			}
		}
	}
}

// WriteEnd writes a line of the server's chat to a demo of Teeworlds 0.7 that ends with the record, and two more seconds
// in which it can be read.
func (r *Record) WriteEnd(out *demo.Writer, text string) error {
	out.Message((&msg7.SvChat{Mode: msg7.ChatAll, ClientID: -1, TargetID: -1, Message: []byte(text)}).Append(nil))
	for ticks := int32(2); ticks <= 2*game.TickRate; ticks += 2 {
		out.Snapshot(r.Tick+ticks, &r.Snapshot)
	}
	return out.Flush() // with the first error
}

// converter gets what a demo tells clients.
type converter struct {
	bridge.EventHandler
	bridge.NopSessionHandler
	from     bridge.ClientSide
	to       *bridge7.DemoConverter
	messages messageList
}

// OnEvent implements bridge.GameHandler.
func (c *converter) OnEvent(ev *game.Event) { c.to.SendEvent(ev) }

// OnMotd implements bridge.GameHandler.
func (c *converter) OnMotd(string) {}

// OnVote implements bridge.GameHandler.
func (c *converter) OnVote(v *bridge.Vote) { c.to.SendVote(v) }

// OnVoteStatus implements bridge.GameHandler.
func (c *converter) OnVoteStatus(yes, no, pass, total int32) {
	c.to.SendVoteStatus(yes, no, pass, total)
}
