package script

import (
	"maps"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
)

// The words of scripts for numbers of package game.
var (
	weaponNames = wordsOf("a weapon", game.WeaponGame, game.WeaponNinja)
	teamNames   = wordsOf("a team", game.TeamSpectators, game.TeamBlue)
	pickupNames = wordsOf("a pickup", game.PickupHealth, game.PickupHammer)
	soundNames  = wordsOf("a sound", game.SoundGunFire, game.SoundMenu)
)

// The steps of calls that cause work for the server and all clients.
const (
	messageCost = 500
	effectCost  = 500
)

// playerKind lists the fields and methods of players. Most lines wrap one method of game.Tx.
var playerKind = &kind{"player", map[string]member{
	"id":        {get: playerID},
	"name":      property(game.Player.Name, nil),
	"connected": property(game.Player.Connected, nil),
	"team":      property(game.Player.Team, game.Player.SetTeam),
	"score":     property(game.Player.Score, game.Player.SetScore),
	"alive":     property(game.Player.Alive, nil),
	"in_round":  property(game.Player.InRound, nil),
	"bot":       property(game.Player.IsBot, nil),

	"add_score":       method(2, doPlayer1(game.Player.AddScore)),
	"heal":            method(2, askPlayer1(game.Player.Heal)),
	"give_armor":      method(2, askPlayer1(game.Player.GiveArmor)),
	"give_weapon":     method(3, giveWeapon),
	"take_weapon":     method(2, doPlayer1(game.Player.TakeWeapon)),
	"kill":            method(2, kill),
	"damage":          method(4, oldCosts(effectCost, hurt)),
	"respawn":         method(1, doPlayer0(game.Player.Respawn)),
	"disable_respawn": method(1, doPlayer0(game.Player.DisableRespawn)),
	"enable_respawn":  method(1, doPlayer0(game.Player.EnableRespawn)),
	"delay_respawn":   method(2, doPlayer1(game.Player.DelayRespawn)),
	"say":             method(2, oldCosts(messageCost, doPlayer1(game.Player.Say))),
}}

// The kinds of the values that hooks get.
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
		"pos":    part(func(d *game.Death) vec.Vec2 { return d.Pos }, nil),
	}}
	chatKind = &kind{"chat message", map[string]member{
		"from": part(func(m *game.ChatMessage) game.PlayerID { return m.From }, nil),
		"to":   part(func(m *game.ChatMessage) game.PlayerID { return m.Target }, nil),
		"mode": part(func(m *game.ChatMessage) string { return m.Mode.String() }, nil),
		"text": part(func(m *game.ChatMessage) string { return m.Text }, func(m *game.ChatMessage, s string) { m.Text = s }),
	}}
	inputKind = &kind{"input", map[string]member{
		"direction":     part(func(in *game.Input) int32 { return in.Direction }, func(in *game.Input, n int32) { in.Direction = n }),
		"aim":           part(aim, func(in *game.Input, p vec.Vec2) { in.TargetX, in.TargetY = int32(p.X), int32(p.Y) }),
		"jump":          part(func(in *game.Input) bool { return in.Jump }, func(in *game.Input, b bool) { in.Jump = b }),
		"hook":          part(func(in *game.Input) bool { return in.Hook }, func(in *game.Input, b bool) { in.Hook = b }),
		"fire":          part(func(in *game.Input) int32 { return in.Fire }, func(in *game.Input, n int32) { in.Fire = n }),
		"wanted_weapon": part(func(in *game.Input) int32 { return in.WantedWeapon }, func(in *game.Input, n int32) { in.WantedWeapon = n }),
	}}
	joinKind = &kind{"team request", map[string]member{
		"player":  part(func(r *game.TeamRequest) game.PlayerID { return r.Player }, nil),
		"from":    part(func(r *game.TeamRequest) game.Team { return r.From }, nil),
		"team":    part(func(r *game.TeamRequest) game.Team { return r.Team }, func(r *game.TeamRequest, t game.Team) { r.Team = t }),
		"cause":   part(func(r *game.TeamRequest) string { return causeNames[r.Cause] }, nil),
		"refusal": part(func(r *game.TeamRequest) string { return r.Refusal }, func(r *game.TeamRequest, s string) { r.Refusal = s }),
	}}
	causeNames = map[game.JoinCause]string{
		game.JoinConnect: "connect", game.JoinPlayer: "player", game.JoinOperator: "operator",
		game.JoinBalance: "balance", game.JoinInactive: "inactive",
	}
	finishKind = &kind{"finish", map[string]member{
		"player": part(func(f *game.RaceFinish) game.PlayerID { return f.Player }, nil),
		"time":   part(func(f *game.RaceFinish) int32 { return f.Time }, nil),
		"diff":   part(func(f *game.RaceFinish) int32 { return f.Diff }, nil),
		"record": part(func(f *game.RaceFinish) string { return recordNames[f.Record] }, nil),
	}}
	recordNames = map[game.Record]string{game.RecordNone: "none", game.RecordPersonal: "personal", game.RecordOfAll: "all"}
	kinds       = []*kind{playerKind, damageKind, deathKind, chatKind, inputKind, joinKind, finishKind}
)

