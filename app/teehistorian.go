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
	"github.com/teeyard/teeyard/server"
)

// isTeehistorian reports whether a file is one.
func isTeehistorian(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 16)
	_, err = io.ReadFull(f, begin)
	return err == nil && teehistorian.Is(begin)
}

// verifyTeehistorian runs a recording of DDNet-Server in our simulation of DDRace.
func verifyTeehistorian(name, mapFile string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := teehistorian.NewReader(f)
	if err != nil {
		return err
	}
	h := r.Header()
	sum, ok := h.SHA256()
	if !ok {
		return errors.New("the header has no checksum of the map")
	}
	file, err := readMapFile(mapFile, h.MapName, sum)
	if err != nil {
		return err
	}
	m, err := twmap.Config{GameOnly: true}.Parse(file)
	if err != nil {
		return err
	}
	if m.GameLayer() == nil {
		return errors.New("the map has no game layer")
	}
	t, err := server.Terrain(m)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	begin := time.Now()
	res, err := teeverify.Verify(teeverify.Config{File: f, Terrain: t})
	if err != nil {
		return err
	}
	took := time.Since(begin)
	notes := teehistorianNotes(res)
	if res.Difference != nil {
		return fmt.Errorf("%v; %d places up to there are equal%s", res.Difference, res.TeeTicks, notes)
	}
	if res.End != nil && !errors.Is(res.End, teehistorian.ErrCutOff) {
		return fmt.Errorf("%w; %d places up to there are equal", res.End, res.TeeTicks)
	}
	if res.End != nil {
		fmt.Printf("%s: %s; ", safetext.Line(name), safetext.Line(res.End.Error()))
	} else {
		fmt.Printf("%s: ", safetext.Line(name))
	}
	fmt.Printf("ok, %d ticks (%v), %d places of tees agree, %.0f ticks per second%s\n",
		res.Ticks, ticksToDuration(res.Ticks), res.TeeTicks, float64(res.Ticks)/took.Seconds(), safetext.Line(notes))
	return nil
}

// teehistorianNotes says what matters besides the result.
func teehistorianNotes(res *teeverify.Result) string {
	var b bytes.Buffer
	for _, r := range res.Repeated {
		fmt.Fprintf(&b, "; tick %d: client %d must have sent the input before once more, which such files lack", r.Tick, r.Client)
	}
	for i, l := range res.Lost {
		if i == 10 {
			fmt.Fprintf(&b, "; and %d more", len(res.Lost)-i)
			break
		}
		fmt.Fprintf(&b, "; from tick %d: the tee of client %d is not followed up to its next spawn, after %s in tick %d", l.Tick, l.Client, l.Cause, l.Since)
	}
	if res.NotCompared > 0 {
		fmt.Fprintf(&b, "; %d places are taken from the file", res.NotCompared)
	}
	if len(res.Unknown) > 0 {
		fmt.Fprintf(&b, "; not simulated: %s", strings.Join(res.Unknown, ", "))
	}
	return b.String()
}
