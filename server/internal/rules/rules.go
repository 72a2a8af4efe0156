// Package rules makes console variables of the rules of a match.
package rules

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/server/console"
)

// Register adds the variables of game.RuleSettings to a console and sets r to their defaults.
// Afterwards the variables read and change r. With ddnet, sv_inactivekick has the numbers of
// DDNet-Server: one less.
func Register(c *console.Console, r *game.Rules, ddnet bool) error {
	for _, rule := range game.RuleSettings() {
		if rule.Name == "" {
			continue
		}
		v := console.IntVar{
			Name: rule.Name, Help: rule.Help, Flags: console.Server | console.Save,
			Default: int(rule.Default), Min: int(rule.Min), Max: int(rule.Max),
		}
		if rule.Switch != nil {
			v.Max = 1
		}
		less := 0
		if ddnet && rule.Name == "sv_inactivekick" {
			v.Help = "How to deal with inactive clients (0 = spectator, 1 = spectator or kick, 2 = kick)"
			v.Default, v.Min, v.Max, less = 0, 0, 2, 1
		}
		get := func() int { return int(rule.Value(r)) - less }
		if err := c.RegisterIntFunc(v, get, func(x int) { rule.Set(r, int32(x+less)) }); err != nil {
			return err
		}
	}
	return nil
}
