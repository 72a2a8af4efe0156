package game

import (
	"github.com/teeyard/teeyard/game/internal/tee"
	"github.com/teeyard/teeyard/game/vec"
)

// watchers returns the spectators who follow id.
func (w *World) watchers(id PlayerID) PlayerMask {
	var m PlayerMask
	for i := range w.players {
		p := &w.players[i]
		if p.connected && p.isSpectating() && p.specID == id {
			m.Add(PlayerID(i))
		}
	}
	return m
}

// die kills a character. It is removed in its player's next tick.
func (w *World) die(id, killer PlayerID, weapon Weapon) {
	c, p := &w.tees.All[id], &w.players[id]
	c.Alive = false
	p.respawnTick = w.tick + TickRate/2
	d := Death{Victim: id, Killer: killer, Weapon: weapon, Pos: c.Pos}
	if killer >= 0 && w.players[killer].connected {
		w.scoreDeath(&d)
	} else {
		w.callDeath(&d)
	}
	w.dropCarriedFlags(id)
	w.addEvent(Event{
		Kind: EvKill, To: MaskAll, Player: killer, Target: id, Weapon: weapon, Value: d.ModeSpecial,
	})
	w.sound(c.Pos, SoundDie, MaskAll)
	p.dieTick = w.tick
	w.tees.Die(tee.ID(id))
	w.addEvent(Event{Kind: EvDeath, To: MaskAll, Player: id, Pos: c.Pos})
}

// scoreDeath handles a death whose killer is still connected, the victim included.
func (w *World) scoreDeath(d *Death) {
	if d.Weapon == WeaponSelf {
		w.players[d.Victim].respawnTick = w.tick + 3*TickRate
	}
	if d.Weapon != WeaponGame && w.match.flags&GameFlagSurvival != 0 {
		for i := range w.players {
			if p := &w.players[i]; p.connected && p.deadSpec {
				w.updateDeadSpec(PlayerID(i))
			}
		}
	}
	w.callDeath(d)
}

func (w *World) sound(pos vec.Vec2, s Sound, to PlayerMask) {
	w.addEvent(Event{Kind: EvSound, To: to, Sound: s, Pos: pos})
}
