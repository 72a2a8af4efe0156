// Package instagib is the modes in which everybody has one weapon with endless ammo, which
// kills at once: with the laser iDM, iTDM and iCTF, with the grenade launcher gDM, gTDM and
// gCTF. Flags, scores and limits are those of DM, TDM and CTF.
package instagib

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/ctf"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/game/vec"
)

// NewDM returns a deathmatch with a weapon: iDM with the laser, gDM with the grenade launcher.
func NewDM(w game.Weapon) game.Mode { return &deathmatch{Arms: Arms{Weapon: w}} }

// NewTDM returns a team deathmatch with a weapon, as NewDM does.
func NewTDM(w game.Weapon) game.Mode { return &teams{Arms: Arms{Weapon: w}} }

// NewCTF returns capture the flag with a weapon, as NewDM does.
func NewCTF(w game.Weapon) game.Mode { return &flags{Arms: Arms{Weapon: w}} }

// Arms is the part that modes of this kind share; they embed it.
type Arms struct {
	// Weapon is what everybody has.
	Weapon game.Weapon
	// minDamage is how near a grenade must hit, as the damage that it would do.
	minDamage int32
}

const (
	deadly        = 20 // more than anybody has
	firstPickup   = 197
	lastPickup    = 202
	endless       = -1
	grenadeDamage = 6 // of a direct hit
)

// Declare declares the settings. Start calls it.
func (a *Arms) Declare(tx *game.Tx) {
	tx.IntVar(game.IntVar{
		Name: "sv_damage_needed_for_kill", Help: "Damage from which on a grenade hits; a direct hit does 6",
		Value: &a.minDamage, Default: 4, Max: grenadeDamage,
	})
}

// OnSpawn gives the weapon and takes the others.
func (a *Arms) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	ctx.GiveWeapon(id, a.Weapon, endless)
	ctx.SelectWeapon(id, a.Weapon)
	ctx.TakeWeapon(id, game.WeaponHammer)
	ctx.TakeWeapon(id, game.WeaponGun)
}

// Hits reports whether a hit counts: not one of oneself, nor a grenade that is too far away,
// which only push.
func (a *Arms) Hits(d *game.Damage) bool {
	return d.Attacker != d.Victim && (d.Weapon != game.WeaponGrenade || d.Amount >= a.minDamage)
}

// OnDamage makes hits deadly.
func (a *Arms) OnDamage(ctx *game.Ctx, d *game.Damage) {
	if !a.Hits(d) {
		ctx.Cancel()
	}
	d.Amount = deadly
}

// OnEntity leaves out all pickups.
func (*Arms) OnEntity(ctx *game.Ctx, tile uint8, _ vec.Vec2) {
	if tile >= firstPickup && tile <= lastPickup {
		ctx.Cancel()
	}
}

// PureTuning returns false: many servers change the laser.
func (*Arms) PureTuning() bool { return false }

// name returns the name of a variant.
func (a *Arms) name(mode string) string {
	if a.Weapon == game.WeaponGrenade {
		return "g" + mode
	}
	return "i" + mode
}

type deathmatch struct {
	dm.Mode
	Arms
}

func (m *deathmatch) Name() string      { return m.name("DM") }
func (m *deathmatch) Start(tx *game.Tx) { m.Declare(tx) }

type teams struct {
	tdm.Mode
	Arms
}

func (m *teams) Name() string      { return m.name("TDM") }
func (m *teams) Start(tx *game.Tx) { m.Declare(tx) }

type flags struct {
	ctf.Mode
	Arms
}

func (m *flags) Name() string      { return m.name("CTF") }
func (m *flags) Start(tx *game.Tx) { m.Declare(tx) }

// OnEntity places the flags, and leaves out all pickups.
func (m *flags) OnEntity(ctx *game.Ctx, tile uint8, pos vec.Vec2) {
	m.Mode.OnEntity(ctx, tile, pos)
	m.Arms.OnEntity(ctx, tile, pos)
}
