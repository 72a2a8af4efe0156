package app

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
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
	cfg := recorder.ExportConfig{Player: c.Player, From: ticksIn(c.From), To: ticksIn(c.To), Verify: p.verifyConfig()}
	cfg.Format, _ = recorder.ParseFormat(c.Format)
	if cfg.Map, err = readMapFile(c.Map, c.File, r.Header().Map, r.Header().MapSHA256); err != nil {
		return err
	}
	out, err := createOutput(c.Out, 0o644)
	if err != nil {
		return err
	}
	first, last, ok, err := recorder.Export(out, r, cfg)
	err = adviseOnLog(err)
	if err := out.finish(ok); err != nil {
		return err
	}
	if !ok {
		return err
	}
	fmt.Printf("%s: %v to %v of the match\n", safetext.Line(c.Out), ticksToDuration(first), ticksToDuration(last))
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
