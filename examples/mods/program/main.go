// Command program is teeyard with two of the example mods.
//
//	go run ./examples/mods/program serve "sv_mods classes"
package main

import (
	"github.com/teeyard/teeyard/app"
	"github.com/teeyard/teeyard/examples/mods"
)

func main() {
	app.Main(app.Config{Mods: []app.Mod{
		{Name: "bounty", New: mods.NewBounty},
		{Name: "classes", New: mods.NewClasses},
	}})
}
