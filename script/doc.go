// Package script runs mods written in Lua. A script is a game.Mod and can do everything that a mod in
// Go can. The world calls the functions of the file that have the names of hooks, such as on_death.
// They use the game through the table game and through objects such as players. docs/mod/lua.md is
// the reference, docs/mod/guide.md the guide.
//
// A script is deterministic. Time and random numbers come from the world, tables have an order, and
// mathematics gives the same numbers on every machine. Everything that lasts is in the table state,
// which is saved, hashed and restored. Steps and memory are limited. A script that exceeds a limit,
// or fails again and again, is switched off, and the match goes on. The package does not use files,
// the network or clocks.
package script
