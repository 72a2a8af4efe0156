package script

import (
	"cmp"
	"fmt"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// The words of scripts for states and looks of tees.
var (
	emoteNames = wordsOf("an emote", game.EmoteNormal, game.EmoteBlink)
	flagNames  = newNames("a flag of characters", map[string]game.CharacterFlags{
		"solo": game.CharacterFlagSolo, "no_collision": game.CharacterFlagNoCollision,
		"endless_hook": game.CharacterFlagEndlessHook, "endless_jump": game.CharacterFlagEndlessJump,
		"no_hammer_hit": game.CharacterFlagNoHammerHit, "no_shotgun_hit": game.CharacterFlagNoShotgunHit,
		"no_grenade_hit": game.CharacterFlagNoGrenadeHit, "no_laser_hit": game.CharacterFlagNoLaserHit,
		"no_hook": game.CharacterFlagNoHook, "invincible": game.CharacterFlagInvincible,
	})
	controlNames = newNames("a control", map[string]game.Controls{
		"move": game.ControlMove, "jump": game.ControlJump, "hook": game.ControlHook, "fire": game.ControlFire,
		"select": game.ControlSelect, "all": game.ControlAll, "none": 0,
	})
)

// characterMembers are the fields and methods of players that concern their tees.
var characterMembers = map[string]member{
	"pos":    property(game.Player.Pos, game.Player.SetPos),
	"vel":    property(game.Player.Vel, game.Player.SetVel),
	"x":      property(func(p game.Player) float32 { return p.Pos().X }, nil),
	"y":      property(func(p game.Player) float32 { return p.Pos().Y }, nil),
	"health": property(game.Player.Health, game.Player.SetHealth),
	"armor":  property(game.Player.Armor, game.Player.SetArmor),
	"weapon": property(game.Player.Weapon, func(p game.Player, w game.Weapon) { p.SelectWeapon(w) }),

	"grounded":     property(game.Player.Grounded, nil),
	"hooked":       property(game.Player.Hooked, nil),
	"frozen":       property(game.Player.Frozen, nil),
	"jumps":        property(game.Player.Jumps, game.Player.SetJumps),
	"reload_ticks": property(game.Player.ReloadTicks, game.Player.SetReloadTicks),
	"aim": property(func(p game.Player) vec.Vec2 {
		in := p.Input()
		return vec.Vec2{X: float32(in.TargetX), Y: float32(in.TargetY)}
	}, nil),
	"direction": property(func(p game.Player) int32 { return p.Input().Direction }, nil),
	"firing":    property(func(p game.Player) bool { return p.Input().Fire&1 != 0 }, nil),
	"jumping":   property(func(p game.Player) bool { return p.Input().Jump }, nil),
	"hooking":   property(func(p game.Player) bool { return p.Input().Hook }, nil),
	"race_time": optional(game.Player.RaceTime),
	"npc":       optional(game.Player.NPC),

	"push":             method(2, doPlayer1(game.Player.Push)),
	"release_hooks":    method(1, doPlayer0(game.Player.ReleaseHooks)),
	"refill_jump":      method(1, doPlayer0(game.Player.RefillJump)),
	"has_weapon":       method(2, askPlayer1(game.Player.HasWeapon)),
	"ammo":             method(2, askPlayer1(game.Player.Ammo)),
	"set_ammo":         method(3, doPlayer2(game.Player.SetAmmo)),
	"emote":            method(3, doPlayer2(game.Player.SetEmote)),
	"freeze":           method(2, askPlayer1(game.Player.Freeze)),
	"unfreeze":         method(1, askPlayer0(game.Player.Unfreeze)),
	"show_to":          method(2, doPlayer1(game.Player.SetVisibleTo)),
	"set_flag":         method(3, setFlag),
	"has_flag":         method(2, askPlayer1(func(p game.Player, f game.CharacterFlags) bool { return p.Flags()&f != 0 })),
	"disable_controls": method(8, disableControls),
	"set_tuning":       method(2, oldCosts(effectCost, setTuning)),
	"set_color":        method(3, oldCosts(messageCost, setColor)),
	"reset_skin":       method(1, oldCosts(messageCost, doPlayer0(game.Player.ClearSkin))),
	"remove_npc":       method(1, doPlayer0(game.Player.RemoveNPC)),
	"set_npc_skill":    method(2, doPlayer1(game.Player.SetNPCSkill)),
	"set_input":        method(2, oldCosts(20, setInput)),
	"tuning":           method(2, oldCosts(20, tuningOf)),

	"visible_to":        method(2, askPlayer1(func(p game.Player, viewer game.PlayerID) bool { return p.VisibleTo().Has(viewer) })),
	"controls_disabled": method(2, askPlayer1(func(p game.Player, c game.Controls) bool { return p.MaskedInput()&c != 0 })),
}

// setInput is p:set_input{direction = 1, fire = true} for NPCs. A missing key is not pressed.
// Without aim the NPC keeps its aim.
func setInput(v *vm, c *rt.GoCont) error {
	id, err := arg[game.PlayerID](v, c, 0)
	if err != nil {
		return err
	}
	f := v.fields(c, 1, "direction", "aim", "jump", "hook", "fire", "weapon")
	direction, aimsAt := f.number("direction", 0), f.vector(v, "aim")
	jump, hook, fire := rt.Truth(f.get("jump")), rt.Truth(f.get("hook")), rt.Truth(f.get("fire"))
	weapon := word(f, "weapon", weaponNames, game.WeaponWorld)
	if f.err != nil {
		return f.err
	}
	return ask0(func(tx *game.Tx) bool {
		in := tx.Player(id).Input()
		in.Direction, in.Jump, in.Hook, in.WantedWeapon = direction, jump, hook, 0
		if weapon >= 0 {
			in.WantedWeapon = int32(weapon) + 1
		}
		if aimsAt != (vec.Vec2{}) {
			in.TargetX, in.TargetY = int32(aimsAt.X), int32(aimsAt.Y)
		}
		if fire != (in.Fire&1 != 0) {
			in.Fire = (in.Fire + 1) & 63
		}
		return tx.Player(id).SetInput(in)
	})(v, c)
}

// tuningOf is p:tuning(name), the value of a tuning parameter for a player's tee.
func tuningOf(v *vm, c *rt.GoCont) error {
	name, err := arg[string](v, c, 1)
	if err != nil {
		return err
	}
	var value float32
	var wrong error
	err = doPlayer0(func(p game.Player) {
		t := p.Tuning()
		value, wrong = t.Get(name)
	})(v, c)
	if err = cmp.Or(err, wrong); err == nil {
		result(v, c, value)
	}
	return err
}

// setFlag is p:set_flag(flag, on).
func setFlag(v *vm, c *rt.GoCont) error {
	on, err := option(v, c, 2, true)
	if err != nil {
		return err
	}
	return doPlayer1(func(p game.Player, f game.CharacterFlags) {
		if on {
			p.AddFlags(f)
		} else {
			p.RemoveFlags(f)
		}
	})(v, c)
}

// disableControls is p:disable_controls("move", "jump"). It enables all other controls.
func disableControls(v *vm, c *rt.GoCont) error {
	var disabled game.Controls
	for i := 1; i < c.NArgs(); i++ {
		x, err := arg[game.Controls](v, c, i)
		if err != nil {
			return err
		}
		disabled |= x
	}
	return doPlayer0(func(p game.Player) { p.MaskInput(disabled) })(v, c)
}

// setTuning is p:set_tuning{gravity = 0.3}, which changes parameters for one player, or
// p:set_tuning(), which undoes it.
func setTuning(v *vm, c *rt.GoCont) error {
	if value(c, 1).IsNil() {
		return doPlayer0(func(p game.Player) { p.SetTuning(nil) })(v, c)
	}
	t, err := v.readable(c, 1)
	if err != nil {
		return err
	}
	keys, err := v.sortedKeys(t)
	if err != nil {
		return err
	}
	var wrong error
	err = do1(func(tx *game.Tx, id game.PlayerID) {
		tuning := tx.Tuning()
		for _, k := range keys {
			x, err := coordinate(1, t.Get(k))
			if err == nil {
				err = tuning.Set(plain(k), x)
			}
			if err != nil {
				wrong = fmt.Errorf("%s: %w", plain(k), err)
				return
			}
		}
		tx.Player(id).SetTuning(&tuning)
	})(v, c)
	if wrong != nil {
		return wrong
	}
	return err
}

// setColor is p:set_color(color, ticks). It sets the color of all parts of the skin, packed as in
// the protocol.
func setColor(v *vm, c *rt.GoCont) error {
	ticks, err := option[int32](v, c, 2, 0)
	if err != nil {
		return err
	}
	return doPlayer1(func(p game.Player, color int32) {
		s := p.Skin()
		for i := range s.PartColors {
			s.UseCustomColors[i], s.PartColors[i] = true, color
		}
		p.SetSkin(s, ticks)
	})(v, c)
}
