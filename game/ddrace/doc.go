// Package ddrace is the simulation of DDRace maps, as DDNet-Server 16.4 runs it: tees that freeze,
// jump several times, pass teleporters and pull each other in the order of that server, and the
// entities of such maps. It is a world of its own beside game/physics, so that the vanilla rules
// pay nothing for it.
//
// Like package game it is pure: equal worlds develop equally with equal inputs, on every machine.
// Positions are in units of 1/32 tile, velocities in units per tick (1/50 s), y grows downwards,
// and all arithmetic is float32 with one rounding per operation, as in game/vec.
package ddrace
