// Package tee contains the tees of a world, and the flags and ids of entities.
//
// Both simulations use it: package vanilla moves the tees itself, and for DDRace maps package game
// copies the tees of package ddrace to it. Players, modes, mods and clients see the tees of this
// package, whichever simulation moves them.
package tee

// ID is the id of a tee and of its player.
type ID int16

// Nobody is the ID that stands for no tee.
const Nobody ID = -1

// Max is the maximum number of tees in a world.
const Max = 128

// TickRate is the number of ticks per second.
const TickRate = 50

// ProximityRadius is the distance within which a tee touches other things, plus their own radius,
// in units. It is the whole width of a tee.
const ProximityRadius float32 = 28

const (
	// MaxHealth is the maximum of health and of armour.
	MaxHealth = 10
	// MaxAmmo is the maximum of limited rounds for a weapon.
	MaxAmmo = 10
	// NinjaTicks is the time for which a tee has the ninja.
	NinjaTicks = 15 * TickRate
)

// Emote is the expression of a tee's eyes, with the number of 0.7.
type Emote uint8

// The emotes that the rules of vanilla give to tees.
const (
	EmoteNormal Emote = iota
	EmotePain
	EmoteHappy
	EmoteSurprise
	EmoteAngry
)
