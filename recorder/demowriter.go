package recorder

import (
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/safetext"
)

// Map returns a map in a form that players of the demo format can read.
func (f Format) Map(name string, file []byte) (*bridge.Map, error) {
	if f.NeedsUncompressedTiles() {
		if compatible, err := twmap.Compatible(file); err != nil {
			return nil, fmt.Errorf("the map cannot be converted for %v: %w", f, err)
		} else if compatible != nil {
			file = compatible
		}
	}
	return &bridge.Map{Name: name, File: file, CRC: crc32.ChecksumIEEE(file), SHA256: sha256.Sum256(file)}, nil
}

// DemoConfig is the configuration of a DemoWriter.
type DemoConfig struct {
	Format Format
	// Map is the map of the match, see Format.Map.
	Map *bridge.Map
	// Player is the name of a player. The demo then shows the view of this player, from joining to
	// leaving. Without a name it shows the whole map.
	Player string
	// Start is the time of tick 0.
	Start time.Time
}

// DemoWriter writes a demo of a world while the world runs.
type DemoWriter struct {
	cfg      DemoConfig
	file     io.Writer
	recorder *Recorder // nil before the player to watch is in the game
	view     Config
	record   Record
	out      *demo.Writer // nil before the first record
	// first and last are the ticks of the first and the last record.
	first, last int32
	done        bool     // the player has left
	names       []string // of the players seen
}

// NewDemoWriter returns a writer. It writes nothing before the first record.
func NewDemoWriter(w io.Writer, cfg DemoConfig) *DemoWriter {
	return &DemoWriter{cfg: cfg, file: w}
}

// Tick adds a tick of the world.
func (d *DemoWriter) Tick(w *game.World, events []game.Event) error {
	if d.done || d.recorder == nil && !d.begin(w) {
		return nil
	}
	if d.view.OfPlayer {
		if p, ok := w.Player(d.view.Player); !ok || !p.InGame {
			d.done = true
			return nil
		}
	}
	d.recorder.Tick(w, events)
	for i := range events {
		d.recorder.Event(w, &events[i])
	}
	if !d.recorder.Due(w) {
		return nil
	}
	d.recorder.Take(w, &d.record)
	if d.out == nil {
		d.first = w.Tick()
		start := d.cfg.Start.Add(time.Duration(d.first) * (time.Second / game.TickRate))
		out, err := demo.NewWriter(d.file, d.view.Header(d.cfg.Map, start), d.cfg.Map.File)
		if err != nil {
			return err
		}
		d.out = out
	}
	d.last = w.Tick()
	return d.record.WriteTo(d.out)
}

// begin creates the recorder once the player to watch is in the game.
func (d *DemoWriter) begin(w *game.World) bool {
	ofPlayer := d.cfg.Player != ""
	d.view = Config{Format: d.cfg.Format, OfPlayer: ofPlayer}
	found := !ofPlayer
	for i := range w.Frame().Players {
		id := w.Frame().Players[i].ID
		p, _ := w.Player(id)
		if ofPlayer && p.Profile.Name == d.cfg.Player {
			d.view.Player, found = id, true
		}
		if name := safetext.Line(p.Profile.Name); len(d.names) < game.MaxPlayers && !slices.Contains(d.names, name) {
			d.names = append(d.names, name)
		}
	}
	if found {
		d.recorder = New(d.view)
	}
	return found
}

// Span returns the ticks of the first and the last record. ok is false if there is none.
func (d *DemoWriter) Span() (first, last int32, ok bool) { return d.first, d.last, d.out != nil }

// Close ends the demo. It does not close the file.
func (d *DemoWriter) Close() error {
	if d.out == nil {
		return nil
	}
	return d.out.Close()
}
