package app

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/recorder"
)

type replayExportCmd struct {
	File   string        `arg:"" help:"Replay log."`
	Out    string        `help:"Demo to write. It must not exist." required:"" placeholder:"FILE.demo"`
	Player string        `help:"Record the view of this player, from joining to leaving." placeholder:"NAME" xor:"view"`
	Free   bool          `help:"Record the whole map, for a free camera. This is the default." xor:"view"`
	From   time.Duration `help:"Time in the log at which the demo begins, such as 5m30s."`
	To     time.Duration `help:"Time in the log at which the demo ends."`
	Format string        `help:"Clients that can play the demo: tw07 (Teeworlds 0.7) or ddnet." default:"tw07" enum:"tw07,ddnet"`
	Map    string        `help:"Map of the match, if it is not in the folder maps." placeholder:"FILE.map" type:"existingfile"`
}

func (replayExportCmd) Help() string {
	return `The match of the log is run again. The demo shows names, chat and votes as the players saw them. It
contains no team chat and no whispers, and health and ammunition only of the player whose view it
records. Who called a vote is not in the log.

  teeyard replay export match.twreplay --out final.demo --from 12m --to 15m
  teeyard replay export match.twreplay --out yardy.demo --player yardy`
}

// Run writes a demo.
func (c *replayExportCmd) Run(p *program) error {
	in, r, err := openReplay(c.File)
	if err != nil {
		return err
	}
	defer in.Close()
	format, _ := recorder.ParseFormat(c.Format)
	m, err := c.findMap(r.Header(), format)
	if err != nil {
		return err
	}
	out, err := createOutput(c.Out, 0o644)
	if err != nil {
		return err
	}
	e := demoExport{
		player: c.Player, ofPlayer: c.Player != "", format: format, gameMap: m, file: out,
		began: time.UnixMilli(r.Header().StartTime), from: ticksIn(c.From), to: cmp.Or(ticksIn(c.To), game.MaxTick),
	}
	err = e.run(r, p.verifyConfig())
	if err := out.finish(e.out != nil); err != nil {
		return err
	}
	if e.out == nil {
		return err
	}
	fmt.Printf("%s: %v to %v of the match\n", safetext.Line(c.Out), ticksToDuration(e.first), ticksToDuration(e.last))
	if isCutOff(err) {
		fmt.Printf("%s is cut off at this time: %s\n", safetext.Line(c.File), cutOffCauses)
		return told(err)
	}
	return err
}

// ticksIn returns the number of ticks in a duration.
func ticksIn(d time.Duration) int32 {
	return int32(min(max(d, 0)/(time.Second/game.TickRate), game.MaxTick))
}

// findMap returns the map of a log in a form that players of the demo format can read.
func (c *replayExportCmd) findMap(h *replay.Header, format recorder.Format) (*bridge.Map, error) {
	file, err := readMapFile(c.Map, c.File, h.Map, h.MapSHA256)
	if err != nil {
		return nil, err
	}
	return mapFor(format, h.Map, file)
}

// mapFor returns a map in a form that players of the demo format can read.
func mapFor(format recorder.Format, name string, file []byte) (*bridge.Map, error) {
	if format.NeedsUncompressedTiles() {
		if compatible, err := twmap.Compatible(file); err != nil {
			return nil, fmt.Errorf("the map cannot be converted for %v: %w", format, err)
		} else if compatible != nil {
			file = compatible
		}
	}
	return &bridge.Map{Name: name, File: file, CRC: crc32.ChecksumIEEE(file), SHA256: sha256.Sum256(file)}, nil
}

// readMapFile returns the map file: the file that the user names, or one from the program, the
// storage, the folders around the recording or an installed game.
func readMapFile(given, recording, name string, sum [sha256.Size]byte) ([]byte, error) {
	if given != "" {
		file, err := os.ReadFile(given)
		if err == nil && sha256.Sum256(file) != sum {
			err = fmt.Errorf("%s: not the map of the match; its SHA-256 must be %x", given, sum)
		}
		return file, err
	}
	if embedded, ok := maps.Find(name); ok && sha256.Sum256(embedded.Data) == sum {
		return embedded.Data, nil
	}
	own, downloaded := name+".map", fmt.Sprintf("%s_%x.map", name, sum)
	if fs.ValidPath(own) {
		folders := newStorage(".", noOriginal)
		if recording != "" { // servers store recordings in a folder beside maps
			folders = append(folders, filepath.Dir(recording), filepath.Join(filepath.Dir(recording), ".."))
		}
		for _, path := range []string{"maps/" + own, "downloadedmaps/" + downloaded} {
			for i := range folders {
				if file, err := fs.ReadFile(folders[i:i+1], path); err == nil && sha256.Sum256(file) == sum {
					return file, nil
				}
			}
		}
		for _, dir := range client.InstalledMapDirs() {
			for _, base := range []string{own, downloaded} {
				if file, err := os.ReadFile(filepath.Join(dir, base)); err == nil && sha256.Sum256(file) == sum {
					return file, nil
				}
			}
		}
	}
	return nil, fmt.Errorf(
		"the map of the match, %q with SHA-256 %x, is not in the folder maps here or beside the recording; name its file with --map",
		safetext.Line(name),
		sum,
	)
}