// gameFunctions are the functions of the table game. The number is how many arguments they take.
var gameFunctions = map[string]member{
	"tick":           method(0, ask0((*game.Tx).Tick)),
	"match_ticks":    method(0, ask0(func(tx *game.Tx) int32 { return tx.Match().Ticks() })),
	"warmup":         method(0, ask0(func(tx *game.Tx) bool { return tx.Match().Warmup() })),
	"sudden_death":   method(0, ask0(func(tx *game.Tx) bool { return tx.Match().SuddenDeath() })),
	"running":        method(0, ask0(func(tx *game.Tx) bool { return tx.Match().EntitiesMoving() })),
	"end_match":      method(0, do0(func(tx *game.Tx) { tx.Match().End() })),
	"check_win":      method(0, ask0(func(tx *game.Tx) bool { return tx.Match().CheckWin() })),
	"score_limit":    method(0, ask0(func(tx *game.Tx) int32 { return tx.Rules().ScoreLimit })),
	"time_limit":     method(0, ask0(func(tx *game.Tx) int32 { return tx.Rules().TimeLimit })),
	"team_size":      method(1, ask1((*game.Tx).TeamSize)),
	"team_score":     method(1, ask1(func(tx *game.Tx, t game.Team) int32 { return tx.Match().TeamScore(t) })),
	"add_team_score": method(2, do2(func(tx *game.Tx, t game.Team, n int32) { tx.Match().AddTeamScore(t, n) })),
	"say":            method(1, oldCosts(messageCost, do1((*game.Tx).Say))),
	"broadcast":      method(1, oldCosts(messageCost, do1((*game.Tx).Broadcast))),
	"sound":          method(3, oldCosts(effectCost, do3(func(tx *game.Tx, pos vec.Vec2, s game.Sound, to game.PlayerMask) { tx.Effects(to).Sound(pos, s) }))),
	"explode":        method(4, oldCosts(effectCost, explode)),
	"wall_between":   method(2, oldCosts(20, wallBetween)),
	"players_near":   method(2, oldCosts(20, playersNear)),
	"flag":           method(1, flagInfo),
	"place_flag":     method(2, do2(func(tx *game.Tx, t game.Team, pos vec.Vec2) { tx.Flag(t).Place(pos) })),
	"grab_flag":      method(2, do2(func(tx *game.Tx, t game.Team, id game.PlayerID) { tx.Flag(t).Grab(id) })),
	"drop_flag":      method(1, do1(func(tx *game.Tx, t game.Team) { tx.Flag(t).Drop() })),
	"return_flag":    method(1, do1(func(tx *game.Tx, t game.Team) { tx.Flag(t).Return() })),

	"start_warmup":     method(1, do1(func(tx *game.Tx, seconds int32) { tx.Match().StartWarmup(seconds) })),
	"tile":             method(1, ask1(func(tx *game.Tx, pos vec.Vec2) uint8 { return tx.Map().TileAt(pos) })),
	"find_tiles":       method(1, oldCosts(1000, findTiles)),
	"raycast":          method(3, oldCosts(50, raycast)),
	"nearest_player":   method(3, oldCosts(20, nearest)),
	"spawn_pickup":     method(3, oldCosts(effectCost, spawnPickup)),
	"spawn_projectile": method(1, oldCosts(effectCost, spawnProjectile)),
	"spawn_laser":      method(3, oldCosts(effectCost, ask3((*game.Tx).SpawnLaser))),
	"remove":           method(1, ask1((*game.Tx).Remove)),
	"show_spawn":       method(2, oldCosts(effectCost, do2(func(tx *game.Tx, pos vec.Vec2, to game.PlayerMask) { tx.Effects(to).Spawn(pos) }))),
	"show_hammer_hit":  method(2, oldCosts(effectCost, do2(func(tx *game.Tx, pos vec.Vec2, to game.PlayerMask) { tx.Effects(to).HammerHit(pos) }))),
	"show_explosion":   method(2, oldCosts(effectCost, do2(func(tx *game.Tx, pos vec.Vec2, to game.PlayerMask) { tx.Effects(to).Explosion(pos) }))),
	"show_death":       method(3, oldCosts(effectCost, do3(showDeath))),
	"show_damage":      method(5, oldCosts(effectCost, showDamage)),
	"kill_feed":        method(4, oldCosts(messageCost, killFeed)),
	"flag_message":     method(5, oldCosts(messageCost, flagMessage)),
	"layers":           method(1, oldCosts(20, layers)),
	"map_width":        method(0, ask0(func(tx *game.Tx) int { return tx.Map().Terrain().Width })),
	"map_height":       method(0, ask0(func(tx *game.Tx) int { return tx.Map().Terrain().Height })),
	"add_npc":          method(1, oldCosts(effectCost, addNPC)),
}

