package script

import (
	"math/bits"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// The words for what has a number elsewhere.
var (
	weaponNames = newNames("a weapon", map[string]game.Weapon{
		"hammer": game.WeaponHammer, "gun": game.WeaponGun, "shotgun": game.WeaponShotgun, "grenade": game.WeaponGrenade,
		"laser": game.WeaponLaser, "ninja": game.WeaponNinja,
		"world": game.WeaponWorld, "self": game.WeaponSelf, "game": game.WeaponGame,
	})
	teamNames   = newNames("a team", map[string]game.Team{"red": game.TeamRed, "blue": game.TeamBlue, "spectators": game.TeamSpectators})
	pickupNames = newNames("a pickup", map[string]game.PickupKind{
		"health": game.PickupHealth, "armor": game.PickupArmor, "grenade": game.PickupGrenade, "shotgun": game.PickupShotgun,
		"laser": game.PickupLaser, "ninja": game.PickupNinja, "gun": game.PickupGun, "hammer": game.PickupHammer,
	})
	soundNames = newNames("a sound", map[string]game.Sound{
		"gun_fire": game.SoundGunFire, "shotgun_fire": game.SoundShotgunFire, "grenade_fire": game.SoundGrenadeFire,
		"hammer_fire": game.SoundHammerFire, "hammer_hit": game.SoundHammerHit, "ninja_fire": game.SoundNinjaFire,
		"grenade_explode": game.SoundGrenadeExplode, "ninja_hit": game.SoundNinjaHit, "laser_fire": game.SoundLaserFire,
		"laser_bounce": game.SoundLaserBounce, "weapon_switch": game.SoundWeaponSwitch, "pain_short": game.SoundPainShort,
		"pain_long": game.SoundPainLong, "body_land": game.SoundBodyLand, "air_jump": game.SoundAirJump, "jump": game.SoundJump,
		"die": game.SoundDie, "spawn": game.SoundSpawn, "skid": game.SoundSkid, "cry": game.SoundCry,
		"hook_loop": game.SoundHookLoop, "hook_attach_ground": game.SoundHookAttachGround,
		"hook_attach_player": game.SoundHookAttachPlayer, "hook_no_attach": game.SoundHookNoAttach,
		"pickup_health": game.SoundPickupHealth, "pickup_armor": game.SoundPickupArmor, "pickup_grenade": game.SoundPickupGrenade,
		"pickup_shotgun": game.SoundPickupShotgun, "pickup_ninja": game.SoundPickupNinja, "weapon_spawn": game.SoundWeaponSpawn,
		"weapon_no_ammo": game.SoundWeaponNoAmmo, "hit": game.SoundHit, "chat_server": game.SoundChatServer,
		"chat_client": game.SoundChatClient, "chat_highlight": game.SoundChatHighlight, "ctf_drop": game.SoundCTFDrop,
		"ctf_return": game.SoundCTFReturn, "ctf_grab_own": game.SoundCTFGrabOwn, "ctf_grab_enemy": game.SoundCTFGrabEnemy,
		"ctf_capture": game.SoundCTFCapture, "menu": game.SoundMenu,
	})
	chatNames = map[game.ChatMode]string{game.ChatNone: "none", game.ChatAll: "all", game.ChatTeam: "team", game.ChatWhisper: "whisper"}
)

// The steps that calls cost which make work for all.
const (
	messageCost = 500
	effectCost  = 500
)

// playerKind is what scripts can do with players. A method of game.Tx is a line here.
var playerKind = &kind{"player", map[string]member{
	"id":        {get: playerID},
	"name":      property((*game.Tx).Name, nil),
	"connected": property((*game.Tx).Connected, nil),
	"team":      property((*game.Tx).Team, (*game.Tx).SetTeam),
	"score":     property((*game.Tx).Score, (*game.Tx).SetScore),
	"alive":     property((*game.Tx).Alive, nil),
	"in_round":  property((*game.Tx).InRound, nil),
	"pos":       property((*game.Tx).Pos, nil),
	"x":         property(func(tx *game.Tx, id game.PlayerID) float32 { return tx.Pos(id).X }, nil),
	"y":         property(func(tx *game.Tx, id game.PlayerID) float32 { return tx.Pos(id).Y }, nil),
	"health":    property(func(tx *game.Tx, id game.PlayerID) int32 { h, _ := tx.Vitals(id); return h }, nil),
	"armor":     property(func(tx *game.Tx, id game.PlayerID) int32 { _, a := tx.Vitals(id); return a }, nil),

	"add_score":       method(2, do2((*game.Tx).AddScore)),
	"heal":            method(2, ask2((*game.Tx).Heal)),
	"give_armor":      method(2, ask2((*game.Tx).GiveArmor)),
	"give_weapon":     method(3, giveWeapon),
	"take_weapon":     method(2, do2((*game.Tx).TakeWeapon)),
	"kill":            method(2, kill),
	"damage":          method(4, costs(effectCost, hurt)),
	"respawn":         method(1, do1((*game.Tx).RespawnNow)),
	"disable_respawn": method(1, do1((*game.Tx).DisableRespawn)),
	"delay_respawn":   method(2, do2((*game.Tx).DelayRespawn)),
	"say":             method(2, costs(messageCost, do2((*game.Tx).SayTo))),
}}

// The kinds of what hooks are called about.
var (
	damageKind = &kind{"damage", map[string]member{
		"victim":      part(func(d *game.Damage) game.PlayerID { return d.Victim }, nil),
		"attacker":    part(func(d *game.Damage) game.PlayerID { return max(d.Attacker, game.Nobody) }, nil),
		"weapon":      part(func(d *game.Damage) game.Weapon { return d.Weapon }, func(d *game.Damage, w game.Weapon) { d.Weapon = w }),
		"amount":      part(func(d *game.Damage) int32 { return d.Amount }, func(d *game.Damage, n int32) { d.Amount = n }),
		"force":       part(func(d *game.Damage) vec.Vec2 { return d.Force }, func(d *game.Damage, f vec.Vec2) { d.Force = f }),
		"source":      part(func(d *game.Damage) vec.Vec2 { return d.Source }, func(d *game.Damage, s vec.Vec2) { d.Source = s }),
		"health_lost": part(func(d *game.Damage) int32 { return d.HealthLost }, nil),
		"armor_lost":  part(func(d *game.Damage) int32 { return d.ArmorLost }, nil),
	}}
	deathKind = &kind{"death", map[string]member{
		"victim": part(func(d *game.Death) game.PlayerID { return d.Victim }, nil),
		"killer": part(func(d *game.Death) game.PlayerID { return max(d.Killer, game.Nobody) }, nil),
		"weapon": part(func(d *game.Death) game.Weapon { return d.Weapon }, nil),
	}}
	chatKind = &kind{"chat message", map[string]member{
		"from": part(func(m *game.ChatMessage) game.PlayerID { return m.From }, nil),
		"to":   part(func(m *game.ChatMessage) game.PlayerID { return m.Target }, nil),
		"mode": part(func(m *game.ChatMessage) string { return chatNames[m.Mode] }, nil),
		"text": part(func(m *game.ChatMessage) string { return m.Text }, func(m *game.ChatMessage, s string) { m.Text = s }),
	}}
	kinds = []*kind{playerKind, damageKind, deathKind, chatKind}
)

// gameFunctions are the functions of the table game, with the number of their arguments.
var gameFunctions = map[string]member{
	"tick":           method(0, ask0((*game.Tx).Tick)),
	"match_ticks":    method(0, ask0((*game.Tx).MatchTicks)),
	"warmup":         method(0, ask0((*game.Tx).Warmup)),
	"sudden_death":   method(0, ask0((*game.Tx).SuddenDeath)),
	"running":        method(0, ask0((*game.Tx).EntitiesMoving)),
	"end_match":      method(0, do0((*game.Tx).EndMatch)),
	"check_win":      method(0, ask0((*game.Tx).CheckWin)),
	"score_limit":    method(0, ask0(func(tx *game.Tx) int32 { return tx.Rules().ScoreLimit })),
	"time_limit":     method(0, ask0(func(tx *game.Tx) int32 { return tx.Rules().TimeLimit })),
	"team_size":      method(1, ask1((*game.Tx).TeamSize)),
	"team_score":     method(1, ask1((*game.Tx).TeamScore)),
	"add_team_score": method(2, do2((*game.Tx).AddTeamScore)),
	"say":            method(1, costs(messageCost, do1((*game.Tx).Say))),
	"broadcast":      method(1, costs(messageCost, do1((*game.Tx).Broadcast))),
	"sound":          method(3, costs(effectCost, do3((*game.Tx).Sound))),
	"explode":        method(4, costs(effectCost, explode)),
	"wall_between":   method(2, costs(20, ask2((*game.Tx).WallBetween))),
	"players_near":   method(2, costs(20, playersNear)),
	"flag":           method(1, flagInfo),
	"place_flag":     method(2, do2((*game.Tx).PlaceFlag)),
	"grab_flag":      method(2, do2((*game.Tx).GrabFlag)),
	"drop_flag":      method(1, do1((*game.Tx).DropFlag)),
	"return_flag":    method(1, do1((*game.Tx).ReturnFlag)),
}

// openGame defines what scripts have of the game.
func (v *vm) openGame() {
	v.metas = make(map[*kind]*rt.Table)
	v.builtin = make(map[*rt.GoFunction]bool)
	for _, k := range kinds {
		v.metas[k] = v.openKind(k)
	}
	for id := range v.players {
		v.players[id] = rt.UserDataValue(rt.NewUserData(&playerRef{game.PlayerID(id)}, v.metas[playerKind]))
	}
	t := rt.NewTable()
	for name, m := range gameFunctions {
		set(t, name, v.function(name, m.args, false, m.method))
	}
	set(t, "ticks_per_second", rt.IntValue(game.TickRate))
	set(t, "max_players", rt.IntValue(game.MaxPlayers))
	set(v.env, "game", rt.TableValue(t))
	set(v.env, "players", v.function("players", 0, false, eachPlayer))
	set(v.env, "player", v.function("player", 1, false, playerByID))
}

func playerID(v *vm, c *rt.GoCont) error {
	id, _ := playerOf(value(c, 0))
	v.push(c, rt.IntValue(int64(id)))
	return nil
}

// playerByID is the function player, which returns nil for an id that nobody has.
func playerByID(v *vm, c *rt.GoCont) error {
	id, err := arg[int32](v, c, 0)
	if err != nil {
		return err
	}
	tx, err := v.enter()
	if err != nil {
		return err
	}
	x := rt.NilValue
	if id >= 0 && id < game.MaxPlayers && tx.Connected(game.PlayerID(id)) {
		x = v.players[id]
	}
	v.leave()
	v.push(c, x)
	return nil
}

// eachPlayer is the function players, for loops over all who are connected.
func eachPlayer(v *vm, c *rt.GoCont) error {
	tx, err := v.enter()
	if err != nil {
		return err
	}
	var mask game.PlayerMask
	for id := range tx.Players() {
		mask |= game.MaskOne(id)
	}
	v.leave()
	v.r.RequireMem(200)
	v.push(c, v.function("next player", 0, false, func(v *vm, c *rt.GoCont) error {
		for mask != 0 {
			id := game.PlayerID(bits.TrailingZeros64(uint64(mask)))
			mask &^= game.MaskOne(id)
			if v.tx != nil && v.tx.Connected(id) {
				v.push(c, v.players[id])
				return nil
			}
		}
		v.push(c, rt.NilValue)
		return nil
	}))
	return nil
}

// option returns an argument, or what is meant if it is nil.
func option[T any](v *vm, c *rt.GoCont, i int, otherwise T) (T, error) {
	if value(c, i).IsNil() {
		return otherwise, nil
	}
	return arg[T](v, c, i)
}

func giveWeapon(v *vm, c *rt.GoCont) error {
	ammo, err := option[int32](v, c, 2, 10)
	if err != nil {
		return err
	}
	return ask2(func(tx *game.Tx, id game.PlayerID, w game.Weapon) bool { return tx.GiveWeapon(id, w, ammo) })(v, c)
}

func kill(v *vm, c *rt.GoCont) error {
	w, err := option(v, c, 1, game.WeaponGame)
	if err != nil {
		return err
	}
	return do1(func(tx *game.Tx, id game.PlayerID) { tx.Kill(id, w) })(v, c)
}

// hurt is p:damage(amount, from, weapon).
func hurt(v *vm, c *rt.GoCont) error {
	from, err := option(v, c, 2, game.Nobody)
	if err != nil {
		return err
	}
	w, err := option(v, c, 3, game.WeaponWorld)
	if err != nil {
		return err
	}
	return ask2(func(tx *game.Tx, id game.PlayerID, amount int32) bool {
		return tx.TakeDamage(game.Damage{Victim: id, Attacker: from, Weapon: w, Amount: amount, Source: tx.Pos(id)})
	})(v, c)
}

// explode is game.explode(pos, from, weapon, damage).
func explode(v *vm, c *rt.GoCont) error {
	from, err := option(v, c, 1, game.Nobody)
	if err != nil {
		return err
	}
	w, err := option(v, c, 2, game.WeaponGrenade)
	if err != nil {
		return err
	}
	damage, err := option[int32](v, c, 3, 6)
	if err != nil {
		return err
	}
	return do1(func(tx *game.Tx, pos vec.Vec2) { tx.Explode(pos, from, w, damage) })(v, c)
}

func playersNear(v *vm, c *rt.GoCont) error {
	var found [game.MaxPlayers]game.PlayerID
	n := 0
	if err := do2(func(tx *game.Tx, pos vec.Vec2, radius float32) { n = tx.FindCharacters(pos, radius, &found) })(v, c); err != nil {
		return err
	}
	t := rt.NewTable()
	for i, id := range found[:n] {
		v.r.SetTable(t, rt.IntValue(int64(i+1)), v.players[id])
	}
	v.push(c, rt.TableValue(t))
	return nil
}

func flagInfo(v *vm, c *rt.GoCont) error {
	var f game.FlagInfo
	var ok bool
	if err := do1(func(tx *game.Tx, team game.Team) { f, ok = tx.Flag(team) })(v, c); err != nil {
		return err
	}
	if !ok {
		v.push(c, rt.NilValue)
		return nil
	}
	t := rt.NewTable()
	v.r.RequireMem(300)
	set(t, "pos", toValue(v, f.Pos))
	set(t, "at_stand", rt.BoolValue(f.AtStand))
	set(t, "carrier", v.player(f.Carrier))
	set(t, "grab_tick", rt.IntValue(int64(f.GrabTick)))
	v.push(c, rt.TableValue(t))
	return nil
}
