// Command killcount runs the match of a replay log again and prints the kills of each player. The
// exit status is 1 if a log cannot be read to its end.
//
//	go run ./examples/killcount replays/*.twreplay
package main

import (
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/script"
)

func main() {
	status := 0
	for _, name := range os.Args[1:] {
		if err := count(name); err != nil {
			log.Printf("%s: %v", name, err)
			status = 1
		}
	}
	os.Exit(status)
}

func count(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := replay.NewReader(f)
	if err != nil {
		return err
	}
	kills := map[string]int{}
	res, err := replay.Verify(r, replay.VerifyConfig{
		Modes:   builtin.Modes().New,
		NewMod:  func(m replay.ModInfo) (game.Mod, error) { return script.New(scriptConfig(m)) },
		NewMode: func(m replay.ModInfo) (game.Mode, error) { return script.NewMode(scriptConfig(m)) },
		OnTick: func(w *game.World, _ *replay.Tick, events []game.Event) {
			for _, e := range events {
				if e.Kind != game.EvKill || e.Player == e.Target {
					continue
				}
				if killer, ok := w.Player(e.Player); ok {
					kills[killer.Profile.Name]++
				}
			}
		},
	})
	if err != nil && !errors.Is(err, replay.ErrTruncated) {
		return err
	}
	fmt.Printf("%s: %d ticks, %d hashes are equal\n", r.Header().Map, res.Ticks, res.HashesMatched)
	for _, player := range slices.Sorted(maps.Keys(kills)) {
		fmt.Printf("%4d %s\n", kills[player], player)
	}
	return err // for a log that is cut off
}

// scriptConfig returns the parameters of a Lua mod or game type in a log.
func scriptConfig(m replay.ModInfo) script.Config {
	return script.Config{Name: "mods/" + m.Name + ".lua", Source: string(m.Source), Costs: m.Costs}
}