func init() {
	maps.Copy(playerKind.members, characterMembers)
	maps.Copy(playerKind.members, peopleMembers)
}

func aim(in *game.Input) vec.Vec2 { return vec.Vec2{X: float32(in.TargetX), Y: float32(in.TargetY)} }

// openGame defines the table game and the functions for players.
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
		set(t, name, v.function("game."+name, m.args, false, v.changer("game."+name, m.method)))
	}
	set(t, "ticks_per_second", rt.IntValue(game.TickRate))
	set(t, "max_players", rt.IntValue(game.MaxPlayers))
	v.apiTable("game", t)
	set(v.env, "game", rt.TableValue(t))
	set(v.env, "players", v.function("players", 0, false, eachPlayer))
	set(v.env, "after", v.function("after", 2, true, after))
	set(v.env, "chat_command", v.function("chat_command", 1, false, declareCommand(func(d *declared) *[]command { return &d.chat })))
	set(v.env, "console_command", v.function("console_command", 1, false, declareCommand(func(d *declared) *[]command { return &d.console })))
	set(v.env, "variable", v.function("variable", 1, false, declareVariable))
	set(v.env, "entity_kind", v.function("entity_kind", 1, false, declareEntityKind))
	set(v.env, "tune_zone", v.function("tune_zone", 1, false, declareTuneZone))
	set(v.env, "mode", v.function("mode", 1, false, declareMode))
	set(v.env, "menu", v.function("menu", 1, false, declareChoice(menuKind)))
	set(v.env, "vote", v.function("vote", 1, false, declareChoice(voteKind)))
	v.openStore()
	set(v.env, "player", v.function("player", 1, false, playerByID))
}

func playerID(v *vm, c *rt.GoCont) error {
	id, _ := playerOf(value(c, 0))
	v.push(c, rt.IntValue(int64(id)))
	return nil
}

// playerByID is player(id). It returns nil if no player with the id is connected.
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
	if id >= 0 && id < game.MaxPlayers && tx.Player(game.PlayerID(id)).Connected() {
		x = v.players[id]
	}
	v.leave()
	v.push(c, x)
	return nil
}

// eachPlayer is players(), an iterator over all connected players.
func eachPlayer(v *vm, c *rt.GoCont) error {
	tx, err := v.enter()
	if err != nil {
		return err
	}
	var mask game.PlayerMask
	for p := range tx.Players() {
		mask.Add(p.ID())
	}
	v.leave()
	v.r.RequireMem(200)
	v.push(c, v.function("players next", 0, false, func(v *vm, c *rt.GoCont) error {
		for id := mask.Lowest(); id != game.Nobody; id = mask.Lowest() {
			mask.Remove(id)
			if v.tx != nil && v.tx.Player(id).Connected() {
				v.push(c, v.players[id])
				return nil
			}
		}
		v.push(c, rt.NilValue)
		return nil
	}))
	return nil
}

