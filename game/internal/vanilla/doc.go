// Package vanilla is the simulation of Teeworlds 0.7.5: tees, weapons, shots, pickups and flags.
//
// A [World] moves the tees of package tee. It knows no players, teams or mods: it asks its [Host],
// which is package game. Package ddrace is the other simulation.
package vanilla

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/vec"
)

// Team is a player's team, with the number of 0.7.
type Team int8

// The teams. Without teams, all players are in TeamRed.
const (
	TeamSpectators Team = -1
	TeamRed        Team = 0
	TeamBlue       Team = 1
)

// Handle identifies a thing that a mode or mod made. It is 0 for things of the map and of tees.
type Handle uint32

// Sound is a sound, with the number of 0.7.
type Sound uint8

// The sounds of the rules.
const (
	SoundGunFire        Sound = 0
	SoundShotgunFire    Sound = 1
	SoundGrenadeFire    Sound = 2
	SoundHammerFire     Sound = 3
	SoundNinjaFire      Sound = 5
	SoundGrenadeExplode Sound = 6
	SoundNinjaHit       Sound = 7
	SoundLaserFire      Sound = 8
	SoundLaserBounce    Sound = 9
	SoundWeaponSwitch   Sound = 10
	SoundPainShort      Sound = 11
	SoundPainLong       Sound = 12
	SoundPickupHealth   Sound = 24
	SoundPickupArmor    Sound = 25
	SoundPickupGrenade  Sound = 26
	SoundPickupShotgun  Sound = 27
	SoundPickupNinja    Sound = 28
	SoundWeaponSpawn    Sound = 29
	SoundWeaponNoAmmo   Sound = 30

	noSound Sound = 255
)

// Host is the match around a world.
type Host interface {
	// Rules returns the rules in force.
	Rules() Rules
	// Player returns a player. The id is not below zero.
	Player(id tee.ID) Player
	Hooks
	Effects
}

// Rules are the rules of the match that the simulation depends on.
type Rules struct {
	Teams      bool // the mode has teams
	Survival   bool // tees do not respawn within a round
	TeamDamage bool // hits hurt teammates
	Powerups   bool // ninjas appear
}

// Player is the player of a tee.
type Player struct {
	Connected bool
	Team      Team
}

// Hooks are the points at which the mode and mods decide. They can change tees, shots and pickups.
type Hooks interface {
	// Hit is called before a hit counts. It returns the hit as it is now, and whether it counts.
	Hit(d Damage) (changed Damage, counts bool)
	// Hurt is called after a hit that counted, before a possible death.
	Hurt(d Damage)
	// Die kills a tee. The killer is as Damage.Attacker.
	Die(victim, killer tee.ID, weapon tee.Weapon)
	// Fire is called before a tee fires, and reports whether it may.
	Fire(id tee.ID, weapon tee.Weapon, dir vec.Vec2) bool
	// Take is called when a tee touches a pickup, and reports whether the tee may take it.
	Take(id tee.ID, kind PickupKind, handle Handle) bool
	// FlagReturned is called after a dropped flag has returned to its stand.
	FlagReturned(t Team)
}

// Effects sends sounds, explosions and other effects to clients.
type Effects interface {
	// Sound plays a sound for all players.
	Sound(pos vec.Vec2, s Sound)
	// Explosion shows an explosion.
	Explosion(pos vec.Vec2)
	// HammerHit shows a hit of a hammer.
	HammerHit(pos vec.Vec2)
	// Taken tells that a tee took a pickup.
	Taken(id tee.ID, kind PickupKind, pos vec.Vec2)
}
