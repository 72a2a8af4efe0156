// Package script runs mods written in Lua. A script is a game.Mod with the powers of one in Go:
// functions of the file with the names of hooks are called, and have the game in the table
// game and in objects such as players. docs/mod/lua.md describes them, docs/mod/guide.md is
// the guide.
//
// A script is deterministic: time and chance come from the world, tables have an order,
// mathematics is the same on every machine, and what lasts is in one table, state, which is
// saved, hashed and restored. It is bounded in steps and memory; one that exceeds them or errs
// again and again is switched off, and the match goes on. Nothing in it knows files, networks
// or clocks.
package script
