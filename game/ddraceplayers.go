package game

import (
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/vec"
)

func (d *ddraceHost) leave(PlayerID) {}

func (d *ddraceHost) changeTeam(id PlayerID, to Team) {
	d.world.SetSpectator(int(id), to == TeamSpectators)
}

func (d *ddraceHost) leftTeam(PlayerID) {}

func (d *ddraceHost) spawn(PlayerID) {}

func (d *ddraceHost) killed(id PlayerID, weapon Weapon) {
	d.world.Kill(int(id), ddrace.Weapon(weapon), false)
}

func (d *ddraceHost) directInput(PlayerID, Input) {}

func (d *ddraceHost) setInput(id PlayerID, in Input) { d.world.SetInput(int(id), ddraceInput(&in)) }

// isMate reports whether two players are in the same DDRace team, or both watch.
func (d *ddraceHost) isMate(a, b PlayerID) bool {
	return d.w.players[a].team == TeamSpectators || d.world.Team(int(a)) == d.world.Team(int(b))
}

func (d *ddraceHost) damage(Damage) bool { return false }

func (d *ddraceHost) explode(vec.Vec2, PlayerID, Weapon, int32) {}

func (d *ddraceHost) spawnPickup(PickupKind, vec.Vec2, int32) EntityID { return NoEntity }

func (d *ddraceHost) spawnProjectile(Shot) EntityID { return NoEntity }

func (d *ddraceHost) spawnLaser(PlayerID, vec.Vec2, vec.Vec2) EntityID { return NoEntity }

func (d *ddraceHost) remove(EntityID) bool { return false }

func (d *ddraceHost) sweep() { d.w.removeModEntities() }
