// Package instagib holds the game types in which all players have one weapon that kills at once and
// never runs out of ammo. iDM, iTDM and iCTF use the laser; gDM, gTDM and gCTF use the grenade
// launcher. Flags, scores and limits work as in DM, TDM and CTF.
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

// Arms holds the rules that all instagib modes share. The modes embed it.
type Arms struct {
	// Weapon is the weapon of all players.
	Weapon game.Weapon
	// minDamage is the smallest damage of a grenade that counts as a hit.
	minDamage int32
}

const (
	deadly        = 20 // more than the health and armor of any tee
	firstPickup   = 197
	lastPickup    = 202
	endless       = -1
	grenadeDamage = 6 // of a direct hit
)

// Declare declares the settings. The Start of a mode calls it.
func (a *Arms) Declare(setup *game.Setup) {
	setup.IntVar(game.IntVar{
		Name: "sv_damage_needed_for_kill", Help: "Least damage of a grenade that kills; a direct hit does 6",
		Value: &a.minDamage, Default: 4, Max: grenadeDamage,
	})
}

// OnSpawn gives the weapon and takes all others.
func (a *Arms) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	p.GiveWeapon(a.Weapon, endless)
	p.SelectWeapon(a.Weapon)
	p.TakeWeapon(game.WeaponHammer)
	p.TakeWeapon(game.WeaponGun)
}

// Hits reports whether a hit counts. Hits on oneself, and grenades that explode too far away, only
// push.
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

// OnEntity removes all pickups.
func (*Arms) OnEntity(ctx *game.Ctx, tile uint8, _ vec.Vec2) {
	if tile >= firstPickup && tile <= lastPickup {
		ctx.Cancel()
	}
}

// PureTuning returns false: many servers change the laser.
func (*Arms) PureTuning() bool { return false }

// name returns the name of a variant of a mode.
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

func (m *deathmatch) Name() string            { return m.name("DM") }
func (m *deathmatch) Start(setup *game.Setup) { m.Declare(setup) }

type teams struct {
	tdm.Mode
	Arms
}

func (m *teams) Name() string            { return m.name("TDM") }
func (m *teams) Start(setup *game.Setup) { m.Declare(setup) }

type flags struct {
	ctf.Mode
	Arms
}

func (m *flags) Name() string            { return m.name("CTF") }
func (m *flags) Start(setup *game.Setup) { m.Declare(setup) }

// OnEntity places the flags and removes all pickups.
func (m *flags) OnEntity(ctx *game.Ctx, tile uint8, pos vec.Vec2) {
	m.Mode.OnEntity(ctx, tile, pos)
	m.Arms.OnEntity(ctx, tile, pos)
}
