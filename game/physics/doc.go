// Package physics moves tees: it is the part of the game that clients compute
// along with the server, and it must therefore agree with release 0.7.5 to the
// last bit.
//
// A World holds tuning, collision and up to 64 cores. Per tick the caller runs
// Core.Tick for every tee in the order its rules prescribe, then Core.Move and
// Core.Quantize for every tee. The order matters: hooks pull other tees at once,
// so who ticks first is visible.
//
// Positions are in units of 1/32 tile, velocities in units per tick (1/50 s),
// y grows downwards. After Quantize a core holds only values that survive the
// wire, so that a client that starts from a snapshot continues with the same
// numbers.
//
// All arithmetic is float32 with one rounding per operation, see game/vec.
package physics

import "github.com/teeyard/teeyard/game/vec"

// Vec is a point or velocity.
type Vec = vec.Vec2

// MaxCores is the number of cores a World can hold.
const MaxCores = 64

// TeeSize is the edge length of a tee's collision box, in units.
const TeeSize = 28
