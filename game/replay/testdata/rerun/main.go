// Command rerun verifies the replay log on its standard input.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/replay"
)

func main() {
	r, err := replay.NewReader(bufio.NewReader(os.Stdin))
	if err == nil {
		var res replay.Result
		res, err = replay.Verify(r, replay.VerifyConfig{Modes: func(string) (game.Mode, bool) { return dm.Mode{}, true }})
		fmt.Printf("%d ticks, %d hashes\n", res.Ticks, res.HashesMatched)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
