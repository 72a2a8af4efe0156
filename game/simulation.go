package game

import "github.com/teeyard/teeyard/game/vec"

// simulation moves the tees of a world and everything that they fire, hit and take. [vanillaHost]
// runs package vanilla, and [ddraceHost] runs package ddrace.
//
// Players, chat, teams, match, modes and mods belong to the [World]. It calls its simulation at the
// points below, and does not know which one it has. The tees of package tee belong to the World
// too: package vanilla moves them, and ddraceHost copies its tees to them in every tick.
type simulation interface {
	traits() traits
	// start is called at the end of New, after the mode and the mods have started.
	start() error
	// begin starts a tick, before its commands.
	begin()
	// tick moves everything, after the commands of the tick. cmds includes the inputs.
	tick(cmds []Command)
	// end finishes a tick, after the match, the mods and the players.
	end()

	simulatedPlayers
	simulatedTees
	simulatedThings
	simulatedTuning
	simulatedState
	// show adds the shots, pickups and map objects to a frame. The frame already has the players
	// and characters, and show can change them.
	show(f *Frame)
	// eyes returns the expression of a character in a frame and the tick of its last action. Its
	// own expression is e.
	eyes(id PlayerID, e Emote) (shown Emote, lastAction int32)
	// viewRange returns the View.Range of a player.
	viewRange(id PlayerID) vec.Vec2
}

// traits are the properties of a simulation that the World's own rules depend on.
type traits struct {
	// modeDelays: the mode limits how often players kill their tees. A player whose change of team
	// was refused can try again at once.
	modeDelays bool
	// timesAsScores: scores are times, so matches have no score limit.
	timesAsScores bool
	// alwaysReady: players are never asked whether they are ready.
	alwaysReady bool
}

// simulatedPlayers are the changes of players that reach a simulation.
type simulatedPlayers interface {
	// enter adds a player to the game, and leave removes the player.
	enter(id PlayerID)
	leave(id PlayerID)
	// changeTeam comes before a change of team, while the tee is alive. leftTeam comes after it.
	changeTeam(id PlayerID, to Team)
	leftTeam(id PlayerID)
	// spawn gives a tee to a player who waits for one, if the simulation has a place for it.
	spawn(id PlayerID)
	// killed comes before the World kills a character.
	killed(id PlayerID, weapon Weapon)
	// directInput is the input of a living character as soon as it arrives.
	directInput(id PlayerID, in Input)
	// setInput replaces the controls of a player without a client.
	setInput(id PlayerID, in Input)
	// showOthers selects the tees that a player wants to see, a ShowOthers.
	showOthers(id PlayerID, show int32)
	// refused notes that a player's command had no effect.
	refused(id PlayerID)
	// beforeChat comes before a chat line.
	beforeChat()
	// isMate reports whether two players of the same team can read each other's team chat.
	isMate(a, b PlayerID) bool
}

// simulatedTees are the calls with which modes and mods control a living tee.
type simulatedTees interface {
	// kill kills a tee. The death counts as a suicide.
	kill(id PlayerID, weapon Weapon)
	// respawn replaces a tee by a new one. respawnNow does not let a dead player wait.
	respawn(id PlayerID)
	respawnNow(id PlayerID)
	// changed comes after a mod has changed a character.
	changed(id PlayerID, what characterChange)
	giveWeapon(id PlayerID, weapon Weapon, ammo int32) bool
	// takeWeapon comes before a character loses a weapon.
	takeWeapon(id PlayerID, weapon Weapon)
	jumps(id PlayerID) int32
	setJumps(id PlayerID, n int32)
	reloadTicks(id PlayerID) int32
	input(id PlayerID) Input
	flags(id PlayerID) CharacterFlags
	setFlags(id PlayerID, f CharacterFlags)
	freeze(id PlayerID, ticks int32) bool
	unfreeze(id PlayerID) bool
	frozen(id PlayerID) int32
}

// characterChange is the part of a character that a mod changed.
type characterChange uint8

const (
	changedPos characterChange = iota
	changedVel
	changedHooks       // the hook is released, and so are those that hold the tee
	changedAirJump     // the tee can jump in the air again
	changedWeapon      // another weapon is active
	changedReloadTicks // time until the next shot
)

// simulatedThings are the hits, shots and pickups of modes and mods. A simulation that decides
// these itself does nothing, and returns false or NoEntity.
type simulatedThings interface {
	damage(d Damage) bool
	explode(pos vec.Vec2, from PlayerID, weapon Weapon, maxDamage int32)
	spawnPickup(kind PickupKind, pos vec.Vec2, respawn int32) EntityID
	spawnProjectile(s Shot) EntityID
	spawnLaser(owner PlayerID, pos, dir vec.Vec2) EntityID
	// remove removes one of these and reports whether it existed.
	remove(id EntityID) bool
	// sweep frees the things marked as removed, including the entities of mods.
	sweep()
}

// simulatedTuning are the parameters of the physics.
type simulatedTuning interface {
	// tune comes after a change of the world's tuning.
	tune()
	// playerTuning returns the tuning of a player's tee.
	playerTuning(id PlayerID) Tuning
	// predictedTuning returns a living tee's tuning for clients that do not know the states of
	// tees. t is the tee's playerTuning.
	predictedTuning(id PlayerID, t Tuning) Tuning
	// tellTunings emits an event for each player whose tuning changed in the tick. It is called
	// if a mod has changed states or tunings.
	tellTunings()
	// setting returns the value in force of a variable that the simulation knows.
	setting(name string) (value int32, ok bool)
}

// simulatedState visits the saved state of a simulation.
type simulatedState interface {
	// visitThings visits the lists of shots and pickups.
	visitThings(v *visitor)
	// visit visits the rest of the simulation.
	visit(v *visitor)
	// check checks restored values. It calls use for the id of each shot and pickup.
	check(v *visitor, use func(id uint16))
}

// chooseSimulation returns the simulation that the mode needs.
func (w *World) chooseSimulation() simulation {
	if rule, ok := w.mode.(DDRaceRule); ok && w.match.flags&GameFlagDDRace != 0 {
		return newDDRaceHost(w, rule)
	}
	return newVanillaHost(w)
}
