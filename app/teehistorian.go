package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/teeverify"
	"github.com/teeyard/teeyard/internal/words"
	"github.com/teeyard/teeyard/recorder/historian"
	"github.com/teeyard/teeyard/server/record"
)

// isTeehistorian reports whether a file is a teehistorian by its content or its name.
func isTeehistorian(name string) bool {
	if strings.HasSuffix(name, record.TeehistorianSuffix) {
		return true
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 16)
	_, err = io.ReadFull(f, begin)
	return err == nil && teehistorian.Is(begin)
}

// openHistory reads the header of a teehistorian and finds its map, unless mapFile names one. If
// name is empty, the map is not searched beside the recording. whole reads the recording from its
// beginning.
func openHistory(file io.Reader, name, mapFile string) (whole io.Reader, gameMap []byte, err error) {
	var begin bytes.Buffer
	r, err := teehistorian.NewReader(io.TeeReader(file, &begin))
	if err != nil {
		return nil, nil, err
	}
	sum, ok := r.Header().SHA256()
	if !ok {
		return nil, nil, errors.New("the header has no map_sha256 to identify the map")
	}
	gameMap, err = readMapFile(mapFile, name, r.Header().MapName, sum)
	return io.MultiReader(&begin, file), gameMap, err
}

// exportTeehistorian writes a Teeworlds 0.7 demo of a recording.
func exportTeehistorian(out io.Writer, file io.Reader) error {
	whole, gameMap, err := openHistory(file, "", "")
	if err != nil {
		return err
	}
	return historian.Export(out, whole, gameMap)
}

// verifyTeehistorian runs a DDNet-Server recording in Teeyard's DDRace simulation and prints the
// result. It does not print an error that is not told.
func verifyTeehistorian(name, mapFile string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	whole, gameMap, err := openHistory(f, name, mapFile)
	if err != nil {
		return err
	}
	m, err := twmap.Config{GameOnly: true}.Parse(gameMap)
	if err != nil {
		return err
	}
	terrain, err := m.Terrain()
	if err != nil {
		return err
	}
	begin := time.Now()
	show, shown := progressLine{enabled: isTerminal(os.Stderr)}, begin
	res, err := teeverify.Verify(teeverify.Config{File: whole, Terrain: terrain, Progress: func(tick int32) {
		if time.Since(shown) > time.Second {
			shown = time.Now()
			show.show("%s: %v of the match", safetext.Line(name), ticksToDuration(tick))
		}
	}})
	show.clear()
	if err != nil {
		return err
	}
	took := time.Since(begin)
	notes := teehistorianNotes(res)
	switch {
	case res.Difference != nil && res.End != nil:
		return fmt.Errorf("%v; %s; %v%s", res.Difference, words.Clause(res.TeeTicks, "place", "up to there is equal", "up to there are equal"), res.End, notes)
	case res.Difference != nil:
		return fmt.Errorf("%v; %s%s", res.Difference, words.Clause(res.TeeTicks, "place", "up to there is equal", "up to there are equal"), notes)
	case isCutOff(res.End):
		fmt.Printf(
			"%s: cut off, good up to tick %d (%v), %s%s; %s: %s\n",
			safetext.Line(
				name,
			),
			res.Ticks,
			ticksToDuration(res.Ticks),
			words.Clause(res.TeeTicks, "place", "of a tee agrees", "of tees agree"),
			safetext.Line(notes),
			safetext.Line(res.End.Error()),
			cutOffCauses,
		)
		return told(res.End)
	case res.End != nil:
		return fmt.Errorf(
			"%w; good up to tick %d (%v), %s%s",
			res.End,
			res.Ticks,
			ticksToDuration(res.Ticks),
			words.Clause(res.TeeTicks, "place", "of a tee agrees", "of tees agree"),
			notes,
		)
	}
	fmt.Printf(
		"%s: ok, %s (%v), %s, %.0f ticks per second%s\n",
		safetext.Line(
			name,
		),
		words.Count(res.Ticks, "tick"),
		ticksToDuration(res.Ticks),
		words.Clause(res.TeeTicks, "place", "of a tee agrees", "of tees agree"),
		float64(res.Ticks)/took.Seconds(),
		safetext.Line(notes),
	)
	return nil
}

// andMore writes that n notes like the one before were found, the last one in a tick.
func andMore(b *bytes.Buffer, n int, last int32) {
	if n > 1 {
		fmt.Fprintf(b, " (and %d more such notes up to tick %d)", n-1, last)
	}
}

// teehistorianNotes returns remarks that matter besides the result.
func teehistorianNotes(res *teeverify.Result) string {
	var b bytes.Buffer
	if n := len(res.Repeated); n > 0 {
		r := res.Repeated[0]
		fmt.Fprintf(&b, "; tick %d: client %d must have repeated its previous input, which these files do not record", r.Tick, r.Client)
		andMore(&b, n, res.Repeated[n-1].Tick)
	}
	if n := len(res.Moves); n > 0 {
		m := res.Moves[0]
		what := "joined the game"
		if m.Spectates {
			what = "become a spectator"
		}
		fmt.Fprintf(&b, "; tick %d: client %d, which speaks 0.7, must have %s, which DDNet-Server does not record", m.Tick, m.Client, what)
		andMore(&b, n, res.Moves[n-1].Tick)
	}
	if res.GaveUp {
		b.WriteString("; there are so many differences that not all unrecorded inputs were tried")
	}
	for i := 0; i < len(res.Lost); {
		l, n := res.Lost[i], 1
		for i+n < len(res.Lost) && res.Lost[i+n].Cause == l.Cause {
			n++
		}
		fmt.Fprintf(&b, "; from tick %d: the tee of client %d is not followed up to its next spawn, after %s in tick %d", l.Tick, l.Client, l.Cause, l.Since)
		i += n
		andMore(&b, n, res.Lost[i-1].Tick)
	}
	if res.NotCompared > 0 {
		fmt.Fprintf(&b, "; %s from the file without a comparison", words.Clause(res.NotCompared, "place", "is taken", "are taken"))
	}
	if len(res.Unknown) > 0 {
		fmt.Fprintf(&b, "; not simulated: %s", strings.Join(res.Unknown, ", "))
	}
	return b.String()
}