// option converts an argument, and returns otherwise if it is nil.
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
	return askPlayer1(func(p game.Player, w game.Weapon) bool { return p.GiveWeapon(w, ammo) })(v, c)
}

func kill(v *vm, c *rt.GoCont) error {
	w, err := option(v, c, 1, game.WeaponGame)
	if err != nil {
		return err
	}
	return doPlayer0(func(p game.Player) { p.Kill(w) })(v, c)
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
	return askPlayer1(func(p game.Player, amount int32) bool {
		return p.TakeDamage(game.Damage{Attacker: from, Weapon: w, Amount: amount, Source: p.Pos()})
	})(v, c)
}

func showDeath(tx *game.Tx, pos vec.Vec2, id game.PlayerID, to game.PlayerMask) {
	tx.Effects(to).Death(pos, id)
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
	v.needs(300)
	t, n := rt.NewTable(), int64(0)
	if err := do2(func(tx *game.Tx, pos vec.Vec2, radius float32) {
		for p := range tx.PlayersNear(pos, radius) {
			n++
			v.r.SetTable(t, rt.IntValue(n), v.players[p.ID()])
		}
	})(v, c); err != nil {
		return err
	}
	v.push(c, rt.TableValue(t))
	return nil
}

func flagInfo(v *vm, c *rt.GoCont) error {
	var f game.FlagInfo
	var ok bool
	if err := do1(func(tx *game.Tx, team game.Team) { f, ok = tx.Flag(team).Info() })(v, c); err != nil {
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

// tilesOfStep is how many tiles a search of the map reads for one step.
const tilesOfStep = 512

// findTiles is game.find_tiles(index). It returns a list of positions.
func findTiles(v *vm, c *rt.GoCont) error {
	var found []vec.Vec2
	if v.tx != nil {
		v.pay(uint64(len(v.tx.Map().Terrain().Tiles)) / tilesOfStep)
	}
	err := do1(func(tx *game.Tx, index uint8) {
		for pos := range tx.Map().FindTiles(index) {
			if found = append(found, pos); len(found) == 1000 {
				break
			}
		}
	})(v, c)
	t := rt.NewTable()
	for i, pos := range found {
		v.pay(8)
		v.r.SetTable(t, rt.IntValue(int64(i+1)), toValue(v, pos))
	}
	v.push(c, rt.TableValue(t))
	return err
}

// unitsOfStep is how many units of a line a search for walls reads for one step.
const unitsOfStep = 16

// payWay pays for a search for walls along a line of a given length in units.
func (v *vm) payWay(distance float32) { v.pay(uint64(min(distance, 1<<24)) / unitsOfStep) }

// wallBetween is game.wall_between(a, b).
func wallBetween(v *vm, c *rt.GoCont) error {
	return ask2(func(tx *game.Tx, from, to vec.Vec2) bool {
		v.payWay(vec.Distance(from, to))
		return tx.Map().WallBetween(from, to)
	})(v, c)
}

// raycast is game.raycast(from, to, {tees = true}). It returns the first thing on the line, or nil.
func raycast(v *vm, c *rt.GoCont) error {
	var r game.Ray
	if !value(c, 2).IsNil() {
		f := v.fields(c, 2, "tees", "ignore_walls", "radius", "except")
		r.Tees, r.IgnoreWalls = rt.Truth(f.get("tees")), rt.Truth(f.get("ignore_walls"))
		r.Radius = float32(f.number("radius", 0))
		if x := f.get("except"); !x.IsNil() && f.err == nil {
			r.Except, f.err = v.mask(2, x)
		}
		if f.err != nil {
			return f.err
		}
	}
	var hit game.RayHit
	var ok bool
	if err := do2(func(tx *game.Tx, from, to vec.Vec2) {
		v.payWay(vec.Distance(from, to))
		r.From, r.To = from, to
		hit, ok = tx.Map().Raycast(r)
	})(v, c); err != nil {
		return err
	}
	if !ok {
		v.push(c, rt.NilValue)
		return nil
	}
	v.r.RequireMem(300)
	t := rt.NewTable()
	set(t, "pos", toValue(v, hit.Pos))
	set(t, "player", v.player(hit.Player))
	set(t, "wall", rt.BoolValue(hit.Wall))
	set(t, "hookable", rt.BoolValue(hit.Hookable))
	v.push(c, rt.TableValue(t))
	return nil
}

// nearest is game.nearest_player(pos, radius, except).
func nearest(v *vm, c *rt.GoCont) error {
	except, err := option[game.PlayerMask](v, c, 2, game.PlayerMask{})
	if err != nil {
		return err
	}
	return ask2(func(tx *game.Tx, pos vec.Vec2, radius float32) game.PlayerID {
		p, _ := tx.NearestPlayer(pos, radius, except)
		return p.ID()
	})(v, c)
}

// spawnPickup is game.spawn_pickup(kind, pos, respawn_ticks).
func spawnPickup(v *vm, c *rt.GoCont) error {
	respawn, err := option[int32](v, c, 2, 0)
	if err != nil {
		return err
	}
	return ask2(func(tx *game.Tx, kind game.PickupKind, pos vec.Vec2) game.EntityID {
		return tx.SpawnPickup(kind, pos, respawn)
	})(v, c)
}

// spawnProjectile is game.spawn_projectile{weapon = "grenade", pos = ..., dir = ...}.
func spawnProjectile(v *vm, c *rt.GoCont) error {
	f := v.fields(c, 0, "owner", "weapon", "pos", "dir", "damage", "ticks", "explosive")
	s := game.Shot{
		Owner: f.player("owner"), Weapon: word(f, "weapon", weaponNames, game.WeaponGun), Pos: f.vector(v, "pos"), Dir: f.vector(v, "dir"),
		Damage: f.number("damage", 0), Ticks: f.number("ticks", 0), Explosive: rt.Truth(f.get("explosive")),
	}
	if f.err != nil {
		return f.err
	}
	return ask0(func(tx *game.Tx) game.EntityID { return tx.SpawnProjectile(s) })(v, c)
}

// addNPC is game.add_npc{name = "Boss", team = "blue", skill = 2, tag = 1}.
func addNPC(v *vm, c *rt.GoCont) error {
	f := v.fields(c, 0, "name", "clan", "team", "skill", "tag")
	n := game.NPC{
		Profile: game.Profile{Name: f.text("name"), Clan: f.text("clan"), Country: -1},
		Team:    word(f, "team", teamNames, game.TeamRed), Skill: f.number("skill", 0), Tag: f.number("tag", 0),
	}
	if f.err != nil {
		return f.err
	}
	return ask0(func(tx *game.Tx) bool { return tx.AddNPC(n) })(v, c)
}

// layers is game.layers(pos). It returns the numbers of all layers of the map at a position.
func layers(v *vm, c *rt.GoCont) error {
	var tile game.Tile
	if err := do1(func(tx *game.Tx, pos vec.Vec2) { tile = tx.Map().Tile(pos) })(v, c); err != nil {
		return err
	}
	t := rt.NewTable()
	v.r.RequireMem(1000)
	for _, x := range []struct {
		name string
		n    int
	}{
		{"game", int(tile.Game)}, {"flags", int(tile.GameFlags)}, {"front", int(tile.Front)}, {"front_flags", int(tile.FrontFlags)},
		{"tele", int(tile.Tele.Type)}, {"tele_number", int(tile.Tele.Number)},
		{"speedup", int(tile.Speedup.Type)}, {"speedup_force", int(tile.Speedup.Force)},
		{"speedup_max", int(tile.Speedup.MaxSpeed)}, {"speedup_angle", int(tile.Speedup.Angle)},
		{"switch", int(tile.Switch.Type)}, {"switch_number", int(tile.Switch.Number)},
		{"switch_flags", int(tile.Switch.Flags)}, {"switch_delay", int(tile.Switch.Delay)},
		{"tune", int(tile.Tune.Type)}, {"tune_zone", int(tile.Tune.Number)},
	} {
		set(t, x.name, rt.IntValue(int64(x.n)))
	}
	v.push(c, rt.TableValue(t))
	return nil
}
