// Command killcount runs the match of a replay log again and prints the kills of each player.
//
//	go run ./examples/killcount replays/*.twreplay
package main

import (
	"fmt"
	"log"
	"maps"
	"os"
	"slices"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/server"
)

func main() {
	for _, name := range os.Args[1:] {
		if err := count(name); err != nil {
			log.Fatalf("%s: %v", name, err)
		}
	}
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
	onTick := func(w *game.World, _ *replay.Tick, events []game.Event) {
		for _, e := range events {
			if e.Kind != game.EvKill || e.Player == e.Target {
				continue
			}
			if killer, ok := w.Player(e.Player); ok {
				kills[killer.Profile.Name]++
			}
		}
	}
	res, err := replay.Verify(r, replay.VerifyConfig{Modes: server.BuiltinModes().New, OnTick: onTick})
	fmt.Printf("%s: %d ticks, %d hashes are equal\n", r.Header().Map, res.Ticks, res.HashesMatched)
	for _, player := range slices.Sorted(maps.Keys(kills)) {
		fmt.Printf("%4d %s\n", kills[player], player)
	}
	return err
}
