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

// ErrNothing is returned for a demo without a readable snapshot.
var ErrNothing = errors.New("the demo contains no readable snapshot")

// Convert converts a demo of another version, such as DDNet's, to a demo of Teeworlds 0.7. It
// leaves out data that 0.7 cannot show. Of a damaged demo it converts the intact parts, and a final
// chat line describes the damage. Without any readable snapshot it returns ErrNothing.
func Convert(w io.Writer, r *demo.Reader) error {
	h := *r.Header()
	h.Version, h.NetVersion, h.Length, h.MapSHA256 = demo.VersionTeeworlds, msg7.NetVersion, 0, [32]byte{}
	if m := r.Map(); len(m) > 0 {
		h.MapCRC = crc32.ChecksumIEEE(m) // for a damaged map, a chat line reports the damage
	}
	out, err := demo.NewWriter(w, h, r.Map())
	if err != nil {
		return err
	}
	c := new(converter)
	c.GameHandler = bridge.NewEventHandler(func() bridge.ClientSide { return c.from }, func(event.Event) {})
	c.from = newDemoReader(r.Header(), c)
	c.to = bridge7.NewDemoConverter(c.from, &c.messages)
	var (
		repeats demo.Repeats
		builder snapshot.Builder
		rec     Record
		due     int32 // tick of the next keyframe
		shown   bool
		broken  int // number of damaged chunks
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
				if err := rec.writeEnd(out, "Not all of the match is here: "+strings.Join(missing, "; ")); err != nil {
					return err
				}
			}
			return out.Close()
		case err != nil:
			return err
		case chunk.Kind == demo.KindMessage && !repeats.Has(r.Header(), chunk):
			c.from.Receive(chunk.Message, true) // unreadable messages are left out
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

// writeEnd ends a demo of Teeworlds 0.7 after the record: it writes a chat line of the server, and
// two more seconds in which viewers can read it.
func (r *Record) writeEnd(out *demo.Writer, text string) error {
	out.Message((&msg7.SvChat{Mode: msg7.ChatAll, ClientID: -1, TargetID: -1, Message: []byte(text)}).Append(nil))
	for ticks := int32(2); ticks <= 2*game.TickRate; ticks += 2 {
		out.Snapshot(r.Tick+ticks, &r.Snapshot)
	}
	return out.Flush() // reports the first error
}

// converter receives the messages of a demo.
type converter struct {
	bridge.GameHandler
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
