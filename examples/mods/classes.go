package mods

import "github.com/teeyard/teeyard/game"

// Classes lets players choose a class in the vote menu.
type Classes struct {
	state struct {
		Class game.PerPlayer[int32]
	}
	menu game.Menu
}

// classes are the lines of the menu.
var classes = []string{"Soldier: grenades", "Scout: fast, with a shotgun", "Heavy: slow, with armour"}

// NewClasses makes the mod.
func NewClasses() game.Mod { return &Classes{} }

// State implements game.StateHook.
func (m *Classes) State() any { return &m.state }

// Start implements game.Mod.
func (m *Classes) Start(setup *game.Setup) {
	m.menu = setup.Menu(func(ctx *game.Ctx, id game.PlayerID, line int) {
		m.state.Class[id] = int32(line)
		ctx.Player(id).Say("From your next life on: " + classes[line])
	})
}

// OnEnter implements game.EnterHook.
func (m *Classes) OnEnter(ctx *game.Ctx, id game.PlayerID) {
	ctx.Player(id).ShowMenu(m.menu, classes...)
}

// OnSpawn implements game.SpawnHook.
func (m *Classes) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	p := ctx.Player(id)
	tuning := ctx.Tuning()
	switch m.state.Class[id] {
	case 0:
		p.GiveWeapon(game.WeaponGrenade, 10)
	case 1:
		tuning.Set("ground_control_speed", 14)
		p.GiveWeapon(game.WeaponShotgun, 10)
	case 2:
		tuning.Set("ground_control_speed", 7)
		p.GiveArmor(10)
	}
	p.SetTuning(&tuning)
}

// PureTuning implements game.PurityRule: the classes change the tuning.
func (m *Classes) PureTuning() bool { return false }