// demoExport converts a log into a demo.
type demoExport struct {
	player   string
	ofPlayer bool
	format   recorder.Format
	gameMap  *bridge.Map
	file     io.Writer
	began    time.Time // time of tick 0
	from, to int32

	cfg         recorder.Config
	recorder    *recorder.Recorder
	record      recorder.Record
	out         *demo.Writer // nil before the first record
	first, last int32        // ticks
	seen        int32        // last tick of the log so far
	done        bool
	tellsEnd    bool     // the demo tells that it is cut short, so that is not an error
	names       []string // of the players seen
	err         error
}

// run writes the demo. If it fails, e.out reports whether there is a partial demo. A log that is
// cut off before the requested end is an error.
func (e *demoExport) run(r *replay.Reader, cfg replay.VerifyConfig) error {
	cfg.OnTick = func(w *game.World, _ *replay.Tick, events []game.Event) {
		e.seen = w.Tick()
		if !e.done && e.err == nil && w.Tick() >= e.from && w.Tick() <= e.to {
			e.err = e.tick(w, events)
		}
	}
	res, err := replay.Verify(r, cfg)
	err = adviseOnLog(err)
	switch {
	case e.err != nil:
		return e.err
	case e.out == nil && e.ofPlayer && len(e.names) > 0:
		return fmt.Errorf("%q was not in the game at that time; these players were: %s", e.player, strings.Join(e.names, ", "))
	case e.out == nil && isCutOff(err):
		return fmt.Errorf("the log has nothing to record at that time, up to its end: %w", err)
	case e.out == nil:
		return cmp.Or(err, fmt.Errorf("the log has nothing to record at that time; its length is %v", ticksToDuration(res.Ticks)))
	}
	early := !e.done && e.seen < e.to
	missing := err
	switch {
	case missing == nil, isCutOff(missing) && !early, !early && res.LastGoodTick >= e.last:
		missing = nil
	case !isCutOff(missing):
		missing = fmt.Errorf("the demo is correct up to %v: %w", ticksToDuration(min(res.LastGoodTick, e.last)), missing)
	}
	if missing != nil && e.tellsEnd {
		err := e.record.WriteEnd(e.out, safetext.Line(fmt.Sprintf("Not all of the match is here: %v", missing)))
		return cmp.Or(err, e.out.Close())
	}
	return cmp.Or(e.out.Close(), missing)
}

// tick adds a tick of the world.
func (e *demoExport) tick(w *game.World, events []game.Event) error {
	if e.recorder == nil && !e.begin(w) {
		return nil
	}
	if e.cfg.OfPlayer {
		if p, ok := w.Player(e.cfg.Player); !ok || !p.InGame {
			e.done = true
			return nil
		}
	}
	e.recorder.Tick(w, events)
	for i := range events {
		e.recorder.Event(w, &events[i])
	}
	if !e.recorder.Due(w) {
		return nil
	}
	e.recorder.Take(w, &e.record)
	if e.out == nil {
		e.first = w.Tick()
		began := e.began.Add(time.Duration(e.first) * (time.Second / game.TickRate))
		out, err := demo.NewWriter(e.file, e.cfg.Header(e.gameMap, began), e.gameMap.File)
		if err != nil {
			return err
		}
		e.out = out
	}
	e.last = w.Tick()
	return e.record.WriteTo(e.out)
}

// begin creates the recorder once the player to watch is in the game.
func (e *demoExport) begin(w *game.World) bool {
	e.cfg = recorder.Config{Format: e.format, OfPlayer: e.ofPlayer}
	found := !e.ofPlayer
	for i := range w.Frame().Players {
		id := w.Frame().Players[i].ID
		p, _ := w.Player(id)
		if e.ofPlayer && p.Profile.Name == e.player {
			e.cfg.Player, found = id, true
		}
		if name := safetext.Line(p.Profile.Name); len(e.names) < game.MaxPlayers && !slices.Contains(e.names, name) {
			e.names = append(e.names, name)
		}
	}
	if found {
		e.recorder = recorder.New(e.cfg)
	}
	return found
}
