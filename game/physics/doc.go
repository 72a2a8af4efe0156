// Package physics moves tees. It is the part of the game that clients predict, so it
// agrees with release 0.7.5 to the last bit.
//
// A World holds tuning, collision and up to 128 cores. In each tick the caller runs
// Core.Tick for all tees in the order of the rules, then Core.Move and Core.Quantize
// for all tees. The order matters, because hooks pull other tees at once.
//
// Positions are in units of 1/32 tile, velocities in units per tick (1/50 s), and y
// grows downwards. After Quantize a core holds only values that a snapshot can
// represent, so that clients continue with the same numbers.
//
// All arithmetic is float32 with one rounding per operation; see game/vec.
package physics

import "github.com/teeyard/teeyard/game/vec"

// Vec is a point or velocity.
type Vec = vec.Vec2

// MaxCores is the number of cores a World can hold.
const MaxCores = 128

// TeeSize is the edge length of a tee's collision box, in units.
const TeeSize = 28
