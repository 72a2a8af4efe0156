package game

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/internal/vanilla"
	"github.com/teeyard/teeyard/game/vec"
)

// vanillaHost is the simulation of Teeworlds 0.7.5.
type vanillaHost struct {
	w     *World
	world vanilla.World
}

func newVanillaHost(w *World) *vanillaHost {
	v := &vanillaHost{w: w}
	v.world = vanilla.New(vanilla.Config{Host: v, Tees: &w.tees, Flags: &w.flags, IDs: &w.entityIDs, Rand: &w.rand})
	v.world.Tuning = w.tuning
	return v
}

func (v *vanillaHost) traits() traits { return traits{} }

// start puts the pickups and spawn points of the map into the world.
func (v *vanillaHost) start() error { return v.world.Populate(&v.w.terrain, v.w.callEntity) }

func (v *vanillaHost) begin() {}

func (v *vanillaHost) tick(cmds []Command) {
	w := v.w
	v.world.Tick = w.tick
	for i := range cmds {
		if cmds[i].Kind == CmdInput {
			v.moveInput(cmds[i].Player, &cmds[i].Input)
		}
	}
	w.resetPureTuning()
	v.world.Tuning, w.tees.Physics.Tuning = w.tuning, w.tuning
	if w.tees.Extended {
		v.world.Thaw()
		v.tuneTees()
	}
	if w.resetRequested {
		v.reset()
	}
	switch {
	case !w.paused:
		v.world.Step()
		if w.usesEntities {
			w.tickKinds()
		}
		w.tickTiles()
	case w.match.isPaused():
		v.world.Pause()
		for i := range w.entities {
			w.entities[i].born++
		}
	}
	v.sweep()
}

func (v *vanillaHost) end() {}

// tuneTees gives the physics the tunings of tees whose tuning is not the world's.
func (v *vanillaHost) tuneTees() {
	w := v.w
	for _, id := range w.tees.InOrder() {
		core, own := &w.tees.All[id].Core, &w.playerExtras[id].tuning
		core.Tuning = nil
		if w.rules.PureTuning {
			continue
		}
		if own.own {
			core.Tuning = &own.current
		} else if t, ok := w.zoneTuning(PlayerID(id)); ok {
			own.current = t // which counts only in this tick
			core.Tuning = &own.current
		}
	}
}

// reset resets the map for a match or round. The tees are removed in their players' tick.
func (v *vanillaHost) reset() {
	w := v.w
	v.world.Reset()
	if w.usesEntities {
		w.resetKinds()
	}
	v.sweep()
	w.resetPlayers()
	w.resetRequested = false
}

func (v *vanillaHost) sweep() {
	v.world.SweepShots()
	if v.w.usesEntities {
		v.w.removeModEntities()
		v.world.SweepPickups()
	}
}

func (v *vanillaHost) enter(PlayerID) {}

// leave makes the team the owner of a leaving player's shots.
func (v *vanillaHost) leave(id PlayerID) {
	v.world.DisownProjectiles(tee.ID(id))
	v.world.DisownLasers(tee.ID(id))
}

func (v *vanillaHost) changeTeam(PlayerID, Team) {}

func (v *vanillaHost) leftTeam(id PlayerID) { v.world.DisownProjectiles(tee.ID(id)) }

func (v *vanillaHost) killed(PlayerID, Weapon) {}

func (v *vanillaHost) showOthers(PlayerID, int32) {}

func (v *vanillaHost) refused(PlayerID) {}

func (v *vanillaHost) beforeChat() {}

func (v *vanillaHost) isMate(_, _ PlayerID) bool { return true }

func (v *vanillaHost) setInput(id PlayerID, in Input) {
	v.w.applyDirectInput(id, &in)
	v.moveInput(id, &in)
}

// moveInput handles CmdInput.
func (v *vanillaHost) moveInput(id PlayerID, in *Input) {
	w := v.w
	if id < 0 || id >= MaxPlayers || !w.players[id].inGame || w.paused || !in.valid() {
		return
	}
	if w.players[id].flags&PlayerFlagChatting != 0 && in.Flags&PlayerFlagChatting != 0 {
		return
	}
	in = w.changedInput(id, in)
	if c := &w.tees.All[id]; c.Exists {
		controls := in.tee()
		c.SetInput(&controls, w.tick)
	}
}

func (v *vanillaHost) directInput(id PlayerID, in Input) {
	controls := in.tee()
	v.world.Input(tee.ID(id), &controls, v.w.players[id].team != TeamSpectators)
}

// spawn gives a player a tee if a spawn position is free.
func (v *vanillaHost) spawn(id PlayerID) {
	w := v.w
	p := &w.players[id]
	pos, ok := v.pickSpawn(id)
	if !ok {
		return
	}
	p.spawning = false
	if !w.spawnCharacter(id, pos) {
		p.spawning = true
		return
	}
	w.addEvent(Event{Kind: EvSpawn, To: MaskAll, Player: id, Pos: pos})
}

// pickSpawn returns a position for a player's next tee, if the player can have one now.
func (v *vanillaHost) pickSpawn(id PlayerID) (pos vec.Vec2, ok bool) {
	w := v.w
	team := w.players[id].team
	if team == TeamSpectators || w.paused || w.resetRequested {
		return pos, false
	}
	if pos, ok = w.callPickSpawn(id); ok {
		return pos, true
	}
	return v.world.FindSpawn(vanilla.Team(team))
}
