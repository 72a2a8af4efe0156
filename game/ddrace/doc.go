// Package ddrace simulates DDRace maps as DDNet-Server 16.4 does: tees that freeze, jump several
// times, pass teleporters and pull each other in that server's order, and the entities of such
// maps. It is separate from game/physics, so that it costs the vanilla rules no time.
//
// Like package game, the package is deterministic: with equal inputs, equal worlds stay equal on
// every machine. Positions are in units of 1/32 tile, velocities in units per tick (1/50 s), and y
// grows downwards. All arithmetic is float32 with one rounding per operation, as in game/vec.
package ddrace
