// Command rerun runs replay logs again and compares the hashes. The program is small, so that it
// builds quickly for another processor.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"

	"github.com/teeyard/teeyard/examples/mods"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/ctf"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/mods/fng"
	"github.com/teeyard/teeyard/script"
)

var modes = map[string]func() game.Mode{
	"dm": func() game.Mode { return dm.Mode{} }, "ctf": func() game.Mode { return ctf.Mode{} },
	"fng": func() game.Mode { return fng.New(game.WeaponLaser, true) },
}

var modsByName = map[string]func() game.Mod{
	"bounty": mods.NewBounty, "classes": mods.NewClasses, "guard": mods.NewGuard, "lottery": mods.NewLottery,
}

var config = replay.VerifyConfig{
	Modes: func(name string) (game.Mode, bool) {
		newMode, ok := modes[name]
		if !ok {
			return nil, false
		}
		return newMode(), true
	},
	NewMode: func(info replay.ModInfo) (game.Mode, error) {
		return script.NewMode(script.Config{Name: "mods/" + info.Name + ".lua", Source: string(info.Source), Costs: info.Costs})
	},
	NewMod: func(info replay.ModInfo) (game.Mod, error) {
		if newMod, ok := modsByName[info.Name]; ok {
			return newMod(), nil
		}
		return script.New(script.Config{Name: "mods/" + info.Name + ".lua", Source: string(info.Source), Costs: info.Costs})
	},
}

func main() {
	for _, name := range os.Args[1:] {
		if err := verify(name); err != nil {
			fmt.Println(name, "FAILED on", runtime.GOARCH, err)
			os.Exit(1)
		}
	}
}

func verify(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := replay.NewReader(bufio.NewReader(f))
	if err != nil {
		return err
	}
	res, err := replay.Verify(r, config)
	if err == nil {
		fmt.Println(name, "ok on", runtime.GOARCH, res.HashesMatched, "hashes")
	}
	return err
}
