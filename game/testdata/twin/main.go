// Twin plays 100,000 ticks (or the number given) of a match of 16 and prints
// the world's hashes. Its builds for different processors must print the same.
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
)

func main() {
	ticks := 100000
	if len(os.Args) > 1 {
		n, err := strconv.Atoi(os.Args[1])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		ticks = n
	}
	err := bots.Run(dm.Mode{}, 16, ticks, func(tick int, hash uint64) {
		fmt.Printf("%d %016x\n", tick, hash)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
