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
	"pos":    property((*game.Tx).Pos, (*game.Tx).SetPos),
	"vel":    property((*game.Tx).Vel, (*game.Tx).SetVel),
	"x":      property(func(tx *game.Tx, id game.PlayerID) float32 { return tx.Pos(id).X }, nil),
	"y":      property(func(tx *game.Tx, id game.PlayerID) float32 { return tx.Pos(id).Y }, nil),
	"health": property(func(tx *game.Tx, id game.PlayerID) int32 { h, _ := tx.Vitals(id); return h }, (*game.Tx).SetHealth),
	"armor":  property(func(tx *game.Tx, id game.PlayerID) int32 { _, a := tx.Vitals(id); return a }, (*game.Tx).SetArmor),
	"weapon": property((*game.Tx).Weapon, func(tx *game.Tx, id game.PlayerID, w game.Weapon) { tx.SelectWeapon(id, w) }),

	"grounded":     property((*game.Tx).Grounded, nil),
	"hooked":       property((*game.Tx).Hooked, nil),
	"frozen":       property((*game.Tx).Frozen, nil),
	"jumps":        property((*game.Tx).Jumps, (*game.Tx).SetJumps),
	"reload_ticks": property((*game.Tx).ReloadTicks, (*game.Tx).SetReloadTicks),
	"aim": property(func(tx *game.Tx, id game.PlayerID) vec.Vec2 {
		in := tx.Input(id)
		return vec.Vec2{X: float32(in.TargetX), Y: float32(in.TargetY)}
	}, nil),
	"direction": property(func(tx *game.Tx, id game.PlayerID) int32 { return tx.Input(id).Direction }, nil),
	"firing":    property(func(tx *game.Tx, id game.PlayerID) bool { return tx.Input(id).Fire&1 != 0 }, nil),
	"jumping":   property(func(tx *game.Tx, id game.PlayerID) bool { return tx.Input(id).Jump }, nil),
	"hooking":   property(func(tx *game.Tx, id game.PlayerID) bool { return tx.Input(id).Hook }, nil),
	"race_time": optional((*game.Tx).RaceTime),
	"npc":       optional((*game.Tx).NPC),

	"push":             method(2, do2((*game.Tx).Push)),
	"release_hooks":    method(1, do1((*game.Tx).ReleaseHooks)),
	"refill_jump":      method(1, do1((*game.Tx).RefillJump)),
	"has_weapon":       method(2, ask2((*game.Tx).HasWeapon)),
	"ammo":             method(2, ask2((*game.Tx).Ammo)),
	"set_ammo":         method(3, do3((*game.Tx).SetAmmo)),
	"emote":            method(3, do3((*game.Tx).SetEmote)),
	"freeze":           method(2, ask2((*game.Tx).Freeze)),
	"unfreeze":         method(1, ask1((*game.Tx).Unfreeze)),
	"show_to":          method(2, do2((*game.Tx).SetVisibleTo)),
	"set_flag":         method(3, setFlag),
	"has_flag":         method(2, ask2(func(tx *game.Tx, id game.PlayerID, f game.CharacterFlags) bool { return tx.Flags(id)&f != 0 })),
	"disable_controls": method(8, disableControls),
	"set_tuning":       method(2, oldCosts(effectCost, setTuning)),
	"set_color":        method(3, oldCosts(messageCost, setColor)),
	"reset_skin":       method(1, oldCosts(messageCost, do1((*game.Tx).ClearSkin))),
	"remove_npc":       method(1, do1((*game.Tx).RemoveNPC)),
	"set_npc_skill":    method(2, do2((*game.Tx).SetNPCSkill)),
	"set_input":        method(2, oldCosts(20, setInput)),
	"tuning":           method(2, oldCosts(20, tuningOf)),

	"visible_to":        method(2, ask2(func(tx *game.Tx, id, viewer game.PlayerID) bool { return tx.VisibleTo(id).Has(viewer) })),
	"controls_disabled": method(2, ask2(func(tx *game.Tx, id game.PlayerID, c game.Controls) bool { return tx.MaskedInput(id)&c != 0 })),
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
		in := tx.Input(id)
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
		return tx.SetInput(id, in)
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
	err = do1(func(tx *game.Tx, id game.PlayerID) {
		t := tx.PlayerTuning(id)
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
	return do2(func(tx *game.Tx, id game.PlayerID, f game.CharacterFlags) {
		if on {
			tx.AddFlags(id, f)
		} else {
			tx.RemoveFlags(id, f)
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
	return do1(func(tx *game.Tx, id game.PlayerID) { tx.MaskInput(id, disabled) })(v, c)
}

// setTuning is p:set_tuning{gravity = 0.3}, which changes parameters for one player, or
// p:set_tuning(), which undoes it.
func setTuning(v *vm, c *rt.GoCont) error {
	if value(c, 1).IsNil() {
		return do1(func(tx *game.Tx, id game.PlayerID) { tx.SetPlayerTuning(id, nil) })(v, c)
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
		tx.SetPlayerTuning(id, &tuning)
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
	return do2(func(tx *game.Tx, id game.PlayerID, color int32) {
		s := tx.Skin(id)
		for i := range s.PartColors {
			s.UseCustomColors[i], s.PartColors[i] = true, color
		}
		tx.SetSkin(id, s, ticks)
	})(v, c)
}
