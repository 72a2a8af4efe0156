package client_test

import (
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server"
	"github.com/teeyard/teeyard/server/servertest"
)

// withMod returns the configuration of a server with a mod, which sv_mods calls test.
func withMod(mod func() game.Mod) server.Config {
	return server.Config{FindMod: func(string) (func() game.Mod, error) { return mod, nil }, Commands: []string{"sv_mods test"}}
}

// hasEvent reports whether a player has received an event of a type.
func hasEvent[E event.Event](p *servertest.Player) bool {
	_, ok := servertest.LastEvent[E](p)
	return ok
}
